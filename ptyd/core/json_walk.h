/* json_walk.h - a JSON text gone through where it lies: who wants a few members of many long lines
 * has them in a tenth of the time that making values takes.
 *
 * What opens and closes is checked, and the strings and numbers that are asked for; what is passed
 * over is not.
 */
#ifndef PTYD_CORE_JSON_WALK_H
#define PTYD_CORE_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* A place in an object or an array, or a value as it stands there; borrows the text. */
struct json_piece {
    const char *at;
    size_t len;
};

/* Steps into the object or array that the text is; false where it is none. */
bool json_walk_into(struct json_piece text, char bracket, struct json_piece *ret_inside);

/* Takes the next member of an object, the next item of an array. Returns 1; 0 at the end, behind
 * which nothing may stand; -1 where it goes on wrongly. */
int json_walk_member(struct json_piece *inside, struct json_piece *ret_key,
                     struct json_piece *ret_value);
int json_walk_item(struct json_piece *inside, struct json_piece *ret_value);

/* Whether it is this string, which is one without escapes. */
bool json_piece_is(struct json_piece value, const char *text);
/* Appends what a string says: valid UTF-8 where the text is; false where it is no string. */
bool json_piece_text(struct json_piece value, struct bytes *out);
/* The integer; `fallback` where it is none. */
long long json_piece_number(struct json_piece value, long long fallback);

#endif
