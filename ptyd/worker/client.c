/* One connection of the control socket: it reads lines, each one request, which are done by turns,
 * in order. A client that does not read is not written to without bound: what a reply is made of in
 * pieces waits, and further requests are not done, nor read, while LIMIT_CLIENT_QUEUE is queued, or
 * its share of what all may hold where that is much (crowd.h).
 *
 * Whatever may go on is decided in one place, client_settle(), by how things stand: it is called
 * whenever something changed, so that nothing is left waiting for what has happened already.
 */
#define _GNU_SOURCE
#include "ptyd/worker/server_private.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/worker/peer.h"

#define REQUESTS_US 200 /* of our work in a turn */
#define JSON_COSTS  16  /* bytes that a byte of a request may need while it is read */

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer);
static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer);

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
    struct client *c = handle->data;
    lines_finish(&c->lines);
    bytes_finish(&c->held);
    free(c);
}

void client_close(struct client *c)
{
    if (c->closing)
        return;
    c->closing = true;
    turns_remove(c->server->turns, &c->turn);
    if (c->stream)
        client_end_stream(c);
    server_forget(c);
    crowd_count(c);
    for (struct errand *errand; (errand = LIST_FIRST(&c->errands));) {
        client_remove_errand(c, errand);
        errand->cancel(errand);
    }
    c->server->handler->gone(c);
    uv_close((uv_handle_t *)&c->pipe, on_closed);
    server_fill(c->server);
}

void client_add_errand(struct client *c, struct errand *errand)
{
    errand->bytes = LIMIT_ERRAND_BYTES + c->asking;
    crowd_count_wait(c, (ptrdiff_t)errand->bytes);
    LIST_INSERT_HEAD(&c->errands, errand, others);
}

void client_remove_errand(struct client *c, struct errand *errand)
{
    if (!errand->others.le_prev)
        return;
    LIST_REMOVE(errand, others);
    errand->others.le_prev = NULL;
    crowd_count_wait(c, -(ptrdiff_t)errand->bytes);
}

const char *client_confinement(const struct client *c)
{
    uv_os_fd_t fd;
    return uv_fileno((const uv_handle_t *)&c->pipe, &fd) == 0
               ? peer_confinement(fd, c->pid, c->began)
               : "gone";
}

bool client_is_laden(const struct client *c)
{
    return crowd_laden(c);
}

pid_t client_pid(const struct client *c)
{
    return c->pid;
}

struct worker *client_worker(const struct client *c)
{
    return c->server->worker;
}

/* ---- what waits ---- */

void client_tell_sent(struct client *c)
{
    c->telling = false;
    for (struct errand *errand = LIST_FIRST(&c->errands), *next; errand; errand = next) {
        next = LIST_NEXT(errand, others);
        if (errand->sent)
            errand->sent(errand);
    }
}

/* ---- a request ---- */

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

/* The next one. */
static void do_request(struct client *c)
{
    char *line;
    size_t len;
    int found = lines_next(&c->lines, &line, &len);
    if (found < 0 || (found && len))
        note_asked(c);
    c->asking = found > 0 ? len : 0;
    if (found < 0)
        client_fail(c, NULL, RPC_INVALID_REQUEST, "a request is at most %d bytes",
                    LIMIT_REQUEST_BYTES);
    else if (found && len)
        handle_request(c, line, len);
    crowd_note_used(c, c->asking * JSON_COSTS);
    c->asking = 0;
}

/* ---- what goes on ---- */

bool client_has_work(struct client *c)
{
    return !c->closing && !c->asked && !c->stream && !c->sated && lines_wait(&c->lines);
}

static bool may_ask(struct client *c)
{
    return client_has_work(c) && !crowd_shut(c->server);
}

/* Nor behind the one request of one that is brief: what is sent there is not read, which shows in
 * how the connection ends. */
static bool may_read(struct client *c)
{
    bool enough = lines_wait(&c->lines) && lines_held(&c->lines) >= LIMIT_CLIENT_SHARE;
    return !c->asked && !c->stream && !c->sated && !enough &&
           !(crowd_full(c->server) && crowd_over_share(c));
}

/* Between its bounds it stays as it was. */
static bool is_sated(const struct client *c)
{
    size_t most = crowd_full(c->server) ? LIMIT_CLIENT_SHARE : LIMIT_CLIENT_QUEUE;
    size_t queued = c->stream ? client_unsent(c) : client_queued(c);
    return queued > (c->sated ? most / 2 : most);
}

static void set_reading(struct client *c, bool on)
{
    if (on == c->reading)
        return;
    c->reading = on;
    if (on)
        uv_read_start((uv_stream_t *)&c->pipe, on_allocate, on_read);
    else
        uv_read_stop((uv_stream_t *)&c->pipe);
}

void client_settle(struct client *c)
{
    lines_rest(&c->lines);
    crowd_count(c);
    if (c->closing)
        return;
    c->sated = is_sated(c);
    c->behind = c->behind && lines_wait(&c->lines);
    if (c->stream && !c->sated)
        turns_add(c->server->turns, &c->stream->turn, false);
    if (c->telling || may_ask(c))
        turns_add(c->server->turns, &c->turn, !c->behind);
    set_reading(c, may_read(c));
}

void client_relieve(struct client *c)
{
    c->telling = !LIST_EMPTY(&c->errands) && !client_queued(c);
    client_settle(c);
}

/* By turns, so that nobody waits for all that another asks: for a moment each. Who asks for more
 * than that stands behind those who do not. */
static bool on_turn(struct turn *turn, size_t bytes)
{
    struct client *c = (struct client *)((char *)turn - offsetof(struct client, turn));
    struct turns *turns = c->server->turns;
    uint64_t end = turns->worked(turns->user) + REQUESTS_US;
    (void)bytes;
    if (c->telling && !client_queued(c)) /* else they hear of it when that is sent */
        client_tell_sent(c);
    c->telling = false;
    do {
        if (!may_ask(c))
            break;
        do_request(c);
        c->moved_ms = clock_monotonic_ms();
        c->sated = is_sated(c);
    } while (turns->worked(turns->user) < end);
    c->behind = true;
    client_settle(c);
    return false;
}

/* ---- what comes ---- */

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
    c->behind = c->behind || (size_t)n == sizeof c->server->buffer;
    c->moved_ms = clock_monotonic_ms();
    client_settle(c);
}

void client_start_reading(struct client *c)
{
    c->turn = (struct turn){.piece = on_turn};
    c->moved_ms = clock_monotonic_ms();
    client_settle(c);
}
