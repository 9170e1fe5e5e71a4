/* What a variable is set to whose name says nothing, and which is given in a secret's place a
 * little further on: `P='X'; curl -u "me:$P" ...`, `x=X` and `-H "X-Api-Key: $x"` on the next line.
 */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define NAME_MOST   16
#define VALUE_LEAST 6
#define AHEAD_MOST  240 /* bytes behind the value in which it is given */
#define FRONT_MOST  48  /* in front of where it is */

/* Whether what is in front of `at` takes a secret: a login's colon, `Bearer`, a telling name. */
static bool is_taken(struct redact_scan *s, size_t start, size_t at)
{
    static const char *const ways[] = {"Bearer ", "Basic ", "token ", " -p ", "-p", " -P ", " -k "};
    size_t from = at - start > FRONT_MOST ? at - FRONT_MOST : start;
    at -= at > from && redact_in(s->text[at - 1], CLASS_DOUBLE | CLASS_SINGLE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        size_t len = strlen(ways[i]);
        if (at - from >= len && redact_at(s, at - len, ways[i]))
            return true;
    }
    if (at > from && s->text[at - 1] == ':')
        return memmem(s->text + from, at - from, " -u", 3) ||
               memmem(s->text + from, at - from, "--user", 6);
    while (at > from && REDACT_ONE_OF(s->text[at - 1], " :=\"'"))
        at--;
    size_t name = at;
    while (name > from && redact_in(s->text[name - 1], CLASS_NAME))
        name--;
    return name < at && redact_telling(s->text + name, at - name) != TELLS_NOTHING;
}

/* Where it is given as $NAME or ${NAME} between `from` and `to`, and taken for a secret. */
static bool is_given(struct redact_scan *s, size_t name, size_t len, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        const char *sign = memchr(s->text + at, '$', to - at);
        if (!sign)
            return false;
        at = (size_t)(sign - s->text);
        size_t word = at + 1 + (redact_char(s, at + 1) == '{');
        if (s->len - word > len && !memcmp(s->text + word, s->text + name, len) &&
            !redact_in(s->text[word + len], CLASS_ALNUM | CLASS_UNDER) && is_taken(s, from, at))
            return true;
    }
    return false;
}

bool redact_variable(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    size_t len = end - at;
    if (len > NAME_MOST || redact_run(s, at, CLASS_ALNUM | CLASS_UNDER) != end)
        return false;
    size_t most = s->len - end < AHEAD_MOST ? s->len : end + AHEAD_MOST;
    if (!memchr(s->text + end, '$', most - end))
        return false; /* most */
    if (!redact_read_value(s, end + 1, true, &v) || v.to < v.from + VALUE_LEAST ||
        redact_is_placeholder(s, v.from, v.to) || redact_is_path(s, v.from, v.to))
        return false;
    most = s->len - v.end < AHEAD_MOST ? s->len : v.end + AHEAD_MOST;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return is_given(s, at, len, v.end, most);
}
