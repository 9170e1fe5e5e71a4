/* A name in one place, its value in the next: lists of `name` and `value`, as clouds, containers
 * and their tools have them. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define NEAR_MOST 160 /* bytes between a name and the value that belongs to it */

/* What may stand between a name and the one in front of it, and between it and what is behind. */
static const bool joins[256] = {[0] = true,    [' '] = true, ['"'] = true, ['\''] = true,
                                ['\\'] = true, [':'] = true, ['='] = true};
static const bool opens_value[256] = {
    [0] = true,   ['"'] = true, ['\''] = true, ['\\'] = true, [':'] = true, ['='] = true,
    [' '] = true, ['{'] = true, ['\t'] = true, ['\n'] = true, [','] = true};

static bool is_in(const struct redact_scan *s, size_t at, const bool set[256])
{
    return set[(unsigned char)s->text[at]];
}

static bool is_named(const struct redact_scan *s, size_t at)
{
    static const struct {
        const char *name;
        size_t len;
    } names[] = {{"name", 4}, {"key", 3}, {"Name", 4}, {"Key", 3}, {"variable", 8}, {"output", 6}};
    size_t before = at;
    while (before > 0 && is_in(s, before - 1, joins) && at - before < 12)
        before--;
    if (before == at || before < 3 || !REDACT_ONE_OF(s->text[before - 1], "eyt"))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (before >= names[i].len &&
            !memcmp(s->text + before - names[i].len, names[i].name, names[i].len))
            return true;
    return false;
}

/* Behind `value:`, `default =`, `ParameterValue":` that stands at `at`: where the value begins. 0
 * where none of them does. */
static size_t skip_word(struct redact_scan *s, size_t at)
{
    char letter = s->text[at] | 0x20;
    const char *word = letter == 'v' ? "value" : letter == 'd' ? "default" : "ParameterValue";
    if ((letter != 'v' && letter != 'd' && letter != 'p') || !redact_at(s, at, word) ||
        (at && redact_in(s->text[at - 1], CLASS_WORD)))
        return 0;
    size_t end = at + strlen(word), sign = end;
    while (sign < s->len && sign - end < 8 && REDACT_ONE_OF(s->text[sign], "\"'\\ "))
        sign++;
    if (redact_char(s, sign) != ':' && redact_char(s, sign) != '=')
        return 0;
    return redact_run(s, sign + 1, CLASS_BLANK);
}

/* The first place from `at` on where a value's word stands, or what ends the search for one: `}`,
 * another `name:`. `most` or more for none. Each byte is looked at once. */
static size_t next_stop(struct redact_scan *s, size_t at, size_t most)
{
    bool known = at >= s->near_from && at <= s->near_to;
    size_t look = known ? s->near_to : at;
    if (known && s->near_stops)
        return look;
    s->near_from = known ? s->near_from : at;
    s->near_stops = false;
    for (; look < most && !s->near_stops; look += !s->near_stops) {
        char c = s->text[look];
        s->near_stops = c == '}' || (c == 'n' && redact_at(s, look, "name:")) ||
                        (redact_in(c, CLASS_ALNUM) && skip_word(s, look));
    }
    s->near_to = look;
    return look;
}

/* What may be in front of and behind a name that has its value further on. */
static bool may_be_near(const struct redact_scan *s, size_t at, size_t end)
{
    char before = at ? s->text[at - 1] : '\n', next = redact_char(s, end),
         third = redact_char(s, end + 1);
    bool quoted = next == '"' || next == '\'' || next == '\\',
         assigned = next == ':' || next == '=';
    return quoted || assigned || (next == ' ' && (third == '{' || third == '=' || third == ':')) ||
           before == '"' || before == '\'' || before == '=' ||
           (before == ' ' && at > 1 && s->text[at - 2] == ':');
}

/* `name: X` and below `value: Y`; `{"name": "X", "value": "Y"}`; `variable "X" { default = "Y" }`;
 * `"X": {"value": "Y"}`. */
bool redact_near(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    bool object = false;
    size_t look = end;
    struct redact_value v;
    if (redact_may_be_remark(s, at, end) && redact_remark(s, at, end, ret_match))
        return true;
    if (redact_may_be_told_behind(s, at, end) && redact_told_behind(s, at, end, ret_match))
        return true;
    if (!may_be_near(s, at, end) || !redact_tells(s, at, end - at))
        return false;
    while (look < s->len && look - end < 12 && is_in(s, look, opens_value))
        object = object || s->text[look] == '{', look++;
    if (!object && !is_named(s, at))
        return false;
    size_t most = s->len - end < NEAR_MOST ? s->len : end + NEAR_MOST;
    size_t stop = next_stop(s, end, most);
    if (stop < most && stop <= end + 1 && s->text[stop] == 'n')
        stop = next_stop(s, stop + 1, most);
    size_t value = stop < most ? skip_word(s, stop) : 0;
    if (!value || !redact_read_value(s, value, false, &v) || v.to - v.from < 3 ||
        redact_is_placeholder(s, v.from, v.to))
        return false;
    size_t line = redact_line_end(s, v.end);
    if (!v.quote && redact_at(s, redact_line_start(s, value, 12), "value: ") && line - v.end < 40 &&
        redact_tells(s, at, end - at) == TELLS_ALL)
        v.to = line; /* a row of mysql's \G */
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return true;
}
