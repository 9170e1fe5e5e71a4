/* mouse.h - where the mouse of a viewer is that shows a part of the screen.
 *
 * Its terminal reports rows and columns of its own; the program knows those of the whole screen.
 * Pure.
 */
#ifndef PTYD_SESSION_MOUSE_H
#define PTYD_SESSION_MOUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "ptyd/session/typing.h"
#include "vterm_snapshot/query_input.h"

/* What it shows begins there, counted from 0, on a screen of that size. */
struct mouse_part {
    int top, left, rows, cols;
    bool wide; /* a byte of a report in bytes may be two (mode 1005): such ones stay as they are */
};

/* Adds to `typing` what such a viewer sent, `input` being what came before: reports of a mouse in
 * cells say where it is on the screen, beyond that at its edge, and are never shorter; all else is
 * as it came, also a report that comes cut in two. `part` is NULL of a viewer that shows all. */
void mouse_move(struct query_input *input, const struct mouse_part *part, const char *bytes,
                size_t len, struct typing *typing);

#endif
