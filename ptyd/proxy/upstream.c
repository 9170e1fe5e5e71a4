#define _GNU_SOURCE
#include "ptyd/proxy/upstream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define RETRY_MS 20

/* The URL that a server's own arguments make it listen on; NULL for none. */
static const char *own_listen(char **argv)
{
    for (char **at = argv + 1; argv[0] && *at; at++) {
        if (!strcmp(*at, "--listen") && at[1])
            return at[1];
        if (!strncmp(*at, "--listen=", 9))
            return *at + 9;
        if (!strcmp(*at, "--stdio"))
            return "stdio://";
    }
    return NULL;
}

/* A copy of argv with `--listen URL` behind it; the words stay the caller's. */
static char **with_listen(char **argv, char *url)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **more = memory_new((count + 3) * sizeof *more);
    memcpy(more, argv, count * sizeof *more);
    more[count] = (char *)"--listen";
    more[count + 1] = url;
    return more;
}

static char *make_directory(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *path = text_format("%s/ptyd-proxy-XXXXXX", runtime && *runtime ? runtime : "/tmp");
    if (mkdtemp(path)) /* 0700 */
        return path;
    say("cannot make a directory %s: %s; set XDG_RUNTIME_DIR to one that is yours", path,
        strerror(errno));
    free(path);
    return NULL;
}

static bool has_ended(const struct child *c)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* A server that was just started takes a moment to listen. */
static int wait_for(struct upstream *u)
{
    long long deadline = clock_monotonic_ms() + LIMIT_SERVER_START_MS;
    for (;;) {
        int fd = address_connect(&u->address);
        if (fd >= 0) {
            close(fd);
            return 0;
        }
        if (fd == -EPERM)
            return EXIT_FAILED;
        if (has_ended(&u->child))
            return say_fail(EXIT_FAILED, "the app-server ended before it listened");
        if (clock_monotonic_ms() > deadline)
            return say_fail(EXIT_FAILED, "the app-server did not listen within %d s",
                            LIMIT_SERVER_START_MS / 1000);
        poll(NULL, 0, RETRY_MS);
    }
}

static int parse(const char *url, struct upstream *u)
{
    char *message;
    if (address_parse(url, &u->address, &message) == 0)
        return 0;
    say("%s", message);
    free(message);
    return EXIT_USAGE;
}

static bool asks_for_tokens(char **argv)
{
    for (; *argv; argv++)
        if (!strncmp(*argv, "--ws-auth", 9))
            return true;
    return false;
}

/* A port of the loopback interface that nobody uses at the moment; 0 when there is none. */
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        port = ntohs(address.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

/* Starts the server where only we find it. App-servers ask for tokens on TCP alone, so one that is
 * told to gets a port instead of a Unix socket. */
static int start_private(char **argv, struct upstream *u)
{
    bool tokens = asks_for_tokens(argv);
    if (!tokens && !(u->directory = make_directory()))
        return EXIT_FAILED;
    char *url = tokens ? text_format("ws://127.0.0.1:%d", free_port())
                       : text_format("unix://%s/server.sock", u->directory);
    char **more = with_listen(argv, url);
    int status = parse(url, u);
    if (status == 0)
        status = child_start(more, false, &u->child);
    free(more);
    free(url);
    return status;
}

static int start(char **argv, bool shared, struct upstream *u)
{
    const char *own = own_listen(argv);
    if (own && (!strncmp(own, "stdio", 5) || !strcmp(own, "off"))) {
        if (shared)
            return say_fail(EXIT_USAGE, "a server on %s serves one client: leave its --listen out",
                            own);
        own = NULL;
    }
    if (!shared && !own)
        return child_start(argv, true, &u->child);
    int status = own ? parse(own, u) : start_private(argv, u);
    if (status == 0 && own)
        status = child_start(argv, false, &u->child);
    return status == 0 ? wait_for(u) : status;
}

int upstream_start(const char *connect, char **argv, bool shared, struct upstream *ret_upstream)
{
    struct upstream u = {.child = {.pidfd = -1, .in = -1, .out = -1}};
    int status = connect ? parse(connect, &u) : start(argv, shared, &u);
    if (status == 0) {
        *ret_upstream = u;
        return 0;
    }
    if (u.child.pid > 0)
        kill(u.child.pid, SIGTERM);
    upstream_finish(&u);
    return status;
}

bool upstream_is_piped(const struct upstream *u)
{
    return u->child.in >= 0;
}

int upstream_finish(struct upstream *u)
{
    int status = u->child.pid > 0 ? child_wait(&u->child) : 0;
    if (u->directory) {
        unlink(u->address.path);
        rmdir(u->directory);
    }
    address_finish(&u->address);
    free(u->directory);
    return child_become(status);
}
