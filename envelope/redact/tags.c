/* What stands between a name and its value in markup, and where programs are looked into: tags
 * (`<b>Password:</b> <code>X</code>`, `<Setting Name="password"><Value>X</Value>`), what PHP says
 * of a member (`["password":protected]=> string(8) "X"`), a pointer (`password = 0x5581 "X"`). */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define TAGS_MOST   6
#define TAG_MOST    120
#define BEHIND_MOST 160 /* bytes of what PHP writes */
#define VALUE_MOST  512

/* ---- markup ---- */

/* Whether what the tag at `at` holds may be a value: no member of its own, as <Expiration> is. */
static bool may_hold_value(const struct redact_scan *s, size_t at)
{
    static redact_words tags = {
        ['b' & 31] = {REDACT_WORD("b")},
        ['c' & 31] = {REDACT_WORD("code")},
        ['d' & 31] = {REDACT_WORD("dd"), REDACT_WORD("div")},
        ['e' & 31] = {REDACT_WORD("em")},
        ['f' & 31] = {REDACT_WORD("font")},
        ['i' & 31] = {REDACT_WORD("i")},
        ['k' & 31] = {REDACT_WORD("kbd")},
        ['p' & 31] = {REDACT_WORD("p"), REDACT_WORD("pre")},
        ['s' & 31] = {REDACT_WORD("span"), REDACT_WORD("strong"), REDACT_WORD("samp"),
                      REDACT_WORD("string")},
        ['t' & 31] = {REDACT_WORD("td"), REDACT_WORD("tt")},
        ['v' & 31] = {REDACT_WORD("value"), REDACT_WORD("val")},
    };
    size_t to = at + 1;
    while (to < s->len && redact_in(s->text[to], CLASS_ALNUM))
        to++;
    return to > at + 1 && redact_is_word_of(tags, s->text + at + 1, to - at - 1);
}

/* Behind the tags at `at`, and blanks and line ends around them; `at` where there are none. */
static size_t skip_tags(struct redact_scan *s, size_t at)
{
    size_t to = at, last = at;
    for (int tags = 0; tags < TAGS_MOST; tags++) {
        size_t from = redact_run(s, to, CLASS_SPACE), end = from + 1;
        if (redact_char(s, from) != '<' ||
            !(redact_in(redact_char(s, end), CLASS_UPPER | CLASS_LOWER) ||
              redact_char(s, end) == '/'))
            return tags && may_hold_value(s, last) ? from : at;
        last = from;
        while (end < s->len && end - from < TAG_MOST && !REDACT_ONE_OF(s->text[end], "<>\n"))
            end++;
        if (redact_char(s, end) != '>')
            return at;
        to = end + 1;
    }
    return at;
}

/* The name is an attribute's: behind the tag that it is in. */
static size_t skip_attributes(const struct redact_scan *s, size_t end)
{
    size_t to = end + 1;
    while (to < s->len && to - end < TAG_MOST && !REDACT_ONE_OF(s->text[to], "<>\n{}"))
        to++;
    return redact_char(s, to) == '>' && s->text[to - 1] != '/' ? to + 1 : end;
}

/* `name="`, `id='`, `key=` in front. */
static bool is_attribute(const struct redact_scan *s, size_t at)
{
    size_t to = at - 2;
    return at >= 8 && REDACT_ONE_OF(s->text[at - 1], "\"'") && s->text[to] == '=' &&
           (redact_at(s, to - 4, "name") || redact_at(s, to - 3, " id") ||
            redact_at(s, to - 3, "key") || redact_at(s, to - 3, "for"));
}

/* `<meta name="token" content="X">`. */
static bool is_meta(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = end + 11;
    if (!redact_at(s, end + 1, " content=\""))
        return false;
    size_t to = redact_run(s, from, ~(uint32_t)(CLASS_DOUBLE | CLASS_NEWLINE));
    return redact_char(s, to) == '"' &&
           redact_take(s, redact_tells(s, at, end - at), from, to, ret_match);
}

bool redact_tagged(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    char next = redact_char(s, end);
    size_t blank = next == ' ' ? redact_behind(s, end)->to : end, from = end, tags;
    enum redact_telling tells = redact_tells(s, at, end - at);
    if (blank > end) { /* `<td>DB_PASSWORD </td>` */
        end = from = blank;
        next = '<';
    }
    if (!tells && next == '<' && redact_at(s, end, "</t") && redact_is_of_phrase(s, at, end))
        tells = redact_tells_of_phrase(s, at, end);
    if (!tells)
        return false;
    if (next == '"' && is_meta(s, at, end, ret_match))
        return true;
    if (next == '"' || next == '\'')
        from = is_attribute(s, at) ? skip_attributes(s, end) : end;
    else if (next == ':')
        from = redact_run(s, end + 1, CLASS_BLANK);
    if ((from == end) != (next == '<'))
        return false;
    tags = skip_tags(s, from);
    if (tags == from && next != '"' && next != '\'')
        return false;
    size_t to = tags, most = s->len - tags < VALUE_MOST ? s->len : tags + VALUE_MOST;
    while (to < most && !REDACT_ONE_OF(s->text[to], "<>\n"))
        to++;
    if (!redact_at(s, to, "</"))
        return false;
    tags = redact_run(s, tags, CLASS_BLANK);
    while (to > tags && redact_in(s->text[to - 1], CLASS_BLANK))
        to--;
    return to > tags && redact_take(s, tells, tags, to, ret_match);
}

/* ---- what programs show ---- */

/* `":protected]=>`, `":"Class":private]=>` and `string(8) "` behind it. */
static bool is_dumped(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t most = s->len - end < BEHIND_MOST ? s->len : end + BEHIND_MOST;
    if (at < 2 || s->text[at - 2] != '[')
        return false;
    const char *close = memmem(s->text + end, most - end, "]=>", 3);
    if (!close || close < s->text + end + 8)
        return false;
    size_t type = redact_run(s, (size_t)(close - s->text) + 3, CLASS_SPACE);
    size_t from = redact_run(s, type + 7, CLASS_DIGIT) + 3;
    if (!redact_at(s, type, "string(") || !redact_at(s, from - 3, ") \""))
        return false;
    const char *quote = memchr(s->text + from, '"', redact_line_end(s, from) - from);
    return quote && redact_take(s, redact_tells(s, at, end - at), from, (size_t)(quote - s->text),
                                ret_match);
}

/* ` = 0x5581 "X"`, as gdb shows what a pointer points to. */
static bool is_pointed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t sign = redact_behind(s, end)->to, number = redact_run(s, sign + 1, CLASS_BLANK);
    if (!redact_at(s, number, "0x"))
        return false;
    size_t from = redact_run(s, number + 2, CLASS_HEX) + 2;
    if (!redact_at(s, from - 2, " \""))
        return false;
    const char *quote = memchr(s->text + from, '"', redact_line_end(s, from) - from);
    size_t to = quote ? (size_t)(quote - s->text) : from;
    enum redact_telling tells = redact_tells(s, at, end - at);
    *ret_match = (struct redact_match){from, to, "value"};
    return to > from && ((tells == TELLS_ALL && redact_is_quoted(s, from, to)) ||
                         redact_take(s, tells, from, to, ret_match));
}

bool redact_looked_into(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    return redact_char(s, end) == '"' ? is_dumped(s, at, end, ret_match)
                                      : is_pointed(s, at, end, ret_match);
}
