/* redraw.h - a screen as the bytes that draw it. */
#ifndef VTERM_SNAPSHOT_REDRAW_H
#define VTERM_SNAPSHOT_REDRAW_H

#include "base/bytes.h"
#include "vterm_snapshot/screen.h"

/* Appends what draws the screen shown and places its cursor; the alternate screen of the outer
 * terminal is used when, and only when, the program uses it. */
void redraw_screen(const struct screen *e, struct bytes *out);

/* Appends what ends every mode a program may have left on. */
void redraw_restore(struct bytes *out);

#endif
