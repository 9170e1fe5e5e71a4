/* scrollback.h - lines that left the top of the screen, compact and bounded. */
#ifndef VTERM_SNAPSHOT_SCROLLBACK_H
#define VTERM_SNAPSHOT_SCROLLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/grid.h"

struct scrollback_line {
    uint32_t len;              /* bytes of text */
    uint16_t runs;             /* pen changes; 0 when all is drawn with the default pen */
    bool continuation;         /* goes on from the line before: it was wrapped */
    const struct row_run *run; /* from `column` on, cells are drawn with `pen` */
    const char *text;          /* UTF-8, right-trimmed, no NUL at the end */
};

struct scrollback;

/* `limit`: lines kept. Returns NULL without memory. */
struct scrollback *scrollback_create(size_t limit);
void scrollback_destroy(struct scrollback *s);

/* Adds a copy of `line`; at the limit the oldest line goes. Without memory the line is counted
 * and lost. */
void scrollback_push(struct scrollback *s, const struct scrollback_line *line);

/* Forgets every line (ED 3); numbers go on. */
void scrollback_clear(struct scrollback *s);

/* Lines held, and lines ever pushed. Line i of those held (0 the oldest) is the
 * (total - count + i)-th ever pushed. */
size_t scrollback_count(const struct scrollback *s);
uint64_t scrollback_total(const struct scrollback *s);

/* All of it, and a new one with the same lines and numbers; NULL when that fails. */
void scrollback_save(const struct scrollback *s, struct bytes *out);
struct scrollback *scrollback_load(size_t limit, struct unpack *in);

/* The i-th line held; valid until the next push or clear. */
struct scrollback_line scrollback_get(const struct scrollback *s, size_t i);
/* Its runs, to be given other numbers. */
struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count);

#endif
