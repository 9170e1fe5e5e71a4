/* screen.jsonl: what changed on the screen, at most ten times a second. A timer runs only from a
 * change that came too soon to the moment it is told; the last state is told in any case. */
#include "ptyd/session/private.h"

#include <stdlib.h>

#define DELTA_MS 100 /* between two */

static void tell(struct session *s, int64_t wall_ms, int64_t monotonic_ms)
{
    struct block *running = tracker_running(s->tracker);
    s->screen_told_ms = monotonic_ms;
    s->screen_changed = false;
    json_t *delta = s->paused ? NULL : deltas_take(&s->deltas, s->terminal, s->unrecorded_until);
    if (!delta)
        return;
    char *id = running && !running->unrecorded ? block_id(running) : NULL;
    json_t *line = json_pack("{s:s, s:s, s:s?, s:I}", "type", "screen_delta", "conversation_id",
                             s->name, "block_id", id, "ts", (json_int_t)wall_ms);
    json_object_update(line, delta);
    json_decref(delta);
    free(id);
    store_screen_delta(s->store, line);
}

static void on_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;
    struct moment now = clock_now();
    if (s->screen_changed)
        tell(s, now.wall_ms, now.monotonic_ms);
}

void session_screen_changed(struct session *s)
{
    int64_t since = s->now.monotonic_ms - s->screen_told_ms;
    bool waits = s->screen_changed;
    s->screen_changed = true;
    if (since >= DELTA_MS)
        tell(s, s->now.wall_ms, s->now.monotonic_ms);
    else if (!waits)
        uv_timer_start(&s->screen_timer, on_timer, (uint64_t)(DELTA_MS - since), 0);
}

void session_screen_flush(struct session *s)
{
    struct moment now = clock_now();
    if (s->screen_changed)
        tell(s, now.wall_ms, now.monotonic_ms);
}
