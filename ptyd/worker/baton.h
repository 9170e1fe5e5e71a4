/* baton.h - an agent asks to type, its user hands it the baton, any key of the user's takes it
 * back.
 *
 * Who asks keeps its connection: with that the baton is lost, as it is with the worker. Whether a
 * byte of an agent's may be typed is decided where it is (session/typing.h), by the baton's number.
 */
#ifndef PTYD_WORKER_BATON_H
#define PTYD_WORKER_BATON_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/worker/server.h"

struct session;
struct worker;

/* The methods `baton.ask`, `baton.grant` and `baton.return`. */
void baton_ask_call(struct client *client, const json_t *id, const json_t *params);
void baton_grant_call(struct client *client, const json_t *id, const json_t *params);
void baton_return_call(struct client *client, const json_t *id, const json_t *params);

/* Who attached grants what was asked first; false where nobody asks. */
bool baton_grant_once(struct session *s);

/* By which number the request's agent may type, when params.actor is `agent`: 0 after the request
 * was refused. Where it is no agent's *ret_number is 0, too, and it may go on. */
bool baton_may_type(struct client *client, const json_t *id, const json_t *params,
                    struct session *s, uint64_t *ret_number);
/* An agent's request is in the session's queue: if that was all it was granted, it holds the baton
 * no more, and what is queued is typed. */
void baton_used(struct session *s, uint64_t number);

/* Of struct session_events, for the worker. */
void baton_taken(void *worker, struct session *s, uint64_t number);

/* Who asks and who holds, an array of {conversation_id, agent, purpose, state, scope}. */
json_t *baton_json(const struct worker *w);
/* What a viewer that joins is to know of it, as VIEW_BATON has it; NULL where nobody asks or holds.
 * New string. */
char *baton_text(const struct session *s);

#endif
