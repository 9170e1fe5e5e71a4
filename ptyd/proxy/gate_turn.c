/* A turn of the user's on its way: what is pending goes with it, in the way that the server knows.
 * On any trouble the client's own bytes go on, and what was taken goes back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/legacy.h"
#include "envelope/turn.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/gate_private.h"

/* How context gets to this server. */
enum way {
    WAY_NONE,
    WAY_CONTEXT, /* additionalContext in the turn itself */
    WAY_INJECT,  /* thread/inject_items once the turn is accepted */
    WAY_LEGACY,  /* the envelope in the user's text */
};

static enum way way_of(const struct gate *g)
{
    if (g->options.envelope)
        return WAY_LEGACY;
    if (g->experimental && g->capability == KNOWN)
        return WAY_CONTEXT;
    return g->cannot_inject || g->capability == UNCLEAR ? WAY_NONE : WAY_INJECT;
}

/* ---- waiting ---- */

/* Holds the turn until the server has said what must be known first. */
static bool must_wait(struct gate *g, const char *thread, struct messages *to_server)
{
    if (g->experimental && !g->options.envelope && g->capability == NOT_ASKED)
        ask_capability(g, to_server);
    if (!json_object_get(g->threads, thread))
        ask_thread(g, thread, to_server);
    bool open = g->capability == ASKED || json_is_null(json_object_get(g->threads, thread));
    if (open && clock_monotonic_ms() < g->deadline)
        return true;
    if (g->capability == ASKED)
        g->capability = UNKNOWN; /* no answer in time */
    return false;
}

/* ---- editing ---- */

/* Keys of the client's own that look like ours. */
static json_t *client_keys(const char *line, size_t len)
{
    struct span params, context;
    if (span_member(line, len, "params", &params) < 0 ||
        span_member(params.at, params.len, "additionalContext", &context) < 0 ||
        !span_is_object(context))
        return NULL;
    json_t *map = json_loadb(context.at, context.len, JSON_ALLOW_NUL, NULL);
    json_t *keys = json_array(), *value;
    const char *key;
    json_object_foreach(map, key, value) if (!strncmp(key, "terminal_", 9))
        json_array_append_new(keys, json_string(key));
    json_decref(map);
    return keys;
}

static int add_entries(const char *line, size_t len, const json_t *context, struct bytes *out,
                       const char **ret_why)
{
    size_t count = json_object_size(context), used = 0;
    struct turn_entry *entries = memory_new((count + 1) * sizeof *entries);
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)context, key, entry) entries[used++] =
        (struct turn_entry){key, json_text(entry, "value", NULL)};
    int result = turn_add_context(line, len, entries, used, out, ret_why);
    free(entries);
    return result;
}

static int add_envelope(const char *line, size_t len, const json_t *taken, struct bytes *out,
                        const char **ret_why)
{
    const char *object = json_text(taken, "envelope", NULL);
    int result = object ? legacy_add(line, len, object, out) : -EINVAL;
    *ret_why =
        result == -ENOENT ? "it has no text to put it in front of" : "the message cannot be parsed";
    return result;
}

/* Sends the turn with what was taken. Returns false, with nothing sent, when that cannot be. */
static bool send_with(struct gate *g, enum way way, const char *line, size_t len, json_t *taken,
                      struct messages *to_server)
{
    const char *why = "out of memory";
    json_t *id = gate_id(line, len);
    int result = way == WAY_LEGACY
                     ? add_envelope(line, len, taken, &to_server->text, &why)
                     : add_entries(line, len, json_object_get(taken, "additionalContext"),
                                   &to_server->text, &why);
    struct request *r = NULL;
    if (result < 0)
        say("a turn passes without the terminal's context: %s", why);
    else
        r = gate_remember(g, REQUEST_TURN, json_incref(id));
    json_decref(id);
    if (!r) {
        messages_drop(to_server);
        return false;
    }
    r->taken = taken;
    messages_end(to_server);
    return true;
}

/* Without anything to add; in legacy mode a text that looks like an envelope is marked as none. */
static void send_plain(struct gate *g, const char *line, size_t len, struct messages *to_server)
{
    if (g->options.envelope && legacy_may_hold(line, len) &&
        legacy_add(line, len, NULL, &to_server->text) == 1) {
        messages_end(to_server);
        return;
    }
    messages_drop(to_server);
    messages_add(to_server, line, len);
}

/* A turn that is followed by thread/inject_items is remembered with its thread. */
static void expect_acceptance(struct gate *g, const char *line, size_t len, const char *thread)
{
    struct request *r = gate_remember(g, REQUEST_TURN, gate_id(line, len));
    if (r)
        r->thread = text_copy(thread);
}

static json_t *take(struct gate *g, const char *line, size_t len, const char *thread,
                    const char *format)
{
    const json_t *known = json_object_get(g->threads, thread);
    json_t *keys = line ? client_keys(line, len) : NULL;
    json_t *taken =
        delivery_take(g->delivery, thread, json_object_get(known, "roots"), keys, format);
    json_decref(keys);
    return taken;
}

/* turn/steer without input is refused by the server. */
static bool has_input(const char *line, size_t len)
{
    struct span params, input;
    return span_member(line, len, "params", &params) == 0 &&
           span_member(params.at, params.len, "input", &input) == 0 && span_is_array(input) &&
           !span_is_empty(input);
}

bool turn_send(struct gate *g, const char *line, size_t len, bool steer, struct messages *to_server)
{
    char *thread = gate_text(line, len, "params", "threadId");
    json_t *id = gate_id(line, len), *taken = NULL;
    bool whole = thread && id && (!steer || has_input(line, len));
    json_decref(id);
    if (whole && must_wait(g, thread, to_server)) {
        free(thread);
        return false;
    }
    bool users = whole && json_flag(json_at(g->threads, thread), "user");
    enum way way = users ? way_of(g) : WAY_NONE;
    if (way == WAY_INJECT)
        expect_acceptance(g, line, len, thread);
    else if (way != WAY_NONE)
        taken = take(g, line, len, thread, way == WAY_LEGACY ? "envelope" : NULL);
    if (taken && !send_with(g, way, line, len, taken, to_server)) {
        delivery_release(g->delivery, taken, false);
        json_decref(taken);
        taken = NULL;
    }
    if (!taken)
        send_plain(g, line, len, to_server);
    free(thread);
    return true;
}

/* ---- answers ---- */

/* The id of the turn in {result:{turn:{id}}}, or of turn/steer's {result:{turnId}}. */
static char *turn_of(const char *line, size_t len)
{
    struct span result, turn, id;
    char *steered = gate_text(line, len, "result", "turnId");
    if (steered)
        return steered;
    if (span_member(line, len, "result", &result) < 0 ||
        span_member(result.at, result.len, "turn", &turn) < 0 ||
        span_member(turn.at, turn.len, "id", &id) < 0)
        return NULL;
    json_t *value = json_loadb(id.at, id.len, JSON_DECODE_ANY, NULL);
    char *text = json_is_string(value) ? text_copy(json_string_value(value)) : NULL;
    json_decref(value);
    return text;
}

void turn_settle(struct gate *g, struct request *r, const char *line, size_t len,
                 struct messages *to_server)
{
    struct span result;
    bool accepted = span_member(line, len, "result", &result) == 0;
    char *turn = accepted ? turn_of(line, len) : NULL;
    json_t *taken = !r->taken && accepted ? take(g, NULL, 0, r->thread, NULL) : NULL;
    if (r->taken && accepted)
        delivery_commit(g->delivery, r->taken, turn);
    else if (r->taken)
        delivery_release(g->delivery, r->taken, false);
    else if (taken)
        ask_inject(g, r->thread, turn, taken, to_server);
    free(turn);
}
