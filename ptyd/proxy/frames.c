/* WebSocket framing (RFC 6455) by libwslay, which does no I/O of its own: it reads from `raw` and
 * writes into the peer's out_bytes. Pings are answered, fragments put together, UTF-8 checked and
 * too long messages refused (1009) by the library. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <wslay/wslay.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/peer_private.h"

#define READ_BYTES (1 << 16)

struct frames {
    struct peer *peer;
    wslay_event_context_ptr ctx;
    struct bytes raw; /* read from the socket, not understood yet */
    size_t raw_at;
    bool socket_ended;    /* the peer is gone */
    struct bytes message; /* being gathered for writing */
    unsigned char masks[256];
    size_t masks_left;
};

/* ---- what the library asks for ---- */

/* Beyond the bound nothing is taken in; one message may go past it. */
static bool has_room(const struct frames *f)
{
    return peer_held(f->peer) < LIMIT_PROXY_QUEUE && peer_queued(f->peer) < LIMIT_PROXY_QUEUE;
}

static ssize_t on_want_bytes(wslay_event_context_ptr ctx, uint8_t *to, size_t len, int flags,
                             void *user)
{
    struct frames *f = user;
    size_t there = f->raw.len - f->raw_at;
    (void)flags;
    if (!there || !has_room(f)) {
        wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    size_t n = there < len ? there : len;
    memcpy(to, f->raw.data + f->raw_at, n);
    f->raw_at += n;
    return (ssize_t)n;
}

static ssize_t on_bytes(wslay_event_context_ptr ctx, const uint8_t *data, size_t len, int flags,
                        void *user)
{
    struct frames *f = user;
    (void)ctx;
    (void)flags;
    bytes_append(&f->peer->out_bytes, data, len);
    return (ssize_t)len;
}

static int on_want_mask(wslay_event_context_ptr ctx, uint8_t *to, size_t len, void *user)
{
    struct frames *f = user;
    (void)ctx;
    while (len--) {
        if (!f->masks_left) {
            if (getrandom(f->masks, sizeof f->masks, 0) != sizeof f->masks)
                return -1;
            f->masks_left = sizeof f->masks;
        }
        *to++ = f->masks[--f->masks_left];
    }
    return 0;
}

static void on_message(wslay_event_context_ptr ctx, const struct wslay_event_on_msg_recv_arg *m,
                       void *user)
{
    struct frames *f = user;
    struct peer *peer = f->peer;
    size_t size = m->msg_length;
    (void)ctx;
    if (m->opcode != WSLAY_TEXT_FRAME)
        return; /* app-servers do not answer binary messages, and handle control frames like us */
    bytes_append(&peer->text, m->msg, size);
    bytes_append(&peer->sizes, &size, sizeof size);
    if (peer->text.failed || peer->sizes.failed)
        memory_end();
}

/* ---- life ---- */

struct frames *frames_create(struct peer *peer, bool as_client, const struct bytes *early)
{
    static const struct wslay_event_callbacks callbacks = {.recv_callback = on_want_bytes,
                                                           .send_callback = on_bytes,
                                                           .genmask_callback = on_want_mask,
                                                           .on_msg_recv_callback = on_message};
    struct frames *f = memory_new(sizeof *f);
    f->peer = peer;
    int result = as_client ? wslay_event_context_client_init(&f->ctx, &callbacks, f)
                           : wslay_event_context_server_init(&f->ctx, &callbacks, f);
    if (result)
        memory_end();
    wslay_event_config_set_max_recv_msg_length(f->ctx, LIMIT_WEBSOCKET_BYTES);
    if (early)
        bytes_append(&f->raw, early->data, early->len);
    return f;
}

void frames_destroy(struct frames *f)
{
    if (!f)
        return;
    wslay_event_context_free(f->ctx);
    bytes_finish(&f->raw);
    bytes_finish(&f->message);
    free(f);
}

/* ---- reading ---- */

static void read_socket(struct frames *f)
{
    bytes_consume(&f->raw, f->raw_at);
    f->raw_at = 0;
    char *to = bytes_reserve(&f->raw, READ_BYTES);
    ssize_t n = to ? read(f->peer->in, to, READ_BYTES) : -1;
    if (n > 0)
        f->raw.len += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        f->socket_ended = true;
}

void frames_read(struct frames *f)
{
    if (f->raw_at == f->raw.len && !f->socket_ended)
        read_socket(f);
    bool failed = wslay_event_recv(f->ctx) != 0;
    if (wslay_event_want_write(f->ctx)) /* a pong, or the answer to a close */
        wslay_event_send(f->ctx);
    if (failed || !wslay_event_want_read(f->ctx) || (f->socket_ended && f->raw_at == f->raw.len))
        f->peer->ended = true;
}

bool frames_has_more(const struct frames *f)
{
    return (f->raw_at < f->raw.len || f->socket_ended) && has_room(f);
}

/* ---- writing ---- */

void frames_write(struct frames *f, const char *data, size_t len, bool last)
{
    bytes_append(&f->message, data, len);
    if (!last)
        return;
    if (f->message.failed)
        memory_end();
    size_t size = f->message.len;
    while (size && f->message.data[size - 1] == '\r')
        size--; /* of a line that ended in CR LF */
    struct wslay_event_msg m = {
        .opcode = WSLAY_TEXT_FRAME, .msg = (const uint8_t *)f->message.data, .msg_length = size};
    if (size && wslay_event_queue_msg(f->ctx, &m) == 0)
        wslay_event_send(f->ctx);
    f->message.len = 0;
    if (f->message.capacity > LIMIT_PROXY_QUEUE)
        bytes_finish(&f->message);
}

uint16_t frames_close_code(const struct frames *f)
{
    uint16_t code =
        wslay_event_get_close_received(f->ctx) ? wslay_event_get_status_code_received(f->ctx) : 0;
    return code >= 1000 && code < 5000 && code != 1005 && code != 1006 ? code : 0;
}

void frames_close(struct frames *f, uint16_t code)
{
    wslay_event_queue_close(f->ctx, code ? code : WSLAY_CODE_NORMAL_CLOSURE, NULL, 0);
    wslay_event_send(f->ctx);
}
