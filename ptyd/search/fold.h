/* fold.h - capital letters made small, in place: Latin, Greek, Cyrillic and Armenian ones whose
 * small letter takes as many bytes, so that places stay what they are. */
#ifndef PTYD_SEARCH_FOLD_H
#define PTYD_SEARCH_FOLD_H

#include <stdbool.h>
#include <stddef.h>

void fold_text(char *text, size_t len);

/* Whether fold_text() would change it. */
bool fold_changes(const char *text, size_t len);

#endif
