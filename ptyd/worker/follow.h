/* follow.h - what happens, told to connections that asked for it (`ptyd events -f`).
 *
 * Events are notifications `event` with params {type, ts, ...} (ptyd-rpc(7)). One that cannot keep
 * up loses events, and hears how many. Begins and ends of blocks are in files, or wait for
 * them, by which they are told again behind a worker's death; the others are numbered (board.h), so
 * that it is known then how many of them nobody heard.
 */
#ifndef PTYD_WORKER_FOLLOW_H
#define PTYD_WORKER_FOLLOW_H

#include <jansson.h>

#include "ptyd/core/block.h"

struct client;
struct session;
struct worker;

/* The method `events.follow`. */
void follow_call(struct client *client, const json_t *id, const json_t *params);

/* context_pending: a block waits for agents, or (NULL) what waits has changed otherwise. */
void follow_pending(struct worker *w, const struct block *block);

/* Of struct ledger_events, for the worker: context_delivered and context_released. */
void follow_delivered(void *worker, const char *consumer, const char *turn, json_t *block_ids);
void follow_released(void *worker, const char *consumer, json_t *block_ids);

/* Of struct session_events, for the worker: capture_changed of a session; or (NULL) injection was
 * switched. */
void follow_capture(void *worker, struct session *session);

/* sessions_changed: one was opened, or is gone. */
void follow_sessions(struct worker *w);

/* baton_changed, with these members, which it steals. */
void follow_baton(struct worker *w, json_t *members);

/* agent_block_begin and agent_block_end. */
void follow_block(struct worker *w, const char *type, const struct block *block);

#endif
