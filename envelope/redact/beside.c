/* What the shape of a word nearby tells of: secret keys of clouds and of services are so many
 * characters, as sums and paths may be, and stand by their ids: `AKIA... / X`, `A=AKIA... B=X`,
 * `ak=LTAI... sk=X`, on its line or on the next one. */
#include <string.h>

#include "envelope/redact/rules.h"

#define BESIDE_MOST 160 /* bytes behind the id */

/* How long the secret is by the id, and what it is called. */
static const struct pair {
    char id[20], secret[20];
    size_t least, most;
} pairs[] = {
    {"aws-key-id", "aws-secret-key", 40, 40}, /* docs.aws.amazon.com, IAM: access keys */
    {"alibaba-key-id", "alibaba-secret-key", 30, 30},
    {"tencent-key-id", "tencent-secret-key", 32, 32},
    {"volcengine-key", "volcengine-secret", 44, 64},
    {"razorpay-key", "razorpay-secret", 24, 24},
    {"twilio-key", "twilio-secret", 32, 32},
    {"digitalocean-key-id", "digitalocean-secret", 43, 43},
};

/* A first look at what was found: most is no id. */
static inline bool may_be_id(const char *type)
{
    switch (type[0]) {
    case 'a': /* aws, alibaba */
        return type[1] == 'w' || type[1] == 'l';
    case 't': /* tencent, twilio */
        return type[1] == 'e' || type[1] == 'w';
    case 'v':
        return type[1] == 'o';
    case 'r':
        return type[1] == 'a';
    case 'd':
        return type[1] == 'i';
    default:
        return false;
    }
}

static const struct pair *pair_of(const struct redact_match *id)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].id[0] == id->type[0] && !strcmp(pairs[i].id, id->type))
            return &pairs[i];
    return NULL;
}

/* Letters of both cases and a digit: no sum, and no path of small letters. */
static bool is_secret(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0, least = (to - from) / 8;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    return digits >= 1 && upper >= least && lower >= least;
}

bool redact_beside(struct redact_scan *s, const struct redact_match *id,
                   struct redact_match *ret_match)
{
    const struct pair *pair;
    if (!may_be_id(id->type) || !(pair = pair_of(id)))
        return false; /* most */
    size_t at = id->to > s->beside_to ? id->to : s->beside_to;
    size_t line = redact_line_end(s, id->to);
    line = line < s->len ? redact_line_end(s, line + 1) : line;
    size_t most = line - id->to > BESIDE_MOST ? id->to + BESIDE_MOST : line;
    while (at < most) {
        size_t end = at;
        while (end < line &&
               (redact_in(s->text[end], CLASS_ALNUM) || REDACT_ONE_OF(s->text[end], "+/") ||
                (s->text[end] == '=' && end >= at + pair->least - 2)))
            end++;
        s->beside_to = end;
        if (end - at >= pair->least && end - at <= pair->most && is_secret(s, at, end)) {
            *ret_match = (struct redact_match){at, end, pair->secret};
            return true;
        }
        at = end + 1;
    }
    return false;
}
