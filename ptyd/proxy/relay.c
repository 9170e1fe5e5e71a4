/* Messages go two ways. On each the gate decides about a message as soon as it has seen its head;
 * what it lets pass goes on piece by piece, without being held. */
#define _GNU_SOURCE
#include "ptyd/proxy/relay.h"

#include <errno.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/proxy/messages.h"

struct direction {
    struct peer *from, *to;
    bool passing; /* inside a message that passes */
    bool waiting; /* the gate was asked about the message at hand and wants to be asked again */
};

struct relay {
    struct gate *gate;
    struct direction up;   /* client to server */
    struct direction down; /* server to client */
    struct messages to_client, to_server;
    bool server_exited;
    long long drain_until; /* monotonic ms; 0 while not draining */
};

/* ---- decisions ---- */

/* Hands a piece on. A WebSocket message may hold line ends, which must not end a line. */
static void pass(struct direction *d, const struct peer_piece *piece)
{
    d->passing = !piece->whole;
    peer_write(d->to, piece->data, piece->len, piece->whole, peer_is_framed(d->from));
    peer_consume(d->from, piece);
}

static void send_all(struct messages *m, struct peer *to, bool raw_lines)
{
    for (size_t i = 0; i < messages_count(m); i++) {
        size_t len;
        const char *text = messages_get(m, i, &len);
        peer_write(to, text, len, true, raw_lines);
    }
    messages_clear(m);
}

/* Handles one message, or what is there of it. Returns false when more must come first. */
static bool step(struct relay *r, struct direction *d)
{
    struct peer_piece piece;
    bool up = d == &r->up;
    if (!peer_peek(d->from, &piece))
        return false;
    if (d->passing) {
        pass(d, &piece);
        return true;
    }
    enum gate_verdict verdict = up ? gate_client_look(r->gate, piece.data, piece.len, piece.whole)
                                   : gate_server_look(r->gate, piece.data, piece.len, piece.whole);
    bool held = verdict != GATE_PASS && !piece.whole;
    if (held && piece.len <= LIMIT_PROXY_LINE && !peer_has_ended(d->from))
        return false;
    if (verdict == GATE_PASS || !piece.whole) { /* too long to hold, or the last, cut off */
        pass(d, &piece);
        return true;
    }
    if (up)
        d->waiting = !gate_client_line(r->gate, piece.data, piece.len, &r->to_server);
    else
        gate_server_line(r->gate, piece.data, piece.len, &r->to_client, &r->to_server);
    send_all(&r->to_server, r->up.to, peer_is_framed(r->up.from));
    send_all(&r->to_client, r->down.to, peer_is_framed(r->down.from));
    if (!d->waiting)
        peer_consume(d->from, &piece);
    return !d->waiting;
}

static void decide(struct relay *r, struct direction *d)
{
    while (peer_queued(d->to) < LIMIT_PROXY_QUEUE && step(r, d))
        ;
}

/* ---- bytes ---- */

static bool may_read(const struct direction *d)
{
    return !peer_has_ended(d->from) && !d->waiting && peer_queued(d->to) < LIMIT_PROXY_QUEUE;
}

/* A last line without a line end was passed on as far as it came; frames need its end to be told.
 */
static void finish_last(struct direction *d)
{
    if (d->passing && peer_is_over(d->from) && peer_is_framed(d->to))
        peer_write(d->to, "", 0, true, false);
    d->passing = d->passing && !peer_is_over(d->from);
}

/* A socket's client that has hung up hears nothing any more; one on pipes may have closed one of
 * two. */
static bool client_is_gone(const struct relay *r)
{
    return peer_is_dead(r->down.to) ||
           (peer_is_framed(r->up.from) && peer_is_over(r->up.from) && !r->up.waiting);
}

/* A client that does not read any more is heard no more. The server's answers still are for a
 * while, where leases wait for them. */
static void notice_dead_client(struct relay *r)
{
    if (!client_is_gone(r) || r->drain_until)
        return;
    peer_stop_reading(r->up.from);
    r->up.waiting = r->up.passing = false;
    r->drain_until = clock_monotonic_ms() + LIMIT_PROXY_ANSWERS_MS;
}

/* The client's input is over and passed on: the server hears it. */
static void close_when_done(struct relay *r)
{
    if (peer_is_over(r->up.from) && !r->up.waiting)
        peer_close(r->up.to, r->up.from);
}

static int timeout_ms(const struct relay *r)
{
    int wait = r->up.waiting ? gate_wait_ms(r->gate) : -1;
    if (r->drain_until) {
        long long left = r->drain_until - clock_monotonic_ms();
        left = left > 0 ? left : 0;
        wait = wait < 0 || left < wait ? (int)left : wait;
    }
    if ((may_read(&r->up) && peer_has_more(r->up.from)) ||
        (may_read(&r->down) && peer_has_more(r->down.from)))
        return 0;
    return wait;
}

static void run_once(struct relay *r, int pidfd)
{
    struct direction *up = &r->up, *down = &r->down;
    struct pollfd client[2], server[2], fds[5];
    int n = peer_poll(up->from, may_read(up), client);
    int m = peer_poll(down->from, may_read(down), server);
    for (int i = 0; i < n; i++)
        fds[i] = client[i];
    for (int i = 0; i < m; i++)
        fds[n + i] = server[i];
    fds[n + m] = (struct pollfd){.fd = r->server_exited ? -1 : pidfd, .events = POLLIN};
    if (poll(fds, (nfds_t)(n + m + 1), timeout_ms(r)) < 0 && errno != EINTR)
        abort();
    if (peer_readable(fds) || (may_read(up) && peer_has_more(up->from)))
        peer_read(up->from);
    if (peer_readable(fds + n) || (may_read(down) && peer_has_more(down->from)))
        peer_read(down->from);
    if (fds[n + m].revents && !r->server_exited) {
        r->server_exited = true;
        r->drain_until = clock_monotonic_ms() + LIMIT_PROXY_DRAIN_MS;
    }
    decide(r, down);
    up->waiting = false; /* what the server said may be what it waited for */
    decide(r, up);
    peer_flush(up->to);
    peer_flush(down->to);
    decide(r, up); /* there may be room again */
    decide(r, down);
    finish_last(up);
    finish_last(down);
    notice_dead_client(r);
    close_when_done(r);
}

/* The server has said all, or it has exited and what it left in the pipe is read. */
static bool is_over(const struct relay *r)
{
    const struct direction *down = &r->down;
    if (peer_is_over(down->from))
        return !peer_queued(down->to) || peer_is_dead(down->to);
    if (client_is_gone(r) && !gate_owes(r->gate) && !peer_queued(r->up.to))
        return true;
    return r->drain_until && clock_monotonic_ms() >= r->drain_until && !peer_queued(down->to);
}

/* The client of a socket gets a close frame, and a moment to take it. */
static void say_goodbye(struct relay *r)
{
    long long until = clock_monotonic_ms() + LIMIT_PROXY_DRAIN_MS;
    peer_close(r->down.to, r->down.from);
    while (peer_queued(r->down.to) && !peer_is_dead(r->down.to) && clock_monotonic_ms() < until) {
        struct pollfd fds[2];
        int n = peer_poll(r->down.to, false, fds);
        poll(fds, (nfds_t)n, LIMIT_PROXY_DRAIN_MS);
        peer_flush(r->down.to);
    }
    peer_linger(r->down.to, LIMIT_PROXY_LINGER_MS);
}

void relay_run(struct gate *gate, struct peer *client, struct peer *server, int server_pidfd)
{
    struct relay r = {
        .gate = gate, .up = {.from = client, .to = server}, .down = {.from = server, .to = client}};
    while (!is_over(&r))
        run_once(&r, server_pidfd);
    say_goodbye(&r);
    messages_finish(&r.to_client);
    messages_finish(&r.to_server);
}
