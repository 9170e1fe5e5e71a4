/* known.h - values that the caller knows (redact_secrets_create()), where they stand. */
#ifndef ENVELOPE_REDACT_KNOWN_H
#define ENVELOPE_REDACT_KNOWN_H

#include <string.h>

#include "base/limits.h"
#include "envelope/redact/rules.h"

/* Those of shells that have ended. */
struct formers {
    unsigned char key[REDACT_KEY_BYTES];
    unsigned char
        begins[(UINT16_MAX + 1) / 8]; /* a bit for each hash that one of them begins with */
    size_t count;
    struct former {
        char *type; /* `env:NAME`; owned */
        struct redact_former is;
    } list[];
};

#define SECRET_MIN 6 /* shorter values are words that appear everywhere */

struct redact_secrets {
    int references;
    struct formers *formers; /* owned; NULL for none */
    size_t count;
    unsigned char first[32]; /* a bit for each byte that one of them begins with */
    struct secret {
        char *type; /* `env:NAME` */
        char *value;
        size_t len;
        struct bytes folded; /* as it is seen; empty where that is the same, or too short */
    } list[LIMIT_SECRETS];
};

/* The longest of all that begins at `at`, where one begins so at all. */
bool redact_find_known(const struct redact_secrets *secrets, const char *text, size_t len,
                       size_t at, bool folded, struct redact_match *ret_match);

/* The same of the former ones that are longer than the match, empty where there is none yet. */
bool redact_find_former(const struct formers *formers, const char *text, size_t len, size_t at,
                        struct redact_match *match);
void redact_formers_destroy(struct formers *formers);

/* A hash of the first SECRET_MIN bytes. */
static inline uint16_t redact_begin(const unsigned char key[REDACT_KEY_BYTES], const char *text)
{
    uint64_t bytes = 0, halves[2];
    memcpy(&bytes, text, SECRET_MIN);
    memcpy(halves, key, sizeof halves);
    return (uint16_t)(((bytes ^ halves[0]) * (halves[1] | 1)) >> 48);
}

static inline bool redact_may_be_former(const struct formers *formers, const char *text, size_t len)
{
    if (!formers || len < SECRET_MIN)
        return false;
    uint16_t begin = redact_begin(formers->key, text);
    return formers->begins[begin / 8] & 1 << begin % 8;
}

/* The same as redact_find_known(); `folded`: the text is. */
static inline bool redact_known(const struct redact_secrets *secrets, const char *text, size_t len,
                                size_t at, bool folded, struct redact_match *ret_match)
{
    unsigned char first = (unsigned char)text[at];
    return secrets &&
           (secrets->first[first / 8] & 1 << first % 8 ||
            redact_may_be_former(secrets->formers, text + at, len - at)) &&
           redact_find_known(secrets, text, len, at, folded, ret_match);
}

#endif
