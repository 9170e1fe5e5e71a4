/* Plain lines (plain.h) go into rows without visiting libvterm, which is told afterwards where the
 * cursor is; in a long batch all but the last screenful go straight into scrollback and capture.
 * The result is what libvterm would have made of them, cell for cell (tests/unit/test_bypass.c). */
#define _GNU_SOURCE
#include "vterm_snapshot/emulator_private.h"

#include <string.h>

static void scroll_one(struct emulator *e)
{
    emulator_push_row(e, 0);
    grid_scroll(&e->primary, 0, e->primary.rows, 1, emulator_blank_pen(e));
}

static void next_row(struct emulator *e)
{
    if (e->cursor.row + 1 < e->primary.rows)
        e->cursor.row++;
    else
        scroll_one(e);
    e->cursor.col = 0;
}

/* One line without its end, from the cursor on. */
static void put_line(struct emulator *e, const char *text, size_t len)
{
    struct grid *grid = &e->primary;
    for (size_t i = 0; i < len; i++) {
        if (e->cursor.col == grid->cols) {
            next_row(e);
            grid->row[e->cursor.row]->continuation = true;
        }
        if (text[i] == '\t') {
            e->cursor.col = (e->cursor.col | 7) + 1;
            continue;
        }
        struct row *row = grid->row[e->cursor.row];
        row->stamp = grid->stamp;
        row->extent = grid->cols;
        row->cells[e->cursor.col++] =
            (struct cell){.character = (unsigned char)text[i], .pen = e->pen_number};
    }
    next_row(e);
}

/* One row of a line that is scrolled away before anybody sees it. */
static void push_text(struct emulator *e, const char *text, size_t len, bool continuation,
                      bool wrapped)
{
    while (!wrapped && len && text[len - 1] == ' ')
        len--;
    capture_text_leaves(&e->capture, text, len, continuation);
    scrollback_push(e->scrollback, &(struct scrollback_line){.text = (char *)text,
                                                             .len = (uint32_t)len,
                                                             .continuation = continuation});
}

static void push_line(struct emulator *e, const char *text, size_t len)
{
    size_t cols = (size_t)e->primary.cols;
    if (memchr(text, '\t', len)) {
        e->line.len = 0;
        for (size_t i = 0; i < len; i++)
            do
                bytes_append_char(&e->line, text[i] == '\t' ? ' ' : text[i]);
            while (text[i] == '\t' && e->line.len % 8);
        text = e->line.data;
        len = e->line.len;
    }
    for (size_t at = 0;; at += cols) {
        bool wrapped = len - at > cols;
        push_text(e, text + at, wrapped ? cols : len - at, at > 0, wrapped);
        if (!wrapped)
            break;
    }
}

/* The rest of the line at `at` without its end; moves `at` behind it. */
static const char *take_line(const char **at, size_t *ret_len)
{
    const char *line = *at;
    const char *newline = strchr(line, '\n');
    *ret_len = (size_t)(newline - line) - 1;
    *at = newline + 1;
    return line;
}

/* How many bytes at the end of the lines make up at least a screenful. */
static size_t last_screenful(const struct emulator *e, const char *bytes, size_t len)
{
    size_t rows = 0, at = len;
    while (at > 0 && rows + 1 < (size_t)e->primary.rows) {
        size_t end = at - 2;
        const char *newline = memrchr(bytes, '\n', end);
        at = newline ? (size_t)(newline - bytes) + 1 : 0;
        size_t width = plain_width(bytes + at, end - at);
        rows += width ? (width + (size_t)e->primary.cols - 1) / (size_t)e->primary.cols : 1;
    }
    return len - at;
}

/* The screen is about to be scrolled away as a whole: nothing of these lines is drawn. */
static void push_batch(struct emulator *e, const char *bytes, size_t len)
{
    struct grid *grid = &e->primary;
    for (int i = 0; i + 1 < grid->rows; i++)
        emulator_push_row(e, i);
    for (const char *at = bytes; at < bytes + len;) {
        size_t line_len;
        const char *line = take_line(&at, &line_len);
        push_line(e, line, line_len);
    }
    grid_scroll(grid, 0, grid->rows, grid->rows, 0);
    e->cursor = (VTermPos){0, 0};
}

/* The cursor is in a row at the bottom that nothing was written to, and that no capture began
 * inside of. */
static bool at_fresh_bottom(const struct emulator *e)
{
    const struct row *row = e->primary.row[e->primary.rows - 1];
    bool begun = e->capture.active && e->capture.anchor_col &&
                 e->capture.anchor == emulator_top(e) + (uint64_t)e->cursor.row;
    return e->cursor.row == e->primary.rows - 1 && e->cursor.col == 0 && row_used(row) == 0 &&
           !row->continuation && !begun;
}

static void take_lines(struct emulator *e, const char *bytes, size_t len, size_t lines)
{
    const char *at = bytes, *end = bytes + len;
    size_t many = 2 * (size_t)e->primary.rows;
    emulator_know_pen(e);
    while (at < end) {
        if (lines > many && !e->pen_number && at_fresh_bottom(e)) {
            size_t left = (size_t)(end - at);
            size_t away = left - last_screenful(e, at, left);
            push_batch(e, at, away);
            at += away;
            lines = 0;
            continue;
        }
        size_t line_len;
        const char *line = take_line(&at, &line_len);
        put_line(e, line, line_len);
        lines -= lines > 0;
    }
}

size_t bypass_lines(struct emulator *e, const char *bytes, size_t len)
{
    bool pending_wrap = e->ahead ? e->phantom : e->glyph_end >= e->primary.cols;
    size_t lines = 0;
    if (e->plain.exotic || e->options.no_bypass || e->shown != &e->primary || pending_wrap ||
        e->edge_unsure)
        return 0;
    /* A tab counts from the line's start: only where the first line starts there. */
    size_t taken = plain_lines(bytes, len, e->primary.cols, &lines);
    if (!lines || (e->cursor.col && memchr(bytes, '\t', taken)))
        return 0;
    take_lines(e, bytes, taken, lines);
    e->ahead = true;
    e->phantom = false;
    e->text_before = false;
    e->glyph_end = -1;
    return taken;
}
