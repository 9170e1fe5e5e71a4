/* looker.h - whether a person looks at a viewer's terminal while a command runs, as far as it says.
 * Pure. */
#ifndef PTYD_WORKER_LOOKER_H
#define PTYD_WORKER_LOOKER_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed struct has heard nothing. */
struct looker {
    bool typed;                                        /* by a person, since the command began */
    enum { FOCUS_UNKNOWN, FOCUS_IN, FOCUS_OUT } focus; /* as the last report says */
    int matched;                                       /* bytes of a report that came so far */
};

/* A command begins. */
void looker_begins(struct looker *looker);

/* These bytes came from it, cut anywhere; `keys`: a person typed some of them. */
void looker_hears(struct looker *looker, const char *bytes, size_t len, bool keys);

/* Whether somebody looks: it has the focus, where it reports that (`reports`) and did; else
 * somebody typed since the command began. */
bool looker_looks(const struct looker *looker, bool reports);

#endif
