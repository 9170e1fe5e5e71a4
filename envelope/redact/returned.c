/* What a function returns whose name tells, and which does nothing else: `def api_key(): return
 * "X"`, `String getPassword() { return "X"; }`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define ARGUMENTS_MOST 40 /* bytes of what it is given, */
#define TYPE_MOST      40 /* and of what it is said to return */
#define KEY_LEAST      32 /* of hexadecimal digits */

/* Behind what is between the arguments and the body: a type, `{`, `:`, `=>`; 0 for no body. */
static size_t skip_type(struct redact_scan *s, size_t at)
{
    size_t most = s->len - at < TYPE_MOST ? s->len : at + TYPE_MOST;
    while (at < most && !REDACT_ONE_OF(s->text[at], "{;=\n\"'") &&
           !(s->text[at] == ':' && redact_in(redact_char(s, at + 1), CLASS_SPACE) &&
             redact_char(s, redact_run(s, at + 1, CLASS_BLANK)) == '\n'))
        at++;
    if (at >= most || REDACT_ONE_OF(s->text[at], ";\n\"'"))
        return 0;
    return at + 1 + redact_at(s, at, "=>");
}

bool redact_returned(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    size_t most = s->len - end < ARGUMENTS_MOST ? s->len : end + ARGUMENTS_MOST;
    const char *close = memchr(s->text + end, ')', most - end);
    size_t body = close ? skip_type(s, (size_t)(close - s->text) + 1) : 0;
    size_t word = body ? redact_run(s, body, CLASS_SPACE) : 0;
    if (!body || !redact_at(s, word, "return "))
        return false; /* most */
    word = redact_run(s, word + 7, CLASS_BLANK);
    if (!redact_in(redact_char(s, word), CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK) ||
        !redact_read_value(s, word, false, &v) || v.to < v.from + 6 ||
        !REDACT_ONE_OF(redact_char(s, v.end), ";\n} ") || redact_is_placeholder(s, v.from, v.to))
        return false;
    struct redact_reached t = {.from = v.from, .to = v.to};
    enum redact_strength strength = redact_strength(s, &t);
    bool key = strength == REDACT_RANDOM || (t.hex && v.to - v.from >= KEY_LEAST);
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return redact_tells(s, at, end - at) == TELLS_ALL
               ? key || strength >= REDACT_MIXED || redact_is_quoted(s, v.from, v.to) ||
                     redact_is_composed(s, v.from, v.to) || redact_is_wordy(s, v.from, v.to)
               : key;
}
