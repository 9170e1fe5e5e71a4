/* known.h - values that the caller knows (redact_secrets_create()), where they stand. */
#ifndef ENVELOPE_REDACT_KNOWN_H
#define ENVELOPE_REDACT_KNOWN_H

#include "base/limits.h"
#include "envelope/redact/rules.h"

struct redact_secrets {
    int references;
    size_t count;
    unsigned char first[32]; /* a bit for each byte that one of them begins with */
    struct secret {
        char *type; /* `env:NAME` */
        char *value;
        size_t len;
        struct bytes folded; /* as it is seen; empty where that is the same, or too short */
    } list[LIMIT_SECRETS];
};

/* The longest of them that begins at `at`, where one begins so at all. */
bool redact_find_known(const struct redact_secrets *secrets, const char *text, size_t len,
                       size_t at, bool folded, struct redact_match *ret_match);

/* The same; `folded`: the text is. */
static inline bool redact_known(const struct redact_secrets *secrets, const char *text, size_t len,
                                size_t at, bool folded, struct redact_match *ret_match)
{
    unsigned char first = (unsigned char)text[at];
    return secrets && secrets->first[first / 8] & 1 << first % 8 &&
           redact_find_known(secrets, text, len, at, folded, ret_match);
}

#endif
