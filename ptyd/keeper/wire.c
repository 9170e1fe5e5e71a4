#define _GNU_SOURCE
#include "ptyd/keeper/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr header;
    char space[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))];
};

int wire_send(int socket, const struct wire_message *message, const int *fds, int count)
{
    struct wire_message sent = *message;
    struct iovec data = {.iov_base = &sent, .iov_len = sizeof sent};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    union control control = {{0}};
    int there[WIRE_FDS_MAX], n = 0;
    sent.fds = 0;
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0) {
            there[n++] = fds[i];
            sent.fds |= 1u << i;
        }
    if (n) {
        m.msg_control = control.space;
        m.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
        memcpy(CMSG_DATA(c), there, (size_t)n * sizeof(int));
    }
    while (sendmsg(socket, &m, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

/* Without room for all the first ones come. Returns how many. */
static int take_fds(struct msghdr *m, int ret_fds[WIRE_FDS_MAX])
{
    int count = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(ret_fds, CMSG_DATA(c), (size_t)count * sizeof(int));
    }
    return count;
}

/* Each to its place; those without one are nobody's. */
static void place_fds(uint32_t places, const int *came, int count, int ret_fds[WIRE_FDS_MAX])
{
    int next = 0;
    for (int i = 0; i < WIRE_FDS_MAX && next < count; i++)
        if (places & 1u << i)
            ret_fds[i] = came[next++];
    while (next < count)
        close(came[next++]);
}

int wire_receive(int socket, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX])
{
    struct iovec data = {.iov_base = ret_message, .iov_len = sizeof *ret_message};
    union control control;
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    int came[WIRE_FDS_MAX + 1]; /* the control's padding has room for one more */
    ssize_t n;
    for (int i = 0; i < WIRE_FDS_MAX; i++)
        ret_fds[i] = -1;
    while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            return -errno;
    bool is_message = n == sizeof *ret_message && !(m.msg_flags & MSG_TRUNC);
    place_fds(is_message ? ret_message->fds : 0, came, take_fds(&m, came), ret_fds);
    if (n == 0)
        return 0;
    if (!is_message)
        return -EPROTO;
    ret_message->name[sizeof ret_message->name - 1] = '\0';
    return 1;
}

bool wire_lost(const struct wire_message *message, const int fds[WIRE_FDS_MAX])
{
    for (int i = 0; i < WIRE_FDS_MAX; i++)
        if (message->fds & 1u << i && fds[i] < 0)
            return true;
    return false;
}
