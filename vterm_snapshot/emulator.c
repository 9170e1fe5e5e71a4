#include "vterm_snapshot/emulator_private.h"

#include <stdlib.h>

#include "base/limits.h"
#include "vterm_snapshot/width.h"

/* ---- life ---- */

static bool create_parts(struct emulator *e)
{
    const struct emulator_options *o = &e->options;
    if (grid_init(&e->primary, o->cols, o->rows) < 0 ||
        grid_init(&e->alternate, o->cols, o->rows) < 0)
        return false;
    e->shown = &e->primary;
    e->scrollback = scrollback_create(o->scrollback);
    e->pens = pen_table_create();
    e->clusters = cluster_table_create();
    e->widths = width_table_create();
    e->vterm = vterm_new_with_allocator(o->rows, o->cols,
                                        (VTermAllocatorFunctions *)&emulator_allocator, NULL);
    return e->scrollback && e->pens && e->clusters && e->widths && e->vterm;
}

struct emulator *emulator_create(const struct emulator_options *options)
{
    struct emulator *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->options = *options;
    e->cursor_visible = true;
    settings_init(&e->settings);
    e->glyph_end = e->last.row = -1;
    if (!create_parts(e)) {
        emulator_destroy(e);
        return NULL;
    }
    vterm_set_utf8(e->vterm, 1);
    vterm_output_set_callback(e->vterm, emulator_answer, e);
    e->state = vterm_obtain_state(e->vterm);
    vterm_state_set_callbacks(e->state, &emulator_callbacks, e);
    vterm_state_set_bold_highbright(e->state, 0);
    vterm_state_reset(e->state, 1);
    vterm_input_write(e->vterm, "\0337", 2); /* a DECRC without DECSC finds defaults, not zeros */
    e->alt_seen = false;
    return e;
}

void emulator_destroy(struct emulator *e)
{
    if (!e)
        return;
    if (e->vterm)
        vterm_free(e->vterm);
    grid_finish(&e->primary);
    grid_finish(&e->alternate);
    scrollback_destroy(e->scrollback);
    pen_table_destroy(e->pens);
    cluster_table_destroy(e->clusters);
    width_table_destroy(e->widths);
    capture_finish(&e->capture);
    bytes_finish(&e->row_text);
    free(e);
}

/* A scroll region that reaches below the new size makes libvterm write outside its memory, so it
 * is reset first, as xterm does; that homes the cursor, which is put back. */
void emulator_resize(struct emulator *e, int cols, int rows)
{
    cols = limit_size(cols);
    rows = limit_size(rows);
    if (cols == e->primary.cols && rows == e->primary.rows)
        return;
    VTermPos at = e->cursor;
    direct_sync(e, true);
    e->resizing = true;
    emulator_feed_libvterm(e, "\x1b[r", 3);
    emulator_place_cursor(e, at.row, at.col);
    settings_resized(&e->settings, e->primary.cols, cols);
    vterm_set_size(e->vterm, rows, cols);
    vterm_state_get_cursorpos(e->state, &e->cursor);
    e->resizing = false;
    emulator_mend_cursor(e);
    capture_screen_cut(&e->capture, emulator_top(e) + (uint64_t)e->primary.rows);
}

void emulator_mend_cursor(struct emulator *e)
{
    VTermPos at;
    direct_sync(e, true);
    vterm_state_get_cursorpos(e->state, &at);
    int row = at.row < e->shown->rows ? at.row : e->shown->rows - 1;
    int col = at.col < e->shown->cols ? at.col : e->shown->cols - 1;
    if (row != at.row || col != at.col)
        emulator_place_cursor(e, row, col);
    e->cursor = (VTermPos){.row = row, .col = col}; /* libvterm tells of it before it clamps */
}

void emulator_clear_scrollback(struct emulator *e)
{
    scrollback_clear(e->scrollback);
}

/* ---- for those who draw ---- */

void emulator_know_pen(struct emulator *e)
{
    if (e->pen_known)
        return;
    e->pen_number = pen_intern(e->pens, &e->pen);
    e->pen_known = true;
}

uint16_t emulator_blank_pen(struct emulator *e)
{
    if (!e->pen.background)
        return 0;
    return pen_intern(e->pens, &(struct pen){.background = e->pen.background});
}

void emulator_push_row(struct emulator *e, int index)
{
    const struct row *row = e->primary.row[index];
    bool wrapped = index + 1 < e->primary.rows && e->primary.row[index + 1]->continuation;
    capture_row_leaves(&e->capture, row, emulator_top(e), wrapped, e->clusters);
    struct bytes *text = &e->row_text;
    struct row_run runs[LIMIT_SIZE_MAX];
    text->len = 0;
    struct scrollback_line line = {.run = runs, .continuation = row->continuation};
    line.runs = row_pack(row, !wrapped, e->clusters, text, runs);
    line.text = text->data;
    line.len = (uint32_t)text->len;
    scrollback_push(e->scrollback, &line);
}

/* Rows leave for good when they scroll off the top of the primary screen. */
/* ---- reading ---- */

struct emulator_cursor emulator_cursor(const struct emulator *e)
{
    return (struct emulator_cursor){e->cursor.row, e->cursor.col, e->cursor_visible};
}

bool emulator_alt_screen(const struct emulator *e)
{
    return e->shown == &e->alternate;
}

bool emulator_alt_screen_seen(struct emulator *e, bool reset)
{
    bool seen = e->alt_seen;
    if (reset)
        e->alt_seen = emulator_alt_screen(e);
    return seen;
}

const struct grid *emulator_grid(const struct emulator *e)
{
    return e->shown;
}

const struct grid *emulator_primary(const struct emulator *e)
{
    return &e->primary;
}

uint64_t emulator_top(const struct emulator *e)
{
    return scrollback_total(e->scrollback);
}

const struct scrollback *emulator_scrollback(const struct emulator *e)
{
    return e->scrollback;
}

const struct settings *emulator_settings(const struct emulator *e)
{
    return &e->settings;
}

const struct cluster_table *emulator_clusters(const struct emulator *e)
{
    return e->clusters;
}

const struct pen_table *emulator_pens(const struct emulator *e)
{
    return e->pens;
}

/* ---- capture ---- */

void emulator_capture_begin(struct emulator *e, capture_output *output, void *user)
{
    e->capture.output = output;
    e->capture.user = user;
    e->primary.stamp++;
    int row = emulator_alt_screen(e) ? e->primary_cursor_row : e->cursor.row;
    int col = emulator_alt_screen(e) ? 0 : e->cursor.col;
    capture_begin(&e->capture, emulator_top(e) + (uint64_t)row, col, e->primary.stamp);
}

static int primary_cursor_row(const struct emulator *e)
{
    return emulator_alt_screen(e) ? e->primary_cursor_row : e->cursor.row;
}

void emulator_capture_end(struct emulator *e)
{
    if (!e->capture.active)
        return;
    capture_screen(&e->capture, &e->primary, emulator_top(e), primary_cursor_row(e), e->clusters);
    e->capture.active = false;
    e->primary.stamp++;
}

void emulator_capture_peek(const struct emulator *e, capture_output *output, void *user)
{
    struct capture copy = e->capture;
    copy.text = (struct bytes){0};
    copy.output = output;
    copy.user = user;
    if (copy.active)
        capture_screen(&copy, &e->primary, emulator_top(e), primary_cursor_row(e), e->clusters);
    capture_finish(&copy);
}
