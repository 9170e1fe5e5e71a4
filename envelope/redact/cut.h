/* cut.h - what a line's end cuts that is none of the text's: a terminal's edge, a cell's, a
 * window's or fold(1)'s.
 */
#ifndef ENVELOPE_REDACT_CUT_H
#define ENVELOPE_REDACT_CUT_H

#include "envelope/redact/rules.h"

/* Where the last of the literals ends that a program puts together, the first of which, in quotes,
 * is [from, to): `to` where no other is (literal.c). */
size_t redact_literals(struct redact_scan *s, size_t from, size_t to);
/* Where the piece begins that is put behind the one of a token that ends at `to`; 0 where none is.
 * Its first one begins at `first`. What stands there is what the token's shape says. */
size_t redact_find_next_literal(struct redact_scan *s, size_t first, size_t to);
/* A first look: a quote ends it, or a blank, and quotes are in front of both. */
static inline size_t redact_next_literal(struct redact_scan *s, size_t first, size_t to)
{
    char c = redact_char(s, to);
    bool may = redact_in(c, CLASS_DOUBLE | CLASS_SINGLE) ||
               (c == ' ' && first > 2 && s->text[first - 1] == ' ' &&
                redact_in(s->text[first - 2], CLASS_DOUBLE | CLASS_SINGLE));
    return may ? redact_find_next_literal(s, first, to) : 0;
}
/* Where the secret [from, to) ends that goes on in the lines below, or in another literal: `to`
 * where it does not. */
size_t redact_goes_on_below(struct redact_scan *s, size_t from, size_t to);
/* A first look: what may stand behind it on its line. */
static inline size_t redact_goes_on(struct redact_scan *s, size_t from, size_t to)
{
    char next = redact_char(s, to);
    if (next == ' ' && redact_in(redact_char(s, to + 1), CLASS_NAME))
        return to; /* most */
    if (next == ' ')
        next = redact_char(s, redact_run(s, to, CLASS_BLANK));
    return REDACT_ONE_OF(next, "\n\r=|\"'") || next == '\xe2' ? redact_goes_on_below(s, from, to)
                                                              : to;
}

/* What a plan says that the value in quotes becomes which ends at `to`: `"X" -> "Y"`; and what goes
 * on in the same column of a table's next row, whose first cell is empty. */
bool redact_becomes_other(struct redact_scan *s, size_t from, size_t to,
                          struct redact_match *ret_match);
static inline bool redact_becomes(struct redact_scan *s, size_t from, size_t to,
                                  struct redact_match *ret_match)
{
    char next = redact_char(s, to + 1);
    return REDACT_ONE_OF(redact_char(s, to), "\"' ") &&
           (next == ' ' || next == '|' || next == '\xe2') &&
           redact_becomes_other(s, from, to, ret_match);
}

/* A token at `at`; or one of which the line there has no more than the beginning. */
bool redact_token_or_cut(struct redact_scan *s, size_t at, struct redact_match *ret_match);
#endif
