/* seal.h - a JSON object on one line that says whether it is whole.
 *
 * Its last member, `sum`, is a hash of the bytes before: a digit that was damaged on a disk is no
 * other digit then, but damage. It holds nobody back who means to change it.
 */
#ifndef PTYD_CORE_SEAL_H
#define PTYD_CORE_SEAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The object as compact text, sealed; new string, NULL for what JSON cannot say. */
char *seal_dump(const json_t *object);

/* The object of a text of `len` bytes, without its seal. One that was never sealed counts as it is.
 * New reference; NULL for what is no object or is damaged. */
json_t *seal_load(const char *text, size_t len);

/* Whether the seal of such a text, where it has one, is right. */
bool seal_is_whole(const char *text, size_t len);

#endif
