/* What a client is told of resources that change. One question per session is out at the daemon,
 * whoever subscribes: when its stream goes on, its screen has changed. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"
#include "ptyd/mcp/uri.h"

struct subscription {
    struct subscription *next;
    struct request *listener; /* whose it is; NULL for one of resources/subscribe */
    char *text;               /* the URI as it was given */
    struct uri uri;
    bool changed;
};

/* A subscriptions/listen. */
struct listener {
    struct listener *next;
    struct updates *updates;
    struct request *request;
    bool lists; /* hears when the list changes */
};

/* A session of which somebody hears when it prints. */
struct watched {
    struct watched *next;
    struct updates *updates;
    char *session;
    struct ask *ask; /* until more is printed */
};

struct updates {
    struct mcp *mcp;
    struct subscription *subscriptions;
    int count;
    struct listener *listeners;
    struct watched *watched;
    bool begun, list_changed;
    int64_t told; /* monotonic ms */
};

/* ---- subscriptions ---- */

static void remove_subscription(struct updates *u, struct subscription *s)
{
    for (struct subscription **at = &u->subscriptions; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    u->count--;
    free(s->text);
    free(s);
}

static struct subscription *find(struct updates *u, const struct request *listener,
                                 const char *text)
{
    for (struct subscription *s = u->subscriptions; s; s = s->next)
        if (s->listener == listener && !strcmp(s->text, text))
            return s;
    return NULL;
}

static void watch(struct updates *u, const char *session);

static void add(struct updates *u, struct request *listener, const char *text,
                const struct uri *uri)
{
    if (find(u, listener, text))
        return;
    struct subscription *s = memory_new(sizeof *s);
    *s = (struct subscription){
        .next = u->subscriptions, .listener = listener, .text = text_copy(text), .uri = *uri};
    u->subscriptions = s;
    u->count++;
    backend_follow(u->mcp->daemon);
    if (uri->kind == RESOURCE_SCREEN || uri->kind == RESOURCE_SCROLLBACK)
        watch(u, uri->session);
}

void updates_subscribe(struct mcp *mcp, struct request *request, const json_t *params, bool on)
{
    struct updates *u = mcp->updates;
    const char *text = json_text(params, "uri", NULL);
    struct subscription *s = text ? find(u, NULL, text) : NULL;
    struct uri uri;
    if (!text) {
        request_fail(request, RPC_INVALID_PARAMS, "uri is a string");
        return;
    }
    if (on && !uri_read(text, &uri)) {
        request_fail_with(request, -32002, json_pack("{s:s}", "uri", text),
                          "there is no such resource");
        return;
    }
    if (on && !s && u->count >= LIMIT_MCP_SUBSCRIPTIONS) {
        request_fail(request, RPC_INTERNAL_ERROR, "there are %d subscriptions already", u->count);
        return;
    }
    if (on)
        add(u, NULL, text, &uri);
    else if (s)
        remove_subscription(u, s);
    request_answer(request, json_object());
}

/* ---- what is printed ---- */

static bool is_watched_for(const struct updates *u, const char *session)
{
    for (const struct subscription *s = u->subscriptions; s; s = s->next)
        if (!strcmp(s->uri.session, session) &&
            (s->uri.kind == RESOURCE_SCREEN || s->uri.kind == RESOURCE_SCROLLBACK))
            return true;
    return false;
}

static void forget_watched(struct watched *w)
{
    for (struct watched **at = &w->updates->watched; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            break;
        }
    backend_forget(w->ask);
    free(w->session);
    free(w);
}

static void note_changed(struct updates *u, const char *session, bool printed, long long block)
{
    for (struct subscription *s = u->subscriptions; s; s = s->next) {
        bool of_screen = s->uri.kind == RESOURCE_SCREEN || s->uri.kind == RESOURCE_SCROLLBACK;
        bool of_block = s->uri.kind == RESOURCE_BLOCK || s->uri.kind == RESOURCE_OUTPUT;
        if (strcmp(s->uri.session, session) != 0)
            continue;
        if (of_screen ? printed : !printed && (!of_block || s->uri.block == block))
            s->changed = true;
    }
}

static void on_printed(void *work, const json_t *state, const char *error);

/* More than stands there. */
static void ask_for_more(struct watched *w, json_int_t from)
{
    json_t *params = json_pack("{s:s, s:s, s:b, s:I}", "name", w->session, "for", "output", "agent",
                               1, "from", from);
    w->ask = backend_ask(w->updates->mcp->daemon, "session.wait", params, -1, on_printed, w);
}

static void on_printed(void *work, const json_t *state, const char *error)
{
    struct watched *w = work;
    struct updates *u = w->updates;
    json_int_t end = json_number(state, "end", -1);
    (void)error;
    w->ask = NULL;
    if (end >= 0)
        note_changed(u, w->session, true, 0);
    if (end < 0 || json_flag(state, "exited") || !is_watched_for(u, w->session))
        forget_watched(w); /* an event brings it back */
    else
        ask_for_more(w, end);
}

static void on_stands(void *work, const json_t *state, const char *error)
{
    struct watched *w = work;
    json_int_t end = json_number(state, "end", -1);
    (void)error;
    w->ask = NULL;
    if (end < 0 || json_flag(state, "exited"))
        forget_watched(w);
    else
        ask_for_more(w, end);
}

static void watch(struct updates *u, const char *session)
{
    for (struct watched *w = u->watched; w; w = w->next)
        if (!strcmp(w->session, session))
            return;
    struct watched *w = memory_new(sizeof *w);
    *w = (struct watched){.next = u->watched, .updates = u, .session = text_copy(session)};
    u->watched = w;
    w->ask = backend_ask(u->mcp->daemon, "session.wait",
                         json_pack("{s:s, s:b}", "name", session, "agent", 1), LIMIT_ANSWER_MS,
                         on_stands, w);
}

/* ---- what is heard ---- */

/* What agents are told of that session, or of all where it has no name, was switched off or on:
 * they are told something else of it. */
static void note_capture(struct updates *u, const char *session)
{
    u->list_changed = u->list_changed || !*session;
    for (struct subscription *s = u->subscriptions; s; s = s->next)
        s->changed = s->changed || !*session || !strcmp(s->uri.session, session);
}

/* A session's screen may be one that was not there when somebody subscribed to it. */
static void watch_again(struct updates *u)
{
    for (struct subscription *s = u->subscriptions; s; s = s->next)
        if (s->uri.kind == RESOURCE_SCREEN || s->uri.kind == RESOURCE_SCROLLBACK)
            watch(u, s->uri.session);
}

void updates_event(struct updates *u, const json_t *event)
{
    const char *type = json_text(event, "type", ""),
               *name = json_text(event, "conversation_id", "");
    bool begins = !strcmp(type, "agent_block_begin"), ends = !strcmp(type, "agent_block_end");
    if (!strcmp(type, "sessions_changed")) {
        u->list_changed = true;
        watch_again(u);
    }
    const json_t *block = json_object_get(event, "block");
    if ((begins || ends) && !json_flag(block, "private"))
        note_changed(u, name, false, json_number(block, "seq", 0));
    bool capture = !strcmp(type, "capture_changed");
    if (capture)
        note_capture(u, name);
    if (begins || ends || capture)
        watch_again(u);
}

void updates_all(struct updates *u)
{
    u->list_changed = true;
    for (struct subscription *s = u->subscriptions; s; s = s->next)
        s->changed = true;
    watch_again(u);
}

/* ---- telling ---- */

static bool has_news(const struct updates *u)
{
    bool heard = u->begun;
    for (const struct listener *l = u->listeners; l; l = l->next)
        heard = heard || l->lists;
    if (u->list_changed && heard)
        return true;
    for (const struct subscription *s = u->subscriptions; s; s = s->next)
        if (s->changed)
            return true;
    return false;
}

/* A client that does not read is told nothing more: that it does again, poll() says. */
static bool may_tell(const struct updates *u)
{
    return has_news(u) && wire_unsent(u->mcp->wire) <= LIMIT_MCP_UNSENT_BYTES;
}

int64_t updates_due(const struct updates *u)
{
    return may_tell(u) ? u->told + LIMIT_MCP_UPDATE_MS : -1;
}

static json_t *told_to(const struct request *listener)
{
    return listener ? json_pack("{s:{s:O}}", "_meta", "io.modelcontextprotocol/subscriptionId",
                                listener->id)
                    : json_object();
}

static void tell_list(struct updates *u)
{
    u->list_changed = false;
    if (u->begun)
        wire_notify(u->mcp->wire, "notifications/resources/list_changed", json_object());
    for (struct listener *l = u->listeners; l; l = l->next)
        if (l->lists)
            wire_notify(u->mcp->wire, "notifications/resources/list_changed", told_to(l->request));
}

void updates_work(struct updates *u)
{
    int64_t now = clock_monotonic_ms();
    if (!may_tell(u) || now < u->told + LIMIT_MCP_UPDATE_MS)
        return;
    u->told = now;
    if (u->list_changed)
        tell_list(u);
    for (struct subscription *s = u->subscriptions; s; s = s->next) {
        if (!s->changed)
            continue;
        json_t *params = told_to(s->listener);
        json_object_set_new(params, "uri", json_string(s->text));
        wire_notify(u->mcp->wire, "notifications/resources/updated", params);
        s->changed = false;
    }
}

/* ---- subscriptions/listen ---- */

static void free_listener(void *work)
{
    struct listener *l = work;
    struct updates *u = l->updates;
    for (struct listener **at = &u->listeners; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    for (struct subscription *s = u->subscriptions, *next; s; s = next) {
        next = s->next;
        if (s->listener == l->request)
            remove_subscription(u, s);
    }
    free(l);
}

/* What is wrong with the filter; NULL for nothing. */
static const char *wrong_filter(const json_t *filter, const struct updates *u)
{
    const json_t *uris = json_object_get(filter, "resourceSubscriptions"), *uri;
    const char *name;
    json_t *value;
    size_t i;
    if (!json_is_object(filter))
        return "notifications is an object";
    json_object_foreach((json_t *)filter, name, value)
        if (strcmp(name, "resourceSubscriptions") != 0 && !json_is_boolean(value))
            return "what is heard of is true or false";
    if (uris && !json_is_array(uris))
        return "resourceSubscriptions is an array";
    for (i = 0; i < json_array_size(uris); i++) {
        uri = json_array_get(uris, i);
        if (!json_is_string(uri))
            return "resourceSubscriptions holds URIs";
    }
    if (json_array_size(uris) + (size_t)u->count > LIMIT_MCP_SUBSCRIPTIONS)
        return "these are too many subscriptions";
    return NULL;
}

/* Those that name no resource are left out of what is agreed. */
static json_t *take_uris(struct updates *u, struct request *request, const json_t *uris)
{
    json_t *agreed = json_array();
    for (size_t i = 0; i < json_array_size(uris); i++) {
        const char *text = json_string_value(json_array_get(uris, i));
        struct uri uri;
        if (!uri_read(text, &uri))
            continue;
        add(u, request, text, &uri);
        json_array_append_new(agreed, json_string(text));
    }
    return agreed;
}

void updates_listen(struct mcp *mcp, struct request *request, const json_t *params)
{
    struct updates *u = mcp->updates;
    const json_t *filter = json_object_get(params, "notifications");
    const json_t *uris = json_object_get(filter, "resourceSubscriptions");
    const char *wrong = wrong_filter(filter, u);
    if (wrong) {
        request_fail(request, RPC_INVALID_PARAMS, "%s", wrong);
        return;
    }
    struct listener *l = memory_new(sizeof *l);
    *l = (struct listener){.next = u->listeners,
                           .updates = u,
                           .request = request,
                           .lists = json_flag(filter, "resourcesListChanged")};
    u->listeners = l;
    request->cancel = free_listener;
    request->work = l;
    json_t *agreed = json_object(), *told = told_to(request);
    if (l->lists)
        json_object_set_new(agreed, "resourcesListChanged", json_true());
    if (uris)
        json_object_set_new(agreed, "resourceSubscriptions", take_uris(u, request, uris));
    json_object_set_new(told, "notifications", agreed);
    wire_notify(mcp->wire, "notifications/subscriptions/acknowledged", told);
    backend_follow(mcp->daemon);
}

void updates_end(struct updates *u)
{
    while (u->listeners) {
        struct request *r = u->listeners->request;
        json_t *result = told_to(r);
        free_listener(u->listeners);
        request_answer(r, result);
    }
}

/* ---- its life ---- */

void updates_begin(struct updates *u)
{
    u->begun = true;
    backend_follow(u->mcp->daemon);
}

struct updates *updates_create(struct mcp *mcp)
{
    struct updates *u = memory_new(sizeof *u);
    *u = (struct updates){.mcp = mcp};
    return u;
}

void updates_destroy(struct updates *u)
{
    while (u->subscriptions)
        remove_subscription(u, u->subscriptions);
    while (u->watched)
        forget_watched(u->watched);
    free(u);
}
