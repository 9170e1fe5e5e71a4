/* print.h - characters and controls where a mode changes what they do: margins, insertion, no wrap,
 * reverse wrap, origin, new line, tab stops, protection. Where none does, draw.c is faster; where
 * another character set is in use, libvterm knows it.
 */
#ifndef VTERM_SNAPSHOT_PRINT_H
#define VTERM_SNAPSHOT_PRINT_H

#include "vterm_snapshot/screen_private.h"

/* False for an operation that is no text, character or control of these. */
bool print_apply(struct screen *s, const struct op *op);

#endif
