/* turn.h - editing the two client messages that carry our part, and nothing else in them.
 *
 * Source of the shapes: the app-server's own JSON schema (`turn/start` params,
 * `additionalContext: {key: {value, kind}}`; `initialize` params, `capabilities`).
 */
#ifndef ENVELOPE_TURN_H
#define ENVELOPE_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* One entry to add. */
struct turn_entry {
    const char *key;   /* plain ASCII */
    const char *value; /* UTF-8, NUL-terminated */
};

/* Whether the client's message holds an entry of this key already. `line` is a turn/start. */
bool turn_has_key(const char *line, size_t len, const char *key);

/* Appends to `out` the message with the entries added to its params.additionalContext; every
 * other byte stays as it is. Returns 0; -EINVAL with `*ret_why` when the message does not allow
 * it (no params, additionalContext neither object nor null, not JSON); -ENOMEM. */
int turn_add_context(const char *line, size_t len, const struct turn_entry *entries, size_t count,
                     struct bytes *out, const char **ret_why);

/* Appends to `out` an `initialize` that asks for experimentalApi and opts out of `method`.
 * Returns 1 when it was changed, 0 when the client asks for it itself (nothing appended), -EINVAL
 * when the message does not allow it. */
int turn_upgrade_initialize(const char *line, size_t len, const char *method, struct bytes *out);

#endif
