#define _GNU_SOURCE
#include "ptyd/client/parting.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"

/* Nothing leaves any more. False when the terminal is gone. */
static bool read_on(struct view_link *link, struct outer *outer)
{
    char bytes[1 << 14];
    long n = outer_read(outer, bytes, sizeof bytes);
    if (n > 0)
        view_link_type(link, bytes, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

void parting_leave(struct view_link *link, struct outer *outer)
{
    int64_t by = clock_monotonic_ms() + LIMIT_LEAVE_MS, left;
    view_link_leave(link);
    while (view_link_is_connected(link) && (left = by - clock_monotonic_ms()) > 0) {
        bool reads = view_link_reads_on(link);
        struct pollfd fds[2 + VIEW_LINK_FDS] = {
            {.fd = reads ? STDIN_FILENO : -1, .events = POLLIN},
            {.fd = outer_waiting(outer) ? outer_fd(outer) : -1, .events = POLLOUT}};
        view_link_poll(link, fds + 2);
        if (poll(fds, sizeof fds / sizeof *fds, (int)left) <= 0)
            continue;
        if (fds[1].revents)
            outer_flush(outer);
        if (fds[0].revents && !read_on(link, outer))
            return;
        view_link_work(link, fds + 2, false);
    }
}

static void forget_terminal(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int fd = STDOUT_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        if (isatty(fd))
            dup2(null, fd);
    if (null >= 0)
        close(null);
}

/* Where it is not allowed to, nobody else will read it. */
static void give_back(const struct view_link *link, const char *what)
{
    const struct bytes *keys = view_link_returned(link);
    size_t done = outer_give_back(keys->data, keys->len);
    if (done < keys->len)
        say("%zu bytes that you typed when the %s ended are lost", keys->len - done, what);
}

void parting_close(const struct view_link *link, struct outer *outer, const char *what)
{
    if (!outer_close(outer))
        forget_terminal();
    else
        give_back(link, what);
}
