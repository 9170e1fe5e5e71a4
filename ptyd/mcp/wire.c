#include "ptyd/mcp/wire.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/text.h"

/* Answers to an array of messages, which go out together. */
struct batch {
    json_t *answers;
    int open; /* requests that are not answered yet, and one while it is read */
};

struct wire {
    struct wire_handler handler;
    struct lines lines;
    struct bytes out;
    size_t sent; /* bytes of it */
    struct request *requests;
    int count;
    bool batches;
};

/* ---- sending ---- */

static void send_json(struct wire *w, const json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    if (!text)
        memory_end();
    bytes_append_text(&w->out, text);
    bytes_append_char(&w->out, '\n');
    if (w->out.failed)
        memory_end();
    free(text);
}

/* A pipe that has room takes PIPE_BUF bytes at once; its mode is shared with others. */
bool wire_flush(struct wire *w)
{
    while (w->sent < w->out.len) {
        struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (poll(&fd, 1, 0) <= 0 || !(fd.revents & (POLLOUT | POLLERR | POLLHUP)))
            return true;
        size_t left = w->out.len - w->sent;
        ssize_t n = write(STDOUT_FILENO, w->out.data + w->sent, left < PIPE_BUF ? left : PIPE_BUF);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        w->sent += n > 0 ? (size_t)n : 0;
    }
    w->out.len = w->sent = 0;
    return true;
}

size_t wire_unsent(const struct wire *w)
{
    return w->out.len - w->sent;
}

void wire_notify(struct wire *w, const char *method, json_t *params)
{
    json_t *message =
        json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
    send_json(w, message);
    json_decref(message);
}

static void end_batch(struct wire *w, struct batch *b)
{
    if (--b->open)
        return;
    if (json_array_size(b->answers))
        send_json(w, b->answers);
    json_decref(b->answers);
    free(b);
}

/* Steals the message, an answer. */
static void send_answer(struct wire *w, struct batch *b, json_t *message)
{
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    if (b)
        json_array_append(b->answers, message);
    else
        send_json(w, message);
    json_decref(message);
}

static json_t *error_message(const json_t *id, int code, json_t *data, const char *text)
{
    json_t *error = json_pack("{s:i, s:s}", "code", code, "message", text);
    if (data)
        json_object_set_new(error, "data", data);
    return json_pack("{s:o, s:o}", "id", id ? json_incref((json_t *)id) : json_null(), "error",
                     error);
}

/* What is no request: `id` where it has one. */
static void refuse(struct wire *w, struct batch *b, const json_t *id, int code, const char *text)
{
    send_answer(w, b, error_message(id, code, NULL, text));
}

/* ---- requests ---- */

static void forget(struct request *r)
{
    struct wire *w = r->wire;
    struct batch *b = r->batch;
    for (struct request **at = &w->requests; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    w->count--;
    json_decref(r->id);
    json_decref(r->token);
    free(r);
    if (b)
        end_batch(w, b);
}

void request_answer(struct request *r, json_t *result)
{
    if (r->modern)
        json_object_set_new(result, "resultType", json_string("complete"));
    send_answer(r->wire, r->batch, json_pack("{s:O, s:o}", "id", r->id, "result", result));
    forget(r);
}

static void fail(struct request *r, int code, json_t *data, const char *format, va_list args)
{
    char line[LIMIT_MESSAGE_BYTES];
    vsnprintf(line, sizeof line, format, args);
    char *clean = text_clean(line, strlen(line), sizeof line);
    send_answer(r->wire, r->batch, error_message(r->id, code, data, clean));
    free(clean);
    forget(r);
}

void request_fail(struct request *r, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(r, code, NULL, format, args);
    va_end(args);
}

void request_fail_with(struct request *r, int code, json_t *data, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(r, code, data, format, args);
    va_end(args);
}

void request_progress(struct request *r, double progress, double total, const char *message)
{
    if (!r->token || progress <= r->progress)
        return;
    r->progress = progress;
    json_t *params = json_pack("{s:O, s:f, s:s}", "progressToken", r->token, "progress", progress,
                               "message", message);
    if (total > 0)
        json_object_set_new(params, "total", json_real(total));
    wire_notify(r->wire, "notifications/progress", params);
}

static struct request *find(struct wire *w, const json_t *id)
{
    for (struct request *r = w->requests; r; r = r->next)
        if (json_equal(r->id, id))
            return r;
    return NULL;
}

static void cancel(struct request *r)
{
    void (*end)(void *) = r->cancel;
    void *work = r->work;
    if (!end)
        return;
    forget(r);
    end(work);
}

int wire_under_way(const struct wire *w)
{
    return w->count;
}

void wire_cancel_all(struct wire *w, void (*end)(void *work))
{
    for (struct request *r = w->requests; r;) {
        struct request *next = r->next;
        if (r->cancel == end)
            cancel(r);
        r = next;
    }
}

/* ---- messages ---- */

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_integer(id);
}

static bool is_whole_text(const json_t *text)
{
    return json_is_string(text) && strlen(json_string_value(text)) == json_string_length(text);
}

static json_t *token_of(const json_t *params)
{
    json_t *token = json_object_get(json_object_get(params, "_meta"), "progressToken");
    return is_id(token) ? json_incref(token) : NULL;
}

static void take_request(struct wire *w, struct batch *b, json_t *id, const char *method,
                         const json_t *params)
{
    if (find(w, id)) {
        refuse(w, b, id, RPC_INVALID_REQUEST, "a request of this id is under way");
        return;
    }
    if (w->count >= LIMIT_MCP_REQUESTS) {
        refuse(w, b, id, RPC_INTERNAL_ERROR,
               "too many requests are under way; wait for answers, or cancel some");
        return;
    }
    struct request *r = memory_new(sizeof *r);
    *r = (struct request){.next = w->requests,
                          .wire = w,
                          .id = json_incref(id),
                          .token = token_of(params),
                          .batch = b,
                          .progress = -1};
    w->requests = r;
    w->count++;
    if (b)
        b->open++;
    w->handler.call(w->handler.user, r, method, params);
}

static void take_notification(struct wire *w, const char *method, const json_t *params)
{
    struct request *r = strcmp(method, "notifications/cancelled")
                            ? NULL
                            : find(w, json_object_get(params, "requestId"));
    if (r)
        cancel(r);
    else
        w->handler.notified(w->handler.user, method, params);
}

/* What is wrong with its shape; NULL for nothing. */
static const char *wrong_shape(const json_t *m)
{
    const json_t *version = json_object_get(m, "jsonrpc"), *id = json_object_get(m, "id");
    const json_t *params = json_object_get(m, "params");
    if (!json_is_object(m))
        return "a message is an object";
    if (version && strcmp(json_is_string(version) ? json_string_value(version) : "", "2.0") != 0)
        return "jsonrpc is \"2.0\"";
    if (!is_whole_text(json_object_get(m, "method")))
        return "method is a string";
    if (id && !is_id(id))
        return "an id is a string or an integer";
    if (params && !json_is_object(params) && !json_is_array(params))
        return "params is an object";
    return NULL;
}

static void take_message(struct wire *w, const json_t *m, struct batch *b)
{
    json_t *id = json_object_get(m, "id"), *params = json_object_get(m, "params");
    const char *wrong = wrong_shape(m);
    bool answers = json_is_object(m) && !json_object_get(m, "method") &&
                   (json_object_get(m, "result") || json_object_get(m, "error"));
    if (answers) /* to nothing that was asked */
        return;
    if (wrong)
        refuse(w, b, is_id(id) ? id : NULL, RPC_INVALID_REQUEST, wrong);
    else if (json_is_array(params) && id)
        refuse(w, b, id, RPC_INVALID_PARAMS, "params are given by name, in an object");
    else if (id)
        take_request(w, b, id, json_string_value(json_object_get(m, "method")), params);
    else
        take_notification(w, json_string_value(json_object_get(m, "method")), params);
}

static void take_batch(struct wire *w, const json_t *messages)
{
    struct batch *b = memory_new(sizeof *b);
    size_t i;
    json_t *m;
    *b = (struct batch){.answers = json_array(), .open = 1};
    json_array_foreach(messages, i, m) {
        const json_t *method = json_object_get(m, "method"), *id = json_object_get(m, "id");
        if (json_is_string(method) && !strcmp(json_string_value(method), "initialize"))
            refuse(w, b, is_id(id) ? id : NULL, RPC_INVALID_REQUEST,
                   "initialize stands in no batch");
        else
            take_message(w, m, b);
    }
    end_batch(w, b);
}

static void take_json(struct wire *w, const json_t *m)
{
    if (!json_is_array(m))
        take_message(w, m, NULL);
    else if (!json_array_size(m))
        refuse(w, NULL, NULL, RPC_INVALID_REQUEST, "a batch is empty");
    else if (!w->batches)
        refuse(w, NULL, NULL, RPC_INVALID_REQUEST,
               "batches are of version 2025-03-26 alone: send one message a line");
    else if (json_array_size(m) > LIMIT_MCP_REQUESTS)
        refuse(w, NULL, NULL, RPC_INVALID_REQUEST, "a batch of too many messages");
    else
        take_batch(w, m);
}

void wire_take(struct wire *w, const char *bytes, size_t len)
{
    char *line;
    size_t size;
    int found;
    lines_add(&w->lines, bytes, len);
    while ((found = lines_next(&w->lines, &line, &size)) != 0) {
        json_error_t error;
        json_t *m = found > 0 && size
                        ? json_loadb(line, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error)
                        : NULL;
        if (found < 0)
            refuse(w, NULL, NULL, RPC_PARSE_ERROR, "a message is longer than 1 MiB");
        else if (m)
            take_json(w, m);
        else if (size)
            refuse(w, NULL, NULL, RPC_PARSE_ERROR, "a line is no JSON");
        json_decref(m);
    }
}

/* ---- its life ---- */

void wire_set_batches(struct wire *w, bool on)
{
    w->batches = on;
}

struct wire *wire_create(const struct wire_handler *handler)
{
    struct wire *w = memory_new(sizeof *w);
    *w = (struct wire){.handler = *handler, .lines = {.limit = LIMIT_REQUEST_BYTES}};
    return w;
}

void wire_destroy(struct wire *w)
{
    while (w->requests) {
        struct request *r = w->requests;
        if (r->cancel)
            cancel(r);
        else
            forget(r);
    }
    lines_finish(&w->lines);
    bytes_finish(&w->out);
    free(w);
}
