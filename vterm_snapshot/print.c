#include "vterm_snapshot/print.h"

#include "vterm_snapshot/grapheme.h"
#include "vterm_snapshot/move.h"
#include "vterm_snapshot/width.h"

/* ---- characters ---- */

static void feed_line(struct screen *s)
{
    move_down_scrolling(s);
}

static void wrap(struct screen *s)
{
    int row = s->glyph_row, end = s->glyph_end; /* what comes goes on from there */
    bool scrolls = s->cursor.row + 1 == area_margins(s).bottom;
    int start = move_line_start(s);
    feed_line(s);
    move_to(s, s->cursor.row, start);
    s->glyph_row = scrolls ? s->glyph_row : row;
    s->glyph_end = end;
}

/* The column behind the last one that this row's text may come to. */
static int text_end(const struct screen *s)
{
    int right = area_margins(s).right;
    return s->cursor.col < right ? right : s->shown->cols;
}

/* What stands from `col` on makes room, where characters are inserted: between the left and the
 * right margin. */
static void make_room(struct screen *s, int col, int width)
{
    int row = s->cursor.row;
    if (!modes_get(&s->modes, MODE_INSERT))
        return;
    struct area a = area_margins(s);
    if (col >= a.left && col < a.right)
        area_shift(s, (struct area){row, row + 1, col, text_end(s)}, -width);
}

static void put(struct screen *s, uint32_t code, int width)
{
    int row = s->cursor.row, col = s->cursor.col, end = text_end(s);
    screen_know_pen(s);
    screen_before_glyph(s, row, col);
    grid_put(s->shown, row, col, code, width, s->pen_number);
    if (modes_get(&s->modes, MODE_PROTECT))
        grid_protect(s->shown, row, col);
    screen_after_glyph(s, row, col, width, code);
    bool full = col + width >= end, stays = modes_get(&s->modes, MODE_NO_WRAP);
    s->edge = full && !stays ? EDGE_WAITS : EDGE_FREE;
    s->cursor.col = full ? end - 1 : col + width;
    s->ahead |= AHEAD_CURSOR;
}

/* The last character is two columns wide now: where the second one is not there it begins the next
 * row, if it may. */
static void widen(struct screen *s)
{
    int col = s->last.col, row = s->last.row;
    uint32_t character = s->last_character;
    s->cursor = s->last;
    if (col + 2 > text_end(s) && modes_get(&s->modes, MODE_NO_WRAP))
        return;
    if (col + 2 > text_end(s)) {
        grid_erase(s->shown, row, row + 1, col, col + 1, 0);
        s->glyph_end = col;
        wrap(s);
        make_room(s, s->cursor.col, 2);
    } else {
        make_room(s, col + 1, 1);
    }
    put(s, character, 2);
}

/* What the cluster of the last character is with one more; returns whether that belongs to it. */
static bool extend(const struct screen *s, uint32_t code, int *ret_width)
{
    uint32_t codes[CLUSTER_MAX];
    size_t count = cluster_codes(s->clusters, s->last_character, codes);
    struct grapheme text = {0};
    for (size_t i = 0; i < count; i++)
        grapheme_add(&text, codes[i]);
    bool joined = grapheme_add(&text, code);
    *ret_width = joined ? text.width : s->last_width;
    return joined;
}

/* Whether it is part of the last character: a mark, or what belongs to its cluster under mode 2027.
 */
static bool join(struct screen *s, uint32_t code)
{
    bool clusters = modes_get(&s->modes, MODE_GRAPHEMES), mark = width_of(code) == WIDTH_MARK;
    int width = s->last_width;
    if (mark && !screen_follows(s))
        return screen_join_here(s, code);
    if ((!clusters && !mark) || !screen_follows(s) ||
        (clusters && !extend(s, code, &width) && !mark))
        return false;
    bool measured = !mark || width != s->last_width;
    if (width > s->last_width)
        widen(s);
    screen_join(s, code);
    if (measured)
        s->shown->row[s->last.row]->clusters = true;
    return true;
}

/* What has no room at the edge begins the next row, or is not there. */
static void print_character(struct screen *s, uint32_t code)
{
    int width = (int)width_of(code);
    if (join(s, code))
        return;
    bool stays = modes_get(&s->modes, MODE_NO_WRAP);
    if (s->edge == EDGE_UNKNOWN)
        s->edge = screen_waits(s) ? EDGE_WAITS : EDGE_FREE;
    bool narrow = s->cursor.col + width > text_end(s);
    if (narrow && stays)
        return;
    if ((s->edge == EDGE_WAITS && !stays) || narrow)
        wrap(s);
    make_room(s, s->cursor.col, width);
    put(s, code, width);
}

/* ---- controls ---- */

static bool print_control(struct screen *s, uint32_t code)
{
    switch (code) {
    case '\n':
    case '\v':
    case '\f':
        feed_line(s);
        if (modes_get(&s->modes, MODE_NEWLINE))
            move_to(s, s->cursor.row, move_line_start(s));
        return true;
    case '\r':
        move_to(s, s->cursor.row, move_line_start(s));
        return true;
    case '\b':
        move_back(s);
        return true;
    case '\t':
        move_tab(s);
        return true;
    default:
        return code == '\a';
    }
}

/* At a margin that was taken away since: libvterm knows of no such place. */
static bool waits_inside(const struct screen *s)
{
    return s->edge == EDGE_WAITS && s->glyph_end < s->shown->cols;
}

/* DEC's special graphics from _, a blank, on, as xterm has them. */
static const uint16_t graphics[] = {
    0x0020, 0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1, 0x2424, 0x240b,
    0x2518, 0x2510, 0x250c, 0x2514, 0x253c, 0x23ba, 0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c,
    0x2524, 0x2534, 0x252c, 0x2502, 0x2a7d, 0x2a7e, 0x03c0, 0x2260, 0x00a3, 0x00b7,
};

/* What a byte stands for in the set that is in use. */
static uint32_t translated(const struct modes *m, unsigned char c)
{
    char set = modes_set_in_use(m);
    if (set == '0' && c >= '_' && c <= '~')
        return graphics[c - '_'];
    return set == 'A' && c == '#' ? 0xa3 : c;
}

static bool knows_set(const struct modes *m)
{
    char set = modes_set_in_use(m);
    return !m->unsure && (!set || set == '0' || set == 'A');
}

bool print_apply(struct screen *s, const struct op *op)
{
    bool ours = modes_exotic(&s->modes) || waits_inside(s);
    bool feeds = op->code == '\n' || op->code == '\v' || op->code == '\f';
    if (op->kind == OP_CONTROL && (ours || feeds)) /* at the last row libvterm goes on waiting */
        return print_control(s, op->code);
    if (op->kind == OP_CHARACTER) {
        print_character(s, op->code);
        return true;
    }
    if (!ours || op->kind != OP_TEXT ||
        (!knows_set(&s->modes) && !modes_get(&s->modes, MODE_MARGINS)))
        return false; /* libvterm knows the other sets, and no margins */
    for (size_t i = 0; i < op->raw_len; i++)
        print_character(s, translated(&s->modes, (unsigned char)op->raw[i]));
    return true;
}
