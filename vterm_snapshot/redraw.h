/* redraw.h - a screen as the bytes that draw it. */
#ifndef VTERM_SNAPSHOT_REDRAW_H
#define VTERM_SNAPSHOT_REDRAW_H

#include "base/bytes.h"
#include "vterm_snapshot/screen.h"

/* Appends what brings a terminal of the same size, whatever it shows, to this point: the primary
 * screen, where the alternate one is shown that, too, each with its saved cursor, and everything
 * that changes what comes next. Nothing scrolls. */
void redraw_screen(const struct screen *s, struct bytes *out);

/* The same on one that is larger: what it shows beyond is erased, and nothing is wrapped by its
 * edge. */
void redraw_screen_larger(const struct screen *s, struct bytes *out);

/* Appends what draws as much of the screen shown as a terminal of `cols` x `rows` shows, the cursor
 * among it, and blanks around; with the modes for keys, mouse and paste. */
void redraw_part(const struct screen *s, int cols, int rows, struct bytes *out);
/* Where that begins on the screen. */
void redraw_part_origin(const struct screen *s, int cols, int rows, int *ret_top, int *ret_left);

/* Appends what puts the cursor of a terminal that redraw_screen() drew, and that had every byte
 * since, into the last line of the primary screen. */
void redraw_end(const struct screen *s, struct bytes *out);

#endif
