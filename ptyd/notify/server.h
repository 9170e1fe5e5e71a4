/* server.h - an app-server of codex's on a socket, as one of its clients speaks with it: one
 * request at a time, each with an end. */
#ifndef PTYD_NOTIFY_SERVER_H
#define PTYD_NOTIFY_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct server;

/* Connects to where `url` leads (proxy/address.h; `codex` is codex's own control socket) and says
 * who we are. NULL after a message. */
struct server *server_connect(const char *url);
void server_destroy(struct server *s);

/* Asks, and waits for the answer: `result` or `error` of it, a new reference; NULL when none came
 * in LIMIT_APP_SERVER_MS or the connection is lost. Steals `params`. */
json_t *server_ask(struct server *s, const char *method, json_t *params);

/* From now on it is heard when that thread's status changes (borrowed). */
void server_watch(struct server *s, const char *thread);

/* Waits until it has changed since this was called last, or `until` (monotonic ms, -1 for ever).
 * Returns false when it is later, or the connection is lost. */
bool server_waits(struct server *s, int64_t until);

/* How many turns have begun behind the end of another one, as far as was heard. */
int server_turns(const struct server *s);

/* Whether somebody else is connected to it, too; true where that cannot be seen. */
bool server_has_others(const struct server *s);

#endif
