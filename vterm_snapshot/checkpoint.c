/* A screen into bytes and back. Our side is copied as it is; libvterm's, which it does not show,
 * is brought about again: by the modes that were read off the stream (modes.h), and by
 * cursor, pen and last character, which it is given anyhow when it must know them. */
#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/screen_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a screen knows besides its tables. */
struct point {
    int cols, rows;
    bool alternate, alt_seen;
    enum edge edge;
    int primary_cursor_row, glyph_row, glyph_end, last_width;
    uint32_t last_character, printed;
    struct place cursor, last;
    struct pen pen;
    struct modes modes;
    struct lasting lasting;
    struct {
        bool active, started, erased;
        uint32_t stamp;
        struct terminal_anchor anchor, done;
        uint64_t blank;
    } capture;
};

static bool is_known(const struct screen *s)
{
    return s->edge != EDGE_UNKNOWN && !s->modes.unsure;
}

bool screen_save_begin(const struct screen *s, struct bytes *out)
{
    if (!is_known(s))
        return false;
    struct point point;
    memset(&point, 0, sizeof point); /* padding, too: the same state gives the same bytes */
    point.cols = s->primary.cols;
    point.rows = s->primary.rows;
    point.alternate = s->shown == &s->alternate;
    point.alt_seen = s->alt_seen;
    point.edge = s->edge;
    point.primary_cursor_row = s->primary_cursor_row;
    point.glyph_row = s->glyph_row;
    point.glyph_end = s->glyph_end;
    point.last_width = s->last_width;
    point.last_character = s->last_character;
    point.printed = s->printed;
    point.cursor = s->cursor;
    point.last = s->last;
    point.pen = s->pen;
    point.modes = s->modes;
    point.lasting = s->lasting;
    point.capture.active = s->capture.active;
    point.capture.started = s->capture.started;
    point.capture.erased = s->capture.erased;
    point.capture.stamp = s->capture.stamp;
    point.capture.anchor = s->capture.anchor;
    point.capture.done = s->capture.done;
    point.capture.blank = s->capture.blank;
    bytes_append(out, &point, sizeof point);
    grid_save(&s->primary, out);
    if (s->shown == &s->alternate)
        grid_save(&s->alternate, out);
    pen_table_save(s->pens, out);
    link_table_save(s->links, out);
    cluster_table_save(s->clusters, out);
    scrollback_save_head(s->scrollback, out);
    return !out->failed;
}

bool screen_save_rows(const struct screen *s, size_t *row, size_t bytes, struct bytes *out)
{
    return scrollback_save_rows(s->scrollback, row, bytes, out);
}

bool screen_save(const struct screen *s, struct bytes *out)
{
    size_t row = 0;
    if (screen_save_begin(s, out))
        screen_save_rows(s, &row, SIZE_MAX, out);
    return row == scrollback_pieces(s->scrollback) && !out->failed;
}

static void take_point(struct screen *s, const struct point *point)
{
    s->shown = point->alternate ? &s->alternate : &s->primary;
    s->alt_seen = point->alt_seen;
    s->primary_cursor_row = point->primary_cursor_row;
    s->glyph_row = point->glyph_row;
    s->glyph_end = point->glyph_end;
    s->last_width = point->last_width;
    s->last_character = point->last_character;
    s->printed = point->printed;
    s->cursor = point->cursor;
    s->last = point->last;
    s->pen = point->pen;
    s->pen_known = false;
    s->modes = point->modes;
    s->lasting = point->lasting;
    s->capture.active = point->capture.active;
    s->capture.started = point->capture.started;
    s->capture.erased = point->capture.erased;
    s->capture.stamp = point->capture.stamp;
    s->capture.anchor = point->capture.anchor;
    s->capture.done = point->capture.done;
    s->capture.blank = point->capture.blank;
    s->has_stale = true;
    s->ahead = AHEAD_CURSOR; /* libvterm does not know it */
    s->edge = point->edge;
}

static bool take_tables(struct screen *s, bool alternate, struct unpack *in)
{
    grid_finish(&s->primary);
    grid_finish(&s->alternate);
    pen_table_destroy(s->pens);
    link_table_destroy(s->links);
    cluster_table_destroy(s->clusters);
    scrollback_destroy(s->scrollback);
    bool grids =
        grid_load(&s->primary, in) == 0 && (!alternate || grid_load(&s->alternate, in) == 0);
    s->pens = pen_table_load(in);
    s->links = link_table_load(in);
    s->clusters = cluster_table_load(in);
    s->scrollback = scrollback_load(s->options.scrollback, in);
    return grids && s->pens && s->links && s->clusters && s->scrollback;
}

static bool is_size(const struct grid *grid, const struct point *point)
{
    return grid->cols == point->cols && grid->rows == point->rows;
}

/* In an order in which nothing that moves the cursor comes after it. */
static void tell_libvterm(struct screen *s)
{
    struct bytes text = {0};
    if (s->shown == &s->alternate)
        bytes_append_text(&text, "\x1b[?1047h");
    modes_append_tabs(&s->modes, s->primary.cols, &text);
    modes_append_region(&s->modes, &text);
    engine_tell(s, &text);
    if (modes_translate(&s->modes)) /* what waits is of the character set before */
        engine_sync(s);
    modes_append_text(&s->modes, &text);
    modes_append_looks(&s->modes, &text);
    engine_tell(s, &text);
    bytes_finish(&text);
}

struct screen *screen_load(const struct screen_options *options, struct unpack *in)
{
    struct point point;
    struct screen_options sized = *options;
    unpack_value(in, &point, sizeof point);
    if (point.cols < LIMIT_SIZE_MIN || point.cols > LIMIT_SIZE_MAX || point.rows < LIMIT_SIZE_MIN ||
        point.rows > LIMIT_SIZE_MAX || point.lasting.count > LIMIT_LASTING_SHIFTS)
        return NULL;
    sized.cols = point.cols;
    sized.rows = point.rows;
    struct screen *s = screen_create(&sized);
    if (!s || !take_tables(s, point.alternate, in) || !is_size(&s->primary, &point) ||
        (point.alternate && !is_size(&s->alternate, &point))) {
        screen_destroy(s);
        return NULL;
    }
    scrollback_set_cols(s->scrollback, point.cols);
    take_point(s, &point);
    tell_libvterm(s);
    return s;
}

void screen_capture_resume(struct screen *s, capture_output *output, void *user)
{
    s->capture.output = output;
    s->capture.user = user;
}
