/* Characters, and runs of them. */
#define _GNU_SOURCE
#include "envelope/redact/places.h"

#define COUNT_MOST 8 /* bytes of a line's number, and its colon */

#define PLAIN_MOST 128 /* bytes that are looked at for a digit at once */

/* clang-format off */
#define N CLASS_OTHER
#define U CLASS_UPPER
#define X (CLASS_UPPER | CLASS_HEX_UPPER)
#define L CLASS_LOWER
#define Y (CLASS_LOWER | CLASS_HEX_LOWER)
#define D CLASS_DIGIT
#define B CLASS_BASE64
#define S CLASS_SEPARATOR
const uint32_t redact_classes[256] = {
    N, N, N, N, N, N, N, N, N, CLASS_BLANK, CLASS_NEWLINE, N, N, CLASS_BLANK, N, N,
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    CLASS_BLANK, N, CLASS_DOUBLE, N, N, CLASS_PERCENT, S, CLASS_SINGLE,
    N, N, N, B, S, CLASS_DASH, CLASS_DOT, B,
    D, D, D, D, D, D, D, D, D, D, CLASS_COLON, S, CLASS_LESS, B, N, N,
    N, X, X, X, X, X, X, U, U, U, U, U, U, U, U, U,
    U, U, U, U, U, U, U, U, U, U, U, N, CLASS_BACKSLASH, N, N, CLASS_UNDER,
    CLASS_TICK, Y, Y, Y, Y, Y, Y, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, N, S, N, CLASS_TILDE, N,
    [128 ... 255] = N,
};
/* clang-format on */

static size_t walk(const struct redact_scan *s, size_t at, uint32_t set)
{
    while (at < s->len && redact_in(s->text[at], set))
        at++;
    return at;
}

size_t redact_long_run(struct redact_scan *s, size_t at, uint32_t set)
{
    int i = 0;
    while (i < s->run_count && s->runs[i].set != set)
        i++;
    if (i == REDACT_RUNS)
        return walk(s, at, set);
    struct redact_run *run = &s->runs[i];
    if (i == s->run_count)
        *run = (struct redact_run){.set = set}, s->run_count++;
    if (at < run->from || at >= run->to)
        *run = (struct redact_run){set, at, walk(s, at, set)};
    return run->to;
}

/* Whether one of the next eight characters is a digit: what is left of it without the bits of '0'
 * is below ten, and of eight at once no sum reaches into the next. */
static bool has_digits(const char *t)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t eight;
    memcpy(&eight, t, sizeof eight);
    eight ^= each * '0';
    return ~(eight | ((eight & each * 0x7f) + each * (0x80 - 10))) & each * 0x80;
}

size_t redact_find_digit(struct redact_scan *s, size_t at, size_t most)
{
    if (at < s->plain_from || at > s->plain_to)
        s->plain_from = s->plain_to = at;
    size_t to = s->plain_to, far = s->len - to > PLAIN_MOST ? to + PLAIN_MOST : s->len;
    far = far > most ? far : most; /* the next who asks is not far behind */
    while (to + 8 <= far && !has_digits(s->text + to))
        to += 8;
    while (to < far && !redact_in(s->text[to], CLASS_DIGIT))
        to++;
    s->plain_to = to;
    return to < most ? to : most;
}

size_t redact_find_line_end(struct redact_scan *s, size_t at)
{
    const char *feed = memchr(s->text + at, '\n', s->len - at);
    s->line_from = at;
    s->line_to = feed ? (size_t)(feed - s->text) : s->len;
    return s->line_to;
}

bool redact_holds(const struct redact_scan *s, size_t from, size_t to, const char *words,
                  size_t count, size_t size)
{
    for (; count > 0; count--, words += size)
        if (memmem(s->text + from, to - from, words, strnlen(words, size)))
            return true;
    return false;
}

size_t redact_line_start(const struct redact_scan *s, size_t at, size_t most)
{
    size_t from = at > most ? at - most : 0;
    const char *feed = memrchr(s->text + from, '\n', at - from);
    return feed ? (size_t)(feed - s->text) + 1 : from;
}

/* `\n`, `%3D`, `[0m` or `\u003d` right in front. */
static bool ends_escape(const struct redact_scan *s, size_t at)
{
    const char *t = s->text;
    if (at >= 6 && t[at - 1] != 'm' && t[at - 2] != '\\' && t[at - 3] != '%' && t[at - 4] != '\\' &&
        t[at - 6] != '\\')
        return false; /* most */
    if (at >= 2 && t[at - 2] == '\\' && REDACT_ONE_OF(t[at - 1], "nrtbf\"'/"))
        return true;
    if (at >= 3 && t[at - 3] == '%' && redact_in(t[at - 1], CLASS_HEX) &&
        redact_in(t[at - 2], CLASS_HEX))
        return true;
    if (at >= 6 && t[at - 6] == '\\' && (t[at - 5] == 'u' || t[at - 5] == 'U'))
        return true;
    if (at >= 4 && t[at - 4] == '\\' && t[at - 3] == 'x')
        return true;
    size_t from = at - 1;
    if (t[from] != 'm')
        return false;
    while (from > 0 && at - from < 24 &&
           (redact_in(t[from - 1], CLASS_DIGIT) || t[from - 1] == ';'))
        from--;
    return from > 0 && t[from - 1] == '[';
}

/* A letter that had a mark, or something unseen behind it, may end a word as well. */
static bool is_behind_fold(const struct redact_scan *s, size_t at)
{
    return s->fold && s->fold->places[at] - s->fold->places[at - 1] != 1;
}

bool redact_starts_word(const struct redact_scan *s, size_t at)
{
    return at == 0 || !redact_in(s->text[at - 1], CLASS_ALNUM | CLASS_UNDER) ||
           ends_escape(s, at) || is_behind_fold(s, at);
}

/* `1044:` where a line begins, as grep tells which one it is. */
static bool is_behind_count(const struct redact_scan *s, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && at - from < COUNT_MOST && redact_in(s->text[from - 1], CLASS_DIGIT))
        from--;
    return from < at - 1 && (from == 0 || s->text[from - 1] == '\n');
}

bool redact_leads_line(const struct redact_scan *s, size_t at)
{
    if (at > 1 && s->text[at - 1] == ':')
        return is_behind_count(s, at);
    size_t from = at;
    while (from > 0 && at - from < 40 && redact_in(s->text[from - 1], CLASS_BLANK))
        from--;
    return from == 0 || at - from == 40 || s->text[from - 1] == '\n';
}
