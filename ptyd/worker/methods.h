/* methods.h - what a client can ask for (ptyd-rpc(7)). */
#ifndef PTYD_WORKER_METHODS_H
#define PTYD_WORKER_METHODS_H

#include "ptyd/worker/server.h"

extern const struct server_handler method_handler;

#endif
