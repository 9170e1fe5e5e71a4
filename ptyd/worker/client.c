/* One connection of the control socket: it reads lines, each one request, and writes replies and
 * notifications in order. A client that does not read is not written to without bound: what a reply
 * is made of in pieces waits, and further requests are not read while LIMIT_CLIENT_QUEUE is queued.
 */
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
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/peer.h"

#define MORE_ROOM                                                                                  \
    "wait until others leave, or start the daemon with more descriptors (ulimit -n, LimitNOFILE=)"

struct outgoing {
    uv_write_t request;
    char *text;
};

static void work(struct client *c);

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
    struct client *c = handle->data;
    lines_finish(&c->lines);
    bytes_finish(&c->held);
    free(c);
}

static void end_stream(struct client *c)
{
    struct stream *stream = c->stream;
    c->stream = NULL;
    turns_remove(c->server->turns, &stream->turn);
    stream->finish(stream);
}

void client_close(struct client *c)
{
    if (c->closing)
        return;
    c->closing = true;
    if (c->stream)
        end_stream(c);
    server_forget(c);
    while (c->errands) {
        struct errand *errand = c->errands;
        c->errands = errand->next;
        errand->cancel(errand);
    }
    c->server->handler->gone(c);
    uv_close((uv_handle_t *)&c->pipe, on_closed);
    server_fill(c->server);
}

void client_add_errand(struct client *c, struct errand *errand)
{
    errand->next = c->errands;
    c->errands = errand;
}

void client_remove_errand(struct client *c, struct errand *errand)
{
    for (struct errand **at = &c->errands; *at; at = &(*at)->next)
        if (*at == errand) {
            *at = errand->next;
            return;
        }
}

const char *client_confinement(const struct client *c)
{
    uv_os_fd_t fd;
    return uv_fileno((const uv_handle_t *)&c->pipe, &fd) == 0
               ? peer_confinement(fd, c->pid, c->began)
               : "gone";
}

pid_t client_pid(const struct client *c)
{
    return c->pid;
}

struct worker *client_worker(const struct client *c)
{
    return c->server->worker;
}

/* ---- writing ---- */

static size_t unsent(const struct client *c)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&c->pipe);
}

/* After a pause: requests that came before it first. */
static void read_on(struct client *c)
{
    c->paused = false;
    work(c);
    if (!c->paused && !c->stream)
        client_start_reading(c);
}

static void tell_sent(struct client *c)
{
    for (struct errand *errand = c->errands, *next; errand; errand = next) {
        next = errand->next;
        if (errand->sent)
            errand->sent(errand);
    }
}

static void on_written(uv_write_t *request, int status)
{
    struct outgoing *out = request->data;
    struct client *c = request->handle->data;
    free(out->text);
    free(out);
    if (status >= 0 && !c->closing && !client_queued(c))
        tell_sent(c);
    if (status < 0 || (c->answered && !client_queued(c))) {
        client_close(c);
    } else if (!c->closing && unsent(c) < LIMIT_CLIENT_QUEUE / 2) {
        if (c->stream)
            turns_add(c->server->turns, &c->stream->turn, false);
        else if (c->paused)
            read_on(c);
    }
}

size_t client_queued(const struct client *c)
{
    return unsent(c) + c->held.len;
}

size_t client_behind(const struct client *c)
{
    return c->stream ? c->held.len : client_queued(c);
}

/* Takes the text over. */
static void send_text(struct client *c, char *text, size_t len)
{
    struct outgoing *out = memory_new(sizeof *out);
    *out = (struct outgoing){.request.data = out, .text = text};
    uv_buf_t buffer = uv_buf_init(text, (unsigned)len);
    if (uv_write(&out->request, (uv_stream_t *)&c->pipe, &buffer, 1, on_written) < 0) {
        free(out->text);
        free(out);
    }
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
    end_stream(c);
    bytes_append(out, c->held.data, c->held.len);
    out->failed = out->failed || c->held.failed;
    bytes_finish(&c->held);
}

/* It stands in line while the client takes what was made. */
static bool on_piece(struct turn *turn, size_t bytes)
{
    struct stream *stream = (struct stream *)((char *)turn - offsetof(struct stream, turn));
    struct client *c = stream->client;
    struct bytes out = {0};
    bool more = stream->piece(stream, bytes, &out);
    if (!more)
        end_line(c, &out);
    send_bytes(c, &out);
    if (!more)
        end_brief(c);
    if (!more)
        read_on(c);
    return more && !c->closing && unsent(c) <= LIMIT_CLIENT_QUEUE;
}

static void begin_stream(struct client *c, struct stream *stream)
{
    uv_read_stop((uv_stream_t *)&c->pipe);
    stream->client = c;
    stream->turn = (struct turn){.piece = on_piece, .bytes = TURN_BYTES_LEAST};
    c->stream = stream;
    turns_add(c->server->turns, &stream->turn, false);
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

/* ---- reading ---- */

static void handle_request(struct client *c, const char *line, size_t len)
{
    json_error_t error;
    json_t *request = json_loadb(line, len, JSON_ALLOW_NUL, &error);
    const json_t *id = json_object_get(request, "id");
    const char *method = json_text(request, "method", NULL);
    json_t *params = json_object_get(request, "params");
    json_t *none = json_object();
    board_moved();
    if (!request)
        client_fail(c, NULL, RPC_PARSE_ERROR, "not JSON: %s", error.text);
    else if (!method || (params && !json_is_object(params)))
        client_fail(c, id, RPC_INVALID_REQUEST, "a request has a method and params as an object");
    else
        c->server->handler->call(c, method, id, params ? params : none);
    if (request && !id && c->brief)
        client_close(c); /* nothing is answered */
    json_decref(none);
    json_decref(request);
}

static void note_asked(struct client *c)
{
    if (!c->brief)
        return;
    c->asked = true;
    c->deadline_ms = 0;
}

static void work(struct client *c)
{
    char *line;
    size_t len;
    int found;
    if (c->working)
        return;
    c->working = true;
    while (!c->closing && !c->paused && !c->asked && !c->stream &&
           (found = lines_next(&c->lines, &line, &len)) != 0) {
        if (found < 0 || len)
            note_asked(c);
        if (found < 0)
            client_fail(c, NULL, RPC_INVALID_REQUEST, "a request is at most %d bytes",
                        LIMIT_REQUEST_BYTES);
        else if (len)
            handle_request(c, line, len);
        if (client_queued(c) > LIMIT_CLIENT_QUEUE) {
            c->paused = true;
            uv_read_stop((uv_stream_t *)&c->pipe);
        }
    }
    c->working = false;
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    struct client *c = handle->data;
    (void)suggested;
    *ret_buffer = uv_buf_init(c->server->buffer, sizeof c->server->buffer);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct client *c = stream->data;
    if (n < 0) {
        client_close(c);
        return;
    }
    if (!c->asked) /* what comes behind the one request is nobody's */
        lines_add(&c->lines, buffer->base, (size_t)n);
    work(c);
}

void client_start_reading(struct client *c)
{
    if (!c->closing)
        uv_read_start((uv_stream_t *)&c->pipe, on_allocate, on_read);
}
