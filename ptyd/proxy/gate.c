/* Before the first turn with context the server is asked whether it knows additionalContext: one
 * that does not would ignore it and say yes, and the context would be lost. The question (a turn
 * for a thread that cannot exist, with a context entry of a kind that cannot exist) touches
 * nothing: a server that knows the field complains about the kind, one that does not about the
 * thread. */
#include "ptyd/proxy/gate.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "envelope/span.h"
#include "envelope/turn.h"
#include "ptyd/client/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/delivery.h"

#define HEAD_BYTES    4096 /* of a line, in which its method and id are looked for */
#define PROBE_WAIT_MS 1000
#define EXTRA_METHOD  "thread/readState/changed" /* what experimentalApi adds to a plain session */

enum capability { NOT_ASKED, ASKED, KNOWN, UNKNOWN };

/* A request of the client's whose answer matters. */
enum request_kind { REQUEST_INITIALIZE, REQUEST_THREAD, REQUEST_TURN };

struct request {
    struct request *next;
    enum request_kind kind;
    json_t *id;
    json_t *taken; /* REQUEST_TURN: what its entries were taken with */
};

struct gate {
    struct gate_options options;
    struct delivery *delivery;
    struct request *requests;
    enum capability capability;
    bool upgraded; /* experimentalApi is ours, not the client's */
    char *probe_id;
    long long probe_deadline; /* monotonic ms */
    json_t *threads;          /* id: {user: bool, roots: [...]} */
    bool said_unknown;
};

struct gate *gate_create(const struct gate_options *options)
{
    struct gate *g = memory_new(sizeof *g);
    g->options = *options;
    g->delivery = delivery_create(options->session);
    g->threads = json_object();
    g->probe_id = text_format("ptyd:%ld:%lld", (long)getpid(), (long long)clock_monotonic_ms());
    return g;
}

static void request_free(struct request *r)
{
    json_decref(r->id);
    json_decref(r->taken);
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
            delivery_release(g->delivery, r->taken);
        request_free(r);
    }
    delivery_destroy(g->delivery);
    json_decref(g->threads);
    free(g->probe_id);
    free(g);
}

/* ---- looking ---- */

static bool is_of_interest(struct span method)
{
    static const char *const methods[] = {"turn/start", "initialize", "thread/start",
                                          "thread/resume", "thread/fork"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (span_is_string(method, methods[i]))
            return true;
    return false;
}

/* A method is looked for in a line's head and, if it is not there, once more in the whole line:
 * never in between, or a long line would be read again with every piece of it. */
enum gate_verdict gate_client_look(const struct gate *g, const char *line, size_t len, bool whole)
{
    struct span method;
    size_t head = whole || len < HEAD_BYTES ? len : HEAD_BYTES;
    (void)g;
    if (span_peek(line, head, "method", &method) == 0)
        return is_of_interest(method) ? GATE_TAKE : GATE_PASS;
    return whole ? GATE_PASS : GATE_MORE;
}

enum gate_verdict gate_server_look(const struct gate *g, const char *line, size_t len, bool whole)
{
    struct span found;
    if (!g->requests && !g->upgraded && g->capability != ASKED)
        return GATE_PASS;
    size_t head = len < HEAD_BYTES ? len : HEAD_BYTES;
    if (span_peek(line, head, "method", &found) == 0)
        return g->upgraded && span_is_string(found, EXTRA_METHOD) ? GATE_TAKE : GATE_PASS;
    if (whole)
        return GATE_TAKE;
    return GATE_MORE;
}

/* ---- requests ---- */

static json_t *id_of(const char *line, size_t len)
{
    struct span id;
    if (span_member(line, len, "id", &id) < 0)
        return NULL;
    json_t *value = json_loadb(id.at, id.len, JSON_DECODE_ANY, NULL);
    if (json_is_string(value) || json_is_integer(value))
        return value;
    json_decref(value);
    return NULL;
}

static struct request **find_request(struct gate *g, const json_t *id)
{
    struct request **at = &g->requests;
    while (*at && !json_equal((*at)->id, id))
        at = &(*at)->next;
    return at;
}

/* Remembers a request; steals `id` and `taken`. False when the client uses the id already. */
static bool remember(struct gate *g, enum request_kind kind, json_t *id, json_t *taken)
{
    if (!id || *find_request(g, id)) {
        json_decref(id);
        return false;
    }
    struct request *r = memory_new(sizeof *r);
    *r = (struct request){.next = g->requests, .kind = kind, .id = id, .taken = taken};
    g->requests = r;
    return true;
}

static void forward(const char *line, size_t len, struct bytes *out)
{
    bytes_append(out, line, len);
    bytes_append_char(out, '\n');
}

/* ---- the question ---- */

static void ask(struct gate *g, struct bytes *to_server)
{
    bytes_printf(to_server,
                 "{\"id\":\"%s\",\"method\":\"turn/start\",\"params\":{\"threadId\":"
                 "\"00000000-0000-0000-0000-000000000000\",\"input\":[],\"additionalContext\":"
                 "{\"p\":{\"value\":\"\",\"kind\":\"bogus\"}}}}\n",
                 g->probe_id);
    g->capability = ASKED;
    g->probe_deadline = clock_monotonic_ms() + PROBE_WAIT_MS;
}

static void take_answer(struct gate *g, const char *line, size_t len)
{
    json_t *answer = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    /* Old servers drop the field and miss the thread; ones that were not initialised refuse all. */
    bool ignored =
        message && (strstr(message, "thread not found") || strstr(message, "ot initialized"));
    g->capability = ignored ? UNKNOWN : KNOWN;
    json_decref(answer);
}

static bool may_add(struct gate *g)
{
    if (g->capability == ASKED)
        g->capability = UNKNOWN; /* no answer in time */
    if (g->capability == KNOWN)
        return true;
    if (!g->said_unknown)
        cli_fail(0,
                 "this app-server does not take additionalContext (codex 0.132 and newer do); the "
                 "terminal's context stays pending");
    g->said_unknown = true;
    return false;
}

/* ---- turns ---- */

static json_t *client_keys(const char *line, size_t len)
{
    struct span params, context;
    if (span_member(line, len, "params", &params) < 0 ||
        span_member(params.at, params.len, "additionalContext", &context) < 0 ||
        !span_is_object(context))
        return NULL;
    json_t *map = json_loadb(context.at, context.len, JSON_ALLOW_NUL, NULL);
    json_t *keys = json_array();
    const char *key;
    json_t *value;
    json_object_foreach(map, key, value) if (!strncmp(key, "terminal_", 9))
        json_array_append_new(keys, json_string(key));
    json_decref(map);
    return keys;
}

static char *thread_of(const char *line, size_t len)
{
    struct span params, id;
    if (span_member(line, len, "params", &params) < 0 ||
        span_member(params.at, params.len, "threadId", &id) < 0)
        return NULL;
    json_t *value = json_loadb(id.at, id.len, JSON_DECODE_ANY, NULL);
    char *thread = json_is_string(value) ? text_copy(json_string_value(value)) : NULL;
    json_decref(value);
    return thread;
}

static int add_entries(const char *line, size_t len, const json_t *context, struct bytes *out,
                       const char **ret_why)
{
    size_t count = json_object_size(context), used = 0;
    struct turn_entry *entries = memory_new((count + 1) * sizeof *entries);
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)context, key, entry) entries[used++] =
        (struct turn_entry){key, json_string_value(json_object_get(entry, "value"))};
    int result = turn_add_context(line, len, entries, used, out, ret_why);
    free(entries);
    return result;
}

/* Adds what is pending; on any trouble the client's own bytes go on, and the lease goes back. */
static void send_turn(struct gate *g, const char *line, size_t len, struct bytes *out)
{
    char *thread = thread_of(line, len);
    const json_t *known = thread ? json_object_get(g->threads, thread) : NULL;
    bool foreign = known && json_is_false(json_object_get(known, "user"));
    json_t *id = id_of(line, len), *taken = NULL;
    const char *why = NULL;
    if (thread && id && !foreign && may_add(g)) {
        json_t *keys = client_keys(line, len);
        taken = delivery_take(g->delivery, thread, json_object_get(known, "roots"), keys);
        json_decref(keys);
    }
    size_t start = out->len;
    if (taken &&
        add_entries(line, len, json_object_get(taken, "additionalContext"), out, &why) < 0) {
        cli_fail(0, "a turn passes without the terminal's context: %s",
                 why ? why : "out of memory");
        out->len = start;
        delivery_release(g->delivery, taken);
        json_decref(taken);
        taken = NULL;
    }
    if (taken && !remember(g, REQUEST_TURN, json_incref(id), taken)) {
        out->len = start;
        delivery_release(g->delivery, taken);
        json_decref(taken);
        taken = NULL;
    }
    if (taken)
        bytes_append_char(out, '\n');
    else
        forward(line, len, out);
    json_decref(id);
    free(thread);
}

/* Holds the turn until the server has said whether it knows the field. */
static bool must_wait(struct gate *g, struct bytes *to_server)
{
    if (g->capability == NOT_ASKED)
        ask(g, to_server);
    return g->capability == ASKED && clock_monotonic_ms() < g->probe_deadline;
}

static void send_initialize(struct gate *g, const char *line, size_t len, struct bytes *out)
{
    size_t start = out->len;
    int changed = g->options.no_upgrade ? 0 : turn_upgrade_initialize(line, len, EXTRA_METHOD, out);
    remember(g, REQUEST_INITIALIZE, id_of(line, len), NULL);
    if (changed == 1) {
        g->upgraded = true;
        bytes_append_char(out, '\n');
        return;
    }
    if (changed < 0)
        cli_fail(0, "initialize passes as it came: its params or capabilities are no objects");
    out->len = start;
    forward(line, len, out);
}

bool gate_client_line(struct gate *g, const char *line, size_t len, struct bytes *to_server)
{
    struct span method = {0};
    span_peek(line, len, "method", &method);
    if (span_is_string(method, "turn/start")) {
        if (must_wait(g, to_server))
            return false;
        send_turn(g, line, len, to_server);
    } else if (span_is_string(method, "initialize")) {
        send_initialize(g, line, len, to_server);
    } else {
        remember(g, REQUEST_THREAD, id_of(line, len), NULL);
        forward(line, len, to_server);
    }
    return true;
}

/* ---- answers ---- */

static void add_root(json_t *roots, const json_t *value)
{
    if (json_is_string(value))
        json_array_append(roots, (json_t *)value);
}

/* Learns from thread/start, resume and fork whose thread it is and where it works. */
static void learn_thread(struct gate *g, const json_t *result)
{
    const json_t *thread = json_object_get(result, "thread");
    const char *id = json_string_value(json_object_get(thread, "id"));
    const char *source = json_string_value(json_object_get(thread, "threadSource"));
    json_t *roots = json_array(), *root;
    size_t i;
    if (!id) {
        json_decref(roots);
        return;
    }
    bool user =
        !json_is_true(json_object_get(thread, "ephemeral")) && (!source || !strcmp(source, "user"));
    add_root(roots, json_object_get(result, "cwd"));
    add_root(roots, json_object_get(thread, "cwd"));
    json_array_foreach(json_object_get(result, "runtimeWorkspaceRoots"), i, root)
        add_root(roots, root);
    json_object_set_new(g->threads, id, json_pack("{s:b, s:o}", "user", user, "roots", roots));
}

/* Settles what the answer to `r` says, before the client hears it. */
static void settle(struct gate *g, const struct request *r, const char *line, size_t len,
                   struct bytes *to_server)
{
    struct span result;
    bool accepted = span_member(line, len, "result", &result) == 0;
    if (r->kind == REQUEST_TURN && accepted)
        delivery_commit(g->delivery, r->taken);
    else if (r->kind == REQUEST_TURN)
        delivery_release(g->delivery, r->taken);
    else if (r->kind == REQUEST_INITIALIZE && accepted &&
             (g->capability == NOT_ASKED || g->capability == UNKNOWN))
        ask(g, to_server);
    else if (r->kind == REQUEST_THREAD && accepted) {
        json_t *value = json_loadb(result.at, result.len, JSON_ALLOW_NUL, NULL);
        learn_thread(g, value);
        json_decref(value);
    }
}

void gate_server_line(struct gate *g, const char *line, size_t len, struct bytes *to_client,
                      struct bytes *to_server)
{
    struct span method;
    if (span_peek(line, len, "method", &method) == 0) {
        if (!g->upgraded || !span_is_string(method, EXTRA_METHOD))
            forward(line, len, to_client);
        return;
    }
    json_t *id = id_of(line, len);
    if (id && json_is_string(id) && !strcmp(json_string_value(id), g->probe_id)) {
        take_answer(g, line, len);
        json_decref(id);
        return;
    }
    struct request **at = id ? find_request(g, id) : NULL;
    if (at && *at) {
        struct request *r = *at;
        *at = r->next;
        settle(g, r, line, len, to_server);
        request_free(r);
    }
    json_decref(id);
    forward(line, len, to_client);
}

int gate_wait_ms(const struct gate *g)
{
    if (g->capability != ASKED)
        return -1;
    long long left = g->probe_deadline - clock_monotonic_ms();
    return left > 0 ? (int)left : 0;
}
