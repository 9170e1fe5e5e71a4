/* scrollback.h - logical lines that left the top of the screen, compact and bounded.
 *
 * A logical line is what was printed up to a line end, however many rows it took. It is kept row by
 * row, each with its place in the line; where two rows meet it was wrapped. A row that is shorter
 * than the place of the next one tells was left blank there, for a wide character that had no room;
 * blanks that were printed are text. Lines are numbered by their first rows (anchor.h).
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
};

struct scrollback;

/* `limit`: rows kept. Returns NULL without memory. */
struct scrollback *scrollback_create(size_t limit);
void scrollback_destroy(struct scrollback *s);

/* Adds a copy of `row` to the last line when it is a continuation, else begins a line with it. At
 * the limit the oldest row goes, the front of its line. Without memory the row is counted and lost.
 */
void scrollback_push(struct scrollback *s, const struct scrollback_row *row);

/* The place of the next row pushed. */
struct scrollback_place scrollback_next(const struct scrollback *s, int continuation);

/* Forgets every row (ED 3); numbers go on. */
void scrollback_clear(struct scrollback *s);

/* Rows held, and rows ever pushed. Row i of those held (0 the oldest) is the
 * (total - count + i)-th ever pushed. */
size_t scrollback_count(const struct scrollback *s);
uint64_t scrollback_total(const struct scrollback *s);

/* All of it, and a new one with the same rows and numbers; NULL when that fails. */
void scrollback_save(const struct scrollback *s, struct bytes *out);
/* The same in pieces, while it is as it was: its head, then rows from *row on, which begins at 0,
 * for about `bytes`; returns whether there are more. */
void scrollback_save_head(const struct scrollback *s, struct bytes *out);
bool scrollback_save_rows(const struct scrollback *s, size_t *row, size_t bytes, struct bytes *out);
struct scrollback *scrollback_load(size_t limit, struct unpack *in);

/* Rows [from, to) of those held, as they are at this moment, whatever becomes of the scrollback:
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

/* The i-th row held; valid until the next push or clear. */
struct scrollback_row scrollback_get(const struct scrollback *s, size_t i);
/* Its place; this takes as long as its line has rows in front of it. */
struct scrollback_place scrollback_place(const struct scrollback *s, size_t i);
/* Its runs, to be given other numbers: behind scrollback_own(). */
struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count);

#endif
