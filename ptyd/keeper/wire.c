#define _GNU_SOURCE
#include "ptyd/keeper/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union control {
    struct cmsghdr header;
    char space[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))];
};

int wire_send(int socket, const struct wire_message *message, const int *fds, int count)
{
    struct iovec data = {.iov_base = (void *)message, .iov_len = sizeof *message};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    union control control = {{0}};
    if (count) {
        m.msg_control = control.space;
        m.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, (size_t)count * sizeof(int));
    }
    while (sendmsg(socket, &m, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

static void take_fds(struct msghdr *m, int ret_fds[WIRE_FDS_MAX])
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(ret_fds, CMSG_DATA(c), (count < WIRE_FDS_MAX ? count : WIRE_FDS_MAX) * sizeof(int));
    }
}

int wire_receive(int socket, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX])
{
    struct iovec data = {.iov_base = ret_message, .iov_len = sizeof *ret_message};
    union control control;
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    for (int i = 0; i < WIRE_FDS_MAX; i++)
        ret_fds[i] = -1;
    ssize_t n;
    while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            return -errno;
    if (n == 0)
        return 0;
    take_fds(&m, ret_fds);
    ret_message->name[sizeof ret_message->name - 1] = '\0';
    return n == sizeof *ret_message ? 1 : -EPROTO;
}
