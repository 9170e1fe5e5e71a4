/* relay.h - a gate between a client and a server. */
#ifndef PTYD_PROXY_RELAY_H
#define PTYD_PROXY_RELAY_H

#include "ptyd/proxy/peer.h"
#include "ptyd/proxy/gate.h"

/* Relays until the server's output ends, or the process behind `server_pidfd` (-1: none) has ended
 * and what it left is read. When the client's input has ended and was passed on the server hears
 * it. Memory is bounded: a side that does not read stops the other. */
void relay_run(struct gate *gate, struct peer *client, struct peer *server, int server_pidfd);

#endif
