/* slate.h - what waits to be written (owed.h), in memory that outlives the worker.
 *
 * A memfd of a session, made when something first waits, which the keeper holds from then on: it
 * has what a former worker could not write, in order. One process uses it at a time. It holds no
 * memory while nothing is on it.
 */
#ifndef PTYD_CORE_SLATE_H
#define PTYD_CORE_SLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slate;

/* One write. The strings are borrowed. */
struct slate_entry {
    uint32_t kind;
    bool begun;       /* it was being written, to a file of `size` bytes then */
    int64_t size;     /* bytes */
    int64_t most;     /* as owed_append() has it */
    const char *path; /* ends with a zero */
    const char *data; /* so does it */
    size_t len;       /* of the data, without that */
};

/* What is known of all of them together. */
struct slate_facts {
    uint64_t dropped; /* writes that found no room in memory */
    int64_t since_ms; /* since the epoch: when something began to wait */
};

/* Makes an empty one. Returns the descriptor, the caller's, or -errno. */
int slate_create_fd(void);

/* Maps it. The descriptor stays the caller's. NULL when it is none of ours or memory is out. */
struct slate *slate_map(int fd);
void slate_unmap(struct slate *slate);

/* Bytes that a write takes on it. */
size_t slate_cost(const char *path, size_t len);

/* Adds a write behind the others. Returns its place, never 0, or 0: there is no room, or so little
 * of it still waits that all should be written anew. */
uint32_t slate_add(struct slate *slate, const struct slate_entry *entry);

/* All that waits is written anew: what is added from here on counts from slate_turn() on, and
 * nothing that was there before it does. Whoever dies in between leaves what was there. */
void slate_anew(struct slate *slate);
void slate_turn(struct slate *slate);

/* The write at that place is begun, on a file of so many bytes; did not work and waits; is done. */
void slate_begin(struct slate *slate, uint32_t place, int64_t size);
void slate_wait(struct slate *slate, uint32_t place);
void slate_remove(struct slate *slate, uint32_t place);

/* In the shared memory. */
struct slate_facts *slate_facts(struct slate *slate);

/* Calls `each` for every write that waits, in order; entries are borrowed. */
void slate_each(const struct slate *slate,
                void (*each)(void *user, uint32_t place, const struct slate_entry *entry),
                void *user);

#endif
