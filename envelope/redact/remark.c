/* Comments that say what the text in quotes of their line is: `if (x == "X") { // admin password`,
 * `input text 'X'  # password field`; what brackets behind a word say of it: `X (password of kim)`.
 */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define LITERAL_MOST 80
#define CLOSES_MOST  16 /* between the quote and the comment */
#define TOLD_LEAST   10 /* bytes of a password that brackets tell of */
#define WORD_LEAST   8  /* letters of a word that a command is given */

/* Where the sign of a comment begins whose words lead to `at`; 0 for none. */
static size_t sign_of(const struct redact_scan *s, size_t at)
{
    size_t i = at, least = at > REDACT_REMARK_MOST ? at - REDACT_REMARK_MOST : 0;
    while (i > least && redact_in(s->text[i - 1], CLASS_ALNUM | CLASS_BLANK))
        i--;
    if (i == least || i == at || i < 2)
        return 0; /* most */
    if (i > 4 && redact_at(s, i - 4, "<!--"))
        return i - 4;
    if (s->text[i - 1] == '#')
        return i - 1;
    bool two = (s->text[i - 1] == '/' && s->text[i - 2] == '/') ||
               (s->text[i - 1] == '*' && s->text[i - 2] == '/') ||
               (s->text[i - 1] == '-' && s->text[i - 2] == '-');
    return two ? i - 2 : 0;
}

/* Whether the comment ends a word or two behind the name. */
static bool ends_soon(struct redact_scan *s, size_t end)
{
    size_t to = end, most = end + REDACT_REMARK_MOST;
    while (to < s->len && to < most && redact_in(s->text[to], CLASS_ALNUM | CLASS_BLANK))
        to++;
    return REDACT_ONE_OF(redact_char(s, to), "\n\r") || redact_at(s, to, "*/") ||
           redact_at(s, to, "-->");
}

static bool is_value(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    size_t line = redact_line_start(s, from, 2 * (size_t)LITERAL_MOST);
    if (to < from + 6 || memchr(s->text + from, ' ', to - from) ||
        redact_is_placeholder(s, from, to) || redact_is_path(s, from, to) ||
        redact_tells(s, from, to - from) || redact_is_remark(s, from, to))
        return false;
    return redact_strength(s, &v) > REDACT_WEAK || redact_is_wordy(s, from, to) ||
           redact_is_camel(s, from, to) ||
           (to >= from + WORD_LEAST && redact_run(s, from, CLASS_LOWER) == to &&
            redact_begins_prompt(s, line));
}

/* `<Value>X</Value>`, which ends at `close`. */
static bool is_element(struct redact_scan *s, size_t close, struct redact_match *ret)
{
    size_t least = close > LITERAL_MOST ? close - LITERAL_MOST : 0, to = close;
    while (to > least && s->text[to - 1] != '<')
        to--;
    if (to <= least + 1 || s->text[to] != '/')
        return false;
    size_t from = --to;
    while (from > least && !REDACT_ONE_OF(s->text[from - 1], ">\n"))
        from--;
    *ret = (struct redact_match){from, to, "value"};
    return from > least && s->text[from - 1] == '>' &&
           (is_value(s, from, to) ||
            (to >= from + 6 && redact_run(s, from, CLASS_UPPER | CLASS_LOWER) == to &&
             !redact_is_placeholder(s, from, to)));
}

/* Whether the bracket that the name is in says nothing but whose it is, and ends its line:
 * `(password of elastic)`, `(API key)`. */
static bool closes_line(struct redact_scan *s, size_t end)
{
    size_t line = redact_line_end(s, end), most = end + REDACT_REMARK_MOST, close = end;
    if (!redact_at(s, end, ")") && !redact_at(s, end, " of ") && !redact_at(s, end, " for "))
        return false;
    while (close < line && close < most && s->text[close] != ')')
        close++;
    return redact_char(s, close) == ')' && redact_run(s, close + 1, CLASS_BLANK) >= line;
}

bool redact_told_behind(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    size_t open = at - 1, least = at > LITERAL_MOST ? at - LITERAL_MOST : 0;
    while (open > least && redact_in(s->text[open], CLASS_ALNUM | CLASS_BLANK))
        open--;
    size_t to = open, from;
    if (open <= least + 1 || s->text[open] != '(' || s->text[open - 1] != ' ' ||
        !closes_line(s, end))
        return false; /* most */
    while (to > least && s->text[to - 1] == ' ')
        to--;
    for (from = to; from > least && !redact_in(s->text[from - 1], CLASS_SPACE);)
        from--;
    struct redact_reached v = {.from = from, .to = to};
    *ret_match = (struct redact_match){from, to, "value"};
    enum redact_strength strength =
        redact_tells(s, at, end - at) == TELLS_ALL && to >= from + TOLD_LEAST ? REDACT_MIXED
                                                                              : REDACT_RANDOM;
    return from > least && is_value(s, from, to) && redact_strength(s, &v) >= strength &&
           redact_run(s, from, CLASS_HEX) < to;
}

bool redact_remark(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t sign = sign_of(s, at), close = sign, least;
    if (!sign || !ends_soon(s, end))
        return false; /* most */
    for (least = sign > CLOSES_MOST ? sign - CLOSES_MOST : 0;
         close > least && REDACT_ONE_OF(s->text[close - 1], " \t;,(){}]:");)
        close--;
    if (close > 2 && s->text[close - 1] == '>' && s->text[sign] == '<')
        return is_element(s, close, ret_match);
    if (close < 2 || !REDACT_ONE_OF(s->text[close - 1], "\"'`"))
        return false;
    size_t to = close - 1, from = to;
    for (least = to > LITERAL_MOST ? to - LITERAL_MOST : 0;
         from > least && s->text[from - 1] != s->text[to] && s->text[from - 1] != '\n';)
        from--;
    if (from == least || s->text[from - 1] == '\n' || !is_value(s, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}
