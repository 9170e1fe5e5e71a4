/* Secrets in lists whose columns are named once: `INSERT INTO t (id, password) VALUES (1, 'X'), (2,
 * 'Y')`, and the lines below PostgreSQL's `COPY t (id, password) FROM stdin;`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LIST_MOST  600 /* bytes of the names, in front of one and behind */
#define TABLE_MOST 100 /* of a table's name */
#define TUPLE_MOST 4096

/* What stands in a list of names. */
static bool in_list(char c)
{
    return redact_in(c, CLASS_ALNUM | CLASS_UNDER | CLASS_SPACE | CLASS_TICK | CLASS_DOUBLE) ||
           REDACT_ONE_OF(c, ",[]$");
}

/* Where the list that the name is in opens; `s->len` for none. What was walked over in vain is not
 * walked over again. */
static size_t find_open(struct redact_scan *s, size_t at)
{
    size_t least = at > LIST_MOST ? at - LIST_MOST : 0, from = at;
    least = s->table.listless > least && s->table.listless <= at ? s->table.listless : least;
    while (from > least && in_list(s->text[from - 1]))
        from--;
    if (from > least && s->text[from - 1] == '(')
        return from - 1;
    s->table.listless = at;
    return s->len;
}

/* What the name of a table tells of a column that is called `key`: `api_keys`. */
static enum redact_telling table_tells(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from && redact_in(s->text[to - 1], CLASS_TICK | CLASS_DOUBLE))
        to--;
    if (to > from + 1 && (s->text[to - 1] | 0x20) == 's')
        to--;
    size_t word = to;
    while (word > from && redact_in(s->text[word - 1], CLASS_WORD))
        word--;
    enum redact_telling tells = word < to ? redact_telling(s->text + word, to - word) : 0;
    return tells ? TELLS_LONG : TELLS_NOTHING;
}

/* `INTO t `, `COPY t ` in front of it; what t tells. */
static bool names_table(const struct redact_scan *s, size_t open, enum redact_telling *ret_tells)
{
    size_t least = open > TABLE_MOST ? open - TABLE_MOST : 0, at = open;
    while (at > least && redact_in(s->text[at - 1], CLASS_SPACE))
        at--;
    size_t name = at;
    while (at > least && (redact_in(s->text[at - 1], CLASS_NAME | CLASS_TICK | CLASS_DOUBLE) ||
                          REDACT_ONE_OF(s->text[at - 1], "[]")))
        at--;
    if (at == name || at == least)
        return false;
    *ret_tells = table_tells(s, at, name);
    while (at > least && redact_in(s->text[at - 1], CLASS_SPACE))
        at--;
    return at >= least + 4 && (redact_at(s, at - 4, "into") || redact_at(s, at - 4, "copy"));
}

/* The word VALUES behind what may stand in front of it: `OUTPUT inserted.id`. */
static size_t find_values(const struct redact_scan *s, size_t at)
{
    size_t most = s->len - at < LIST_MOST ? s->len : at + LIST_MOST;
    while (at < most && s->text[at] != ';' &&
           !(redact_in(s->text[at], CLASS_SPACE) && redact_at(s, at + 1, "values") &&
             !redact_in(redact_char(s, at + 7), CLASS_NAME)))
        at++;
    return at + 1;
}

/* Where the rows begin, and what they are: ( or a tabulator; 0 for none. */
static char find_rows(struct redact_scan *s, size_t end, size_t *ret_row)
{
    size_t most = s->len - end < LIST_MOST ? s->len : end + LIST_MOST, at = end;
    while (at < most && in_list(s->text[at]))
        at++;
    if (at >= most || s->text[at] != ')')
        return 0;
    at = redact_run(s, at + 1, CLASS_SPACE);
    if (redact_at(s, at, "overriding") || redact_at(s, at, "output"))
        at = find_values(s, at);
    if (redact_at(s, at, "values")) {
        *ret_row = redact_run(s, at + 6, CLASS_SPACE);
        return redact_char(s, *ret_row) == '(' ? '(' : 0;
    }
    *ret_row = redact_line_end(s, at) + 1;
    return redact_at(s, at, "from stdin") && *ret_row < s->len ? '\t' : 0;
}

bool redact_list_heading(struct redact_scan *s, size_t at, size_t end)
{
    struct redact_table *t = &s->table;
    char before = at ? s->text[at - 1] : 0;
    if (!(redact_in(before, CLASS_SPACE | CLASS_TICK | CLASS_DOUBLE) ||
          REDACT_ONE_OF(before, "(,[")))
        return false;
    size_t open = find_open(s, at), row;
    enum redact_telling tells = redact_tells(s, at, end - at), table;
    if (open == s->len || !names_table(s, open, &table))
        return false;
    if (!tells && redact_is_of_phrase(s, at, end))
        tells = table;
    if (!tells)
        return false;
    char sign = find_rows(s, end, &row);
    if (!sign || row < t->tupleless)
        return false;
    if (t->heading != open + 1 || t->sign != sign)
        t->count = 0;
    t->heading = open + 1;
    t->sign = sign;
    t->rows = 0;
    t->row = row;
    int place = 0;
    for (size_t i = open; i < at; i++)
        place += s->text[i] == ',';
    if (t->count < REDACT_COLUMNS)
        t->columns[t->count++] = (struct redact_column){.place = place, .tells = (int)tells};
    return true;
}

/* ---- rows ---- */

/* The end of the text in quotes at `at`, its last quote; a doubled one, or one behind a backslash
 * that does not end the value, is part of it. */
static size_t quoted_end(const struct redact_scan *s, size_t at, size_t most)
{
    char quote = s->text[at];
    for (at++; at < most; at++) {
        if (s->text[at] == '\\' && at + 2 < most &&
            !(s->text[at + 1] == quote && REDACT_ONE_OF(s->text[at + 2], ",)")))
            at++;
        else if (s->text[at] == quote && redact_char(s, at + 1) != quote)
            return at;
        else if (s->text[at] == quote)
            at++;
    }
    return most;
}

/* Where a tuple's value ends: its comma, or the tuple's parenthesis. */
static size_t value_end(const struct redact_scan *s, size_t at, size_t most)
{
    int depth = 0;
    for (; at < most; at++) {
        char c = s->text[at];
        if (c == '\'' || c == '"')
            at = quoted_end(s, at, most);
        else if (c == '(')
            depth++;
        else if ((c == ')' || c == ',') && !depth)
            break;
        else if (c == ')')
            depth--;
    }
    return at < most ? at : most;
}

static bool is_enough(struct redact_scan *s, int tells, size_t from, size_t to)
{
    size_t digits = 0, letters = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
    }
    if (to < from + 4 || redact_is_placeholder(s, from, to))
        return false;
    return tells == TELLS_ALL    ? digits != to - from || digits >= 6
           : tells == TELLS_CODE ? to - from >= 8 && digits && letters
                                 : to - from >= 16 && digits >= 2 && letters >= 2;
}

/* The value is a text, or a call's of one: N'X', crypt('X', ...). */
static bool is_in_tuple(struct redact_scan *s, int tells, size_t from, size_t to,
                        struct redact_match *ret_match)
{
    size_t open = redact_run(s, from, CLASS_NAME);
    open += redact_char(s, open) == '(';
    if (open >= to || !REDACT_ONE_OF(s->text[open], "'\""))
        return false;
    size_t close = quoted_end(s, open, to);
    if (close >= to || !is_enough(s, tells, open + 1, close))
        return false;
    *ret_match = (struct redact_match){open + 1, close, "value"};
    return true;
}

int redact_tuple(struct redact_scan *s, struct redact_match ret_match[REDACT_COLUMNS])
{
    struct redact_table *t = &s->table;
    size_t most = s->len - t->row < TUPLE_MOST ? s->len : t->row + TUPLE_MOST, at = t->row + 1;
    int found = 0;
    for (int place = 0;; place++) {
        at = redact_run(s, at, CLASS_SPACE);
        size_t end = at < most ? value_end(s, at, most) : most;
        if (end >= most) {
            t->count = 0;
            t->tupleless = most;
            return found;
        }
        for (int i = 0; i < t->count; i++)
            if (t->columns[i].place == place && found < REDACT_COLUMNS)
                found += is_in_tuple(s, t->columns[i].tells, at, end, &ret_match[found]);
        at = end + 1;
        if (s->text[end] == ')')
            break;
    }
    at = redact_run(s, at, CLASS_SPACE);
    bool more = redact_char(s, at) == ',';
    at = redact_run(s, at + more, CLASS_SPACE);
    if (!more || redact_char(s, at) != '(')
        t->count = 0;
    t->row = at;
    return found;
}
