#include "ptyd/worker/baton.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/worker.h"

static const char *const scopes[] = {"once", "command", "session"};
enum scope { ONCE, COMMAND, SESSION, SCOPES };

/* One agent that asks, then holds it: its number is not 0 then. */
struct baton {
    struct task task;
    char *agent, *purpose; /* as people may be shown them */
    uint64_t number;
    long long token; /* who asks chose it for this; 0 for none */
    enum scope scope;
    bool used; /* COMMAND: the block that ends next is the last for it */
};

static struct task_list all = LIST_HEAD_INITIALIZER(all);
static uint64_t numbers;

static struct baton *baton_of(struct watcher *w)
{
    return (struct baton *)task_of(w);
}

static struct baton *find(const struct session *s, const struct client *client, bool holds)
{
    struct baton *first = NULL; /* they stand newest first */
    struct task *t;
    LIST_FOREACH(t, &all, others) {
        struct baton *b = (struct baton *)t;
        if ((!s || t->session == s) && (!client || t->client == client) && !b->number == !holds)
            first = b;
    }
    return first;
}

/* ---- telling ---- */

static json_t *json_of(const struct baton *b, const char *state)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s?}", "conversation_id", session_name(b->task.session),
                     "agent", b->agent, "purpose", b->purpose, "state", state, "scope",
                     b->number ? scopes[b->scope] : NULL);
}

static const char *state_of(const struct baton *b)
{
    return b->number ? "holds" : "asks";
}

/* Another that asks meanwhile is the next that may be granted. */
static char *next_text(const struct baton *ended)
{
    const struct baton *next = NULL;
    const struct task *t;
    LIST_FOREACH(t, &all, others) {
        const struct baton *b = (const struct baton *)t;
        if (t->session == ended->task.session && b != ended && !b->number)
            next = b;
    }
    json_t *json = next ? json_of(next, "asks") : NULL;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

static void tell(const struct baton *b, const char *state)
{
    struct session *s = b->task.session;
    if (!s)
        return;
    json_t *members = json_of(b, state);
    char *text = json_dumps(members, JSON_COMPACT);
    session_tell_baton(s, text);
    free(text);
    text = strcmp(state, "asks") ? next_text(b) : NULL;
    if (text)
        session_tell_baton(s, text);
    free(text);
    follow_baton(client_worker(b->task.client), members);
}

json_t *baton_json(const struct worker *w)
{
    json_t *batons = json_array();
    const struct task *t;
    LIST_FOREACH(t, &all, others)
        if (t->session && client_worker(t->client) == w)
            json_array_insert_new(
                batons, 0, json_of((const struct baton *)t, state_of((const struct baton *)t)));
    return batons;
}

char *baton_text(const struct session *s)
{
    const struct baton *b = find(s, NULL, false);
    b = b ? b : find(s, NULL, true);
    json_t *json = b ? json_of(b, state_of(b)) : NULL;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

/* ---- its end ---- */

static void on_finish(struct task *t)
{
    struct baton *b = (struct baton *)t;
    free(b->agent);
    free(b->purpose);
}

static void end(struct baton *b, const char *state)
{
    struct session *s = b->task.session;
    uint64_t number = b->number;
    tell(b, state);
    if (number)
        client_notify(b->task.client, "baton",
                      json_pack("{s:s, s:s}", "name", s ? session_name(s) : "", "state", state));
    task_end(&b->task);
}

/* Who held it types no more: also what it asked for and is not typed yet. */
static void take(struct baton *b, const char *state)
{
    struct session *s = b->task.session;
    uint64_t number = b->number;
    end(b, state);
    if (!s || !number)
        return;
    session_hand_baton(s, 0);
    session_lose_baton(s, number, true);
}

static void refuse(struct baton *b, const char *why)
{
    client_fail(b->task.client, b->task.id, RPC_FAILED, "nothing was typed: %s", why);
    end(b, "refused");
}

static void on_cancel(struct errand *errand)
{
    take((struct baton *)errand, "left");
}

static void on_timeout(uv_timer_t *timer)
{
    refuse(timer->data, "the user did not say yes in time");
}

static void on_block_end(struct watcher *w, struct block *block)
{
    struct baton *b = baton_of(w);
    (void)block;
    if (b->number && b->scope == COMMAND && b->used)
        take(b, "over");
}

static void on_gone(struct watcher *w)
{
    struct baton *b = baton_of(w);
    if (!b->number)
        client_fail(b->task.client, b->task.id, RPC_NO_SESSION, "the session has ended");
    b->task.session = NULL;
    end(b, "over");
}

static void on_exited(struct watcher *w, int status)
{
    struct baton *b = baton_of(w);
    (void)status;
    if (b->number)
        take(b, "over");
    else
        refuse(b, "the session has ended");
}

void baton_taken(void *worker, struct session *s, uint64_t number)
{
    struct baton *b = find(s, NULL, true);
    (void)worker;
    if (b && b->number == number)
        end(b, "taken");
    session_lose_baton(s, number, true);
}

/* ---- asking ---- */

static char *shown(const json_t *params, const char *key, const char *otherwise)
{
    const char *text = json_text(params, key, otherwise);
    char *clean = text_clean(text, strlen(text), LIMIT_BATON_TEXT_BYTES);
    for (char *at = clean; *at; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    return clean;
}

static int count_of(const struct session *s)
{
    int count = 0;
    const struct task *t;
    LIST_FOREACH(t, &all, others)
        count += t->session == s;
    return count;
}

static json_t *granted_json(const struct baton *b)
{
    return json_pack("{s:b, s:s}", "granted", 1, "scope", scopes[b->scope]);
}

void baton_ask_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_live_session(client, id, params);
    long long ms = json_number(params, "timeout_ms", 0);
    struct baton *held = s ? find(s, client, true) : NULL;
    if (!s)
        return;
    if (held) {
        client_reply(client, id, granted_json(held));
        return;
    }
    if (count_of(s) >= LIMIT_BATONS) {
        client_fail(client, id, RPC_BUSY, "%d ask for session %s already", LIMIT_BATONS,
                    session_called(s));
        return;
    }
    struct baton *b = memory_new(sizeof *b);
    *b = (struct baton){
        .task = {.errand = {.cancel = on_cancel},
                 .watcher = {.block_end = on_block_end, .exited = on_exited, .gone = on_gone},
                 .list = &all,
                 .finish = on_finish},
        .token = json_number(params, "token", 0),
        .agent = shown(params, "by", "an agent"),
        .purpose = shown(params, "purpose", "")};
    task_begin(&b->task, client, id);
    task_watch(&b->task, s);
    if (ms > 0)
        uv_timer_start(&b->task.timer, on_timeout, (uint64_t)ms, 0);
    tell(b, "asks");
}

/* ---- granting ---- */

/* Other calls of its client's need not be granted, too. */
static void grant_others(const struct baton *b)
{
    struct baton *other;
    while (b->scope != ONCE && (other = find(b->task.session, b->task.client, false))) {
        client_reply(other->task.client, other->task.id, granted_json(b));
        end(other, "over");
    }
}

static void grant(struct baton *b, enum scope scope)
{
    struct session *s = b->task.session;
    struct baton *other = find(s, NULL, true);
    if (other)
        take(other, "taken");
    b->number = ++numbers;
    b->scope = scope;
    uv_timer_stop(&b->task.timer);
    session_hand_baton(s, b->number);
    client_reply(b->task.client, b->task.id, granted_json(b));
    grant_others(b);
    tell(b, "holds");
}

bool baton_grant_once(struct session *s)
{
    struct baton *b = find(s, NULL, false);
    if (b)
        grant(b, ONCE);
    return b != NULL;
}

static int scope_of(const char *word)
{
    int scope = 0;
    while (scope < SCOPES && strcmp(scopes[scope], word) != 0)
        scope++;
    return scope;
}

void baton_grant_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *word = json_text(params, "scope", scopes[ONCE]);
    bool named = json_object_get(params, "name") != NULL, no = !strcmp(word, "no");
    struct session *s = named ? worker_session(client, id, params) : NULL;
    struct baton *asks = find(s, NULL, false), *holds = find(s, NULL, true);
    struct baton *b = asks || !no ? asks : holds;
    int scope = scope_of(word);
    if (named && !s)
        return;
    if (scope == SCOPES && !no) {
        client_fail(client, id, RPC_INVALID_PARAMS, "scope is once, command, session or no");
        return;
    }
    if (!b) {
        client_fail(client, id, RPC_FAILED,
                    no ? "no agent asks to type, or may" : "no agent asks to type");
        return;
    }
    json_t *answer = json_of(b, no ? "refused" : "holds");
    if (!no) {
        grant(b, (enum scope)scope);
        json_object_set_new(answer, "scope", json_string(word));
    } else if (b->number) {
        take(b, "taken");
    } else {
        refuse(b, "the user says no");
    }
    client_reply(client, id, answer);
}

/* What was asked with that token, or (0) all that the client asks; NULL for nothing any more. */
static struct baton *next_asked(const struct session *s, const struct client *client,
                                long long token)
{
    for (struct task *t = LIST_FIRST(&all); token && t; t = LIST_NEXT(t, others)) {
        struct baton *b = (struct baton *)t;
        if (t->session == s && t->client == client && !b->number && b->token == token)
            return b;
    }
    return token ? NULL : find(s, client, false);
}

void baton_return_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_session(client, id, params);
    long long token = json_number(params, "token", 0);
    struct baton *held = s ? find(s, client, true) : NULL, *asks;
    if (!s)
        return;
    held = held && (!token || held->token == token) ? held : NULL;
    if (held)
        take(held, "returned");
    while ((asks = next_asked(s, client, token)))
        refuse(asks, "it is not asked for any more");
    client_reply(client, id, json_pack("{s:b}", "held", held != NULL));
}

/* ---- typing ---- */

bool baton_may_type(struct client *client, const json_t *id, const json_t *params,
                    struct session *s, uint64_t *ret_number)
{
    bool agent = !strcmp(json_text(params, "actor", ""), "agent");
    const struct baton *b = agent ? find(s, client, true) : NULL;
    *ret_number = b ? b->number : 0;
    if (agent && !b)
        client_fail(client, id, RPC_FAILED,
                    "nothing was typed: an agent types in session %s only while it holds the "
                    "baton, which its user hands it (baton.ask)",
                    session_called(s));
    return !agent || b;
}

void baton_used(struct session *s, uint64_t number)
{
    struct baton *b = number ? find(s, NULL, true) : NULL;
    if (!b || b->number != number)
        return;
    b->used = true;
    if (b->scope != ONCE)
        return;
    end(b, "over");
    session_lose_baton(s, number, false);
}
