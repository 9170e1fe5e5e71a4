#define _GNU_SOURCE
#include "ptyd/keeper/outcome.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ptyd/core/file.h"

int outcome_write(const struct outcome *outcome)
{
    int fd = memfd_create("ptyd-outcome", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = file_write_all(fd, (const char *)outcome, sizeof *outcome, 0);
    if (result == 0)
        return fd;
    close(fd);
    return result;
}

int outcome_read(int fd, struct outcome *ret_outcome)
{
    struct outcome outcome;
    ssize_t n = pread(fd, &outcome, sizeof outcome, 0);
    if (n != sizeof outcome)
        return n < 0 ? -errno : -EINVAL;
    *ret_outcome = outcome;
    return 0;
}
