#define _GNU_SOURCE
#include "ptyd/proxy/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/core/trust.h"

char *address_codex_socket(void)
{
    const char *codex = getenv("CODEX_HOME"), *home = getenv("HOME");
    if (codex && *codex)
        return text_format("%s/app-server-control/app-server-control.sock", codex);
    return text_format("%s/.codex/app-server-control/app-server-control.sock", home ? home : "");
}

/* ---- parsing ---- */

static int fail(char **ret_message, char *message)
{
    *ret_message = message;
    return -1;
}

/* HOST:PORT or [HOST]:PORT in front of a path. */
static int parse_tcp(const char *text, struct address *a, char **ret_message)
{
    size_t authority = strcspn(text, "/?");
    const char *colon = memrchr(text, ':', authority);
    long port;
    if (!colon || colon == text)
        return fail(ret_message, text_format("'ws://%s' names no port; it is ws://IP:PORT", text));
    a->port = text_format("%.*s", (int)(text + authority - colon - 1), colon + 1);
    bool brackets = text[0] == '[' && colon[-1] == ']';
    a->host = text_format("%.*s", (int)(colon - text) - 2 * brackets, text + brackets);
    const char *slash = text[authority] == '?' ? "/" : "";
    a->target = text_format("%s%s", slash, text[authority] ? text + authority : "/");
    if (!text_parse_number(a->port, 0, 65535, &port))
        return fail(ret_message, text_format("'%s' is no port", a->port));
    return 0;
}

int address_parse(const char *url, struct address *ret_address, char **ret_message)
{
    struct address a = {0};
    int result = 0;
    if (!strcmp(url, "codex") || !strcmp(url, "unix://"))
        a.path = address_codex_socket();
    else if (!strncmp(url, "unix://", 7))
        a.path = text_copy(url + 7);
    else if (!strncmp(url, "ws://", 5))
        result = parse_tcp(url + 5, &a, ret_message);
    else
        result =
            fail(ret_message,
                 text_format("'%s' is no address; it is unix://PATH, ws://IP:PORT or codex", url));
    if (a.path)
        a.target = text_copy("/");
    if (result < 0)
        address_finish(&a);
    else
        *ret_address = a;
    return result;
}

void address_finish(struct address *a)
{
    free(a->path);
    free(a->host);
    free(a->port);
    free(a->target);
    *a = (struct address){0};
}

bool address_is_local(const struct address *a)
{
    return a->path || !strncmp(a->host, "127.", 4) || !strcmp(a->host, "::1") ||
           !strcmp(a->host, "localhost");
}

const char *address_host(const struct address *a)
{
    return a->path ? "localhost" : a->host;
}

/* ---- sockets ---- */

static int listen_unix(const struct address *a, char **ret_message)
{
    char *directory = paths_parent(a->path), *doubt = trust_doubt(a->path, false);
    int result = doubt ? 0 : file_make_private_directory(directory);
    int fd = -1;
    if (doubt)
        *ret_message = text_format("cannot listen on %s: %s", a->path, doubt);
    else if (result == 0)
        fd = local_socket_listen(a->path, ret_message);
    else if (result == -EPERM)
        *ret_message = text_format("the directory %s is not yours alone; if it is yours and for "
                                   "this alone, `chmod 700 %s`, or choose another",
                                   directory, directory);
    else
        *ret_message =
            text_format("cannot make the directory %s: %s", directory, strerror(-result));
    free(directory);
    free(doubt);
    return fd;
}

static struct addrinfo *resolve(const struct address *a, int flags)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags}, *list = NULL;
    return getaddrinfo(a->host, a->port, &hints, &list) == 0 ? list : NULL;
}

static int listen_tcp(const struct address *a, char **ret_message)
{
    struct addrinfo *list = resolve(a, AI_PASSIVE | AI_NUMERICHOST);
    int one = 1, fd = -1;
    if (!list)
        return fail(ret_message, text_format("'%s' is no IP address", a->host));
    fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) < 0 || listen(fd, LIMIT_BACKLOG) < 0) {
        *ret_message = text_format("cannot listen on %s:%s: %s", a->host, a->port, strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(list);
    return fd;
}

int address_listen(const struct address *a, char **ret_message)
{
    return a->path ? listen_unix(a, ret_message) : listen_tcp(a, ret_message);
}

static int connect_tcp(const struct address *a)
{
    struct addrinfo *list = resolve(a, 0);
    int one = 1, result = -EHOSTUNREACH;
    for (struct addrinfo *at = list; at; at = at->ai_next) {
        int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            result = fd;
            break;
        }
        result = -errno;
        if (fd >= 0)
            close(fd);
    }
    if (list)
        freeaddrinfo(list);
    return result;
}

int address_connect(const struct address *a)
{
    char *doubt = NULL;
    int fd =
        a->path ? local_socket_connect(a->path, false, LIMIT_HTTP_WAIT_MS, &doubt) : connect_tcp(a);
    if (doubt)
        say("nothing was sent to %s: %s", a->path, doubt);
    free(doubt);
    return fd;
}
