/* keyboard.h - how a program wants its keys encoded: kitty's flags, a stack for each screen, and
 * xterm's modifyOtherKeys and its like.
 */
#ifndef VTERM_SNAPSHOT_KEYBOARD_H
#define VTERM_SNAPSHOT_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "vterm_snapshot/csi.h"

#define KEYBOARD_RESOURCES 8 /* of xterm's: keyboard, cursor, function, other keys ... */

/* A plain value; zeroed, nothing was asked for. */
struct keyboard {
    struct keyboard_stack {
        uint8_t flags[LIMIT_KEYBOARD_STACK + 1]; /* the last one counts, the first stands below */
        uint8_t depth;
    } stack[2];                         /* of the primary and of the alternate screen */
    uint8_t modify[KEYBOARD_RESOURCES]; /* 1 + value, 0 for none: `CSI > n ; value m` */
};

/* Takes note of a sequence, on which screen it came. */
void keyboard_apply(struct keyboard *k, const struct csi *csi, bool alternate);

/* What a screen's flags are; and a resource's value, -1 for the terminal's own. */
int keyboard_flags(const struct keyboard *k, bool alternate);
int keyboard_modify(const struct keyboard *k, int which);

/* Appends what sets a screen's flags from any other, or brings a terminal's own back. */
void keyboard_append_stack(const struct keyboard *k, bool alternate, struct bytes *out);
void keyboard_append_stack_end(const struct keyboard *k, bool alternate, struct bytes *out);

/* The same for what both screens share. */
void keyboard_append_modify(const struct keyboard *k, struct bytes *out);
void keyboard_append_modify_end(const struct keyboard *k, struct bytes *out);

#endif
