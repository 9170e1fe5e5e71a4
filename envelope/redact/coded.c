/* Tokens that were encoded once more, as a cluster keeps them: `Z2hwX...` is ghp_ in base64. Three
 * bytes are four characters there, so what a token begins with is as good a first look as itself.
 */
#include <string.h>

#include "envelope/redact/forms.h"

#define CODED_LEAST 24   /* characters of base64, */
#define CODED_MOST  1400 /* and as many are decoded */
#define BEHIND_MOST 2    /* bytes behind the token: a line's end */

uint8_t redact_coded_bits[REDACT_CODED / 8];

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void redact_coded_begin(const char *key, void (*begin)(const char *key, size_t len, bool inside))
{
    const unsigned char *k = (const unsigned char *)key;
    char four[4] = {alphabet[k[0] >> 2], alphabet[(k[0] & 3) << 4 | k[1] >> 4],
                    alphabet[(k[1] & 15) << 2 | k[2] >> 6], alphabet[k[2] & 63]};
    unsigned hash = redact_coded_hash(four);
    redact_coded_bits[hash / 8] |= (uint8_t)(1u << hash % 8);
    begin(four, sizeof four, false);
}

/* What the characters [from, to) say; how many bytes. */
static size_t decode(const char *text, size_t from, size_t to, char *ret)
{
    uint32_t bits = 0;
    size_t count = 0, len = 0;
    for (; from < to && text[from] != '='; from++) {
        const char *digit = memchr(alphabet, text[from], sizeof alphabet - 1);
        bits = bits << 6 | (uint32_t)(digit ? digit - alphabet : 0);
        if (count++ % 4)
            ret[len++] = (char)(bits >> (6 - 2 * ((count - 1) % 4)));
    }
    return len;
}

bool redact_decoded(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    char room[CODED_MOST + 2 * REDACT_BESIDE], *text = room + REDACT_BESIDE;
    struct redact_match match;
    if (s->decoded || s->len - at < CODED_LEAST || !redact_starts_word(s, at) ||
        (at && REDACT_ONE_OF(s->text[at - 1], "+/")))
        return false;
    size_t to = redact_run(s, at, CLASS_ALNUM | CLASS_BASE64);
    if (to - at < CODED_LEAST || to - at > CODED_MOST ||
        (to < s->len && redact_in(s->text[to], CLASS_WORD)))
        return false;
    size_t len = decode(s->text, at, to, text);
    memset(room, '\n', REDACT_BESIDE);
    memset(text + len, '\n', REDACT_BESIDE);
    struct redact_scan decoded = {.text = text, .len = len, .decoded = true};
    if (!redact_token(&decoded, 0, &match) || match.from || match.to + BEHIND_MOST < len)
        return false;
    *ret_match = (struct redact_match){at, to, match.type};
    return true;
}
