/* notice.h - a terminal asked to tell its user something: that a command ended, that an agent asks.
 */
#ifndef PTYD_CLIENT_NOTICE_H
#define PTYD_CLIENT_NOTICE_H

#include <jansson.h>
#include <stdint.h>

#include "base/bytes.h"

enum notice_form {
    NOTICE_OSC_9,   /* iTerm2's, which most know */
    NOTICE_OSC_777, /* rxvt's, which VTE and foot know */
    NOTICE_TMUX,    /* OSC 9 through tmux, where it lets such pass */
    NOTICE_BELL,
};

/* What fits the terminal that the environment names. */
enum notice_form notice_form(void);

/* Appends it: `work: exit 2 after 1 m 12 s: make`, in at most LIMIT_NOTIFY_BYTES, without anything
 * that a terminal would do or take for the end. `block`: as VIEW_BLOCK has it. */
void notice_append(const char *session, int64_t duration_ms, const json_t *block,
                   enum notice_form form, struct bytes *out);

/* The same of an agent that asks to type (`key`: by what its user allows it; NULL for by `ptyd
 * grant`) or may from now on; nothing of another state. `baton`: as VIEW_BATON has it. */
void notice_append_baton(const char *session, const char *key, const json_t *baton,
                         enum notice_form form, struct bytes *out);

#endif
