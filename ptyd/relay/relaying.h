/* relaying.h - the process `ptyd relay`, and what it says of itself. */
#ifndef PTYD_RELAY_RELAYING_H
#define PTYD_RELAY_RELAYING_H

#include <jansson.h>

#include "ptyd/relay/setup.h"

/* Runs until SIGTERM or SIGINT, or until `relay.json` is not the one of `stamp` any more: then
 * *ret_anew is set, and another process should run. Returns the exit status. */
int relaying_run(const char *state, const struct setup *settings, struct setup_stamp stamp,
                 const struct identity *identity, bool *ret_anew);

/* What the process that runs, or ran last, wrote of itself; new reference, NULL for none:
 * {pid, since_ms, at_ms, host_id, url, connected, connected_ms, sent, unacked, taken, known,
 * clashes, refused, suppressed, waits, gives_way, error, error_ms, lost_ms, stuck, stuck_ms, hosts:
 * {HOSTID: {host, at_ms, blocks}}, sealed, unsealed, unopened, oversize}; sealed is the key's id.
 */
json_t *relaying_status(const char *state);
/* The process that runs; 0 for none. */
long relaying_pid(const char *state);

#endif
