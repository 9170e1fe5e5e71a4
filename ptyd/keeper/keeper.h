/* keeper.h - the process that must never crash: parent of every shell and of the worker. */
#ifndef PTYD_KEEPER_KEEPER_H
#define PTYD_KEEPER_KEEPER_H

#include "ptyd/keeper/listener.h"

/* What the worker process runs: serves until `socket` closes. Returns its exit status. */
typedef int keeper_worker(int socket, void *user);

/* Runs the daemon until a signal or the worker ends it. The listener stays the caller's. Returns
 * the exit status. */
int keeper_run(const struct listener *listener, keeper_worker *worker, void *user);

#endif
