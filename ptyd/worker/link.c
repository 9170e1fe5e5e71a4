#define _GNU_SOURCE
#include "ptyd/worker/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/text.h"

struct waiting {
    struct waiting *next;
    struct wire_message message;
    int fds[WIRE_FDS_MAX], count;
};

struct link {
    int socket;
    uv_poll_t poll;
    bool started;
    link_readable *readable;
    void *user;
    struct waiting *first, **end; /* not sent yet */
};

static void waiting_free(struct waiting *one)
{
    for (int i = 0; i < one->count; i++)
        close(one->fds[i]);
    free(one);
}

static void send_waiting(struct link *link)
{
    struct waiting *one;
    while ((one = link->first) &&
           wire_send(link->socket, &one->message, one->fds, one->count) != -EAGAIN) {
        link->first = one->next;
        waiting_free(one);
    }
    if (!link->first)
        link->end = &link->first;
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct link *link = poll->data;
    if (events & UV_WRITABLE) {
        send_waiting(link);
        link_start(link);
    }
    if (status < 0 || events & (UV_READABLE | UV_DISCONNECT))
        link->readable(link->user);
}

void link_start(struct link *link)
{
    int events = UV_READABLE | UV_DISCONNECT | (link->first ? UV_WRITABLE : 0);
    link->started = true;
    uv_poll_start(&link->poll, events, on_event);
}

struct link *link_create(uv_loop_t *loop, int socket, link_readable *readable, void *user)
{
    struct link *link = memory_new(sizeof *link);
    *link = (struct link){.socket = socket, .readable = readable, .user = user};
    link->end = &link->first;
    link->poll.data = link;
    if (uv_poll_init(loop, &link->poll, socket) == 0)
        return link;
    free(link);
    return NULL;
}

void link_stop(struct link *link)
{
    send_waiting(link);
    uv_close((uv_handle_t *)&link->poll, NULL);
}

void link_destroy(struct link *link)
{
    if (!link)
        return;
    for (struct waiting *one = link->first, *next; one; one = next) {
        next = one->next;
        waiting_free(one);
    }
    close(link->socket);
    free(link);
}

/* Returns 0 or -errno. */
static int keep(struct link *link, const struct wire_message *message, const int *fds, int count)
{
    struct waiting *one = memory_new(sizeof *one);
    *one = (struct waiting){.message = *message};
    for (; one->count < count; one->count++)
        if ((one->fds[one->count] = fcntl(fds[one->count], F_DUPFD_CLOEXEC, 3)) < 0) {
            int error = -errno;
            waiting_free(one);
            return error;
        }
    *link->end = one;
    link->end = &one->next;
    if (link->started && !uv_is_closing((uv_handle_t *)&link->poll))
        link_start(link);
    return 0;
}

int link_send(struct link *link, const struct wire_message *message, const int *fds, int count)
{
    int result = link->first ? -EAGAIN : wire_send(link->socket, message, fds, count);
    return result == -EAGAIN ? keep(link, message, fds, count) : result;
}

int link_receive(struct link *link, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX])
{
    return wire_receive(link->socket, ret_message, ret_fds);
}

int link_wait(struct link *link, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX])
{
    int result;
    while ((result = link_receive(link, ret_message, ret_fds)) == -EAGAIN) {
        struct pollfd fd = {.fd = link->socket, .events = POLLIN};
        poll(&fd, 1, -1);
    }
    return result;
}
