/* lent.h - what a worker does with a terminal that a viewer has lent it, for a worker to come.
 *
 * Whoever types is echoed by the worker itself, without a viewer in between (view_wire.h). What of
 * that a viewer has not heard of yet stands in the session's shared memory: where in the stream the
 * terminal is, and the keys that were read there. Keys are read straight into that memory, where
 * LENT_NONE stands in each place that none came to: one that ends in such bytes is not known whole
 * where the reader is killed within that read, and no terminal sends it. Pure but for open(2),
 * read(2) and write(2).
 */
#ifndef PTYD_CORE_LENT_H
#define PTYD_CORE_LENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ptyd/core/intake.h"

#define LENT_NONE 0xff

/* Whether keys go to the session as they are, whatever comes next: whole ones, none of which is the
 * control byte `special` nor could be read as a key that leaves (client/keys.h). */
bool lent_is_plain(const char *keys, size_t len, char special);

/* Opens the terminal that a viewer has passed once more, so that it does not block whatever the
 * viewer does with its own. Returns the descriptor, the caller's, or -1: where it is no terminal
 * or the other side of one, or another user's, or this process's own, by which the kernel would
 * stop it in the background. */
int lent_open(int passed);

/* The memory is this viewer's from now on. */
void lent_begin(struct intake_lent *lent, uint64_t viewer);

/* One read(2) of a descriptor that does not block, into `keys`; what the last one brought is done
 * with. Returns the bytes, 0 at the end, or -errno. */
ssize_t lent_read(struct intake_lent *lent, int fd);
/* They are to be typed, and how far stands there from now on: whose `kept` that is. */
struct intake_typing *lent_type(struct intake_lent *lent);

/* Of what was read last that part which was not typed, and of which a viewer that knows of
 * `known` reads has not heard. Borrowed. *ret_doubt: so many bytes before it may have been typed.
 */
size_t lent_untyped(const struct intake_lent *lent, uint64_t viewer, uint64_t known,
                    const char **ret_keys, size_t *ret_doubt);

/* Writes to a descriptor that does not block what shows the stream from `from` to `to`. Returns how
 * much of it was written, or -errno. */
ssize_t lent_show(struct intake_lent *lent, int fd, const char *bytes, size_t len, uint64_t from,
                  uint64_t to);
/* Up to where a viewer's terminal was shown the stream that heard of all before `place` itself; and
 * whether it is not known how much of what follows that it was shown. */
uint64_t lent_shown(const struct intake_lent *lent, uint64_t viewer, uint64_t place,
                    bool *ret_doubt);

#endif
