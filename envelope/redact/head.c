/* Whether a line heads a table: nothing like it is above, and what its cells hold are words. A row
 * in the midst, one of whose cells tells (a package that is called as a password tool is), heads
 * nothing; nor does the first row of a table without a heading: it has numbers and versions. */
#include <string.h>

#include "envelope/redact/places.h"

#define LINE_MOST 1000 /* bytes that are looked at, of either line */
#define CELL_MOST 48   /* of a heading */

/* Whether the sign stands at `at`; of blanks two do where a word ends. */
static bool is_sign(const struct redact_scan *s, size_t at, size_t to, char sign)
{
    char c = s->text[at];
    if (sign == ' ')
        return c == ' ' && at + 1 < to && s->text[at + 1] == ' ' && at && s->text[at - 1] != ' ' &&
               s->text[at - 1] != '\n';
    if (sign == 'R')
        return c == '\t' && at && s->text[at - 1] != '\t';
    if (sign == ',')
        return c == ',' && !(at + 1 < to && s->text[at + 1] == ' ');
    return sign == '|' ? redact_is_bar(s, at) : c == sign;
}

static int count(const struct redact_scan *s, size_t from, size_t to, char sign)
{
    int signs = 0;
    for (size_t i = from; i < to; i++)
        signs += is_sign(s, i, to, sign);
    return signs;
}

/* A line that parts rows, or what a shell was told: no row. */
static bool is_no_row(const struct redact_scan *s, size_t from, size_t to)
{
    bool rule = true;
    for (size_t i = from; i < to; i++) {
        if (s->text[i] == '$' && i + 1 < to && s->text[i + 1] == ' ')
            return true;
        rule = rule && (!redact_in(s->text[i], CLASS_ALNUM) || (s->text[i] & 0x80));
    }
    return rule || redact_at(s, from, "> ") || redact_at(s, from, "# ");
}

/* `+-----+`, `|---|`: what parts a heading from its rows. */
static bool is_rule(const struct redact_scan *s, size_t from, size_t to)
{
    return from < to && (REDACT_ONE_OF(s->text[from], "+-=|") || (s->text[from] & 0x80)) &&
           is_no_row(s, from, to) && s->text[to - 1] != ' ';
}

/* No row of as many cells is above, nor over the rule that is. */
static bool is_first(const struct redact_scan *s, size_t line, size_t end, char sign)
{
    size_t below = line;
    for (int rules = 0; below; rules++) {
        size_t above = redact_line_start(s, below - 1, LINE_MOST);
        if (above && s->text[above - 1] != '\n')
            return true; /* no line of a table is that long */
        if (rules || !is_rule(s, above, below - 1)) {
            int signs = count(s, above, below - 1, sign);
            return !signs || signs != count(s, line, end, sign) || is_no_row(s, above, below - 1);
        }
        below = above;
    }
    return true;
}

/* Whether a heading may be [from, to): it begins with a letter, and is no path, version, address.
 */
static bool may_be_cell(const struct redact_scan *s, size_t from, size_t to)
{
    while (from < to && redact_in(s->text[from], CLASS_BLANK | CLASS_DOUBLE | CLASS_TICK))
        from++;
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK | CLASS_DOUBLE | CLASS_TICK) |
                            (s->text[to - 1] == '\r'))
        to--;
    if (from == to || (to - from == 1 && s->text[from] == '#'))
        return true;
    char c = s->text[from];
    if (to - from > CELL_MOST || redact_in(c, CLASS_DIGIT) || redact_at(s, from, "true") ||
        redact_at(s, from, "false"))
        return false;
    for (size_t i = from; i < to; i++)
        if (REDACT_ONE_OF(s->text[i], "@=/\\<>{}!^~") ||
            (i > from && redact_in(s->text[i - 1], CLASS_DIGIT) && REDACT_ONE_OF(s->text[i], ".:")))
            return false;
    return true;
}

static bool are_words(const struct redact_scan *s, size_t line, size_t end, char sign)
{
    size_t from = line;
    for (size_t i = line; i < end; i++) {
        if (!is_sign(s, i, end, sign))
            continue;
        if (!may_be_cell(s, from, i))
            return false;
        from = i + (sign == '|' && s->text[i] != '|' ? 3 : 1);
    }
    return from > end || may_be_cell(s, from, end);
}

/* Whether it is a row of variables, with another below: Nushell's records have no heading. */
static bool is_variable(struct redact_scan *s, size_t line)
{
    size_t from = redact_run(s, line, CLASS_BLANK);
    if (from + 3 >= s->len || s->text[from] != '\xe2' || !redact_is_bar(s, from))
        return false;
    from = redact_run(s, from + 3, CLASS_BLANK);
    size_t to = redact_run(s, from, CLASS_UPPER | CLASS_DIGIT | CLASS_UNDER);
    return to > from && redact_char(s, to) == ' ' && memchr(s->text + from, '_', to - from);
}

static bool is_record(struct redact_scan *s, size_t line, size_t end)
{
    return is_variable(s, line) && is_variable(s, redact_line_end(s, end) + 1);
}

/* Whether the line below begins with the same cell: both are rows. */
static bool goes_on(struct redact_scan *s, size_t line, size_t end, char sign)
{
    size_t to = line, below = redact_line_end(s, end) + 1;
    while (to < end && !is_sign(s, to, end, sign))
        to++;
    size_t from = redact_run(s, line, CLASS_BLANK);
    return from < to && redact_in(s->text[from], CLASS_ALNUM) && below < s->len &&
           s->len - below > to - line && !memcmp(s->text + line, s->text + below, to - line + 1);
}

bool redact_is_head(struct redact_scan *s, size_t line, char sign)
{
    struct redact_table *t = &s->table;
    if (t->asked == line + 1 && t->asked_sign == sign)
        return t->is_head;
    size_t end = redact_line_end(s, line);
    end = end - line > LINE_MOST ? line + LINE_MOST : end;
    t->asked = line + 1;
    t->asked_sign = sign;
    t->is_head = are_words(s, line, end, sign) && is_first(s, line, end, sign) &&
                 !goes_on(s, line, end, sign) && !(sign == '|' && is_record(s, line, end));
    return t->is_head;
}
