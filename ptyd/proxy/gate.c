#include "ptyd/proxy/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/legacy.h"
#include "envelope/edit.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/gate_private.h"

struct gate *gate_create(const struct gate_options *options)
{
    struct gate *g = memory_new(sizeof *g);
    g->options = *options;
    g->leases = leases_create(options->acp ? "acp" : "codex", options->session, options->wait_ms);
    g->threads = json_object();
    g->turns = json_object();
    g->rolled_back = json_object();
    return g;
}

static void request_free(struct request *r)
{
    json_decref(r->id);
    json_decref(r->taken);
    json_decref(r->turns);
    free(r->thread);
    free(r->turn);
    free(r->before);
    free(r->cwd);
    free(r);
}

void gate_destroy(struct gate *g)
{
    if (!g)
        return;
    while (g->requests) {
        struct request *r = g->requests;
        g->requests = r->next;
        if (r->taken)
            leases_release(g->leases, r->taken, true);
        request_free(r);
    }
    leases_destroy(g->leases);
    json_decref(g->threads);
    json_decref(g->turns);
    json_decref(g->rolled_back);
    free(g);
}

/* ---- looking ---- */

static bool is_of_interest(const struct gate *g, struct span method)
{
    if (g->options.acp)
        return acp_is_of_interest(method);
    static const char *const methods[] = {"turn/start",     "initialize",  "thread/start",
                                          "thread/resume",  "thread/fork", "thread/revert",
                                          "thread/rollback"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (span_is_string(method, methods[i]))
            return true;
    return g->options.steer && span_is_string(method, "turn/steer");
}

static bool is_expected(const struct gate *g, struct span id)
{
    json_t *value = json_loadb(id.at, id.len, JSON_DECODE_ANY, NULL);
    const struct request *r = g->requests;
    while (r && !json_equal(r->id, value))
        r = r->next;
    json_decref(value);
    return r != NULL;
}

/* A method is looked for in a message's first bytes and, if it is not there, once more when the
 * message is whole: not each time a piece arrives, or a long one would be read over and over. */
enum gate_verdict gate_client_look(const struct gate *g, const char *line, size_t len, bool whole)
{
    size_t head = whole || len < LIMIT_PROXY_HEAD_BYTES ? len : LIMIT_PROXY_HEAD_BYTES;
    struct message_head m = message_peek(line, head);
    if (m.method.at)
        return is_of_interest(g, m.method) ? GATE_TAKE : GATE_PASS;
    return whole ? GATE_PASS : GATE_MORE;
}

enum gate_verdict gate_server_look(const struct gate *g, const char *line, size_t len, bool whole)
{
    if (g->options.envelope && !whole)
        return GATE_MORE; /* a text that comes back may be anywhere in it */
    if (g->options.envelope && legacy_may_hold(line, len))
        return GATE_TAKE;
    if (!g->requests && !g->upgraded && !g->options.acp)
        return GATE_PASS;
    struct message_head m =
        message_peek(line, len < LIMIT_PROXY_HEAD_BYTES ? len : LIMIT_PROXY_HEAD_BYTES);
    if (g->options.acp && span_is_string(m.method, "session/update"))
        return !whole ? GATE_MORE : acp_may_echo(line, len) ? GATE_TAKE : GATE_PASS;
    if (m.method.at)
        return g->upgraded && span_is_string(m.method, EXTRA_METHOD) ? GATE_TAKE : GATE_PASS;
    if (!g->requests || (m.id.at && !is_expected(g, m.id)))
        return GATE_PASS;
    return whole ? GATE_TAKE : GATE_MORE;
}

/* ---- requests ---- */

json_t *gate_id(const struct message *m)
{
    json_t *value = json_loadb(m->id.at, m->id.len, JSON_DECODE_ANY, NULL);
    if (json_is_string(value) || json_is_integer(value))
        return value;
    json_decref(value);
    return NULL;
}

char *gate_text(struct span part)
{
    json_t *value = json_loadb(part.at, part.len, JSON_DECODE_ANY, NULL);
    char *text = json_is_string(value) ? text_copy(json_string_value(value)) : NULL;
    json_decref(value);
    return text;
}

static struct request **find_request(struct gate *g, const json_t *id)
{
    struct request **at = &g->requests;
    while (*at && !json_equal((*at)->id, id))
        at = &(*at)->next;
    return at;
}

struct request *gate_remember(struct gate *g, enum request_kind kind, json_t *id)
{
    size_t count = 0;
    for (const struct request *r = g->requests; r; r = r->next)
        count++;
    if (!id || *find_request(g, id) || count >= LIMIT_PROXY_REQUESTS) {
        json_decref(id);
        return NULL;
    }
    struct request *r = memory_new(sizeof *r);
    *r = (struct request){.next = g->requests, .kind = kind, .id = id};
    g->requests = r;
    return r;
}

/* ---- from the client ---- */

bool gate_send_taken(struct gate *g, const struct message *turn, json_t *taken, const char *why,
                     struct messages *out)
{
    struct request *r = why ? NULL : gate_remember(g, REQUEST_TURN, gate_id(turn));
    if (why)
        say("a turn passes without the terminal's context: %s", why);
    if (!r) {
        messages_drop(out);
        return false;
    }
    r->taken = taken;
    messages_end(out);
    return true;
}

void gate_pass(const struct message *m, struct messages *out)
{
    messages_drop(out);
    messages_add(out, m->line.at, m->line.len);
}

static void send_initialize(struct gate *g, const struct message *m, struct messages *out)
{
    bool leave = g->options.no_upgrade || g->options.envelope;
    int changed = leave ? 0 : edit_upgrade_initialize(m, EXTRA_METHOD, &out->text);
    gate_remember(g, REQUEST_INITIALIZE, gate_id(m));
    g->upgraded = g->upgraded || changed == 1;
    g->experimental = changed == 1 || span_is_true(m->experimental);
    if (changed < 0)
        say("initialize passes as it came: its params or capabilities are no objects");
    if (changed == 1)
        messages_end(out);
    else
        gate_pass(m, out);
}

static void send_about_thread(struct gate *g, const struct message *m, struct messages *out)
{
    bool reverts = span_is_string(m->method, "thread/revert");
    struct request *r = gate_remember(g, reverts ? REQUEST_REVERT : REQUEST_THREAD, gate_id(m));
    if (r && (reverts || span_is_string(m->method, "thread/fork"))) {
        r->thread = gate_text(m->thread_id);
        r->turn = gate_text(m->last_turn_id);
        r->before = gate_text(m->before_turn_id);
    }
    gate_pass(m, out);
}

bool gate_client_line(struct gate *g, const char *line, size_t len, struct messages *to_server)
{
    struct message m = message_read(line, len);
    if (g->options.acp) {
        acp_client_line(g, &m, to_server);
        return true;
    }
    bool steer = span_is_string(m.method, "turn/steer");
    if (steer || span_is_string(m.method, "turn/start"))
        return gate_send_turn(g, &m, steer, to_server);
    if (span_is_string(m.method, "thread/rollback"))
        return rollback_send(g, &m, to_server);
    if (span_is_string(m.method, "initialize"))
        send_initialize(g, &m, to_server);
    else
        send_about_thread(g, &m, to_server);
    return true;
}

/* ---- from the server ---- */

static void learn_thread(struct gate *g, const struct request *r, struct span result)
{
    json_t *value = json_loadb(result.at, result.len, JSON_ALLOW_NUL, NULL);
    const char *id = json_text(json_at(value, "thread"), "id", NULL);
    ask_learn_thread(g, value);
    if (r->thread && id)
        leases_inherit(g->leases, r->thread, id, r->turn, r->before);
    json_decref(value);
}

/* Does what follows from the answer to `r`, before the client sees it. Returns false for an answer
 * to a question of our own, which the client must not see. */
static bool settle(struct gate *g, struct request *r, const struct message *answer,
                   struct messages *to_server)
{
    if (g->options.acp) {
        acp_settle(g, r, answer);
        return true;
    }
    switch (r->kind) {
    case REQUEST_TURN:
        gate_settle_turn(g, r, answer, to_server);
        return true;
    case REQUEST_THREAD:
        learn_thread(g, r, answer->result);
        return true;
    case REQUEST_REVERT:
        if (answer->result.len && r->thread && r->before)
            leases_revert(g->leases, r->thread, NULL, r->before);
        return true;
    case REQUEST_ROLLBACK:
        rollback_settle(g, r, answer->result);
        return true;
    case REQUEST_INITIALIZE:
        if (g->experimental && g->capability != KNOWN && !g->options.envelope && answer->result.len)
            ask_capability(g, to_server);
        return true;
    default:
        ask_answered(g, r, answer);
        return false;
    }
}

/* Whether what a thread has heard depends on the answer. */
static bool concerns_history(const struct request *r)
{
    return r->kind == REQUEST_THREAD || r->kind == REQUEST_REVERT || r->kind == REQUEST_ROLLBACK;
}

/* The request that an answer is for, no longer remembered; NULL for none. */
static struct request *take_request(struct gate *g, const struct message *answer)
{
    json_t *id = gate_id(answer);
    struct request **at = id ? find_request(g, id) : NULL;
    struct request *r = at ? *at : NULL;
    if (r)
        *at = r->next;
    json_decref(id);
    return r;
}

static void forward(struct gate *g, const char *line, size_t len, struct messages *to_client)
{
    if (g->options.envelope && legacy_may_hold(line, len) &&
        legacy_strip(line, len, &to_client->text) == 1) {
        messages_end(to_client);
        return;
    }
    messages_drop(to_client);
    messages_add(to_client, line, len);
}

void gate_server_line(struct gate *g, const char *line, size_t len, struct messages *to_client,
                      struct messages *to_server)
{
    struct message m = message_read(line, len);
    struct request *r = m.method.at ? NULL : take_request(g, &m);
    bool theirs = !g->upgraded || !span_is_string(m.method, EXTRA_METHOD);
    if (g->options.acp && m.method.at)
        theirs = !acp_echoes(line, len);
    if (r)
        theirs = settle(g, r, &m, to_server);
    if (theirs)
        forward(g, line, len, to_client);
    if (r)
        request_free(r);
}

int gate_wait_ms(const struct gate *g)
{
    long long left = g->deadline - clock_monotonic_ms();
    return left > 0 ? (int)left : 0;
}

bool gate_owes(const struct gate *g)
{
    const struct request *r = g->requests;
    while (r && !r->taken && !concerns_history(r))
        r = r->next;
    return r;
}
