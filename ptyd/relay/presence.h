/* presence.h - what a relay says of its host: that it is there, since when, and what runs. */
#ifndef PTYD_RELAY_PRESENCE_H
#define PTYD_RELAY_PRESENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/relay/setup.h"

#define PRESENCE_MS 30000 /* between two words; who misses three is not there */

/* What runs in this host's sessions, as the daemon has it, without secrets: [{name, state, cmd?}];
 * new reference. */
json_t *presence_sessions(void);
/* Whether one of them lives: no daemon ends then, and asking keeps none from it. */
bool presence_lives(const json_t *sessions);

/* {v, host_id, host, since_ms, now_ms, gone, sessions}, with those; new reference. `gone`: it is
 * the last. */
json_t *presence_json(const struct setup *setup, const struct identity *own, int64_t since_ms,
                      bool gone, json_t *sessions);

/* Another host's word, whatever it holds: {host_id, host, since_ms, gone, sessions, now_ms},
 * cleaned and bounded; new reference, NULL where it is none, or another's than `host_id`. */
json_t *presence_read(const json_t *said, const char *host_id);

#endif
