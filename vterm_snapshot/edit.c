#include "vterm_snapshot/edit.h"

#include "vterm_snapshot/move.h"

/* ---- from the cursor on ---- */

/* The cursor's row, from the cursor to `right`; nothing where it waits behind its end. */
static struct area rest_of_row(const struct screen *s, int right)
{
    int row = s->cursor.row;
    return (struct area){row, row + 1, screen_waits(s) ? right : s->cursor.col, right};
}

/* What it waited behind is erased. */
static void end_waiting(struct screen *s)
{
    if (screen_waits(s))
        move_to(s, s->cursor.row, s->cursor.col);
}

static void erase_in_line(struct screen *s, int what, bool selective)
{
    int row = s->cursor.row, cols = s->shown->cols;
    struct area whole = {row, row + 1, 0, cols}, front = {row, row + 1, 0, s->cursor.col + 1};
    if (what <= 2)
        area_erase(s, what == 0 ? rest_of_row(s, cols) : what == 1 ? front : whole, selective);
    if (what == 1 || what == 2)
        end_waiting(s);
}

static void erase_in_display(struct screen *s, int what, bool selective)
{
    struct area all = area_screen(s), above = all, below = all;
    above.bottom = s->cursor.row;
    below.top = s->cursor.row + 1;
    if (what == 3 && !selective)
        scrollback_clear(s->scrollback);
    else if (what == 2) {
        area_erase(s, all, selective);
        end_waiting(s);
    } else if (what < 2) {
        erase_in_line(s, what, selective);
        area_erase(s, what ? above : below, selective);
        if (what == 0 && s->cursor.col == 0 && !selective)
            screen_rows_erased(s, s->cursor.row);
    }
}

/* Up to the right margin, whatever the rows' are. */
static void shift_characters(struct screen *s, int count)
{
    struct area a = area_margins(s);
    if (move_in_cols(s, a))
        area_shift(s, rest_of_row(s, a.right), count);
}

static void scroll_lines(struct screen *s, int count)
{
    struct area a = area_margins(s);
    if (!move_in_rows(s, a) || !move_in_cols(s, a))
        return;
    a.top = s->cursor.row;
    area_scroll(s, a, count);
    move_to(s, s->cursor.row, a.left);
}

static bool edit_csi(struct screen *s, const struct csi *csi)
{
    int what = csi_value(csi, 0, 0), count = move_count(csi, 0);
    switch (csi->final) {
    case 'J':
        erase_in_display(s, what, false);
        return true;
    case 'K':
        erase_in_line(s, what, false);
        return true;
    case 'X':
        area_erase(s, rest_of_row(s, move_least(s->cursor.col + count, s->shown->cols)), false);
        return true;
    case '@':
        shift_characters(s, -count);
        return true;
    case 'P':
        shift_characters(s, count);
        return true;
    case 'L':
        scroll_lines(s, -count);
        return true;
    case 'M':
        scroll_lines(s, count);
        return true;
    case 'S':
        area_scroll(s, area_margins(s), count);
        return true;
    case 'T':
        if (csi->count == 1 && csi->value[0]) /* else mouse highlighting */
            area_scroll(s, area_margins(s), -count);
        return true;
    default:
        return false;
    }
}

/* ---- rectangles ---- */

static struct area rectangle(const struct screen *s, const struct csi *csi, int i)
{
    struct area from = move_origin(s), a;
    a.top = from.top + move_count(csi, i) - 1;
    a.left = from.left + move_count(csi, i + 1) - 1;
    a.bottom = csi_value(csi, i + 2, 0) > 0 ? from.top + csi_value(csi, i + 2, 0) : from.bottom;
    a.right = csi_value(csi, i + 3, 0) > 0 ? from.left + csi_value(csi, i + 3, 0) : from.right;
    return area_within(a, from);
}

static void fill(struct screen *s, const struct csi *csi)
{
    int character = csi_value(csi, 0, 0);
    struct area a = rectangle(s, csi, 1);
    bool printable =
        (character >= 0x20 && character < 0x7f) || (character >= 0xa0 && character < 0x100);
    screen_know_pen(s);
    for (int row = a.top; printable && row < a.bottom; row++)
        for (int col = a.left; col < a.right; col++)
            grid_put(s->shown, row, col, (uint32_t)character, 1, s->pen_number);
}

static void copy(struct screen *s, const struct csi *csi)
{
    struct area from = rectangle(s, csi, 0), all = move_origin(s);
    int row = all.top + move_count(csi, 5) - 1, col = all.left + move_count(csi, 6) - 1;
    int height = move_least(from.bottom - from.top, all.bottom - row);
    int width = move_least(from.right - from.left, all.right - col);
    if (height > 0 && width > 0)
        grid_move(s->shown, row, col, from.top, from.left, height, width);
}

static bool rectangle_csi(struct screen *s, const struct csi *csi)
{
    switch (csi->final) {
    case 'z':
        area_erase(s, rectangle(s, csi, 0), false);
        return true;
    case '{':
        area_erase(s, rectangle(s, csi, 0), true);
        return true;
    case 'x':
        fill(s, csi);
        return true;
    case 'v':
        copy(s, csi);
        return true;
    default:
        return false;
    }
}

/* ---- columns ---- */

/* DECIC, DECDC: from the cursor on; SL, SR: all. */
static void shift_columns(struct screen *s, int count, bool from_cursor)
{
    struct area a = area_margins(s);
    if (!move_in_rows(s, a) || !move_in_cols(s, a))
        return;
    if (from_cursor)
        a.left = s->cursor.col;
    area_shift(s, a, count);
}

static bool column_csi(struct screen *s, const struct csi *csi)
{
    int count = move_count(csi, 0);
    if (csi->inter[0] == ' ' && (csi->final == '@' || csi->final == 'A'))
        shift_columns(s, csi->final == '@' ? count : -count, false);
    else if (csi->inter[0] == '\'' && (csi->final == '}' || csi->final == '~'))
        shift_columns(s, csi->final == '~' ? count : -count, true);
    else
        return false;
    return true;
}

/* ---- all ---- */

/* DECALN: the screen is full of E, without margins. */
static void align(struct screen *s)
{
    struct area all = area_screen(s);
    modes_set_region(&s->modes, &(struct csi){.count = 1, .value = {CSI_ABSENT}});
    s->modes.left = s->modes.right = -1;
    s->ahead |= AHEAD_REGION;
    for (int row = 0; row < all.bottom; row++)
        for (int col = 0; col < all.right; col++)
            grid_put(s->shown, row, col, 'E', 1, 0);
    move_to(s, 0, 0);
}

static bool apply_escape(struct screen *s, const struct csi *csi)
{
    if (!csi->inter[0])
        return move_escape(s, csi->final);
    if (csi->inter[0] != '#' || csi->inter[1] || csi->final != '8')
        return false;
    align(s);
    return true;
}

static bool apply_csi(struct screen *s, const struct csi *csi)
{
    if (csi_plain(csi))
        return edit_csi(s, csi) || move_csi(s, csi);
    if (csi->inter[0] == '$' && !csi->leader && !csi->inter[1])
        return rectangle_csi(s, csi);
    if (csi->inter[0])
        return !csi->leader && !csi->inter[1] && column_csi(s, csi);
    if (csi->leader != '?' || (csi->final != 'J' && csi->final != 'K'))
        return false;
    (csi->final == 'J' ? erase_in_display : erase_in_line)(s, csi_value(csi, 0, 0), true);
    return true;
}

bool edit_apply(struct screen *s, const struct op *op)
{
    if (op->kind == OP_ESCAPE)
        return apply_escape(s, &op->csi);
    return op->kind == OP_CSI && apply_csi(s, &op->csi);
}
