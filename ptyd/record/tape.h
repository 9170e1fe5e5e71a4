/* tape.h - a session's log, read from a place on: what was printed, when, on how large a terminal.
 *
 * It reads output.raw and output.idx themselves, while a daemon writes them or when none runs any
 * more. The index is always ahead of the bytes, so that the bytes there are have their times and
 * sizes. All that is read is of one shell: where another one begins it ends.
 */
#ifndef PTYD_RECORD_TAPE_H
#define PTYD_RECORD_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "ptyd/core/tracker.h"

struct tape;

/* Called in order; `ms` since the origin, never less than the one before. */
struct tape_events {
    void (*size)(void *user, int64_t ms, int cols, int rows);
    void (*output)(void *user, int64_t ms, const char *bytes, size_t len);
    /* So many bytes are kept nowhere: capture was paused, or they are too old. */
    void (*missing)(void *user, int64_t ms, uint64_t count);
};

/* Where something stands in the log. */
struct tape_place {
    uint64_t offset;
    int cols, rows;       /* of the terminal, there */
    struct moment moment; /* when that came */
};

/* The log in `directory`, a session's agent_pty. NULL with -errno in *ret_error. */
struct tape *tape_open(const char *directory, int *ret_error);
void tape_close(struct tape *tape);

/* A block from the prompt at which it was typed to the next one; *ret_to is the log's end while it
 * runs. False where the index has its begin no more. */
bool tape_find_block(struct tape *tape, uint64_t seq, struct tape_place *ret_from,
                     uint64_t *ret_to);
/* The first that came at `wall_ms` or later, the log's end where nothing did; from the prompt on
 * where a prompt stood there and nothing ran. */
void tape_find_time(struct tape *tape, int64_t wall_ms, struct tape_place *ret_from);
/* The log's end, or the prompt that stands there. */
void tape_find_end(struct tape *tape, struct tape_place *ret_from);

/* Appends what draws the screen as it stood at the place, made of the log before it: the shell's
 * whole, or the last LIMIT_RECORD_PICTURE_BYTES of it. Nothing where nothing came before. A place
 * within a sequence becomes the one in front of it. */
void tape_picture(struct tape *tape, struct tape_place *place, struct bytes *out);
/* Appends the mark that a recording from there begins with, so that those behind it are known for
 * the shell's: with the directory that it was in, where the log knows it. Shells say that only
 * where it changes. */
void tape_first_mark(struct tape *tape, const struct tape_place *place, struct bytes *out);

/* From now on it is read from there; times count from `origin`. */
void tape_begin(struct tape *tape, const struct tape_place *from, struct moment origin);

/* Gives what there is up to `to` and was not given yet. What may be the first part of a mark stays
 * for the next time unless `all`. Returns 0, 1 where another shell begins, or -errno. */
int tape_read(struct tape *tape, uint64_t to, bool all, const struct tape_events *events,
              void *user);

/* Behind the last byte there was. */
uint64_t tape_end(const struct tape *tape);

#endif
