/* Secrets that a program tells its user: `Your API key is X`, `password: X (generated)`, a line
 * below `use this password:`, a prompt's or an option's `[default: X]`. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define LOOKED_AT   160 /* bytes between a name and its value */
#define LOOKED_INTO 256 /* of a value */

/* What a value is made of; as of the last look, where another name asks of the same. */
static struct redact_made made_of(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_made m = {.from = from, .to = to};
    if (s->made.from == from && s->made.to == to)
        return s->made;
    for (size_t i = from; i < to && i < from + LOOKED_INTO; i++) {
        uint32_t c = redact_class(s->text[i]);
        m.digits += (c & CLASS_DIGIT) != 0;
        m.upper += (c & CLASS_UPPER) != 0;
        m.lower += (c & CLASS_LOWER) != 0;
        m.hex += (c & CLASS_HEX) != 0;
        m.others += !(c & CLASS_NAME);
    }
    s->made = m;
    return m;
}

/* What the word says of what is told behind it; `key` and `code` by the word in front. */
static enum redact_telling tells(struct redact_scan *s, size_t at, size_t end)
{
    static const char *const fronts[] = {"recovery ", "backup "};
    size_t len = end - at, from = at;
    if ((len == 3 && redact_at(s, at, "key")) || (len == 4 && redact_at(s, at, "code"))) {
        from -= at > 0 && s->text[at - 1] == ' ';
        while (from > 0 && at - from < 16 && redact_in(s->text[from - 1], CLASS_ALNUM))
            from--;
        if (len == 3 && from < at && redact_tells(s, from, end - from))
            return TELLS_CODE;
        if (len == 3)
            return redact_at(s, from, "generated ") || redact_at(s, from, "your ") ? TELLS_LONG
                                                                                   : TELLS_NOTHING;
        for (size_t i = 0; i < 2; i++)
            if (redact_at(s, from, fronts[i]))
                return TELLS_CODE;
        return TELLS_NOTHING;
    }
    return redact_tells(s, at, len);
}

/* Words as passwords are made of them. */
static bool is_of_words(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to)
{
    return redact_is_composed(s, from, to) ||
           (tells == TELLS_ALL && !memchr(s->text + from, '_', to - from) &&
            (redact_is_wordy(s, from, to) || redact_is_camel(s, from, to)));
}

/* Whether the value is one. `sure`: its form says that one is told. */
static bool is_value(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to,
                     struct redact_made m, bool sure)
{
    size_t len = to - from, letters = m.upper + m.lower;
    if (len < 6 || (!sure && m.digits < 2) || redact_is_placeholder(s, from, to) ||
        redact_is_path(s, from, to) || memmem(s->text + from, len, "://", 3) ||
        memchr(s->text + from, '(', len))
        return false;
    if (tells != TELLS_ALL && redact_is_named_sum(s, from, to))
        return false;
    bool mixed = m.digits && letters;
    if (tells == TELLS_ALL && sure)
        return mixed || redact_has_sign(s, from, to) || is_of_words(s, tells, from, to);
    bool random = len >= 16 && m.digits >= 2 && letters >= 2 && (m.digits + letters) * 4 >= len * 3;
    if (tells == TELLS_LONG) /* a key of whatever kind: fingerprints are of one case */
        return random && m.upper >= 2 && m.lower >= 2 && m.hex < len;
    return random || (sure && len >= 8 && mixed && tells == TELLS_CODE && m.digits >= 2);
}

/* A word up to a blank, or what is in quotes; without a sentence's end. */
static size_t value_end(struct redact_scan *s, size_t *from)
{
    char quote = redact_char(s, *from);
    if (quote == '"' || quote == '\'' || quote == '`') {
        size_t line = redact_line_end(s, ++*from);
        const char *close = memchr(s->text + *from, quote, line - *from);
        size_t to = close ? (size_t)(close - s->text) : *from;
        return memchr(s->text + *from, ' ', to - *from) ? *from : to;
    }
    size_t to = redact_run(s, *from, ~(uint32_t)CLASS_SPACE);
    while (to > *from && REDACT_ONE_OF(s->text[to - 1], ".,;)"))
        to--;
    return to;
}

/* What is said between a name and its value; behind it. 0 where it is something else. */
static size_t skip_saying(struct redact_scan *s, size_t at, bool *ret_sure)
{
    static const char *const ways[] = {" is now",
                                       " is",
                                       " was",
                                       " has been reset to",
                                       " has been set to",
                                       " reset to",
                                       " changed to",
                                       " set to",
                                       " to",
                                       " now",
                                       " below",
                                       " \xe2\x86\x92", /* an arrow */
                                       " ->",
                                       " =>"};
    *ret_sure = false;
    if (redact_char(s, at) == ' ' && redact_in(redact_char(s, at + 1), CLASS_DIGIT))
        at = redact_run(s, at + 1, CLASS_DIGIT); /* Unseal Key 1 */
    char first = (char)(redact_char(s, at + 1) | 0x20);
    bool may = redact_char(s, at) == ' ' &&
               (REDACT_ONE_OF(first, "iwhrcstnb-=") || (first | 0x20) == (char)0xe2);
    for (size_t i = 0; may && i < sizeof ways / sizeof *ways && !*ret_sure; i++)
        if (first == ways[i][1] && redact_at(s, at, ways[i]) &&
            !redact_in(redact_char(s, at + strlen(ways[i])), CLASS_WORD)) {
            at += strlen(ways[i]);
            *ret_sure = true;
        }
    size_t colon = redact_run(s, at, CLASS_BLANK);
    if (redact_char(s, colon) == ':') {
        *ret_sure = true;
        at = colon + 1;
    }
    size_t from = redact_run(s, at, CLASS_BLANK);
    return from > at ? from : 0;
}

static bool is_said(struct redact_scan *s, enum redact_telling tells, size_t at, size_t end,
                    struct redact_match *ret_match)
{
    bool sure;
    size_t from = skip_saying(s, end, &sure);
    if (!from || redact_char(s, from) == '\n')
        return false;
    bool quote = redact_in(redact_char(s, from), CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK);
    size_t to = value_end(s, &from), behind = to + quote;
    struct redact_value v;
    if (quote && to == from && tells == TELLS_ALL && redact_read_value(s, from - 1, false, &v) &&
        redact_is_spoken(s, v.from, v.to) &&
        (!redact_is_phrase(s, v.from, v.to, 2) || redact_is_phrase(s, v.from, v.to, 4))) {
        *ret_match = (struct redact_match){v.from, v.to, "value"};
        return true;
    }
    if (quote && tells == TELLS_ALL && redact_char(s, behind) == '\n' &&
        (redact_is_camel(s, from, to) || redact_is_wordy(s, from, to))) {
        *ret_match = (struct redact_match){from, to, "value"};
        return true;
    }
    if (to < from + 6 ||
        (!redact_has_digit(s, from, to - from < LOOKED_INTO ? to : from + LOOKED_INTO) &&
         (!sure || !(redact_has_sign(s, from, to) || is_of_words(s, tells, from, to)))))
        return false; /* most */
    struct redact_made m = made_of(s, from, to);
    bool ends = redact_char(s, behind) == '.'; /* `Your token is X. Keep it safe.` */
    char next = redact_char(s, redact_run(s, behind + ends, CLASS_BLANK));
    bool last =
        REDACT_ONE_OF(next, "\n(),;-") || (ends && m.digits && redact_in(next, CLASS_UPPER));
    if (!sure && tells == TELLS_ALL) /* `with password X` */
        sure = (last || quote) && m.digits && m.lower && m.hex < to - from &&
               (m.upper || quote || redact_has_sign(s, from, to)) && to - from >= 8;
    else if (!sure)
        sure = false;
    else
        sure = last || quote;
    bool key = tells == TELLS_LONG;
    if ((key && !sure) || (tells == TELLS_CODE && !sure && m.hex == to - from) ||
        redact_is_version(s, from, to) || !is_value(s, tells, from, to, m, sure))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return !redact_is_called_so(s, at, end, ret_match);
}

/* The next line that is not empty, where this one ends in a colon: one word. */
static bool is_line_below(struct redact_scan *s, enum redact_telling tells, size_t end,
                          struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end);
    if (line >= s->len || line == end || line - end > LOOKED_AT || s->text[line - 1] != ':')
        return false;
    size_t from = redact_run(s, line, CLASS_SPACE),
           to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    if (to - from < 8 || tells == TELLS_LONG ||
        redact_run(s, to, CLASS_BLANK) < redact_line_end(s, to))
        return false;
    struct redact_made m = made_of(s, from, to);
    if (m.digits < 2 || m.upper + m.lower < 2 || m.others ||
        !is_value(s, TELLS_CODE, from, to, m, false))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* `(default "X")`, `[default: X]`, `Enter API key [X]:`. */
static bool is_default(struct redact_scan *s, enum redact_telling tells, size_t at, size_t end,
                       struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), from = redact_run(s, end, CLASS_BLANK);
    line = line - end > LOOKED_AT ? end + LOOKED_AT : line;
    if (redact_char(s, from) == '[') {
        from++;
    } else {
        if (at < 2 || s->text[at - 1] != '-' || from >= line)
            return false;
        const char *word = memmem(s->text + from, line - from, "default", 7);
        if (!word || (word[-1] != '(' && word[-1] != '['))
            return false;
        from = (size_t)(word - s->text) + 7;
        from += REDACT_ONE_OF(redact_char(s, from), ":=");
        from = redact_run(s, from, CLASS_BLANK);
    }
    from += redact_in(redact_char(s, from), CLASS_DOUBLE | CLASS_SINGLE);
    size_t to = from;
    while (to < line && !REDACT_ONE_OF(s->text[to], "])\"' "))
        to++;
    struct redact_made m = made_of(s, from, to);
    if (to >= line || s->text[to] == ' ' || !m.digits || !(m.upper || to - from >= 16) ||
        !m.lower || !is_value(s, tells, from, to, m, tells == TELLS_ALL))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

bool redact_prose(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t name = at;
    while (name < end && s->text[name] == '-')
        name++;
    char next = redact_char(s, end);
    if (end - name < 2 || (next != ' ' && next != ':' && next != '\t'))
        return false;
    enum redact_telling say = tells(s, name, end);
    return say && (is_said(s, say, name, end, ret_match) || is_line_below(s, say, end, ret_match) ||
                   is_default(s, say, name, end, ret_match));
}
