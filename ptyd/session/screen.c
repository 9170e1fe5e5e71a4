/* screen.jsonl: what changed on the screen, at most ten times a second. A timer runs only from a
 * change that came too soon to the moment it is told; the last state is told in any case. */
#include "ptyd/session/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"

#define DELTA_MS 100 /* between two */

/* ---- what changed ---- */

static uint64_t hash_frame(const struct terminal *t)
{
    struct terminal_cursor cursor = terminal_cursor(t);
    int numbers[] = {cursor.row, cursor.col, terminal_alt_screen(t), terminal_cols(t),
                     terminal_rows(t)};
    const char *title = terminal_title(t);
    return hash_bytes(hash_bytes(HASH_START, numbers, sizeof numbers), title, strlen(title)) | 1;
}

/* Rows of another size are all told again. */
static void fit(struct told_screen *told, int rows)
{
    if (told->row_count == rows)
        return;
    free(told->rows);
    told->rows = memory_new((size_t)rows * sizeof *told->rows);
    told->row_count = rows;
}

static json_t *changed_rows(struct told_screen *told, const struct terminal *t, uint64_t hidden)
{
    json_t *rows = json_array();
    struct bytes text = {0};
    for (int i = 0; i < told->row_count; i++) {
        text.len = 0;
        screen_row_text(t, i, hidden, &text);
        uint64_t hash = hash_bytes(HASH_START, text.data, text.len) | 1; /* 0: not told */
        if (hash == told->rows[i])
            continue;
        told->rows[i] = hash;
        json_array_append_new(rows, json_pack("{s:i, s:o}", "row", i, "text",
                                              json_stringn(text.data ? text.data : "", text.len)));
    }
    bytes_finish(&text);
    return rows;
}

/* {rows: [{row, text}...], cursor, title, alt_screen, cols, rows_count} with the rows that changed,
 * or NULL when nothing did; new reference. `hidden`: see screen_row_text(). */
static json_t *take_changes(struct told_screen *told, const struct terminal *t, uint64_t hidden)
{
    struct terminal_cursor cursor = terminal_cursor(t);
    fit(told, terminal_rows(t));
    uint64_t frame = hash_frame(t);
    json_t *rows = changed_rows(told, t, hidden);
    if (frame == told->frame && !json_array_size(rows)) {
        json_decref(rows);
        return NULL;
    }
    told->frame = frame;
    return json_pack("{s:o, s:{s:i, s:i}, s:s, s:b, s:i, s:i}", "rows", rows, "cursor", "row",
                     cursor.row, "col", cursor.col, "title", terminal_title(t), "alt_screen",
                     terminal_alt_screen(t), "cols", terminal_cols(t), "rows_count",
                     terminal_rows(t));
}

/* ---- when it is told ---- */

static void tell(struct session *s, int64_t wall_ms, int64_t monotonic_ms)
{
    struct block *running = tracker_running(s->tracker);
    s->screen_told_ms = monotonic_ms;
    if (store_owed(s->store).count) /* what is behind tells all that changed meanwhile */
        return;
    s->screen_changed = false;
    bool untold =
        s->paused || s->quarantined || s->host->redacts; /* a row may have half a secret */
    json_t *changes =
        untold ? NULL : take_changes(&s->told_screen, s->terminal, s->unrecorded_until);
    if (!changes)
        return;
    char *id = running && !running->unrecorded ? block_id(running) : NULL;
    json_t *line = json_pack("{s:s, s:s, s:s?, s:I}", "type", "screen_delta", "conversation_id",
                             s->name, "block_id", id, "ts", (json_int_t)wall_ms);
    json_object_update(line, changes);
    json_decref(changes);
    free(id);
    store_screen_delta(s->store, line);
}

void session_screen_flush(struct session *s)
{
    struct moment now = clock_now();
    if (s->screen_changed)
        tell(s, now.wall_ms, now.monotonic_ms);
}

static void on_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;
    struct board_place before = board_enter(s->name, BOARD_TIMER, terminal_offset(s->terminal));
    session_screen_flush(s);
    board_leave(&before);
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
