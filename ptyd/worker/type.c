#include "ptyd/worker/type.h"

#include <errno.h>

#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/wait.h"
#include "ptyd/worker/worker.h"

struct type {
    struct task task; /* watches nothing: `done` comes when the session goes, too */
    struct session *session;
    struct typing typing;
    uint64_t from; /* where the stream stood before the first byte */
};

static struct type *type_of(struct typing *typing)
{
    return (struct type *)((char *)typing - offsetof(struct type, typing));
}

static void on_finish(struct task *task)
{
    bytes_finish(&((struct type *)task)->typing.bytes);
}

static json_t *typed_json(const struct type *t)
{
    return json_pack("{s:I}", "typed", (json_int_t)t->typing.typed);
}

static void fail(struct type *t, const char *why)
{
    client_fail_with(t->task.client, t->task.id, RPC_NOT_TYPED, typed_json(t),
                     "%zu of %zu bytes were typed, the rest was not: session %s %s",
                     t->typing.typed, t->typing.bytes.len, session_called(t->session), why);
    task_end(&t->task);
}

static void on_done(struct typing *typing)
{
    struct type *t = type_of(typing);
    if (typing->typed < typing->bytes.len) {
        fail(t, typing->agent ? "is its user's again" : "takes no more");
        return;
    }
    json_t *result = typed_json(t);
    json_object_set_new(result, "from", json_integer((json_int_t)t->from));
    client_reply(t->task.client, t->task.id, result);
    task_end(&t->task);
}

static void on_timeout(uv_timer_t *timer)
{
    struct type *t = timer->data;
    session_untype(t->session, &t->typing);
    fail(t, "did not read it in time");
}

static void on_cancel(struct errand *errand)
{
    struct type *t = (struct type *)errand;
    session_untype(t->session, &t->typing);
    task_end(&t->task);
}

void type_refuse(struct client *client, const json_t *id, const struct session *s)
{
    client_fail(client, id, RPC_BUSY,
                "nothing was typed: session %s does not read; there is room for %zu bytes, for "
                "more once it reads",
                session_called(s), session_input_room(s));
}

/* Nothing was typed and `done` does not come. */
static void refuse(struct type *t, int error)
{
    if (error == -ENOBUFS) {
        type_refuse(t->task.client, t->task.id, t->session);
        task_end(&t->task);
    } else {
        fail(t, "has ended");
    }
}

void type_data(struct client *client, const json_t *id, const json_t *params, struct session *s)
{
    const json_t *data = json_object_get(params, "data");
    long long token = json_number(params, "token", 0), ms = json_number(params, "timeout_ms", 0);
    struct bytes bytes = {0};
    uint64_t agent;
    if (!baton_may_type(client, id, params, s, &agent))
        return;
    if (!json_is_string(data) ||
        base64_decode(json_string_value(data), json_string_length(data), &bytes) < 0) {
        client_fail(client, id, RPC_INVALID_PARAMS, "data is bytes in base64");
        bytes_finish(&bytes);
        return;
    }
    if (client_is_brief(client) && (ms <= 0 || ms > LIMIT_BRIEF_READ_MS))
        ms = LIMIT_BRIEF_READ_MS;
    struct type *t = memory_new(sizeof *t);
    *t = (struct type){
        .task = {.errand = {.cancel = on_cancel}, .finish = on_finish},
        .session = s,
        .typing = {.bytes = bytes, .token = (uint64_t)token, .agent = agent, .done = on_done},
        .from = wait_place(s),
    };
    task_begin(&t->task, client, id);
    if (ms > 0)
        uv_timer_start(&t->task.timer, on_timeout, (uint64_t)ms, 0);
    int result = session_type(s, &t->typing);
    if (result < 0)
        refuse(t, result);
    else
        baton_used(s, agent);
}

void type_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_session(client, id, params);
    if (s)
        type_data(client, id, params, s);
}

void type_typed_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_session(client, id, params);
    uint64_t token = (uint64_t)json_number(params, "token", 0);
    uint64_t before = (uint64_t)json_number(params, "before", 0);
    size_t typed = 0, doubt = 0;
    if (!s)
        return;
    bool begun = session_find_typed(s, token, &typed, &doubt);
    client_reply(client, id,
                 json_pack("{s:b, s:I, s:I, s:b}", "begun", begun, "typed", (json_int_t)typed,
                           "in_doubt", (json_int_t)doubt, "never",
                           session_never_typed(s, token, before)));
}
