/* What the shape of a word nearby tells of: AWS' secret keys are 40 characters of base64, as sums
 * and paths may be, and stand by their ids: `AKIA... / X`, `A=AKIA... B=X`; others' are as long as
 * theirs always are. */
#include <string.h>

#include "envelope/redact_private.h"

#define BESIDE_MOST 160 /* bytes behind the id */

/* Whose, and what the secret beside it is: of so many characters, with signs of base64 among them
 * or without. */
static const struct owner {
    char id[20], secret[20];
    unsigned char length;
    bool signs;
} owners[] = {
    {"aws-key-id", "aws-secret-key", 40, true}, /* docs.aws.amazon.com, IAM: access keys */
    {"alibaba-key-id", "alibaba-secret-key", 30, false},
    {"tencent-key-id", "tencent-secret-key", 32, false},
    {"razorpay-key", "razorpay-secret", 24, false},
    {"twilio-key", "twilio-secret", 32, false},
    {"digitalocean-key-id", "digitalocean-secret", 43, true}, /* Spaces */
};

/* Letters of both cases and a digit: no sum, and no path of small letters. */
static bool is_secret(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    return digits >= 1 && upper >= 4 && lower >= 4;
}

static const struct owner *find_owner(const char *type)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        if (!strcmp(type, owners[i].id))
            return &owners[i];
    return NULL;
}

static bool is_of(const struct redact_scan *s, size_t at, const struct owner *owner)
{
    return redact_in(s->text[at], CLASS_ALNUM) ||
           (owner->signs && REDACT_ONE_OF(s->text[at], "+/"));
}

bool redact_beside(struct redact_scan *s, const struct redact_match *id,
                   struct redact_match *ret_match)
{
    const struct owner *owner = REDACT_ONE_OF(id->type[0], "atrd") ? find_owner(id->type) : NULL;
    if (!owner)
        return false; /* most */
    size_t line = redact_line_end(s, id->to), at = id->to > s->beside_to ? id->to : s->beside_to;
    size_t most = line - id->to > BESIDE_MOST ? id->to + BESIDE_MOST : line;
    while (at < most) {
        size_t to = at;
        while (to < line && is_of(s, to, owner))
            to++;
        s->beside_to = to;
        if (to - at == owner->length && is_secret(s, at, to)) {
            *ret_match = (struct redact_match){at, to, owner->secret};
            return true;
        }
        at = to + 1;
    }
    return false;
}
