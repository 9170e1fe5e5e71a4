/* What stands between a name and what it is set to, and where that begins: `NAME=value`,
 * `"name": "value"`, `name => value`, `--name value`, `set -x NAME value`, `<name>value</name>`. */
#include <string.h>

#include "envelope/redact/places.h"

#define BLANKS_MOST 80 /* between a name, its separator and its value */
#define PREFIX_MOST 16 /* of a name of XML */
#define ARROW_LEAST 8  /* bytes of a value behind an arrow */
#define REMARK_MOST 32 /* of what brackets say behind a name */

static size_t skip_blanks(struct redact_scan *s, size_t at)
{
    size_t end = at == s->behind.end ? s->behind.to : redact_run(s, at, CLASS_BLANK);
    return end - at > BLANKS_MOST ? at : end;
}

/* Behind a quote of JSON that an address has: `%22`, `%5C%22`; `at` where none is there. */
size_t redact_encoded_quote(const struct redact_scan *s, size_t at)
{
    size_t quote = at + (redact_at(s, at, "%5C") ? 3 : 0);
    return redact_at(s, quote, "%22") ? quote + 3 : at;
}

/* `Your passphrase (between double-quotes): "X"`: behind what brackets say of a name, where a text
 * follows; `at` where nothing does. */
size_t redact_behind_brackets(struct redact_scan *s, size_t at)
{
    if (redact_char(s, at) != ' ' || redact_char(s, at + 1) != '(')
        return at; /* most */
    size_t close = redact_run(s, at + 2, CLASS_LOWER | CLASS_DASH | CLASS_BLANK);
    return close > at + 2 && close - at <= REMARK_MOST && redact_at(s, close, "): \"") ? close + 1
                                                                                       : at;
}

/* The quotes and brackets that end a name: `"`, `\"`, `']`. */
static size_t skip_name_end(struct redact_scan *s, size_t at, bool *ret_quoted)
{
    size_t from = at;
    while (redact_char(s, at) == '\\' && at - from < 7)
        at++;
    *ret_quoted =
        redact_char(s, at) == '"' || redact_char(s, at) == '\'' || redact_char(s, at) == '`';
    at = *ret_quoted ? at + 1 : from;
    at += redact_char(s, at) == ')' && *ret_quoted; /* attr("x") = */
    at += redact_char(s, at) == ']' && *ret_quoted;
    at += from == at && redact_char(s, at) == ']' &&
          (redact_char(s, at + 1) == '=' || redact_at(s, at, "] => ")); /* [name]='X' */
    at += from == at && redact_at(s, at, "%5D=") ? 3 : 0;               /* user%5Bpassword%5D=X */
    if (from == at && redact_char(s, at) == '%') /* %22password%22%3A%22X%22 */
        at = redact_encoded_quote(s, at);
    at += redact_char(s, at) == '}' && from == at; /* $ENV{NAME} = */
    at += redact_char(s, at) == '?' && redact_char(s, at + 1) == ':';
    if (from == at && redact_char(s, at) == '[') { /* char password[32] = "X" */
        size_t close = redact_run(s, at + 1, CLASS_DIGIT);
        at = redact_at(s, close, "] = \"") ? close + 1 : at;
    }
    return at;
}

/* `password == "X"`: a text with a digit that a program compares with, or a word that is no
 * program's; behind the sign. */
static size_t compared_with(struct redact_scan *s, size_t at, struct redact_place *p)
{
    size_t sign = at + 2 + (redact_char(s, at + 2) == '='),
           quote = redact_run(s, sign, CLASS_BLANK);
    struct redact_value v;
    if (p->tells != TELLS_ALL || !redact_in(redact_char(s, quote), CLASS_DOUBLE | CLASS_SINGLE) ||
        !redact_read_value(s, quote, false, &v) || !v.quote ||
        v.to < v.from + REDACT_COMPARED_LEAST ||
        !(redact_has_digit(s, v.from, v.to) || redact_is_lone_word(s, v.from, v.to)))
        return 0;
    p->sign = '=';
    return sign;
}

/* A sign that gives a name its value; behind it. 0 where there is none. */
static size_t skip_sign(struct redact_scan *s, size_t at, struct redact_place *p)
{
    char first = redact_char(s, at), next = redact_char(s, at + 1);
    if (first == '%' && (redact_at(s, at, "%3D") || redact_at(s, at, "%3A"))) {
        p->encoded = true;
        p->sign = '=';
        return at + 3;
    }
    if (first == '?' && next == ':' && redact_char(s, at - 1) == ' ')
        next = '?';                                        /* Kotlin's */
    if (next == first && (first == '|' || first == '?')) { /* or else */
        size_t value = redact_run(s, at + 2, CLASS_BLANK);
        p->sign = '=';
        return redact_in(redact_char(s, value), CLASS_DOUBLE | CLASS_SINGLE) ? at + 2 : 0;
    }
    if (first == '-' && next == '>') { /* what a log shows that a name is set to: `a.b.key -> X` */
        size_t value = redact_run(s, at + 2, CLASS_BLANK);
        size_t end = redact_run(s, value, CLASS_WORD | CLASS_BASE64);
        p->sign = '=';
        return at > p->name_end && value > at + 2 && end >= value + ARROW_LEAST &&
                       redact_has_digit(s, value, end) &&
                       memchr(s->text + p->name, '.', p->name_end - p->name)
                   ? at + 2
                   : 0;
    }
    if (first == '<' && next == '-') /* R's */
        return redact_in(redact_char(s, redact_run(s, at + 2, CLASS_BLANK)),
                         CLASS_DOUBLE | CLASS_SINGLE) &&
                       (p->sign = '=')
                   ? at + 2
                   : 0;
    bool two = (first == '=' && next == '>') ||
               (next == '=' && (first == ':' || first == '?' || first == '+'));
    bool doubled = next == first && (first == '=' || first == ':');
    if ((doubled && first == '=') || (first == '!' && next == '='))
        return compared_with(s, at, p);
    if (doubled || !(two || first == '=' || first == ':'))
        return 0;
    p->sign = first == ':' && !two ? ':' : '=';
    return at + 1 + two;
}

/* `<db:name>`. */
static bool has_prefix(const struct redact_scan *s, size_t name)
{
    size_t at = name - 1;
    if (name < 3 || s->text[at] != ':')
        return false; /* most */
    while (at > 0 && name - at < PREFIX_MOST && redact_in(s->text[at - 1], CLASS_ALNUM))
        at--;
    return at > 0 && at + 1 < name && s->text[at - 1] == '<';
}

/* `<name>` and `name" value="`; the value behind. */
static size_t skip_markup(struct redact_scan *s, size_t at, struct redact_place *p)
{
    static const struct redact_word between[] = {REDACT_WORD(" value="), REDACT_WORD("><value>"),
                                                 REDACT_WORD("</key><string>"),
                                                 REDACT_WORD("</name><value>"), REDACT_WORD(">")};
    bool element = p->name > 0 && (s->text[p->name - 1] == '<' || has_prefix(s, p->name));
    if (element && redact_char(s, at) != '>') { /* attributes of its own */
        size_t end = redact_run(s, at, CLASS_ALL & ~(uint32_t)(CLASS_LESS | CLASS_NEWLINE));
        const char *close = memchr(s->text + at, '>', end - at < 200 ? end - at : 200);
        if (!close || close[-1] == '/' || !redact_in(s->text[at], CLASS_BLANK))
            return 0;
        at = (size_t)(close - s->text);
    }
    char sign = redact_char(s, at);
    if (!((sign == ' ' && (redact_char(s, at + 1) | 0x20) == 'v') || sign == '>' || sign == '<'))
        return 0;                                                    /* most */
    if (redact_at(s, at, "</key>") || redact_at(s, at, "</name>")) { /* on the next line */
        size_t open = at + 6 + (s->text[at + 2] == 'n');
        open = redact_run(s, open, CLASS_SPACE);
        size_t is = redact_at(s, open, "<string>") ? 8 : redact_at(s, open, "<value>") ? 7 : 0;
        p->sign = '>';
        return is ? open + is : 0;
    }
    if (element && sign == '>' && redact_char(s, at + 1) == '\n') { /* alone on its line */
        size_t text = redact_run(s, at + 1, CLASS_SPACE);
        p->sign = '>';
        size_t word = redact_run(s, text, ~(uint32_t)CLASS_SPACE);
        size_t line = redact_line_start(s, p->name, 60);
        if (redact_char(s, text) != '<' && redact_at(s, redact_run(s, word, CLASS_SPACE), "</") &&
            (redact_run(s, line, CLASS_BLANK) + 1 == p->name ||
             (p->name > 1 && s->text[p->name - 2] == '>')))
            return text;
    }
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        bool needs_name = between[i].len == 1;
        if (needs_name && element && redact_at(s, redact_run(s, at + 1, CLASS_SPACE), "<value>")) {
            p->sign = '>';
            return redact_run(s, at + 1, CLASS_SPACE) + 7;
        }
        if (redact_at(s, at, between[i].text) && (element || p->quoted || !needs_name)) {
            p->sign = '>';
            return at + between[i].len;
        }
    }
    return 0;
}

/* Whether the line below begins as such a one does, or the one above: a variable's name, a blank,
 * and what it is set to. */
static bool is_of_dump(struct redact_scan *s, size_t line, size_t end)
{
    size_t above = line ? redact_line_start(s, line - 1, REDACT_LINE_LOOKED_AT) : line;
    for (int i = 0; i < 2; i++) {
        size_t at = i ? end + 1 : above;
        size_t name = redact_run(s, at, CLASS_UPPER | CLASS_UNDER | CLASS_DIGIT);
        if (at != line && name >= at + 3 && redact_char(s, name) == ' ' &&
            REDACT_ONE_OF(redact_char(s, name + 1), "/'~"))
            return true;
    }
    return false;
}

/* A line of two words, the first a variable's name: fish's and PowerShell's lists. */
static bool is_listed_pair(struct redact_scan *s, const struct redact_place *p, size_t value)
{
    size_t start = redact_line_start(s, p->name, 4);
    size_t end = redact_line_end(s, value), word = value;
    if (start != p->name || !p->upper || value == p->name_end ||
        (!memchr(s->text + p->name, '_', p->name_end - p->name) &&
         !redact_in(s->text[p->name_end - 1], CLASS_DIGIT)))
        return false;
    bool mixed = false;
    while (word < end && !redact_in(s->text[word], CLASS_BLANK))
        mixed = mixed || !redact_in(s->text[word], CLASS_UPPER | CLASS_UNDER), word++;
    return mixed && end - value >= 4 &&
           (word == end || s->text[value] == '\'' ||
            (p->tells == TELLS_ALL && is_of_dump(s, start, end)));
}

/* The two stars behind the sign of Markdown's `**Password:**`. */
static size_t bold_length(struct redact_scan *s, const struct redact_place *p, size_t at)
{
    return p->sign == ':' && redact_at(s, at, "** ") && p->name >= 2 &&
                   redact_at(s, p->name - 2, "**")
               ? 2
               : 0;
}

size_t redact_find_value(struct redact_scan *s, struct redact_place *p)
{
    size_t at = redact_behind_brackets(s, skip_name_end(s, p->name_end, &p->quoted)), sign;
    if (redact_char(s, at) == ' ') /* Lua's, Go's */
        at += redact_char(s, at + 1) == '<'   ? 8u * redact_at(s, at, " <const>")
              : redact_char(s, at + 1) == 's' ? 7u * redact_at(s, at, " string = ")
                                              : 0;
    size_t blanks = skip_blanks(s, at), markup = 0;
    char front = p->name >= 2 ? s->text[p->name - 1] : 0;
    bool dashes = front == '-' || (front == '+' && s->text[p->name - 2] == ' ');
    if ((sign = skip_sign(s, blanks, p))) {
        size_t value = skip_blanks(s, sign + bold_length(s, p, sign));
        if (p->sign == '=' && redact_at(s, value, "\\\n"))
            value = skip_blanks(s, value + 2); /* a shell goes on there */
        p->tight = (value == p->name_end + 1 || p->encoded) && p->sign == '=';
        return value;
    }
    if ((markup = skip_markup(s, at, p)))
        return markup;
    size_t opens = p->name < 2 ? 0 : p->name - 2; /* what is in front of the quote */
    opens -= opens && s->text[opens] == ' ';
    bool called = p->name >= 2 && (s->text[opens] == '(' || s->text[opens] == '\\');
    if (p->quoted && called && redact_char(s, blanks) == ',' && s->text[at - 1] != ')') {
        p->sign = ',';
        return skip_blanks(s, blanks + 1);
    }
    if (blanks == at || p->quoted)
        return 0;
    if (front == ':' && redact_char(s, blanks) == '"') { /* Clojure's {:password "x"} */
        p->sign = ':';
        return blanks;
    }
    p->sign = ' ';
    if (redact_is_defined(s, p->name))
        return redact_char(s, blanks) == '"'                                ? blanks
               : redact_at(s, blanks, "(\"")                                ? blanks + 1
               : redact_at(s, blanks, "@\"") || redact_at(s, blanks, "L\"") ? blanks + 1
                                                                            : 0;
    if (dashes || redact_is_set_by_blank(s, p->name) ||
        (redact_char(s, blanks) == '\'' && redact_is_option(s, p->name)) ||
        is_listed_pair(s, p, blanks))
        return blanks;
    return 0;
}
