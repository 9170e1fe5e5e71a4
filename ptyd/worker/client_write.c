/* What is written to a connection: replies and notifications, in order, and replies that are made
 * in pieces while the client takes them. */
#define _GNU_SOURCE
#include "ptyd/worker/server_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

#define MORE_ROOM                                                                                  \
    "wait until others leave, or start the daemon with more descriptors (ulimit -n, LimitNOFILE=)"

struct outgoing {
    uv_write_t request;
    char *text;
    size_t size; /* of both in memory */
};

/* ---- writing ---- */

size_t client_unsent(const struct client *c)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&c->pipe);
}

size_t client_queued(const struct client *c)
{
    return client_unsent(c) + c->held.len;
}

size_t client_behind(const struct client *c)
{
    return c->stream ? c->held.len : client_queued(c);
}

bool client_takes_more(const struct client *c)
{
    size_t most = crowd_full(c->server) ? LIMIT_CLIENT_SHARE : LIMIT_CLIENT_QUEUE;
    return client_behind(c) <= most && !crowd_shut(c->server);
}

size_t client_holds(const struct client *c)
{
    size_t made = c->stream && c->stream->holds ? c->stream->holds(c->stream) : 0;
    return c->closing ? 0 : c->lines.buffer.capacity + c->held.capacity + c->sending + made;
}

static void on_written(uv_write_t *request, int status)
{
    struct outgoing *out = request->data;
    struct client *c = request->handle->data;
    c->sending -= out->size;
    c->moved_ms = clock_monotonic_ms();
    free(out->text);
    free(out);
    if (status >= 0 && !c->closing && !client_queued(c))
        client_tell_sent(c);
    if (status < 0 || (c->answered && !client_queued(c)))
        client_close(c);
    else
        client_settle(c);
}

/* What the socket takes at once is held no longer. Returns how much that is. */
static size_t send_at_once(struct client *c, char *text, size_t len)
{
    uv_buf_t buffer = uv_buf_init(text, (unsigned)len);
    bool may =
        !client_unsent(c) && !c->closing && !c->brief; /* which is closed when it was written */
    int n = may ? uv_try_write((uv_stream_t *)&c->pipe, &buffer, 1) : 0;
    return n > 0 ? (size_t)n : 0;
}

static char *rest_of(char *text, size_t len, size_t sent)
{
    if (!sent)
        return text;
    char *rest = memory_new(len - sent);
    memcpy(rest, text + sent, len - sent);
    free(text);
    return rest;
}

/* Takes the text over. */
static void send_text(struct client *c, char *text, size_t len)
{
    size_t sent = send_at_once(c, text, len);
    if (sent == len) {
        free(text);
        return;
    }
    struct outgoing *out = memory_new(sizeof *out);
    *out = (struct outgoing){
        .request.data = out, .text = rest_of(text, len, sent), .size = len - sent + sizeof *out};
    uv_buf_t buffer = uv_buf_init(out->text, (unsigned)(len - sent));
    if (uv_write(&out->request, (uv_stream_t *)&c->pipe, &buffer, 1, on_written) < 0) {
        free(out->text);
        free(out);
        return;
    }
    c->sending += out->size;
    crowd_count(c);
}

/* The same for a line: what is sent while a reply is being made follows it. */
static void send_line(struct client *c, char *text, size_t len)
{
    if (!c->stream) {
        send_text(c, text, len);
        return;
    }
    bytes_append(&c->held, text, len);
    free(text);
    crowd_count(c);
}

static void send_json(struct client *c, json_t *message)
{
    char *text = c->closing ? NULL : json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(message);
    if (!text)
        return;
    size_t len = strlen(text);
    text = memory_grow(text, len + 1);
    text[len] = '\n';
    send_line(c, text, len + 1);
}

static json_t *notification(const char *method, json_t *params)
{
    return json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
}

void client_notify(struct client *c, const char *method, json_t *params)
{
    send_json(c, notification(method, params));
}

static int append_json(const char *text, size_t len, void *out)
{
    bytes_append(out, text, len);
    return 0;
}

void client_append_notification(struct bytes *out, const char *method, json_t *params)
{
    json_t *message = notification(method, params);
    json_dump_callback(message, append_json, out, JSON_COMPACT);
    bytes_append_char(out, '\n');
    json_decref(message);
}

/* The first answer is the last. */
static void end_brief(struct client *c)
{
    if (!c->brief || c->answered)
        return;
    c->answered = true;
    c->deadline_ms = clock_monotonic_ms() + LIMIT_BRIEF_READ_MS;
    client_notify(c, "closing",
                  json_pack("{s:o}", "message",
                            json_sprintf("%d connections are open and leave room for one request "
                                         "at a time; %s",
                                         c->server->count - c->server->brief, MORE_ROOM)));
}

void client_reply(struct client *c, const json_t *id, json_t *result)
{
    if (!id) {
        json_decref(result);
        return;
    }
    send_json(c, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
    end_brief(c);
}

void client_reply_text(struct client *c, const json_t *id, struct bytes *result)
{
    char *key = id && !c->closing ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
    if (key && !result->failed) {
        struct bytes line = {0};
        bytes_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", key);
        bytes_append(&line, result->data, result->len);
        bytes_append_text(&line, "}\n");
        send_line(c, line.data, line.len);
    }
    free(key);
    bytes_finish(result);
    if (id)
        end_brief(c);
}

static void send_error(struct client *c, const json_t *id, int code, json_t *data,
                       const char *format, va_list args)
{
    char text[LIMIT_MESSAGE_BYTES];
    vsnprintf(text, sizeof text, format, args);
    char *clean = text_clean(text, strlen(text), sizeof text);
    json_t *key = id ? json_incref((json_t *)id) : json_null();
    send_json(c, json_pack("{s:s, s:o, s:{s:i, s:s, s:o*}}", "jsonrpc", "2.0", "id", key, "error",
                           "code", code, "message", clean, "data", data));
    free(clean);
    end_brief(c);
}

bool client_is_brief(const struct client *c)
{
    return c->brief;
}

void client_refuse(struct client *c, const json_t *id, const char *method)
{
    client_fail(c, id, RPC_BUSY,
                "%d connections are open and leave no room for %s, which stays; %s",
                c->server->count - c->server->brief, method, MORE_ROOM);
}

void client_fail(struct client *c, const json_t *id, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    send_error(c, id, code, NULL, format, args);
    va_end(args);
}

void client_fail_with(struct client *c, const json_t *id, int code, json_t *data,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    send_error(c, id, code, data, format, args);
    va_end(args);
}

/* ---- a reply with a descriptor ---- */

/* Returns how many bytes went, or -errno. */
static ssize_t pass(const struct client *c, const char *text, size_t len, int fd)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec data = {.iov_base = (void *)text, .iov_len = len};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    uv_os_fd_t socket;
    int result = uv_fileno((const uv_handle_t *)&c->pipe, &socket);
    ssize_t n = -1;
    while (result == 0 && (n = sendmsg(socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 &&
           errno == EINTR)
        ;
    return result < 0 ? result : n < 0 ? -errno : n;
}

void client_reply_passing(struct client *c, const json_t *id, json_t *result, int fd)
{
    json_t *message = json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
    char *text = json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY);
    struct bytes line = {0};
    bytes_append_text(&line, text);
    bytes_append_char(&line, '\n');
    ssize_t n = client_queued(c) || c->closing ? -EAGAIN : pass(c, line.data, line.len, fd);
    if (n < 0) {
        client_fail(c, id, RPC_FAILED, "read what was answered before");
    } else if ((size_t)n < line.len) {
        bytes_consume(&line, (size_t)n);
        send_text(c, line.data, line.len);
        line = (struct bytes){0};
    }
    bytes_finish(&line);
    free(text);
    json_decref(message);
    close(fd);
}

/* ---- a reply in pieces ---- */

void client_end_stream(struct client *c)
{
    struct stream *stream = c->stream;
    c->stream = NULL;
    turns_remove(c->server->turns, &stream->turn);
    stream->finish(stream);
}

static void send_bytes(struct client *c, struct bytes *bytes)
{
    if (bytes->failed)
        client_close(c); /* what is there of the line cannot be ended */
    else if (bytes->len)
        send_text(c, bytes->data, bytes->len);
    else
        free(bytes->data);
    *bytes = (struct bytes){0};
}

static void end_line(struct client *c, struct bytes *out)
{
    bytes_append_text(out, c->stream->notifies ? "" : "}\n");
    client_end_stream(c);
    bytes_append(out, c->held.data, c->held.len);
    out->failed = out->failed || c->held.failed;
    bytes_finish(&c->held);
}

/* Where all hold much it is made as it is taken. */
static size_t piece_bytes(const struct client *c, size_t bytes)
{
    return crowd_full(c->server) && bytes > LIMIT_CLIENT_SHARE ? LIMIT_CLIENT_SHARE : bytes;
}

/* It stands in line while the client takes what was made. */
static bool on_piece(struct turn *turn, size_t bytes)
{
    struct stream *stream = (struct stream *)((char *)turn - offsetof(struct stream, turn));
    struct client *c = stream->client;
    struct bytes out = {0};
    bool more = stream->piece(stream, piece_bytes(c, bytes), &out);
    if (!more)
        end_line(c, &out);
    send_bytes(c, &out);
    if (more) {
        client_settle(c);
        return !c->closing && !c->sated;
    }
    end_brief(c);
    client_relieve(c); /* what was answered meanwhile may have gone with it, at once */
    return false;
}

static void begin_stream(struct client *c, struct stream *stream)
{
    stream->client = c;
    stream->turn = (struct turn){.piece = on_piece, .bytes = TURN_BYTES_LEAST};
    c->stream = stream;
    client_settle(c);
}

void client_stream(struct client *c, const json_t *id, struct stream *stream)
{
    struct bytes head = {0};
    if (!id) {
        stream->finish(stream);
        return;
    }
    char *text = json_dumps(id, JSON_COMPACT | JSON_ENCODE_ANY);
    bytes_printf(&head, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", text);
    free(text);
    begin_stream(c, stream);
    send_bytes(c, &head);
}

void client_stream_lines(struct client *c, struct stream *stream)
{
    stream->notifies = true;
    begin_stream(c, stream);
}
