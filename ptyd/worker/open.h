/* open.h - `session.open` and `session.close`: requests that end when a shell is ready or gone. */
#ifndef PTYD_WORKER_OPEN_H
#define PTYD_WORKER_OPEN_H

#include "ptyd/worker/server.h"

/* Starts the session of params.name if there is none that lives; replies {session, created} at
 * its first prompt, or after two seconds. */
void open_call(struct client *client, const json_t *id, const json_t *params);

/* The keeper could not start the shell, or the session is there now. */
void open_spawned(struct worker *worker, const char *name, int error);

/* Ends the session: its shell is hung up, then killed; replies {closed} when it is gone. */
void close_call(struct client *client, const json_t *id, const json_t *params);

#endif
