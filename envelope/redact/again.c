/* What was found in one line, told again in the next: a program asks twice (`Enter it again: X`),
 * or says what it was told (`Parameter password is now 'X'.`). Asked only where something was
 * found. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define QUOTED_LEAST 6 /* bytes of one that has nothing but quotes around it */
#define VALUE_MOST   100
#define LINE_MOST    200 /* of the next line */

/* Whether a quote is in front of it, and the same behind, and the line ends there. */
static bool is_quoted(const struct redact_scan *s, size_t from, size_t to)
{
    return to - from >= QUOTED_LEAST && REDACT_ONE_OF(s->text[from - 1], "'\"`") &&
           redact_char(s, to) == s->text[from - 1] &&
           redact_in(redact_char(s, to - 1), CLASS_ALNUM);
}

bool redact_again(struct redact_scan *s, size_t from, size_t to, struct redact_match *ret_match)
{
    size_t len = to - from, line = to + (redact_char(s, to) == '\r'), next = line + 1;
    if (redact_char(s, line) != '\n' || len > VALUE_MOST || next + len > s->len)
        return false; /* most */
    size_t end = redact_line_end(s, next), last = end;
    if (end - next > LINE_MOST)
        return false;
    while (last > next && REDACT_ONE_OF(s->text[last - 1], "\r.'\"` "))
        last--;
    if (last < next + len + 2 || memcmp(s->text + last - len, s->text + from, len) != 0)
        return false;
    size_t at = last - len;
    *ret_match = (struct redact_match){at, last, "value"};
    return (last >= end - (redact_char(s, last) == '\r') && redact_at(s, at - 2, ": ")) ||
           is_quoted(s, at, last);
}
