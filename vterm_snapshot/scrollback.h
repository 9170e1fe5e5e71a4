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
/* The next of those rows, whose runs go to `runs`; valid while the bytes are. False behind the last
 * one, and where there is none. */
bool scrollback_load_row(struct unpack *in, struct row_run runs[LIMIT_SIZE_MAX],
                         struct scrollback_row *ret_row);
struct scrollback *scrollback_load(size_t limit, struct unpack *in);

/* The i-th row held; valid until the next push or clear. */
struct scrollback_row scrollback_get(const struct scrollback *s, size_t i);
/* Its place; this takes as long as its line has rows in front of it. */
struct scrollback_place scrollback_place(const struct scrollback *s, size_t i);
/* Its runs, to be given other numbers. */
struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count);

#endif
