/* columns.h - how wide text is on a terminal, whatever the locale. Text is UTF-8 without controls
 * (show_clean()). */
#ifndef PTYD_COMMAND_COLUMNS_H
#define PTYD_COMMAND_COLUMNS_H

#include <stddef.h>

#include "base/bytes.h"

/* Columns that the text takes. */
size_t columns_count(const char *text, size_t len);

/* Appends the text in exactly `width` columns: blanks behind it, or `…` where its end (of a path:
 * its begin) has no room. */
enum columns_cut { COLUMNS_CUT_END, COLUMNS_CUT_BEGIN };
void columns_fit(const char *text, size_t len, size_t width, enum columns_cut cut,
                 struct bytes *out);

#endif
