/* scrollback_private.h - scrollback from inside: scrollback.c (pieces), scrollback_rows.c (what
 * they are read as), scrollback_hold.c (for who takes time to read).
 */
#ifndef VTERM_SNAPSHOT_SCROLLBACK_PRIVATE_H
#define VTERM_SNAPSHOT_SCROLLBACK_PRIVATE_H

#include "vterm_snapshot/scrollback.h"
#include "vterm_snapshot/wrap.h"

#define BLOCK_BYTES (8192 - 64) /* of rows in a block; one that a larger row needs is as large */

/* A row's head; its runs and its text follow. */
struct piece {
    uint16_t len, runs, continuation, clusters;
    struct row_run run[];
};

struct block {
    struct block *next;   /* the younger one */
    struct block *before; /* the older one, while the scrollback has both */
    size_t size, used;    /* bytes of `rows` */
    size_t count;         /* rows in it that are held */
    size_t users;         /* the scrollback, while it has it, and holds */
    bool gone;            /* the scrollback has it no more */
    _Alignas(struct piece) char rows[];
};

struct scrollback {
    size_t limit;
    struct piece **rows; /* a ring that grows to `limit` */
    size_t capacity;
    size_t first, count;
    struct block *oldest, *newest;
    uint64_t total;
    struct scrollback_place oldest_place, last; /* of the oldest row held, of the last one pushed */
    int cols;                                   /* of the screen; 0: not said */
    uint64_t seam; /* pieces in front of this number are wrapped anew when they are read */
    struct scrollback_rows *rows_read; /* those, and what a row is read into */
};

/* Rows that pieces in front of the seam give. */
struct scrollback_rows {
    bool known;
    uint64_t base;             /* number of the piece that is 0 in a place */
    struct wrap_place *places; /* where each begins */
    size_t from, count, capacity;
    struct wrap wrap;
};

/* Of the i-th piece held. */
static inline size_t scrollback_slot(const struct scrollback *s, size_t i)
{
    return s->first + i < s->capacity ? s->first + i : s->first + i - s->capacity;
}

/* The number of the oldest piece held. */
static inline uint64_t scrollback_oldest(const struct scrollback *s)
{
    return s->total - s->count;
}

/* What a piece takes in a block. */
static inline size_t scrollback_space(size_t runs, size_t len)
{
    size_t size = sizeof(struct piece) + runs * sizeof(struct row_run) + len;
    size_t unit = _Alignof(struct piece);
    return (size + unit - 1) & ~(unit - 1);
}

/* The piece of that number. */
struct scrollback_row scrollback_read(const struct piece *p, uint64_t number);

/* One user less; the last frees it. */
void scrollback_let_go(struct block *block);

/* How many rows pieces in front of the seam give; the i-th of them begins there. */
size_t scrollback_wrapped(const struct scrollback *s);
const struct wrap_place *scrollback_wrapped_place(const struct scrollback *s, size_t i);

#endif
