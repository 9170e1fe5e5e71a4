#include "ptyd/worker/told.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"

static void add_line(struct told *told, const struct session *s, size_t i)
{
    const struct terminal *t = session_terminal(s);
    uint64_t number = terminal_scrollback_total(t) - terminal_scrollback_count(t) + i;
    struct told_row *row = &told->rows[told->count++];
    terminal_scrollback_text(t, i, &row->text);
    row->goes_on = terminal_scrollback_goes_on(t, i);
    row->withheld = session_withholds_row(s, number) || number >= session_withheld_from(s);
}

/* The alternate screen is its program's, and stands on no row. */
static void add_row(struct told *told, const struct session *s, int i)
{
    const struct terminal *t = session_terminal(s);
    bool alt = terminal_alt_screen(t);
    uint64_t number = terminal_scrollback_total(t) + (uint64_t)i, from = session_withheld_from(s);
    struct told_row *row = &told->rows[told->count++];
    terminal_row_text(t, i, &row->text);
    row->goes_on = terminal_row_goes_on(t, i);
    row->withheld = alt ? from != UINT64_MAX : session_withholds_row(s, number) || number >= from;
}

static size_t above(size_t from)
{
    return from > LIMIT_TOLD_AROUND ? from - LIMIT_TOLD_AROUND : 0;
}

struct told told_gather(const struct session *s, size_t from, size_t to)
{
    const struct terminal *t = session_terminal(s);
    bool screen = from == SIZE_MAX;
    size_t held = terminal_scrollback_count(t), rows = (size_t)terminal_rows(t);
    from = screen ? held : from;
    to = screen || to > held ? held : to;
    size_t first = above(from),
           last = to + LIMIT_TOLD_AROUND < held ? to + LIMIT_TOLD_AROUND : held;
    size_t behind = to + LIMIT_TOLD_AROUND - last;
    bool shown = screen || !terminal_alt_screen(t); /* no line goes on onto the alternate screen */
    behind = screen || behind > rows ? rows : shown ? behind : 0;
    struct told told = {.before = from - first};
    if (screen && terminal_alt_screen(t))
        first = last;
    told.rows = memory_new((last - first + behind + 1) * sizeof *told.rows);
    for (size_t i = first; i < last; i++)
        add_line(&told, s, i);
    for (size_t i = 0; i < behind && shown; i++)
        add_row(&told, s, (int)i);
    for (size_t i = 0; i < told.count; i++)
        told_row_measure(&told.rows[i], terminal_cols(t));
    return told;
}

json_t *told_json(const struct told *told, size_t from, size_t to,
                  const struct redact_secrets *secrets, int *found)
{
    size_t first = above(from);
    size_t last = to + LIMIT_TOLD_AROUND < told->count ? to + LIMIT_TOLD_AROUND : told->count;
    struct bytes *texts = memory_new((to - from + 1) * sizeof *texts);
    json_t *rows = json_array();
    *found += told_rows_clean(told->rows + first, last - first, from - first, to - first, secrets,
                              TOLD_TO_AGENTS, texts);
    for (size_t i = 0; i < to - from; i++) {
        json_array_append_new(rows, json_stringn(texts[i].data, texts[i].len));
        bytes_finish(&texts[i]);
    }
    free(texts);
    return rows;
}
