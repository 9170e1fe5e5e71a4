#define _GNU_SOURCE
#include "ptyd/client/lending.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

void lending_finish(struct lending *l)
{
    bytes_finish(&l->found);
}

bool lending_lasts(const struct lending *l, int64_t now)
{
    return l->until > now;
}

bool lending_is_due(const struct lending *l, int64_t now)
{
    return l->agreed && !l->awaits && !l->found.len && l->until - now < VIEW_LOAN_MS / 2;
}

static ssize_t send_first(const struct lending *l, int socket, const struct bytes *out)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec data = {.iov_base = out->data, .iov_len = out->len};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof l->fd);
    memcpy(CMSG_DATA(&control.header), &l->fd, sizeof l->fd);
    return sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool lending_send(struct lending *l, int socket, int64_t now, struct bytes *out)
{
    struct view_loan loan = {
        .until = (uint64_t)now + VIEW_LOAN_MS, .ended = l->ended, .special = l->special};
    view_loan_append(out, &loan);
    ssize_t n = l->passed ? send(socket, out->data, out->len, MSG_DONTWAIT | MSG_NOSIGNAL)
                          : send_first(l, socket, out);
    if (n <= 0) {
        out->len = 0;
        return false;
    }
    bytes_consume(out, (size_t)n);
    l->passed = true;
    l->until = now + VIEW_LOAN_MS + VIEW_LOAN_SPARE_MS;
    return true;
}

void lending_joined(struct lending *l, bool agreed)
{
    l->agreed = agreed;
    l->awaits = l->awaits && agreed;
    l->passed = false;
    l->ended = 0;
}

/* Keys that the daemon read came behind all that was typed here; where it reads no more they came
 * before. */
void lending_lost(struct lending *l, size_t typed)
{
    if (!l->awaits && !l->found.len)
        l->behind = l->until ? typed : 0;
    l->awaits = l->agreed;
    l->until = 0;
}

void lending_typed(struct lending *l, size_t len)
{
    l->behind = len < l->behind ? l->behind - len : 0;
}

bool lending_over(struct lending *l, const struct view_frame *f, struct view_keys *ret_keys)
{
    bool awaited = l->awaits;
    if (view_keys_read(f, ret_keys) < 0)
        *ret_keys = (struct view_keys){0};
    l->ended++;
    l->until = 0;
    l->awaits = false;
    l->reads = f->offset > l->reads ? f->offset : l->reads;
    if (awaited)
        bytes_append(&l->found, ret_keys->data, ret_keys->len);
    return !awaited;
}

void lending_take_found(struct lending *l, struct bytes *typed, struct bytes *last)
{
    struct bytes whole = {0};
    if (l->behind >= typed->len) {
        bytes_append(last, l->found.data, l->found.len);
    } else {
        bytes_append(&whole, typed->data, l->behind);
        bytes_append(&whole, l->found.data, l->found.len);
        bytes_append(&whole, typed->data + l->behind, typed->len - l->behind);
        bytes_finish(typed);
        *typed = whole;
    }
    bytes_finish(&l->found);
}
