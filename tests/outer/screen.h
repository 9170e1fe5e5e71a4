/* The screen of the outer terminal and its native scrollback, which has no bound: libvterm's own
 * screen layer, so that what ptyd makes of bytes is held to another's reading of them. Grown, it
 * pulls history down; made less high, it pushes rows into it, as terminals do. Its width does not
 * reflow. */
#ifndef OUTER_SCREEN_H
#define OUTER_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct outer_screen;

/* Never NULL: without memory the program ends. */
struct outer_screen *outer_screen_create(int cols, int rows);

void outer_screen_destroy(struct outer_screen *screen);

/* Text, controls and CSI; not strings (OSC, DCS, APC …), which draw nothing. */
void outer_screen_write(struct outer_screen *screen, const char *data, size_t len);

void outer_screen_resize(struct outer_screen *screen, int cols, int rows);

/* ED 3, which libvterm 0.1 does not know. */
void outer_screen_forget(struct outer_screen *screen);

/* Counted from 0. */
void outer_screen_cursor(const struct outer_screen *screen, int *ret_row, int *ret_col);

/* The alternate screen is shown. */
bool outer_screen_is_alternate(const struct outer_screen *screen);

/* Lines of history in front of the screen. */
size_t outer_screen_history(const struct outer_screen *screen);

/* History, then the rows, each a line without the blanks at its end. */
void outer_screen_print(const struct outer_screen *screen, FILE *to);

#endif
