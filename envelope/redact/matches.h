/* matches.h - what was found, in order; and what the user's own rules find besides.
 */
#ifndef ENVELOPE_REDACT_MATCHES_H
#define ENVELOPE_REDACT_MATCHES_H

#include "envelope/redact/redact.h"

/* ---- matches (matches.c) ---- */

/* Puts a match in its place in a list that is in order; where one before reaches into it, or where
 * there is no more room, with that one. Returns how many there are. */
int redact_insert(struct redact_match *list, int count, int most, const struct redact_match *match);

/* ---- rules of the user's own (own.c) ---- */

/* What was found in a text, by them or by ours; begins with the text and zeroes. */
struct redact_own {
    const char *text;
    struct bytes matches;
};

/* Looks by them; false where there are none. */
bool redact_own_begin(struct redact_own *own, size_t len);
redact_found redact_own_found; /* user: the struct; leaves out what is to stay */
/* Tells of all, in order; frees what was noted. */
void redact_own_tell(struct redact_own *own, size_t len, redact_found *found, void *user);

#endif
