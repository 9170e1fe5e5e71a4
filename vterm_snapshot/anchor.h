/* anchor.h - a place in a logical line: in what was printed up to a line end, however many rows it
 * took. It stays one wherever the rows are now: on the primary screen, in scrollback, or gone.
 *
 * Rows are numbered since the start, those of the screen behind those of scrollback. A line has the
 * number of the row it began in. An anchor is also a row and a column, and no program that draws
 * over the rows above can move it: where its line had another width up there, so that it would be
 * found elsewhere, it counts from its own row on. Where rows are wrapped anew it is elsewhere
 * (reflow_follow()).
 */
#ifndef VTERM_SNAPSHOT_ANCHOR_H
#define VTERM_SNAPSHOT_ANCHOR_H

#include <stdint.h>

#include "vterm_snapshot/grid.h"

struct terminal_anchor {
    uint64_t line;   /* number of the row that the line began in */
    uint64_t offset; /* cells of the line in front */
    int cols;        /* cells in each row of the line */
};

struct scrollback;

/* The place (row, col) of the primary screen, whose rows above are in `scrollback`. */
struct terminal_anchor anchor_at(const struct grid *grid, const struct scrollback *scrollback,
                                 int row, int col);

/* The number of the row that it is in, and the column there. */
uint64_t anchor_row(struct terminal_anchor anchor);
int anchor_col(struct terminal_anchor anchor);

#endif
