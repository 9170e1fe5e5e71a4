#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/end_private.h"

#define READ_BYTES (1 << 16)

struct end *end_create_lines(int in, int out, bool owns_out)
{
    struct end *e = memory_new(sizeof *e);
    *e = (struct end){.in = in, .out = out, .owns_out = owns_out};
    return e;
}

struct end *end_create_frames(int fd, bool as_client, const struct bytes *early)
{
    struct end *e = memory_new(sizeof *e);
    *e = (struct end){.in = fd, .out = fd, .owns_out = true};
    e->frames = frames_create(e, as_client, early);
    return e;
}

void end_destroy(struct end *e)
{
    if (!e)
        return;
    if (e->owns_out && e->out >= 0)
        close(e->out);
    frames_destroy(e->frames);
    bytes_finish(&e->text);
    bytes_finish(&e->sizes);
    bytes_finish(&e->out_bytes);
    free(e);
}

bool end_is_framed(const struct end *e)
{
    return e->frames != NULL;
}

/* ---- reading ---- */

size_t end_held(const struct end *e)
{
    return e->text.len - e->at;
}

/* Moves what is left to the front before more is added. */
static void compact(struct end *e)
{
    if (!e->at)
        return;
    bytes_consume(&e->text, e->at);
    e->scanned -= e->scanned > e->at ? e->at : e->scanned;
    e->at = 0;
}

static void read_lines(struct end *e)
{
    char *to = bytes_reserve(&e->text, READ_BYTES);
    ssize_t n = to ? read(e->in, to, READ_BYTES) : -1;
    if (n > 0)
        e->text.len += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        e->ended = true;
}

void end_read(struct end *e)
{
    if (e->ended)
        return;
    compact(e);
    if (e->frames)
        frames_read(e->frames);
    else
        read_lines(e);
}

static bool peek_frame(const struct end *e, struct end_piece *ret_piece)
{
    if (e->sizes_at == e->sizes.len)
        return false;
    *ret_piece = (struct end_piece){.data = e->text.data + e->at, .whole = true};
    memcpy(&ret_piece->len, e->sizes.data + e->sizes_at, sizeof ret_piece->len);
    return true;
}

bool end_peek(struct end *e, struct end_piece *ret_piece)
{
    if (e->frames)
        return peek_frame(e, ret_piece);
    if (e->at == e->text.len)
        return false;
    const char *line = e->text.data + e->at;
    size_t from = e->scanned > e->at ? e->scanned : e->at;
    const char *newline = memchr(e->text.data + from, '\n', e->text.len - from);
    size_t len = newline ? (size_t)(newline - line) : e->text.len - e->at;
    e->scanned = e->at + len;
    *ret_piece = (struct end_piece){.data = line, .len = len, .whole = newline != NULL};
    return true;
}

void end_consume(struct end *e, const struct end_piece *piece)
{
    e->at += piece->len;
    if (e->frames)
        e->sizes_at += sizeof piece->len;
    else
        e->at += piece->whole;
    e->scanned = e->at;
    if (e->at == e->text.len)
        e->at = e->scanned = e->text.len = 0;
    if (e->sizes_at == e->sizes.len)
        e->sizes_at = e->sizes.len = 0;
}

void end_stop_reading(struct end *e)
{
    e->ended = true;
    e->at = e->scanned = e->text.len = 0;
    e->sizes_at = e->sizes.len = 0;
}

bool end_has_ended(const struct end *e)
{
    return e->ended;
}

bool end_is_over(const struct end *e)
{
    return e->ended && !end_held(e) && e->sizes_at == e->sizes.len;
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

void end_write(struct end *e, const char *data, size_t len, bool last, bool raw_lines)
{
    if (e->closed || e->dead)
        return;
    if (e->frames) {
        frames_write(e->frames, data, len, last);
        return;
    }
    if (raw_lines)
        append_blanked(&e->out_bytes, data, len);
    else
        bytes_append(&e->out_bytes, data, len);
    if (last)
        bytes_append_char(&e->out_bytes, '\n');
    if (e->out_bytes.failed)
        abort();
}

size_t end_queued(const struct end *e)
{
    return e->out_bytes.len - e->written;
}

void end_flush(struct end *e)
{
    while (end_queued(e) && !e->dead) {
        ssize_t n = write(e->out, e->out_bytes.data + e->written, end_queued(e));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            e->dead = true;
        else
            e->written += (size_t)n;
    }
    e->out_bytes.len = e->written = 0;
    if (e->closed && !e->frames && e->owns_out && e->out >= 0) {
        close(e->out);
        e->out = -1;
    }
}

bool end_is_dead(const struct end *e)
{
    return e->dead;
}

void end_close(struct end *e, const struct end *other)
{
    if (e->closed)
        return;
    uint16_t code = other && other->frames ? frames_close_code(other->frames) : 0;
    if (e->frames)
        frames_close(e->frames, code);
    e->closed = true;
    end_flush(e);
}

void end_linger(struct end *e, int ms)
{
    long long until = clock_monotonic_ms() + ms;
    char sink[READ_BYTES];
    if (!e->frames || shutdown(e->out, SHUT_WR) < 0)
        return;
    for (;;) {
        long long left = until - clock_monotonic_ms();
        struct pollfd p = {.fd = e->in, .events = POLLIN};
        if (left <= 0 || poll(&p, 1, (int)left) <= 0 || read(e->in, sink, sizeof sink) <= 0)
            return;
    }
}

/* ---- waiting ---- */

int end_poll(const struct end *e, bool may_read, struct pollfd fds[2])
{
    short in = may_read && !e->ended ? POLLIN : 0;
    short out = end_queued(e) && !e->dead ? POLLOUT : 0;
    if (e->in == e->out) {
        fds[0] = (struct pollfd){.fd = in || out ? e->in : -1, .events = (short)(in | out)};
        return 1;
    }
    fds[0] = (struct pollfd){.fd = in ? e->in : -1, .events = in};
    fds[1] = (struct pollfd){.fd = out ? e->out : -1, .events = out};
    return 2;
}

bool end_readable(const struct pollfd *fds)
{
    return (fds[0].events & POLLIN) && (fds[0].revents & (POLLIN | POLLHUP | POLLERR));
}

bool end_has_more(const struct end *e)
{
    return e->frames && !e->ended && frames_has_more(e->frames);
}
