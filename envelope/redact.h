/* redact.h - secrets taken out of text before it leaves the machine.
 *
 * Three sources: values the caller knows (a shell's environment), PEM blocks, and shapes that give
 * a secret away (a table of token prefixes, passwords in URLs, assignments to telling names). Each
 * is replaced by `[redacted:TYPE]`. What merely looks random (a git hash, a UUID) stays: taking out
 * too much would make the text useless.
 */
#ifndef ENVELOPE_REDACT_H
#define ENVELOPE_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* Values that are secret wherever they appear. NULL is an empty set. */
struct redact_secrets;

/* The values of an environment (`NAME=value`, each ended by a NUL) whose names say that they are
 * secret. Returns NULL when there are none. */
struct redact_secrets *redact_secrets_create(const char *environ, size_t len);
void redact_secrets_destroy(struct redact_secrets *secrets);

/* Whether a variable of this name holds a secret: PASSWORD, GITHUB_TOKEN, AWS_SECRET_ACCESS_KEY. */
bool redact_is_telling(const char *name, size_t len);

/* A secret found at the place a rule looked at. */
struct redact_match {
    size_t from, to;  /* the bytes that go */
    const char *type; /* what stands in their place; static or as long-lived as the rules */
};

/* A further way of finding secrets: looks at text[at] and returns true with what begins there (or
 * a little behind). For the wider set of rules to come; `user` is the caller's. */
typedef bool redact_rule(void *user, const char *text, size_t len, size_t at,
                         struct redact_match *ret_match);

/* Appends `text` (UTF-8) with its secrets replaced. `more`: a further rule, asked last at each
 * place, or NULL. Returns how many were replaced; 0 means that what was appended is the text. */
int redact_text(const char *text, size_t len, const struct redact_secrets *secrets,
                redact_rule *more, void *user, struct bytes *out);

#endif
