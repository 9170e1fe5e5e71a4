/* golden.h - a replay's result against a file that says what it should be. */
#ifndef PTYD_REPLAY_GOLDEN_H
#define PTYD_REPLAY_GOLDEN_H

#include <jansson.h>
#include <stdbool.h>

/* Compares the members present in the JSON file with those of `actual`, arrays element by
 * element, and prints each difference as one line with its path. `update`: rewrites the file with
 * the actual values of those members instead, or with blocks and screen when it is not there.
 * Returns the exit status: 0 when equal or written, 1 otherwise. */
int golden_check(const char *path, json_t *actual, bool update);

#endif
