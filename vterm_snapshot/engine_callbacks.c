/* What libvterm calls: its allocator, and what its state says goes where. The cells, rows and pens
 * are the screen's. While it is told what that knows already (`muted`) nothing changes. */
#include "vterm_snapshot/engine_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vterm_snapshot/area.h"

/* 0.2 replaced the cursor in the resize callback by a struct of fields. */
#define VTERM_HAS_FIELDS (VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2)

/* libvterm trusts its allocator. Out of memory ends the process; the keeper starts another. */
static void *allocate(size_t size, void *user)
{
    (void)user;
    return memory_new(size);
}

static void deallocate(void *memory, void *user)
{
    (void)user;
    free(memory);
}

const VTermAllocatorFunctions engine_allocator = {.malloc = allocate, .free = deallocate};

/* ---- cells ---- */

static int on_glyph(VTermGlyphInfo *info, VTermPos pos, void *user)
{
    struct screen *s = user;
    struct grid *grid = s->shown;
    if (s->engine->muted || pos.row < 0 || pos.row >= grid->rows)
        return 1;
    screen_know_pen(s);
    uint32_t character = info->chars[0];
    screen_before_glyph(s, pos.row, pos.col);
    grid_put(grid, pos.row, pos.col, character, info->width, s->pen_number);
    if (info->protected_cell)
        grid_protect(grid, pos.row, pos.col);
    screen_after_glyph(s, pos.row, pos.col, info->width, character);
    bool may_wait = s->glyph_end >= grid->cols && !modes_get(&s->modes, MODE_NO_WRAP);
    s->edge = may_wait ? EDGE_UNKNOWN : EDGE_FREE;
    return 1;
}

static int on_move_cursor(VTermPos pos, VTermPos old, int visible, void *user)
{
    struct screen *s = user;
    (void)old;
    (void)visible;
    if (s->engine->muted)
        return 1;
    /* behind the last column it waits on it */
    int cols = s->shown->cols;
    int expected = s->glyph_end < cols ? s->glyph_end : cols - 1;
    if (pos.row != s->glyph_row || pos.col != expected)
        screen_part(s);
    s->cursor = (struct place){.row = pos.row, .col = pos.col};
    return 1;
}

static struct area area_of(VTermRect r)
{
    return (struct area){r.start_row, r.end_row, r.start_col, r.end_col};
}

static int on_erase(VTermRect rect, int selective, void *user)
{
    struct screen *s = user;
    if (!s->engine->muted)
        area_erase(s, area_of(rect), selective);
    return 1;
}

static int on_scroll(VTermRect rect, int downward, int rightward, void *user)
{
    struct screen *s = user;
    struct area a = area_within(area_of(rect), area_screen(s));
    if (!s->engine->muted && !rightward)
        area_scroll(s, a, downward);
    else if (!s->engine->muted)
        area_shift(s, a, rightward);
    return 1;
}

/* ---- modes ---- */

static void show_alternate(struct screen *s, bool on)
{
    if (on == (s->shown == &s->alternate))
        return;
    if (on)
        s->primary_cursor_row = s->cursor.row;
    grid_finish(&s->alternate);
    if (on && grid_init(&s->alternate, s->primary.cols, s->primary.rows) < 0)
        memory_end(); /* libvterm is there already */
    s->shown = on ? &s->alternate : &s->primary;
    s->alt_seen = s->alt_seen || on;
    s->glyph_end = -1;
}

static int on_property(VTermProp prop, VTermValue *value, void *user)
{
    struct screen *s = user;
    if (s->engine->muted)
        return 1;
    if (prop == VTERM_PROP_ALTSCREEN)
        show_alternate(s, value->boolean);
    return 1;
}

/* ---- size ---- */

/* How many rows leave the alternate screen at the top so that the cursor stays. */
static int rows_to_drop(const struct grid *grid, int cursor_row, int rows)
{
    int excess = grid->rows - rows;
    int below = grid->rows - 1;
    while (below > cursor_row && excess > 0 && row_is_blank(grid->row[below])) {
        below--;
        excess--;
    }
    return excess > cursor_row ? cursor_row : excess > 0 ? excess : 0;
}

/* Changes what screens there are; where the cursor comes to libvterm is told afterwards. */
static void resize_grids(struct screen *s, int rows, int cols)
{
    struct place at = s->cursor, hidden = {.row = s->primary_cursor_row};
    bool alternate = s->shown == &s->alternate;
    struct place *primary = alternate ? &hidden : &at;
    reflow_resize(s, cols, rows, &primary->row, &primary->col);
    if (alternate) {
        int gone = rows_to_drop(&s->alternate, at.row, rows);
        if (grid_resize(&s->alternate, cols, rows, gone) < 0)
            memory_end(); /* the two must agree */
        at.row -= gone;
        s->primary_cursor_row = hidden.row;
    }
    s->engine->resized = at;
    screen_part(s);
}

#if VTERM_HAS_FIELDS
/* Here libvterm leaves its own lines' facts to the callback, allocated as it would (vterm.h). */
static int on_resize(int rows, int cols, VTermStateFields *fields, void *user)
{
    struct screen *s = user;
    int kept = rows < s->primary.rows ? rows : s->primary.rows;
    for (int i = 0; i < 2 && rows != s->primary.rows; i++) {
        if (!fields->lineinfos[i])
            continue;
        VTermLineInfo *infos = allocate((size_t)rows * sizeof *infos, NULL);
        memcpy(infos, fields->lineinfos[i], (size_t)kept * sizeof *infos);
        deallocate(fields->lineinfos[i], NULL);
        fields->lineinfos[i] = infos;
    }
    resize_grids(s, rows, cols);
    return 1;
}
#else
static int on_resize(int rows, int cols, VTermPos *delta, void *user)
{
    (void)delta;
    resize_grids(user, rows, cols);
    return 1;
}
#endif

static int on_line_info(int row, const VTermLineInfo *info, const VTermLineInfo *old, void *user)
{
    (void)row;
    (void)info;
    (void)old;
    (void)user;
    return 0; /* no double-width lines: refuse them, as our rows do not know them */
}

const VTermStateCallbacks engine_callbacks = {
    .putglyph = on_glyph,
    .movecursor = on_move_cursor,
    .scrollrect = on_scroll,
    .erase = on_erase,
    .settermprop = on_property,
    .resize = on_resize,
    .setlineinfo = on_line_info,
};
