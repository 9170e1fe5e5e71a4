/* span.h - a value as a part of a JSON text (message.h finds them), and what it is. */
#ifndef ENVELOPE_SPAN_H
#define ENVELOPE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a text; `at` points into it. One that is not there has no length and is nothing of what
 * is asked for below. */
struct span {
    const char *at;
    size_t len;
};

/* Whether the value is the string `text` (escapes undone). */
static inline bool span_is_string(struct span value, const char *text);
bool span_is_escaped(struct span value, const char *text); /* the same, when it has escapes */
/* Whether the value is `null`, `true`, an object, an array; an object or array with nothing in it.
 */
bool span_is_null(struct span value);
bool span_is_true(struct span value);
bool span_is_object(struct span value);
bool span_is_array(struct span value);
bool span_is_empty(struct span value);

/* The common case, here so that a look at a message's head calls little. */
static inline bool span_is_string(struct span value, const char *text)
{
    size_t len = strlen(text);
    if (value.len < len + 2 || value.at[0] != '"')
        return false;
    if (value.len == len + 2)
        return !memcmp(value.at + 1, text, len);
    return span_is_escaped(value, text);
}

#endif
