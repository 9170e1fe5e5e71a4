/* golden.h - a replay's result against a file that says what it should be. */
#ifndef PTYD_REPLAY_GOLDEN_H
#define PTYD_REPLAY_GOLDEN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"

/* Reads a golden. A new reference; NULL with what is wrong in *ret_error (a new string). */
json_t *golden_read(const char *path, char **ret_error);

/* Appends each difference of `actual` from the members present in `golden`, as lines with its path.
 * Returns how many there are. */
int golden_compare(json_t *golden, json_t *actual, struct bytes *out);

/* Compares the members present in the JSON file with those of `actual`, arrays element by
 * element, and prints each difference as one line with its path. `update`: rewrites the file with
 * the actual values of those members instead, or with blocks and screen when it is not there.
 * Returns the exit status: 0 when equal or written, 1 otherwise. */
int golden_check(const char *path, json_t *actual, bool update);

#endif
