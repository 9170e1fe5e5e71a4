/* view.h - an attached terminal: it shows the session and, unless it only looks, drives it. */
#ifndef PTYD_WORKER_VIEW_H
#define PTYD_WORKER_VIEW_H

#include <stdbool.h>

#include "ptyd/worker/server.h"

struct session;

/* `session.attach {name, size, view, owns, again, led, offset, token}`: replies with {session,
 * leads} and a descriptor, on which frames go from then on (view_wire.h). `again`: the client was
 * attached to a former worker; one whose shell has exited since is not refused, but told its end,
 * and one that `led` gets what it has not from `offset` on. `token` is noted (typing.h), so that of
 * what the client types later it is known what was not. */
void view_attach_call(struct client *client, const json_t *id, const json_t *params);

/* The same for who opened the session and asked for both at once: replies with {created}, too. */
void view_attach_opened(struct client *client, const json_t *id, const json_t *params);

/* `view.leave`: the same as the frame, on the connection. */
void view_leave_call(struct client *client, const json_t *id, const json_t *params);

/* `session.detach {name, leading}`: the viewers of the session, or with `leading` the one that
 * leads where one does, are told to leave; replies with {detached}, how many. */
void view_detach_call(struct client *client, const json_t *id, const json_t *params);

/* Whether the terminal that a session ends with is there and was not shown all of it yet. */
bool view_owner_lacks(const struct session *session);

/* Descriptors that viewers hold besides their connections. */
int view_files(void);

/* Those that led when the former worker died come back: what they show waits for them, at most
 * LIMIT_VIEW_STALL_MS. */
void view_await_leaders(struct worker *worker);

#endif
