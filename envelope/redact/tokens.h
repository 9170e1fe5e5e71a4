/* tokens.h - what gives itself away by its shape, wherever it stands: tokens, keys in armour.
 */
#ifndef ENVELOPE_REDACT_TOKENS_H
#define ENVELOPE_REDACT_TOKENS_H

#include "envelope/redact/scan.h"

/* Once before the first text is searched. */
void redact_read_shapes(void);

/* A bit for each hash of three characters that a token is found by, and for those that may stand
 * where no word begins. */
#define REDACT_HASHES 16384
#define REDACT_MANY   UINT32_MAX /* several keys have that hash */
extern uint8_t redact_begins[REDACT_HASHES / 8], redact_begins_inside[REDACT_HASHES / 8];
extern uint32_t redact_keys[REDACT_HASHES];
extern uint32_t redact_fourths[REDACT_HASHES]; /* a bit for the last five of what follows one */

static inline uint32_t redact_key(const char *t)
{
    return (unsigned char)t[0] | (uint32_t)(unsigned char)t[1] << 8 |
           (uint32_t)(unsigned char)t[2] << 16;
}

static inline unsigned redact_hash(const char *t)
{
    return redact_key(t) * 2654435761u >> 18;
}

/* A bit for each two characters at which a rule may begin that needs no name: most places are
 * spared all further looks. */
extern uint8_t redact_pairs[(1 << 16) / 8];

static inline bool redact_may_begin(const char *t)
{
    uint16_t pair;
    memcpy(&pair, t, sizeof pair);
    return redact_pairs[pair / 8] & 1u << pair % 8;
}

/* Whether redact_token() may find something at `at`; two bytes more are behind it. */
static inline __attribute__((always_inline)) bool redact_may_be_token(const struct redact_scan *s,
                                                                      size_t at)
{
    char c = s->text[at];
    unsigned hash = redact_hash(s->text + at);
    bool begins =
        redact_begins[hash / 8] & 1u << hash % 8 &&
        (redact_keys[hash] == redact_key(s->text + at) || redact_keys[hash] == REDACT_MANY) &&
        redact_fourths[hash] >> ((unsigned char)redact_char(s, at + 3) & 31u) & 1;
    if ((begins && redact_begins_inside[hash / 8] & 1u << hash % 8) ||
        ((begins || (c >= 'M' && c <= 'O')) && redact_starts_word(s, at)))
        return true;
    return redact_in(c, CLASS_DIGIT) && redact_in(s->text[at + 1], CLASS_DIGIT) &&
           (at == 0 || !redact_in(s->text[at - 1], CLASS_DIGIT));
}

/* The secret, which nothing but its length tells, behind the key's id that `id` is on its line. */
bool redact_beside(struct redact_scan *s, const struct redact_match *id,
                   struct redact_match *ret_match);
bool redact_token(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_pem(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* The end of one that begins before the text; and, where a line begins, lines in its midst. */
bool redact_pem_tail(struct redact_scan *s, struct redact_match *ret_match);
bool redact_pem_line(struct redact_scan *s, size_t at, struct redact_match *ret_match);

#endif
