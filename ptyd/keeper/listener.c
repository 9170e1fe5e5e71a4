#define _GNU_SOURCE
#include "ptyd/keeper/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/core/trust.h"

static int fail(char **ret_message, char *message)
{
    *ret_message = message;
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
        return fail(ret_message,
                    text_format("the %s directory %s is not ours alone; if it is yours "
                                "and for this alone, `chmod 700 %s`, or choose "
                                "another",
                                what, path, path));
    if (result < 0)
        return fail(ret_message, text_format("cannot make the %s directory %s: %s", what, path,
                                             strerror(-result)));
    return 0;
}

/* Of the directories above it the last that is there. */
static char *last_above(const char *path, struct stat *ret_st)
{
    char *at = paths_parent(path);
    while (stat(at, ret_st) < 0 && strcmp(at, "/") != 0 && strcmp(at, ".") != 0) {
        char *above = paths_parent(at);
        free(at);
        at = above;
    }
    return at;
}

/* Whether it is who called sudo. */
static bool is_caller(uid_t user)
{
    const char *caller = getenv("SUDO_UID");
    long number;
    return caller && text_parse_number(caller, 0, UINT_MAX, &number) && (uid_t)number == user;
}

/* What root makes in the home of who called `sudo -E`, that one can neither enter nor remove: a
 * ~/.local, say. Where somebody said so by name it is made. A container's root may have a home that
 * is a user's outside. */
static int check_owner(const char *state, char **ret_message)
{
    const char *given = getenv("PTYD_STATE_DIR");
    struct stat st;
    if (geteuid() != 0 || (given && *given) || lstat(state, &st) == 0)
        return 0;
    char *above = last_above(state, &st);
    int result = !st.st_uid || !is_caller(st.st_uid)
                     ? 0
                     : fail(ret_message, text_format("the state directory would be made by root in "
                                                     "%s, which belongs to user %u; set HOME to "
                                                     "root's own, or PTYD_STATE_DIR",
                                                     above, (unsigned)st.st_uid));
    free(above);
    return result;
}

static int lock_state(const char *state, char **ret_message)
{
    if (check_owner(state, ret_message) < 0)
        return -1;
    char *path = text_format("%s/lock", state);
    int lock = prepare_directory(state, "state", ret_message) < 0
                   ? -1
                   : local_socket_lock(path, "state directory", ret_message);
    free(path);
    return lock;
}

static int check_socket(const char *path, char **ret_message)
{
    char *doubt = trust_doubt(path, true);
    if (doubt)
        fail(ret_message, text_format("the socket cannot be %s: %s", path, doubt));
    free(doubt);
    return doubt ? -1 : 0;
}

/* Looked at before anything is made there, and again as it is then. */
static int prepare_socket(const char *path, const char *directory, char **ret_message)
{
    return check_socket(path, ret_message) < 0 ||
                   prepare_directory(directory, "socket", ret_message) < 0
               ? -1
               : check_socket(path, ret_message);
}

static int open_own(struct listener *l, char **ret_message)
{
    char *directory = paths_parent(l->path);
    char *lock = text_format("%s.lock", l->path);
    if (prepare_socket(l->path, directory, ret_message) == 0 &&
        (l->lock = local_socket_lock(lock, "socket", ret_message)) >= 0)
        l->fd = local_socket_listen(l->path, ret_message);
    free(directory);
    free(lock);
    return l->fd < 0 ? -1 : 0;
}

/* Another ptyd may have the number, where the one of the lock is another host's or container's. */
static bool is_daemon(long pid)
{
    char line[PATH_MAX + 64];
    size_t len = proc_head(pid, "cmdline", line, sizeof line);
    bool serves = false;
    for (size_t at = 0; at < len && !serves; at += strlen(line + at) + 1)
        serves = at && !strcmp(line + at, "serve");
    return serves && proc_is_ptyd(line);
}

/* Who has the state directory may be listening where nobody finds it: it looks (listener_renew()).
 */
static void remind(const char *state)
{
    char *path = text_format("%s/lock", state);
    struct bytes text = {0};
    long pid =
        file_read_regular(path, LIMIT_NAME_BYTES, &text) == 0 && text.len ? atol(text.data) : 0;
    if (pid > 1 && is_daemon(pid))
        kill((pid_t)pid, SIGHUP);
    bytes_finish(&text);
    free(path);
}

int listener_open(const char *path, const char *state, struct listener *ret_listener,
                  char **ret_message)
{
    struct listener l = {.fd = inherited_socket(), .lock = -1, .state_lock = -1};
    l.inherited = l.fd >= 0;
    l.path = text_copy(path);
    /* Where it cannot be nothing is made. */
    if (!l.inherited && check_socket(path, ret_message) < 0) {
        listener_close(&l);
        return -1;
    }
    l.state_lock = lock_state(state, ret_message);
    if (l.state_lock < 0)
        remind(state);
    if (l.state_lock < 0 || (!l.inherited && open_own(&l, ret_message) < 0)) {
        listener_close(&l);
        return -1;
    }
    *ret_listener = l;
    return 0;
}

static bool is_reached(const char *path)
{
    char *doubt = NULL;
    int fd = local_socket_connect(path, true, 0, &doubt);
    free(doubt);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || fd == -EAGAIN;
}

int listener_renew(struct listener *l, char **ret_message)
{
    struct listener next = {.fd = -1, .lock = -1, .path = l->path};
    if (l->inherited || is_reached(l->path))
        return 0;
    close(l->lock); /* the file may still be there */
    l->lock = -1;
    bool opened = open_own(&next, ret_message) == 0;
    l->lock = next.lock;
    if (opened && dup3(next.fd, l->fd, O_CLOEXEC) < 0)
        opened = fail(ret_message,
                      text_format("cannot listen on %s: %s", l->path, strerror(errno))) == 0;
    if (next.fd >= 0)
        close(next.fd);
    return opened ? 1 : -1;
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
    if (!path || local_socket_address(path, &address) < 0)
        return;
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* the abstract namespace */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, len) < 0)
        say("cannot tell systemd: %s", strerror(errno));
    close(fd);
}
