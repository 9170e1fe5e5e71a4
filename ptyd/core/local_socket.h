/* local_socket.h - Unix sockets in files: connecting, and serving one alone. */
#ifndef PTYD_CORE_LOCAL_SOCKET_H
#define PTYD_CORE_LOCAL_SOCKET_H

#include <stdbool.h>
#include <sys/un.h>

/* Fills an address. Returns 0, or -ENAMETOOLONG beyond 107 bytes. */
int local_socket_address(const char *path, struct sockaddr_un *ret_address);

/* Whether the other end of a connected Unix socket is a process of ours. */
bool local_socket_is_ours(int fd);

/* A connected stream whose other end is ours, or -errno: -EAGAIN when nobody accepts and the
 * backlog stayed full for `wait_ms`, or now with 0; -EPERM, with *ret_doubt what is wrong and what
 * to do (a new string), where the way there is not ours alone (trust.h, with its `alone`) or
 * another user serves it. Nothing was written then. */
int local_socket_connect(const char *path, bool alone, int wait_ms, char **ret_doubt);

/* Holds a file's lock while the descriptor is open, with our process id in it. Returns the
 * descriptor, or -1 with a message that says who has the `what` (a new string). */
int local_socket_lock(const char *path, const char *what, char **ret_message);

/* A listening socket of mode 0600, nonblocking; a stale one in its place is removed. Returns the
 * descriptor, or -1 with a message that says what to do (a new string). */
int local_socket_listen(const char *path, char **ret_message);

#endif
