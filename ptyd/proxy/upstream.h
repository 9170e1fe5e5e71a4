/* upstream.h - the app-server behind a proxy: one that is there, or one that it starts. */
#ifndef PTYD_PROXY_UPSTREAM_H
#define PTYD_PROXY_UPSTREAM_H

#include <stdbool.h>

#include "ptyd/proxy/address.h"
#include "ptyd/proxy/child.h"

struct upstream {
    struct address address; /* where it listens; without path and host: on pipes */
    struct child child;     /* pid 0 without */
    char *directory;        /* made for its socket, or NULL */
};

/* `connect`: where a server listens, or NULL; then argv is started. With `shared` it must serve
 * several connections: without a --listen of its own it gets one on a private socket, and is waited
 * for. Returns 0, or an exit status after a message. */
int upstream_start(const char *connect, char **argv, bool shared, struct upstream *ret_upstream);

/* Whether it speaks over pipes rather than sockets. */
bool upstream_is_piped(const struct upstream *u);

/* Waits for the end of the server that was started, and removes what was made for it. Returns the
 * exit status that stands for its own (child_become()); 0 without one. */
int upstream_finish(struct upstream *u);

#endif
