/* clients.h - a proxy that serves several clients: it accepts, and forks a process for each. */
#ifndef PTYD_PROXY_CLIENTS_H
#define PTYD_PROXY_CLIENTS_H

#include "ptyd/proxy/gate.h"
#include "ptyd/proxy/upstream.h"

/* Serves `address` until the server ends or a signal says so (it is passed to the server, whose end
 * is waited for). Returns 0, or an exit status after a message. */
int clients_run(const struct address *address, struct upstream *upstream,
                const struct gate_options *options);

#endif
