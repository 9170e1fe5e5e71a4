/* left.h - rows that left the screen, as they stood in the scrollback at a moment: for who takes
 * time to read them. They are not copied (scrollback_hold()); what they are read as is made row by
 * row.
 */
#ifndef VTERM_SNAPSHOT_LEFT_H
#define VTERM_SNAPSHOT_LEFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "vterm_snapshot/pen.h"
#include "vterm_snapshot/scrollback.h"

struct left;

/* Rows [from, to) of those held, with a copy of the pens that they name. NULL without memory. */
struct left *left_create(const struct scrollback *s, const struct pen_table *pens, size_t from,
                         size_t to);
void left_destroy(struct left *left);

/* Appends the next row's text, trimmed, or with the colours it is drawn in (styled.h). False behind
 * the last one. */
bool left_text(struct left *left, struct bytes *out);
bool left_styled(struct left *left, struct bytes *out);

/* Whether the row that came last goes on from the one before, which was wrapped there. */
bool left_goes_on(const struct left *left);
/* In which rows that left it stands, by their numbers since the start. */
void left_numbers(const struct left *left, uint64_t *ret_first, uint64_t *ret_last);

/* About how many bytes of memory it takes. */
size_t left_bytes(const struct left *left);

#endif
