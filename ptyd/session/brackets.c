/* Whether a session's shell takes a line in the brackets of a paste. */
#define _GNU_SOURCE
#include "ptyd/session/private.h"

#include <termios.h>

bool session_brackets_due(const struct session *s)
{
    struct termios modes;
    if (terminal_bracketed_paste(s->terminal) || s->brackets == BRACKETS_UNUSED)
        return false;
    return s->brackets == BRACKETS_USED ||
           (tcgetattr(s->master, &modes) == 0 && !(modes.c_lflag & ICANON));
}

void session_look_at_brackets(struct session *s)
{
    bool came = terminal_bracketed_paste(s->terminal) && !s->bracketed;
    s->bracketed = terminal_bracketed_paste(s->terminal);
    if (!came || tracker_state(s->tracker) != TRACKER_INPUT)
        return;
    bool awaited = s->brackets != BRACKETS_UNUSED;
    s->brackets = BRACKETS_USED;
    if (awaited)
        EACH_WATCHER(s, prompt, w_);
}
