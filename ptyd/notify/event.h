/* event.h - what of one command is waited for: its end, that it fails, a line that it prints. */
#ifndef PTYD_NOTIFY_EVENT_H
#define PTYD_NOTIFY_EVENT_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/client/dialog.h"
#include "ptyd/core/regex.h"

enum event_kind { EVENT_EXIT, EVENT_FAIL, EVENT_LINE };

struct event {
    enum event_kind kind;
    struct regex *regex; /* of EVENT_LINE; owned */
};

/* Of `exit`, `fail` or `/PATTERN/`. NULL, or what is wrong with it: a new string. */
char *event_parse(const char *text, struct event *ret_event);
void event_finish(struct event *e);

enum event_end {
    EVENT_MET,
    EVENT_NEVER, /* the command has ended, and it was not so */
    EVENT_LATE,  /* the time is over */
    EVENT_LOST,  /* after a message: the daemon is gone, or tells no agent of that command */
};

/* How it came, all of it as agents are shown it. */
struct event_met {
    json_t *block; /* the command, at that moment; owned */
    char *line;    /* of EVENT_LINE: owned */
};
void event_met_finish(struct event_met *m);

/* Waits until it is so of the block `seq`, what it has printed already included, or `until`
 * (monotonic ms, -1 for ever). Behind a dialog_look(). */
enum event_end event_wait(struct dialog *d, const struct event *e, uint64_t seq, int64_t until,
                          struct event_met *ret_met);

/* The command that runs, and where the stream stands: a dialog_look() is behind it. 0 for none, or
 * after a message (*ret_failed). */
uint64_t event_running(struct dialog *d, bool *ret_failed);

#endif
