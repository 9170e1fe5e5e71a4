/* edit.h - what the proxy adds to a client's messages: context entries to a turn/start, the
 * experimental API to an `initialize`. Every other byte stays.
 *
 * Source of the shapes: the app-server's own JSON schema (`turn/start` params,
 * `additionalContext: {key: {value, kind}}`; `initialize` params, `capabilities`), and the Agent
 * Client Protocol's (`session/prompt` params, `prompt: [ContentBlock]`).
 */
#ifndef ENVELOPE_EDIT_H
#define ENVELOPE_EDIT_H

#include <jansson.h>

#include "base/bytes.h"
#include "envelope/message.h"

/* One entry to add. */
struct edit_entry {
    const char *key;   /* plain ASCII */
    const char *value; /* UTF-8, NUL-terminated */
    const char *kind;  /* `application`, `untrusted`; plain ASCII */
    const char *name;  /* of an untrusted one, plain ASCII; NULL for none */
};

/* The keys of the client's own entries that begin with `prefix`: an array of strings, a new
 * reference; NULL when the turn has no entries. */
json_t *edit_own_keys(const struct message *turn, const char *prefix);

/* Appends to `out` the turn/start with the entries added to its params.additionalContext; every
 * other byte stays as it is. Returns 0; -EINVAL with `*ret_why` when the message does not allow
 * it (no params, additionalContext neither object nor null, not JSON); -ENOMEM. */
int edit_add_context(const struct message *turn, const struct edit_entry *entries, size_t count,
                     struct bytes *out, const char **ret_why);

/* Appends to `out` the session/prompt (ACP) with `block`, a content block as JSON, behind those
 * that it has. Returns as edit_add_context() does. */
int edit_add_prompt(const struct message *prompt, const char *block, struct bytes *out,
                    const char **ret_why);

/* Appends to `out` an `initialize` that asks for experimentalApi and opts out of `method`.
 * Returns 1 when it was changed, 0 when the client asks for it itself (nothing appended), -EINVAL
 * when the message does not allow it; -ENOMEM. */
int edit_upgrade_initialize(const struct message *m, const char *method, struct bytes *out);

#endif
