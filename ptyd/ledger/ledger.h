/* context.h - who has been told what: blocks that wait for agents, cursors, leases.
 *
 * A consumer is an agent's conversation, like `codex:<thread>`. Each is told every deliverable
 * block of the sessions that feed it once: context_take() leases, context_commit() makes it final,
 * context_release() offers the same blocks again, with the same keys and bytes. Leases are on disk
 * before they are handed out: a worker that takes over knows them.
 */
#ifndef PTYD_LEDGER_LEDGER_H
#define PTYD_LEDGER_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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

/* How a taker wants it besides the map of entries. */
enum context_format {
    CONTEXT_ENTRIES, /* additionalContext alone */
    CONTEXT_TEXT,    /* `text`: plain text, at most LIMIT_HOOK_BYTES */
    CONTEXT_SEED,    /* `envelope`: one JSON object, at most LIMIT_ENVELOPE_BYTES */
};

/* What a taker says of itself. */
struct context_request {
    const char *consumer; /* `codex:<thread>`, `cli`, ... */
    const char *session;  /* explicit, or NULL */
    const char *thread;   /* its name: a session called like it feeds it; or NULL */
    const json_t *roots;  /* array of directories of the thread, or NULL */
    const json_t *taken;  /* array of keys in use by the client, or NULL */
    enum context_format format;
    bool peek;         /* look only: no lease, no new consumer */
    bool expires;      /* released by itself after LIMIT_LEASE_CLI_MS */
    const void *owner; /* context_release_owner() releases it */
    pid_t pid;         /* the taker's: what a worker to come holds the lease for; 0 for nobody's */
};

/* Leases what is pending. Returns {lease, receipt, pending, total_commands_run, kept, dropped,
 * additionalContext}, without the first two when nothing is pending or with peek, and with what
 * `format` asks for; new reference. NULL when LIMIT_LEASES are out. */
json_t *context_take(struct context *c, const struct context_request *request);

/* The agent has it. `receipt`: what context_take() gave with the lease, for when the lease has
 * expired; or NULL. `turn`: the id of the turn that carries it, or NULL. Returns false when
 * neither lease nor receipt says anything. */
bool context_commit(struct context *c, json_int_t lease, const json_t *receipt, const char *turn);

/* A consumer's thread was forked: the new one has its history, and is told what comes after.
 * `last`: the last turn it keeps, or `before`: the first it does not; NULL for all of them. */
void context_inherit(struct context *c, const char *from, const char *to, const char *last,
                     const char *before);

/* It never reached the agent. `unseen`: it may have, nobody could see it; this is counted. */
bool context_release(struct context *c, json_int_t lease, bool unseen);

/* Its taker went away without a word. */
void context_release_owner(struct context *c, const void *owner);

/* Blocks that nobody has been told, of one session or (NULL) of all. */
size_t context_pending(const struct context *c, const char *session);

/* Releases whose acceptance could not be seen: these blocks may reach an agent twice. */
json_int_t context_unseen(const struct context *c);

/* Drops what is pending, of one session or (NULL) of all; nobody will be told. Returns how many
 * blocks went. */
size_t context_clear(struct context *c, const char *session);

/* Injection off and on, for one thread or (NULL) for all; what is pending waits. */
void context_set_injection(struct context *c, const char *thread, bool on);
bool context_injects(const struct context *c, const char *consumer);

/* A `ptyd mcp` serves the conversation, or one of them stopped. */
void context_mcp(struct context *c, const char *conversation, int change);

#endif
