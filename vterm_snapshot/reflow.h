/* reflow.h - the primary screen at another size.
 *
 * At another width its lines are wrapped anew, those of scrollback that come to the screen, too; as
 * with xterm.js, the line that holds the cursor is not: its program draws it again. What a narrower
 * screen hides of that stays in its rows until they are touched. A taller screen takes rows back
 * from scrollback where the cursor is in its last row; from a lower one rows leave at the top as
 * far as the cursor, and what stands below it, need the room. At another width the cursor stays in
 * its row while there is scrollback to give or take rows, else the first line stays the first.
 *
 * Where rows, places and the capture under way stood they stand in the same text behind it: whoever
 * keeps anchors asks where theirs went.
 */
#ifndef VTERM_SNAPSHOT_REFLOW_H
#define VTERM_SNAPSHOT_REFLOW_H

#include "vterm_snapshot/anchor.h"

struct screen;

/* What became of rows at the last resize. Zeroed: nothing moved. */
struct reflow {
    uint64_t base;               /* number of the first row that it speaks of; */
    size_t old_count, new_count; /* so many there were from there on, and so many there are */
    struct reflow_old *old;
    uint32_t *start; /* of the new rows: cells of their lines in front */
};

void reflow_finish(struct reflow *reflow);

/* Gives the primary screen another size, its cursor in (*row, *col); both are where that is then.
 */
void reflow_resize(struct screen *s, int cols, int rows, int *row, int *col);

/* Where an anchor from before the last resize is. */
struct terminal_anchor reflow_follow(const struct screen *s, struct terminal_anchor at);

#endif
