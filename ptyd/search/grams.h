/* grams.h - the words that a text has in the index: each three bytes in a row, folded (fold.h),
 * none of which is a blank or a control, once, as hexadecimal digits. A character of three bytes is
 * one. What a text holds, it has the words of. */
#ifndef PTYD_SEARCH_GRAMS_H
#define PTYD_SEARCH_GRAMS_H

#include "base/bytes.h"

struct grams;

struct grams *grams_create(void);
void grams_destroy(struct grams *grams);

/* Adds those of a text that is folded already. */
void grams_add(struct grams *grams, const char *folded, size_t len);

/* Appends them as words that end in a blank, each behind `prefix`, and forgets them. */
void grams_write(struct grams *grams, const char *prefix, struct bytes *out);

/* Appends what FTS5 is asked for texts that hold the folded one: words joined by AND. Returns
 * whether it has any. */
bool grams_query(const char *folded, size_t len, const char *prefix, struct bytes *out);

#endif
