/* A row is erased and then drawn, so that it does not matter what stood there. One that was wrapped
 * onto the next is printed on into that, so that the outer terminal knows it as one line. Cells
 * that nothing was written to are left out or erased, not printed. */
#include "vterm_snapshot/redraw.h"

#include <string.h>

#include "vterm_snapshot/sgr.h"

/* Margins, origin, insert and the like off; ASCII; no protection, link, colour, cursor. */
#define NEUTRAL                                                                                    \
    "\x1b[r\x1b[?69l\x1b[?6l\x1b[?7h\x1b[?45l\x1b[4l\x1b[20l\x1b(B\x1b)B\x1b*B\x1b+B"              \
    "\x0f\x1b[0\"q\x1b]8;;\x1b\\\x1b[m\x1b[?25l"

/* Where a terminal can it shows all of it at once. */
#define BEGIN "\x1b[?2026h"
#define END   "\x1b[?2026l"

/* What the outer terminal has by now. */
struct drawing {
    const struct screen *screen;
    struct bytes *out;
    uint16_t pen;
    bool protect;
    int left;    /* the column that is its first one */
    bool larger; /* the screen ends before its edge */
};

/* ---- cells ---- */

static void set_pen(struct drawing *d, uint16_t number)
{
    const struct pen_table *pens = screen_pens(d->screen);
    const struct pen *old = pen_lookup(pens, d->pen), *pen = pen_lookup(pens, number);
    if (d->pen == number)
        return;
    sgr_append(pen, d->out);
    if (pen->link != old->link)
        link_append(screen_links(d->screen), pen->link, d->out);
    d->pen = number;
}

static void set_protect(struct drawing *d, bool on)
{
    if (d->protect != on)
        bytes_append_text(d->out, on ? "\x1b[1\"q" : "\x1b[0\"q");
    d->protect = on;
}

static void place(struct drawing *d, int row, int col)
{
    bytes_printf(d->out, "\x1b[%d;%dH", row + 1, col + 1);
}

/* Whether the character there, or the one that covers it, is whole within [from, to). */
static bool is_whole(const struct cell *cell, int col, int from, int to)
{
    if (cell[col].character == CELL_COVERED)
        return col > from && cell[col - 1].wide;
    return !cell[col].wide || (col + 1 < to && cell[col + 1].character == CELL_COVERED);
}

/* What a cluster's characters take one by one, where it was measured as a whole; else 0. */
static int apart(const struct drawing *d, const struct cell *cell)
{
    uint32_t codes[CLUSTER_MAX];
    size_t count = cluster_codes(screen_clusters(d->screen), cell->character, codes);
    int columns = 0;
    for (size_t i = 0; cell->character & CLUSTER_FLAG && i < count; i++)
        columns += (int)width_of(codes[i]);
    return columns == 1 + cell->wide ? 0 : columns;
}

/* Terminals that know no clusters are put behind it, and what came too far is taken away. */
static void draw_cluster(struct drawing *d, const struct row *row, int col, int to, int columns)
{
    int width = 1 + row->cells[col].wide;
    int excess = (columns < to - col ? columns : to - col) - width;
    bytes_append_text(d->out, "\x1b[?2027h");
    row_text(row, col, col + 1, screen_clusters(d->screen), d->out);
    bytes_append_text(d->out, "\x1b[?2027l");
    if (col + width < to)
        bytes_printf(d->out, "\x1b[%dG", col + width - d->left + 1);
    if (col + width < to && excess > 0)
        bytes_printf(d->out, "\x1b[%dX", excess);
}

/* Of half a wide character terminals show a blank. */
static void draw_cell(struct drawing *d, const struct row *row, int col, int from, int to)
{
    const struct cell *cell = &row->cells[col];
    set_pen(d, cell->pen);
    set_protect(d, cell->protected);
    if (!is_whole(row->cells, col, from, to))
        bytes_append_char(d->out, ' ');
    else if (apart(d, cell))
        draw_cluster(d, row, col, to, apart(d, cell));
    else
        row_text(row, col, col + 1, screen_clusters(d->screen), d->out);
}

/* Cells [col, end) alike, that nothing was written to. */
static void draw_empty(struct drawing *d, const struct row *row, int col, int end, int to)
{
    set_pen(d, row->cells[col].pen);
    if (d->pen)
        bytes_printf(d->out, "\x1b[%dX", end - col);
    if (end < to)
        bytes_printf(d->out, "\x1b[%dC", end - col);
}

static int end_of_empty(const struct row *row, int col, int to)
{
    uint16_t pen = row->cells[col].pen;
    while (col < to && !row->cells[col].character && row->cells[col].pen == pen)
        col++;
    return col;
}

static void draw_cells(struct drawing *d, const struct row *row, int from, int to)
{
    for (int col = from, end; col < to; col = end) {
        end = col + 1;
        if (row->cells[col].character) {
            draw_cell(d, row, col, from, to);
            continue;
        }
        end = end_of_empty(row, col, to);
        draw_empty(d, row, col, end, to);
    }
    set_pen(d, 0);
    set_protect(d, false);
}

/* ---- rows ---- */

static void erase_row(struct drawing *d, int row)
{
    place(d, row, 0);
    bytes_append_text(d->out, "\x1b[2K");
}

/* Whether a terminal that drew row `i` waits at its end, and wraps by itself with what comes. */
static bool flows_on(const struct grid *grid, int i)
{
    const struct row *next = i + 1 < grid->rows ? grid->row[i + 1] : NULL;
    const struct cell *cell = grid->row[i]->cells;
    int last = grid->cols - 1;
    return next && next->continuation && next->cells[0].character &&
           next->cells[0].character != CELL_COVERED && is_whole(next->cells, 0, 0, grid->cols) &&
           (cell[last].character || (last && cell[last - 1].character && next->cells[0].wide));
}

static void draw_grid(struct drawing *d, const struct grid *grid)
{
    if (d->larger) { /* where it has no further row this is the last one, which is drawn */
        place(d, grid->rows, 0);
        bytes_append_text(d->out, "\x1b[J");
    }
    for (int i = 0, end; i < grid->rows; i = end) {
        for (end = i; end == i || (!d->larger && end < grid->rows && flows_on(grid, end - 1));
             end++)
            erase_row(d, end);
        place(d, i, 0);
        for (int row = i; row < end; row++)
            draw_cells(d, grid->row[row], 0, grid->cols);
    }
}

/* ---- the cursor ---- */

/* The column of the character behind which a saved cursor waits, or its own. */
static int col_of(const struct grid *grid, const struct modes_cursor *saved)
{
    const struct cell *cell = grid->row[saved->row]->cells;
    return saved->col - (saved->col > 0 && cell[saved->col].character == CELL_COVERED);
}

/* Of a screen that is drawn, before margins are set; of one that is hidden `grid` is NULL. Where it
 * waits the character is printed again. */
static void append_saved(struct drawing *d, const struct grid *grid,
                         const struct modes_cursor *saved, const char *save)
{
    bool inside = grid && saved->row < grid->rows && saved->col < grid->cols;
    bool waits = saved->waits && inside && saved->col + 1 == grid->cols;
    int col = waits ? col_of(grid, saved) : saved->col;
    bytes_append_text(d->out, saved->origin ? "\x1b[?6h" : "");
    place(d, saved->row, col);
    if (waits && grid->row[saved->row]->cells[col].character)
        draw_cell(d, grid->row[saved->row], col, 0, grid->cols);
    set_pen(d, 0);
    modes_append_sets(&saved->sets, d->out);
    set_protect(d, saved->protect);
    sgr_append(&saved->pen, d->out);
    bytes_append_text(d->out, save);
    bytes_append_text(d->out, saved->origin ? "\x1b[?6l" : "");
    modes_append_sets(&(struct modes_sets){0}, d->out);
    bytes_append_text(d->out, "\x1b[m");
    set_protect(d, false);
}

/* Behind the last character, which is printed again: at the edge it waits then, and a mark joins.
 */
static void append_cursor(struct drawing *d)
{
    const struct grid *grid = screen_grid(d->screen);
    const struct modes *m = screen_modes(d->screen);
    struct screen_cursor cursor = screen_cursor(d->screen);
    const struct row *row = grid->row[cursor.row];
    int top = 0, bottom = grid->rows;
    bool origin = modes_get(m, MODE_ORIGIN);
    if (origin)
        modes_region(m, grid->rows, &top, &bottom);
    bool margins = origin && modes_get(m, MODE_MARGINS);
    int left = margins && m->left > 0 ? m->left - 1 : 0;
    bool sure = !margins && cursor.row >= top && cursor.row < bottom; /* it is placed right there */
    int col = sure && cursor.behind >= 0 ? cursor.behind : cursor.col;
    place(d, cursor.row > top ? cursor.row - top : 0, col > left ? col - left : 0);
    if (col == cursor.behind)
        draw_cell(d, row, col, 0, grid->cols);
    set_pen(d, 0);
    set_protect(d, false);
}

static void append_pen(struct drawing *d)
{
    const struct pen *pen = screen_pen(d->screen);
    sgr_append(pen, d->out);
    link_append(screen_links(d->screen), pen->link, d->out);
}

/* ---- all ---- */

/* Some terminals have one saved cursor for both screens: on the alternate one none is saved unless
 * a program did. */
static bool has_saved(const struct modes_cursor *saved)
{
    static const struct modes_cursor none;
    return memcmp(saved, &none, sizeof none) != 0;
}

/* What the alternate screen knows while the primary one is shown. */
static void append_hidden(struct drawing *d)
{
    const struct modes *m = screen_modes(d->screen);
    if (!has_saved(&m->saved[1]) && !m->keyboard.stack[1].depth && !m->keyboard.stack[1].flags[0])
        return;
    bytes_append_text(d->out, "\x1b[?1047h");
    keyboard_append_stack(&m->keyboard, true, d->out);
    append_saved(d, NULL, &m->saved[1],
                 "\x1b"
                 "7");
    bytes_append_text(d->out, "\x1b[?1047l");
}

/* Tab stops belong to both screens. The cursor is saved by what switches to the alternate one, too.
 */
static void draw_all(const struct screen *s, bool larger, struct bytes *out)
{
    struct drawing d = {.screen = s, .out = out, .larger = larger};
    const struct modes *m = screen_modes(s);
    bool alternate = screen_alt_screen(s);
    bytes_append_text(out, BEGIN "\x1b[?1049l" NEUTRAL);
    if (!alternate)
        append_hidden(&d);
    draw_grid(&d, screen_primary(s));
    modes_append_tabs(m, screen_grid(s)->cols, out);
    keyboard_append_stack(&m->keyboard, false, out);
    append_saved(&d, screen_primary(s), &m->saved[0],
                 alternate ? "\x1b[?1049h"
                           : "\x1b"
                             "7");
    if (alternate) {
        draw_grid(&d, screen_grid(s));
        keyboard_append_stack(&m->keyboard, true, out);
        if (has_saved(&m->saved[1]))
            append_saved(&d, screen_grid(s), &m->saved[1],
                         "\x1b"
                         "7");
    }
    modes_append_margins(m, out);
    append_cursor(&d);
    modes_append_text(m, out);
    append_pen(&d);
    keyboard_append_modify(&m->keyboard, out);
    modes_append_looks(m, out);
    bytes_append_text(out, END);
}

void redraw_screen(const struct screen *s, struct bytes *out)
{
    draw_all(s, false, out);
}

void redraw_screen_larger(const struct screen *s, struct bytes *out)
{
    draw_all(s, true, out);
}

/* ---- a part ---- */

/* The first of `shown` rows or columns of `all`: the cursor's `at` is among them. Half of them go
 * by at once, so that not every step moves everything. */
static int first_shown(int at, int shown, int all)
{
    int step = shown > 1 ? shown / 2 : 1, first = 0;
    while (at >= first + shown)
        first += step;
    return first + shown > all && all > shown ? all - shown : first;
}

/* The size of a terminal that shows a part is none that the program has: it is not to tell it. */
static void append_part_looks(const struct modes *m, struct bytes *out)
{
    struct modes part = *m;
    modes_set(&part, true, 2048, false);
    modes_append_looks(&part, out);
}

void redraw_part_origin(const struct screen *s, int cols, int rows, int *ret_top, int *ret_left)
{
    const struct grid *grid = screen_grid(s);
    struct screen_cursor cursor = screen_cursor(s);
    *ret_top = first_shown(cursor.row, rows, grid->rows);
    *ret_left = first_shown(cursor.col, cols, grid->cols);
}

void redraw_part(const struct screen *s, int cols, int rows, struct bytes *out)
{
    const struct modes *m = screen_modes(s);
    const struct grid *grid = screen_grid(s);
    struct screen_cursor cursor = screen_cursor(s);
    int top, left;
    redraw_part_origin(s, cols, rows, &top, &left);
    struct drawing d = {.screen = s, .out = out, .left = left};
    int right = left + cols < grid->cols ? left + cols : grid->cols;
    bytes_append_text(out, BEGIN);
    bytes_append_text(out, screen_alt_screen(s) ? "\x1b[?1049h" NEUTRAL : "\x1b[?1049l" NEUTRAL);
    bytes_append_text(out, "\x1b[?7l"); /* half a character at the edge wraps nothing */
    for (int i = 0; i < rows; i++) {
        erase_row(&d, i);
        if (top + i < grid->rows)
            draw_cells(&d, grid->row[top + i], left, right);
    }
    keyboard_append_stack(&m->keyboard, screen_alt_screen(s), out);
    keyboard_append_modify(&m->keyboard, out);
    append_part_looks(m, out);
    place(&d, cursor.row - top, cursor.col - left);
    bytes_append_text(out, END);
}

void redraw_end(const struct screen *s, struct bytes *out)
{
    const struct grid *grid = screen_primary(s);
    int last = grid->rows - 1, least = screen_alt_screen(s) ? 0 : screen_cursor(s).row;
    while (last > least && row_is_blank(grid->row[last]))
        last--;
    bytes_append_text(out, screen_alt_screen(s) ? "\x1b[?1049l" : "");
    bytes_printf(out, "\x1b[r\x1b[?69l\x1b[?6l\x1b[%d;1H", last + 1);
}
