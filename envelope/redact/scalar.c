/* Values without quotes that go on behind a blank or a comma: to the line's end, as files of
 * settings have them (`admin_passwd = amber Waves; grain`, `adminPassword: Lily pad/5`,
 * `ADMIN_PASS=Golden Syrup`), to what ends a list's member (`{user=kim, password=copper & Zinc}`,
 * `"Host=pg;Password=Ink & Quill"`). Words of a sentence are told from these as those in quotes
 * are (quoted.c); of a program by signs of it, and of a command by how it is written. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define SCALAR_MOST 48  /* bytes of it */
#define NUMBER_MOST 24  /* bytes in front of a name on its line: blanks, and the line's number */
#define FRONT_MOST  160 /* bytes in front of a name that a list opens in */

/* Whether the word behind the first is none that a command is called by: a capital letter begins
 * it, or it is a sign or a number. */
static bool is_no_command(struct redact_scan *s, const struct redact_value *v)
{
    size_t at = redact_run(s, v->end, CLASS_BLANK), end = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
    return redact_in(s->text[v->end - 1], CLASS_SEPARATOR) || s->text[v->end] == ',' ||
           redact_in(redact_char(s, at), CLASS_UPPER) ||
           (end == at + 1 && REDACT_ONE_OF(s->text[at], "&+@%")) ||
           (end > at && redact_run(s, at, CLASS_DIGIT) == end);
}

/* `COOKIE_PASS=Comfrey, root`: two words behind each other in no list, of a variable. */
static bool is_pair(struct redact_scan *s, size_t name, size_t end, size_t from, size_t to)
{
    size_t first = redact_run(s, from, CLASS_ALNUM);
    for (size_t i = name; i < end; i++)
        if (redact_in(s->text[i], CLASS_LOWER))
            return false;
    return redact_at(s, first, ", ") && first >= from + 4 &&
           redact_run(s, first + 2, CLASS_ALNUM) == to && to > first + 2 &&
           redact_in(s->text[from], CLASS_UPPER | CLASS_LOWER) &&
           !redact_is_plain_word(s, from, first);
}

/* Whether nothing is in front of the name on its line but blanks, a diff's `< `, `+`, a number of
 * the line, and the bracket of `[name] => X`. */
static bool begins_line(const struct redact_scan *s, size_t name)
{
    size_t least = name > NUMBER_MOST ? name - NUMBER_MOST : 0, at = name;
    at -= at && s->text[at - 1] == '[';
    while (at > least && (redact_in(s->text[at - 1], CLASS_BLANK | CLASS_DIGIT) ||
                          REDACT_ONE_OF(s->text[at - 1], "<>+-~|")))
        at--;
    return (at == 0 || s->text[at - 1] == '\n') &&
           (at == name || !redact_in(s->text[name - 1], CLASS_DIGIT));
}

/* Whether the name is none that a sentence has: of several words. */
static bool is_compound(const struct redact_scan *s, size_t name, size_t end)
{
    for (size_t i = name + 1; i < end; i++)
        if (redact_in(s->text[i], CLASS_UNDER | CLASS_DOT | CLASS_DASH) ||
            (redact_in(s->text[i], CLASS_UPPER) && redact_in(s->text[i - 1], CLASS_LOWER)))
            return true;
    return false;
}

static bool is_of_line(struct redact_scan *s, size_t name, size_t end, char sign, bool tight,
                       const struct redact_value *v, size_t to)
{
    bool label = sign == ':' && redact_is_labelled(s, name);
    if (label && (redact_is_beside_user(s, name)
                      ? redact_is_exclaimed(s, v->from, to) && !redact_has_signs(s, v->from, to)
                      : redact_is_stated(s, v->from, to) && !redact_is_expression(s, v->from, to)))
        return true;
    if (name >= 7 && redact_at(s, name - 7, "--conf ") && redact_char(s, to) == ' ')
        return redact_is_stated(s, v->from, to);
    if (tight && begins_line(s, name) && is_pair(s, name, end, v->from, to))
        return true;
    if (!redact_is_quoted(s, v->from, to) || redact_is_expression(s, v->from, to))
        return false;
    if (tight)
        return begins_line(s, name) && is_no_command(s, v);
    return (redact_is_statement(s, name) || begins_line(s, name)) &&
           (sign == '=' || is_compound(s, name, end) || redact_has_digit(s, v->from, to));
}

/* `spring.datasource.password=Sea,Shell:By\=Shore`: nothing else is set in the line. */
static bool is_of_properties(struct redact_scan *s, size_t name, size_t end,
                             const struct redact_value *v, size_t to)
{
    if (!memchr(s->text + name, '.', end - name) || memchr(s->text + v->from, ' ', to - v->from) ||
        !begins_line(s, name))
        return false;
    for (size_t i = v->end; i < to; i++)
        if (s->text[i] == '=' && s->text[i - 1] != '\\')
            return false;
    return true;
}

bool redact_in_cell(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t to = redact_text_end(s, end + 1);
    if (redact_tells(s, at, end - at) != TELLS_ALL || (at && s->text[at - 1] != '\n') ||
        !is_compound(s, at, end) || to <= end + 1 || to - end > SCALAR_MOST ||
        !redact_is_quoted(s, end + 1, to) || redact_is_expression(s, end + 1, to) ||
        redact_names_text(s, at, end))
        return false;
    *ret_match = (struct redact_match){end + 1, to, "value"};
    return true;
}

/* Whether a list opened in front of the name whose member it may be. */
static bool is_in_list(const struct redact_scan *s, size_t name)
{
    char before = name > 1 ? s->text[name - 1] : '\n';
    size_t front;
    if (!(before == ';' || before == '{' || (before == ' ' && s->text[name - 2] == ',')))
        return false; /* most */
    front = redact_line_start(s, name, FRONT_MOST);
    return memchr(s->text + front, before == ';' ? '"' : '{', name - front) != NULL ||
           (before == ';' && memchr(s->text + front, '\'', name - front)) ||
           (before == ';' && memmem(s->text + front, name - front, "jdbc:", 5));
}

/* Where the list's member ends: at its sign in front of another name, or where the list closes. 0
 * for none. */
static size_t member_end(struct redact_scan *s, char before, size_t from)
{
    size_t line = redact_line_end(s, from), at = from;
    char close = before == ';' ? '"' : '}';
    line = line - from > SCALAR_MOST ? from + SCALAR_MOST : line;
    for (; at < line && s->text[at] != close; at++) {
        if (before == ';' && s->text[at] == ';')
            return at;
        if (before != ';' && redact_at(s, at, ", ") &&
            REDACT_ONE_OF(redact_char(s, redact_run(s, at + 2, CLASS_NAME)), "=:"))
            return at;
    }
    return at < line ? at : 0;
}

/* Between a connection string's signs are braces and words no program's: `Pwd=a{b}c in d;`. */
static bool is_code_in(const struct redact_scan *s, char before, size_t from, size_t to)
{
    if (before != ';')
        return redact_is_expression(s, from, to);
    for (size_t i = from; i < to; i++)
        if (REDACT_ONE_OF(s->text[i], "()[]<>\"`|=$"))
            return true;
    return false;
}

/* Where the value ends that is the line's rest; 0 for none. */
static size_t scalar_end(struct redact_scan *s, size_t name, size_t end, char sign, bool tight,
                         const struct redact_value *v)
{
    size_t to = redact_text_end(s, v->from);
    if (to <= v->to || to - v->from > SCALAR_MOST)
        return 0;
    bool dotted = tight && s->text[v->end] != ' ';
    return (dotted && is_of_properties(s, name, end, v, to)) ||
                   is_of_line(s, name, end, sign, tight, v, to)
               ? to
               : 0;
}

bool redact_read_scalar(struct redact_scan *s, size_t name, size_t end, char sign, bool tight,
                        struct redact_value *v)
{
    char next = redact_char(s, v->end);
    if (!redact_in(next, CLASS_BLANK | CLASS_SEPARATOR) || (tight && next == '&'))
        return false; /* most */
    bool line = !tight || begins_line(s, name) || (name >= 7 && redact_at(s, name - 7, "--conf ")),
         list = (tight || sign == ':') && is_in_list(s, name);
    if (!(line || list))
        return false;
    size_t to = line ? scalar_end(s, name, end, sign, tight, v) : 0;
    if (!to && list) {
        to = member_end(s, s->text[name - 1], v->from);
        while (to > v->from && s->text[to - 1] == ' ')
            to--;
        bool is = (to > v->to || (to == v->to && s->text[name - 1] == ';')) &&
                  redact_is_quoted(s, v->from, to);
        to = is && !is_code_in(s, s->text[name - 1], v->from, to) ? to : 0;
    }
    if (!to || redact_is_placeholder(s, v->from, v->to) || redact_names_text(s, name, end))
        return false;
    v->to = v->end = to;
    return true;
}

bool redact_explicit(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    size_t line = end + REDACT_ONE_OF(redact_char(s, end), "\"'");
    size_t sign = redact_run(s, line, CLASS_SPACE);
    if (redact_char(s, line) != '\n' || !redact_at(s, sign, ": ") ||
        !redact_read_value(s, redact_run(s, sign + 1, CLASS_BLANK), false, &v))
        return false;
    return redact_take(s, redact_tells(s, at, end - at), v.from, v.to, ret_match);
}
