/* edit.h - what moves the cursor, erases, inserts, deletes and scrolls: as xterm does it (ctlseqs),
 * in every mode, without libvterm, which does some of it otherwise and most of it slowly. One rule
 * is of our own, and of tmux, xterm.js and alacritty: a cursor that waits behind the last column
 * stands behind it, so that what erases or shifts from the cursor on takes no character that was
 * printed (`grep --color` erases behind each match).
 */
#ifndef VTERM_SNAPSHOT_EDIT_H
#define VTERM_SNAPSHOT_EDIT_H

#include "vterm_snapshot/screen_private.h"

/* False for an operation that is none of those. */
bool edit_apply(struct screen *s, const struct op *op);

#endif
