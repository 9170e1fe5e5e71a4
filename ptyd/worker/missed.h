/* missed.h - what a viewer missed, from the session's log. */
#ifndef PTYD_WORKER_MISSED_H
#define PTYD_WORKER_MISSED_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct missed;
struct session;

/* Begins at an offset in the stream. */
struct missed *missed_create(uint64_t from);
void missed_destroy(struct missed *missed); /* NULL is none */

/* Appends to `out` what of the next bytes of the stream a terminal may show: at most `most`, up to
 * `end`. Returns the offset behind them. */
uint64_t missed_read(struct missed *missed, const struct session *session, uint64_t end,
                     size_t most, struct bytes *out);

/* How many lines end between two offsets, of which the second is at most MISSED_COUNT_BYTES behind
 * the first. */
#define MISSED_COUNT_BYTES (256 << 10)
uint64_t missed_lines(const struct session *session, uint64_t from, uint64_t to);

#endif
