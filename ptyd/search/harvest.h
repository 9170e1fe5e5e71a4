/* harvest.h - what one session's files hold goes into the index, and what is gone out of it. */
#ifndef PTYD_SEARCH_HARVEST_H
#define PTYD_SEARCH_HARVEST_H

#include "ptyd/search/index.h"

struct harvest;

/* `pause` is called now and then in a transaction, of which nothing is left open then, with how
 * many bytes were read so far; it may end it and begin another. */
struct harvest *harvest_create(struct index *index, void (*pause)(void *user, int64_t bytes),
                               void *user);
/* All is in the index then, and it is freed. */
void harvest_end(struct harvest *harvest);

/* What a session's blocks.jsonl is. */
struct harvest_file {
    int64_t inode, size, mtime; /* of its last change, in nanoseconds */
};

/* A session as the index has it. */
struct harvest_session {
    int64_t id; /* 0: it has none yet */
    const char *name;
    struct harvest_file file;
    int64_t last; /* number of the last block that ended */
};

/* Reads what is new in `directory` (a session's agent_pty), of which blocks.jsonl is `file` now:
 * all of it, where the files are not those that were read before. Returns how many of its oldest
 * blocks are gone. */
int64_t harvest_read(struct harvest *harvest, const struct harvest_session *session,
                     const char *directory, const struct harvest_file *file);

/* Takes a session out; returns how many blocks it had. */
int64_t harvest_remove(struct harvest *harvest, int64_t session);

/* Adds the block of a line of blocks.jsonl to a sheet, with its output as far as it is kept; for
 * one that runs, which is in no sheet of the index. */
struct sheet;
void harvest_running(const char *line, const char *directory, int64_t session, struct sheet *sheet);

#endif
