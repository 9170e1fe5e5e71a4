/* What most programs print goes into rows without visiting libvterm: text, carriage return, line
 * feed, backspace, tab, and the sequences for colours (SGR), for erasing to the line's end (EL) and
 * for moving the cursor (CUP). libvterm hears of cursor and pen when something else comes, in one
 * go (direct_sync). The result is what libvterm would have made of it, quirks at the right edge
 * included; the differential test (tests/unit/test_bypass.c) holds it to that. */
#define _GNU_SOURCE
#include "vterm_snapshot/emulator_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "vterm_snapshot/width.h"

#define BATCH_BYTES 1024 /* so much behind a line end is offered to the bypass first */
#define PARAMS_MOST 16

/* ---- moving ---- */

/* The cursor was at `old`: what libvterm does after a control or a movement. */
static void moved(struct emulator *e, VTermPos old)
{
    if (e->cursor.row == old.row && e->cursor.col == old.col)
        return;
    e->phantom = false;
    e->glyph_end = -1;
}

static void line_feed(struct emulator *e)
{
    struct grid *grid = e->shown;
    if (e->cursor.row + 1 < grid->rows) {
        e->cursor.row++;
        return;
    }
    if (grid == &e->primary)
        emulator_push_row(e, 0);
    grid_scroll(grid, 0, grid->rows, 1, emulator_blank_pen(e));
    e->glyph_row--;
}

static void wrap(struct emulator *e)
{
    line_feed(e);
    e->cursor.col = 0;
    e->phantom = false;
}

/* ---- characters ---- */

/* The row that a character goes to; it goes on from the one above when it was wrapped. */
static struct row *row_for_glyph(struct emulator *e)
{
    struct grid *grid = e->shown;
    struct row *row = grid->row[e->cursor.row];
    row->stamp = grid->stamp;
    row->extent = grid->cols;
    if (e->cursor.col == 0 && e->glyph_end >= grid->cols - 1 && e->glyph_row == e->cursor.row - 1)
        row->continuation = true;
    return row;
}

static void after_glyph(struct emulator *e, int start, int width, uint32_t character)
{
    e->last = (VTermPos){.row = e->cursor.row, .col = start};
    e->last_width = width;
    e->last_character = character;
    e->glyph_row = e->cursor.row;
    e->glyph_end = start + width;
    e->phantom = start + width >= e->shown->cols;
    e->cursor.col = e->phantom ? start : start + width;
}

static void put_ascii(struct emulator *e, const char *text, size_t len)
{
    emulator_know_pen(e);
    while (len) {
        if (e->phantom)
            wrap(e);
        struct row *row = row_for_glyph(e);
        int col = e->cursor.col;
        size_t room = (size_t)(e->shown->cols - col), n = len < room ? len : room;
        struct cell *cell = row->cells + col;
        for (size_t i = 0; i < n; i++)
            cell[i] = (struct cell){.character = (unsigned char)text[i], .pen = e->pen_number};
        after_glyph(e, col + (int)n - 1, 1, (unsigned char)text[n - 1]);
        text += n;
        len -= n;
    }
}

static void put_character(struct emulator *e, uint32_t code, int width)
{
    emulator_know_pen(e);
    if (e->phantom || e->cursor.col + width > e->shown->cols)
        wrap(e);
    int col = e->cursor.col;
    row_for_glyph(e);
    grid_put(e->shown, e->cursor.row, col, code, width, e->pen_number);
    after_glyph(e, col, width, code);
}

static size_t printable_run(const char *bytes, size_t len)
{
    size_t i = 0;
    while (i < len && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x7f)
        i++;
    return i;
}

/* Whether what follows joins the character before it. */
static bool joins(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t code;
    return len && (unsigned char)bytes[0] >= 0x80 && utf8_decode(bytes, len, &code) > 0 &&
           width_of(e->widths, code) == WIDTH_SPECIAL;
}

static bool put_control(struct emulator *e, char c)
{
    VTermPos old = e->cursor;
    int last = e->shown->cols - 1;
    if (c == '\n')
        line_feed(e);
    else if (c == '\r')
        e->cursor.col = 0;
    else if (c == '\b')
        e->cursor.col -= e->cursor.col > 0;
    else if (c == '\t')
        e->cursor.col = (e->cursor.col | 7) + 1 < last ? (e->cursor.col | 7) + 1
                        : e->cursor.col < last         ? last
                                                       : e->cursor.col;
    else
        return c == '\a';
    moved(e, old);
    return true;
}

/* One character that is not ASCII; returns its bytes, 0 when libvterm must see it. */
static size_t put_other(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t code;
    int step = utf8_decode(bytes, len, &code);
    enum width width = step > 0 ? width_of(e->widths, code) : WIDTH_SPECIAL;
    if (width == WIDTH_SPECIAL || joins(e, bytes + step, len - (size_t)step))
        return 0;
    put_character(e, code, width == WIDTH_TWO ? 2 : 1);
    return (size_t)step;
}

/* Up to ESC, or to what libvterm must see. */
static size_t take_text(struct emulator *e, const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len) {
        unsigned char c = (unsigned char)bytes[at];
        size_t taken;
        if (c >= 0x20 && c < 0x7f) {
            taken = printable_run(bytes + at, len - at);
            taken -= joins(e, bytes + at + taken, len - at - taken); /* its letter goes with it */
            put_ascii(e, bytes + at, taken);
        } else if (c >= 0x80) {
            taken = put_other(e, bytes + at, len - at);
        } else {
            taken = put_control(e, (char)c);
        }
        if (!taken)
            break;
        at += taken;
        if (c == '\n' && len - at > BATCH_BYTES)
            break;
    }
    return at;
}

/* A line ended that no sequence stood in, and more is there: the bypass may take what follows. */
static bool offer_bypass(const char *bytes, size_t at, size_t len, bool sequences)
{
    return bytes[at - 1] == '\n' && len - at > BATCH_BYTES && !sequences;
}

/* ---- sequences ---- */

/* The numbers behind `ESC [`; -1 for one that is not there. Returns where they end, NULL for more
 * or larger ones than are known here. */
static const char *parse(const char *at, const char *end, int params[PARAMS_MOST], int *ret_count)
{
    int count = 0, value = -1;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit < 10) {
            value = (value < 0 ? 0 : value * 10) + (int)digit;
            if (value > LIMIT_CSI_VALUE)
                return NULL;
            continue;
        }
        params[count++] = value;
        value = -1;
        if (*at != ';')
            break;
        if (count == PARAMS_MOST)
            return NULL;
    }
    *ret_count = count;
    return at;
}

/* 38 or 48 and what follows; returns how many parameters, 0 for a form that is not known here. */
static int extended_colour(const int *params, int left, uint32_t *colour)
{
    if (left >= 3 && params[1] == 5 && params[2] >= 0 && params[2] < 256) {
        *colour = PEN_INDEXED | (uint32_t)params[2];
        return 3;
    }
    if (left < 5 || params[1] != 2)
        return 0;
    for (int i = 2; i < 5; i++)
        if (params[i] < 0 || params[i] > 255)
            return 0;
    *colour = PEN_RGB | (uint32_t)params[2] << 16 | (uint32_t)params[3] << 8 | (uint32_t)params[4];
    return 5;
}

static bool set_attribute(struct pen *pen, int param)
{
    static const uint32_t on[] = {[1] = PEN_BOLD,  [3] = PEN_ITALIC,  [4] = PEN_UNDERLINE,
                                  [5] = PEN_BLINK, [7] = PEN_REVERSE, [9] = PEN_STRIKE};
    static const uint32_t off[] = {
        [2] = PEN_BOLD,  [3] = PEN_ITALIC,  [4] = PEN_UNDERLINE | PEN_UNDERLINE_DOUBLE,
        [5] = PEN_BLINK, [7] = PEN_REVERSE, [9] = PEN_STRIKE};
    if (param > 0 && param < 10 && on[param]) {
        pen->attributes &= param == 4 ? ~(uint32_t)PEN_UNDERLINE_DOUBLE : ~0u;
        pen->attributes |= on[param];
    } else if (param > 20 && param < 30 && off[param - 20]) {
        pen->attributes &= ~off[param - 20];
    } else {
        return false;
    }
    return true;
}

static bool set_colour(struct pen *pen, int param)
{
    uint32_t *colour = (param >= 30 && param < 40) || (param >= 90 && param < 98)
                           ? &pen->foreground
                           : &pen->background;
    if ((param >= 30 && param < 38) || (param >= 40 && param < 48))
        *colour = PEN_INDEXED | (uint32_t)(param % 10);
    else if ((param >= 90 && param < 98) || (param >= 100 && param < 108))
        *colour = PEN_INDEXED | (uint32_t)(param % 10 + 8);
    else if (param == 39 || param == 49)
        *colour = 0;
    else
        return false;
    return true;
}

static bool select_graphics(struct emulator *e, const int *params, int count)
{
    struct pen pen = e->pen;
    for (int i = 0; i < count; i++) {
        int param = params[i] < 0 ? 0 : params[i];
        if (param == 0) {
            pen = (struct pen){0};
        } else if (param == 38 || param == 48) {
            int used = extended_colour(params + i, count - i,
                                       param == 38 ? &pen.foreground : &pen.background);
            if (!used)
                return false;
            i += used - 1;
        } else if (!set_attribute(&pen, param) && !set_colour(&pen, param)) {
            return false;
        }
    }
    e->pen = pen;
    e->pen_known = false;
    e->pen_ahead = true;
    return true;
}

static void place(struct emulator *e, const int *params, int count)
{
    VTermPos old = e->cursor;
    int row = params[0] > 0 ? params[0] - 1 : 0;
    int col = count > 1 && params[1] > 0 ? params[1] - 1 : 0;
    e->cursor.row = row < e->shown->rows ? row : e->shown->rows - 1;
    e->cursor.col = col < e->shown->cols ? col : e->shown->cols - 1;
    moved(e, old);
    e->phantom = false;
}

static bool draw(struct emulator *e, char final, const int *params, int count)
{
    if (final == 'm')
        return select_graphics(e, params, count);
    if (final == 'H' && count <= 2) {
        place(e, params, count);
        return true;
    }
    if (final != 'K' || count != 1 || params[0] > 0)
        return false;
    grid_erase(e->shown, e->cursor.row, e->cursor.row + 1, e->cursor.col, e->shown->cols,
               emulator_blank_pen(e));
    return true;
}

/* One sequence; returns its bytes, 0 when libvterm must see it. */
static size_t take_sequence(struct emulator *e, const char *bytes, size_t len)
{
    int params[PARAMS_MOST], count;
    if (len < 3 || bytes[1] != '[')
        return 0;
    const char *final = parse(bytes + 2, bytes + len, params, &count);
    if (!final || final == bytes + len || !draw(e, *final, params, count))
        return 0;
    return (size_t)(final - bytes) + 1;
}

/* ---- the way in and out ---- */

static bool may_begin(const struct emulator *e)
{
    if (e->plain.exotic || e->options.no_bypass || e->edge_unsure)
        return false;
    return e->ahead || e->glyph_end < e->shown->cols; /* libvterm does not say whether it waits */
}

size_t direct_feed(struct emulator *e, const char *bytes, size_t len)
{
    size_t at = 0, taken = 0;
    bool sequence = false, sequences = false;
    if (!may_begin(e))
        return 0;
    if (!e->ahead)
        e->phantom = false;
    do {
        sequence = bytes[at] == 0x1b;
        sequences = sequence || (sequences && bytes[at - 1] != '\n');
        taken =
            sequence ? take_sequence(e, bytes + at, len - at) : take_text(e, bytes + at, len - at);
        if (!taken)
            break;
        at += taken;
        e->ahead = true;
        e->text_before = !sequence && (unsigned char)bytes[at - 1] >= 0x20;
    } while (at < len && !offer_bypass(bytes, at, len, sequences));
    return at;
}

size_t direct_cluster(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t code;
    int step = utf8_decode(bytes, len, &code);
    size_t at = step > 0 ? (size_t)step : 1;
    while (at < len && joins(e, bytes + at, len - at))
        at += (size_t)utf8_decode(bytes + at, len - at, &code);
    return at;
}

static void append_colour(struct bytes *out, uint32_t colour, int base)
{
    if (colour & PEN_INDEXED)
        bytes_printf(out, ";%d;5;%d", base + 8, (int)(colour & 0xff));
    else if (colour & PEN_RGB)
        bytes_printf(out, ";%d;2;%d;%d;%d", base + 8, (int)(colour >> 16 & 0xff),
                     (int)(colour >> 8 & 0xff), (int)(colour & 0xff));
}

static void append_pen(struct bytes *out, const struct pen *pen)
{
    static const struct {
        uint32_t attribute;
        const char *param;
    } params[] = {{PEN_BOLD, ";1"},
                  {PEN_ITALIC, ";3"},
                  {PEN_BLINK, ";5"},
                  {PEN_REVERSE, ";7"},
                  {PEN_STRIKE, ";9"}};
    uint32_t underline = pen->attributes & (PEN_UNDERLINE | PEN_UNDERLINE_DOUBLE);
    bytes_append_text(out, "\x1b[0");
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        if (pen->attributes & params[i].attribute)
            bytes_append_text(out, params[i].param);
    if (underline)
        bytes_append_text(out, underline == PEN_UNDERLINE          ? ";4"
                               : underline == PEN_UNDERLINE_DOUBLE ? ";21"
                                                                   : ";4:3");
    append_colour(out, pen->foreground, 30);
    append_colour(out, pen->background, 40);
    bytes_append_char(out, 'm');
}

/* Where the cursor stands behind the last character, or waits on it, libvterm is given that again:
 * then it waits too, and knows what a mark would join. Elsewhere it must not remember an older one.
 */
static void append_cursor(struct emulator *e, bool marks, struct bytes *out)
{
    char again[4 * CLUSTER_MAX];
    bool behind = e->cursor.row == e->last.row && e->cursor.col == e->last.col + e->last_width;
    if (e->phantom || behind) {
        bytes_printf(out, "\x1b[%d;%dH", e->cursor.row + 1, e->last.col + 1);
        bytes_append(out, again, cluster_encode(e->clusters, e->last_character, again));
        return;
    }
    if (marks)
        bytes_append_text(out, e->cursor.row ? "\x1b[1;1Hx" : "\x1b[2;1Hx");
    bytes_printf(out, "\x1b[%d;%dH", e->cursor.row + 1, e->cursor.col + 1);
}

void direct_sync(struct emulator *e, bool marks)
{
    struct bytes text = {0};
    if (!e->ahead)
        return;
    e->ahead = false;
    if (e->pen_ahead)
        append_pen(&text, &e->pen);
    e->pen_ahead = false;
    append_cursor(e, marks, &text);
    e->muted = true;
    if (!text.failed)
        vterm_input_write(e->vterm, text.data, text.len);
    e->muted = false;
    bytes_finish(&text);
}
