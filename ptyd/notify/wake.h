/* wake.h - a turn of the user's for a thread of codex's that tells it of an event.
 *
 * What the terminal has to tell goes into the thread's history (thread/inject_items), by a lease as
 * any turn's; then a message of a line goes into the thread's own queue (thread/queue/add), which
 * codex begins when no turn runs. So no turn is ever steered, whoever begins one meanwhile.
 */
#ifndef PTYD_NOTIFY_WAKE_H
#define PTYD_NOTIFY_WAKE_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/notify/event.h"

struct wake {
    const char *url;     /* where the app-server is */
    const char *session; /* whose block it is */
    char *thread;        /* which is told; NULL: not chosen yet. Owned */
    int64_t until;       /* monotonic ms: how long a turn of others is waited for; -1 for ever */
};

enum wake_end {
    WAKE_BEGUN,     /* the turn */
    WAKE_KNOWN,     /* the agent has heard of the command, or is not to: no turn */
    WAKE_CANCELLED, /* the user's own next turn came first */
    WAKE_UNSHOWN,   /* after a message: there is nobody who would show it */
    WAKE_LATE,      /* the time is over: the agent was at work all the time */
    WAKE_FAILED,    /* after a message */
};
const char *wake_end_name(enum wake_end end);

/* Finds the thread, where none is named, and whether a turn would be seen. Returns WAKE_BEGUN for
 * yes, else WAKE_UNSHOWN. `directory`: where the session is, or NULL. */
enum wake_end wake_look(struct wake *w, const char *directory);

/* Begins the turn, once the thread is idle. */
enum wake_end wake_begin(struct wake *w, const struct event_met *met);

/* What it says; new string. */
char *wake_text(const struct wake *w, const struct event_met *met);

#endif
