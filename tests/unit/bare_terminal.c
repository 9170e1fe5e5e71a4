/* As much of terminal.h as test_faults.c calls, on libvterm alone: its parser, its state, its
 * screen layer, everything passed on as it comes. What the tests of its faults are worth. */
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "base/utf8.h"
#include "vterm_snapshot/terminal.h"

#define HAS_REFLOW (VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 3)

struct terminal {
    VTerm *vterm;
    VTermScreen *screen;
    VTermPos cursor;
    size_t scrolled, sum;
    char title[256];
};

static int on_cursor(VTermPos pos, VTermPos old, int visible, void *user)
{
    (void)old;
    (void)visible;
    ((struct terminal *)user)->cursor = pos;
    return 1;
}

static int on_line(int cols, const VTermScreenCell *cells, void *user)
{
    struct terminal *t = user;
    (void)cols;
    (void)cells;
    t->scrolled += t->scrolled < 100;
    return 1;
}

static int on_property(VTermProp prop, VTermValue *value, void *user)
{
    struct terminal *t = user;
    if (prop != VTERM_PROP_TITLE)
        return 1;
#if VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2
    if (value->string.initial)
        t->title[0] = '\0';
    strncat(t->title, value->string.str, value->string.len < 250 ? value->string.len : 250);
#else
    strncpy(t->title, value->string, sizeof t->title - 1);
#endif
    return 1;
}

static const VTermScreenCallbacks callbacks = {
    .movecursor = on_cursor, .settermprop = on_property, .sb_pushline = on_line};

#if HAS_REFLOW
static int on_selection(VTermSelectionMask mask, VTermStringFragment fragment, void *user)
{
    (void)mask;
    (void)fragment;
    (void)user;
    return 1;
}

static const VTermSelectionCallbacks selection = {.set = on_selection};

/* As a program would that wants to know its strings. */
static int on_osc(int command, VTermStringFragment fragment, void *user)
{
    struct terminal *t = user;
    (void)command;
    for (size_t i = 0; i < fragment.len; i++)
        t->sum += (unsigned char)fragment.str[i];
    return 1;
}

static const VTermStateFallbacks fallbacks = {.osc = on_osc};
#endif

struct terminal *terminal_create(const struct terminal_options *options)
{
    struct terminal *t = calloc(1, sizeof *t);
    t->vterm = vterm_new(options->rows, options->cols);
    vterm_set_utf8(t->vterm, 1);
    t->screen = vterm_obtain_screen(t->vterm);
    vterm_screen_set_callbacks(t->screen, &callbacks, t);
    vterm_screen_enable_altscreen(t->screen, 1);
#if HAS_REFLOW
    vterm_screen_enable_reflow(t->screen, true);
    vterm_screen_set_unrecognised_fallbacks(t->screen, &fallbacks, t);
    vterm_state_set_selection_callbacks(vterm_obtain_state(t->vterm), &selection, t, NULL, 64);
#endif
    vterm_screen_reset(t->screen, 1);
    return t;
}

void terminal_destroy(struct terminal *t)
{
    vterm_free(t->vterm);
    free(t);
}

size_t terminal_write(struct terminal *t, char *bytes, size_t len)
{
    vterm_input_write(t->vterm, bytes, len);
    return len;
}

void terminal_resize(struct terminal *t, int cols, int rows)
{
    vterm_set_size(t->vterm, rows, cols);
}

int terminal_cols(const struct terminal *t)
{
    int rows, cols;
    vterm_get_size(t->vterm, &rows, &cols);
    return cols;
}

int terminal_rows(const struct terminal *t)
{
    int rows, cols;
    vterm_get_size(t->vterm, &rows, &cols);
    return rows;
}

struct terminal_cursor terminal_cursor(const struct terminal *t)
{
    return (struct terminal_cursor){.row = t->cursor.row, .col = t->cursor.col, .visible = true};
}

static void append_cell(const VTermScreenCell *cell, struct bytes *out)
{
    char utf8[4];
    if (!cell->chars[0])
        bytes_append_char(out, ' ');
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
        bytes_append(out, utf8, utf8_encode(cell->chars[i], utf8));
}

void terminal_row_text(const struct terminal *t, int row, struct bytes *out)
{
    VTermScreenCell cell;
    for (VTermPos at = {.row = row}; at.col < terminal_cols(t); at.col += cell.width) {
        if (!vterm_screen_get_cell(t->screen, at, &cell) || cell.width < 1)
            break;
        append_cell(&cell, out);
    }
    while (out->len && out->data[out->len - 1] == ' ')
        out->len--;
    bytes_append_text(out, "");
}

/* The pen of the first cell alone. */
void terminal_redraw(const struct terminal *t, struct bytes *out)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(t->screen, (VTermPos){0}, &cell);
    bytes_printf(out, "\x1b[0;%s%s%s%s38;2;%d;%d;%d;48;2;%d;%d;%dm", cell.attrs.bold ? "1;" : "",
                 cell.attrs.italic ? "3;" : "", cell.attrs.underline ? "4;" : "",
                 cell.attrs.strike ? "9;" : "", cell.fg.rgb.red, cell.fg.rgb.green,
                 cell.fg.rgb.blue, cell.bg.rgb.red, cell.bg.rgb.green, cell.bg.rgb.blue);
}

const char *terminal_title(const struct terminal *t)
{
    return t->title;
}

size_t terminal_scrollback_count(const struct terminal *t)
{
    return t->scrolled;
}
