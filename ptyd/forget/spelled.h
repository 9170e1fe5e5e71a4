/* spelled.h - a text, in whichever spelling it stands in a file.
 *
 * JSON has several for one character: `"` is `\"` where jansson writes it, `\u0022` where
 * json_append_string() does; letters beyond ASCII may be `\u....`, and what waits for agents is
 * JSON in a string of JSON. All of them are read back here, so that no writer has to be known. */
#ifndef PTYD_FORGET_SPELLED_H
#define PTYD_FORGET_SPELLED_H

#include <stdbool.h>
#include <stddef.h>

/* The first place where `text` stands, as it is or as JSON says it, in a string within a string,
 * too; NULL for none. *ret_len is how many bytes say it there. */
char *spelled_find(const char *bytes, size_t len, const char *text, size_t *ret_len);

/* Covers it wherever it stands, as blot_text() does. Returns how often that was. */
size_t spelled_cover(char *bytes, size_t len, const char *text);

#endif
