/* Who is connected to the control socket.
 *
 * Beyond the limit a connection is brief: its first request is answered, if it is none that stays,
 * and then it is closed. So whoever comes late can still look and close something. One that has not
 * asked yet when another leaves takes its place. */
#define _GNU_SOURCE
#include "ptyd/worker/server_private.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/worker/peer.h"

#define BRIEF_LOOK_MS 500 /* between looks whether one is late */

/* ---- accepting ---- */

static bool is_our_user(uv_pipe_t *pipe, pid_t *ret_pid)
{
    struct ucred peer = {0};
    socklen_t len = sizeof peer;
    uv_os_fd_t fd;
    bool ours = uv_fileno((uv_handle_t *)pipe, &fd) == 0 &&
                getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
    *ret_pid = peer.pid;
    return ours;
}

/* Of one that is not read while its request is done nothing else says so. */
static bool has_left(const struct client *c)
{
    struct pollfd end = {.events = POLLRDHUP};
    return c->asked && !c->answered && uv_fileno((const uv_handle_t *)&c->pipe, &end.fd) == 0 &&
           poll(&end, 1, 0) > 0;
}

static void on_brief_timer(uv_timer_t *timer)
{
    struct server *server = timer->data;
    int64_t now = clock_monotonic_ms();
    for (struct client *c = LIST_FIRST(&server->clients), *next; c; c = next) {
        next = LIST_NEXT(c, others);
        if (c->brief && ((c->deadline_ms && now >= c->deadline_ms) || has_left(c))) {
            client_close(c); /* which may take another's place: once more from the start */
            next = LIST_FIRST(&server->clients);
        }
    }
    if (!server->brief)
        uv_timer_stop(timer);
}

static void make_brief(struct client *c)
{
    c->brief = true;
    c->deadline_ms = clock_monotonic_ms() + LIMIT_BRIEF_ASK_MS;
    c->server->brief++;
    uv_timer_start(&c->server->brief_timer, on_brief_timer, BRIEF_LOOK_MS, BRIEF_LOOK_MS);
}

static bool has_room(const struct server *server)
{
    return server->count - server->brief < server->limit &&
           server->handler->has_room(server->worker);
}

/* Of those that are brief the first that has not asked yet may stay. */
static void promote(struct server *server)
{
    struct client *first = NULL, *c;
    if (server->brief)
        LIST_FOREACH(c, &server->clients, others)
            first = c->brief && !c->asked && !c->answered ? c : first;
    if (!first || server->closing || !has_room(server))
        return;
    first->brief = false;
    server->brief--;
}

static void accept_client(struct server *server)
{
    struct client *c = memory_new(sizeof *c);
    bool brief = !has_room(server);
    c->server = server;
    c->lines.limit = LIMIT_REQUEST_BYTES;
    uv_pipe_init(server->loop, &c->pipe, 0);
    c->pipe.data = c;
    LIST_INSERT_HEAD(&server->clients, c, others);
    server->count++;
    if (brief)
        make_brief(c);
    if (uv_accept((uv_stream_t *)&server->listener, (uv_stream_t *)&c->pipe) < 0 ||
        !is_our_user(&c->pipe, &c->pid)) {
        client_close(c);
        return;
    }
    c->began = peer_began(c->pid);
    client_start_reading(c);
    server->handler->count_changed(server->worker);
}

static void accept_waiting(struct server *server)
{
    if (!server->waiting || server->closing ||
        (server->brief >= LIMIT_BRIEF_CLIENTS && !has_room(server)))
        return;
    server->waiting = false;
    accept_client(server);
}

void server_forget(struct client *client)
{
    struct server *server = client->server;
    LIST_REMOVE(client, others);
    server->count--;
    server->brief -= client->brief;
}

void server_fill(struct server *server)
{
    promote(server);
    accept_waiting(server);
    server->handler->count_changed(server->worker);
}

/* libuv polls for no other connection until this one is accepted. */
static void on_connection(uv_stream_t *listener, int status)
{
    struct server *server = listener->data;
    if (status < 0)
        return;
    server->waiting = true;
    accept_waiting(server);
}

/* Sessions need descriptors too, and where none is left libuv closes what it accepts. */
static int client_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur / 4 >= LIMIT_CLIENTS)
        return LIMIT_CLIENTS;
    return files.rlim_cur < 8 ? 1 : (int)(files.rlim_cur / 4);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct server *server = handle->data;
    if (--server->open_handles == 0)
        free(server);
}

static void close_handles(struct server *server)
{
    uv_close((uv_handle_t *)&server->listener, on_handle_closed);
    uv_close((uv_handle_t *)&server->brief_timer, on_handle_closed);
    uv_close((uv_handle_t *)&server->crowd.timer, on_handle_closed);
    crowd_finish(server);
}

struct server *server_create(uv_loop_t *loop, struct turns *turns, int fd,
                             const struct server_handler *handler, struct worker *worker)
{
    struct server *server = memory_new(sizeof *server);
    *server = (struct server){.loop = loop,
                              .turns = turns,
                              .handler = handler,
                              .worker = worker,
                              .limit = client_limit()};
    uv_pipe_init(loop, &server->listener, 0);
    uv_timer_init(loop, &server->brief_timer);
    crowd_init(server);
    server->listener.data = server->brief_timer.data = server;
    server->open_handles = 3;
    int result = uv_pipe_open(&server->listener, fd);
    if (result == 0)
        result = uv_listen((uv_stream_t *)&server->listener, LIMIT_BACKLOG, on_connection);
    if (result == 0)
        return server;
    errno = -result;
    close_handles(server);
    return NULL;
}

void server_close(struct server *server)
{
    if (server->closing)
        return;
    server->closing = true;
    while (!LIST_EMPTY(&server->clients))
        client_close(LIST_FIRST(&server->clients));
    close_handles(server);
}

int server_client_count(const struct server *server)
{
    return server->count;
}
