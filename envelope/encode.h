/* encode.h - text as a JSON string that no reader can take for anything but data.
 *
 * The app-server puts values between tags without escaping them, so `<` never appears raw; and
 * what a person could not see (controls, bidi, zero-width, tag characters) appears as \uXXXX.
 */
#ifndef ENVELOPE_ENCODE_H
#define ENVELOPE_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Appends `text` with its quotes. Bytes that are no UTF-8 become U+FFFD. */
void encode_string(const char *text, size_t len, struct bytes *out);

/* How text stands where it is no JSON. */
enum encode_form {
    ENCODE_OPEN,   /* line feeds and tabs stay */
    ENCODE_TAGGED, /* they do; what could begin a tag does not, where a tag stands around it all */
    ENCODE_QUOTED, /* as it stands between the quotes of a JSON string; `<` is plain */
};

/* Appends `text` as plain text for an agent: what is hidden appears as \uXXXX, bytes that are no
 * UTF-8 as U+FFFD. */
void encode_text(const char *text, size_t len, enum encode_form form, struct bytes *out);

/* The same, ENCODE_TAGGED. */
void encode_plain(const char *text, size_t len, struct bytes *out);

/* Bytes that encode_string() would append, quotes left out. */
size_t encoded_length(const char *text, size_t len);

/* The largest n such that the first n bytes of `text`, cut between characters, take at most
 * `limit` encoded bytes; and the same for the last n. */
size_t encoded_head(const char *text, size_t len, size_t limit);
size_t encoded_tail(const char *text, size_t len, size_t limit);

#endif
