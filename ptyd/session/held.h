/* held.h - blocks whose lines wait to be written to blocks.jsonl (core/owed.h): memory alone has
 * them. `directory` is the session's, as store_directory() says it.
 */
#ifndef PTYD_SESSION_HELD_H
#define PTYD_SESSION_HELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/owed.h"

/* Adds those with a higher number than `after` to an array of what the files hold, oldest first:
 * what a line says of the last one there counts. */
void held_add(const struct owed *owed, const char *directory, uint64_t after, bool with_keys,
              json_t *blocks);

/* One of them by its number, without the agents' keys: new reference; NULL when it does not wait.
 */
json_t *held_block(const struct owed *owed, const char *directory, uint64_t seq);

/* Those with a higher number than `after`, a block's begin and its end apart, as
 * block_lines_apart() has them: new reference. */
json_t *held_lines(const struct owed *owed, const char *directory, uint64_t after);

#endif
