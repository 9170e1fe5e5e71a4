/* An emulator into bytes and back. Our side is copied as it is; libvterm's, which it does not show,
 * is brought about again: by the settings that were read off the stream (settings.h), and by
 * cursor, pen and last character, which the direct way gives it anyhow when it must know them. */
#include "vterm_snapshot/emulator_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an emulator knows besides its tables. */
struct point {
    int cols, rows;
    bool alternate, cursor_visible, alt_seen, phantom;
    int primary_cursor_row, glyph_row, glyph_end, last_width;
    uint32_t last_character;
    VTermPos cursor, last;
    struct pen pen;
    struct settings settings;
    struct {
        bool active, started, erased;
        uint32_t stamp;
        int anchor_col;
        uint64_t anchor, blank;
    } capture;
};

/* Setting DECOM moves the cursor: libvterm cannot be told then that it waits at the edge. */
static bool is_known(const struct emulator *e)
{
    const struct settings *s = &e->settings;
    bool waits = !e->ahead && e->glyph_end >= e->shown->cols;
    bool saved_inside = s->saved.row < e->shown->rows && s->saved.col < e->shown->cols;
    int top, bottom;
    settings_region(s, e->shown->rows, &top, &bottom);
    bool origin_inside =
        !settings_get(s, SETTING_ORIGIN) || (e->cursor.row >= top && e->cursor.row < bottom);
    return !e->edge_unsure && !waits && !s->unsure && !settings_get(s, SETTING_MARGINS) &&
           saved_inside && origin_inside && !(settings_get(s, SETTING_ORIGIN) && e->phantom);
}

bool emulator_save(const struct emulator *e, struct bytes *out)
{
    if (!is_known(e))
        return false;
    struct point point;
    memset(&point, 0, sizeof point); /* padding, too: the same state gives the same bytes */
    point.cols = e->primary.cols;
    point.rows = e->primary.rows;
    point.alternate = e->shown == &e->alternate;
    point.cursor_visible = e->cursor_visible;
    point.alt_seen = e->alt_seen;
    point.phantom = e->ahead && e->phantom;
    point.primary_cursor_row = e->primary_cursor_row;
    point.glyph_row = e->glyph_row;
    point.glyph_end = e->glyph_end;
    point.last_width = e->last_width;
    point.last_character = e->last_character;
    point.cursor = e->cursor;
    point.last = e->last;
    point.pen = e->pen;
    point.settings = e->settings;
    point.capture.active = e->capture.active;
    point.capture.started = e->capture.started;
    point.capture.erased = e->capture.erased;
    point.capture.stamp = e->capture.stamp;
    point.capture.anchor = e->capture.anchor;
    point.capture.anchor_col = e->capture.anchor_col;
    point.capture.blank = e->capture.blank;
    bytes_append(out, &point, sizeof point);
    grid_save(&e->primary, out);
    grid_save(&e->alternate, out);
    pen_table_save(e->pens, out);
    cluster_table_save(e->clusters, out);
    scrollback_save(e->scrollback, out);
    return !out->failed;
}

static void take_point(struct emulator *e, const struct point *point)
{
    e->shown = point->alternate ? &e->alternate : &e->primary;
    e->cursor_visible = point->cursor_visible;
    e->alt_seen = point->alt_seen;
    e->primary_cursor_row = point->primary_cursor_row;
    e->glyph_row = point->glyph_row;
    e->glyph_end = point->glyph_end;
    e->last_width = point->last_width;
    e->last_character = point->last_character;
    e->cursor = point->cursor;
    e->last = point->last;
    e->pen = point->pen;
    e->pen_known = false;
    e->settings = point->settings;
    e->capture.active = point->capture.active;
    e->capture.started = point->capture.started;
    e->capture.erased = point->capture.erased;
    e->capture.stamp = point->capture.stamp;
    e->capture.anchor = point->capture.anchor;
    e->capture.anchor_col = point->capture.anchor_col;
    e->capture.blank = point->capture.blank;
    e->ahead = e->pen_ahead = true; /* libvterm knows neither */
    e->phantom = point->phantom;
}

static bool take_tables(struct emulator *e, struct unpack *in)
{
    grid_finish(&e->primary);
    grid_finish(&e->alternate);
    pen_table_destroy(e->pens);
    cluster_table_destroy(e->clusters);
    scrollback_destroy(e->scrollback);
    bool grids = grid_load(&e->primary, in) == 0 && grid_load(&e->alternate, in) == 0;
    e->pens = pen_table_load(in);
    e->clusters = cluster_table_load(in);
    e->scrollback = scrollback_load(e->options.scrollback, in);
    return grids && e->pens && e->clusters && e->scrollback;
}

static bool is_size(const struct grid *grid, const struct point *point)
{
    return grid->cols == point->cols && grid->rows == point->rows;
}

static void write_muted(struct emulator *e, struct bytes *text)
{
    e->muted = true;
    if (text->len && !text->failed)
        vterm_input_write(e->vterm, text->data, text->len);
    e->muted = false;
    text->len = 0;
}

/* In an order in which nothing that moves the cursor comes after it. */
static void tell_libvterm(struct emulator *e)
{
    struct bytes text = {0};
    if (e->shown == &e->alternate)
        bytes_append_text(&text, "\x1b[?1047h");
    settings_append_first(&e->settings, e->primary.cols, &text);
    write_muted(e, &text);
    if (settings_exotic(&e->settings))
        direct_sync(e, true);
    settings_append_rest(&e->settings, &text);
    int top, bottom;
    settings_region(&e->settings, e->primary.rows, &top, &bottom);
    if (settings_get(&e->settings, SETTING_ORIGIN))
        bytes_printf(&text, "\x1b[%d;%dH", e->cursor.row - top + 1, e->cursor.col + 1);
    bytes_append_text(&text, e->cursor_visible ? "\x1b[?25h" : "\x1b[?25l");
    write_muted(e, &text);
    bytes_finish(&text);
}

struct emulator *emulator_load(const struct emulator_options *options, struct unpack *in)
{
    struct point point;
    struct emulator_options sized = *options;
    unpack_value(in, &point, sizeof point);
    if (point.cols < LIMIT_SIZE_MIN || point.cols > LIMIT_SIZE_MAX || point.rows < LIMIT_SIZE_MIN ||
        point.rows > LIMIT_SIZE_MAX)
        return NULL;
    sized.cols = point.cols;
    sized.rows = point.rows;
    struct emulator *e = emulator_create(&sized);
    if (!e || !take_tables(e, in) || !is_size(&e->primary, &point) ||
        !is_size(&e->alternate, &point)) {
        emulator_destroy(e);
        return NULL;
    }
    take_point(e, &point);
    tell_libvterm(e);
    return e;
}

void emulator_capture_resume(struct emulator *e, capture_output *output, void *user)
{
    e->capture.output = output;
    e->capture.user = user;
}
