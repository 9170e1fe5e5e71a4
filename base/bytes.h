/* bytes.h - a growing run of bytes. A zeroed struct is an empty one.
 *
 * Growth failure latches `failed` and later appends do nothing, so that a writer checks once, at
 * the end. The bytes are always followed by a NUL when `data` is set.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct bytes {
    char *data;      /* owned; NULL while nothing was appended */
    size_t len;      /* bytes in use */
    size_t capacity; /* bytes allocated, one of them for the NUL */
    bool failed;     /* an append found no memory; nothing was appended since */
};

/* Frees the data; the struct is empty and usable afterwards. */
void bytes_finish(struct bytes *b);

/* Makes room for `more` further bytes. Returns where they go, NULL without memory. */
char *bytes_reserve(struct bytes *b, size_t more);

void bytes_append(struct bytes *b, const void *data, size_t len);
void bytes_append_text(struct bytes *b, const char *text);
void bytes_append_char(struct bytes *b, char c);
/* In decimal; much faster than bytes_printf(). */
void bytes_append_number(struct bytes *b, unsigned number);
void bytes_printf(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes the first `len` bytes. */
void bytes_consume(struct bytes *b, size_t len);

#endif
