/* What stands between two parts of one word that a program took apart to show it: the frames of a
 * recording, the calls that strace shows one by one; and what JSON and C write instead of a
 * character. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/seam.h"

#define NUMBER_MOST 24  /* bytes of when a frame was, */
#define CALL_MOST   64  /* and of how a call is told that goes on; of its length and flags */
#define ROW_LEAST   8   /* escapes in a row that are a token, not a byte of a program's */
#define FEED_BACK   120 /* bytes of a call's end in front of its line's */

#define CLASS_JOINED (CLASS_NAME | CLASS_BASE64)

static size_t skip(const char *text, size_t len, size_t at, uint32_t set, size_t most)
{
    size_t end = len - at > most ? at + most : len;
    while (at < end && redact_in(text[at], set))
        at++;
    return at;
}

/* `"]`, a line's end, `[0.431, "o", "`, as asciinema keeps what it shows: behind it. */
static size_t skip_frame(const char *text, size_t len, size_t at)
{
    char kind = 0;
    size_t i = at + 2;
    i += i < len && text[i] == '\r';
    if (i + 2 >= len || text[i] != '\n' || text[i + 1] != '[')
        return 0;
    i = skip(text, len, i + 2, CLASS_DIGIT | CLASS_DOT | CLASS_BLANK, NUMBER_MOST);
    if (i >= len || text[i] != ',')
        return 0;
    i = skip(text, len, i + 1, CLASS_BLANK, 2);
    if (len - i > 4 && text[i] == '"' && text[i + 2] == '"' && text[i + 3] == ',')
        kind = text[i + 1];
    if (kind != 'o' && kind != 'i')
        return 0;
    i = skip(text, len, i + 4, CLASS_BLANK, 2);
    return i + 1 < len && text[i] == '"' ? i + 1 : 0;
}

/* The name of the call of which the line that begins at `at` tells, behind who called and when:
 * `[pid 812] 11:02:44.018 write(`; where its bracket is. 0 for none. */
static size_t call_at(const char *text, size_t len, size_t at, size_t *ret_name)
{
    size_t most = len - at > CALL_MOST ? at + CALL_MOST : len, name = at;
    for (; at < most && text[at] != '('; at++) {
        if (text[at] == '\n' || text[at] == '"')
            return 0;
        if (!redact_in(text[at], CLASS_LOWER | CLASS_DIGIT))
            name = at + 1;
    }
    *ret_name = name;
    return at < most && at > name + 3 ? at : 0;
}

/* `", 25) = 25`, a line's end, `write(1, "`: the same call on the same file goes on; behind it. */
static size_t skip_call(const char *text, size_t len, size_t at)
{
    size_t most = len - at > CALL_MOST ? at + CALL_MOST : len, line = at, name = 0, next = 0;
    while (line < most && text[line] != '\n')
        line++;
    const char *close = memchr(text + at, ')', line - at);
    if (line == most || !close || !memmem(close, (size_t)(text + line - close), "= ", 2))
        return 0;
    size_t from = at > FEED_BACK ? at - FEED_BACK : 0;
    const char *feed = memrchr(text + from, '\n', at - from);
    size_t start = feed ? (size_t)(feed - text) + 1 : from;
    size_t open = call_at(text, at, start, &name), goes = call_at(text, len, line + 1, &next);
    const char *quote = open ? memchr(text + open, '"', at - open) : NULL;
    size_t call = quote ? (size_t)(quote - text) + 1 - name : 0;
    if (!call || !goes || call > CALL_MOST || len - next <= call ||
        memcmp(text + name, text + next, call) != 0)
        return 0;
    return next + call;
}

/* Whether a word ends in front of `at` that another character would go on. */
static bool is_in_word(const char *text, size_t at, char next)
{
    return redact_in(text[at - 1], CLASS_JOINED) && redact_in(next, CLASS_JOINED) &&
           !(at > 1 && text[at - 2] == '\\');
}

size_t redact_seam(const char *text, size_t len, size_t at)
{
    if (!at || at + 12 > len)
        return 0;
    size_t to = text[at + 1] == ']'   ? skip_frame(text, len, at)
                : text[at + 1] == ',' ? skip_call(text, len, at)
                                      : 0;
    return to && to < len && is_in_word(text, at, text[to]) ? to - at : 0;
}

size_t redact_find_seam_over(const char *text, size_t len, size_t at)
{
    if (text[at] == ']')
        return redact_seam(text, len, at - 1);
    size_t from = at > CALL_MOST ? at - CALL_MOST : 0;
    const char *quote = memrchr(text + from, '"', at - from);
    if (!quote || quote[1] != ',' || !memchr(quote, ')', (size_t)(text + at - quote)))
        return 0;
    return redact_seam(text, len, (size_t)(quote - text));
}

/* ---- escapes ---- */

static int hex_of(char c)
{
    return redact_in(c, CLASS_DIGIT) ? c - '0'
           : redact_in(c, CLASS_HEX) ? (c | 0x20) - 'a' + 10
                                     : -1;
}

/* What may be written otherwise: a token's own characters, and a sign that sets a name. */
static bool is_joined(char c)
{
    return redact_in(c, CLASS_JOINED | CLASS_COLON) || c == '@';
}

/* Whether such an escape of `len` bytes is all that stands at `t`; which character it is. */
static bool is_escape(const char *t, size_t len, char *ret)
{
    int high = hex_of(t[len - 2]), low = hex_of(t[len - 1]);
    *ret = (char)((high & 15) << 4 | (low & 15));
    return *t == '\\' && t[1] == (len == 6 ? 'u' : 'x') && high >= 0 && low >= 0 &&
           (len == 4 || (t[2] == '0' && t[3] == '0')) && is_joined(*ret);
}

/* Whether it is one of so many in a row that all are a token's: not a few bytes of a program. */
static bool is_in_row(const char *text, size_t len, size_t at, size_t size)
{
    size_t count = 1;
    char c;
    for (size_t i = at; count < ROW_LEAST && i >= size && is_escape(text + i - size, size, &c);
         i -= size)
        count++;
    for (size_t i = at + size;
         count < ROW_LEAST && len - i >= size && is_escape(text + i, size, &c); i += size)
        count++;
    return count == ROW_LEAST;
}

/* `%5F` in a word's midst, which no address need write so. */
static size_t percent(const char *t, size_t left, char *ret)
{
    int high = left > 3 ? hex_of(t[1]) : -1, low = left > 3 ? hex_of(t[2]) : -1;
    if (high < 0 || low < 0)
        return 0;
    char c = (char)(high << 4 | low);
    bool is = redact_in(c, CLASS_UNDER | CLASS_DASH | CLASS_DOT) && redact_in(t[-1], CLASS_ALNUM) &&
              redact_in(t[3], CLASS_ALNUM);
    if (is)
        *ret = c;
    return is ? 3 : 0;
}

/* Whether what is written so stands around a name or a value, and not within one. */
static bool is_around(const char *text, size_t at, char next)
{
    char last = text[at - 1] == ' ' && at > 1 ? text[at - 2] : text[at - 1];
    return REDACT_ONE_OF(last, ":={[,(") || REDACT_ONE_OF(next, ":=}],;)<");
}

/* A quote as XML and HTML write it, also written so once more. */
static size_t entity(const char *text, size_t len, size_t at, char *ret)
{
    static const struct {
        char name[10], is;
    } quotes[] = {{"quot;", '"'},  {"#34;", '"'},  {"#x22;", '"'}, {"amp;quot;", '"'},
                  {"apos;", '\''}, {"#39;", '\''}, {"#x27;", '\''}};
    const char *t = text + at;
    size_t left = len - at;
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        size_t name = strlen(quotes[i].name);
        if (left <= name || t[1] != *quotes[i].name || memcmp(t + 1, quotes[i].name, name) != 0)
            continue;
        if (!is_around(text, at, left > name + 1 ? t[name + 1] : '\n'))
            return 0;
        *ret = quotes[i].is;
        return name + 1;
    }
    return 0;
}

size_t redact_escape(const char *text, size_t len, size_t at, char *ret)
{
    const char *t = text + at;
    size_t left = len - at;
    if (!at || left < 3)
        return 0;
    if (*t == '%')
        return percent(t, left, ret);
    if (*t == '&')
        return entity(text, len, at, ret);
    if (t[1] == '/') {
        bool is = (redact_in(t[-1], CLASS_ALNUM | CLASS_COLON) ||
                   (t[-1] == '/' && at > 1 && t[-2] == '\\')) &&
                  (redact_in(t[2], CLASS_ALNUM) || (t[2] == '\\' && left > 3 && t[3] == '/'));
        if (is)
            *ret = '/';
        return is ? 2 : 0;
    }
    size_t size = t[1] == 'u' ? 6 : t[1] == 'x' ? 4 : 0;
    char c;
    if (!size || left < size || t[-1] == '\\' || !is_escape(t, size, &c))
        return 0;
    char next = left > size ? t[size] : '\n';
    bool is = (redact_in(t[-1], CLASS_ALNUM) && redact_in(next, CLASS_ALNUM)) ||
              ((next == '\\' || redact_in(t[-1], CLASS_HEX)) && is_in_row(text, len, at, size));
    if (is)
        *ret = c;
    return is ? size : 0;
}

/* Whether one stands behind such a sign. */
static inline bool has_behind(const char *text, size_t len, char sign, char first, char second,
                              char third)
{
    char c;
    for (size_t at = 0; at < len; at++) {
        const char *found = text[at] == sign ? text + at : memchr(text + at, sign, len - at);
        if (!found)
            return false;
        at = (size_t)(found - text);
        char next = at + 2 < len ? found[1] : 0;
        if ((next == first || next == second || next == third) && redact_escape(text, len, at, &c))
            return true;
    }
    return false;
}

bool redact_has_escape(const char *text, size_t len)
{
    return has_behind(text, len, '\\', '/', 'u', 'x') ||
           has_behind(text, len, '%', '2', '5', '5') || has_behind(text, len, '&', 'q', '#', 'a');
}
