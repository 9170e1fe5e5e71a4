/* undo.h - what passed through to a terminal, as far as it stays behind there, and what undoes it.
 *
 * For whoever lends its terminal: modes, key encodings, the cursor's looks, colours of the palette,
 * tab stops, a progress that is shown. Pure.
 */
#ifndef VTERM_SNAPSHOT_UNDO_H
#define VTERM_SNAPSHOT_UNDO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct undo;

/* Nothing passed yet. Returns NULL without memory. */
struct undo *undo_create(void);
void undo_destroy(struct undo *undo);

/* Takes note of bytes on their way to the terminal, cut anywhere. */
void undo_note(struct undo *undo, const char *bytes, size_t len);

/* Whether they end inside a sequence or string: what is put there becomes part of that. */
bool undo_is_inside(const struct undo *undo);

/* Appends what undoes it on a terminal of `cols` columns, and forgets it. The primary screen is
 * shown then, and the cursor stands where it stood there, but behind DECOM. */
void undo_append(struct undo *undo, int cols, struct bytes *out);

#endif
