/* Of a client's request head only the target and Authorization are passed to the server: what other
 * headers ask for (compression, for one) the proxy could not keep up if the server agreed. A
 * request with an Origin comes from a web page and is refused, as app-servers do; so is one whose
 * Host is a name of the web, and one that another reader might read in another way. */
#define _GNU_SOURCE
#include "ptyd/proxy/upgrade.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/http.h"

#define MESSAGE_BOUND                                                                              \
    "x-codex-websocket-max-unfragmented-message-bytes" /* passed to the client                     \
                                                        */
#define TEXT(word)    #word
#define TEXT_OF(name) TEXT(name)
#define UNREACHED     "the app-server cannot be reached"

static bool is_upgrade(const struct http_head *head)
{
    return http_header_has(head, "Upgrade", "websocket") &&
           http_header_has(head, "Connection", "upgrade");
}

static void set_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* ---- asking the server ---- */

static int send_request(int fd, const struct address *server, const char *target,
                        const char *authorization, const char *key)
{
    struct bytes text = {0};
    bytes_printf(&text, "GET %s HTTP/1.1\r\nHost: %s\r\n", target, address_host(server));
    if (authorization)
        bytes_printf(&text, "Authorization: %s\r\n", authorization);
    bytes_printf(&text,
                 "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: %s\r\n\r\n",
                 key);
    int result = text.failed ? -ENOMEM : file_write_all(fd, text.data, text.len, -1);
    bytes_finish(&text);
    return result;
}

/* Whether the answer agrees to the upgrade asked for with `key`. */
static bool agrees(const struct http_head *answer, const char *key)
{
    char wanted[29];
    char *accept = http_header(answer, "Sec-WebSocket-Accept");
    http_accept_key(key, wanted);
    bool ok = http_status(answer) == 101 && accept && !strcmp(accept, wanted);
    free(accept);
    return ok;
}

/* Connects and asks. Returns the socket with the answer's head, or -errno. */
static int ask(const struct address *server, const char *target, const char *authorization,
               const char *key, struct http_head *ret_answer)
{
    int fd = address_connect(server);
    if (fd < 0)
        return fd;
    int result = send_request(fd, server, target, authorization, key);
    if (result == 0)
        result = http_read_head(fd, ret_answer);
    if (result == 0)
        return fd;
    close(fd);
    return result;
}

static struct peer *become_frames(int fd, bool as_client, const struct http_head *head)
{
    set_nonblocking(fd);
    return peer_create_frames(fd, as_client, &head->early);
}

struct peer *upgrade_connect(const struct address *server, const char *authorization)
{
    struct http_head answer = {0};
    struct peer *peer = NULL;
    char key[25];
    http_new_key(key);
    int fd = ask(server, server->target, authorization, key, &answer);
    if (fd < 0)
        say("cannot connect to the app-server at %s: %s",
            server->path ? server->path : server->host, strerror(-fd));
    else if (agrees(&answer, key))
        peer = become_frames(fd, true, &answer);
    else
        say("the app-server at %s refused the connection (HTTP %d)",
            server->path ? server->path : server->host, http_status(&answer));
    if (fd >= 0 && !peer)
        close(fd);
    http_head_finish(&answer);
    return peer;
}

/* ---- answering the client ---- */

/* The server's refusal as it is. */
static void pass_answer(int fd, int server, const struct http_head *answer)
{
    char *length = http_header(answer, "Content-Length");
    char *type = http_header(answer, "Content-Type");
    char *challenge = http_header(answer, "WWW-Authenticate");
    size_t want = length ? strtoul(length, NULL, 10) : 0;
    struct bytes body = {0};
    bytes_append(&body, answer->early.data, answer->early.len);
    while (want <= LIMIT_HTTP_BODY_BYTES && body.len < want) {
        char *to = bytes_reserve(&body, want - body.len);
        ssize_t n = to ? read(server, to, want - body.len) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        body.len += (size_t)n;
    }
    struct bytes text = {0};
    size_t line = strcspn(answer->text.data, "\r");
    bytes_append(&text, answer->text.data, line);
    bytes_printf(&text, "\r\nContent-Length: %zu\r\nConnection: close\r\n", body.len);
    if (type)
        bytes_printf(&text, "Content-Type: %s\r\n", type);
    if (challenge)
        bytes_printf(&text, "WWW-Authenticate: %s\r\n", challenge);
    bytes_append_text(&text, "\r\n");
    bytes_append(&text, body.data, body.len);
    if (!text.failed)
        file_write_all(fd, text.data, text.len, -1);
    bytes_finish(&text);
    bytes_finish(&body);
    free(length);
    free(type);
    free(challenge);
}

static int send_agreement(int fd, const char *client_key, const struct http_head *answer)
{
    char accept[29];
    char *bound = http_header(answer, MESSAGE_BOUND);
    struct bytes text = {0};
    http_accept_key(client_key, accept);
    bytes_printf(&text,
                 "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                 "Upgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n",
                 accept);
    if (bound)
        bytes_printf(&text, MESSAGE_BOUND ": %s\r\n", bound);
    bytes_append_text(&text, "\r\n");
    int result = text.failed ? -ENOMEM : file_write_all(fd, text.data, text.len, -1);
    bytes_finish(&text);
    free(bound);
    return result;
}

/* Whether a Host header names a host as only its own users do: by its address, `localhost`, a name
 * without a dot, or that which we listen on. A name of the web, led to this machine by its owner,
 * would let a page in. */
static bool names_host(const char *value, const struct address *here)
{
    struct in6_addr ignored;
    char host[INET6_ADDRSTRLEN + 1] = "";
    bool brackets = value[0] == '[';
    size_t len = brackets ? strcspn(value, "]") + 1 : strcspn(value, ":");
    if (!value[0] || (value[len] && value[len] != ':'))
        return false;
    if (len == strlen(here->host) && !strncasecmp(value, here->host, len))
        return true;
    if (len <= INET6_ADDRSTRLEN)
        snprintf(host, sizeof host, "%.*s", (int)len - 2 * brackets, value + brackets);
    if (brackets)
        return inet_pton(AF_INET6, host, &ignored) == 1;
    return inet_pton(AF_INET, host, &ignored) == 1 || !memchr(value, '.', len);
}

/* On a Unix socket there are no web pages. */
static bool is_for_us(const struct http_head *head, const struct address *here)
{
    char *host = http_header(head, "Host");
    bool ours =
        here->path || (host && http_header_count(head, "Host") == 1 && names_host(host, here));
    free(host);
    return ours;
}

/* What is wrong with a request; NULL for nothing. */
static const char *complaint(const struct http_head *head, const char *target,
                             const struct address *here, int *ret_status)
{
    char *origin = http_header(head, "Origin"), *key = http_header(head, "Sec-WebSocket-Key");
    bool version = http_header_has(head, "Sec-WebSocket-Version", "13");
    const char *what = NULL;
    *ret_status = 400;
    if (!http_is_strict(head)) {
        what = "each header is a line of its own, which ends in CR LF";
    } else if (!target) {
        what = "only GET with HTTP/1.1 is served here";
    } else if (origin) {
        *ret_status = 403;
        what = "requests from web pages are not served";
    } else if (!is_for_us(head, here)) {
        *ret_status = 403;
        what = "the Host header names another host than this one: its address, or localhost, is "
               "served";
    } else if (is_upgrade(head) && (!key || strlen(key) != 24)) {
        what = "Sec-WebSocket-Key is missing";
    } else if (is_upgrade(head) && !version) {
        *ret_status = 426;
        what = "Sec-WebSocket-Version must be 13";
    }
    free(origin);
    free(key);
    return what;
}

/* Not every app-server answers /readyz itself: that it takes a connection says as much. */
static void answer_plain(int fd, const char *target, const struct address *server)
{
    bool health = !strcmp(target, "/readyz") || !strcmp(target, "/healthz");
    int upstream = health ? address_connect(server) : -1;
    if (!health)
        http_answer(fd, 404, "Not Found", "only WebSocket, /readyz and /healthz are served here");
    else if (upstream >= 0)
        http_answer(fd, 200, "OK", "the app-server is reached");
    else
        http_answer(fd, 503, "Service Unavailable", UNREACHED);
    if (upstream >= 0)
        close(upstream);
}

static int serve(int fd, const struct http_head *head, const char *target,
                 const struct address *server, struct peer **ret_client, struct peer **ret_server)
{
    struct http_head answer = {0};
    char *authorization = http_header(head, "Authorization");
    char *client_key = http_header(head, "Sec-WebSocket-Key");
    char key[25];
    int result = -1;
    http_new_key(key);
    int upstream = ask(server, target, authorization, key, &answer);
    if (upstream < 0) {
        http_answer(fd, 503, "Service Unavailable", UNREACHED);
        say("a client was refused: " UNREACHED " (%s)", strerror(-upstream));
    } else if (!agrees(&answer, key)) {
        pass_answer(fd, upstream, &answer);
        close(upstream);
    } else if (send_agreement(fd, client_key, &answer) == 0) {
        *ret_client = become_frames(fd, false, head);
        *ret_server = become_frames(upstream, true, &answer);
        result = 0;
    } else {
        close(upstream);
    }
    free(authorization);
    free(client_key);
    http_head_finish(&answer);
    return result;
}

/* Closing on what is unread would take the answer from who is still writing. */
static void hang_up(int fd)
{
    char rest[4096];
    int64_t until = clock_monotonic_ms() + LIMIT_PROXY_LINGER_MS, left;
    struct pollfd more = {.fd = fd, .events = POLLIN};
    shutdown(fd, SHUT_WR);
    while ((left = until - clock_monotonic_ms()) > 0 && poll(&more, 1, (int)left) > 0 &&
           read(fd, rest, sizeof rest) > 0)
        ;
    close(fd);
}

int upgrade_accept(int fd, const struct address *here, const struct address *server,
                   atomic_bool *headed, struct peer **ret_client, struct peer **ret_server)
{
    struct http_head head = {0};
    int status, result = http_read_head(fd, &head);
    char *target = result == 0 ? http_target(&head) : NULL;
    const char *what = result == 0 ? complaint(&head, target, here, &status) : NULL;
    *headed = true;
    if (result == -EFBIG)
        http_answer(fd, 431, "Request Header Fields Too Large",
                    "a head has " TEXT_OF(LIMIT_HTTP_HEAD_KIB) " KiB at most");
    else if (what)
        http_answer(fd, status, status == 403 ? "Forbidden" : "Bad Request", what);
    bool good = result == 0 && !what;
    if (good && !is_upgrade(&head))
        answer_plain(fd, target, server);
    result =
        good && is_upgrade(&head) ? serve(fd, &head, target, server, ret_client, ret_server) : -1;
    if (result < 0)
        hang_up(fd);
    free(target);
    http_head_finish(&head);
    return result;
}
