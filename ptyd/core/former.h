/* former.h - what was secret in the shells that a session has had: digests of it in its meta.json.
 *
 * What these shells printed is still there when they and their environments are gone, so what was
 * secret in them is looked for as what is so now. Member `secrets` of meta.json: `key`, random;
 * `known`, an array of [variable, bytes, hashes of begin and end, digest] for each value, the
 * newest last (envelope/redact/redact.h); `whole`, whether that is all that was secret in any of
 * them. No value can be made of that; one that is guessed can be tried.
 */
#ifndef PTYD_CORE_FORMER_H
#define PTYD_CORE_FORMER_H

#include <jansson.h>
#include <stdbool.h>

#include "envelope/redact/redact.h"

/* `meta` has the values of `now` (NULL: none), too; of more than LIMIT_FORMER_SECRETS the oldest
 * are forgotten. `known`: these are all of this shell's. `first`: the session had no other one. */
void former_keep(json_t *meta, const struct redact_secrets *now, bool known, bool first);

/* All that it has is looked for with `secrets`, which nobody else refers to yet; where there is
 * any, NULL becomes a set. Ends the process without memory. Returns whether that is all that was
 * secret in any of its shells. */
bool former_add(const json_t *meta, struct redact_secrets **secrets);

/* The same from the files of a session that nobody has open. */
bool former_read(const char *state, const char *session, struct redact_secrets **secrets);

#endif
