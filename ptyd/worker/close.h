/* close.h - `session.close`: a request that ends when a shell is gone. */
#ifndef PTYD_WORKER_CLOSE_H
#define PTYD_WORKER_CLOSE_H

#include "ptyd/worker/server.h"

/* Ends the session of params.name: its shell is hung up, then killed; replies {closed} when it is
 * gone. One that has exited leaves the table. */
void close_call(struct client *client, const json_t *id, const json_t *params);

#endif
