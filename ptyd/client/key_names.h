/* key_names.h - keys by their names, as the bytes that a terminal sends for them. Pure.
 *
 * Names are tmux's and the usual ones: Enter Tab BTab Escape Space BSpace Delete Insert Home End
 * PageUp PageDown Up Down Left Right F1 to F24 (any case), or one character; in front of it C-
 * (Ctrl), M- (Alt) and S- (Shift), in any order. Encoded as xterm does where nobody asked it for
 * more.
 */
#ifndef PTYD_CLIENT_KEY_NAMES_H
#define PTYD_CLIENT_KEY_NAMES_H

#include <stdbool.h>

#include "base/bytes.h"

/* How the program in the terminal wants them. */
struct key_modes {
    bool cursor_keys;     /* DECCKM: cursor keys as ESC O */
    bool bracketed_paste; /* what is pasted stands between marks */
};

/* Appends the bytes of the key. Returns 0, or -EINVAL where there is no such key, or no terminal
 * has bytes for it. */
int key_names_encode(const char *name, const struct key_modes *modes, struct bytes *out);

/* The name that somebody may have meant by one that is none; NULL where none is near. */
const char *key_names_near(const char *name);

/* Appends text as a paste: line feeds as Enter, and nothing in it ends the paste. */
void key_names_paste(const char *text, const struct key_modes *modes, struct bytes *out);

#endif
