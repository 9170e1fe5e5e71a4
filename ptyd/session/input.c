/* What is typed into a session. */
#define _GNU_SOURCE
#include "ptyd/session/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"

#define PASTE_LENGTH 1024 /* longer lines are pasted: editors redraw at each key that is typed */

void session_write_input(struct session *s)
{
    while (s->input.len && s->master >= 0) {
        ssize_t n = write(s->master, s->input.data, s->input.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        bytes_consume(&s->input, (size_t)n);
    }
    session_poll_for(s);
}

bool session_takes_line(const struct session *s)
{
    return tracker_state(s->tracker) == TRACKER_INPUT && !s->interrupted && session_input_read(s);
}

bool session_input_read(const struct session *s)
{
    int unread = 0;
    int terminal = ioctl(s->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0)
        return !s->input.len;
    if (ioctl(terminal, FIONREAD, &unread) < 0)
        unread = 0;
    close(terminal);
    return !unread && !s->input.len;
}

/* How many of the bytes come to nothing: those up to the last Ctrl-C or Ctrl-\ that the terminal
 * turns into a signal now, for it throws away what was typed before. */
static size_t interrupts(const struct termios *modes, const char *bytes, size_t len)
{
    if (!(modes->c_lflag & ISIG))
        return 0;
    while (len && (unsigned char)bytes[len - 1] != modes->c_cc[VINTR] &&
           (unsigned char)bytes[len - 1] != modes->c_cc[VQUIT])
        len--;
    return len;
}

void session_keep_ahead(struct session *s)
{
    struct intake_facts *facts = intake_facts(s->intake);
    size_t len;
    const char *ahead = tracker_ahead(s->tracker, &len);
    if (!len && !facts->ahead_len)
        return;
    len = len < LIMIT_AHEAD_BYTES ? len : 0;
    facts->ahead_len = 0; /* a worker that dies in between leaves none */
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(facts->ahead, len ? ahead : "", len);
    atomic_thread_fence(memory_order_seq_cst);
    facts->ahead_len = (uint32_t)len;
}

void session_find_ahead(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    size_t len = facts->ahead_len < LIMIT_AHEAD_BYTES ? facts->ahead_len : 0;
    tracker_set_ahead(s->tracker, facts->ahead, len);
}

/* What a command reads without an echo is a secret: it is not kept. */
static bool is_secret(const struct session *s, const struct termios *modes)
{
    return tracker_state(s->tracker) == TRACKER_RUNNING && (modes->c_lflag & ICANON) &&
           !(modes->c_lflag & ECHO);
}

size_t session_input_room(const struct session *s)
{
    return s->input.len < LIMIT_INPUT_BYTES ? LIMIT_INPUT_BYTES - s->input.len : 0;
}

bool session_input(struct session *s, const char *bytes, size_t len)
{
    if (s->reaped || !len)
        return true;
    if (len > session_input_room(s))
        return false;
    if (tcgetpgrp(s->master) != s->pid)
        tracker_runs(s->tracker, clock_now());
    struct termios modes = {0};
    tcgetattr(s->master, &modes);
    size_t gone = interrupts(&modes, bytes, len);
    if (gone) {
        tracker_interrupt(s->tracker, clock_now());
        s->interrupted = tracker_state(s->tracker) == TRACKER_INPUT;
    }
    if (!is_secret(s, &modes))
        tracker_typed(s->tracker, bytes + gone, len - gone);
    session_keep_ahead(s);
    bytes_append(&s->input, bytes, len);
    session_write_input(s);
    return true;
}

bool session_type_command(struct session *s, const char *command, enum block_type actor)
{
    struct bytes line = {0};
    bool paste = (strpbrk(command, "\n\t") || strlen(command) > PASTE_LENGTH) &&
                 terminal_bracketed_paste(s->terminal);
    /* Other control characters are keys in disguise: they are left out. */
    bytes_append_text(&line, paste ? "\x1b[200~" : "");
    for (const char *at = command; *at; at++)
        if (*at == '\n' || *at == '\t' || ((unsigned char)*at >= 0x20 && *at != 0x7f))
            bytes_append_char(&line, *at);
    bytes_append_text(&line, paste ? "\x1b[201~\r" : "\r");
    bool fits = line.len <= session_input_room(s);
    if (fits) {
        tracker_set_actor(s->tracker, actor);
        session_input(s, line.data, line.len);
    }
    bytes_finish(&line);
    return fits;
}
