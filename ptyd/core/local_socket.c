#define _GNU_SOURCE
#include "ptyd/core/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/core/trust.h"

static int fail(char **ret_message, char *message)
{
    *ret_message = message;
    return -1;
}

/* Locks a file and writes our process id into it. Returns the descriptor, -1 with *ret_pid (0 when
 * unknown) if another holds it, or -errno - 1. */
static int lock_file(const char *path, long *ret_pid)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    char text[32] = {0};
    if (fd < 0)
        return -errno - 1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        int len = snprintf(text, sizeof text, "%ld\n", (long)getpid());
        if (ftruncate(fd, 0) == 0)
            file_write_all(fd, text, (size_t)len, 0);
        return fd;
    }
    int error = errno;
    *ret_pid = file_read_at(fd, text, sizeof text - 1, 0) > 0 ? atol(text) : 0;
    close(fd);
    return error == EWOULDBLOCK ? -1 : -error - 1;
}

int local_socket_lock(const char *path, const char *what, char **ret_message)
{
    long pid = 0;
    int fd = lock_file(path, &pid);
    if (fd >= 0)
        return fd;
    if (fd == -1)
        return fail(ret_message,
                    text_format("another ptyd (process %ld) has this %s; `ptyd status` "
                                "shows it, `kill %ld` ends it",
                                pid, what, pid));
    return fail(ret_message, text_format("cannot lock %s: %s", path, strerror(-fd - 1)));
}

int local_socket_address(const char *path, struct sockaddr_un *ret_address)
{
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof ret_address->sun_path)
        return -ENAMETOOLONG;
    strcpy(ret_address->sun_path, path);
    return 0;
}

/* Removes a socket that nobody serves. Anything else in its place is not ours to remove. */
static int remove_stale(const char *path, const struct sockaddr_un *address, char **ret_message)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0
                               : fail(ret_message, text_format("%s: %s", path, strerror(errno)));
    if (!S_ISSOCK(st.st_mode))
        return fail(ret_message, text_format("%s is there and is no socket; move it away or choose "
                                             "another place",
                                             path));
    if (st.st_uid != geteuid())
        return fail(ret_message, text_format("%s belongs to user %u; choose another place with "
                                             "--socket",
                                             path, (unsigned)st.st_uid));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int taken = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;
    if (fd >= 0)
        close(fd);
    if (taken)
        return fail(ret_message, text_format("%s is served by another program; choose another "
                                             "place",
                                             path));
    unlink(path);
    return 0;
}

int local_socket_listen(const char *path, char **ret_message)
{
    struct sockaddr_un address;
    if (local_socket_address(path, &address) < 0)
        return fail(ret_message, text_format("%s is too long for a socket (107 bytes); choose "
                                             "another place",
                                             path));
    if (remove_stale(path, &address, ret_message) < 0)
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0177);
    int bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(mask);
    if (bound == 0 && listen(fd, LIMIT_BACKLOG) == 0)
        return fd;
    fail(ret_message, text_format("cannot listen on %s: %s", path, strerror(errno)));
    if (fd >= 0)
        close(fd);
    return -1;
}

static int connect_stream(const char *path, int wait_ms)
{
    struct timeval ever = {0}; /* what no time at all would be */
    struct timeval wait = {.tv_sec = wait_ms / 1000,
                           .tv_usec = wait_ms > 0 ? wait_ms % 1000 * 1000 : 1};
    struct sockaddr_un address;
    int result = local_socket_address(path, &address);
    int fd = result < 0 ? result : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (result < 0)
        return result;
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait); /* connect(2) heeds it, too */
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &ever, sizeof ever);
        return fd;
    }
    int error = -errno;
    close(fd);
    return error;
}

bool local_socket_is_ours(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

int local_socket_connect(const char *path, bool alone, int wait_ms, char **ret_doubt)
{
    char *doubt = trust_doubt(path, alone);
    if (doubt) {
        *ret_doubt = doubt;
        return -EPERM;
    }
    int fd = connect_stream(path, wait_ms);
    if (fd < 0 || local_socket_is_ours(fd))
        return fd == -EPERM ? -EACCES : fd;
    close(fd);
    *ret_doubt = text_format("another user serves %s; choose another place", path);
    return -EPERM;
}
