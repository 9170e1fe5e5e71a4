/* A thread/rollback (of older Codex; as 0.144.6 does it) takes as many turns off a thread's end as
 * are named.
 *
 * It cuts in front of the first one's message. What that turn itself was told stands before the
 * message, and stays; what those behind it were told is gone. So it has to be known which one is
 * the first: the answer lists those that are left, and those that there were are asked for before.
 *
 * Nor does the server forget what the last turn was told: the same again, key and value, would be
 * suppressed. So what a thread is told behind a rollback has keys that it never saw. */
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/gate_private.h"

/* Whether the thread's turns have to be known, and are not yet. */
static bool must_wait(struct gate *g, const char *thread, struct messages *to_server)
{
    if (gate_tells_in_turns(g) && !json_object_get(g->turns, thread))
        ask_turns(g, thread, to_server);
    return json_is_null(json_object_get(g->turns, thread)) && clock_monotonic_ms() < g->deadline;
}

bool rollback_send(struct gate *g, const struct message *m, struct messages *to_server)
{
    char *thread = gate_text(m->thread_id);
    if (thread && must_wait(g, thread, to_server)) {
        free(thread);
        return false;
    }
    struct request *r = thread ? gate_remember(g, REQUEST_ROLLBACK, gate_id(m)) : NULL;
    if (r) {
        r->thread = text_copy(thread);
        r->turns = json_incref(json_object_get(g->turns, thread));
    }
    if (thread)
        json_object_del(g->turns, thread);
    free(thread);
    gate_pass(m, to_server);
    return true;
}

/* The ids of an answer's turns; NULL where it has none. New reference. */
static json_t *turns_of(const json_t *result)
{
    const json_t *turns = json_at(result, "thread", "turns"), *turn;
    json_t *ids = json_is_array(turns) ? json_array() : NULL;
    size_t i;
    json_array_foreach(turns, i, turn)
        json_array_append_new(ids, json_string(json_text(turn, "id", "")));
    return ids;
}

/* Nobody waits any more for an answer that comes too late. */
void rollback_learn_turns(struct gate *g, const char *thread, const json_t *result)
{
    json_t *ids = turns_of(result);
    if (json_object_get(g->turns, thread))
        json_object_set(g->turns, thread, ids ? ids : json_false());
    json_decref(ids);
}

/* The last turn of which the thread has what it was told, "" for none: the first one that was taken
 * off, if that is known. */
static const char *last_told(const json_t *left, const json_t *before)
{
    size_t count = json_array_size(left);
    const char *first_gone = json_string_value(json_array_get(before, count));
    const char *last = count ? json_string_value(json_array_get(left, count - 1)) : "";
    return first_gone ? first_gone : last;
}

void rollback_settle(struct gate *g, const struct request *r, struct span result)
{
    json_t *answer = json_loadb(result.at, result.len, JSON_ALLOW_NUL, NULL);
    json_t *left = turns_of(answer);
    if (left) {
        if (json_object_size(g->rolled_back) >= LIMIT_THREADS)
            json_object_clear(g->rolled_back);
        json_object_set_new(g->rolled_back, r->thread, json_true());
        leases_revert(g->leases, r->thread, last_told(left, r->turns), NULL);
    }
    json_decref(left);
    json_decref(answer);
}
