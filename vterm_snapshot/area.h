/* area.h - rectangles of the shown screen that are erased, moved or scrolled, with what follows
 * from it for scrollback and capture. Rows and columns count from 0; `bottom` and `right` are
 * behind the last.
 */
#ifndef VTERM_SNAPSHOT_AREA_H
#define VTERM_SNAPSHOT_AREA_H

#include "vterm_snapshot/screen_private.h"

struct area {
    int top, bottom, left, right;
};

/* The whole screen, and what scrolls of it: between the margins (DECSTBM, DECSLRM). */
struct area area_screen(const struct screen *s);
struct area area_margins(const struct screen *s);

/* What both hold; empty where they do not meet. */
struct area area_within(struct area a, struct area b);
bool area_is_empty(struct area a);

/* Blanks it, with the background that SGR has set; `selective`: but for what is protected. */
void area_erase(struct screen *s, struct area a, bool selective);

/* Moves its rows up by `count`, down where it is negative; what comes in is blank. Whole rows that
 * leave the primary screen at the top leave for good. */
void area_scroll(struct screen *s, struct area a, int count);

/* Moves its columns to the left by `count`, to the right where it is negative. */
void area_shift(struct screen *s, struct area a, int count);

#endif
