/* What the terminal holds; and much that is typed at once into a shell whose lines the terminal
 * edits. The terminal echoes it wherever there is room, also between the halves of a mark of which
 * only one found room: that mark is none. So such a shell is given no more than it takes in soon,
 * while what it printed is read.
 */
#define _GNU_SOURCE
#include "ptyd/core/typed.h"
#include "ptyd/session/private.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"

/* What is typed ahead of a shell at its prompts and not taken in yet is within what outlives a
 * worker. A program is given as much as the terminal holds (Linux, n_tty.c). */
#define CROWD_BYTES   (LIMIT_AHEAD_BYTES / 3)
#define PROGRAM_BYTES (LIMIT_TYPED_PIECE - 1)
#define FEW_BYTES     128 /* a person's keys wait for nothing */
#define CROWD_MOST_MS 500 /* in which nobody read: then some more is given all the same */

/* Whether anything waits to be read there. (poll(2) first brings in what is on its way.) */
static bool holds(int fd, int *ret_bytes)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    bool known = fd >= 0 && poll(&input, 1, 0) >= 0;
    if (!known || ioctl(fd, FIONREAD, ret_bytes) < 0)
        *ret_bytes = -1;
    return known && input.revents & POLLIN;
}

bool session_holds_input(const struct session *s, int *ret_bytes)
{
    int terminal = ioctl(s->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC), bytes;
    bool any = holds(terminal, ret_bytes ? ret_bytes : &bytes);
    if (terminal >= 0)
        close(terminal);
    return any;
}

/* Who takes what is typed now, where its echo may come between marks. A shell that said nothing yet
 * may be such a one. */
enum reader {
    READER_OTHER,
    READER_SHELL,   /* at a prompt */
    READER_BUILTIN, /* it runs a command itself, or what it printed since is to be taken in yet */
    READER_PROGRAM
};

static enum reader find_reader(const struct session *s)
{
    struct termios modes;
    bool edited = tracker_point(s->tracker).editor == EDITOR_TTY;
    bool begins = tracker_state(s->tracker) == TRACKER_START && session_integrated(s);
    if (!edited && !begins)
        return READER_OTHER;
    if (begins || tcgetpgrp(s->master) == s->pid)
        return tracker_state(s->tracker) == TRACKER_RUNNING ? READER_BUILTIN : READER_SHELL;
    bool echoes =
        tcgetattr(s->master, &modes) == 0 && modes.c_lflag & ICANON && modes.c_lflag & ECHO;
    return echoes ? READER_PROGRAM : READER_OTHER;
}

/* Of a shell at its prompts it is known what became of each key. A program prints no marks; what it
 * does not read the shell will. */
static bool is_full(struct session *s, enum reader reader, int64_t now)
{
    int typed, printed, known = (int)tracker_keys(s->tracker).len;
    session_holds_input(s, &typed);
    holds(s->master, &printed);
    if (reader == READER_SHELL && known > typed)
        typed = known;
    bool reads = typed < s->crowd.typed;
    s->crowd.since = reads ? now : s->crowd.since;
    s->crowd.typed = typed;
    if (reader == READER_PROGRAM)
        return typed > CROWD_BYTES && !reads;
    return typed > CROWD_BYTES || printed > CROWD_BYTES || intake_waiting(s->intake) > CROWD_BYTES;
}

void session_look_at_crowd(struct session *s)
{
    struct crowd *c = &s->crowd;
    int64_t now = clock_monotonic_ms();
    bool asked = s->typing.len > FEW_BYTES && !c->hurried;
    enum reader reader = asked ? find_reader(s) : READER_OTHER;
    s->typing.piece = reader == READER_OTHER     ? 0
                      : reader == READER_PROGRAM ? PROGRAM_BYTES
                                                 : CROWD_BYTES;
    c->shell = reader == READER_SHELL || reader == READER_BUILTIN;
    c->is = reader != READER_OTHER && is_full(s, reader, now) && now - c->since < CROWD_MOST_MS;
    c->since = c->is ? c->since : now;
}

/* The terminal's own thread may be late with the echo, and with what it counts: a shell's next
 * piece waits for another look. */
void session_press_in(struct session *s, ssize_t typed)
{
    s->crowd.typed += typed > 0 ? (int)typed : 0;
    if (s->crowd.shell)
        session_holds_input(s, NULL);
    else if (s->typing.piece)
        session_look_at_crowd(s);
    s->crowd.is = s->crowd.is || s->crowd.shell;
}
