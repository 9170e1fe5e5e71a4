/* visit.h - a connection to the hub as this host, for a command that asks one thing there; the
 * relay itself need not run. */
#ifndef PTYD_RELAY_VISIT_H
#define PTYD_RELAY_VISIT_H

#include <jansson.h>

#include "ptyd/relay/hub.h"
#include "ptyd/relay/setup.h"

struct visit {
    struct setup setup;
    struct identity own;
    char *user;  /* as a token */
    char *inbox; /* which the hub borrows */
    struct hub *hub;
};

/* Returns NULL, or why not (a new string). Either way visit_end() ends it. */
char *visit_begin(struct visit *visit);
/* The same as another one, whose setup is owned from then on. */
char *visit_begin_as(struct visit *visit, struct setup setup, const struct identity *own);
void visit_end(struct visit *visit);

/* Who is there, as each relay says of itself and the hub when: an array of {host_id, host, at_ms,
 * since_ms, here, gone, silent_ms, ahead_ms (its clock, of the hub's), sessions: [{name, state,
 * cmd}]}, sorted by name; what others say is cleaned
 * and bounded. `here`: it spoke within the time in which it should have, by the hub's clock. New
 * reference, NULL with *ret_why (a new string). */
json_t *visit_hosts(struct visit *visit, char **ret_why);

/* What a command printed on another host, as session.output (ptyd-rpc(7)) has it. `wanted` has
 * session, block and what else that takes; stolen. Likewise. */
json_t *visit_output(struct visit *visit, const char *host_id, json_t *wanted, char **ret_why);

#endif
