/* upgrade.h - from a connected socket to WebSocket messages, on both sides. */
#ifndef PTYD_PROXY_UPGRADE_H
#define PTYD_PROXY_UPGRADE_H

#include <stdatomic.h>

#include "ptyd/proxy/address.h"
#include "ptyd/proxy/peer.h"

/* Connects to a server. `authorization`: the header's value, or NULL. Returns NULL after a message
 * on stderr. */
struct peer *upgrade_connect(const struct address *server, const char *authorization);

/* Serves one connection's head: an upgrade is asked of `server` first, and what it says is what the
 * client hears, a refusal and its text included; /readyz and /healthz say whether it is there.
 * `here` is where we listen, `*headed` is set when the client's head has come. Takes `fd` over.
 * Returns 0 with both ends, or -1 when the connection is over. */
int upgrade_accept(int fd, const struct address *here, const struct address *server,
                   atomic_bool *headed, struct peer **ret_client, struct peer **ret_server);

#endif
