/* `key`, which says nothing alone, where the section that it stands in says of what: `encryption:`
 * over `key: X`, `pre-shared-key {` over `key X;`, `'crypt' => [` over `'key' => 'X'`; the key that
 * was asked for by keygen; and one that is like no word of a program. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINES_MOST   8 /* up to a section's heading */
#define LINE_MOST    160
#define HEADING_MOST 64
#define KEYGEN_MOST  400 /* bytes between a request for a key and the key */
#define KEY_LEAST    32
#define DENSE_LEAST  12
#define LOOKS_MOST   4 /* at values that end at one place */

/* ---- the heading ---- */

/* Where a line's text begins, behind blanks and the number that cat or grep writes. */
static size_t text_of(struct redact_scan *s, size_t line)
{
    size_t blank = redact_run(s, line, CLASS_BLANK), number = redact_run(s, blank, CLASS_DIGIT);
    bool counted = number > blank && REDACT_ONE_OF(redact_char(s, number), "\t:-");
    return counted ? redact_run(s, number + 1, CLASS_BLANK) : blank;
}

/* What `key` tells below the heading whose text is [from, to): of its first word. */
static enum redact_telling heading_tells(struct redact_scan *s, size_t from, size_t to)
{
    char name[HEADING_MOST + 5];
    while (from < to && !redact_in(s->text[from], CLASS_ALNUM))
        from++;
    size_t end = redact_run(s, from, CLASS_NAME), len = end - from;
    if (end == from || end > to || len > HEADING_MOST)
        return TELLS_NOTHING;
    memcpy(name, s->text + from, len);
    memcpy(name + len, "_key", 4);
    enum redact_telling alone = redact_telling(name, len), both = redact_telling(name, len + 4);
    return alone > both ? alone : both;
}

/* Whether a line opens a section: `x {`, `x:`, `'x' => [`, `[x]`. */
static bool opens(const struct redact_scan *s, size_t from, size_t to)
{
    char last = s->text[to - 1];
    return REDACT_ONE_OF(last, "{[(:") ||
           (last == '>' && to > from + 1 && s->text[to - 2] == '=') ||
           (last == ']' && s->text[from] == '[');
}

/* The nearest line above that begins further to the left, or is a heading in brackets. */
static enum redact_telling section_tells(struct redact_scan *s, size_t line, size_t deep)
{
    bool alone = false;
    for (int i = 0; i < LINES_MOST && line > 0; i++) {
        size_t to = line - 1, from;
        line = redact_line_start(s, to, LINE_MOST);
        if (line && s->text[line - 1] != '\n')
            return TELLS_NOTHING;
        from = text_of(s, line);
        while (to > line && redact_in(s->text[to - 1], CLASS_BLANK))
            to--;
        if (to <= from)
            return TELLS_NOTHING; /* an empty one ends it */
        if (to == from + 1 && REDACT_ONE_OF(s->text[from], "({") && from - line < deep) {
            deep = from - line + 1; /* what it opens is on the line above: `[crypt] => Array` */
            alone = true;
            continue;
        }
        if (from - line < deep || (s->text[from] == '[' && s->text[to - 1] == ']'))
            return alone || opens(s, from, to) ? heading_tells(s, from, to) : TELLS_NOTHING;
    }
    return TELLS_NOTHING;
}

/* `"encryption": {"key": "X"}`: what stands in front of the brace. */
static enum redact_telling brace_tells(struct redact_scan *s, size_t at)
{
    size_t line = redact_line_start(s, at, LINE_MOST), to = at, from;
    int deep = 0; /* other members may be in front of it */
    while (to > line && (deep || s->text[to - 1] != '{')) {
        to--;
        deep += s->text[to] == '}' ? 1 : s->text[to] == '{' ? -1 : 0;
    }
    if (to == line)
        return TELLS_NOTHING;
    to--;
    while (to > line && !redact_in(s->text[to - 1], CLASS_ALNUM))
        to--;
    for (from = to; from > line && redact_in(s->text[from - 1], CLASS_NAME);)
        from--;
    return from < to ? heading_tells(s, from, to) : TELLS_NOTHING;
}

/* `AES.new(key=b"X", mode=m)`: by the name of the call whose argument it is. */
static enum redact_telling call_tells(struct redact_scan *s, size_t at)
{
    static const char words[][9] = {"AES",    "aes",   "hmac", "HMAC", "Fernet", "Cipher", "cipher",
                                    "ChaCha", "crypt", "sign", "jwt",  "JWT",    "Blake",  "blake"};
    size_t line = redact_line_start(s, at, LINE_MOST), to = at, from;
    int deep = 0;
    if (redact_char(s, at + 3) != '=' || at == line || !REDACT_ONE_OF(s->text[at - 1], "( "))
        return TELLS_NOTHING;
    while (to > line && (deep || s->text[to - 1] != '(')) {
        to--;
        deep += s->text[to] == ')' ? 1 : s->text[to] == '(' ? -1 : 0;
    }
    for (from = to = to - (to > line); from > line && redact_in(s->text[from - 1], CLASS_NAME);)
        from--;
    return from < to && REDACT_HOLDS(s, from, to, words) ? TELLS_CODE : TELLS_NOTHING;
}

/* What the key's place tells; nothing is in front of it but what opens a list's item. */
static enum redact_telling place_tells(struct redact_scan *s, size_t at)
{
    size_t line = redact_line_start(s, at, LINE_MOST), first = text_of(s, line);
    for (size_t i = first; i < at; i++)
        if (!redact_in(s->text[i], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE) &&
            !REDACT_ONE_OF(s->text[i], "{[:-+")) {
            enum redact_telling tells = brace_tells(s, at);
            return tells ? tells : call_tells(s, at);
        }
    return first > at || (line && s->text[line - 1] != '\n') ? TELLS_NOTHING
                                                             : section_tells(s, line, first - line);
}

/* ---- the value ---- */

/* Behind a sign, or a blank where it is the last of its line. */
static bool read_behind(struct redact_scan *s, size_t end, struct redact_value *ret)
{
    size_t at = end + redact_in(redact_char(s, end), CLASS_DOUBLE | CLASS_SINGLE);
    at += redact_char(s, at) == ']';
    size_t sign = redact_run(s, at, CLASS_BLANK), value = sign;
    bool is = REDACT_ONE_OF(redact_char(s, sign), ":=");
    if (is)
        value = redact_run(s, sign + 1 + (redact_char(s, sign + 1) == '>'), CLASS_BLANK);
    value += is && redact_in(redact_char(s, value + 1), CLASS_DOUBLE | CLASS_SINGLE) &&
             REDACT_ONE_OF(s->text[value], "bru");
    if (value == end || (!is && at > end) || !redact_read_value(s, value, false, ret))
        return false;
    ret->to -= !ret->quote && redact_char(s, ret->to - 1) == ';';
    size_t behind = ret->end + (redact_char(s, ret->end) == ';');
    return ret->to > ret->from &&
           (is || redact_run(s, behind, CLASS_BLANK) >= redact_line_end(s, behind));
}

/* Of all kinds of characters, two signs among them that names do not have. */
static bool is_dense(const struct redact_scan *s, const struct redact_value *v)
{
    size_t digits = 0, upper = 0, lower = 0, signs = 0;
    for (size_t i = v->from; i < v->to; i++) {
        char c = s->text[i];
        digits += redact_in(c, CLASS_DIGIT);
        upper += redact_in(c, CLASS_UPPER);
        lower += redact_in(c, CLASS_LOWER);
        signs += c && REDACT_ONE_OF(c, "!#$%^&*@~?");
        if (redact_in(c, CLASS_SPACE) || REDACT_ONE_OF(c, "(){}<>"))
            return false;
    }
    return v->quote && v->to - v->from >= DENSE_LEAST && v->to - v->from <= HEADING_MOST &&
           digits && upper >= 2 && lower >= 2 && signs >= 2;
}

static bool is_enough(struct redact_scan *s, size_t at, const struct redact_value *v)
{
    struct redact_reached word = {.from = v->from, .to = v->to};
    enum redact_strength strength = redact_strength(s, &word);
    if (redact_is_placeholder(s, v->from, v->to))
        return false;
    if (is_dense(s, v))
        return true;
    bool hex = word.hex && v->to - v->from >= KEY_LEAST;
    if (strength < REDACT_MIXED && !hex)
        return false;
    enum redact_telling tells = place_tells(s, at);
    return tells == TELLS_ALL || (tells == TELLS_CODE && (hex || strength == REDACT_RANDOM));
}

/* `<result><key>X</key>`, as a request that says keygen is answered. */
static bool is_generated(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    size_t back = at > KEYGEN_MOST ? at - KEYGEN_MOST : 0;
    size_t to = redact_run(s, end + 1, CLASS_ALNUM | CLASS_BASE64);
    *ret = (struct redact_match){end + 1, to, "value"};
    return at && s->text[at - 1] == '<' && to > end + KEY_LEAST && redact_at(s, to, "</key>") &&
           ((at >= 9 && redact_at(s, at - 9, "<result><")) ||
            memmem(s->text + back, at - back, "keygen", 6));
}

/* Many names in one word have all that is behind them for a value: `key:key:key:`. Of as many as
 * end at one place no more are asked. */
static bool was_looked_at(struct redact_scan *s, const struct redact_value *v)
{
    s->section_looks = s->section_to == v->to ? s->section_looks + 1 : 0;
    s->section_to = v->to;
    return s->section_looks >= LOOKS_MOST;
}

/* `key: {api: "X"}`: what it is the key of is the first name in it. */
static bool is_of_first(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    char name[HEADING_MOST + 5];
    size_t open = redact_run(s, end + 1, CLASS_BLANK), from, to;
    if (redact_char(s, end) != ':' || redact_char(s, open) != '{')
        return false; /* most */
    from = redact_run(s, open + 1, CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE);
    to = redact_run(s, from, CLASS_WORD);
    struct redact_value v;
    if (to == from || to - from > HEADING_MOST || !read_behind(s, to, &v) || !v.quote)
        return false;
    memcpy(name, s->text + from, to - from);
    memcpy(name + (to - from), "_key", 4);
    struct redact_reached word = {.from = v.from, .to = v.to};
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return redact_telling(name, to - from + 4) >= TELLS_CODE &&
           redact_strength(s, &word) == REDACT_RANDOM;
}

bool redact_section(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    if (redact_char(s, end) == '>')
        return is_generated(s, at, end, ret_match);
    if (end - at == 3 && is_of_first(s, end, ret_match))
        return true;
    if (redact_tells(s, at, end - at) || !read_behind(s, end, &v) || was_looked_at(s, &v) ||
        !is_enough(s, at, &v))
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return true;
}
