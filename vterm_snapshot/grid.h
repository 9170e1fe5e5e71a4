/* grid.h - one screen of cells. Rows are pointers, so that scrolling moves no cell. */
#ifndef VTERM_SNAPSHOT_GRID_H
#define VTERM_SNAPSHOT_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"
#include "vterm_snapshot/cluster.h"

/* The character of a cell that a wide character on its left covers. */
#define CELL_COVERED 0x7fffffffu

struct cell {
    uint32_t character; /* code point, CLUSTER_FLAG | number, CELL_COVERED, or 0: never written */
    uint16_t pen;       /* of pen.h */
    uint8_t wide;       /* 1 when it covers the next cell too */
    uint8_t protected : 1; /* selective erasing spares it (DECSCA) */
    uint8_t stale : 1;     /* not written since grid_set_stale() */
};

struct row {
    struct cell *cells;
    int extent;            /* cells that count: the grid's columns, or more when the grid shrank and
                              the row was not touched since */
    int capacity;          /* cells allocated */
    uint32_t stamp;        /* grid.stamp at the last change */
    uint16_t continuation; /* columns of the row above when it was wrapped onto this one; or 0 */
    bool clusters;         /* some character of it was measured by grapheme cluster, since it was
                              blank */
};

struct grid {
    int cols, rows;
    struct row **row;
    uint32_t stamp; /* set by the owner; changed rows take it */
};

/* One row, and room for `cols` cells in it, which keeps what it holds beyond them. */
struct row *row_create(int cols);
void row_destroy(struct row *row);
int row_widen(struct row *row, int cols);

/* Returns 0 or -ENOMEM. grid_finish() takes a zeroed struct too. */
int grid_init(struct grid *grid, int cols, int rows);
void grid_finish(struct grid *grid);

/* What is written begins or ends at `col`: a wide character that lies across is blanked. */
static inline void row_part(struct row *row, int col)
{
    if (col > 0 && col < row->extent && row->cells[col].character == CELL_COVERED) {
        row->cells[col - 1] = (struct cell){.character = ' ', .pen = row->cells[col - 1].pen};
        row->cells[col] = (struct cell){.character = ' ', .pen = row->cells[col].pen};
    }
}

/* The border of what was moved there is at `col`: a half of a wide character that lost the other
 * one is blanked. */
void row_mend(struct row *row, int col);

/* Writes a character of `width` columns (1 or 2) if (row, col) is inside. */
void grid_put(struct grid *grid, int row, int col, uint32_t character, int width, uint16_t pen);

/* Writes `len` printable ASCII characters from (row, col) on, where they have room. */
static inline void grid_put_ascii(struct grid *grid, int row, int col, const char *text, size_t len,
                                  uint16_t pen)
{
    struct row *r = grid->row[row];
    struct cell *cell = r->cells + col;
    r->stamp = grid->stamp;
    r->extent = grid->cols;
    row_part(r, col);
    row_part(r, col + (int)len);
    for (size_t i = 0; i < len; i++)
        cell[i] = (struct cell){.character = (unsigned char)text[i], .pen = pen};
}

/* Protects the character there from selective erasing. */
void grid_protect(struct grid *grid, int row, int col);

/* Blanks [start_row, end_row) x [start_col, end_col), clipped, with the pen. */
void grid_erase(struct grid *grid, int start_row, int end_row, int start_col, int end_col,
                uint16_t pen);

/* The same, but for cells that are protected (DECSED, DECSEL). */
void grid_erase_selectively(struct grid *grid, int start_row, int end_row, int start_col,
                            int end_col, uint16_t pen);

/* Moves the rows [top, bottom) up by `count` (down when negative); rows that come in are blank
 * with the pen. */
void grid_scroll(struct grid *grid, int top, int bottom, int count, uint16_t pen);

/* Copies cells from a rectangle of `height` x `width` to another place; they may overlap. */
void grid_move(struct grid *grid, int to_row, int to_col, int from_row, int from_col, int height,
               int width);

/* What stands in front of (row, col) in its row, blanks included, and what was written there and
 * below is stale until it is written; what was stale before is not any more. Returns whether any
 * is. */
bool grid_set_stale(struct grid *grid, int row, int col);
void grid_clear_stale(struct grid *grid);

/* Changes the size. `drop_top` and then as many rows at the bottom as needed go away; missing
 * ones are added at the bottom. Returns 0, or -ENOMEM with the grid as it was. */
int grid_resize(struct grid *grid, int cols, int rows, int drop_top);

/* All of it; grid_load() makes a grid of that. Returns 0, -ENOMEM, or -EINVAL for what is none. */
void grid_save(const struct grid *grid, struct bytes *out);
int grid_load(struct grid *grid, struct unpack *in);

/* One past the last cell that was written. */
int row_used(const struct row *row);

/* Appends the cells [from, to) as UTF-8; unwritten ones are spaces. */
void row_text(const struct row *row, int from, int to, const struct cluster_table *clusters,
              struct bytes *out);

/* The same without trailing blanks. */
void row_text_trimmed(const struct row *row, int from, int to, const struct cluster_table *clusters,
                      struct bytes *out);

/* Where, behind `from` and up to `to`, the pen changes. */
int row_same_pen(const struct row *row, int from, int to);

/* Where the pen changes, and to which. */
struct row_run {
    uint16_t column, pen;
};

/* Both at once, for a row that leaves: its text, without trailing blanks when `trimmed`, and its
 * pen changes (room for as many as columns). Returns how many. */
uint16_t row_pack(const struct row *row, bool trimmed, const struct cluster_table *clusters,
                  struct bytes *text, struct row_run *runs);

/* Whether the row shows nothing. */
bool row_is_blank(const struct row *row);

#endif
