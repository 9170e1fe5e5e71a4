/* Faults for a daemon under test, by LD_PRELOAD: the program itself has none built in.
 *
 *   FAULT_SEND_MS   each message with descriptors (or without) leaves so much later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static long setting(const char *name)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    long ms = setting("FAULT_SEND_MS");
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (!real)
        real = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    if (ms)
        nanosleep(&wait, NULL);
    return real(fd, message, flags);
}
