#include "vterm_snapshot/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vterm_snapshot/modes.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/titles.h"

struct undo {
    struct parser parser;
    struct bytes pending; /* what the parser did not take yet */
    struct modes modes;
    uint32_t colours;     /* bit n: OSC 10 + n was set */
    bool palette;         /* OSC 4 was */
    bool pointer;         /* OSC 22 was */
    bool progress;        /* OSC 9;4 shows one */
    bool tabs;            /* stops were changed, wherever the cursor was */
    struct titles titles; /* that were put aside; not what they are */
};

struct undo *undo_create(void)
{
    struct undo *u = memory_try(sizeof *u);
    if (u)
        modes_init(&u->modes);
    return u;
}

void undo_destroy(struct undo *u)
{
    if (!u)
        return;
    parser_finish(&u->parser);
    bytes_finish(&u->pending);
    titles_finish(&u->titles);
    free(u);
}

/* ---- noting ---- */

/* In pairs of an index and a colour, of which each may be asked for instead: `;1;?;2;#ffffff`. */
static bool sets_palette(const char *pairs)
{
    const char *colour = strchr(pairs + 1, ';');
    for (; colour; colour = strchr(colour + 1, ';')) {
        size_t len = strcspn(colour + 1, ";");
        if (len && !(len == 1 && colour[1] == '?'))
            return true;
        colour += 1 + len;
        if (!*colour)
            return false;
    }
    return false;
}

/* Several values are those of the colours that follow, too, and may ask as well. */
static uint32_t colours_set(const char *values, long number)
{
    uint32_t set = 0;
    for (; number <= 19 && *values == ';'; number++) {
        size_t len = strcspn(++values, ";");
        set |= len && !(len == 1 && *values == '?') ? 1u << (number - 10) : 0;
        values += len;
    }
    return set;
}

/* `;4;STATE` or `;4;STATE;PERCENT`, where 0 takes it away; any other OSC 9 is a notification. */
static bool shows_progress(const struct undo *u, const char *text)
{
    bool is = !strncmp(text, ";4;", 3) && text[3] >= '0' && text[3] <= '4' &&
              (!text[4] || text[4] == ';');
    return is ? text[3] != '0' : u->progress;
}

static void note_osc(struct undo *u, const struct op *op)
{
    char *end;
    long number = strtol(op->string, &end, 10);
    bool value = *end == ';' && end[1];
    if (number == 4)
        u->palette = u->palette || (value && sets_palette(end));
    else if (number == 104)
        u->palette = u->palette && value;
    else if (number >= 10 && number <= 19)
        u->colours |= colours_set(end, number);
    else if (number >= 110 && number <= 119)
        u->colours &= ~(1u << (number - 110));
    else if (number == 22)
        u->pointer = value;
    else if (number == 9)
        u->progress = shows_progress(u, end);
}

/* Origin and character sets go with a cursor that is saved; where it is does not matter here. */
static void save_cursor(struct undo *u)
{
    modes_save(&u->modes, 0, 0, false, &(struct pen){0});
}

static bool has_cursor(const struct csi *csi, char final)
{
    bool has = csi_plain(csi) == (final == 'h' ? 's' : 'u') && csi->value[0] == CSI_ABSENT;
    for (int i = 0; csi->final == final && csi->leader == '?' && i < csi->count; i++)
        has = has || csi->value[i] == 1048 || csi->value[i] == 1049;
    return has;
}

static void note_csi(struct undo *u, const struct op *op)
{
    const struct csi *csi = &op->csi;
    if (has_cursor(csi, 'h') && !(csi->final == 's' && modes_get(&u->modes, MODE_MARGINS)))
        save_cursor(u);
    modes_apply(&u->modes, op, 0);
    if (has_cursor(csi, 'l'))
        modes_restore(&u->modes);
    if (csi->final == 'p' && csi->inter[0] == '!')
        modes_soften(&u->modes);
    titles_apply(&u->titles, csi);
}

static void note_escape(struct undo *u, const struct op *op)
{
    char final = op->csi.inter[0] ? 0 : op->csi.final;
    modes_apply(&u->modes, op, 0);
    if (final == '7')
        save_cursor(u);
    else if (final == '8')
        modes_restore(&u->modes);
}

static void note_tabs(struct undo *u, const struct op *op)
{
    const struct csi *csi = &op->csi;
    if (op->kind == OP_ESCAPE && !csi->inter[0] && (csi->final == 'H' || csi->final == 'c'))
        u->tabs = csi->final == 'H';
    else if (op->kind == OP_CSI && (csi_plain(csi) == 'g' || csi_resets_tabs(csi)))
        u->tabs = csi->final == 'g';
}

static void note(struct undo *u, const struct op *op)
{
    note_tabs(u, op);
    if (op->kind == OP_OSC)
        note_osc(u, op);
    else if (op->kind == OP_CSI)
        note_csi(u, op);
    else if (op->kind == OP_ESCAPE)
        note_escape(u, op);
    else if (op->kind == OP_CONTROL)
        modes_apply(&u->modes, op, 0);
}

bool undo_is_inside(const struct undo *u)
{
    return u->pending.len || parser_is_inside(&u->parser);
}

/* Text stays behind nowhere. */
void undo_note(struct undo *u, const char *bytes, size_t len)
{
    struct op op;
    const char *from = undo_is_inside(u) ? bytes : memchr(bytes, 0x1b, len);
    if (!from)
        return;
    bytes_append(&u->pending, from, len - (size_t)(from - bytes));
    parser_give(&u->parser, u->pending.data, u->pending.len);
    while (parser_next(&u->parser, &op))
        note(u, &op);
    bytes_consume(&u->pending, parser_taken(&u->parser));
}

/* ---- undoing ---- */

static void append_colours(const struct undo *u, struct bytes *out)
{
    for (int i = 0; i < 10; i++)
        if (u->colours >> i & 1)
            bytes_printf(out, "\x1b]%d\x1b\\", 110 + i);
    bytes_append_text(out, u->palette ? "\x1b]104\x1b\\" : "");
    bytes_append_text(out, u->pointer ? "\x1b]22;\x1b\\" : "");
    bytes_append_text(out, u->progress ? "\x1b]9;4;0\x1b\\" : "");
}

/* To the primary screen. */
static void append_screens(struct undo *u, struct bytes *out)
{
    struct modes *m = &u->modes;
    const struct keyboard_stack *alternate = &m->keyboard.stack[1];
    bool shown = m->alternate, hidden = !shown && (alternate->depth || alternate->flags[0]);
    bytes_append_text(out, hidden ? "\x1b[?1047h" : "");
    keyboard_append_stack_end(&m->keyboard, true, out);
    bytes_append_text(out, shown ? "\x1b[?1049l" : hidden ? "\x1b[?1047l" : "");
    keyboard_append_stack_end(&m->keyboard, false, out);
    m->alternate = false;
    if (shown)
        modes_restore(m);
}

/* What moves the cursor stands between DECSC and DECRC. */
static void append_all(struct undo *u, int cols, struct bytes *out)
{
    const struct modes *m = &u->modes;
    append_screens(u, out);
    bytes_append_text(out, modes_get(m, MODE_ORIGIN) ? "\x1b[?6l" : "");
    bytes_append_text(out, "\x1b"
                           "7\x1b[r");
    if (u->tabs)
        modes_append_default_tabs(cols, out);
    bytes_append_text(out, "\x1b"
                           "8\x1b[m\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[?25h");
    modes_append_end(m, out);
    append_colours(u, out);
    titles_append_end(&u->titles, out);
}

/* Within a string the first ESC would end that alone. */
void undo_append(struct undo *u, int cols, struct bytes *out)
{
    if (undo_is_inside(u))
        bytes_append_text(out, "\x18\x1b\\");
    bytes_append_text(out, "\x1b]8;;\x1b\\");
    append_all(u, cols, out);
    parser_leave(&u->parser);
    u->pending.len = 0;
    modes_init(&u->modes);
    u->colours = 0;
    u->palette = u->pointer = u->progress = u->tabs = false;
    titles_finish(&u->titles);
}
