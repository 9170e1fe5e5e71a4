#define _GNU_SOURCE
#include "ptyd/core/lent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/utf8.h"

#define ESC      0x1b
#define CSI_BYTE 0x9b /* ESC [ in one, where it is no part of a character */

/* ---- which keys are plain ---- */

/* A sequence that no key that leaves is ever written as; 0 for any other, and for a half one. With
 * `M` alone three bytes of any kind follow, and what ends with `u` or `~` may be any key. */
static size_t sequence_len(const char *keys, size_t len)
{
    size_t at = 2;
    if (len < 3 || (keys[1] != '[' && keys[1] != 'O'))
        return 0;
    while (keys[1] == '[' && at < len && keys[at] >= 0x20 && keys[at] < 0x40)
        at++;
    bool letter = at < len && keys[at] >= 'A' && keys[at] <= 'z' && keys[at] != 'u';
    return letter && !(at == 2 && keys[at] == 'M') ? at + 1 : 0;
}

/* A sequence, a character or a byte; 0 for what may begin a key that leaves. */
static size_t key_len(const char *keys, size_t len)
{
    uint32_t code;
    if (*keys == ESC)
        return sequence_len(keys, len);
    int n = utf8_decode_any(keys, len, &code);
    return n > 0 ? (size_t)n : (unsigned char)*keys == CSI_BYTE ? 0 : 1;
}

bool lent_is_plain(const char *keys, size_t len, char special)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = key_len(keys + at, len - at);
        if (!n || keys[at] == special)
            return false;
    }
    return true;
}

/* ---- the terminal ---- */

/* That it does not block is said of a description, which whoever passed it shares. */
int lent_open(int passed)
{
    char path[32];
    unsigned number;
    if (!isatty(passed) || ioctl(passed, TIOCGPTN, &number) == 0) /* opened anew: another one */
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", passed);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (!isatty(fd) || tcgetsid(fd) >= 0)) { /* /dev/tty is each one's own */
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- keys ---- */

/* Whoever looks behind our death finds what is written before this before what is written behind.
 */
static void order(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

static void forget_keys(struct intake_lent *l)
{
    memset(l->keys, LENT_NONE, sizeof l->keys);
    order();
    l->typing = (struct intake_typing){0};
    order();
}

void lent_begin(struct intake_lent *l, uint64_t viewer)
{
    if (l->viewer == viewer)
        return;
    l->viewer = 0;
    order();
    forget_keys(l);
    l->shown = l->showing = l->reads = 0;
    order();
    l->viewer = viewer;
}

ssize_t lent_read(struct intake_lent *l, int fd)
{
    ssize_t n;
    forget_keys(l);
    l->reads++;
    order();
    while ((n = read(fd, l->keys, sizeof l->keys)) < 0 && errno == EINTR)
        ;
    return n < 0 ? -errno : n;
}

struct intake_typing *lent_type(struct intake_lent *l)
{
    l->typing.token = l->reads;
    return &l->typing;
}

size_t lent_untyped(const struct intake_lent *l, uint64_t viewer, uint64_t known,
                    const char **ret_keys, size_t *ret_doubt)
{
    size_t len = sizeof l->keys, typed = l->typing.typed, most = l->typing.most;
    *ret_keys = l->keys;
    *ret_doubt = 0;
    if (!viewer || l->viewer != viewer || l->reads <= known)
        return 0;
    while (len && (unsigned char)l->keys[len - 1] == LENT_NONE)
        len--;
    most = most < len ? most : len;
    *ret_doubt = typed < most ? most - typed : 0;
    *ret_keys += most;
    return len - most;
}

/* ---- what is shown ---- */

ssize_t lent_show(struct intake_lent *l, int fd, const char *bytes, size_t len, uint64_t from,
                  uint64_t to)
{
    ssize_t n;
    l->shown = from;
    order();
    l->showing = to;
    order();
    while ((n = write(fd, bytes, len)) < 0 && errno == EINTR)
        ;
    int error = errno;
    order();
    if (n == (ssize_t)len)
        l->shown = to;
    else if (n <= 0)
        l->showing = from;
    return n < 0 ? -error : n;
}

uint64_t lent_shown(const struct intake_lent *l, uint64_t viewer, uint64_t place, bool *ret_doubt)
{
    bool knows = viewer && l->viewer == viewer;
    *ret_doubt = knows && l->showing > l->shown && l->showing > place;
    return knows && l->shown > place ? l->shown : place;
}
