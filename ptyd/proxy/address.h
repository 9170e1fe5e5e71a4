/* address.h - where a proxy listens and connects: unix://PATH, ws://IP:PORT, `codex`. */
#ifndef PTYD_PROXY_ADDRESS_H
#define PTYD_PROXY_ADDRESS_H

#include <stdbool.h>

struct address {
    char *path; /* of a Unix socket, or NULL */
    char *host; /* of a TCP address, or NULL */
    char *port;
    char *target; /* what a client asks for when nobody says more: "/", or what the URL holds */
};

/* Codex's own control socket: $CODEX_HOME/app-server-control/app-server-control.sock. New string.
 */
char *address_codex_socket(void);

/* Parses a URL; `unix://` alone and `codex` mean the control socket. Returns 0, or -1 with a
 * message in *ret_message (a new string). */
int address_parse(const char *url, struct address *ret_address, char **ret_message);
void address_finish(struct address *address);

/* Whether only this machine can reach it. */
bool address_is_local(const struct address *address);

/* A listening nonblocking socket; a Unix one is 0600 in a directory that is ours, in which others
 * cannot write. Returns the descriptor, or -1 with a message. */
int address_listen(const struct address *address, char **ret_message);

/* A connected socket, or -errno; -EPERM, after a message, where a Unix one is not ours: nothing was
 * written to it. */
int address_connect(const struct address *address);

/* What stands in a Host header. */
const char *address_host(const struct address *address);

#endif
