#include "vterm_snapshot/emulator_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "vterm_snapshot/width.h"

/* 0.2 replaced the cursor in the resize callback by a struct of fields. */
#define VTERM_HAS_FIELDS (VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2)

/* libvterm trusts its allocator. Out of memory ends the process; the keeper starts another. */
static void *allocate(size_t size, void *user)
{
    (void)user;
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

static void deallocate(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* ---- pens ---- */

static uint32_t colour_of(const VTermColor *colour)
{
    if (colour->type & VTERM_COLOR_DEFAULT_MASK)
        return 0;
    if (VTERM_COLOR_IS_INDEXED(colour))
        return PEN_INDEXED | colour->indexed.idx;
    return PEN_RGB | (uint32_t)colour->rgb.red << 16 | (uint32_t)colour->rgb.green << 8 |
           colour->rgb.blue;
}

static void set_attribute(struct pen *pen, uint32_t attribute, bool on)
{
    pen->attributes = on ? pen->attributes | attribute : pen->attributes & ~attribute;
}

static int on_pen(VTermAttr attr, VTermValue *value, void *user)
{
    struct emulator *e = user;
    if (e->muted)
        return 1;
    e->pen_known = false;
    switch (attr) {
    case VTERM_ATTR_BOLD:
        set_attribute(&e->pen, PEN_BOLD, value->boolean);
        break;
    case VTERM_ATTR_ITALIC:
        set_attribute(&e->pen, PEN_ITALIC, value->boolean);
        break;
    case VTERM_ATTR_BLINK:
        set_attribute(&e->pen, PEN_BLINK, value->boolean);
        break;
    case VTERM_ATTR_REVERSE:
        set_attribute(&e->pen, PEN_REVERSE, value->boolean);
        break;
    case VTERM_ATTR_STRIKE:
        set_attribute(&e->pen, PEN_STRIKE, value->boolean);
        break;
    case VTERM_ATTR_UNDERLINE:
        set_attribute(&e->pen, PEN_UNDERLINE, value->number & 1);
        set_attribute(&e->pen, PEN_UNDERLINE_DOUBLE, value->number & 2);
        break;
    case VTERM_ATTR_FOREGROUND:
        e->pen.foreground = colour_of(&value->color);
        break;
    case VTERM_ATTR_BACKGROUND:
        e->pen.background = colour_of(&value->color);
        break;
    default:
        break;
    }
    return 1;
}

static int on_initpen(void *user)
{
    struct emulator *e = user;
    if (e->muted)
        return 1;
    e->pen = (struct pen){0};
    e->pen_known = false;
    return 1;
}

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

/* ---- cells ---- */

static uint32_t character_of(struct emulator *e, const VTermGlyphInfo *info)
{
    size_t count = 1;
    while (count < CLUSTER_MAX && info->chars[count])
        count++;
    return count == 1 ? info->chars[0] : cluster_intern(e->clusters, info->chars, count);
}

static int on_glyph(VTermGlyphInfo *info, VTermPos pos, void *user)
{
    struct emulator *e = user;
    struct grid *grid = e->shown;
    if (e->muted || pos.row < 0 || pos.row >= grid->rows)
        return 1;
    emulator_know_pen(e);
    uint32_t character = character_of(e, info);
    grid_put(grid, pos.row, pos.col, character, info->width, e->pen_number);
    if (info->protected_cell)
        grid_protect(grid, pos.row, pos.col);
    if (pos.col == 0 && e->glyph_end >= grid->cols - 1 && e->glyph_row == pos.row - 1)
        grid->row[pos.row]->continuation = true;
    e->glyph_row = pos.row;
    e->glyph_end = pos.col + info->width;
    e->last = pos;
    e->last_width = info->width;
    e->last_character = character;
    return 1;
}

static int on_move_cursor(VTermPos pos, VTermPos old, int visible, void *user)
{
    struct emulator *e = user;
    (void)old;
    (void)visible;
    if (e->muted)
        return 1;
    e->edge_unsure = false;
    /* on the last column it waits on the character's first cell */
    int cols = e->shown->cols;
    int expected = e->glyph_end < cols ? e->glyph_end : cols - e->last_width;
    if (pos.row != e->glyph_row || pos.col != expected)
        e->glyph_end = -1; /* the next character does not follow the last one */
    e->cursor = pos;
    return 1;
}

static int on_erase(VTermRect rect, int selective, void *user)
{
    struct emulator *e = user;
    if (e->muted)
        return 1;
    (selective ? grid_erase_selectively : grid_erase)(e->shown, rect.start_row, rect.end_row,
                                                      rect.start_col, rect.end_col,
                                                      emulator_blank_pen(e));
    if (e->shown == &e->primary && rect.start_row == 0 && rect.end_row >= e->shown->rows &&
        rect.start_col == 0 && rect.end_col >= e->shown->cols)
        capture_screen_erased(&e->capture, emulator_top(e));
    return 1;
}

/* ---- scrolling ---- */

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
static void push_top(struct emulator *e, int count)
{
    for (int i = 0; i < count; i++)
        emulator_push_row(e, i);
}

static int move_rect(VTermRect dest, VTermRect src, void *user)
{
    struct emulator *e = user;
    grid_move(e->shown, dest.start_row, dest.start_col, src.start_row, src.start_col,
              dest.end_row - dest.start_row, dest.end_col - dest.start_col);
    return 1;
}

static bool inside(const struct grid *grid, VTermRect r)
{
    return r.start_row >= 0 && r.end_row <= grid->rows && r.start_col >= 0 &&
           r.end_col <= grid->cols && r.start_row < r.end_row && r.start_col < r.end_col;
}

static int on_scroll(VTermRect rect, int downward, int rightward, void *user)
{
    struct emulator *e = user;
    struct grid *grid = e->shown;
    if (e->muted || !inside(grid, rect))
        return 1;
    if (rightward || rect.start_col > 0 || rect.end_col < grid->cols) {
        vterm_scroll_rect(rect, downward, rightward, move_rect, on_erase, e);
        return 1;
    }
    int height = rect.end_row - rect.start_row;
    if (grid == &e->primary && rect.start_row == 0 && downward > 0)
        push_top(e, downward < height ? downward : height);
    grid_scroll(grid, rect.start_row, rect.end_row, downward, emulator_blank_pen(e));
    if (e->glyph_row >= rect.start_row && e->glyph_row < rect.end_row)
        e->glyph_row -= downward;
    return 1;
}

/* ---- modes ---- */

static void show_alternate(struct emulator *e, bool on)
{
    if (on == (e->shown == &e->alternate))
        return;
    if (on)
        e->primary_cursor_row = e->cursor.row;
    e->edge_unsure = e->edge_unsure || e->glyph_end >= e->shown->cols;
    e->shown = on ? &e->alternate : &e->primary;
    e->alt_seen = e->alt_seen || on;
    e->glyph_end = -1;
    if (on)
        grid_erase(&e->alternate, 0, e->alternate.rows, 0, e->alternate.cols, 0);
}

static int on_property(VTermProp prop, VTermValue *value, void *user)
{
    struct emulator *e = user;
    if (e->muted)
        return 1;
    if (prop == VTERM_PROP_ALTSCREEN)
        show_alternate(e, value->boolean);
    else if (prop == VTERM_PROP_CURSORVISIBLE)
        e->cursor_visible = value->boolean;
    return 1;
}

/* ---- size ---- */

/* How many rows must leave at the top so that the cursor stays on a screen of `rows` rows. */
static int rows_to_push(const struct grid *grid, int cursor_row, int rows)
{
    int excess = grid->rows - rows;
    int below = grid->rows - 1;
    while (below > cursor_row && excess > 0 && row_is_blank(grid->row[below])) {
        below--;
        excess--;
    }
    return excess > cursor_row ? cursor_row : excess > 0 ? excess : 0;
}

/* Changes both screens; returns how far the rows of the shown one moved up. */
static int resize_grids(struct emulator *e, int rows, int cols)
{
    bool alternate = e->shown == &e->alternate;
    int cursor = alternate ? e->primary_cursor_row : e->cursor.row;
    int gone = rows_to_push(&e->primary, cursor < e->primary.rows ? cursor : 0, rows);
    push_top(e, gone);
    int alternate_gone = alternate ? rows_to_push(&e->alternate, e->cursor.row, rows) : 0;
    if (grid_resize(&e->primary, cols, rows, gone) < 0 ||
        grid_resize(&e->alternate, cols, rows, alternate_gone) < 0)
        abort(); /* the two must agree; the keeper starts another worker */
    e->primary_cursor_row -= gone;
    e->glyph_end = -1;
    return alternate ? alternate_gone : gone;
}

#if VTERM_HAS_FIELDS
/* Here libvterm leaves its own lines' facts to the callback, allocated as it would (vterm.h). */
static int on_resize(int rows, int cols, VTermStateFields *fields, void *user)
{
    struct emulator *e = user;
    int kept = rows < e->primary.rows ? rows : e->primary.rows;
    for (int i = 0; i < 2 && rows != e->primary.rows; i++) {
        if (!fields->lineinfos[i])
            continue;
        VTermLineInfo *infos = allocate((size_t)rows * sizeof *infos, NULL);
        memcpy(infos, fields->lineinfos[i], (size_t)kept * sizeof *infos);
        deallocate(fields->lineinfos[i], NULL);
        fields->lineinfos[i] = infos;
    }
    fields->pos.row -= resize_grids(e, rows, cols);
    return 1;
}
#else
static int on_resize(int rows, int cols, VTermPos *delta, void *user)
{
    delta->row -= resize_grids(user, rows, cols);
    return 1;
}
#endif

static void on_output(const char *bytes, size_t len, void *user)
{
    struct emulator *e = user;
    if (e->options.reply && !e->resizing)
        e->options.reply(e->options.user, bytes, len);
}

static int on_line_info(int row, const VTermLineInfo *info, const VTermLineInfo *old, void *user)
{
    (void)row;
    (void)info;
    (void)old;
    (void)user;
    return 0; /* no double-width lines: refuse them, as our rows do not know them */
}

static const VTermStateCallbacks state_callbacks = {
    .putglyph = on_glyph,
    .movecursor = on_move_cursor,
    .scrollrect = on_scroll,
    .erase = on_erase,
    .initpen = on_initpen,
    .setpenattr = on_pen,
    .settermprop = on_property,
    .resize = on_resize,
    .setlineinfo = on_line_info,
};

/* ---- life ---- */

static bool create_parts(struct emulator *e)
{
    const struct emulator_options *o = &e->options;
    static const VTermAllocatorFunctions functions = {.malloc = allocate, .free = deallocate};
    if (grid_init(&e->primary, o->cols, o->rows) < 0 ||
        grid_init(&e->alternate, o->cols, o->rows) < 0)
        return false;
    e->shown = &e->primary;
    e->scrollback = scrollback_create(o->scrollback);
    e->pens = pen_table_create();
    e->clusters = cluster_table_create();
    e->widths = width_table_create();
    e->vterm =
        vterm_new_with_allocator(o->rows, o->cols, (VTermAllocatorFunctions *)&functions, NULL);
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
    vterm_output_set_callback(e->vterm, on_output, e);
    e->state = vterm_obtain_state(e->vterm);
    vterm_state_set_callbacks(e->state, &state_callbacks, e);
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
