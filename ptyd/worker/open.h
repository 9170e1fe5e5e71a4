/* open.h - `session.open`: a request that ends when a shell is ready. */
#ifndef PTYD_WORKER_OPEN_H
#define PTYD_WORKER_OPEN_H

#include <stdbool.h>

#include "base/bytes.h"
#include "ptyd/worker/server.h"

/* Starts the session of params.name if there is none that lives; replies {session, created} at
 * its first prompt, or after LIMIT_FIRST_PROMPT_MS. With `attach` it attaches then, too, as
 * `session.attach` of the same params does. */
void open_call(struct client *client, const json_t *id, const json_t *params);

/* Whether somebody waits for a session of that name to be started. */
bool open_is_under_way(const char *name);

/* The session `name` is there now; or the keeper could not start its shell, `error` is an errno;
 * or it could not be adopted: a -errno. Answers those who wait for it. */
void open_spawned(struct worker *worker, const char *name, int error);

#endif
