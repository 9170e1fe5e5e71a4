/* pen.h - interned pens: a cell names its colours and attributes by a small number. */
#ifndef VTERM_SNAPSHOT_PEN_H
#define VTERM_SNAPSHOT_PEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"

enum pen_attribute {
    PEN_BOLD = 1 << 0,
    PEN_DIM = 1 << 1,
    PEN_ITALIC = 1 << 2,
    PEN_BLINK = 1 << 3,
    PEN_BLINK_FAST = 1 << 4,
    PEN_REVERSE = 1 << 5,
    PEN_CONCEAL = 1 << 6,
    PEN_STRIKE = 1 << 7,
    PEN_OVERLINE = 1 << 8,
    PEN_UNDERLINE = 1 << 9, /* times its kind: 1 single, 2 double, 3 curly, 4 dotted, 5 dashed */
    PEN_UNDERLINE_KIND = 7 << 9,
};

/* A colour: 0 is the default, PEN_INDEXED | n of the palette, PEN_RGB | 0xrrggbb. */
#define PEN_INDEXED 0x01000000u
#define PEN_RGB     0x02000000u

struct pen {
    uint32_t foreground, background, underline; /* colours */
    uint16_t attributes;                        /* of enum pen_attribute */
    uint16_t link;                              /* of link.h */
};

static inline bool pen_is_default(const struct pen *pen)
{
    return !(pen->foreground | pen->background | pen->underline | pen->attributes | pen->link);
}

struct pen_table;

/* Number 0 is the default pen. Returns NULL without memory. */
struct pen_table *pen_table_create(void);
void pen_table_destroy(struct pen_table *table);

/* The number of `pen`; 0 when LIMIT_PENS others are in use or memory is out. */
uint16_t pen_intern(struct pen_table *table, const struct pen *pen);

/* What the few sequences of a stream make of its few pens is remembered: a `change`, never 0, leads
 * from one number to another. Whoever asks says what a change is. pen_recall() returns false when
 * it does not know. */
bool pen_recall(const struct pen_table *table, uint64_t change, uint16_t from, uint16_t *ret_to);
void pen_remember(struct pen_table *table, uint64_t change, uint16_t from, uint16_t to);

/* How many there are, the default pen included. */
uint32_t pen_table_count(const struct pen_table *table);

/* All of it, and a new table with the same numbers; NULL when that fails. */
void pen_table_save(const struct pen_table *table, struct bytes *out);
struct pen_table *pen_table_load(struct unpack *in);

/* The pen of a number that pen_intern() gave. */
const struct pen *pen_lookup(const struct pen_table *table, uint16_t number);

#endif
