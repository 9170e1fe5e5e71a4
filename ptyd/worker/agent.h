/* agent.h - what an agent that looks through its tools is shown of a session's commands. */
#ifndef PTYD_WORKER_AGENT_H
#define PTYD_WORKER_AGENT_H

#include <jansson.h>
#include <stdbool.h>

#include "envelope/redact/redact.h"
#include "ptyd/worker/server.h"

/* A block without its secrets, which are counted in `redacted`; NULL for one that agents are not
 * told of, and for NULL. Steals the block; new reference. */
json_t *agent_block(json_t *block, const struct redact_secrets *secrets);

/* The same of an array of them, in which of the former ones the number stands alone: {seq,
 * private}. Steals it. */
json_t *agent_blocks(json_t *blocks, const struct redact_secrets *secrets);

/* A session as session.list has it, its directory without secrets, and null unless `told`: then
 * nothing is told of it at all. Steals it. */
json_t *agent_session(json_t *session, bool told, const struct redact_secrets *secrets);

/* session.output: the lines of a command's rendered output, without secrets. */
void agent_output_call(struct client *client, const json_t *id, const json_t *params);

#endif
