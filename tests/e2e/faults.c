/* Faults for a daemon under test, by LD_PRELOAD: the program itself has none built in.
 *
 *   FAULT_SEND_MS   every message to another process leaves so much later
 *   FAULT_SPIN      a worker that spins is found so many times sooner
 *   FAULT_PARSE     CSI 77 I on its way to libvterm crashes, CSI 78 I spins, CSI 79 I has no memory
 *   FAULT_RENDER    a block with exit code 77 crashes whoever renders it for an agent
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static long setting(const char *name)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

static void crash(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
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

static struct timespec sooner(struct timespec t, long times)
{
    long long ns = (t.tv_sec * 1000000000LL + t.tv_nsec) / (times ? times : 1);
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    static int (*real)(timer_t, int, const struct itimerspec *, struct itimerspec *);
    long times = setting("FAULT_SPIN");
    struct itimerspec changed = {.it_interval = sooner(value->it_interval, times),
                                 .it_value = sooner(value->it_value, times)};
    if (!real)
        real = (int (*)(timer_t, int, const struct itimerspec *, struct itimerspec *))dlsym(
            RTLD_NEXT, "timer_settime");
    return real(timer, flags, &changed, old);
}

size_t vterm_input_write(void *vt, const char *bytes, size_t len);

size_t vterm_input_write(void *vt, const char *bytes, size_t len)
{
    static size_t (*real)(void *, const char *, size_t);
    if (!real)
        real = (size_t(*)(void *, const char *, size_t))dlsym(RTLD_NEXT, "vterm_input_write");
    if (setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[77I", 5))
        crash();
    for (volatile int spins = 1;
         setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[78I", 5) && spins;)
        ;
    if (setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[79I", 5))
        abort();
    return real(vt, bytes, len);
}

int vsnprintf(char *to, size_t size, const char *format, va_list args)
{
    static int (*real)(char *, size_t, const char *, va_list);
    va_list copy;
    if (!real)
        real = (int (*)(char *, size_t, const char *, va_list))dlsym(RTLD_NEXT, "vsnprintf");
    va_copy(copy, args);
    if (!strcmp(format, "%d") && setting("FAULT_RENDER") && va_arg(copy, int) == 77)
        crash();
    va_end(copy);
    return real(to, size, format, args);
}
