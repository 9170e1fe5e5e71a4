/* keystrokes.h - what is to be typed, in order: text, keys by their names, pastes, bytes. Pure. */
#ifndef PTYD_CLIENT_KEYSTROKES_H
#define PTYD_CLIENT_KEYSTROKES_H

#include <stdbool.h>

#include "base/bytes.h"
#include "ptyd/client/key_names.h"

/* Kept encoded for each way in which the modes may stand. */
struct keystrokes {
    struct bytes ways[4]; /* bit 0: cursor keys, bit 1: bracketed paste */
};

void keystrokes_finish(struct keystrokes *k);

void keystrokes_add_text(struct keystrokes *k, const char *text, size_t len);
void keystrokes_add_paste(struct keystrokes *k, const char *text);

/* Return NULL, or what is wrong (new string), with nothing added. */
char *keystrokes_add_key(struct keystrokes *k, const char *name);
char *keystrokes_add_hex(struct keystrokes *k, const char *digits);

/* Whether nothing is to be typed; and whether the bytes hang on how the session's modes stand. */
bool keystrokes_empty(const struct keystrokes *k);
bool keystrokes_ask_modes(const struct keystrokes *k);

/* The bytes for a session of these modes; borrowed. */
const struct bytes *keystrokes_bytes(const struct keystrokes *k, const struct key_modes *modes);

#endif
