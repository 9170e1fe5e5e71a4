/* What a cluster's object keeps whose kind says that it is a secret: whatever is below `data:` or
 * `stringData:`, by whatever name, where `kind: Secret` stands at the same depth, in front or
 * behind. Of one line of JSON, where that is the only kind in it. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINES_MOST 64   /* from the name to the kind, each way */
#define LINE_MOST  4096 /* bytes of a line */
#define DEEP_MOST  16   /* blanks in front of the name */
#define BLOCK_MOST 8192 /* of all members */

/* A line: where its text begins, and in which column, behind a list's dash. */
struct line {
    size_t from, text, end;
    bool item;
};

static struct line line_at(struct redact_scan *s, size_t from)
{
    struct line l = {.from = from, .text = redact_run(s, from, CLASS_BLANK)};
    l.end = redact_line_end(s, from);
    l.item = redact_at(s, l.text, "- ");
    l.text += l.item ? 2 : 0;
    return l;
}

/* Behind the name and its sign, if the name stands at `at`, in quotes or not; 0 otherwise. */
static size_t behind_name(struct redact_scan *s, size_t at, const char *name)
{
    bool quoted = redact_char(s, at) == '"';
    size_t end = at + quoted + strlen(name);
    if (!redact_at(s, at + quoted, name) || (quoted && redact_char(s, end) != '"') ||
        redact_char(s, end + quoted) != ':')
        return 0;
    return redact_run(s, end + quoted + 1, CLASS_BLANK);
}

static bool is_secret_kind(const struct redact_scan *s, size_t value)
{
    value += redact_in(redact_char(s, value), CLASS_DOUBLE | CLASS_SINGLE);
    return s->len - value >= 6 && !memcmp(s->text + value, "Secret", 6) &&
           !redact_in(redact_char(s, value + 6), CLASS_WORD);
}

/* Whether the line ends the search for a kind, at the depth `column`, of which `name` is at hand;
 * with it whether it is one of a secret. */
static bool ends_search(struct redact_scan *s, const struct line *l, size_t column,
                        const char *name, bool *ret_is)
{
    if (l->text == l->end || l->text - l->from > column)
        return false;
    if (l->text - l->from < column || redact_at(s, l->text, "---") || behind_name(s, l->text, name))
        return true;
    size_t kind = behind_name(s, l->text, "kind");
    *ret_is = kind && is_secret_kind(s, kind);
    return kind != 0;
}

/* Whether the object is a secret of which `name` is a member on the line `own`. */
static bool is_of_secret(struct redact_scan *s, const struct line *own, const char *name)
{
    size_t column = own->text - own->from, at = own->end + 1;
    bool is = false, ends = own->item;
    struct line l = *own;
    for (int i = 0; i < LINES_MOST && !ends && l.from > 0; i++) {
        l = line_at(s, redact_line_start(s, l.from - 1, LINE_MOST));
        ends = (l.from && s->text[l.from - 1] != '\n') || ends_search(s, &l, column, name, &is) ||
               (l.item && l.text - l.from <= column);
    }
    for (int i = 0; i < LINES_MOST && !is && at < s->len; i++, at = l.end + 1) {
        l = line_at(s, at);
        if ((l.item && l.text - l.from <= column) || ends_search(s, &l, column, name, &is))
            break;
    }
    return is;
}

/* The same of an object that is one line, which is looked through once. */
static bool is_of_one_line(struct redact_scan *s, size_t at)
{
    static const char name[] = "\"kind\":";
    size_t len = strlen(name), from = redact_line_start(s, at, LINE_MOST);
    size_t end = redact_line_end(s, at);
    if (s->kind_line == from + 1)
        return s->kind_is;
    s->kind_line = from + 1;
    s->kind_is = false;
    if ((from && s->text[from - 1] != '\n') || end - from > LINE_MOST)
        return false;
    const char *kind = memmem(s->text + from, end - from, name, len);
    if (!kind)
        return false;
    size_t value = (size_t)(kind - s->text) + len;
    s->kind_is = is_secret_kind(s, redact_run(s, value, CLASS_BLANK)) &&
                 !memmem(s->text + value, end - value, name, len);
    return s->kind_is;
}

/* Names of what is no secret in one: whose it is, and where. */
static bool is_other_name(const struct redact_scan *s, size_t from, size_t to)
{
    static const char ends[][10] = {"user", "username", "namespace", "host", "hostname",
                                    "port", "dbname",   "database",  ".crt", ".pub"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strnlen(ends[i], sizeof *ends);
        if (to - from >= len && redact_at(s, to - len, ends[i]))
            return true;
    }
    return false;
}

struct members {
    struct redact_match *list;
    int count;
};

static void add(struct redact_scan *s, struct members *m, size_t from, size_t to)
{
    while (to > from && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    if (to > from && m->count < REDACT_ITEMS && !redact_is_placeholder(s, from, to) &&
        !redact_at(s, from, "{{"))
        m->list[m->count++] = (struct redact_match){from, to, "value"};
}

/* Behind a text in the lines below `value`, which are deeper than `column`: `|`, `>-`. */
static size_t block_end(struct redact_scan *s, size_t end, size_t column, size_t most)
{
    while (end + 1 < most) {
        size_t text = redact_run(s, end + 1, CLASS_BLANK);
        if (text - end - 1 <= column && redact_char(s, text) != '\n')
            break;
        end = redact_line_end(s, text < s->len ? text : s->len);
    }
    return end < s->len ? end : s->len;
}

static void read_lines(struct redact_scan *s, size_t at, size_t column, struct members *m)
{
    size_t most = s->len - at > BLOCK_MOST ? at + BLOCK_MOST : s->len, deep = 0;
    while (at < most) {
        struct redact_value v;
        size_t text = redact_run(s, at, CLASS_BLANK), end = redact_line_end(s, text);
        size_t name = redact_run(s, text, CLASS_NAME), value = redact_run(s, name + 1, CLASS_BLANK);
        if (text - at <= column || (deep && text - at != deep) || name == text ||
            redact_char(s, name) != ':')
            return;
        deep = text - at;
        bool block = REDACT_ONE_OF(redact_char(s, value), "|>");
        size_t from = block ? redact_run(s, end + 1, CLASS_BLANK) : value;
        end = block ? block_end(s, end, deep, most) : end;
        if (!is_other_name(s, text, name)) {
            bool quoted = redact_in(redact_char(s, from), CLASS_DOUBLE | CLASS_SINGLE) &&
                          redact_read_value(s, from, false, &v) && v.quote;
            add(s, m, quoted ? v.from : from, quoted ? v.to : end);
        }
        at = end + 1;
    }
}

/* `"a": "X", "b": "Y" }`. */
static void read_object(struct redact_scan *s, size_t at, struct members *m)
{
    size_t most = s->len - at > BLOCK_MOST ? at + BLOCK_MOST : s->len;
    for (;;) {
        size_t open = redact_run(s, at, CLASS_SPACE), name, value;
        name = redact_run(s, open + 1, CLASS_NAME);
        if (open >= most || s->text[open] != '"' || !redact_at(s, name, "\":"))
            return;
        value = redact_run(s, name + 2, CLASS_BLANK) + 1;
        if (redact_char(s, value - 1) != '"')
            return;
        size_t end = value;
        while (end < most && s->text[end] != '"' && s->text[end] != '\n')
            end += s->text[end] == '\\' ? 2 : 1;
        if (end >= most || s->text[end] != '"')
            return;
        if (!is_other_name(s, open + 1, name))
            add(s, m, value, end);
        if (redact_char(s, end + 1) != ',')
            return;
        at = end + 2;
    }
}

int redact_manifest(struct redact_scan *s, size_t at, size_t end,
                    struct redact_match ret_items[REDACT_ITEMS])
{
    const char *name = end - at == 4 ? "data" : "stringData";
    bool quoted = at && s->text[at - 1] == '"' && redact_char(s, end) == '"';
    size_t first = at - quoted, value = behind_name(s, first, name);
    struct line own = line_at(s, redact_line_start(s, first, LINE_MOST));
    struct members m = {.list = ret_items};
    if (!value || (redact_char(s, value) != '{' && value != own.end))
        return 0; /* most */
    bool lines = own.text == first && first - own.from <= DEEP_MOST;
    if (redact_char(s, value) == '{') {
        if (lines ? is_of_secret(s, &own, name) : is_of_one_line(s, at))
            read_object(s, value + 1, &m);
    } else if (lines && is_of_secret(s, &own, name)) {
        read_lines(s, own.end + 1, own.text - own.from, &m);
    }
    return m.count;
}
