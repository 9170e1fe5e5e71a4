#include "tests/outer/screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/utf8.h"

struct outer_screen {
    VTerm *vt;
    VTermScreen *screen;
    int cols, rows;
    bool alternate;
    char **lines; /* history, oldest first */
    size_t count, room;
};

/* ---- rows as text ---- */

/* Cells without a character are blanks, those behind a wide one nothing. */
static void append_cell(struct bytes *to, const VTermScreenCell *cell)
{
    char text[4];
    if (cell->chars[0] == (uint32_t)-1)
        return;
    if (!cell->chars[0])
        bytes_append(to, " ", 1);
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
        bytes_append(to, text, utf8_encode(cell->chars[i], text));
}

static char *finish_line(struct bytes *line)
{
    size_t len = line->len;
    while (len > 0 && line->data[len - 1] == ' ')
        len--;
    char *text = memory_new(len + 1);
    if (len)
        memcpy(text, line->data, len);
    bytes_finish(line);
    return text;
}

/* ---- what libvterm tells ---- */

static int push_line(int cols, const VTermScreenCell *cells, void *user)
{
    struct outer_screen *screen = user;
    struct bytes line = {0};
    if (screen->count == screen->room) {
        screen->room = screen->room ? screen->room * 2 : 1024;
        screen->lines = memory_grow(screen->lines, screen->room * sizeof *screen->lines);
    }
    for (int i = 0; i < cols; i++)
        append_cell(&line, &cells[i]);
    screen->lines[screen->count++] = finish_line(&line);
    return 1;
}

/* History comes back as plain characters, each in a cell: the tests that look at it print no
 * others. */
static int pop_line(int cols, VTermScreenCell *cells, void *user)
{
    struct outer_screen *screen = user;
    if (!screen->count)
        return 0;
    char *line = screen->lines[--screen->count];
    size_t len = strlen(line);
    for (int i = 0; i < cols; i++) {
        cells[i] = (VTermScreenCell){.width = 1};
        cells[i].chars[0] = (size_t)i < len ? (unsigned char)line[i] : 0;
        cells[i].fg = (VTermColor){0};
        cells[i].bg = (VTermColor){0};
    }
    free(line);
    return 1;
}

static int set_property(VTermProp property, VTermValue *value, void *user)
{
    struct outer_screen *screen = user;
    if (property == VTERM_PROP_ALTSCREEN)
        screen->alternate = value->boolean;
    return 1;
}

static const VTermScreenCallbacks callbacks = {
    .settermprop = set_property,
    .sb_pushline = push_line,
    .sb_popline = pop_line,
};

/* ---- */

struct outer_screen *outer_screen_create(int cols, int rows)
{
    struct outer_screen *screen = memory_new(sizeof *screen);
    screen->cols = cols;
    screen->rows = rows;
    screen->vt = vterm_new(rows, cols);
    vterm_set_utf8(screen->vt, 1);
    screen->screen = vterm_obtain_screen(screen->vt);
    vterm_screen_enable_altscreen(screen->screen, 1);
    vterm_screen_set_callbacks(screen->screen, &callbacks, screen);
    vterm_screen_set_damage_merge(screen->screen, VTERM_DAMAGE_SCROLL);
    vterm_screen_reset(screen->screen, 1);
    return screen;
}

void outer_screen_destroy(struct outer_screen *screen)
{
    if (!screen)
        return;
    vterm_free(screen->vt);
    outer_screen_forget(screen);
    free(screen->lines);
    free(screen);
}

void outer_screen_write(struct outer_screen *screen, const char *data, size_t len)
{
    vterm_input_write(screen->vt, data, len);
    vterm_screen_flush_damage(screen->screen);
}

void outer_screen_resize(struct outer_screen *screen, int cols, int rows)
{
    screen->cols = cols;
    screen->rows = rows;
    vterm_set_size(screen->vt, rows, cols);
}

void outer_screen_forget(struct outer_screen *screen)
{
    while (screen->count > 0)
        free(screen->lines[--screen->count]);
}

void outer_screen_cursor(const struct outer_screen *screen, int *ret_row, int *ret_col)
{
    VTermPos pos;
    vterm_state_get_cursorpos(vterm_obtain_state(screen->vt), &pos);
    *ret_row = pos.row;
    *ret_col = pos.col;
}

bool outer_screen_is_alternate(const struct outer_screen *screen)
{
    return screen->alternate;
}

size_t outer_screen_history(const struct outer_screen *screen)
{
    return screen->count;
}

void outer_screen_print(const struct outer_screen *screen, FILE *to)
{
    for (size_t i = 0; i < screen->count; i++)
        fprintf(to, "%s\n", screen->lines[i]);
    for (int row = 0; row < screen->rows; row++) {
        struct bytes line = {0};
        for (int col = 0; col < screen->cols; col++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(screen->screen, (VTermPos){.row = row, .col = col}, &cell);
            append_cell(&line, &cell);
        }
        char *text = finish_line(&line);
        fprintf(to, "%s\n", text);
        free(text);
    }
}
