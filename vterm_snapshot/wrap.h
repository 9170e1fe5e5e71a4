/* wrap.h - a line that was kept in rows of some width, in rows of another one.
 *
 * What was kept of a row is a piece of its line. From pieces, one behind the other, come rows: each
 * takes as many characters as have room, and none is split; where a wide one has no room the row is
 * a column shorter.
 */
#ifndef VTERM_SNAPSHOT_WRAP_H
#define VTERM_SNAPSHOT_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "vterm_snapshot/scrollback.h"

/* A character of a row's text with all that joins it, as much as a cell has room for: its bytes and
 * columns. `clusters`: measured
 * by grapheme cluster. `len` > 0. */
size_t wrap_character(const char *text, size_t len, bool clusters, int *ret_width);

/* Where a row begins. */
struct wrap_place {
    uint32_t piece;
    uint16_t at, col; /* the byte of its text, its column there */
};

/* The row at hand. */
struct wrap {
    int cols;          /* that a row has */
    bool measures;     /* no row is made, only its end is found */
    struct bytes text; /* of the row */
    struct bytes runs; /* struct row_run */
    int col;           /* columns that are taken, */
    size_t len;        /* and bytes */
    uint16_t pen;      /* at the end */
    bool clusters;     /* of some piece */
};

/* Frees the row; a zeroed one, too. */
void wrap_finish(struct wrap *w);

/* The piece of that number; false where there is none. */
typedef bool wrap_piece(void *user, uint32_t number, struct scrollback_row *ret_piece);

/* Makes the row that begins at `place`, in `piece`; then both are those of the next row. False when
 * there is none. */
bool wrap_row(struct wrap *w, wrap_piece *next, void *user, struct scrollback_row *piece,
              struct wrap_place *place);

/* The same, and what was made: until the next one is. */
struct scrollback_row wrap_read(struct wrap *w, wrap_piece *next, void *user,
                                struct scrollback_row *piece, struct wrap_place *place);

#endif
