/* Preloaded into ptyd (and into nothing else that inherits it): reads and writes do less than they
 * were asked to, are interrupted, or find nothing where they may, as often as SHIM_RATE of 1,000
 * calls says (default 100), the same way for the same SHIM_SEED in the same process of a family.
 *
 * Nothing happens that the kernel may not do: what keeps its messages apart (datagrams, sequenced
 * packets) is never cut, EAGAIN is for descriptors that do not block (and no file does), and what
 * always works at once (eventfd, signalfd) does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static bool active;
static unsigned rate = 100;
static uint64_t first_seed = 1;
static __thread uint64_t state;
static __thread pid_t state_of;

/* A fork goes on with numbers of its own. */
static unsigned pick(unsigned count)
{
    if (state_of != getpid()) {
        state_of = getpid();
        state = first_seed * 6364136223846793005ull + (uint64_t)state_of;
    }
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % count;
}

__attribute__((constructor)) static void begin(void)
{
    const char *seed = getenv("SHIM_SEED"), *often = getenv("SHIM_RATE");
    active = !strcmp(program_invocation_short_name, "ptyd");
    first_seed = seed ? strtoull(seed, NULL, 10) : 1;
    rate = often ? (unsigned)atoi(often) : rate;
}

/* Whether this call fails, with errno set. */
static bool fails(int fd)
{
    struct stat st;
    if (!active || pick(1000) >= rate || fstat(fd, &st) < 0 || !(st.st_mode & S_IFMT))
        return false;
    int flags = fcntl(fd, F_GETFL);
    bool may_wait = flags >= 0 && (flags & O_NONBLOCK) && !S_ISREG(st.st_mode);
    errno = may_wait && pick(2) ? EAGAIN : EINTR;
    return true;
}

/* Whether it is a stream of bytes. */
static bool is_stream(int fd)
{
    struct stat st;
    int type;
    socklen_t len = sizeof type;
    if (fstat(fd, &st) < 0)
        return false;
    if (S_ISSOCK(st.st_mode))
        return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_STREAM;
    return S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode);
}

/* How much of `len` bytes this call does. */
static size_t some(int fd, size_t len)
{
    if (!active || len < 2 || pick(1000) >= rate || !is_stream(fd))
        return len;
    return 1 + pick(len - 1 < 64 || pick(2) ? (len < 64 ? (unsigned)len - 1 : 63)
                                            : (unsigned)(len < 1u << 20 ? len - 1 : 1u << 20));
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *bytes, size_t len)
{
    REAL(read);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len));
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    REAL(write);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len));
}

ssize_t pread(int fd, void *bytes, size_t len, off_t at)
{
    REAL(pread);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len), at);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    REAL(pwrite);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len), at);
}

/* Cut within the first piece, or behind it. */
static struct iovec cut(int fd, const struct iovec *pieces)
{
    return (struct iovec){pieces[0].iov_base, some(fd, pieces[0].iov_len)};
}

static bool cuts(int fd, const struct iovec *pieces, int count)
{
    return active && count > 0 && pieces[0].iov_len && pick(1000) < rate && is_stream(fd);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    REAL(writev);
    if (fails(fd))
        return -1;
    struct iovec one = count > 0 ? cut(fd, pieces) : (struct iovec){0};
    return cuts(fd, pieces, count) ? real(fd, &one, 1) : real(fd, pieces, count);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    REAL(send);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len), flags);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    REAL(recv);
    return fails(fd) ? -1 : real(fd, bytes, some(fd, len), flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(sendmsg);
    if (fails(fd))
        return -1;
    struct msghdr less = *message;
    struct iovec one = message->msg_iovlen ? cut(fd, message->msg_iov) : (struct iovec){0};
    if (!cuts(fd, message->msg_iov, (int)message->msg_iovlen))
        return real(fd, message, flags);
    less.msg_iov = &one;
    less.msg_iovlen = 1;
    return real(fd, &less, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    REAL(recvmsg);
    return fails(fd) ? -1 : real(fd, message, flags);
}
