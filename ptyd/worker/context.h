/* context.h - who has been told what: blocks that wait for agents, cursors, leases.
 *
 * A consumer is an agent's conversation, like `codex:<thread>`. Each is told every deliverable
 * block of the sessions that feed it once: context_take() leases, context_commit() makes it final,
 * context_release() offers the same blocks again, with the same keys and bytes.
 */
#ifndef PTYD_WORKER_CONTEXT_H
#define PTYD_WORKER_CONTEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "ptyd/core/block.h"

struct context;
struct session;
struct worker;

struct context *context_create(struct worker *worker);
void context_destroy(struct context *c);

/* A session was opened or rebuilt: what its files say is pending is offered. */
void context_load(struct context *c, struct session *session);
/* The session goes away; its blocks stay on offer. */
void context_forget(struct context *c, struct session *session);

/* A block ended. Gives it its key if agents may be told. */
void context_block_ended(struct context *c, struct session *session, struct block *block);

/* What a taker says of itself. */
struct context_request {
    const char *consumer; /* `codex:<thread>`, `cli`, ... */
    const char *session;  /* explicit, or NULL */
    const char *thread;   /* its name: a session called like it feeds it; or NULL */
    const json_t *roots;  /* array of directories of the thread, or NULL */
    const json_t *taken;  /* array of keys in use by the client, or NULL */
    bool peek;            /* look only: no lease, no new consumer */
    bool expires;         /* released by itself after LIMIT_LEASE_CLI_MS */
    const void *owner;    /* context_release_owner() releases it */
};

/* Leases what is pending. Returns {lease, receipt, pending, total_commands_run, kept, dropped,
 * additionalContext}, without the first two when nothing is pending or with peek; new reference.
 * NULL when LIMIT_LEASES are out. */
json_t *context_take(struct context *c, const struct context_request *request);

/* The agent has it. `receipt`: what context_take() gave with the lease, so that a worker which was
 * started since can settle it too; or NULL. Returns false when neither says anything. */
bool context_commit(struct context *c, json_int_t lease, const json_t *receipt);

/* It never reached the agent. */
bool context_release(struct context *c, json_int_t lease);

/* Its taker went away. */
void context_release_owner(struct context *c, const void *owner);

/* A `ptyd mcp` serves the conversation, or one of them stopped. */
void context_mcp(struct context *c, const char *conversation, int change);

#endif
