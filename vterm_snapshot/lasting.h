/* lasting.h - numbers for rows that whoever reads on by them may keep.
 *
 * A row's number (scrollback.h) is how many left before it. A resize takes rows back from
 * scrollback, and what leaves later has their numbers again. A lasting number is never given to a
 * row of newer text: what had been reached has a number at least as high behind a resize, and no
 * row of text that came later has a lower one. A row that had left before may have another than it
 * had: who kept a number reads some of the last rows again that a resize moved, and skips none.
 */
#ifndef VTERM_SNAPSHOT_LASTING_H
#define VTERM_SNAPSHOT_LASTING_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* Zeroed: each row's is its own. */
struct lasting {
    uint64_t
        most; /* the first row that no reader can have read, if that is behind those that left */
    uint64_t count;
    struct lasting_shift {
        uint64_t from, by; /* rows from number `from` on have a lasting one so much higher */
    } shift[LIMIT_LASTING_SHIFTS]; /* both rise */
};

/* Of a row; and the first row that has at least this one. */
uint64_t lasting_of(const struct lasting *l, uint64_t number);
uint64_t lasting_row(const struct lasting *l, uint64_t lasting);

/* Rows from number `base` on have lasting ones so much higher, at least as much as before. */
void lasting_raise(struct lasting *l, uint64_t base, uint64_t by);

#endif
