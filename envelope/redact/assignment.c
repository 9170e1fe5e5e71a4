/* Secrets given away by the name in front of them: `NAME=value`, `"name": "value"`,
 * `name => value`, `--name value`, `set -x NAME value`, `<name>value</name>`. Where the value is
 * and how far it goes; whether it is a secret is said by assigned.c. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define QUOTED_MOST   64  /* bytes of what goes on to a quote that began in front of its name */
#define LINE_MOST     64  /* in front of an item's name */
#define MAP_MOST      200 /* bytes of a map in front of a name */
#define REPLACED_MOST 40  /* of what sed looks for, in front of a name in it */

/* `wifi_password: 9 words of it`: a file's own line, to its end. */
static bool is_line(struct redact_scan *s, const struct redact_place *p,
                    const struct redact_value *v)
{
    size_t line = redact_line_end(s, v->end);
    if (p->sign != ':' || v->quote || p->tells != TELLS_ALL || line - v->end > 40 ||
        !memchr(s->text + p->name, '_', p->name_end - p->name) || redact_char(s, v->end) != ' ')
        return false;
    for (size_t i = v->end; i < line; i++)
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_BLANK | CLASS_DASH))
            return false;
    return redact_is_statement(s, p->name);
}

/* `- NAME=two words`, an item of compose's environment: all of its line. */
static bool is_item(struct redact_scan *s, const struct redact_place *p,
                    const struct redact_value *v)
{
    size_t start = p->name < 2 ? 0 : redact_line_start(s, p->name, LINE_MOST);
    return p->upper && p->tight && !v->quote && p->name > start + 2 &&
           redact_char(s, v->end) == ' ' && redact_at(s, p->name - 2, "- ") &&
           redact_run(s, start, CLASS_BLANK) == p->name - 2;
}

/* The other side of `"old" -> "new"`; what a shell joins behind a quote: `'Oma''s garden'`. */
static void widen_quoted(struct redact_scan *s, const struct redact_place *p,
                         struct redact_value *v, size_t line)
{
    struct redact_value other;
    if (redact_at(s, v->end, " -> \"") && redact_read_value(s, v->end + 4, false, &other))
        v->to = other.to, v->end = other.end;
    if (!p->shell || !REDACT_ONE_OF(redact_char(s, v->end), "\"'"))
        return;
    size_t word = redact_shell_word(s, v->from - 1, line);
    if (word > v->end && word - v->from < QUOTED_MOST) {
        v->to = word - redact_in(s->text[word - 1], CLASS_DOUBLE | CLASS_SINGLE);
        v->end = word;
    }
}

/* `set NAME=two words`, at a line's beginning or behind a prompt's `>`. */
static bool is_batch(struct redact_scan *s, size_t name)
{
    if (name < 4 || !redact_at(s, name - 4, "set "))
        return false;
    return name - 4 == redact_line_start(s, name, 8) || s->text[name - 5] == '>' ||
           (name >= 6 && s->text[name - 6] == '>');
}

/* Where its value ends: at the line's end, or where another command begins. */
static size_t batch_end(const struct redact_scan *s, size_t at, size_t line)
{
    for (; at < line; at++)
        if (REDACT_ONE_OF(s->text[at], " ;") &&
            (redact_at(s, at, " & ") || redact_at(s, at, " && ") || redact_at(s, at, " | ") ||
             redact_at(s, at, "; ")))
            return at;
    return line;
}

/* Within quotes that began in front of the name the value goes on to them. */
static void widen_within_quotes(struct redact_scan *s, char before, struct redact_value *v,
                                size_t line)
{
    const char *close = v->end < line ? memchr(s->text + v->end, before, line - v->end) : NULL;
    if (close && (size_t)(close - s->text) - v->from < QUOTED_MOST &&
        (redact_in(s->text[v->end], CLASS_BLANK) || redact_at(s, v->end, ", ")))
        v->to = v->end = (size_t)(close - s->text);
}

/* What goes on behind a backslash at the line's end, and in a dump's line. */
static void widen_bare(struct redact_scan *s, const struct redact_place *p, struct redact_value *v)
{
    size_t line = redact_line_end(s, v->end);
    while (line + 1 < s->len && s->text[line - 1] == '\\' && v->end + 1 >= line &&
           !redact_in(s->text[line + 1], CLASS_SPACE)) {
        v->to = v->end = redact_run(s, line + 1, ~(uint32_t)CLASS_SPACE);
        line = redact_line_end(s, v->end);
    }
    if (v->end < line && !redact_in(s->text[v->from], CLASS_DOUBLE | CLASS_SINGLE) &&
        redact_is_dump(s, p->name, line))
        v->to = v->end = line;
    else if (v->end < line && !redact_in(s->text[v->from], CLASS_DOUBLE | CLASS_SINGLE) &&
             is_batch(s, p->name))
        v->to = v->end = batch_end(s, v->end, line);
    if (is_item(s, p, v)) {
        const char *comment = memmem(s->text + v->end, line - v->end, " #", 2);
        v->to = v->end = comment ? (size_t)(comment - s->text) : line - (s->text[line - 1] == '\r');
    }
    char before = p->name ? s->text[p->name - 1] : 0;
    if (before == '"' || before == '\'')
        widen_within_quotes(s, before, v, line);
}

/* What goes on behind the value that was read. */
static void widen(struct redact_scan *s, const struct redact_place *p, struct redact_value *v)
{
    size_t line = redact_line_end(s, v->end);
    if (v->quote)
        widen_quoted(s, p, v, line);
    if (redact_is_passphrase(s, p, v) || is_line(s, p, v))
        v->to = v->end = v->quote ? v->to : line;
    if (p->tells == TELLS_ALL && p->tight && !v->quote)
        redact_read_rest(s, p->name, p->name_end, v);
    if (p->tight && !v->quote)
        widen_bare(s, p, v);
}

static bool may_begin(struct redact_scan *s, size_t at)
{
    char c = redact_char(s, at), next = redact_char(s, at + 1);
    return c != '\n' && !(c == '<' && next == '<') && !(c == '$' && (next == '{' || next == '(')) &&
           !(c == '{' && next == '{' && redact_behind_wrapper(s, at) == at) &&
           !(c == '=' && next != '=');
}

/* The type a value is shown to be by its own shape. */
static const char *type_of(struct redact_scan *s, const struct redact_value *v,
                           struct redact_match *inner)
{
    if (redact_token(s, v->from, inner) && inner->from == v->from)
        return inner->type;
    return "value";
}

/* Behind the quote that opens a text of JSON in an address, `%22X%22`; `at` where none does. */
static size_t opens_encoded(const struct redact_scan *s, size_t at)
{
    size_t quote = at + (redact_char(s, at) == '+' ? 1u : 3u * redact_at(s, at, "%20"));
    size_t from = redact_encoded_quote(s, quote);
    return from > quote ? from : at;
}

/* Such a text from there on, up to the quote that ends it. */
static bool read_encoded(struct redact_scan *s, size_t from, struct redact_value *ret)
{
    size_t end = redact_run(
        s, from, CLASS_ALL & ~(uint32_t)(CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_LESS));
    const char *close = memmem(s->text + from, end - from, "%22", 3);
    size_t to = close ? (size_t)(close - s->text) : end;
    to -= to >= from + 3 && redact_at(s, from - 6, "%5C") && redact_at(s, to - 3, "%5C") ? 3 : 0;
    *ret = (struct redact_value){from, to, to, '"'};
    return to > from;
}

/* Without what comes behind a value in an address: the next pair's, or in JSON's another member. */
static void cut_encoded(const struct redact_scan *s, const struct redact_place *p, size_t value,
                        struct redact_value *v)
{
    static const char ends[][4] = {"%26", "%3B", "%2C", "%7D"};
    bool json = redact_encoded_quote(s, p->name_end) > p->name_end;
    for (size_t i = 0; i < (json ? 4u : 2u); i++) {
        const char *next = memmem(s->text + value, v->to - value, ends[i], 3);
        if (next)
            v->to = v->end = (size_t)(next - s->text);
    }
}

/* An element's text goes on to the next tag, anything else is a value. */
static bool read_behind(struct redact_scan *s, const struct redact_place *p, size_t value,
                        struct redact_value *ret)
{
    size_t end = p->sign != '>'
                     ? value
                     : redact_run(s, value, CLASS_ALL & ~(uint32_t)(CLASS_LESS | CLASS_NEWLINE));
    if (p->sign == '>' && (redact_char(s, value) == '@' || redact_closes(s, p->name, value)))
        return false; /* <user>:<password>@host, `password: <password>` */
    if (p->encoded && opens_encoded(s, value) > value)
        return read_encoded(s, opens_encoded(s, value), ret);
    if (p->sign != '>' || redact_char(s, end) != '<') {
        bool typed = p->upper && p->name > 1 && s->text[p->name - 1] == ' ' &&
                     REDACT_ONE_OF(s->text[p->name - 2], "$#%"); /* behind a prompt */
        bool is = redact_read_value(s, value, p->tight && (p->shell || typed), ret);
        if (is && p->encoded)
            cut_encoded(s, p, value, ret);
        return is && ret->to > ret->from;
    }
    char tag = redact_char(s, end + 1);
    if (tag == '!' && redact_at(s, end, "<![CDATA[")) {
        size_t from = end + 9, line = redact_line_end(s, from);
        const char *close = memmem(s->text + from, line - from, "]]>", 3);
        size_t to = close ? (size_t)(close - s->text) : line;
        *ret = (struct redact_value){from, to, to, '"'};
        return to > from;
    }
    *ret = (struct redact_value){value, end, end, 0};
    return end > value && tag == '/'; /* `--password <password> --key <key>` is a usage */
}

/* A first look at what is behind a name: most names have nothing there. */
static bool may_follow(struct redact_scan *s, const struct redact_place *p)
{
    const struct redact_behind *b = redact_behind(s, p->name_end);
    char next = b->next;
    if (next != ' ' && next != '\t')
        return redact_in(next, CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_BACKSLASH |
                                   CLASS_COLON | CLASS_LESS) ||
               next == '=' || next == '>' || next == ']' || next == '[' || next == '?' ||
               next == '+' || (next == '}' && p->name && s->text[p->name - 1] == '{') ||
               (next == '%' && REDACT_ONE_OF(redact_char(s, p->name_end + 1), "235"));
    char sign = b->sign;
    if (sign == '=' || sign == ':' || sign == '?' || sign == '+' || sign == '|' || sign == '<' ||
        (sign == '!' && redact_char(s, b->to + 1) == '=') ||
        (sign == '-' && redact_char(s, b->to + 1) == '>') ||
        (sign == 's' && redact_at(s, b->to, "string = ")) ||
        (sign == '(' && redact_behind_brackets(s, p->name_end) > p->name_end))
        return true;
    char before = p->name ? s->text[p->name - 1] : '\n';
    return before == '-' || before == '\n' || before == '<' || before == '+' ||
           (before == ':' && (sign == '"' || sign == 'x')) ||
           (before == ' ' && p->name >= 4 &&
            (REDACT_ONE_OF(s->text[p->name - 2], "vxgUVrmsteqfn") ||
             redact_at(s, p->name - 4, "ort ")));
}

/* `secret key: X`, of two words: whatever is long and random is. */
static enum redact_telling tells_of_two(struct redact_scan *s, size_t at, size_t end)
{
    size_t from = at - (at > 0 && s->text[at - 1] == ' ');
    while (from > 0 && at - from < 16 && redact_in(s->text[from - 1], CLASS_ALNUM))
        from--;
    return from + 1 < at && redact_char(s, end) == ':' && redact_tells(s, from, end - from)
               ? TELLS_LONG
               : TELLS_NOTHING;
}

/* In sed's `s/name=X/name=Y/` the sign that parts them is none of the value's. */
static void cut_replaced(struct redact_scan *s, size_t name, struct redact_value *v)
{
    size_t line = redact_line_start(s, name, REPLACED_MOST), from = name;
    const char *slash = memchr(s->text + v->from, '/', v->to - v->from);
    if (!slash)
        return; /* most */
    while (from > line && s->text[from - 1] != '/')
        from--;
    if (from > line + 2 && s->text[from - 2] == 's' && REDACT_ONE_OF(s->text[from - 3], "'\" ;") &&
        slash > s->text + v->from)
        v->to = v->end = (size_t)(slash - s->text);
}

/* `WIFI_PASS "my pickle eats pelican7"`: words, one of which ends in digits. */
static bool is_defined_so(struct redact_scan *s, const struct redact_place *p,
                          const struct redact_value *v)
{
    size_t words = 0, mixed = 0;
    for (size_t at = v->from; at < v->to; at++) {
        size_t end = redact_run(s, at, CLASS_ALNUM), letters = redact_run(s, at, CLASS_LOWER);
        if (end == at || (end < v->to && s->text[end] != ' ') ||
            redact_in(s->text[at], CLASS_UPPER))
            return false;
        words++;
        mixed += letters >= at + 4 && letters < end && redact_run(s, letters, CLASS_DIGIT) == end;
        at = end;
    }
    return p->upper && words >= 3 && mixed && !redact_is_notice(s, v->from, v->to);
}

/* Go's `map[DB_USER:shop DB_PASS:word LOG:debug]`: no blank is behind the sign, and another pair
 * stands beside it in the bracket. */
static bool is_in_map(struct redact_scan *s, const struct redact_place *p,
                      const struct redact_value *v)
{
    size_t line = p->name ? redact_line_start(s, p->name, MAP_MOST) : 0;
    char before = p->name ? s->text[p->name - 1] : '\n', next = redact_char(s, v->end);
    return p->sign == ':' && p->tells == TELLS_ALL && v->from == p->name_end + 1 &&
           REDACT_ONE_OF(before, "[{ ") && REDACT_ONE_OF(next, " ]}") && v->to >= v->from + 6 &&
           redact_run(s, v->from, CLASS_WORD) == v->to &&
           !redact_tells(s, v->from, v->to - v->from) &&
           !redact_is_placeholder(s, v->from, v->to) &&
           memmem(s->text + line, p->name - line, "map[", 4) != NULL;
}

/* A name and what it is given, while it is read. */
struct reading {
    struct redact_scan *s;
    struct redact_place p;
    struct redact_value v;
    size_t end;  /* of the name, without dots behind it */
    char before; /* the character in front of the name; 0 where the text begins */
    bool whole;  /* the value is all that its form says it is: nobody has to judge it */
    bool asked;  /* a shell compares with it */
};

/* `[ "$password" = "X" ]`, `test "$pw" = X`, `[[ $pw == X ]]`: of the name behind the dollar. */
static bool is_asked(const struct redact_scan *s, size_t name, size_t end)
{
    bool quotes = name > 1 && s->text[name - 2] == '"' && redact_char(s, end) == '"';
    size_t front = name - 1 - quotes, sign = end + quotes;
    return (redact_at(s, sign, " = ") || redact_at(s, sign, " == ")) &&
           ((front > 1 && redact_at(s, front - 2, "[ ")) ||
            (front > 4 && redact_at(s, front - 5, "test ")));
}

/* What the name tells: `key` of what is set for networks and databases, and of two words, too. */
static enum redact_telling tells_of(const struct reading *r)
{
    size_t at = r->p.name, len = r->end - at;
    enum redact_telling tells = redact_tells(r->s, at, len);
    if (tells || len != 3 || !redact_at(r->s, at, "key"))
        return tells;
    bool all = redact_is_network(r->s, at) || redact_is_pragma(r->s, at);
    return all ? TELLS_ALL : tells_of_two(r->s, at, r->end);
}

/* `--name.` without its dashes and dots; false where nothing is behind it or it tells nothing. */
static bool read_name(struct reading *r)
{
    struct redact_scan *s = r->s;
    struct redact_place *p = &r->p;
    while (p->name < p->name_end && redact_in(s->text[p->name], CLASS_DASH | CLASS_DOT))
        p->name++;
    while (r->end > p->name && s->text[r->end - 1] == '.')
        r->end--;
    if (p->name == r->end || !may_follow(s, p))
        return false;
    char next = redact_char(s, r->end);
    r->before = p->name ? s->text[p->name - 1] : 0;
    bool quoted = next == '=' && REDACT_ONE_OF(redact_char(s, r->end + 1), "'\""); /* $name='X' */
    p->tells = tells_of(r);
    r->asked = r->before == '$' && is_asked(s, p->name, r->end);
    if (!p->tells || (r->before == '$' && next != ' ' && !quoted && !r->asked))
        return false;
    p->upper = true;
    for (size_t i = p->name; i < r->end && p->upper; i++)
        p->upper = !redact_in(s->text[i], CLASS_LOWER);
    return true;
}

/* Where the value begins; 0 where there is none. */
static size_t find_value(struct reading *r)
{
    struct redact_scan *s = r->s;
    struct redact_place *p = &r->p;
    size_t value = redact_find_value(s, p), behind = 0;
    if (!value)
        return 0;
    if (p->sign == ':') {
        behind = redact_below_sign(s, value);
        behind = behind ? behind : redact_behind_type(s, value);
        value = redact_behind_tag(s, behind ? behind : value, p->quoted);
    }
    size_t below = redact_on_next_line(s, value);
    value = below ? below : value;
    bool list = p->tight && redact_at(s, value, "(["); /* a shell's, of which each has a name */
    bool variable = s->text[value - 1] == ':' && redact_char(s, value) == '\'' &&
                    p->tells == TELLS_ALL && redact_at(s, r->end, " :'"); /* psql's */
    return list || variable ? 0 : value;
}

/* `b"X"`, `@'X'`: behind what a language puts in front of a quote. */
static size_t behind_prefix(const struct redact_scan *s, size_t at)
{
    char next = redact_char(s, at + 1);
    return at + ((next == '"' || next == '\'') && REDACT_ONE_OF(redact_char(s, at), "@bfruN$"));
}

/* Whether the quote that stands there began in front of the name. */
static bool ends_quote(const struct reading *r, size_t at)
{
    return (r->before == '"' || r->before == '\'') && !r->p.quoted && r->s->text[at] == r->before &&
           redact_char(r->s, at + 1) != r->before;
}

/* What says by its form where it ends. */
static bool read_whole(struct reading *r, size_t at)
{
    if (r->p.tells != TELLS_ALL)
        return false;
    return (r->p.sign == ':' && redact_read_block(r->s, r->end, &r->v)) ||
           (r->p.sign == '=' && redact_read_braces(r->s, r->p.name, at, &r->v));
}

static bool read_value(struct reading *r, size_t at)
{
    struct redact_scan *s = r->s;
    struct redact_place *p = &r->p;
    r->whole = redact_read_default(s, at, p->tells, &r->v); /* ${NAME:-X} */
    if (!r->whole && !may_begin(s, at))
        return false;
    p->shell = p->tight && redact_is_statement(s, p->name);
    at = behind_prefix(s, at);
    if (p->sign == '=' || p->sign == ':')
        at = redact_behind_others(s, p->name, redact_behind_wrapper(s, at));
    if (ends_quote(r, at))
        return false;
    r->whole = r->whole || read_whole(r, at);
    if (r->whole || (p->sign == '=' && (redact_read_brackets(s, at, &r->v) ||
                                        redact_read_doubled(s, p->name, at, &r->v))))
        return true;
    return read_behind(s, p, at, &r->v) && (p->sign != ',' || r->v.quote);
}

/* Reads on where a value without quotes has more than the first word. */
static void read_on(struct reading *r)
{
    struct redact_scan *s = r->s;
    struct redact_place *p = &r->p;
    struct redact_value *v = &r->v;
    if (r->whole || v->quote)
        return;
    if (p->sign == ' ' && p->tells == TELLS_ALL && p->upper && (!r->before || r->before == '\n'))
        v->to = v->end = redact_line_end(s, v->end); /* fish's and PowerShell's lists */
    if (p->tight && (r->before == '"' || r->before == '\''))
        redact_to_quote(s, r->before, p->tells == TELLS_ALL, v);
    if (v->quote)
        return;
    if (p->tight && p->upper && v->to < v->from + 4 &&
        redact_is_dump(s, p->name, redact_line_end(s, v->end)))
        v->to = v->end = redact_line_end(s, v->end);
    if (p->tells == TELLS_ALL && (p->sign == ':' || p->sign == '='))
        r->whole = redact_read_words(s, p->name, r->end, p->sign, v) ||
                   (p->sign == '=' && redact_read_phrase(s, p->name, v)) ||
                   redact_read_setting(s, p->name, p->tight, v) ||
                   redact_read_scalar(s, p->name, r->end, p->sign, p->tight, v);
}

static bool is_secret(const struct reading *r)
{
    const struct redact_place *p = &r->p;
    const struct redact_value *v = &r->v;
    if (r->asked)
        return p->tells == TELLS_ALL && v->to >= v->from + REDACT_COMPARED_LEAST &&
               !redact_is_placeholder(r->s, v->from, v->to) &&
               (redact_has_digit(r->s, v->from, v->to) ||
                redact_is_lone_word(r->s, v->from, v->to));
    return r->whole || redact_is_assigned(r->s, p, &r->v) || is_in_map(r->s, p, &r->v) ||
           (p->tells == TELLS_ALL && p->sign == ':' && redact_is_mapped(r->s, p->name, &r->v));
}

/* `#define PASS_PROMPT "Your password"`: programs name texts so. */
static bool is_definition(const struct reading *r)
{
    struct redact_scan *s = r->s;
    const struct redact_value *v = &r->v;
    if (r->p.sign != ' ' || !redact_is_defined(s, r->p.name))
        return false;
    if (!memchr(s->text + v->from, ' ', v->to - v->from) && redact_has_digit(s, v->from, v->to))
        return false;
    return r->p.tells != TELLS_ALL ||
           !(redact_is_phrase(s, v->from, v->to, 4) ||
             (redact_is_quoted(s, v->from, v->to) && !redact_names_text(s, r->p.name, r->end)) ||
             is_defined_so(s, &r->p, v));
}

bool redact_assignment(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct reading r = {.s = s, .p = {.name = at, .name_end = end}, .end = end};
    struct redact_match inner;
    size_t value = read_name(&r) ? find_value(&r) : 0;
    if (!value || !read_value(&r, value))
        return false;
    read_on(&r);
    if (!is_secret(&r) || is_definition(&r))
        return false;
    widen(s, &r.p, &r.v);
    cut_replaced(s, r.p.name, &r.v);
    *ret_match = (struct redact_match){r.v.from, r.v.to, type_of(s, &r.v, &inner)};
    if (redact_pem(s, r.v.from, &inner) && inner.to > r.v.from)
        *ret_match = inner;
    return true;
}
