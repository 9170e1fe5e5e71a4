/* local.h - one question to this host's daemon, which may not run. */
#ifndef PTYD_RELAY_LOCAL_H
#define PTYD_RELAY_LOCAL_H

#include <jansson.h>

/* Connects, asks, disconnects: LIMIT_RELAY_HAND_MS at most, nothing is started, nothing is said.
 * The whole answer, {"result":...} or {"error":...}, a new reference; NULL where there is none.
 * Steals `params`. */
json_t *local_ask(const char *method, json_t *params);

#endif
