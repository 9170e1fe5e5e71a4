/* context.h - sessions and the ledger joined: what agents are told of the sessions that are served.
 */
#ifndef PTYD_WORKER_CONTEXT_H
#define PTYD_WORKER_CONTEXT_H

#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

/* Of struct session_events, for the worker: a session's files are open, and what they say is
 * pending is offered; a block ended, and gets its key, unless agents are not to be told, and those
 * who follow hear. */
void context_opened(void *worker, struct session *s);
void context_block_ended(void *worker, struct session *s, struct block *block);

/* A session is about to be destroyed: its part of the ledger is written. */
void context_closing(struct worker *w, struct session *s);

/* What became of a lease is kept, then those who follow hear of it (struct ledger_events). */
void context_delivered(void *worker, const char *consumer, const char *turn, json_t *block_ids);
void context_released(void *worker, const char *consumer, json_t *block_ids);

/* Receipts that find no room wait with a session that lives (struct ledger_events). */
bool context_append(void *worker, const char *path, const char *line, long long most);
void context_each_waiting(void *worker, const char *path,
                          void (*each)(void *user, const char *line), void *user);

/* The methods `context.*`. */
void context_clear_call(struct client *client, const json_t *id, const json_t *params);
void context_commit_call(struct client *client, const json_t *id, const json_t *params);
void context_explain_call(struct client *client, const json_t *id, const json_t *params);
void context_inherit_call(struct client *client, const json_t *id, const json_t *params);
void context_revert_call(struct client *client, const json_t *id, const json_t *params);
void context_inject_call(struct client *client, const json_t *id, const json_t *params);
void context_pause_call(struct client *client, const json_t *id, const json_t *params);
void context_hold_call(struct client *client, const json_t *id, const json_t *params);
void context_release_call(struct client *client, const json_t *id, const json_t *params);
void context_show_call(struct client *client, const json_t *id, const json_t *params);
void context_take_call(struct client *client, const json_t *id, const json_t *params);

/* The connection is gone: what it leased comes back. */
void context_client_gone(struct client *client);

#endif
