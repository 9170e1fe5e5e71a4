/* Secrets in the column behind their names: fish's `$NAME[1]: |X|`, Nushell's `│ NAME │ X │`,
 * `password | X` as psql writes it, `NAME:  X Y` as kubectl does. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/rules.h"

#define LEAST 3 /* bytes of a value */

#define CELL_MOST 1024
#define ROW_MOST  128

static const char bar[] = "\xe2\x94\x82"; /* │ */

static bool take(const struct redact_scan *s, size_t from, size_t to,
                 struct redact_match *ret_match)
{
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK))
        to--;
    return redact_take_word(s, from, to, LEAST, ret_match);
}

/* `[1]: |X|`, behind the name of a variable of fish's. */
static bool is_fish(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t index = redact_run(s, end + 1, CLASS_DIGIT), from = index + 4;
    if (index == end + 1 || !redact_at(s, index, "]: |"))
        return false;
    size_t line = redact_line_end(s, from);
    const char *last = line > from ? memrchr(s->text + from, '|', line - from) : NULL;
    return last && take(s, from, (size_t)(last - s->text), ret_match);
}

static bool is_upper(const struct redact_scan *s, size_t at, size_t end)
{
    for (; at < end; at++)
        if (redact_in(s->text[at], CLASS_LOWER))
            return false;
    return true;
}

/* One word with a digit in it: what a table says of a name is mostly several, or none. */
static bool is_word(struct redact_scan *s, size_t from, size_t to)
{
    return to - from >= 6 && !memchr(s->text + from, ' ', to - from) &&
           redact_has_digit(s, from, to);
}

/* The name is all that its cell holds, which is the first of its line. */
static bool is_first_cell(const struct redact_scan *s, size_t at)
{
    size_t start = redact_line_start(s, at, 16);
    for (; start < at; start++)
        if (s->text[start] != ' ' && s->text[start] != '|' && !strchr(bar, s->text[start]))
            return false;
    return true;
}

static bool is_cell(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t sign = redact_behind(s, end)->to, len = redact_at(s, sign, bar) ? 3 : 1;
    if (sign >= s->len || (len == 1 && s->text[sign] != '|') || sign == end)
        return false;
    size_t from = redact_run(s, sign + len, CLASS_BLANK), line = redact_line_end(s, from);
    size_t most = line - from < CELL_MOST ? line - from : CELL_MOST;
    if (from == sign + len || from >= line || !is_first_cell(s, at))
        return false;
    const char *next = memmem(s->text + from, most, s->text + sign, len);
    size_t to = next ? (size_t)(next - s->text) : line;
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK))
        to--;
    bool all = len == 3 && is_upper(s, at, end); /* a variable of the environment */
    return to > from && (all || is_word(s, from, to)) && take(s, from, to, ret_match);
}

/* `MAIL_PASS:  two words`, alone on its line: two blanks, as in lists that stand in columns. */
static bool is_item(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = redact_run(s, end + 1, CLASS_BLANK);
    if (from < end + 3)
        return false;
    size_t start = redact_line_start(s, at, 40), line = redact_line_end(s, from);
    if (redact_run(s, start, CLASS_BLANK) != at || !is_upper(s, at, end) ||
        !memchr(s->text + at, '_', end - at) || redact_tells(s, at, end - at) != TELLS_ALL)
        return false;
    return (redact_has_digit(s, from, line) || redact_has_sign(s, from, line)) &&
           take(s, from, line, ret_match);
}

/* `password    Quince&Medlar`, a line of two columns: a word that a sign joins. */
static bool is_row(struct redact_scan *s, size_t at, size_t from, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, from), to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    const char *sign = memchr(s->text + from, '&', to - from);
    bool joins = sign && sign > s->text + from && redact_in(sign[-1], CLASS_ALNUM) &&
                 redact_in(redact_char(s, (size_t)(sign + 1 - s->text)), CLASS_ALNUM);
    return to >= from + 6 && to - from <= ROW_MOST && redact_run(s, to, CLASS_BLANK) == line &&
           redact_run(s, redact_line_start(s, at, 16), CLASS_BLANK) == at &&
           (joins || redact_has_sign(s, from, to)) && !memchr(s->text + from, '=', to - from) &&
           !memchr(s->text + from, '/', to - from) && take(s, from, to, ret_match);
}

bool redact_column(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    const struct redact_behind *b = redact_behind(s, end);
    char next = b->next;
    if ((next == '[' && !redact_in(redact_char(s, end + 1), CLASS_DIGIT)) ||
        (next == ':' && (redact_char(s, end + 1) != ' ' || redact_char(s, end + 2) != ' ')) ||
        (next == ' ' && b->sign != '|' && b->sign != *bar && b->to < end + 2) ||
        !redact_tells(s, at, end - at))
        return false;
    return next == '['   ? is_fish(s, end, ret_match)
           : next == ' ' ? is_cell(s, at, end, ret_match) ||
                               (b->to >= end + 2 && redact_tells(s, at, end - at) == TELLS_ALL &&
                                is_row(s, at, b->to, ret_match))
                         : next == ':' && is_item(s, at, end, ret_match);
}
