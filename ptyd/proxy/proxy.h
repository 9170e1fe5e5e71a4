/* proxy.h - a whole proxy, for the commands that are one. */
#ifndef PTYD_PROXY_PROXY_H
#define PTYD_PROXY_PROXY_H

#include "ptyd/proxy/gate.h"

struct proxy_options {
    struct gate_options gate;
    const char *listen;    /* URL, or NULL for stdin and stdout */
    const char *connect;   /* URL of a server that runs, or NULL */
    const char *token_env; /* variable that holds a bearer token for it, or NULL */
};

/* Runs until the server ends. `argv`: the server to start, or NULL with `connect`. Returns the exit
 * status, the server's own where there is one. */
int proxy_run(const struct proxy_options *options, char **argv);

/* codex with these arguments: proxied when they start an app-server, exec'ed otherwise. */
int codex_main(int argc, char **argv);

#endif
