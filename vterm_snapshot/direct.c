/* What most programs print goes into rows without visiting libvterm: text, carriage return, line
 * feed, backspace, tab, and the sequences for colours (SGR), for erasing to the line's end (EL),
 * for moving the cursor (CUP) and for what scrolls (DECSTBM). libvterm hears of cursor and pen when
 * something else comes, in one go (direct_sync). The result is what libvterm would have made of it,
 * quirks at the right edge included; the differential test (tests/unit/test_bypass.c) holds it to
 * that. */
#define _GNU_SOURCE
#include "vterm_snapshot/emulator_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "vterm_snapshot/sgr.h"
#include "vterm_snapshot/width.h"

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
    int top, bottom;
    settings_region(&e->settings, grid->rows, &top, &bottom);
    if (e->cursor.row + 1 != bottom) {
        e->cursor.row += e->cursor.row + 1 < grid->rows;
        return;
    }
    if (grid == &e->primary && top == 0)
        emulator_push_row(e, 0);
    grid_scroll(grid, top, bottom, 1, emulator_blank_pen(e));
    if (e->glyph_row >= top && e->glyph_row < bottom)
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
    if (step <= 0)
        return 0;
    enum width width = width_of(e->widths, code);
    if (width != WIDTH_MARK || !emulator_join(e, code))
        put_character(e, code, width == WIDTH_MARK ? 0 : width == WIDTH_TWO ? 2 : 1);
    return (size_t)step;
}

/* A line ended at `at`. Enough was drawn here: the bypass may take what follows. */
static bool is_offered(const struct emulator *e, size_t at, size_t len)
{
    return at >= e->bypass_wait && len - at >= BYPASS_ROW_BYTES * (size_t)e->primary.rows;
}

/* Text from `at` on, up to ESC, to what libvterm must see, or to where the bypass is offered some;
 * returns where that is. */
static size_t take_text(struct emulator *e, const char *bytes, size_t at, size_t len)
{
    while (at < len && bytes[at] != 0x1b) {
        unsigned char c = (unsigned char)bytes[at];
        size_t taken;
        if (c >= 0x20 && c < 0x7f) {
            taken = ascii_printable_run(bytes + at, len - at);
            put_ascii(e, bytes + at, taken);
        } else if (c >= 0x80) {
            taken = put_other(e, bytes + at, len - at);
        } else {
            taken = put_control(e, (char)c);
        }
        if (!taken)
            break;
        at += taken;
        if (c == '\n' && is_offered(e, at, len))
            break;
    }
    return at;
}

/* ---- sequences ---- */

static bool select_graphics(struct emulator *e, const int *params, int count)
{
    if (!sgr_apply(&e->pen, params, count))
        return false;
    e->pen_known = false;
    e->pen_ahead = true;
    return true;
}

/* CUP; 0 and 1 are the first, and so is -1, where none is given. */
static void place(struct emulator *e, int row, int col)
{
    VTermPos old = e->cursor;
    row = row > 0 ? row - 1 : 0;
    col = col > 0 ? col - 1 : 0;
    e->cursor.row = row < e->shown->rows ? row : e->shown->rows - 1;
    e->cursor.col = col < e->shown->cols ? col : e->shown->cols - 1;
    moved(e, old);
    e->phantom = false;
}

/* It homes the cursor. */
static void set_region(struct emulator *e, const int *params, int count)
{
    VTermPos old = e->cursor;
    int bottom = count > 1 ? params[1] : -1;
    settings_set_region(&e->settings, params[0], bottom, count > 1 || params[0] >= 0);
    e->region_ahead = true;
    e->cursor = (VTermPos){0, 0};
    moved(e, old);
}

static bool draw(struct emulator *e, char final, const int *params, int count)
{
    if (final == 'm')
        return select_graphics(e, params, count);
    if (final == 'H' && count <= 2) {
        place(e, params[0], count > 1 ? params[1] : 0);
        return true;
    }
    if (final == 'r' && count <= 2) {
        set_region(e, params, count);
        return true;
    }
    if (final != 'K' || count != 1 || params[0] > 0)
        return false;
    grid_erase(e->shown, e->cursor.row, e->cursor.row + 1, e->cursor.col, e->shown->cols,
               emulator_blank_pen(e));
    return true;
}

static bool place_short(struct emulator *e, const struct csi_short *s)
{
    unsigned middle = csi_short_end(s, 0);
    unsigned second = middle < s->len ? middle + 1 : middle, end = csi_short_end(s, second);
    if (end < s->len || middle > 4 || end - second > 4)
        return false;
    place(e, csi_short_number(s, 0, middle), csi_short_number(s, second, end));
    return true;
}

/* The common ones, without a look at each byte; else 0. */
static size_t take_short(struct emulator *e, const char *bytes)
{
    struct csi_short s;
    if (!csi_short_read(bytes + 2, &s))
        return 0;
    if (csi_short_final(&s) == 'm') {
        emulator_know_pen(e);
        if (!sgr_apply_short(e->pens, &s, &e->pen, &e->pen_number))
            return 0;
        e->pen_ahead = true;
    } else if (csi_short_final(&s) != 'H' || !place_short(e, &s)) {
        return 0;
    }
    return 2 + s.len + 1;
}

/* One sequence; returns its bytes, 0 when libvterm must see it. */
static size_t take_sequence(struct emulator *e, const char *bytes, size_t len)
{
    int params[SGR_PARAMS], count;
    if (len < 3 || bytes[1] != '[')
        return 0;
    size_t taken = len >= 2 + CSI_SHORT ? take_short(e, bytes) : 0;
    if (taken)
        return taken;
    const char *final = sgr_parse(bytes + 2, bytes + len, params, &count);
    if (!final || final == bytes + len || !draw(e, *final, params, count))
        return 0;
    return (size_t)(final - bytes) + 1;
}

/* ---- the way in and out ---- */

static bool may_begin(const struct emulator *e)
{
    if (settings_exotic(&e->settings) || e->options.no_bypass || e->edge_unsure)
        return false;
    return e->ahead || e->glyph_end < e->shown->cols; /* libvterm does not say whether it waits */
}

size_t direct_feed(struct emulator *e, const char *bytes, size_t len)
{
    size_t at = 0, next;
    if (!may_begin(e))
        return 0;
    if (!e->ahead)
        e->phantom = false;
    while (at < len) {
        bool sequence = bytes[at] == 0x1b;
        next =
            sequence ? at + take_sequence(e, bytes + at, len - at) : take_text(e, bytes, at, len);
        if (next == at)
            break;
        at = next;
        e->ahead = true;
        if (!sequence && bytes[at - 1] == '\n' && is_offered(e, at, len))
            break;
    }
    return at;
}

static void append_place(struct bytes *out, int row, int col)
{
    bytes_append_text(out, "\x1b[");
    bytes_append_number(out, (unsigned)row + 1);
    bytes_append_char(out, ';');
    bytes_append_number(out, (unsigned)col + 1);
    bytes_append_char(out, 'H');
}

/* Where the cursor waits on the last character libvterm is given that again: then it waits, too.
 * With a mark to come that joins nothing it must not remember an older character there. */
static void append_cursor(struct emulator *e, bool marks, struct bytes *out)
{
    char again[4 * CLUSTER_MAX];
    if (e->phantom) {
        append_place(out, e->cursor.row, e->last.col);
        bytes_append(out, again, cluster_encode(e->clusters, e->last_character, again));
        return;
    }
    if (marks)
        bytes_append_text(out, e->cursor.row ? "\x1b[1;1Hx" : "\x1b[2;1Hx");
    append_place(out, e->cursor.row, e->cursor.col);
}

void direct_sync(struct emulator *e, bool marks)
{
    struct bytes text = {0};
    if (!e->ahead)
        return;
    e->ahead = false;
    if (e->region_ahead)
        settings_append_region(&e->settings, &text);
    e->region_ahead = false;
    if (e->pen_ahead)
        sgr_append(&e->pen, &text);
    e->pen_ahead = false;
    append_cursor(e, marks, &text);
    e->muted = true;
    if (!text.failed)
        vterm_input_write(e->vterm, text.data, text.len);
    e->muted = false;
    bytes_finish(&text);
}
