/* span.h - finding and replacing parts of a JSON text without touching the rest of it.
 *
 * A proxy must hand on a client's own bytes: parsing and printing again would change numbers,
 * order and spacing. These functions trust that the text is JSON where they say so.
 */
#ifndef ENVELOPE_SPAN_H
#define ENVELOPE_SPAN_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a text; `at` points into it. */
struct span {
    const char *at;
    size_t len;
};

/* The value of the member `key` of the object that `text` begins with (white space may precede).
 * Returns 0 with the value; -ENOENT without such a member; -EEXIST when it is there twice;
 * -EINVAL when the text is not an object or ends before its end. */
int span_member(const char *text, size_t len, const char *key, struct span *ret_value);

/* Like span_member() for a member of the top level, but looks no further than `len` bytes: a
 * text that is cut off is -EINVAL only if the member did not come before the cut. Duplicates are
 * not looked for. */
int span_peek(const char *text, size_t len, const char *key, struct span *ret_value);

/* Whether the value is the string `text` (escapes undone). */
bool span_is_string(struct span value, const char *text);
/* Whether the value is `null`, `true`, an object, an array; an object or array with nothing in it.
 */
bool span_is_null(struct span value);
bool span_is_true(struct span value);
bool span_is_object(struct span value);
bool span_is_array(struct span value);
bool span_is_empty(struct span value);

#endif
