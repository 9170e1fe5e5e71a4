/* Rows of the screen, and in front of them as many of scrollback as are needed, are gathered; their
 * lines are laid out, which gives other rows and says where each old one went; what has no room
 * on the screen leaves at the top as ever. */
#include "vterm_snapshot/reflow.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/screen_private.h"
#include "vterm_snapshot/wrap.h"

/* One that was. */
struct reflow_old {
    uint32_t line;  /* the first new row of its line */
    uint32_t start; /* cells of the line in front */
    uint32_t cells; /* that it gave to the line */
};

enum kind {
    GOES_ON, /* with the line of the row before, which is laid out anew */
    BEGINS,  /* such a line */
    STAYS,   /* as it is */
};

struct old_row {
    struct row *row;
    enum kind kind;
};

struct layout {
    struct screen *screen;
    int cols;  /* from now on */
    bool anew; /* they are others */
    struct old_row old[LIMIT_REFLOW_ROWS + LIMIT_SIZE_MAX];
    size_t first, cursor; /* of the old ones; they go to the end of the array */
    uint64_t base;        /* the number of the first */
    struct row **row;     /* the new ones */
    size_t count, capacity;
    struct reflow *moved;
};

#define OLD_END (LIMIT_REFLOW_ROWS + LIMIT_SIZE_MAX)

void reflow_finish(struct reflow *r)
{
    free(r->old);
    free(r->start);
    *r = (struct reflow){0};
}

/* ---- rows out of scrollback ---- */

static uint16_t pen_at(const struct scrollback_row *piece, int col, int *run)
{
    while (*run < piece->runs && piece->run[*run].column <= col)
        ++*run;
    return *run ? piece->run[*run - 1].pen : 0;
}

static uint32_t character_of(struct screen *s, const char *text, size_t len)
{
    uint32_t codes[CLUSTER_MAX];
    size_t count = 0;
    for (size_t at = 0, step; at < len && count < CLUSTER_MAX; at += step) {
        uint32_t code = 0xfffd;
        int n = utf8_decode(text + at, len - at, &code);
        step = n > 0 ? (size_t)n : 1;
        codes[count++] = code;
    }
    return cluster_intern(s->clusters, codes, count);
}

/* Where some of a row was measured by cluster all of it is, and what was not may come out wider
 * than any row: then each character has one cell, of which there were as many. */
static bool is_too_wide(const struct scrollback_row *piece)
{
    int cols = 0, width;
    for (size_t at = 0; piece->clusters && at < piece->len && cols <= LIMIT_SIZE_MAX; cols += width)
        at += wrap_character(piece->text + at, piece->len - at, true, &width);
    return cols > LIMIT_SIZE_MAX;
}

/* Cells as they were, but for what erased left behind the text, and what was protected. */
static struct row *row_of(struct screen *s, const struct scrollback_row *piece)
{
    struct row *row = row_create(s->primary.cols);
    bool narrow = is_too_wide(piece);
    int col = 0, run = 0;
    if (!row || row_widen(row, piece->len) < 0)
        memory_end();
    for (size_t at = 0, n; at < piece->len; at += n) {
        int width;
        n = wrap_character(piece->text + at, piece->len - at, piece->clusters, &width);
        width = narrow ? 1 : width;
        uint16_t pen = pen_at(piece, col, &run);
        uint32_t character = character_of(s, piece->text + at, n);
        row->cells[col++] = (struct cell){.character = character, .pen = pen, .wide = width > 1};
        if (width > 1)
            row->cells[col++] = (struct cell){.character = CELL_COVERED, .pen = pen};
    }
    row->extent = col > s->primary.cols ? col : s->primary.cols;
    row->continuation = piece->continuation;
    row->clusters = piece->clusters;
    return row;
}

static void pull_piece(struct layout *l, enum kind kind)
{
    struct screen *s = l->screen;
    struct scrollback_row piece =
        scrollback_piece(s->scrollback, scrollback_pieces(s->scrollback) - 1);
    l->old[--l->first] = (struct old_row){.row = row_of(s, &piece), .kind = kind};
    scrollback_pop(s->scrollback);
    l->base--;
}

/* Pieces of the last line held; none where there is no room for them. */
static size_t last_line(const struct layout *l)
{
    const struct scrollback *sb = l->screen->scrollback;
    size_t held = scrollback_pieces(sb), count = 1;
    while (count < held && count <= l->first && scrollback_piece(sb, held - count).continuation)
        count++;
    return held && count <= l->first ? count : 0;
}

/* ---- a line ---- */

static size_t line_end(const struct layout *l, size_t from)
{
    size_t end = from + 1;
    while (end < OLD_END && l->old[end].kind == GOES_ON)
        end++;
    return end;
}

/* The cells that row `i` gives its line, which ends at `end`. */
static int given(const struct layout *l, size_t i, size_t end)
{
    int used = row_used(l->old[i].row);
    int wrapped = i + 1 < end ? l->old[i + 1].row->continuation : used;
    return used < wrapped ? used : wrapped;
}

static int width_at(const struct row *row, int col, int end)
{
    const struct cell *cell = &row->cells[col];
    return cell->wide && col + 1 < end && cell[1].character == CELL_COVERED ? 2 : 1;
}

/* How many rows it takes. */
static size_t rows_of(const struct layout *l, size_t from)
{
    size_t end = line_end(l, from), rows = 1;
    int at = 0;
    if (l->old[from].kind == STAYS)
        return 1;
    for (size_t i = from; i < end; i++) {
        int cells = given(l, i, end);
        for (int col = 0, width; col < cells; col += width) {
            width = width_at(l->old[i].row, col, cells);
            rows += at + width > l->cols;
            at = at + width > l->cols ? width : at + width;
        }
    }
    return rows;
}

/* Of rows [from, to), which begin lines. */
static size_t rows_between(const struct layout *l, size_t from, size_t to)
{
    size_t rows = 0;
    for (; from < to; from = line_end(l, from))
        rows += rows_of(l, from);
    return rows;
}

static void add_row(struct layout *l, struct row *row, uint32_t start)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 128;
        l->row = memory_grow(l->row, l->capacity * sizeof(struct row *));
        l->moved->start = memory_grow(l->moved->start, l->capacity * sizeof(uint32_t));
    }
    l->moved->start[l->count] = start;
    l->row[l->count++] = row;
}

static struct row *add_new(struct layout *l, uint32_t start, int continuation)
{
    struct row *row = row_create(l->cols);
    if (!row)
        memory_end();
    row->continuation = (uint16_t)continuation;
    add_row(l, row, start);
    return row;
}

/* What stood in front of the capture in its line, and that no command touched, is none of it. */
static bool is_before_capture(const struct layout *l, size_t i)
{
    const struct capture *c = &l->screen->capture;
    return c->active && l->base + (i - l->first) < anchor_row(c->anchor) &&
           l->old[i].row->stamp != c->stamp;
}

static void take_stamp(const struct layout *l, struct row *to, const struct row *from, bool first)
{
    if (first || from->stamp == l->screen->primary.stamp)
        to->stamp = from->stamp;
}

static void lay_out(struct layout *l, size_t from)
{
    size_t end = line_end(l, from);
    uint32_t line = (uint32_t)l->count, start = 0;
    struct row *to = add_new(l, 0, l->old[from].row->continuation);
    int at = 0;
    for (size_t i = from; i < end; i++) {
        const struct row *row = l->old[i].row;
        int cells = given(l, i, end);
        bool stale = is_before_capture(l, i);
        l->screen->has_stale = l->screen->has_stale || stale;
        l->moved->old[i - l->first] = (struct reflow_old){line, start, (uint32_t)cells};
        take_stamp(l, to, row, at == 0);
        for (int col = 0, width; col < cells; col += width, start += (uint32_t)width) {
            width = width_at(row, col, cells);
            if (at + width > l->cols) {
                to = add_new(l, start, l->cols);
                at = 0;
            }
            take_stamp(l, to, row, at == 0);
            to->clusters = to->clusters || row->clusters;
            memcpy(to->cells + at, row->cells + col, (size_t)width * sizeof *to->cells);
            if (width == 1 && (to->cells[at].wide || to->cells[at].character == CELL_COVERED))
                to->cells[at] = (struct cell){.character = ' ', .pen = row->cells[col].pen};
            for (int k = at; stale && k < at + width; k++)
                to->cells[k].stale = 1;
            at += width;
        }
    }
    for (size_t i = from; i < end; i++)
        row_destroy(l->old[i].row);
}

static void keep_row(struct layout *l, size_t i)
{
    capture_row_cut(&l->screen->capture, l->old[i].row, l->base + (i - l->first), l->cols);
    if (row_widen(l->old[i].row, l->cols) < 0)
        memory_end();
    l->moved->old[i - l->first] =
        (struct reflow_old){.line = (uint32_t)l->count, .cells = UINT32_MAX};
    add_row(l, l->old[i].row, 0);
}

static void lay_out_all(struct layout *l)
{
    struct reflow *moved = l->moved;
    reflow_finish(moved);
    moved->base = l->base;
    moved->old_count = OLD_END - l->first;
    moved->old = memory_new(moved->old_count * sizeof *moved->old);
    for (size_t i = l->first, end; i < OLD_END; i = end) {
        end = line_end(l, i);
        if (l->old[i].kind == STAYS)
            keep_row(l, i);
        else
            lay_out(l, i);
    }
}

/* ---- the screen ---- */

/* Its rows; the lines that are laid out anew are those without the cursor, where the width is
 * another one. */
static void gather_screen(struct layout *l, int cursor_row)
{
    struct grid *grid = &l->screen->primary;
    int top = cursor_row, bottom = cursor_row + 1;
    while (top > 0 && grid->row[top]->continuation)
        top--;
    while (bottom < grid->rows && grid->row[bottom]->continuation)
        bottom++;
    l->first = OLD_END - (size_t)grid->rows;
    l->cursor = l->first + (size_t)cursor_row;
    l->base = screen_top(l->screen);
    for (int i = 0; i < grid->rows; i++) {
        bool stays = !l->anew || (i >= top && i < bottom);
        bool begins = i == 0 || i == bottom || !grid->row[i]->continuation;
        l->old[l->first + (size_t)i] = (struct old_row){grid->row[i], stays    ? STAYS
                                                                      : begins ? BEGINS
                                                                               : GOES_ON};
    }
}

/* The line that goes on in the first row comes whole. */
static void gather_front(struct layout *l)
{
    if (l->old[l->first].kind != BEGINS || !l->old[l->first].row->continuation)
        return;
    for (size_t count = last_line(l); count; count--) {
        l->old[l->first].kind = GOES_ON;
        pull_piece(l, BEGINS);
    }
}

/* One more row, or line where it is laid out anew, of scrollback. Returns the new rows that it
 * gives, 0 when there is none. */
static size_t gather_more(struct layout *l)
{
    const struct scrollback *sb = l->screen->scrollback;
    bool joins = l->old[l->first].row->continuation && l->old[l->first].kind == STAYS;
    bool fits = !l->anew && scrollback_total(sb) > scrollback_seam(sb);
    bool stays = fits || (joins && l->anew); /* with the cursor's line */
    size_t count = stays ? (scrollback_pieces(sb) > 0 && l->first > 0) : last_line(l), rows = count;
    for (size_t i = count; i; i--)
        pull_piece(l, stays ? STAYS : i > 1 ? GOES_ON : BEGINS);
    return stays || !count ? rows : rows_of(l, l->first);
}

/* Of the screen's rows below the cursor, the last that shows something. */
static size_t last_shown(const struct layout *l)
{
    size_t last = OLD_END - 1;
    while (last > l->cursor && row_is_blank(l->old[last].row))
        last--;
    return last;
}

/* How many rows must leave at the top so that the cursor stays on a screen of `rows` rows. */
static int rows_to_push(const struct layout *l, int rows)
{
    int excess = l->screen->primary.rows - rows - (int)(OLD_END - 1 - last_shown(l));
    int cursor = (int)(l->cursor - l->first);
    return excess > cursor ? cursor : excess > 0 ? excess : 0;
}

/* The row that the cursor comes to at another height, in front of what the width does; *ret_begin:
 * the first line of all is on the screen then. */
static int row_at_height(const struct layout *l, int rows, bool *ret_begin)
{
    int old = l->screen->primary.rows, row = (int)(l->cursor - l->first);
    size_t held = scrollback_pieces(l->screen->scrollback);
    if (rows <= old) {
        int gone = rows_to_push(l, rows);
        *ret_begin = !held && !gone;
        return row - gone;
    }
    size_t more = row == old - 1 ? (size_t)(rows - old) : 0;
    held = more ? scrollback_count(l->screen->scrollback) : held;
    *ret_begin = held <= more;
    return row + (int)(more < held ? more : held);
}

/* Gathers what the new screen needs; returns the cursor's row on it. */
static size_t gather(struct layout *l, int rows)
{
    bool begin;
    size_t row = (size_t)row_at_height(l, rows, &begin), last = last_shown(l);
    if (l->anew)
        gather_front(l);
    size_t above = rows_between(l, l->first, l->cursor);
    size_t below = last > l->cursor ? rows_between(l, l->cursor + 1, line_end(l, last)) : 0;
    for (size_t more = 1; begin && l->anew && more; above += more)
        more = gather_more(l);
    if (begin && l->anew)
        row = above;
    if (row + below >= (size_t)rows)
        row = below < (size_t)rows ? (size_t)rows - 1 - below : 0;
    for (size_t more = 1; above < row && more; above += more)
        more = gather_more(l);
    return row < above ? row : above;
}

/* ---- where things went ---- */

struct spot {
    uint64_t number; /* of the row */
    int col;
};

static struct spot follow(const struct reflow *r, uint64_t number, int col)
{
    if (number < r->base || !r->new_count)
        return (struct spot){number, col};
    size_t i = (size_t)(number - r->base);
    if (i >= r->old_count)
        return (struct spot){r->base + r->new_count + (i - r->old_count), col};
    const struct reflow_old *old = &r->old[i];
    bool goes_on = i + 1 < r->old_count && old[1].line == old->line && old[1].start;
    uint32_t inside = (uint32_t)col < old->cells ? (uint32_t)col : old->cells;
    uint32_t offset = old->start + inside;
    size_t row = old->line;
    while (row + 1 < r->new_count && r->start[row + 1] && r->start[row + 1] <= offset)
        row++;
    int beyond = goes_on ? 0 : col - (int)inside;
    return (struct spot){r->base + row, (int)(offset - r->start[row]) + beyond};
}

/* It counts from its own row on. */
static struct terminal_anchor anchor_of(const struct screen *s, struct spot spot)
{
    int cols = s->primary.cols > spot.col ? s->primary.cols : spot.col + 1;
    return (struct terminal_anchor){spot.number, (uint64_t)spot.col, cols};
}

static struct spot spot_of(const struct screen *s, struct terminal_anchor at)
{
    return follow(&s->reflow, anchor_row(at), anchor_col(at));
}

struct terminal_anchor reflow_follow(const struct screen *s, struct terminal_anchor at)
{
    struct spot spot = spot_of(s, at);
    uint64_t top = screen_top(s), rows = (uint64_t)s->primary.rows;
    if (anchor_row(at) < s->reflow.base || !s->reflow.new_count)
        return at;
    if (spot.number < top || spot.number >= top + rows || spot.col >= s->primary.cols)
        return anchor_of(s, spot);
    return anchor_at(&s->primary, s->scrollback, (int)(spot.number - top), spot.col);
}

static void move_capture(struct screen *s)
{
    struct capture *c = &s->capture;
    if (!c->active)
        return;
    c->anchor = anchor_of(s, spot_of(s, c->anchor));
    c->done = anchor_of(s, spot_of(s, c->done));
}

static int bound(int value, int end)
{
    return value < 0 ? 0 : value >= end ? end - 1 : value;
}

/* A place on the screen, whose first row was number `top`. */
static void move_place_on_screen(const struct screen *s, uint64_t top, int *row, int *col)
{
    struct spot spot = follow(&s->reflow, top + (uint64_t)*row, *col);
    uint64_t first = screen_top(s);
    *row = spot.number < first ? 0 : bound((int)(spot.number - first), s->primary.rows);
    *col = bound(spot.col, s->primary.cols);
}

/* The last character, and what DECSC saved, unless that is nothing. */
static void move_places(struct screen *s, uint64_t top)
{
    static const struct modes_cursor none;
    struct modes_cursor *saved = &s->modes.saved[0];
    if (memcmp(saved, &none, sizeof none) != 0)
        move_place_on_screen(s, top, &saved->row, &saved->col);
    if (s->shown == &s->primary && s->last.row >= 0)
        move_place_on_screen(s, top, &s->last.row, &s->last.col);
}

/* ---- all ---- */

/* The new rows are the screen's, those in front of `top` leave. */
static void put_on_screen(struct layout *l, size_t top, int rows)
{
    struct screen *s = l->screen;
    struct grid *grid = &s->primary;
    size_t end = top + (size_t)rows;
    while (l->count < end)
        add_new(l, 0, 0);
    while (l->count > end)
        row_destroy(l->row[--l->count]);
    l->moved->new_count = l->count;
    free(grid->row);
    grid->row = l->row;
    grid->rows = (int)l->count;
    grid->cols = l->cols;
    scrollback_set_cols(s->scrollback, l->cols);
    move_capture(s);
    capture_rows_cut(&s->capture, l->base + end);
    for (size_t i = 0; i < top; i++) {
        screen_push_row(s, (int)i);
        row_destroy(grid->row[i]);
    }
    memmove(grid->row, grid->row + top, (size_t)rows * sizeof *grid->row);
    grid->rows = rows;
}

void reflow_resize(struct screen *s, int cols, int rows, int *row, int *col)
{
    struct layout *l = memory_new(sizeof *l);
    uint64_t top = screen_top(s);
    l->screen = s;
    l->cols = cols;
    l->anew = cols != s->primary.cols;
    l->moved = &s->reflow;
    gather_screen(l, bound(*row, s->primary.rows));
    size_t cursor_row = gather(l, rows);
    if (l->base < top)
        capture_taken_back(&s->capture, top);
    lay_out_all(l);
    put_on_screen(l, s->reflow.old[l->cursor - l->first].line - cursor_row, rows);
    move_places(s, top);
    *row = (int)cursor_row;
    *col = bound(*col, cols);
    free(l);
}
