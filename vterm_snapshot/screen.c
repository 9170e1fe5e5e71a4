#include "vterm_snapshot/screen_private.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"
#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/width.h"

/* ---- life ---- */

static bool create_parts(struct screen *s)
{
    const struct screen_options *o = &s->options;
    if (grid_init(&s->primary, o->cols, o->rows) < 0)
        return false;
    s->shown = &s->primary;
    s->scrollback = scrollback_create(o->scrollback);
    if (s->scrollback)
        scrollback_set_cols(s->scrollback, o->cols);
    s->pens = pen_table_create();
    s->links = link_table_create();
    s->clusters = cluster_table_create();
    return s->scrollback && s->pens && s->links && s->clusters && engine_create(s);
}

struct screen *screen_create(const struct screen_options *options)
{
    struct screen *s = memory_try(sizeof *s);
    if (!s)
        return NULL;
    s->options = *options;
    modes_init(&s->modes);
    s->glyph_end = s->last.row = -1;
    if (!create_parts(s)) {
        screen_destroy(s);
        return NULL;
    }
    s->alt_seen = false;
    return s;
}

void screen_destroy(struct screen *s)
{
    if (!s)
        return;
    engine_destroy(s->engine);
    grid_finish(&s->primary);
    grid_finish(&s->alternate);
    scrollback_destroy(s->scrollback);
    pen_table_destroy(s->pens);
    link_table_destroy(s->links);
    cluster_table_destroy(s->clusters);
    capture_finish(&s->capture);
    reflow_finish(&s->reflow);
    bytes_finish(&s->row_text);
    free(s);
}

/* The first row that nobody can have read, because it did not leave yet. */
static uint64_t unread(const struct screen *s)
{
    return s->lasting.most > screen_top(s) ? s->lasting.most : screen_top(s);
}

static uint64_t row_now(const struct screen *s, uint64_t number)
{
    return anchor_row(reflow_follow(s, (struct terminal_anchor){.line = number, .cols = 1}));
}

/* Where all rows stand as low as they did or lower they keep their numbers, and some come again.
 * Else all take what brings the one that went up the furthest to where it was. */
static void move_lasting(struct screen *s, uint64_t was)
{
    uint64_t by = 0;
    bool went_up = false;
    for (uint64_t number = s->reflow.base; number <= was; number++) {
        uint64_t now = row_now(s, number), lasting = lasting_of(&s->lasting, number);
        went_up = went_up || now < number;
        by = lasting > now && lasting - now > by ? lasting - now : by;
    }
    if (went_up)
        lasting_raise(&s->lasting, s->reflow.base, by);
    s->lasting.most = row_now(s, was);
}

void screen_resize(struct screen *s, int cols, int rows)
{
    uint64_t was = unread(s);
    cols = limit_size(cols);
    rows = limit_size(rows);
    reflow_finish(&s->reflow);
    if (cols == s->primary.cols && rows == s->primary.rows)
        return;
    engine_resize(s, cols, rows);
    move_lasting(s, was);
}

void screen_rows_erased(struct screen *s, int row)
{
    uint64_t was = unread(s), is = screen_top(s) + (uint64_t)row;
    if (s->shown != &s->primary || is >= was)
        return;
    lasting_raise(&s->lasting, is, lasting_of(&s->lasting, was) - is);
    s->lasting.most = is;
}

uint64_t screen_lasting(const struct screen *s, uint64_t number)
{
    return lasting_of(&s->lasting, number);
}

uint64_t screen_lasting_row(const struct screen *s, uint64_t lasting)
{
    return lasting_row(&s->lasting, lasting);
}

struct terminal_anchor screen_follow(const struct screen *s, struct terminal_anchor at)
{
    return reflow_follow(s, at);
}

void screen_set_link(struct screen *s, const char *text, size_t len)
{
    s->pen.link = link_intern(s->links, text, len);
    s->pen_known = false;
    s->unswept += len;
}

/* ---- for those who draw ---- */

void screen_know_pen(struct screen *s)
{
    if (s->pen_known)
        return;
    s->pen_number = pen_intern(s->pens, &s->pen);
    s->pen_known = true;
}

uint16_t screen_blank_pen(struct screen *s)
{
    if (!s->pen.background)
        return 0;
    return pen_intern(s->pens, &(struct pen){.background = s->pen.background});
}

bool screen_follows(const struct screen *s)
{
    bool inside = s->last.row >= 0 && s->last.row < s->shown->rows && s->last.col < s->shown->cols;
    if (!inside || s->shown->row[s->last.row]->cells[s->last.col].character != s->last_character)
        return false; /* it was erased, or moved */
    bool behind = s->cursor.row == s->last.row && s->cursor.col == s->last.col + s->last_width;
    bool edge = s->glyph_end >= s->shown->cols && s->glyph_row == s->cursor.row;
    return behind || edge;
}

/* The column where the character begins of which the cell is; -1 where there is none. */
static int begin_of(const struct cell *cell, int col)
{
    col -= col > 0 && cell[col].character == CELL_COVERED && cell[col - 1].wide;
    return col >= 0 && cell[col].character && cell[col].character != CELL_COVERED ? col : -1;
}

/* Returns what is there now. */
static uint32_t join_at(struct screen *s, int row, int col, uint32_t mark)
{
    struct cell cell = s->shown->row[row]->cells[col];
    uint32_t joined = cluster_join(s->clusters, cell.character, mark);
    screen_know_pen(s);
    grid_put(s->shown, row, col, joined, 1 + cell.wide, s->pen_number);
    if (cell.protected)
        grid_protect(s->shown, row, col);
    return joined;
}

bool screen_join_here(struct screen *s, uint32_t mark)
{
    const struct row *row = s->shown->row[s->cursor.row];
    int col = s->cursor.col < row->extent ? begin_of(row->cells, s->cursor.col) : -1;
    if (col >= 0)
        join_at(s, s->cursor.row, col, mark);
    return col >= 0;
}

void screen_join(struct screen *s, uint32_t mark)
{
    s->last_character = join_at(s, s->last.row, s->last.col, mark);
    s->glyph_row = s->last.row;
    s->glyph_end = s->last.col + s->last_width;
}

/* Rows leave for good when they scroll off the top of the primary screen. */
void screen_push_row(struct screen *s, int index)
{
    const struct row *row = s->primary.row[index];
    bool wrapped = index + 1 < s->primary.rows && s->primary.row[index + 1]->continuation;
    struct styles styles = screen_styles(s);
    capture_row_leaves(&s->capture, row, screen_top(s), wrapped, &styles);
    struct bytes *text = &s->row_text;
    struct row_run runs[LIMIT_SIZE_MAX];
    text->len = 0;
    struct scrollback_row leaving = {.run = runs,
                                     .continuation = row->continuation,
                                     .clusters = row->clusters,
                                     .wider = row->extent > s->primary.cols &&
                                              row_used(row) > s->primary.cols};
    leaving.runs = row_pack(row, !wrapped, s->clusters, text, runs);
    leaving.text = text->data;
    leaving.len = (uint16_t)text->len;
    scrollback_push(s->scrollback, &leaving);
}

/* ---- reading ---- */

/* At the edge it stands on it and waits; where libvterm moved it last, if it was not moved since.
 */
bool screen_waits(const struct screen *s)
{
    bool there = s->glyph_row == s->cursor.row && s->glyph_end >= s->shown->cols;
    return s->edge == EDGE_WAITS || (s->edge == EDGE_UNKNOWN && there);
}

void screen_wait(struct screen *s)
{
    const struct cell *cell = s->shown->row[s->cursor.row]->cells;
    int row = s->cursor.row, col = begin_of(cell, s->cursor.col);
    if (col < 0 || s->cursor.col + 1 < s->shown->cols)
        return;
    screen_after_glyph(s, row, col, 1 + cell[col].wide, cell[col].character);
    s->edge = EDGE_WAITS;
    s->ahead |= AHEAD_CURSOR;
}

static int behind(const struct screen *s)
{
    const struct cell *cell = s->shown->row[s->cursor.row]->cells;
    int col = screen_waits(s) ? s->cursor.col : s->cursor.col - 1;
    return col >= 0 ? begin_of(cell, col) : -1;
}

const struct pen *screen_pen(const struct screen *s)
{
    return &s->pen;
}

struct screen_cursor screen_cursor(const struct screen *s)
{
    return (struct screen_cursor){.row = s->cursor.row,
                                  .col = s->cursor.col,
                                  .visible = !modes_get(&s->modes, MODE_INVISIBLE),
                                  .waits = screen_waits(s),
                                  .behind = behind(s)};
}

bool screen_alt_screen(const struct screen *s)
{
    return s->shown == &s->alternate;
}

bool screen_alt_screen_seen(struct screen *s, bool reset)
{
    bool seen = s->alt_seen;
    if (reset)
        s->alt_seen = screen_alt_screen(s);
    return seen;
}

const struct grid *screen_grid(const struct screen *s)
{
    return s->shown;
}

const struct grid *screen_primary(const struct screen *s)
{
    return &s->primary;
}

uint64_t screen_top(const struct screen *s)
{
    return scrollback_total(s->scrollback);
}

const struct scrollback *screen_scrollback(const struct screen *s)
{
    return s->scrollback;
}

const struct modes *screen_modes(const struct screen *s)
{
    return &s->modes;
}

const struct cluster_table *screen_clusters(const struct screen *s)
{
    return s->clusters;
}

const struct pen_table *screen_pens(const struct screen *s)
{
    return s->pens;
}

struct styles screen_styles(const struct screen *s)
{
    return (struct styles){.clusters = s->clusters, .pens = s->pens};
}

const struct link_table *screen_links(const struct screen *s)
{
    return s->links;
}

/* ---- capture ---- */

void screen_capture_begin(struct screen *s, capture_output *output, void *user)
{
    s->capture.output = output;
    s->capture.user = user;
    s->primary.stamp++;
    int row = screen_alt_screen(s) ? s->primary_cursor_row : s->cursor.row;
    int col = screen_alt_screen(s) ? 0 : s->cursor.col;
    if (s->has_stale)
        grid_clear_stale(&s->primary);
    s->has_stale = grid_set_stale(&s->primary, row, col);
    capture_begin(&s->capture, anchor_at(&s->primary, s->scrollback, row, col), s->primary.stamp);
}

void screen_capture_styled(struct screen *s)
{
    s->capture.styled = true;
}

static int primary_cursor_row(const struct screen *s)
{
    return screen_alt_screen(s) ? s->primary_cursor_row : s->cursor.row;
}

void screen_capture_end(struct screen *s)
{
    if (!s->capture.active)
        return;
    struct styles styles = screen_styles(s);
    capture_screen(&s->capture, &s->primary, screen_top(s), primary_cursor_row(s), &styles);
    s->capture.active = false;
    s->primary.stamp++;
}

uint64_t screen_capture_peek(const struct screen *s, uint64_t most, capture_output *output,
                             void *user)
{
    struct capture copy = s->capture;
    copy.blank = copy.blank < most ? copy.blank : most;
    copy.text = (struct bytes){0};
    copy.output = output;
    copy.user = user;
    struct styles styles = screen_styles(s);
    if (copy.active)
        capture_screen(&copy, &s->primary, screen_top(s), primary_cursor_row(s), &styles);
    capture_finish(&copy);
    return copy.blank;
}
