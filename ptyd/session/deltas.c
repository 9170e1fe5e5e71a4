#include "ptyd/session/deltas.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"

/* FNV-1a; never 0, which stands for a row that was not told. */
static uint64_t sum_of(uint64_t sum, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    return sum | 1;
}

static uint64_t frame_of(const struct terminal *t)
{
    struct terminal_cursor cursor = terminal_cursor(t);
    int numbers[] = {cursor.row, cursor.col, terminal_alt_screen(t), terminal_cols(t),
                     terminal_rows(t)};
    const char *title = terminal_title(t);
    return sum_of(sum_of(0xcbf29ce484222325ull, numbers, sizeof numbers), title, strlen(title));
}

static void fit(struct deltas *d, int rows)
{
    if (d->count == rows)
        return;
    free(d->rows);
    d->rows = memory_new((size_t)rows * sizeof *d->rows);
    d->count = rows;
}

static json_t *changed_rows(struct deltas *d, const struct terminal *t, uint64_t hidden)
{
    json_t *rows = json_array();
    struct bytes text = {0};
    for (int i = 0; i < d->count; i++) {
        text.len = 0;
        screen_row_text(t, i, hidden, &text);
        uint64_t sum = sum_of(0xcbf29ce484222325ull, text.data, text.len);
        if (sum == d->rows[i])
            continue;
        d->rows[i] = sum;
        json_array_append_new(rows, json_pack("{s:i, s:o}", "row", i, "text",
                                              json_stringn(text.data ? text.data : "", text.len)));
    }
    bytes_finish(&text);
    return rows;
}

void deltas_finish(struct deltas *d)
{
    free(d->rows);
    *d = (struct deltas){0};
}

json_t *deltas_take(struct deltas *d, const struct terminal *t, uint64_t hidden)
{
    struct terminal_cursor cursor = terminal_cursor(t);
    fit(d, terminal_rows(t));
    uint64_t frame = frame_of(t);
    json_t *rows = changed_rows(d, t, hidden);
    if (frame == d->frame && !json_array_size(rows)) {
        json_decref(rows);
        return NULL;
    }
    d->frame = frame;
    return json_pack("{s:o, s:{s:i, s:i}, s:s, s:b, s:i, s:i}", "rows", rows, "cursor", "row",
                     cursor.row, "col", cursor.col, "title", terminal_title(t), "alt_screen",
                     terminal_alt_screen(t), "cols", terminal_cols(t), "rows_count",
                     terminal_rows(t));
}
