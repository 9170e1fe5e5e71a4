/* store_private.h - a store from inside, for the files that it is made of. */
#ifndef PTYD_SESSION_STORE_PRIVATE_H
#define PTYD_SESSION_STORE_PRIVATE_H

#include "base/bytes.h"
#include "ptyd/core/pair.h"
#include "ptyd/session/store.h"

struct store {
    char *directory; /* .../agent_pty */
    struct pair meta_file;
    json_t *meta;
    char *error; /* of opening, and its -errno */
    int failure;
    struct aside aside;
    struct owed *owed; /* what could not be written yet */
    uint64_t *same;    /* of the blocks' files (block_files.h): the host's, or `own_same` */
    uint64_t own_same;
    void (*owing)(void *user);
    void *user;
    uint64_t last_ended, known_seq;
    struct block *running;
    bool tells; /* events.jsonl tells of blocks up to these */
    uint64_t told_begun, told_ended;

    struct output *output;
    struct bytes delta; /* not told yet */
    int64_t delta_ms;
    bool redacts;
    const struct redact_secrets *secrets;
    uint64_t snapshot_from; /* earlier scrollback lines are in no snapshot */
};

#endif
