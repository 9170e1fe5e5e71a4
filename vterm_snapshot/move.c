#include "vterm_snapshot/move.h"

int move_count(const struct csi *csi, int i)
{
    int count = csi_value(csi, i, 1);
    return count > 0 ? count : 1;
}

bool move_in_rows(const struct screen *s, struct area a)
{
    return s->cursor.row >= a.top && s->cursor.row < a.bottom;
}

bool move_in_cols(const struct screen *s, struct area a)
{
    return s->cursor.col >= a.left && s->cursor.col < a.right;
}

/* ---- steps: from where a margin is ahead it is the end, else the screen's ---- */

static void go_up(struct screen *s, int count)
{
    int top = area_margins(s).top, end = s->cursor.row < top ? 0 : top;
    move_to(s, move_most(s->cursor.row - count, end), s->cursor.col);
}

static void go_down(struct screen *s, int count)
{
    int bottom = area_margins(s).bottom, end = s->cursor.row >= bottom ? s->shown->rows : bottom;
    move_to(s, move_least(s->cursor.row + count, end - 1), s->cursor.col);
}

static void go_right(struct screen *s, int count)
{
    int right = area_margins(s).right, end = s->cursor.col >= right ? s->shown->cols : right;
    move_to(s, s->cursor.row, move_least(s->cursor.col + count, end - 1));
}

/* Back over a margin it comes to the end of the row above, from the first row to that of the last:
 * of the region, or of the screen where it is above that. */
static void go_left_wrapping(struct screen *s, int count)
{
    struct area a = area_margins(s);
    int row = s->cursor.row, col = s->cursor.col + screen_waits(s),
        left = col < a.left ? 0 : a.left;
    int top = row < a.top ? 0 : a.top, bottom = row < a.top ? s->shown->rows : a.bottom;
    for (; count > col - left; row = row == top ? bottom - 1 : row - 1) {
        count -= col - left + 1;
        col = a.right - 1;
        left = a.left;
    }
    move_to(s, row, col - count);
}

static void go_left(struct screen *s, int count)
{
    int left = area_margins(s).left, end = s->cursor.col < left ? 0 : left;
    if (modes_get(&s->modes, MODE_REVERSE_WRAP) && !modes_get(&s->modes, MODE_NO_WRAP))
        go_left_wrapping(s, move_least(count, s->shown->cols * s->shown->rows));
    else
        move_to(s, s->cursor.row, move_most(s->cursor.col - count, end));
}

int move_line_start(const struct screen *s)
{
    int left = area_margins(s).left;
    return s->cursor.col >= left || modes_get(&s->modes, MODE_ORIGIN) ? left : 0;
}

static void start_line(struct screen *s)
{
    move_to(s, s->cursor.row, move_line_start(s));
}

void move_back(struct screen *s)
{
    go_left(s, 1);
}

/* ---- tab stops ---- */

/* To the right no tab leads behind the right margin; from behind it, it leads to it. */
static void tabulate(struct screen *s, int count)
{
    int step = count > 0 ? 1 : -1, right = area_margins(s).right, col = s->cursor.col;
    int end = step < 0 ? 0 : right - 1;
    if (count > 0 && col > end)
        col = end;
    for (; count && col != end; count -= step)
        do
            col += step;
        while (col != end && !modes_tab(&s->modes, col));
    if (col != s->cursor.col)
        move_to(s, s->cursor.row, col);
}

void move_tab(struct screen *s)
{
    tabulate(s, 1);
}

/* ---- places ---- */

struct area move_origin(const struct screen *s)
{
    return modes_get(&s->modes, MODE_ORIGIN) ? area_margins(s) : area_screen(s);
}

void move_place(struct screen *s, int row, int col)
{
    struct area a = move_origin(s);
    move_to(s, move_least(move_most(row, a.top), a.bottom - 1),
            move_least(move_most(col, a.left), a.right - 1));
}

void move_home(struct screen *s)
{
    move_place(s, 0, 0);
}

/* DECSTBM: one without room for two rows is none. */
static void set_region(struct screen *s, const struct csi *csi)
{
    int rows = s->shown->rows, bottom = csi_value(csi, 1, 0);
    if ((bottom <= 0 || bottom > rows ? rows : bottom) <= move_count(csi, 0))
        return;
    modes_set_region(&s->modes, csi);
    s->ahead |= AHEAD_REGION;
    move_home(s);
}

/* DECSLRM; where it is none the cursor is saved (modal.c). */
static void set_margins(struct screen *s, const struct csi *csi)
{
    int cols = s->shown->cols, right = csi_value(csi, 1, 0);
    if ((right <= 0 || right > cols ? cols : right) <= move_count(csi, 0))
        return;
    modes_set_margins(&s->modes, csi);
    move_home(s);
}

/* ---- sequences ---- */

bool move_csi(struct screen *s, const struct csi *csi)
{
    int count = move_count(csi, 0);
    struct area from = move_origin(s);
    switch (csi->final) {
    case 'A':
        go_up(s, count);
        return true;
    case 'B':
        go_down(s, count);
        return true;
    case 'C':
        go_right(s, count);
        return true;
    case 'D':
        go_left(s, count);
        return true;
    case 'E':
        go_down(s, count);
        start_line(s);
        return true;
    case 'F':
        go_up(s, count);
        start_line(s);
        return true;
    case 'G':
    case '`':
        move_place(s, s->cursor.row, from.left + count - 1);
        return true;
    case 'a':
        move_place(s, s->cursor.row, s->cursor.col + count);
        return true;
    case 'd':
        move_place(s, from.top + count - 1, s->cursor.col);
        return true;
    case 'e':
        move_place(s, s->cursor.row + count, s->cursor.col);
        return true;
    case 'H':
    case 'f':
        move_place(s, from.top + count - 1, from.left + move_count(csi, 1) - 1);
        return true;
    case 'I':
        tabulate(s, count);
        return true;
    case 'Z':
        tabulate(s, -count);
        return true;
    case 'r':
        set_region(s, csi);
        return true;
    case 's':
        if (modes_get(&s->modes, MODE_MARGINS))
            set_margins(s, csi);
        return modes_get(&s->modes, MODE_MARGINS);
    default:
        return csi->final == 'j' || csi->final == 'k'; /* xterm knows neither */
    }
}

/* ---- escapes ---- */

void move_down_scrolling(struct screen *s)
{
    struct area a = area_margins(s);
    bool at_end = s->cursor.row + 1 == a.bottom;
    if (at_end && move_in_cols(s, a))
        area_scroll(s, a, 1);
    move_to(s, move_least(s->cursor.row + !at_end, s->shown->rows - 1), s->cursor.col);
}

void move_up_scrolling(struct screen *s)
{
    struct area a = area_margins(s);
    bool at_end = s->cursor.row == a.top;
    if (at_end && move_in_cols(s, a))
        area_scroll(s, a, -1);
    move_to(s, move_most(s->cursor.row - !at_end, 0), s->cursor.col);
}

/* DECBI, DECFI: at a margin the columns move. */
static void column_back(struct screen *s)
{
    struct area a = area_margins(s);
    if (s->cursor.col != a.left)
        move_to(s, s->cursor.row, move_most(s->cursor.col - 1, 0));
    else if (move_in_rows(s, a))
        area_shift(s, a, -1);
}

static void column_forward(struct screen *s)
{
    struct area a = area_margins(s);
    if (s->cursor.col + 1 != a.right)
        move_to(s, s->cursor.row, move_least(s->cursor.col + 1, s->shown->cols - 1));
    else if (move_in_rows(s, a))
        area_shift(s, a, 1);
}

bool move_escape(struct screen *s, char final)
{
    switch (final) {
    case 'D':
        move_down_scrolling(s);
        return true;
    case 'E':
        move_down_scrolling(s);
        start_line(s);
        return true;
    case 'M':
        move_up_scrolling(s);
        return true;
    case '6':
        column_back(s);
        return true;
    case '9':
        column_forward(s);
        return true;
    default:
        return false;
    }
}
