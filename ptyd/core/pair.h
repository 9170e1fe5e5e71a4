/* pair.h - a JSON object in two files, so that one that is damaged costs nothing.
 *
 * NAME.json and NAME.copy.json hold the same: the object with `number`, which grows with each
 * write, sealed (seal.h). The first is replaced first; whoever dies between the two leaves one that
 * is older, and the newer counts.
 */
#ifndef PTYD_CORE_PAIR_H
#define PTYD_CORE_PAIR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/aside.h"

struct pair {
    char *paths[2];  /* of the files; owned */
    uint64_t number; /* of what was read or written last */
};

/* `path` ends in ".json". */
void pair_init(struct pair *pair, const char *path);
void pair_finish(struct pair *pair);

enum pair_state {
    PAIR_NONE,       /* no such file */
    PAIR_WHOLE,      /* an object that can be relied on */
    PAIR_DAMAGED,    /* something else, also a file of more than `limit` bytes */
    PAIR_UNREADABLE, /* for a want of memory, say, which is not the file's fault */
};

/* Reads both. `ret_states` says how each was found; the newer whole one is the answer, new
 * reference, NULL when there is none. */
json_t *pair_read(struct pair *pair, size_t limit, enum pair_state ret_states[2]);

/* For the files' owner: reads them, sets damaged ones aside, and writes again what one of them
 * lacks. `*ret_lost`: there was something, and neither is whole. New reference; an empty object
 * where there is none. */
json_t *pair_open(struct pair *pair, size_t limit, struct aside *aside, bool *ret_lost);

/* What both files are to hold now, for who writes them in its own way: the first, then the second.
 * New string, NULL for what JSON cannot say. */
char *pair_text(struct pair *pair, json_t *object);

/* Replaces both by the object, which keeps the member `number`. Returns 0 or -errno of one that
 * could not be; the other may have been. */
int pair_write(struct pair *pair, json_t *object);

#endif
