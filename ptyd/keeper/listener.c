#define _GNU_SOURCE
#include "ptyd/keeper/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

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
    *ret_pid = pread(fd, text, sizeof text - 1, 0) > 0 ? atol(text) : 0;
    close(fd);
    return error == EWOULDBLOCK ? -1 : -error - 1;
}

static int take_lock(const char *path, const char *what, char **ret_message)
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

static int connect_address(const char *path, struct sockaddr_un *ret_address)
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
                                             "another place with --socket",
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
                                             "place with --socket",
                                             path));
    unlink(path);
    return 0;
}

static int bind_socket(const char *path, char **ret_message)
{
    struct sockaddr_un address;
    if (connect_address(path, &address) < 0)
        return fail(ret_message, text_format("%s is too long for a socket (107 bytes); choose "
                                             "another place with --socket",
                                             path));
    if (remove_stale(path, &address, ret_message) < 0)
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0177);
    int bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(mask);
    if (bound == 0 && listen(fd, 128) == 0)
        return fd;
    fail(ret_message, text_format("cannot listen on %s: %s", path, strerror(errno)));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The socket of sd_listen_fds(3): descriptor 3, when LISTEN_PID is us. */
static int inherited_socket(void)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    bool ours = pid && count && atol(pid) == (long)getpid() && atoi(count) >= 1;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (!ours)
        return -1;
    fcntl(3, F_SETFD, FD_CLOEXEC);
    fcntl(3, F_SETFL, fcntl(3, F_GETFL) | O_NONBLOCK);
    return 3;
}

static int prepare_directory(const char *path, const char *what, char **ret_message)
{
    int result = file_make_private_directory(path);
    if (result == -EPERM)
        return fail(ret_message, text_format("the %s directory %s is not ours alone; remove it or "
                                             "choose another",
                                             what, path));
    if (result < 0)
        return fail(ret_message, text_format("cannot make the %s directory %s: %s", what, path,
                                             strerror(-result)));
    return 0;
}

static int lock_state(const char *state, char **ret_message)
{
    char *path = text_format("%s/lock", state);
    int lock = prepare_directory(state, "state", ret_message) < 0
                   ? -1
                   : take_lock(path, "state directory", ret_message);
    free(path);
    return lock;
}

static int open_own(struct listener *l, char **ret_message)
{
    char *directory = paths_parent(l->path);
    char *lock = text_format("%s.lock", l->path);
    if (prepare_directory(directory, "socket", ret_message) == 0 &&
        (l->lock = take_lock(lock, "socket", ret_message)) >= 0)
        l->fd = bind_socket(l->path, ret_message);
    free(directory);
    free(lock);
    return l->fd < 0 ? -1 : 0;
}

int listener_open(const char *path, const char *state, struct listener *ret_listener,
                  char **ret_message)
{
    struct listener l = {.fd = inherited_socket(), .lock = -1, .state_lock = -1};
    l.inherited = l.fd >= 0;
    l.path = text_copy(path);
    l.state_lock = lock_state(state, ret_message);
    if (l.state_lock < 0 || (!l.inherited && open_own(&l, ret_message) < 0)) {
        listener_close(&l);
        return -1;
    }
    *ret_listener = l;
    return 0;
}

void listener_close(struct listener *l)
{
    if (l->fd >= 0) {
        close(l->fd);
        if (!l->inherited)
            unlink(l->path);
    }
    if (l->lock >= 0)
        close(l->lock);
    if (l->state_lock >= 0)
        close(l->state_lock);
    free(l->path);
    *l = (struct listener){.fd = -1, .lock = -1, .state_lock = -1};
}

void listener_notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    if (!path || connect_address(path, &address) < 0)
        return;
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* the abstract namespace */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, len) < 0)
        fprintf(stderr, "ptyd: cannot tell systemd: %s\n", strerror(errno));
    close(fd);
}
