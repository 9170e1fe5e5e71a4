#include "ptyd/client/view_link.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/text.h"

#define INPUT_BYTES 4096 /* sent at once */
#define BUSY_MS     50   /* before a session that had no room is asked again */
#define AGAIN_MS    20   /* between two tries to connect again */

struct view_link {
    struct rpc *rpc;
    const struct view_link_options *options;
    struct view_size size;
    struct bytes typed; /* and not known to have reached the session */
    json_int_t asked;   /* the request that holds the first `asked_len` of it; 0 for none */
    size_t asked_len;
    json_int_t token; /* of that request, by which it is known behind a worker's death */
    bool busy;        /* the session had no room for it: it is asked again */
    int64_t
        back_by; /* monotonic ms: a lost connection is waited for until then; 0 while one stands */
    json_int_t joining;   /* the request to be a view again; 0 for none */
    json_int_t resolving; /* the request that says how far the lost one came; 0 for none */
    size_t lost_len;      /* so much of `typed` the lost one held */
    size_t doubtful;      /* bytes of which nobody knows whether they were typed */
    char *shell_id;       /* of the shell that is shown */
    enum view_link_state state;
    int status;
};

/* ---- what is typed ---- */

/* One request at a time: a later one might find the room that an earlier one did not. */
static void send_input(struct view_link *l)
{
    struct bytes text = {0};
    if (!l->typed.len || l->asked || l->back_by || l->lost_len || l->rpc->fd < 0)
        return;
    l->token++;
    l->asked_len = l->typed.len < INPUT_BYTES ? l->typed.len : INPUT_BYTES;
    l->busy = false;
    base64_encode(l->typed.data, l->asked_len, &text);
    l->asked = rpc_send(l->rpc, "view.input",
                        json_pack("{s:s, s:I}", "data", text.data, "token", l->token),
                        clock_monotonic_ms() + LIMIT_ANSWER_MS);
    l->asked = l->asked < 0 ? 0 : l->asked; /* not done: it waits */
    bytes_finish(&text);
}

static void take_answer(struct view_link *l, const json_t *message)
{
    const json_t *error = json_object_get(message, "error");
    if (!l->asked || json_number(message, "id", 0) != l->asked)
        return;
    l->asked = 0;
    l->busy = json_number(error, "code", 0) == RPC_BUSY;
    if (l->busy)
        return;
    bytes_consume(&l->typed, l->asked_len);
    send_input(l);
}

void view_link_type(struct view_link *l, const char *bytes, size_t len)
{
    bytes_append(&l->typed, bytes, len);
    if (!l->busy)
        send_input(l);
}

size_t view_link_unsent(const struct view_link *l)
{
    return l->typed.len;
}

size_t view_link_doubtful(const struct view_link *l)
{
    return l->doubtful;
}

bool view_link_sends(const struct view_link *l)
{
    return l->typed.len && !l->busy && l->rpc->fd >= 0;
}

/* ---- joining ---- */

static json_t *size_json(const struct view_link *l)
{
    return request_size_json(l->size.cols, l->size.rows);
}

static json_t *attach_params(const struct view_link *l)
{
    return json_pack("{s:s, s:o, s:b, s:b, s:b}", "name", l->options->name, "size", size_json(l),
                     "view", l->options->looks, "owns", l->options->owns, "again", l->back_by != 0);
}

json_t *view_link_join(struct view_link *l, int wait_ms)
{
    json_t *reply = rpc_call(l->rpc, "session.attach", attach_params(l), wait_ms);
    json_t *session = json_incref(json_object_get(reply, "session"));
    l->shell_id = text_copy(json_text(session, "shell_id", ""));
    json_decref(reply);
    return session;
}

/* The shell may have ended meanwhile, and another one have its name. */
static void take_joined(struct view_link *l, const json_t *message)
{
    const json_t *error = json_object_get(message, "error");
    const char *shell = json_text(json_at(message, "result", "session"), "shell_id", "");
    l->joining = 0;
    if (error && json_number(error, "code", 0) != RPC_NO_SESSION)
        l->state = VIEW_LINK_LOST;
    else if (error || strcmp(shell, l->shell_id))
        l->state = VIEW_LINK_ENDED_UNSEEN;
    l->back_by = 0;
    send_input(l);
}

/* Of what was lost with the connection the daemon knows how much the terminal has: the rest never
 * will be typed by that request, and is sent again. Without `known` all of it is in doubt. */
static void settle_lost(struct view_link *l, const json_t *known)
{
    size_t len = l->lost_len, doubt = len;
    if (json_flag(known, "begun")) {
        doubt = (size_t)json_number(known, "in_doubt", 0);
        len = (size_t)json_number(known, "typed", 0) + doubt;
    }
    len = len < l->lost_len ? len : l->lost_len;
    l->doubtful += doubt < len ? doubt : len;
    bytes_consume(&l->typed, len);
    l->lost_len = 0;
    l->resolving = 0;
}

/* ---- what comes ---- */

static bool is_answer(const json_t *message, json_int_t id)
{
    return id && !json_object_get(message, "method") && json_number(message, "id", 0) == id;
}

static void take_message(struct view_link *l, const json_t *message)
{
    const char *method = json_text(message, "method", NULL);
    const json_t *params = json_object_get(message, "params");
    if (method && !strcmp(method, "view.output")) {
        const json_t *data = json_object_get(params, "data");
        struct bytes bytes = {0};
        if (base64_decode(json_string_value(data), json_string_length(data), &bytes) == 0)
            l->options->show(l->options->user, bytes.data, bytes.len);
        bytes_finish(&bytes);
    } else if (method && !strcmp(method, "view.cwd")) {
        l->options->moved(l->options->user, json_text(params, "cwd", ""));
    } else if (method && !strcmp(method, "view.end")) {
        l->status = (int)json_number(params, "exit_status", 0);
        l->state = VIEW_LINK_ENDED;
    } else if (is_answer(message, l->joining)) {
        take_joined(l, message);
    } else if (is_answer(message, l->resolving)) {
        settle_lost(l, json_object_get(message, "result"));
        send_input(l);
    } else if (!method) {
        take_answer(l, message);
    }
}

static void take_messages(struct view_link *l)
{
    json_t *message;
    while ((message = rpc_next(l->rpc))) {
        take_message(l, message);
        json_decref(message);
    }
}

/* ---- a connection that is lost ---- */

/* What was asked on it gets no answer. */
static void forget_asked(struct view_link *l)
{
    bool unread = l->rpc->unread && l->asked == l->rpc->next_id;
    if (l->asked && !unread)
        l->lost_len = l->asked_len;
    l->asked = l->joining = l->resolving = 0;
    l->busy = false;
}

static void come_back(struct view_link *l)
{
    int64_t now = clock_monotonic_ms();
    forget_asked(l);
    l->back_by = l->back_by ? l->back_by : now + LIMIT_RECONNECT_MS;
    if (rpc_connect_again(l->rpc) < 0)
        return;
    l->joining = rpc_send(l->rpc, "session.attach", attach_params(l), l->back_by);
    if (l->lost_len)
        l->resolving = rpc_send(
            l->rpc, "session.typed",
            json_pack("{s:s, s:I}", "name", l->options->name, "token", l->token), l->back_by);
}

void view_link_settle(struct view_link *l)
{
    forget_asked(l);
    if (l->lost_len)
        settle_lost(l, NULL);
}

/* ---- its owner's loop ---- */

void view_link_resize(struct view_link *l, struct view_size size)
{
    l->size = size;
    if (l->rpc->fd >= 0)
        rpc_send(l->rpc, "view.resize", json_pack("{s:o}", "size", size_json(l)),
                 clock_monotonic_ms() + LIMIT_ANSWER_MS);
}

int view_link_fd(const struct view_link *l)
{
    return l->rpc->fd;
}

bool view_link_is_connected(const struct view_link *l)
{
    return l->rpc->fd >= 0 && !l->back_by;
}

int view_link_wait_ms(const struct view_link *l)
{
    int64_t left = l->back_by - clock_monotonic_ms();
    if (l->rpc->fd < 0)
        return AGAIN_MS;
    if (!l->back_by)
        return l->busy ? BUSY_MS : -1;
    return left > 0 ? (int)left : 0;
}

void view_link_work(struct view_link *l, bool readable, bool again)
{
    if (readable)
        rpc_fill(l->rpc);
    else
        send_input(l);
    take_messages(l);
    if (l->state != VIEW_LINK_STANDS || !again)
        return;
    if (l->back_by && clock_monotonic_ms() >= l->back_by)
        l->state = VIEW_LINK_LOST;
    else if (l->rpc->fd < 0)
        come_back(l);
}

enum view_link_state view_link_state(const struct view_link *l)
{
    return l->state;
}

int view_link_status(const struct view_link *l)
{
    return l->status;
}

/* It is for the daemon to do if it can. A worker that has not begun yet reads it behind the request
 * to be a view again. */
void view_link_leave(struct view_link *l)
{
    char *error = NULL;
    if (l->rpc->fd < 0)
        return;
    if (l->back_by)
        rpc_send(l->rpc, "view.leave", json_object(), clock_monotonic_ms());
    else
        json_decref(rpc_ask(l->rpc, "view.leave", json_object(), LIMIT_LEAVE_MS, &error));
    free(error);
}

struct view_link *view_link_create(struct rpc *rpc, const struct view_link_options *options,
                                   struct view_size size)
{
    struct view_link *l = memory_new(sizeof *l);
    *l = (struct view_link){
        .rpc = rpc, .options = options, .size = size, .token = request_new_token()};
    return l;
}

void view_link_destroy(struct view_link *l)
{
    bytes_finish(&l->typed);
    free(l->shell_id);
    free(l);
}
