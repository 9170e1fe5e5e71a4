/* rpc.h - talking to the daemon, one request at a time. */
#ifndef PTYD_COMMAND_RPC_H
#define PTYD_COMMAND_RPC_H

#include <jansson.h>
#include <stdbool.h>

#include "ptyd/core/lines.h"

struct rpc {
    int fd;
    struct lines lines;
    json_int_t next_id;
};

/* Connects. `start`: start a daemon when none runs. On failure says on stderr what to do and
 * returns -1. */
int rpc_connect(struct rpc *ret_rpc, bool start);
void rpc_close(struct rpc *rpc);

/* Gets a notification that comes before a reply; `method` and `params` are borrowed. */
typedef void rpc_notification(void *user, const char *method, const json_t *params);

/* Sends a request, which steals `params`, without waiting. Returns its id, -1 when the daemon is
 * gone. */
json_int_t rpc_send(struct rpc *rpc, const char *method, json_t *params);

/* Sends and waits. Returns the result (a new reference), or NULL after a message on stderr. `each`
 * may be NULL. */
json_t *rpc_call(struct rpc *rpc, const char *method, json_t *params, rpc_notification *each,
                 void *user);

/* Reads what has come. Returns 1, 0 when the daemon is gone. */
int rpc_fill(struct rpc *rpc);

/* The next message that has come, a new reference; NULL for none yet. */
json_t *rpc_next(struct rpc *rpc);

#endif
