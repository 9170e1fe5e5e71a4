/* wait.h - `session.wait`: what a session prints, from a place on, and when its shell is ready or a
 * command ends. Whoever looks for something in the text does so itself.
 */
#ifndef PTYD_WORKER_WAIT_H
#define PTYD_WORKER_WAIT_H

#include "ptyd/worker/server.h"

struct session;

/* params: {name, from, for, data, timeout_ms}. Without `from`, a place in the session's stream, it
 * is answered at once; else when the stream goes on behind it (`for` "output"), a prompt stands
 * that came behind it and takes a line ("prompt"), or the first command has ended that did so
 * behind it ("exit"); or when the shell is gone, or after timeout_ms. Nothing is kept between
 * requests: one may be asked again of a worker's successor. The answer stands in ptyd-rpc(7). */
void wait_call(struct client *client, const json_t *id, const json_t *params);

/* Where the session's stream stands: what comes behind it came later. Never inside a sequence. */
uint64_t wait_place(const struct session *session);

#endif
