/* What the proxy must know from the server, it asks.
 *
 * Does the server know additionalContext? One that does not would accept the turn, ignore the
 * field, and the context would be lost. The question is a turn for a thread that cannot exist, with
 * a context entry of a kind that cannot exist, so that nothing happens either way: a server that
 * knows the field complains about the kind, and nothing else is believed; one that does not
 * complains about the thread.
 *
 * Whose thread is it? Asked for threads that this connection neither started nor resumed: one that
 * the user does not see must not get what the user did.
 *
 * Which turns has it? Asked before it loses some (gate_rollback.c). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/gate_private.h"
#include "ptyd/proxy/items.h"

#define NO_KIND "bogus" /* a kind that no server has */

/* Sends a request of our own; steals `params`. */
static struct request *ask(struct gate *g, enum request_kind kind, const char *method,
                           json_t *params, struct messages *to_server)
{
    json_t *id = json_sprintf("ptyd:%ld:%lld:%ld", (long)getpid(), (long long)clock_monotonic_ms(),
                              ++g->own_count);
    json_t *message = json_pack("{s:O, s:s, s:o}", "id", id, "method", method, "params", params);
    char *text = json_dumps(message, JSON_COMPACT);
    if (text)
        messages_add(to_server, text, strlen(text));
    free(text);
    json_decref(message);
    g->deadline = clock_monotonic_ms() + LIMIT_PROXY_ASK_MS;
    return gate_remember(g, kind, id);
}

void ask_capability(struct gate *g, struct messages *to_server)
{
    ask(g, REQUEST_PROBE, "turn/start",
        json_pack("{s:s, s:[], s:{s:{s:s, s:s}}}", "threadId",
                  "00000000-0000-0000-0000-000000000000", "input", "additionalContext", "p",
                  "value", "", "kind", NO_KIND),
        to_server);
    g->capability = ASKED;
}

static void read_thread(struct gate *g, enum request_kind kind, const char *thread, bool turns,
                        struct messages *to_server)
{
    struct request *r =
        ask(g, kind, "thread/read",
            json_pack("{s:s, s:b}", "threadId", thread, "includeTurns", turns), to_server);
    if (r)
        r->thread = text_copy(thread);
}

void ask_thread(struct gate *g, const char *thread, struct messages *to_server)
{
    json_object_set_new(g->threads, thread, json_null());
    read_thread(g, REQUEST_LOOKUP, thread, false, to_server);
}

void ask_turns(struct gate *g, const char *thread, struct messages *to_server)
{
    json_object_set_new(g->turns, thread, json_null());
    read_thread(g, REQUEST_TURNS, thread, true, to_server);
}

void ask_inject(struct gate *g, const char *thread, const char *turn, json_t *taken,
                struct messages *to_server)
{
    struct request *r =
        ask(g, REQUEST_INJECT, "thread/inject_items",
            json_pack("{s:s, s:o}", "threadId", thread, "items", items_of(taken)), to_server);
    if (r) {
        r->taken = taken;
        r->turn = turn ? text_copy(turn) : NULL;
    } else {
        leases_release(g->leases, taken, false);
        json_decref(taken);
    }
}

/* ---- answers ---- */

static void add_root(json_t *roots, const json_t *value)
{
    if (json_is_string(value))
        json_array_append(roots, (json_t *)value);
}

void ask_learn_thread(struct gate *g, const json_t *result)
{
    const json_t *thread = json_object_get(result, "thread");
    const char *id = json_text(thread, "id", NULL);
    const char *source = json_text(thread, "threadSource", NULL);
    json_t *roots = json_array(), *root;
    size_t i;
    if (!id) {
        json_decref(roots);
        return;
    }
    bool user = !json_flag(thread, "ephemeral") && (!source || !strcmp(source, "user"));
    add_root(roots, json_object_get(result, "cwd"));
    add_root(roots, json_object_get(thread, "cwd"));
    json_array_foreach(json_object_get(result, "runtimeWorkspaceRoots"), i, root)
        add_root(roots, root);
    if (json_object_size(g->threads) >= LIMIT_THREADS)
        json_object_clear(g->threads); /* the server is asked again when one is needed */
    json_object_set_new(g->threads, id, json_pack("{s:b, s:o}", "user", user, "roots", roots));
}

static const char *error_message(const json_t *answer)
{
    return json_text(json_at(answer, "error"), "message", "");
}

static void learn_capability(struct gate *g, const json_t *answer)
{
    const char *message = error_message(answer);
    g->capability = strstr(message, "unknown variant `" NO_KIND "`") ? KNOWN
                    : *message                                       ? UNKNOWN
                                                                     : UNCLEAR;
    if (g->capability == UNCLEAR)
        say("the app-server passed over what it should complain about; the terminal's "
            "context stays pending. `ptyd proxy --envelope` is the way for old ones");
}

/* The server does not tell about the thread: it is an old one, for which any thread is the user's;
 * or it says that the thread is ephemeral, which the user does not see. */
static void learn_unreadable(struct gate *g, const char *thread, const json_t *answer)
{
    bool hidden = strstr(error_message(answer), "ephemeral") != NULL;
    json_object_set_new(g->threads, thread, json_pack("{s:b, s:[]}", "user", !hidden, "roots"));
}

static void settle_inject(struct gate *g, struct request *r, const json_t *answer)
{
    if (json_object_get(answer, "result")) {
        leases_commit(g->leases, r->taken, r->turn);
        return;
    }
    const char *message = error_message(answer);
    char *why =
        text_clean(message, strlen(message), LIMIT_WORD_BYTES); /* some list all they know */
    leases_release(g->leases, r->taken, false);
    g->cannot_inject = true;
    say("the app-server takes neither additionalContext nor thread/inject_items (%s); the "
        "terminal's context stays pending. `ptyd proxy --envelope` is the way for old ones",
        why);
    free(why);
}

void ask_answered(struct gate *g, struct request *r, const struct message *m)
{
    json_t *answer = json_loadb(m->line.at, m->line.len, JSON_ALLOW_NUL, NULL);
    const json_t *result = json_object_get(answer, "result");
    if (r->kind == REQUEST_PROBE)
        learn_capability(g, answer);
    else if (r->kind == REQUEST_INJECT)
        settle_inject(g, r, answer);
    else if (r->kind == REQUEST_TURNS)
        rollback_learn_turns(g, r->thread, result);
    else if (json_at(result, "thread", "id"))
        ask_learn_thread(g, result);
    else
        learn_unreadable(g, r->thread, answer);
    json_decref(answer);
}
