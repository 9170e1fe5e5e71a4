/* text.h - small work on strings from outside. */
#ifndef PTYD_CORE_TEXT_H
#define PTYD_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* A new NUL-terminated UTF-8 string: bad bytes become U+FFFD, NULs go, at most `limit` bytes are
 * kept, from the front. Ownership goes to the caller; like all here it ends the process without
 * memory. */
char *text_clean(const char *bytes, size_t len, size_t limit);

/* strdup(); "" for NULL. */
char *text_copy(const char *text);

/* printf() into a new string. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether it is a session's NAME: [A-Za-z0-9][A-Za-z0-9_.-]{0,63}. */
bool text_is_name(const char *text);

/* Parses COLSxROWS. Returns false for anything else. */
bool text_parse_size(const char *text, int *ret_cols, int *ret_rows);

/* Parses a whole decimal number within [low, high]. */
bool text_parse_number(const char *text, long low, long high, long *ret_number);

/* A number of bytes from 0 to `most`, which may end in K, M, G or T (1,024 times as much each).
 * Returns whether it is one. */
bool text_parse_bytes(const char *text, int64_t most, int64_t *ret_bytes);

/* Which of many names may have been meant by one that is none of them: it is begun with that one,
 * offered the others (the first 64 bytes of each count), and `found` is the first of the nearest,
 * NULL where none is near: one letter in three may be another, and of a long name few. */
struct text_nearest {
    const char *to, *found;
    size_t least;
};
struct text_nearest text_nearest_begin(const char *to);
void text_nearest_offer(struct text_nearest *nearest, const char *name);

/* The text as one word for a POSIX shell, and for fish. New string. */
char *text_shell_quote(const char *text);

#endif
