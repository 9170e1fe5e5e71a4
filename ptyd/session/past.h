/* past.h - what a session's program wrote, again, from its log: as a viewer is shown it.
 *
 * For one that was passed over, or that comes back behind a worker's death: it is given what it
 * lacks, from where it stands on (the offset that came with the last `display` it took), until it
 * is where the live display goes on. Queries among it are noted as answered: what its terminal says
 * to them is dropped.
 */
#ifndef PTYD_SESSION_PAST_H
#define PTYD_SESSION_PAST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ptyd/session/session.h"

struct past;

/* As `display` of a watcher. */
typedef void past_output(void *user, const char *bytes, size_t len, uint64_t offset);

/* NULL where the log does not hold all that came from `offset` on: it is too old, capture was
 * paused, the disk was full, or no display can have ended there. The session outlives it. */
struct past *past_open(struct session *s, uint64_t viewer, uint64_t offset, past_output *output,
                       void *user);
void past_close(struct past *past);

/* Goes through at most `most` bytes of the log, which `output` gets. Returns how many; 0 when the
 * viewer has all, and the next `display` goes on behind that; -ENODATA when the log does not have
 * them any more. */
ssize_t past_read(struct past *past, size_t most);

#endif
