/* What is shown never makes us wait, so that a slow terminal's keys are taken, too. The terminal's
 * descriptors are shared with whoever started us: not to block is asked of a description of our
 * own, made by opening the terminal again. Where that is not allowed (another user's terminal) so
 * little is written at once that it does not block when there is room. */
#define _GNU_SOURCE
#include "ptyd/client/outer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/client/request.h"
#include "vterm_snapshot/undo.h"

#define SURE_BYTES 256 /* as many a terminal takes that has room */

struct outer {
    struct termios saved;
    int fd;        /* to write to */
    bool own;      /* it is a description of our own, which does not block */
    bool reads;    /* it reads the keys, too */
    bool gone;     /* it hung up: nothing is shown any more */
    bool paused;   /* given back for a while */
    bool whole;    /* it is all the session's: title and lines are kept apart */
    uint64_t took; /* bytes */
    size_t at;     /* of `waiting` that the terminal took */
    struct bytes waiting;
    struct bytes said; /* and not put yet */
    struct undo *undo; /* of what was put */
};

bool outer_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int make_raw(const struct outer *o)
{
    struct termios raw = o->saved;
    cfmakeraw(&raw);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0 ? -errno : 0;
}

static bool has_room(const struct outer *o, int wait_ms)
{
    struct pollfd fd = {.fd = o->fd, .events = POLLOUT};
    return poll(&fd, 1, wait_ms) > 0 && (fd.revents & POLLOUT);
}

/* As much as it takes now. */
static size_t take(struct outer *o, const char *bytes, size_t len)
{
    size_t taken = 0;
    while (taken < len && !o->gone && (o->own || has_room(o, 0))) {
        size_t left = len - taken, most = o->own || left < SURE_BYTES ? left : SURE_BYTES;
        ssize_t n = write(o->fd, bytes + taken, most);
        if (n < 0 && errno == EINTR)
            continue;
        o->gone = n < 0 && errno != EAGAIN;
        if (n <= 0)
            break;
        taken += (size_t)n;
    }
    taken = o->gone ? len : taken;
    o->took += taken;
    return taken;
}

void outer_flush(struct outer *o)
{
    o->at += take(o, o->waiting.data + o->at, o->waiting.len - o->at);
    if (o->at < o->waiting.len)
        return;
    o->at = 0;
    o->waiting.len = 0;
}

static void put(struct outer *o, const char *bytes, size_t len)
{
    size_t taken = outer_waiting(o) ? 0 : take(o, bytes, len);
    if (o->at > o->waiting.len / 2) {
        bytes_consume(&o->waiting, o->at);
        o->at = 0;
    }
    if (taken < len)
        bytes_append(&o->waiting, bytes + taken, len - taken);
}

int outer_lendable(const struct outer *o)
{
    return o->reads ? o->fd : -1;
}

bool outer_is_inside(const struct outer *o)
{
    return undo_is_inside(o->undo);
}

static void put_said(struct outer *o)
{
    if (outer_is_inside(o))
        return;
    put(o, o->said.data, o->said.len);
    o->said.len = 0;
}

void outer_note(struct outer *o, const char *bytes, size_t len)
{
    undo_note(o->undo, bytes, len);
    put_said(o);
}

void outer_put(struct outer *o, const char *bytes, size_t len)
{
    undo_note(o->undo, bytes, len);
    put(o, bytes, len);
    put_said(o);
}

void outer_say(struct outer *o, const char *bytes, size_t len)
{
    if (o->said.len < LIMIT_SAID_BYTES)
        bytes_append(&o->said, bytes, len);
    put_said(o);
}

static void put_all(struct outer *o, struct bytes *bytes)
{
    if (!bytes->failed)
        put(o, bytes->data, bytes->len);
    bytes_finish(bytes);
}

static void keep_title(struct outer *o)
{
    static const char push[] = "\x1b[22;0t";
    put(o, push, sizeof push - 1);
}

static bool is_stdin(int fd)
{
    struct stat one, other;
    return fstat(fd, &one) == 0 && fstat(STDIN_FILENO, &other) == 0 && one.st_rdev == other.st_rdev;
}

int outer_open(struct outer **ret_outer, bool whole)
{
    struct outer *o = memory_new(sizeof *o);
    *o = (struct outer){.fd = STDOUT_FILENO, .whole = whole};
    int result = tcgetattr(STDIN_FILENO, &o->saved) < 0 ? -errno : make_raw(o);
    if (result < 0) {
        free(o);
        return result;
    }
    int own = open("/proc/self/fd/1", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    o->reads = own >= 0 && is_stdin(own);
    if (own < 0)
        own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    o->own = own >= 0;
    o->fd = o->own ? own : STDOUT_FILENO;
    o->undo = undo_create();
    if (!o->undo)
        memory_end();
    if (whole)
        keep_title(o);
    *ret_outer = o;
    return 0;
}

/* A row of blanks ends at its edge where it began in the first column, and in the next row where it
 * did not. */
static void append_new_row(struct bytes *out, int cols)
{
    for (int i = 0; i < cols; i++)
        bytes_append_char(out, ' ');
    bytes_append_text(out, "\r\x1b[K");
}

/* As many line feeds as there are rows below the first move what is above the cursor out at the
 * top, whichever row it is in. */
void outer_clear_away(struct outer *o, const char *line)
{
    struct view_size size = request_terminal_size();
    struct bytes out = {0};
    append_new_row(&out, size.cols);
    if (line) {
        bytes_append_text(&out, line);
        append_new_row(&out, size.cols);
    }
    for (int i = 1; i < size.rows; i++)
        bytes_append_char(&out, '\n');
    put_all(o, &out);
}

void outer_renew(struct outer *o)
{
    struct bytes out = {0};
    undo_append(o->undo, request_terminal_size().cols, &out);
    put_all(o, &out);
}

size_t outer_waiting(const struct outer *o)
{
    return o->waiting.len - o->at;
}

uint64_t outer_taken(const struct outer *o)
{
    return o->took;
}

int outer_fd(const struct outer *o)
{
    return o->fd;
}

long outer_read(struct outer *o, char *keys, size_t len)
{
    (void)o;
    return read(STDIN_FILENO, keys, len);
}

size_t outer_give_back(const char *keys, size_t len)
{
    size_t done = 0;
    while (done < len && ioctl(STDIN_FILENO, TIOCSTI, keys + done) == 0)
        done++;
    return done;
}

/* Who looks at the rest of it has the time for it. */
static void show_rest(struct outer *o)
{
    while (outer_waiting(o) && !o->gone && has_room(o, LIMIT_OUTER_REST_MS))
        outer_flush(o);
}

void outer_pause(struct outer *o)
{
    static const char below[] = "\x1b[9999;1H\r\n\x1b[23;0t";
    if (o->whole) {
        outer_renew(o);
        put(o, below, sizeof below - 1);
    }
    show_rest(o);
    tcsetattr(STDIN_FILENO, TCSANOW, &o->saved);
    o->paused = true;
}

void outer_resume(struct outer *o)
{
    make_raw(o);
    if (o->whole) {
        outer_renew(o);
        if (o->paused)
            keep_title(o);
        outer_clear_away(o, NULL);
    }
    o->paused = false;
}

bool outer_close(struct outer *o)
{
    static const char below[] = "\r\n\x1b[23;0t"; /* and its title */
    outer_renew(o);
    put_said(o);
    if (o->whole)
        put(o, below, sizeof below - 1);
    show_rest(o);
    bool took_all = !outer_waiting(o) && !o->gone;
    tcsetattr(STDIN_FILENO, TCSANOW, &o->saved);
    if (o->own)
        close(o->fd);
    bytes_finish(&o->waiting);
    bytes_finish(&o->said);
    undo_destroy(o->undo);
    free(o);
    return took_all;
}
