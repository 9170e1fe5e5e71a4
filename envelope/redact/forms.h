/* forms.h - what secrets look like that no row of shapes.h can say. */
#ifndef ENVELOPE_REDACT_FORMS_H
#define ENVELOPE_REDACT_FORMS_H

#include "envelope/redact/rules.h"

/* Hashes of passwords by their kinds, MySQL's, passwords that are kept as they are, keys of
 * Kerberos, a list of bytes, what Sanity issues: what stands at
 * `at`, which begins as redact_form_begins() tells, or with two digits. */
bool redact_form(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* Tells of the characters that they begin with, three or more; whether letters may stand in front.
 */
void redact_form_begins(void (*begin)(const char *key, size_t len, bool inside));
/* `0HKBF-GOPX2-PK94P-2TTK1-06XH7`, at whose first dash `at` is. */
static inline bool redact_may_be_product(const struct redact_scan *s, size_t at)
{
    const char *t = s->text + at;
    return s->len - at > 23 && t[6] == '-' && redact_in(t[1], CLASS_UPPER | CLASS_DIGIT) &&
           t[12] == '-' && t[18] == '-' && at >= 5;
}
bool redact_product(const struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* A long name that is a mark and what looks random: `acme_v1_Xa81...`. */
#define REDACT_MARKED_LEAST 38 /* bytes; ids are shorter */
bool redact_marked(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* A key in two halves whose length says whose it is: `id:secret`, of which [at, end) is the first.
 */
static inline bool redact_may_be_halves(const struct redact_scan *s, size_t at, size_t end)
{
    return end - at >= 13 && redact_char(s, end) == ':' &&
           redact_in(redact_char(s, end + 1), CLASS_WORD);
}
bool redact_halves(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* A token in base64 (coded.c). First that one may begin with the three characters of `key`; then
 * whether one stands at `at`. */
void redact_coded_begin(const char *key, void (*begin)(const char *key, size_t len, bool inside));
bool redact_decoded(struct redact_scan *s, size_t at, struct redact_match *ret_match);
#define REDACT_CODED 4096
extern uint8_t redact_coded_bits[REDACT_CODED / 8];
static inline unsigned redact_coded_hash(const char *four)
{
    uint32_t key;
    memcpy(&key, four, sizeof key);
    return key * 2654435761u >> 20;
}
static inline bool redact_coded(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    char c = s->text[at]; /* of what begins with a letter */
    if (c < 'Q' || c > 'e')
        return false;
    unsigned hash = redact_coded_hash(s->text + at); /* line ends are behind the text */
    return redact_coded_bits[hash / 8] & 1u << hash % 8 && redact_decoded(s, at, ret_match);
}

#endif
