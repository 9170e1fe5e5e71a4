/* listener.h - the control socket and the locks that make a daemon the only one. */
#ifndef PTYD_KEEPER_LISTENER_H
#define PTYD_KEEPER_LISTENER_H

#include <stdbool.h>

struct listener {
    int fd;         /* the listening socket */
    int lock;       /* held while the daemon lives */
    int state_lock; /* the same for the state directory */
    char *path;     /* of the socket; owned */
    bool inherited; /* it came from systemd, who also removes it */
};

/* Takes the socket that systemd passed (LISTEN_FDS) or makes one at `path`, in a directory that is
 * ours alone; removes a stale one. Locks the state directory too. Returns 0, or -1 with a message
 * that says what to do in *ret_message (a new string). */
int listener_open(const char *path, const char *state, struct listener *ret_listener,
                  char **ret_message);

/* Listens at its place again where nobody is reached there, for the socket was removed, or all of
 * its directory: the descriptor stays, and is the new socket's. Returns 1 for that; 0 where it is
 * reached, or is systemd's; -1 with a message (a new string). */
int listener_renew(struct listener *listener, char **ret_message);

/* Closes everything and removes the socket that we made. */
void listener_close(struct listener *listener);

/* Tells systemd (NOTIFY_SOCKET), if it listens; `text` like `READY=1`. */
void listener_notify(const char *text);

#endif
