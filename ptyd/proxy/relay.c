/* Two directions, each: bytes read, cut at line ends; the gate decides on a line as soon as its
 * head is known, and what it lets pass goes on without being held. */
#define _GNU_SOURCE
#include "ptyd/proxy/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/cli.h"

#define READ_BYTES (1 << 16)

struct direction {
    int from, to;     /* descriptors; -1 when over */
    struct bytes in;  /* read */
    size_t at;        /* bytes of `in` that are decided */
    size_t scanned;   /* bytes of `in` known to hold no line end that is not decided */
    struct bytes out; /* to be written to `to` */
    size_t written;   /* bytes of `out` that are */
    bool passing;     /* inside a line that passes */
    bool waiting;     /* the gate wants the line at hand again later */
    bool ended;       /* `from` has ended */
};

struct relay {
    struct gate *gate;
    struct direction up;   /* client to server */
    struct direction down; /* server to client */
};

static size_t queued(const struct direction *d)
{
    return d->out.len - d->written;
}

/* ---- decisions ---- */

/* The next `len` bytes of what was read are decided. */
static void done(struct direction *d, size_t len)
{
    d->at += len;
    d->scanned = d->at;
    if (d->at == d->in.len)
        d->at = d->scanned = d->in.len = 0;
}

static void pass(struct direction *d, size_t len)
{
    bytes_append(&d->out, d->in.data + d->at, len);
    done(d, len);
}

/* Handles one line, or what is there of it. Returns false when more must come first. */
static bool step(struct relay *r, struct direction *d)
{
    if (d->at == d->in.len)
        return false;
    const char *line = d->in.data + d->at;
    const char *newline = memchr(d->in.data + d->scanned, '\n', d->in.len - d->scanned);
    size_t len = newline ? (size_t)(newline - line) : d->in.len - d->at;
    bool up = d == &r->up, whole = newline != NULL;
    d->scanned = d->at + len;
    if (d->passing) {
        d->passing = !whole;
        pass(d, len + whole);
        return true;
    }
    enum gate_verdict verdict = up ? gate_client_look(r->gate, line, len, whole)
                                   : gate_server_look(r->gate, line, len, whole);
    if (verdict != GATE_PASS && !whole && len <= LIMIT_PROXY_LINE && !d->ended)
        return false;
    if (verdict == GATE_PASS || !whole) { /* too long to hold, or cut off by the end: as it came */
        d->passing = !whole;
        pass(d, len + whole);
        return true;
    }
    if (up)
        d->waiting = !gate_client_line(r->gate, line, len, &r->up.out);
    else
        gate_server_line(r->gate, line, len, &r->down.out, &r->up.out);
    if (!d->waiting)
        done(d, len + 1);
    return !d->waiting;
}

static void decide(struct relay *r, struct direction *d)
{
    while (queued(d) < LIMIT_PROXY_QUEUE && step(r, d))
        ;
}

/* ---- bytes ---- */

static void read_more(struct direction *d)
{
    if (d->at) {
        bytes_consume(&d->in, d->at);
        d->scanned -= d->at;
        d->at = 0;
    }
    char *to = bytes_reserve(&d->in, READ_BYTES);
    ssize_t n = to ? read(d->from, to, READ_BYTES) : -1;
    if (n > 0) {
        d->in.len += (size_t)n;
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        d->ended = true;
    }
}

static void write_more(struct direction *d)
{
    while (queued(d)) {
        ssize_t n = write(d->to, d->out.data + d->written, queued(d));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) { /* nobody reads any more */
            d->out.len = d->written = 0;
            d->ended = true;
            return;
        }
        d->written += (size_t)n;
    }
    d->out.len = d->written = 0;
}

static bool wants_to_read(const struct direction *d)
{
    return !d->ended && !d->waiting && queued(d) < LIMIT_PROXY_QUEUE;
}

/* The client's input is over and passed on: the server hears it. */
static void close_when_done(struct relay *r)
{
    struct direction *up = &r->up;
    if (up->ended && up->at == up->in.len && !queued(up) && up->to >= 0) {
        close(up->to);
        up->to = -1;
    }
}

static void run_once(struct relay *r)
{
    struct direction *up = &r->up, *down = &r->down;
    struct pollfd fds[] = {
        {.fd = wants_to_read(up) ? up->from : -1, .events = POLLIN},
        {.fd = wants_to_read(down) ? down->from : -1, .events = POLLIN},
        {.fd = queued(up) ? up->to : -1, .events = POLLOUT},
        {.fd = queued(down) ? down->to : -1, .events = POLLOUT},
    };
    int timeout = up->waiting ? gate_wait_ms(r->gate) : -1;
    if (poll(fds, 4, timeout) < 0 && errno != EINTR)
        abort();
    if (fds[0].revents)
        read_more(up);
    if (fds[1].revents)
        read_more(down);
    decide(r, down);
    up->waiting = false; /* what the server said may be what it waited for */
    decide(r, up);
    if (up->to >= 0)
        write_more(up);
    write_more(down);
    decide(r, up); /* there may be room again */
    decide(r, down);
    close_when_done(r);
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

void relay_run(struct gate *gate, struct relay_ends ends)
{
    struct relay r = {.gate = gate,
                      .up = {.from = ends.client_in, .to = ends.server_in},
                      .down = {.from = ends.server_out, .to = ends.client_out}};
    int in_flags = set_nonblocking(ends.client_in), out_flags = set_nonblocking(ends.client_out);
    set_nonblocking(ends.server_in);
    set_nonblocking(ends.server_out);
    while (!r.down.ended || r.down.at < r.down.in.len || queued(&r.down))
        run_once(&r);
    if (r.up.to >= 0)
        close(r.up.to);
    fcntl(ends.client_in, F_SETFL, in_flags); /* shared with whoever started us */
    fcntl(ends.client_out, F_SETFL, out_flags);
    bytes_finish(&r.up.in);
    bytes_finish(&r.up.out);
    bytes_finish(&r.down.in);
    bytes_finish(&r.down.out);
}
