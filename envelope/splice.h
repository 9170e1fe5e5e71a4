/* splice.h - a text in which some places are replaced and every other byte stays. */
#ifndef ENVELOPE_SPLICE_H
#define ENVELOPE_SPLICE_H

#include "base/bytes.h"
#include "envelope/span.h"

#define SPLICE_PLACES 4 /* more in one text are a mistake of ours, which ends the program */

/* A zeroed struct replaces nothing. */
struct splice {
    struct {
        struct span place;
        struct bytes text;
    } edits[SPLICE_PLACES];
    size_t count;
};

/* The text that will stand instead of `place`, for the caller to append to. Places do not overlap;
 * an empty one is a place to insert at. Borrowed until the next call. */
struct bytes *splice_replace(struct splice *splice, struct span place);

/* The text that will stand behind the opening bracket of `value`, an object or an array. What is
 * there already comes behind it: see splice_end_insert(). */
struct bytes *splice_insert(struct splice *splice, struct span value);

/* Ends what was inserted into `value`: with a comma, if something comes behind it. */
void splice_end_insert(struct bytes *text, struct span value);

/* Appends `line` with everything replaced to `out`. Returns 0 or -ENOMEM. */
int splice_apply(const struct splice *splice, struct span line, struct bytes *out);

void splice_finish(struct splice *splice);

#endif
