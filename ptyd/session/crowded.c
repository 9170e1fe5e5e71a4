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

/* Of the 4096 bytes that wait on either side before a writer waits (Linux, n_tty.c); and two such
 * pieces, typed and not taken in yet, are within what outlives a worker. */
#define CROWD_BYTES (LIMIT_AHEAD_BYTES / 3)
#define CROWD_TICKS 20 /* then it is given some more all the same: it is busy */

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

static bool is_full(const struct session *s)
{
    int typed, printed;
    session_holds_input(s, &typed);
    holds(s->master, &printed);
    return typed > CROWD_BYTES || printed > CROWD_BYTES || intake_waiting(s->intake) > CROWD_BYTES;
}

/* Or may be one: it has not said anything yet. A program in front takes what it can get, and prints
 * no marks. */
static bool is_tty_shell(const struct session *s)
{
    bool edited = tracker_point(s->tracker).editor == EDITOR_TTY;
    bool begins = tracker_state(s->tracker) == TRACKER_START && session_integrated(s);
    return (edited || begins) && tcgetpgrp(s->master) == s->pid;
}

bool session_is_crowded(struct session *s)
{
    bool careful = s->typing.first && !s->hurried && is_tty_shell(s);
    s->typing.piece = careful ? CROWD_BYTES : 0;
    s->crowded = careful && s->crowded_ticks < CROWD_TICKS && is_full(s);
    s->crowded_ticks = s->crowded ? s->crowded_ticks : 0;
    return s->crowded;
}

/* The terminal's own thread may be late with the echo. */
void session_press_in(const struct session *s)
{
    if (s->typing.piece)
        session_holds_input(s, NULL);
}
