#include "vterm_snapshot/area.h"

struct area area_screen(const struct screen *s)
{
    return (struct area){.bottom = s->shown->rows, .right = s->shown->cols};
}

struct area area_margins(const struct screen *s)
{
    struct area a = area_screen(s);
    modes_region(&s->modes, s->shown->rows, &a.top, &a.bottom);
    modes_margins(&s->modes, s->shown->cols, &a.left, &a.right);
    return a;
}

struct area area_within(struct area a, struct area b)
{
    return (struct area){.top = a.top > b.top ? a.top : b.top,
                         .bottom = a.bottom < b.bottom ? a.bottom : b.bottom,
                         .left = a.left > b.left ? a.left : b.left,
                         .right = a.right < b.right ? a.right : b.right};
}

bool area_is_empty(struct area a)
{
    return a.top >= a.bottom || a.left >= a.right;
}

static bool is_whole(const struct screen *s, struct area a)
{
    return a.top == 0 && a.bottom == s->shown->rows && a.left == 0 && a.right == s->shown->cols;
}

void area_erase(struct screen *s, struct area a, bool selective)
{
    a = area_within(a, area_screen(s));
    if (area_is_empty(a))
        return;
    (selective ? grid_erase_selectively : grid_erase)(s->shown, a.top, a.bottom, a.left, a.right,
                                                      screen_blank_pen(s));
    if (a.bottom == s->shown->rows && a.left == 0 && a.right == s->shown->cols && !selective)
        screen_rows_erased(s, a.top);
    if (s->shown == &s->primary && is_whole(s, a))
        capture_screen_erased(&s->capture, screen_top(s));
}

/* ---- scrolling ---- */

static void scroll_rows(struct screen *s, struct area a, int count)
{
    struct grid *grid = s->shown;
    int height = a.bottom - a.top;
    if (s->edge == EDGE_UNKNOWN) /* what says it moves */
        s->edge = screen_waits(s) ? EDGE_WAITS : EDGE_FREE;
    if (grid == &s->primary && a.top == 0)
        for (int i = 0; i < count && i < height; i++)
            screen_push_row(s, i);
    grid_scroll(grid, a.top, a.bottom, count, screen_blank_pen(s));
    if (s->glyph_row >= a.top && s->glyph_row < a.bottom)
        s->glyph_row -= count;
}

/* As many rows or columns as stay of `size`, moved by `count`. */
static int staying(int size, int count)
{
    int gone = count < 0 ? -count : count;
    return gone < size ? size - gone : 0;
}

void area_scroll(struct screen *s, struct area a, int count)
{
    if (area_is_empty(a) || !count)
        return;
    if (a.left == 0 && a.right == s->shown->cols) {
        scroll_rows(s, a, count);
        return;
    }
    int kept = staying(a.bottom - a.top, count), from = count > 0 ? a.bottom - kept : a.top;
    int to = count > 0 ? a.top : a.bottom - kept;
    struct area blank = a;
    grid_move(s->shown, to, a.left, from, a.left, kept, a.right - a.left);
    if (count > 0)
        blank.top = a.top + kept;
    else
        blank.bottom = a.bottom - kept;
    area_erase(s, blank, false);
}

void area_shift(struct screen *s, struct area a, int count)
{
    if (area_is_empty(a) || !count)
        return;
    int kept = staying(a.right - a.left, count), from = count > 0 ? a.right - kept : a.left;
    int to = count > 0 ? a.left : a.right - kept;
    struct area blank = a;
    grid_move(s->shown, a.top, to, a.top, from, a.bottom - a.top, kept);
    if (count > 0)
        blank.left = a.left + kept;
    else
        blank.right = a.right - kept;
    area_erase(s, blank, false);
}
