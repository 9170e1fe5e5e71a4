#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/peer_private.h"

#define READ_BYTES (1 << 16)

struct peer *peer_create_lines(int in, int out, bool owns_out)
{
    struct peer *peer = memory_new(sizeof *peer);
    *peer = (struct peer){.in = in, .out = out, .owns_out = owns_out};
    return peer;
}

struct peer *peer_create_frames(int fd, bool as_client, const struct bytes *early)
{
    struct peer *peer = memory_new(sizeof *peer);
    *peer = (struct peer){.in = fd, .out = fd, .owns_out = true};
    peer->frames = frames_create(peer, as_client, early);
    return peer;
}

void peer_destroy(struct peer *peer)
{
    if (!peer)
        return;
    if (peer->owns_out && peer->out >= 0)
        close(peer->out);
    frames_destroy(peer->frames);
    bytes_finish(&peer->text);
    bytes_finish(&peer->sizes);
    bytes_finish(&peer->out_bytes);
    free(peer);
}

bool peer_is_framed(const struct peer *peer)
{
    return peer->frames != NULL;
}

/* ---- reading ---- */

size_t peer_held(const struct peer *peer)
{
    return peer->text.len - peer->at;
}

/* Moves what is left to the front before more is added. */
static void compact(struct peer *peer)
{
    if (!peer->at)
        return;
    bytes_consume(&peer->text, peer->at);
    peer->scanned -= peer->scanned > peer->at ? peer->at : peer->scanned;
    peer->at = 0;
}

static void read_lines(struct peer *peer)
{
    char *to = bytes_reserve(&peer->text, READ_BYTES);
    ssize_t n = to ? read(peer->in, to, READ_BYTES) : -1;
    if (n > 0)
        peer->text.len += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        peer->ended = true;
}

void peer_read(struct peer *peer)
{
    if (peer->ended)
        return;
    compact(peer);
    if (peer->frames)
        frames_read(peer->frames);
    else
        read_lines(peer);
}

static bool peek_frame(const struct peer *peer, struct peer_piece *ret_piece)
{
    if (peer->sizes_at == peer->sizes.len)
        return false;
    *ret_piece = (struct peer_piece){.data = peer->text.data + peer->at, .whole = true};
    memcpy(&ret_piece->len, peer->sizes.data + peer->sizes_at, sizeof ret_piece->len);
    return true;
}

bool peer_peek(struct peer *peer, struct peer_piece *ret_piece)
{
    if (peer->frames)
        return peek_frame(peer, ret_piece);
    if (peer->at == peer->text.len)
        return false;
    const char *line = peer->text.data + peer->at;
    size_t from = peer->scanned > peer->at ? peer->scanned : peer->at;
    const char *newline = memchr(peer->text.data + from, '\n', peer->text.len - from);
    size_t len = newline ? (size_t)(newline - line) : peer->text.len - peer->at;
    peer->scanned = peer->at + len;
    *ret_piece = (struct peer_piece){.data = line, .len = len, .whole = newline != NULL};
    return true;
}

void peer_consume(struct peer *peer, const struct peer_piece *piece)
{
    peer->at += piece->len;
    if (peer->frames)
        peer->sizes_at += sizeof piece->len;
    else
        peer->at += piece->whole;
    peer->scanned = peer->at;
    if (peer->at == peer->text.len)
        peer->at = peer->scanned = peer->text.len = 0;
    if (peer->sizes_at == peer->sizes.len)
        peer->sizes_at = peer->sizes.len = 0;
}

void peer_stop_reading(struct peer *peer)
{
    peer->ended = true;
    peer->at = peer->scanned = peer->text.len = 0;
    peer->sizes_at = peer->sizes.len = 0;
}

bool peer_has_ended(const struct peer *peer)
{
    return peer->ended;
}

bool peer_is_over(const struct peer *peer)
{
    return peer->ended && !peer_held(peer) && peer->sizes_at == peer->sizes.len;
}

/* ---- writing ---- */

static void append_blanked(struct bytes *out, const char *data, size_t len)
{
    size_t start = out->len;
    bytes_append(out, data, len);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
}

void peer_write(struct peer *peer, const char *data, size_t len, bool last, bool raw_lines)
{
    if (peer->closed || peer->dead)
        return;
    if (peer->frames) {
        frames_write(peer->frames, data, len, last);
        return;
    }
    if (raw_lines)
        append_blanked(&peer->out_bytes, data, len);
    else
        bytes_append(&peer->out_bytes, data, len);
    if (last)
        bytes_append_char(&peer->out_bytes, '\n');
    if (peer->out_bytes.failed)
        memory_end();
}

size_t peer_queued(const struct peer *peer)
{
    return peer->out_bytes.len - peer->written;
}

void peer_flush(struct peer *peer)
{
    while (peer_queued(peer) && !peer->dead) {
        ssize_t n = write(peer->out, peer->out_bytes.data + peer->written, peer_queued(peer));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            peer->dead = true;
        else
            peer->written += (size_t)n;
    }
    peer->out_bytes.len = peer->written = 0;
    if (peer->closed && !peer->frames && peer->owns_out && peer->out >= 0) {
        close(peer->out);
        peer->out = -1;
    }
}

bool peer_is_dead(const struct peer *peer)
{
    return peer->dead;
}

void peer_close(struct peer *peer, const struct peer *other)
{
    if (peer->closed)
        return;
    uint16_t code = other && other->frames ? frames_close_code(other->frames) : 0;
    if (peer->frames)
        frames_close(peer->frames, code);
    peer->closed = true;
    peer_flush(peer);
}

void peer_linger(struct peer *peer, int ms)
{
    long long until = clock_monotonic_ms() + ms;
    char sink[READ_BYTES];
    if (!peer->frames || shutdown(peer->out, SHUT_WR) < 0)
        return;
    for (;;) {
        long long left = until - clock_monotonic_ms();
        struct pollfd p = {.fd = peer->in, .events = POLLIN};
        if (left <= 0 || poll(&p, 1, (int)left) <= 0 || read(peer->in, sink, sizeof sink) <= 0)
            return;
    }
}

/* ---- waiting ---- */

int peer_poll(const struct peer *peer, bool may_read, struct pollfd fds[2])
{
    short in = may_read && !peer->ended ? POLLIN : 0;
    short out = peer_queued(peer) && !peer->dead ? POLLOUT : 0;
    if (peer->in == peer->out) {
        fds[0] = (struct pollfd){.fd = in || out ? peer->in : -1, .events = (short)(in | out)};
        return 1;
    }
    fds[0] = (struct pollfd){.fd = in ? peer->in : -1, .events = in};
    fds[1] = (struct pollfd){.fd = out ? peer->out : -1, .events = out};
    return 2;
}

bool peer_readable(const struct pollfd *fds)
{
    return (fds[0].events & POLLIN) && (fds[0].revents & (POLLIN | POLLHUP | POLLERR));
}

bool peer_has_more(const struct peer *peer)
{
    return peer->frames && !peer->ended && frames_has_more(peer->frames);
}
