/* leader.h - which of a session's viewers leads: the terminal that typed last, or the only one.
 *
 * Pure: it knows viewers by what is embedded in them.
 */
#ifndef PTYD_WORKER_LEADER_H
#define PTYD_WORKER_LEADER_H

#include <stdbool.h>
#include <stddef.h>

/* Embedded in a viewer. */
struct leading {
    struct leading *next; /* of all viewers; whoever typed last, or joined, comes first */
    const void *session;
    bool looks; /* it never leads */
    bool leads;
};

/* A zeroed struct has no viewers. */
struct leaders {
    struct leading *first;
};

/* Whoever leads the session; NULL for nobody. */
struct leading *leader_of(const struct leaders *all, const void *session);

/* A viewer joins, or typed, or goes. Returns whether another one leads now than before, and who
 * that was in *ret_before (NULL for nobody, also for one that goes). */
bool leader_joins(struct leaders *all, struct leading *viewer, struct leading **ret_before);
bool leader_typed(struct leaders *all, struct leading *viewer, struct leading **ret_before);
bool leader_leaves(struct leaders *all, struct leading *viewer);

#endif
