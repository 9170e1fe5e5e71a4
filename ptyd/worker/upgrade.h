/* upgrade.h - `daemon.upgrade`: another program takes the daemon's place (keeper/upgrade.h). */
#ifndef PTYD_WORKER_UPGRADE_H
#define PTYD_WORKER_UPGRADE_H

#include <stdint.h>

#include "ptyd/worker/server.h"

/* params: {token, binary, worker}. Replies {from, to, shells, worker, error} when it is known what
 * came of it. By then another worker answers: a client whose connection is lost asks again with the
 * same token, which begins nothing that has begun. */
void upgrade_call(struct client *client, const json_t *id, const json_t *params);

/* Another worker is to take this one's place, of the same program; its outcome has that token. 0,
 * -EBUSY while something else is under way, or another -errno. */
int upgrade_begin_worker(struct worker *worker, uint64_t token);

/* The keeper says what came of the last one, or comes of it; `fd` stays the caller's. */
void upgrade_told(struct worker *worker, int fd);

/* Adds a warning when the last one failed. */
void upgrade_add_warning(const struct worker *worker, json_t *warnings);

#endif
