/* keys.h - what of a person's keys goes to the session, and which of them leave it.
 *
 * Ctrl-\ d leaves, Ctrl-\ Ctrl-\ sends one, Ctrl-\ and anything else sends both. Pure.
 */
#ifndef PTYD_CLIENT_KEYS_H
#define PTYD_CLIENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* A zeroed struct is one to which nothing was given. */
struct keys {
    bool pressed; /* the leave key was, and what follows decides */
};

/* Takes keys as they came, cut anywhere; appends what goes to the session. Returns whether they
 * leave: what stands behind that is nobody's. */
bool keys_take(struct keys *keys, const char *bytes, size_t len, struct bytes *out);

#endif
