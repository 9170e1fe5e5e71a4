/* missed.h - what a viewer missed, from the session's log. */
#ifndef PTYD_WORKER_MISSED_H
#define PTYD_WORKER_MISSED_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct missed;
struct session;

/* For the viewer of that number (session.h), from where it stands in the stream. The session
 * outlives it. */
struct missed *missed_create(struct session *session, uint64_t viewer, uint64_t from);
void missed_destroy(struct missed *missed); /* NULL is none */

/* Appends to `out` what the viewer is shown of about the next `most` bytes of the stream;
 * *ret_place is where it stands then: with all that came, where the session's terminal shows next.
 * Nothing of what stands at `until` or behind it. Returns 0, or -errno when the log cannot be read,
 * or ends before that. */
int missed_read(struct missed *missed, size_t most, uint64_t until, struct bytes *out,
                uint64_t *ret_place);

/* How many lines end between two offsets, of which the second is at most MISSED_COUNT_BYTES behind
 * the first. */
#define MISSED_COUNT_BYTES (256 << 10)
uint64_t missed_lines(const struct session *session, uint64_t from, uint64_t to);

/* What a former worker's leader had yet to answer (session_unanswered()): the session's own
 * terminal does, as far as the log still has it. Or that leader is back, as this viewer, and was
 * shown all before `offset`. */
void missed_answer(struct session *session);
void missed_inherit(struct session *session, uint64_t viewer, uint64_t offset);

#endif
