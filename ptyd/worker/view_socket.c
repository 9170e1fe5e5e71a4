#define _GNU_SOURCE
#include "ptyd/worker/view_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

#define SOON_MS 1

struct view_socket {
    uv_poll_t poll;
    uv_timer_t soon;
    int open_handles;
    int fd;
    const struct view_socket_handler *handler;
    void *user;
    struct view_reader reader;
    struct bytes out;
    size_t at; /* of `out` that was written */
    int polled_for;
    bool broken, closing;
    int passed; /* a descriptor that came, -1 for none */
};

static int passed_count; /* of all */

int view_sockets_passed(void)
{
    return passed_count;
}

int view_socket_take_passed(struct view_socket *s)
{
    int fd = s->passed;
    passed_count -= fd >= 0;
    s->passed = -1;
    return fd;
}

static void drop_passed(struct view_socket *s)
{
    int fd = view_socket_take_passed(s);
    if (fd >= 0)
        close(fd);
}

static void on_closed(uv_handle_t *handle)
{
    struct view_socket *s = handle->data;
    if (--s->open_handles)
        return;
    view_reader_finish(&s->reader);
    bytes_finish(&s->out);
    drop_passed(s);
    free(s);
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void poll_for(struct view_socket *s, int events)
{
    if (events == s->polled_for || s->closing)
        return;
    s->polled_for = events;
    if (events)
        uv_poll_start(&s->poll, events, on_poll);
    else
        uv_poll_stop(&s->poll);
}

/* ---- writing ---- */

static void write_out(struct view_socket *s)
{
    while (s->at < s->out.len && !s->broken) {
        ssize_t n =
            send(s->fd, s->out.data + s->at, s->out.len - s->at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        s->broken = n < 0 && errno != EAGAIN;
        if (n <= 0)
            break;
        s->at += (size_t)n;
    }
    if (s->at < s->out.len && !s->broken)
        return;
    s->at = 0;
    s->out.len = 0;
}

void view_socket_flush(struct view_socket *s)
{
    uv_timer_stop(&s->soon);
    write_out(s);
    poll_for(s, (s->polled_for & UV_READABLE) | (s->out.len ? UV_WRITABLE : 0));
}

static void on_soon(uv_timer_t *timer)
{
    view_socket_flush(timer->data);
}

void view_socket_flush_soon(struct view_socket *s)
{
    if (!s->closing && !uv_is_active((uv_handle_t *)&s->soon))
        uv_timer_start(&s->soon, on_soon, SOON_MS, 0);
}

struct bytes *view_socket_out(struct view_socket *s)
{
    if (s->at > s->out.len / 2) {
        bytes_consume(&s->out, s->at);
        s->at = 0;
    }
    return &s->out;
}

/* ---- reading ---- */

static void lose(struct view_socket *s)
{
    poll_for(s, s->polled_for & ~UV_READABLE);
    s->handler->gone(s->user);
}

static void take_frames(struct view_socket *s)
{
    struct view_frame frame;
    int found = 0;
    while (!s->closing && (found = view_reader_next(&s->reader, &frame)) > 0)
        s->handler->frame(s->user, &frame);
    if (found < 0 && !s->closing)
        lose(s);
}

/* The newest that came is kept: one comes beside a frame's bytes. */
static void take_passed(struct view_socket *s, struct msghdr *m)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
        c->cmsg_len != CMSG_LEN(sizeof s->passed))
        return;
    drop_passed(s);
    memcpy(&s->passed, CMSG_DATA(c), sizeof s->passed);
    passed_count++;
}

/* There is room for one descriptor: the kernel closes any other. Behind CMSG_SPACE() there would be
 * for two. */
static ssize_t receive(struct view_socket *s)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec data = {.iov_base = view_reader_room(&s->reader), .iov_len = VIEW_READ_BYTES};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_LEN(sizeof(int))};
    ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n > 0)
        take_passed(s, &m);
    return n;
}

static void read_some(struct view_socket *s)
{
    ssize_t n = receive(s);
    if (n > 0) {
        view_reader_came(&s->reader, (size_t)n);
        take_frames(s);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        lose(s);
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct view_socket *s = poll->data;
    if (status < 0) {
        lose(s);
        return;
    }
    if (events & UV_WRITABLE)
        view_socket_flush(s);
    if (events & UV_READABLE)
        read_some(s);
}

/* ---- life ---- */

struct view_socket *view_socket_create(uv_loop_t *loop, const struct view_socket_handler *handler,
                                       void *user, int *ret_other)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return NULL;
    struct view_socket *s = memory_new(sizeof *s);
    *s = (struct view_socket){.fd = ends[0], .handler = handler, .user = user, .passed = -1};
    int error = uv_poll_init(loop, &s->poll, s->fd);
    if (error < 0) {
        close(ends[0]);
        close(ends[1]);
        free(s);
        errno = -error;
        return NULL;
    }
    uv_timer_init(loop, &s->soon);
    s->open_handles = 2;
    s->poll.data = s->soon.data = s;
    poll_for(s, UV_READABLE);
    *ret_other = ends[1];
    return s;
}

void view_socket_close(struct view_socket *s)
{
    if (s->closing)
        return;
    write_out(s);
    s->closing = true;
    uv_close((uv_handle_t *)&s->poll, on_closed);
    uv_close((uv_handle_t *)&s->soon, on_closed);
    close(s->fd);
}
