/* relay.h - a gate between two pairs of descriptors. */
#ifndef PTYD_PROXY_RELAY_H
#define PTYD_PROXY_RELAY_H

#include "ptyd/proxy/gate.h"

struct relay_ends {
    int client_in, client_out; /* from and to the client */
    int server_in, server_out; /* to and from the server */
};

/* Relays until the server's output ends. Closes server_in when the client's input has ended and
 * was passed on. Memory is bounded: a side that does not read stops the other. */
void relay_run(struct gate *gate, struct relay_ends ends);

#endif
