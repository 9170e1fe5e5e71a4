#include "vterm_snapshot/anchor.h"

#include "vterm_snapshot/scrollback.h"

struct terminal_anchor anchor_at(const struct grid *grid, const struct scrollback *scrollback,
                                 int row, int col)
{
    struct scrollback_place place = scrollback_next(scrollback, grid->row[0]->continuation);
    uint64_t number = scrollback_total(scrollback) + (uint64_t)row;
    for (int i = 1; i <= row && i < grid->rows; i++) {
        int width = grid->row[i]->continuation;
        place.line = width ? place.line : number - (uint64_t)(row - i);
        place.offset = width ? place.offset + (uint64_t)width : 0;
    }
    struct terminal_anchor at = {place.line, place.offset + (uint64_t)col, grid->cols};
    if (anchor_row(at) != number || anchor_col(at) != col)
        at = (struct terminal_anchor){number, (uint64_t)col, grid->cols};
    return at;
}

/* One that was never set has no columns. */
uint64_t anchor_row(struct terminal_anchor a)
{
    return a.line + (a.cols > 0 ? a.offset / (uint64_t)a.cols : 0);
}

int anchor_col(struct terminal_anchor a)
{
    return a.cols > 0 ? (int)(a.offset % (uint64_t)a.cols) : 0;
}
