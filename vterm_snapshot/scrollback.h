/* scrollback.h - logical lines that left the top of the screen, compact and bounded.
 *
 * A logical line is what was printed up to a line end, however many rows it took. It is kept in
 * pieces, the rows as they left, each with its place in the line; where two meet it was wrapped. A
 * piece that is shorter than the place of the next one tells was left blank there, for a wide
 * character that had no room; blanks that were printed are text. Pieces are numbered since the
 * start, lines by their first pieces (anchor.h).
 *
 * It is read in rows of the screen's present width: the pieces themselves, or what they give when
 * they are wrapped anew (wrap.h), which is done when they are read for the first time since the
 * width changed. No more rows are read than are kept at most.
 */
#ifndef VTERM_SNAPSHOT_SCROLLBACK_H
#define VTERM_SNAPSHOT_SCROLLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "vterm_snapshot/grid.h"

struct scrollback_place {
    uint64_t line;   /* number of the row that the line began in */
    uint64_t offset; /* cells of the line in front */
};

struct scrollback_row {
    uint16_t len;              /* bytes of text */
    uint16_t runs;             /* pen changes; 0 when all is drawn with the default pen */
    uint16_t continuation;     /* columns of the row before, from which this one goes on; or 0 */
    bool clusters;             /* it has columns by grapheme cluster (grapheme.h) */
    const struct row_run *run; /* from `column` of the row on, cells are drawn with `pen` */
    const char *text;          /* UTF-8, trimmed where the line ends, no NUL at the end */
    bool wider;                /* when it is pushed: it has more columns than the screen */
    uint64_t first, last;      /* when it is read: the pieces that it is of */
};

struct scrollback;

/* `limit`: pieces kept. Returns NULL without memory. */
struct scrollback *scrollback_create(size_t limit);
void scrollback_destroy(struct scrollback *s);

/* The screen has so many columns from now on. */
void scrollback_set_cols(struct scrollback *s, int cols);

/* Adds a copy of `row` to the last line when it is a continuation, else begins a line with it. At
 * the limit the oldest piece goes, the front of its line. Without memory it is counted and lost. */
void scrollback_push(struct scrollback *s, const struct scrollback_row *row);

/* Takes the last piece away; its number is given anew. There is one. */
void scrollback_pop(struct scrollback *s);

/* The place of the next piece pushed. */
struct scrollback_place scrollback_next(const struct scrollback *s, int continuation);

/* Forgets every row (ED 3); numbers go on. */
void scrollback_clear(struct scrollback *s);

/* Pieces held, and pieces ever pushed. Piece i of those held (0 the oldest) has the number
 * total - pieces + i; valid until the next push or clear. From number `seam` on each is a row. */
size_t scrollback_pieces(const struct scrollback *s);
uint64_t scrollback_total(const struct scrollback *s);
uint64_t scrollback_seam(const struct scrollback *s);
struct scrollback_row scrollback_piece(const struct scrollback *s, size_t i);

/* Rows that are read, and how many of them begin in pieces from number `from` on. */
size_t scrollback_count(const struct scrollback *s);
size_t scrollback_since(const struct scrollback *s, uint64_t from);

/* All of it, and a new one with the same pieces and numbers; NULL when that fails. */
void scrollback_save(const struct scrollback *s, struct bytes *out);
/* The same bit by bit, while it is as it was: its head, then pieces from *row on, which begins at
 * 0, for about `bytes`; returns whether there are more. */
void scrollback_save_head(const struct scrollback *s, struct bytes *out);
bool scrollback_save_rows(const struct scrollback *s, size_t *row, size_t bytes, struct bytes *out);
struct scrollback *scrollback_load(size_t limit, struct unpack *in);

/* Rows [from, to), as they are at this moment, whatever becomes of the scrollback:
 * they share its memory, so that many rows are held as fast as few. NULL without memory. */
struct scrollback_hold;
struct scrollback_hold *scrollback_hold(const struct scrollback *s, size_t from, size_t to);
void scrollback_release(struct scrollback_hold *hold);
/* The next one; valid until the next call. False behind the last. */
bool scrollback_hold_next(struct scrollback_hold *hold, struct scrollback_row *ret_row);
/* About how many bytes of memory are there for this hold's sake alone. */
size_t scrollback_hold_bytes(const struct scrollback_hold *hold);

/* Takes copies of what holds share: before runs are given other numbers. False without memory. */
bool scrollback_own(struct scrollback *s);

/* The i-th row (0 the oldest); valid until the next call. */
struct scrollback_row scrollback_get(const struct scrollback *s, size_t i);
/* Its place; this takes as long as its line has pieces in front of it. */
struct scrollback_place scrollback_place(const struct scrollback *s, size_t i);
/* A piece's runs, to be given other numbers: behind scrollback_own(). */
struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count);

#endif
