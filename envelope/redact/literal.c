/* Literals that a program puts together: `'X' . 'Y'`, `"X" + "Y"`, `"X" .. "Y"`, `"X" & "Y"`, and
 * those that C and Python join where nothing but a line's end is between them. */
#include "envelope/redact/cut.h"

#define LITERALS_MOST 32
#define LITERAL_MOST  200
#define BETWEEN_MOST  100 /* bytes between two */

/* Behind what joins the literal that ends at `at` with the next one, whose quote is there; 0 where
 * nothing does. */
static size_t skip_join(struct redact_scan *s, size_t at)
{
    size_t sign = redact_run(s, at, CLASS_SPACE), end = sign;
    if (redact_at(s, sign, "||") || redact_at(s, sign, "<>") || redact_at(s, sign, ".."))
        end += 2;
    else
        end += REDACT_ONE_OF(redact_char(s, sign), ".+&~\\`");
    size_t next = redact_run(s, end, CLASS_SPACE);
    next += redact_char(s, next) == '_' || (end > sign && redact_char(s, next) == '+'); /* `& _` */
    next = redact_run(s, next, CLASS_SPACE);
    if (next >= s->len || next - at > BETWEEN_MOST)
        return 0;
    if (end == sign && !memchr(s->text + at, '\n', next - at))
        return next > at && redact_in(s->text[next], CLASS_DOUBLE) ? next : 0; /* C's, in a row */
    if (end == sign) { /* further in than nothing: no other row */
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
           redact_run(s, from, CLASS_WORD | CLASS_BASE64 | CLASS_DOT | CLASS_TILDE) == to;
}

size_t redact_literals(struct redact_scan *s, size_t from, size_t to)
{
    char quote = s->text[to];
    if (!from || s->text[from - 1] != quote || !REDACT_ONE_OF(redact_char(s, to + 1), " \n\t+.&~"))
        return to; /* most */
    for (int i = 0; i < LITERALS_MOST; i++) {
        size_t next = skip_join(s, to + 1);
        if (!next)
            break;
        size_t end = redact_run(s, next + 1, CLASS_WORD | CLASS_BASE64 | CLASS_DOT | CLASS_TILDE);
        char behind = redact_char(s, redact_run(s, end + 1, CLASS_BLANK));
        bool row = redact_run(s, to + 1, CLASS_BLANK) == next;
        if (row && behind != ';' && behind != ')' && behind != '"')
            break;
        if (redact_char(s, end) != s->text[next] || !is_rest(s, next + 1, end) ||
            REDACT_ONE_OF(behind, ":="))
            break;
        to = end;
    }
    return to;
}
