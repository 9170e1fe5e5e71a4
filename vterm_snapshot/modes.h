/* modes.h - the terminal modes that libvterm keeps to itself and an attached terminal needs. */
#ifndef VTERM_SNAPSHOT_MODES_H
#define VTERM_SNAPSHOT_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

enum mode {
    MODE_CURSOR_KEYS,     /* DECCKM, 1 */
    MODE_MOUSE_CLICK,     /* 1000 */
    MODE_MOUSE_DRAG,      /* 1002 */
    MODE_MOUSE_MOVE,      /* 1003 */
    MODE_FOCUS,           /* 1004 */
    MODE_MOUSE_UTF8,      /* 1005 */
    MODE_MOUSE_SGR,       /* 1006 */
    MODE_BRACKETED_PASTE, /* 2004 */
    MODE_KEYPAD,          /* DECKPAM, ESC = */
    MODE_COUNT,
};

struct modes {
    bool on[MODE_COUNT];
};

/* Looks at one run that goes to the terminal: a whole sequence, or text. */
void modes_observe(struct modes *modes, const char *bytes, size_t len);

bool modes_get(const struct modes *modes, enum mode mode);

/* Appends the sequences that set every mode as it is here. */
void modes_append(const struct modes *modes, struct bytes *out);

#endif
