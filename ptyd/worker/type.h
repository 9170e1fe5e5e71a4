/* type.h - requests that type: answered when the terminal has the bytes. */
#ifndef PTYD_WORKER_TYPE_H
#define PTYD_WORKER_TYPE_H

#include "ptyd/worker/server.h"

struct session;

/* Types params.data, bytes in base64, into the session; params.token and params.timeout_ms as in
 * ptyd-rpc(7), params.actor `agent` where an agent does (baton.h). The request is answered: with
 * {typed}, or with an error whose data is that. What a client that goes away has not typed yet is
 * taken back. */
void type_data(struct client *client, const json_t *id, const json_t *params,
               struct session *session);

/* Answers a request that typed nothing, for want of room. */
void type_refuse(struct client *client, const json_t *id, const struct session *session);

/* `session.input`, and `session.typed`, which says how much of an earlier one was typed. */
void type_call(struct client *client, const json_t *id, const json_t *params);
void type_typed_call(struct client *client, const json_t *id, const json_t *params);

#endif
