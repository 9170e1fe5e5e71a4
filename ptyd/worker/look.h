/* look.h - methods on one session: what it shows and did. */
#ifndef PTYD_WORKER_LOOK_H
#define PTYD_WORKER_LOOK_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/worker/server.h"

struct session;

/* Whether agents are told anything; false when the request is answered. */
bool look_agents_are_told(struct client *client, const json_t *id, const json_t *params);

/* Whether the session, which may be NULL, may be read: with `agent` not while capture is paused,
 * telling switched off, or its secrets are not known; false when the request is answered, or was.
 */
bool look_may_read(struct client *client, const json_t *id, const json_t *params,
                   const struct session *s);

void look_block_call(struct client *client, const json_t *id, const json_t *params);
void look_blocks_call(struct client *client, const json_t *id, const json_t *params);
void look_resize_call(struct client *client, const json_t *id, const json_t *params);
void look_screen_call(struct client *client, const json_t *id, const json_t *params);
void look_scrollback_call(struct client *client, const json_t *id, const json_t *params);

/* The number in `7` or `default:7:1795207146949`; and whether a block of that number is the one
 * that is wanted. */
uint64_t look_seq_of(const char *wanted);
bool look_is_block(const json_t *block, const char *wanted);

/* The block `params` asks for of the session, which may be NULL; with `agent` as an agent is shown
 * it. New reference; NULL when the request is answered, or was. */
json_t *look_agent_block(struct client *client, const json_t *id, const json_t *params,
                         struct session *s);

/* What session.block answers; steals the block. New reference. */
json_t *look_block_json(const json_t *params, json_t *block, const char *directory);

/* Answers that there is no block `wanted`, and which there are; 0 for none. */
struct block_choice {
    const char *session, *wanted;
    uint64_t oldest, newest;
};
void look_fail_without_block(struct client *client, const json_t *id,
                             const struct block_choice *choice);

#endif
