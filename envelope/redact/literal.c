/* Literals that a program puts together: `'X' . 'Y'`, `"X" + "Y"`, `"X" .. "Y"`, `"X" & "Y"`, those
 * that C and Python join where nothing but a line's end is between them, a shell's `"X"'Y'`, and
 * the arguments and items that a call joins. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/cut.h"

#define LITERALS_MOST 32
#define LITERAL_MOST  200
#define BETWEEN_MOST  100 /* bytes between two */
#define OPENED_NEAR   40  /* bytes in front of a word in which its quote begins */
#define CALL_NEAR                                                                                  \
    120 /* bytes in front of a list, and behind, in which the call is that joins it                \
         */

#define CLASS_PART (CLASS_WORD | CLASS_BASE64 | CLASS_DOT | CLASS_TILDE)

/* Behind the sign that joins, if one stands at `sign`: of a program, or in front of a line that a
 * diff or a mail shows. */
static size_t skip_sign(struct redact_scan *s, size_t sign)
{
    if (redact_at(s, sign, "||") || redact_at(s, sign, "<>") || redact_at(s, sign, "..") ||
        redact_at(s, sign, "<<"))
        return sign + 2;
    char c = redact_char(s, sign);
    bool begins = sign && s->text[sign - 1] == '\n';
    return sign + (REDACT_ONE_OF(c, ".+&~^\\`") || (begins && REDACT_ONE_OF(c, "->#")));
}

/* Behind what joins the literal that ends at `at` with the next one, whose quote is there; 0 where
 * nothing does. */
static size_t skip_join(struct redact_scan *s, size_t at)
{
    size_t sign = redact_run(s, at, CLASS_SPACE), end = skip_sign(s, sign);
    size_t next = redact_run(s, end, CLASS_SPACE);
    /* `& _`, "++", and the line's end that PowerShell escapes */
    next +=
        redact_char(s, next) == '_' || (end > sign && REDACT_ONE_OF(redact_char(s, next), "+`"));
    next = redact_run(s, next, CLASS_SPACE);
    if (next >= s->len || next - at > BETWEEN_MOST)
        return 0;
    if (end == sign && !memchr(s->text + at, '\n', next - at))
        return redact_in(s->text[next], CLASS_DOUBLE | CLASS_SINGLE) &&
                       (next > at ? redact_in(s->text[next], CLASS_DOUBLE)
                                  : s->text[next] != s->text[at - 1])
                   ? next
                   : 0; /* C's, in a row; a shell's, without a blank */
    if (end == sign) {  /* further in than nothing: no other row */
        size_t line = redact_line_start(s, next, BETWEEN_MOST);
        if (line <= at || next < line + 2)
            return 0;
    }
    return redact_in(s->text[next], CLASS_DOUBLE | CLASS_SINGLE) ? next : 0;
}

/* Whether [from, to) is the rest of a secret: a word that holds more than small letters. */
static bool is_rest(struct redact_scan *s, size_t from, size_t to)
{
    size_t small = redact_run(s, from + 1, CLASS_LOWER | CLASS_UNDER | CLASS_DOT | CLASS_DASH);
    return to >= from + 4 && to - from <= LITERAL_MOST && small < to &&
           redact_run(s, from, CLASS_PART) == to;
}

/* Whether such a quote begins in front of `from`, or of the word there: `"Bearer X" + "Y"`. */
static bool is_opened(const struct redact_scan *s, size_t from, char quote)
{
    size_t near = from > OPENED_NEAR ? from - OPENED_NEAR : 0;
    if (from && s->text[from - 1] == ' ') {
        const char *opened = memrchr(s->text + near, quote, from - near);
        return opened && !memchr(opened, '\n', (size_t)(s->text + from - opened));
    }
    return from && s->text[from - 1] == quote;
}

size_t redact_literals(struct redact_scan *s, size_t from, size_t to)
{
    if (!REDACT_ONE_OF(redact_char(s, to + 1), " \n\t+.&~'\"") || !is_opened(s, from, s->text[to]))
        return to; /* most */
    for (int i = 0; i < LITERALS_MOST; i++) {
        size_t next = skip_join(s, to + 1);
        if (!next)
            break;
        size_t end = redact_run(s, next + 1, CLASS_PART);
        char behind = redact_char(s, redact_run(s, end + 1, CLASS_BLANK));
        bool row = next > to + 1 && redact_run(s, to + 1, CLASS_BLANK) == next;
        if (row && behind != ';' && behind != ')' && behind != '"')
            break;
        if (redact_char(s, end) != s->text[next] || !is_rest(s, next + 1, end) ||
            REDACT_ONE_OF(behind, ":="))
            break;
        to = end;
    }
    return to;
}

/* ---- a token's pieces ---- */

/* Whether the bracket at `open` is of a call that joins: `join(`, `concat!(`, `implode(`. */
static bool is_joining(const struct redact_scan *s, size_t open)
{
    static const char ends[][3] = {"in", "at", "AT", "de", "e0"};
    size_t end = open && s->text[open - 1] == '!' ? open - 1 : open;
    for (size_t i = 0; end > 4 && i < sizeof ends / sizeof *ends; i++)
        if (!memcmp(s->text + end - 2, ends[i], 2))
            return redact_at(s, end - 4, "join") || redact_at(s, end - 4, "ncat") ||
                   redact_at(s, end - 4, "lode") || redact_at(s, end - 4, "ste0");
    return false;
}

/* Whether a call near [from, to) joins its arguments, or the items of a list. */
static bool is_joined(const struct redact_scan *s, size_t from, size_t to)
{
    size_t at = from > CALL_NEAR ? from - CALL_NEAR : 0;
    size_t end = s->len - to > CALL_NEAR ? to + CALL_NEAR : s->len;
    const char *open;
    for (; at < end && (open = memchr(s->text + at, '(', end - at)); at++) {
        at = (size_t)(open - s->text);
        if (is_joining(s, at))
            return true;
    }
    return false;
}

/* Where the other text begins that a method at `at` adds to the one in front: `.concat("`. */
static size_t skip_method(struct redact_scan *s, size_t at)
{
    static const char *const names[] = {"concat(", "append(", "plus("};
    at = redact_run(s, at + (redact_char(s, at) == ')'), CLASS_SPACE);
    for (size_t i = 0; redact_char(s, at) == '.' && i < sizeof names / sizeof *names; i++)
        if (redact_at(s, at + 1, names[i]))
            return at + 1 + strlen(names[i]);
    return 0;
}

/* Whether printf puts the words together that begin at `at`. */
static bool is_formatted(const struct redact_scan *s, size_t at)
{
    size_t quoted = at && redact_in(s->text[at - 1], CLASS_DOUBLE | CLASS_SINGLE);
    return at > 8 + quoted && redact_in(s->text[at - 2 - quoted], CLASS_DOUBLE | CLASS_SINGLE) &&
           s->text[at - 1 - quoted] == ' ' && !memcmp(s->text + at - 6 - quoted, "%s%s", 4);
}

size_t redact_find_next_literal(struct redact_scan *s, size_t first, size_t to)
{
    if (s->text[to] == ' ')
        return is_formatted(s, first) ? to + 1 : 0;
    size_t at = to + 1, next = redact_run(s, at, CLASS_SPACE);
    char behind = redact_char(s, at);
    if (redact_in(behind, CLASS_ALNUM))
        return at; /* a quote opens in a word of a shell, or closes there */
    if (redact_in(behind, CLASS_DOUBLE | CLASS_SINGLE))
        return at + 1;
    size_t joined = skip_join(s, at);
    if (joined)
        return joined + 1;
    if (redact_char(s, next) == ',' && is_joined(s, first, next))
        next = redact_run(s, next + 1, CLASS_SPACE);
    else if (!is_formatted(s, first) && REDACT_ONE_OF(behind, ").\n"))
        next = skip_method(s, at);
    bool is = next > at && next < s->len && next - at < BETWEEN_MOST &&
              redact_in(s->text[next], CLASS_DOUBLE | CLASS_SINGLE);
    return is ? next + 1 : 0;
}
