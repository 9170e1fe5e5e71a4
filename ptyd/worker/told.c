#include "ptyd/worker/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "vterm_snapshot/left.h"

static void add_line(struct told *told, const struct session *s, size_t i)
{
    const struct terminal *t = session_terminal(s);
    uint64_t number, last;
    struct told_row *row = &told->rows[told->count++];
    terminal_scrollback_numbers(t, i, &number, &last);
    terminal_scrollback_text(t, i, &row->text);
    row->goes_on = terminal_scrollback_goes_on(t, i);
    row->withheld = last >= session_withheld_from(s);
    for (; number <= last && !row->withheld; number++)
        row->withheld = session_withholds_row(s, number);
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

static size_t above(size_t from, size_t around)
{
    return from > around ? from - around : 0;
}

struct told told_gather_screen(const struct session *s)
{
    const struct terminal *t = session_terminal(s);
    size_t held = terminal_scrollback_count(t), rows = (size_t)terminal_rows(t);
    size_t around = told_rows_around(terminal_cols(t));
    size_t first = terminal_alt_screen(t) ? held : above(held, around);
    struct told told = {.rows = memory_new((held - first + rows) * sizeof *told.rows),
                        .around = around};
    for (size_t i = first; i < held; i++)
        add_line(&told, s, i);
    for (size_t i = 0; i < rows; i++)
        add_row(&told, s, (int)i);
    for (size_t i = 0; i < told.count; i++)
        told_row_measure(&told.rows[i], terminal_cols(t));
    return told;
}

json_t *told_json(const struct told *told, size_t from, size_t to,
                  const struct redact_secrets *secrets, int *found)
{
    size_t first = above(from, told->around);
    size_t last = to + told->around < told->count ? to + told->around : told->count;
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

/* ---- lines ---- */

struct told_lines {
    struct left *left;  /* those that are not in the window yet, */
    struct told screen; /* and what of the screen is behind them, */
    size_t screen_at;   /* up to here in the window */
    struct told window; /* the next ones to be told, and those around them */
    size_t before;      /* so many of it are told, or stand in front of the first */
    size_t rows;        /* that are to be told */
    int cols;
    uint64_t withheld_from;
    size_t withheld_count;
    struct row_range withheld[LIMIT_WITHHELD];
};

/* The row that `left` gave last: some of what it stands in. */
static bool is_withheld(const struct told_lines *l)
{
    uint64_t first, last;
    left_numbers(l->left, &first, &last);
    bool is = last >= l->withheld_from;
    for (size_t i = 0; i < l->withheld_count && !is; i++)
        is = last >= l->withheld[i].from && first < l->withheld[i].to;
    return is;
}

/* Rows around those told, and those. */
static size_t window_rows(const struct told_lines *l)
{
    return l->window.around + LIMIT_TOLD_ROWS + l->window.around;
}

/* No line goes on onto the alternate screen. */
static void gather_behind(struct told_lines *l, const struct session *s, size_t rows)
{
    const struct terminal *t = session_terminal(s);
    size_t there = terminal_alt_screen(t) ? 0 : (size_t)terminal_rows(t);
    rows = rows < there ? rows : there;
    l->screen.rows = memory_new((rows + 1) * sizeof *l->screen.rows);
    for (size_t i = 0; i < rows; i++) {
        add_row(&l->screen, s, (int)i);
        told_row_measure(&l->screen.rows[i], l->cols);
    }
}

struct told_lines *told_lines_open(const struct session *s, size_t from, size_t to)
{
    const struct terminal *t = session_terminal(s);
    size_t held = terminal_scrollback_count(t), around = told_rows_around(terminal_cols(t));
    size_t first = above(from, around);
    to = to < held ? to : held;
    size_t last = held - to < around ? held : to + around;
    struct told_lines *l = memory_new(sizeof *l);
    *l = (struct told_lines){.left = terminal_copy_scrollback(t, first, last),
                             .window.around = around,
                             .before = from - first,
                             .rows = to - from,
                             .cols = terminal_cols(t),
                             .withheld_from = session_withheld_from(s)};
    if (!l->left)
        memory_end();
    l->window.rows = memory_new(window_rows(l) * sizeof *l->window.rows);
    const struct row_range *withheld = session_withheld(s, &l->withheld_count);
    memcpy(l->withheld, withheld, l->withheld_count * sizeof *withheld);
    gather_behind(l, s, to + around - last);
    return l;
}

static void forget_rows(struct told *told, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_finish(&told->rows[i].text);
    told->count -= count;
    memmove(told->rows, told->rows + count, told->count * sizeof *told->rows);
}

void told_lines_close(struct told_lines *l)
{
    if (!l)
        return;
    forget_rows(&l->window, l->window.count);
    free(l->window.rows);
    for (size_t i = l->screen_at; i < l->screen.count; i++)
        bytes_finish(&l->screen.rows[i].text);
    free(l->screen.rows);
    left_destroy(l->left);
    free(l);
}

/* One more into the window; false where there is none. */
static bool add_next(struct told_lines *l)
{
    struct told_row *row = &l->window.rows[l->window.count];
    *row = (struct told_row){0};
    if (left_text(l->left, &row->text)) {
        row->goes_on = left_goes_on(l->left);
        row->withheld = is_withheld(l);
        told_row_measure(row, l->cols);
    } else if (l->screen_at < l->screen.count) {
        *row = l->screen.rows[l->screen_at++];
    } else {
        return false;
    }
    l->window.count++;
    return true;
}

json_t *told_lines_next(struct told_lines *l, const struct redact_secrets *secrets, int *found)
{
    size_t rows = l->rows < LIMIT_TOLD_ROWS ? l->rows : LIMIT_TOLD_ROWS;
    if (!rows)
        return NULL;
    size_t gone = above(l->before, l->window.around);
    if (gone)
        forget_rows(&l->window, gone);
    l->before -= gone;
    while (l->window.count < l->before + rows + l->window.around && add_next(l))
        ;
    json_t *told = told_json(&l->window, l->before, l->before + rows, secrets, found);
    l->before += rows;
    l->rows -= rows;
    return told;
}

size_t told_lines_bytes(const struct told_lines *l)
{
    size_t texts = 0;
    for (size_t i = 0; i < l->window.count; i++)
        texts += l->window.rows[i].text.capacity;
    return sizeof *l + (window_rows(l) + l->screen.count) * sizeof *l->window.rows + texts +
           left_bytes(l->left);
}
