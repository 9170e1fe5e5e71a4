#include "vterm_snapshot/capture.h"

#include <string.h>

void capture_begin(struct capture *c, struct terminal_anchor anchor, uint32_t stamp)
{
    c->active = true;
    c->stamp = stamp;
    c->anchor = anchor;
    c->done = (struct terminal_anchor){0};
    c->started = c->erased = false;
    c->blank = 0;
}

static void hand_out(struct capture *c, const char *text, size_t len)
{
    static const char newlines[64] = {[0 ... 63] = '\n'};
    for (; c->blank; c->blank -= c->blank < 64 ? c->blank : 64)
        c->output(c->user, newlines, c->blank < 64 ? (size_t)c->blank : 64);
    c->output(c->user, text, len);
}

static void text_out(struct capture *c, const char *text, size_t len, bool continuation)
{
    c->blank += c->started && !continuation;
    c->started = true;
    if (len)
        hand_out(c, text, len);
}

/* What the command printed in the row it began in after a narrower screen took away the column may
 * stand anywhere there; and it may have drawn over what is in front. */
static int first_col(const struct capture *c, const struct row *row, uint64_t number)
{
    int col = number == anchor_row(c->anchor) ? anchor_col(c->anchor) : 0, first = 0;
    if (col >= row->extent)
        return row->stamp == c->stamp ? 0 : col;
    while (first < col && row->cells[first].stale)
        first++;
    return row->stamp == c->stamp ? first : col;
}

/* In front of this column the row was handed out. */
static int done_col(const struct capture *c, uint64_t number)
{
    return number == anchor_row(c->done) ? anchor_col(c->done) : 0;
}

/* A row that goes on in the next one keeps its trailing blanks: they were printed. */
static void row_out(struct capture *c, const struct row *row, uint64_t number, bool wrapped,
                    const struct styles *styles)
{
    int from = first_col(c, row, number), done = done_col(c, number), to = row_used(row);
    bool goes_on = done ? from <= done : row->continuation && from == 0;
    from = from > done ? from : done;
    while (to > from && (row->cells[to - 1].stale || !row->cells[to - 1].character))
        to--;
    c->text.len = 0;
    if (c->styled)
        styled_cells(row, from, to, !wrapped, styles, &c->text);
    else if (wrapped)
        row_text(row, from, to, styles->clusters, &c->text);
    else
        row_text_trimmed(row, from, to, styles->clusters, &c->text);
    if (!c->text.failed)
        text_out(c, c->text.data, c->text.len, goes_on);
}

static bool belongs(const struct capture *c, const struct row *row, uint64_t number)
{
    return number >= anchor_row(c->done) &&
           (number >= anchor_row(c->anchor) || row->stamp == c->stamp);
}

/* Blank rows in front of the first text are output only where the command stood when it began. */
static bool is_leading_blank(const struct capture *c, const struct row *row, uint64_t number)
{
    return !c->started && (c->erased || number < anchor_row(c->anchor)) && row_is_blank(row);
}

void capture_row_leaves(struct capture *c, const struct row *row, uint64_t number, bool wrapped,
                        const struct styles *styles)
{
    if (!c->active || !belongs(c, row, number) || is_leading_blank(c, row, number))
        return;
    row_out(c, row, number, wrapped, styles);
}

void capture_text_leaves(struct capture *c, const struct scrollback_row *row,
                         const struct styles *styles)
{
    if (!c->active)
        return;
    size_t spaces = 0;
    while (spaces < row->len && row->text[spaces] == ' ')
        spaces++;
    if (spaces == row->len && c->erased && !c->started)
        return;
    c->text.len = 0;
    if (c->styled)
        styled_left(row, styles, &c->text);
    if (!c->styled || !c->text.failed)
        text_out(c, c->styled ? c->text.data : row->text, c->styled ? c->text.len : row->len,
                 row->continuation);
}

void capture_screen_erased(struct capture *c, uint64_t top)
{
    c->anchor = (struct terminal_anchor){.line = top};
    c->done = (struct terminal_anchor){0};
    c->erased = true;
}

/* Where the row it began in goes, all that comes to stand there is the command's. */
void capture_rows_cut(struct capture *c, uint64_t end)
{
    if (anchor_row(c->anchor) >= end)
        c->anchor = (struct terminal_anchor){.line = end};
}

/* So it is behind a row that loses the column and holds nothing of the command; what still comes
 * there is its, too. */
void capture_row_cut(struct capture *c, const struct row *row, uint64_t number, int cols)
{
    if (number != anchor_row(c->anchor))
        return;
    bool behind = row->stamp != c->stamp && anchor_col(c->anchor) >= cols;
    if (behind || first_col(c, row, number) == 0)
        c->anchor = (struct terminal_anchor){.line = number + behind};
}

void capture_taken_back(struct capture *c, uint64_t end)
{
    if (anchor_row(c->done) < end)
        c->done = (struct terminal_anchor){.line = end};
}

static int last_row(const struct capture *c, const struct grid *grid, int cursor_row)
{
    int last = grid->rows - 1;
    while (last > cursor_row &&
           (grid->row[last]->stamp != c->stamp || row_is_blank(grid->row[last])))
        last--;
    return last;
}

void capture_screen(struct capture *c, const struct grid *grid, uint64_t top, int cursor_row,
                    const struct styles *styles)
{
    int last = last_row(c, grid, cursor_row);
    for (int i = 0; c->active && i <= last; i++) {
        const struct row *row = grid->row[i];
        uint64_t number = top + (uint64_t)i;
        if (!belongs(c, row, number) || is_leading_blank(c, row, number))
            continue;
        bool wrapped = i < last && grid->row[i + 1]->continuation;
        row_out(c, row, number, wrapped, styles);
    }
}

void capture_finish(struct capture *c)
{
    bytes_finish(&c->text);
}
