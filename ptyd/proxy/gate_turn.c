/* A turn of the user's takes with it what the terminal has to tell, in whichever way the server
 * understands. When anything goes wrong the client's own bytes go on alone, and the lease is given
 * back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/legacy.h"
#include "envelope/edit.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
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

bool gate_tells_in_turns(const struct gate *g)
{
    return way_of(g) == WAY_CONTEXT;
}

/* ---- waiting ---- */

/* Asks the server what is not known yet. Returns whether the turn must wait for an answer. */
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

static int add_entries(const struct message *turn, const json_t *context, struct bytes *out,
                       const char **ret_why)
{
    size_t count = json_object_size(context), used = 0;
    struct edit_entry *entries = memory_new((count + 1) * sizeof *entries);
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)context, key, entry)
        entries[used++] = (struct edit_entry){key, json_text(entry, "value", NULL),
                                              json_text(entry, "kind", "application"),
                                              json_text(entry, "name", NULL)};
    int result = edit_add_context(turn, entries, used, out, ret_why);
    free(entries);
    return result;
}

static int add_envelope(const struct message *turn, const json_t *taken, struct bytes *out,
                        const char **ret_why)
{
    const char *object = json_text(taken, "envelope", NULL);
    int result = object ? legacy_add(turn, object, out) : -EINVAL;
    *ret_why =
        result == -ENOENT ? "it has no text to put it in front of" : "the message cannot be parsed";
    return result;
}

/* Sends the turn with what was taken; false as gate_send_taken() says it. */
static bool send_with(struct gate *g, enum way way, const struct message *turn, json_t *taken,
                      struct messages *to_server)
{
    const char *why = "out of memory";
    int result = way == WAY_LEGACY ? add_envelope(turn, taken, &to_server->text, &why)
                                   : add_entries(turn, json_object_get(taken, "additionalContext"),
                                                 &to_server->text, &why);
    return gate_send_taken(g, turn, taken, result < 0 ? why : NULL, to_server);
}

/* Sends the turn without context. In legacy mode a text that begins like an envelope gets an empty
 * one in front, or it would be taken off where the server tells the text back. */
static void send_plain(struct gate *g, const struct message *turn, struct messages *to_server)
{
    if (g->options.envelope && legacy_may_hold(turn->line.at, turn->line.len) &&
        legacy_add(turn, NULL, &to_server->text) == 1)
        messages_end(to_server);
    else
        gate_pass(turn, to_server);
}

/* The context follows once the server accepts the turn: then the thread must be known. */
static void expect_acceptance(struct gate *g, const struct message *turn, const char *thread)
{
    struct request *r = gate_remember(g, REQUEST_TURN, gate_id(turn));
    if (r)
        r->thread = text_copy(thread);
}

/* `keys`: of the client's own entries that look like ours, stolen; or NULL. */
static json_t *take(struct gate *g, const char *thread, json_t *keys, const char *format)
{
    const json_t *roots = json_at(g->threads, thread, "roots");
    bool renumber = json_object_get(g->rolled_back, thread);
    json_t *taken = leases_take(g->leases, thread, roots, keys, renumber, format);
    json_decref(keys);
    return taken;
}

/* Whether a turn can carry context: it has a thread and an id to know its answer by, and is not a
 * turn/steer without input, which the server refuses. */
static bool can_carry(const struct message *turn, const char *thread, bool steer)
{
    json_t *id = gate_id(turn);
    bool has_input = span_is_array(turn->input) && !span_is_empty(turn->input);
    json_decref(id);
    return thread && id && (!steer || has_input);
}

/* Sends the turn with what is pending. Returns false, with nothing sent, when there is nothing or
 * it cannot be added. */
static bool send_context(struct gate *g, enum way way, const struct message *turn,
                         const char *thread, struct messages *to_server)
{
    json_t *taken =
        take(g, thread, edit_own_keys(turn, "terminal_"), way == WAY_LEGACY ? "envelope" : NULL);
    if (!taken || send_with(g, way, turn, taken, to_server))
        return taken != NULL;
    leases_release(g->leases, taken, false);
    json_decref(taken);
    return false;
}

bool gate_send_turn(struct gate *g, const struct message *turn, bool steer,
                    struct messages *to_server)
{
    char *thread = gate_text(turn->thread_id);
    bool can = can_carry(turn, thread, steer);
    if (can && must_wait(g, thread, to_server)) {
        free(thread);
        return false;
    }
    bool users = can && json_flag(json_at(g->threads, thread), "user");
    enum way way = users ? way_of(g) : WAY_NONE;
    if (way == WAY_INJECT)
        expect_acceptance(g, turn, thread);
    if (way == WAY_NONE || way == WAY_INJECT || !send_context(g, way, turn, thread, to_server))
        send_plain(g, turn, to_server);
    free(thread);
    return true;
}

/* ---- answers ---- */

void gate_settle_turn(struct gate *g, struct request *r, const struct message *answer,
                      struct messages *to_server)
{
    bool accepted = answer->result.len > 0;
    char *steered = gate_text(answer->steered_id);
    char *turn = steered ? steered : gate_text(answer->turn_id);
    json_t *taken = !r->taken && accepted ? take(g, r->thread, NULL, NULL) : NULL;
    if (r->taken && accepted)
        leases_commit(g->leases, r->taken, turn);
    else if (r->taken)
        leases_release(g->leases, r->taken, false);
    else if (taken)
        ask_inject(g, r->thread, turn, taken, to_server);
    free(turn);
}
