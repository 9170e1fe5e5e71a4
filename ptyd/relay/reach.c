#define _GNU_SOURCE
#include "ptyd/relay/reach.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

/* Returns 0 or an errno. */
static int try_address(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int error = fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen) < 0 ? errno : 0;
    socklen_t size = sizeof error;
    if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        if (poll(&ready, 1, LIMIT_RELAY_CONNECT_MS) > 0)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (fd >= 0)
        close(fd);
    return error;
}

char *reach_why(const char *host, const char *port)
{
    struct addrinfo *found = NULL;
    int none = getaddrinfo(host, port, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &found);
    if (none)
        return text_format("%s: %s", host, gai_strerror(none));
    int error = try_address(found); /* the others were tried by the library */
    freeaddrinfo(found);
    if (error == ECONNREFUSED)
        return text_format("nobody listens at port %s there: nats-server does not run, or the port "
                           "is another",
                           port);
    if (error)
        return text_format("port %s: %s", port, strerror(error));
    return text_copy("who listens there does not answer as a NATS server does");
}

const char *reach_hint(const char *words)
{
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"Authorization Violation",
         "; its owner lets this host in with the line that `ptyd relay enable` prints"},
        {"Secure Connection not available", "; the hub speaks no TLS: it needs --cert and --key "
                                            "(`ptyd relay hub`), or is nats:// on this "
                                            "machine"},
        {"Secure Connection Required", "; the hub speaks TLS alone: its URL begins with tls://"},
        {"hostname mismatch", "; the certificate must name the machine as the URL does"},
        {"IP address mismatch", "; the certificate must name the machine as the URL does"},
        {"self-signed certificate", "; `--ca FILE` has the certificates to trust"},
        {"unable to get local issuer", "; `--ca FILE` has the certificates to trust"},
        {"certificate has expired", "; the hub's owner makes another, or this clock is wrong"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(words, hints[i].part))
            return hints[i].hint;
    return "";
}
