/* waiting.h - what is waited for in a session, and how such a wait ends. */
#ifndef PTYD_CLIENT_WAITING_H
#define PTYD_CLIENT_WAITING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/client/dialog.h"
#include "ptyd/core/regex.h"

enum waiting_kind {
    WAIT_NONE,
    WAIT_TEXT,    /* in what is printed behind the cursor */
    WAIT_SCREEN,  /* on the screen, as it stands */
    WAIT_PROMPT,  /* that takes a line; behind the cursor, where that is not 0 */
    WAIT_EXIT,    /* of the first command that ends behind the cursor */
    WAIT_IDLE,    /* nothing is printed for `ms` */
    WAIT_CHANGE,  /* the screen shows something else than at waiting_begin() */
    WAIT_SETTLED, /* it shows the same for `ms` */
};

/* What is waited for. */
struct waiting_for {
    enum waiting_kind kind;
    const char *text;    /* of WAIT_TEXT and WAIT_SCREEN: borrowed */
    bool is_regex;       /* a pattern */
    struct regex *regex; /* it; owned */
    long ms;
};

/* Compiles the pattern, if it is one. Returns NULL, or what is wrong (a new string). */
char *waiting_prepare(struct waiting_for *f);
void waiting_finish(struct waiting_for *f);

/* Its name: text, screen, prompt, exit, idle, change or settled. */
const char *waiting_name(const struct waiting_for *f);

enum waiting_end {
    WAITING_MET,
    WAITING_LATE,    /* the time is over */
    WAITING_OVER,    /* the shell ended before */
    WAITING_LIMIT,   /* the pattern met a bound */
    WAITING_NOTHING, /* nothing runs whose end could be waited for */
    WAITING_LOST,    /* after a message: the daemon is gone, or refuses */
};

/* `met`, `timeout`, `ended`, `limit`, `nothing-runs` or `lost`. */
const char *waiting_end_name(enum waiting_end end);

/* How it ended. */
struct waiting_result {
    enum waiting_end end;
    uint64_t cursor; /* behind what was waited for; where it was not met, what it began with */
    char *matched;   /* the text; NULL for none. Owned */
    json_t *block;   /* of WAIT_EXIT; NULL where it is not known. Owned */
};
void waiting_result_finish(struct waiting_result *r);

/* What is to be known before something is typed: the screen of WAIT_CHANGE. New reference, or NULL:
 * nothing, or (*ret_failed) after a message. Behind a dialog_look(). */
json_t *waiting_begin(struct dialog *d, const struct waiting_for *f, bool *ret_failed);

/* Waits until `until` (monotonic ms, -1 for ever). `before` is waiting_begin()'s, borrowed. */
struct waiting_result waiting_wait(struct dialog *d, const struct waiting_for *f, uint64_t cursor,
                                   const json_t *before, int64_t until);

/* The exit status of a command that ended, EXIT_PTYD where nobody knows it. */
int waiting_status(const struct waiting_result *r);

#endif
