/* What the shape of a word nearby tells of: AWS' secret keys are 40 characters of base64, as sums
 * and paths may be, and stand by their ids: `AKIA... / X`, `A=AKIA... B=X`. */
#include <string.h>

#include "envelope/redact_private.h"

#define SECRET_LENGTH 40  /* docs.aws.amazon.com, IAM: access keys */
#define BESIDE_MOST   160 /* bytes behind the id */

/* Letters of both cases and a digit: no sum, and no path of small letters. */
static bool is_secret(const struct redact_scan *s, size_t from)
{
    size_t digits = 0, upper = 0, lower = 0;
    for (size_t i = from; i < from + SECRET_LENGTH; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    return digits >= 1 && upper >= 5 && lower >= 5;
}

bool redact_beside(struct redact_scan *s, const struct redact_match *id,
                   struct redact_match *ret_match)
{
    if (id->type[0] != 'a' || strcmp(id->type, "aws-key-id") != 0)
        return false; /* most */
    size_t line = redact_line_end(s, id->to), at = id->to > s->beside_to ? id->to : s->beside_to;
    size_t most = line - id->to > BESIDE_MOST ? id->to + BESIDE_MOST : line;
    while (at < most) {
        size_t end = at;
        while (end < line && end - at <= SECRET_LENGTH &&
               (redact_in(s->text[end], CLASS_ALNUM) || REDACT_ONE_OF(s->text[end], "+/")))
            end++;
        size_t to = end;
        while (to < line && to > at &&
               (redact_in(s->text[to], CLASS_ALNUM) || REDACT_ONE_OF(s->text[to], "+/")))
            to++; /* a longer word */
        s->beside_to = to;
        if (to - at == SECRET_LENGTH && is_secret(s, at)) {
            *ret_match = (struct redact_match){at, to, "aws-secret-key"};
            return true;
        }
        at = to + 1;
    }
    return false;
}
