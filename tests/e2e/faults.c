/* Faults for a daemon under test, by LD_PRELOAD: the program itself has none built in.
 *
 *   FAULT_SEND_MS   every message to another process leaves so much later
 *   FAULT_START     while this file is there a worker that starts works, and gets no further
 *   FAULT_SPIN      a worker that spins is found so many times sooner
 *   FAULT_PARSE     CSI 77 g on its way to libvterm crashes, CSI 78 g spins, CSI 79 g has no memory
 *   FAULT_RENDER    a block with exit code 77 crashes whoever renders it for an agent
 *   FAULT_OPEN      a file of lines that ends with one that is only BOOM crashes whoever opens it
 *   FAULT_OFFER     while this file is there a block with exit code 78 crashes whoever parses it
 *                   when its file was opened a third time: where a session is taken over that is
 *                   when its blocks are read for agents (before: the last that ended, and what is
 *                   behind it)
 *   FAULT_WRITES    while this file is there, what would change a file below the state directory
 *                   fails with the error whose number is in it
 *   FAULT_DIES      while this file is there, and something is to be forgotten, a process dies in
 *                   the midst of that change to a file below the state directory whose number is
 *                   in it, and the file goes; with a minus in front also where nothing is
 *   FAULT_LENT      while this file is there, a process dies with a terminal that was lent to it:
 *                   in it stands when, "read" (keys), "typed" (them), "show" (before it shows) or
 *                   "shown"; and the file goes
 *   FAULT_TYPES     while this file is there, whoever is about to type does so when it was stopped
 *                   and goes on again; and the file goes
 *   FAULT_BLOCKS    while this file is there, a terminal that was passed on is made to block, and
 *                   takes nothing more, as its viewer sends something; and the file goes
 *   FAULT_CLOCK     so many seconds as are in this file have gone by more than did
 *   FAULT_VAULT     nothing outlives the worker of what shells were started with
 *   FAULT_PIDFD     pidfd_open(2) is refused with that error, as an old filter of system calls does
 *   FAULT_THREADS   while this file is there no thread is to be had, as at a limit on processes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static long setting(const char *name)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

/* Of the clock that never jumps. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    static int (*real)(clockid_t, struct timespec *);
    const char *path = getenv("FAULT_CLOCK");
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, ret);
    FILE *file = path && clock == CLOCK_MONOTONIC ? fopen(path, "re") : NULL;
    long more = 0;
    if (file && fscanf(file, "%ld", &more) == 1)
        ret->tv_sec += more;
    if (file)
        fclose(file);
    return result;
}

int pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const char *path = getenv("FAULT_THREADS");
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    return path && access(path, F_OK) == 0 ? EAGAIN : real(ret, attributes, run, user);
}

static void crash(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long given[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        given[i] = va_arg(list, long);
    va_end(list);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_pidfd_open && setting("FAULT_PIDFD")) {
        errno = (int)setting("FAULT_PIDFD");
        return -1;
    }
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

static int passed = -1; /* a terminal, where FAULT_BLOCKS is set */

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    long ms = setting("FAULT_SEND_MS");
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (!real)
        real = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    if (ms)
        nanosleep(&wait, NULL);
    const struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (c && c->cmsg_type == SCM_RIGHTS && getenv("FAULT_BLOCKS"))
        memcpy(&passed, CMSG_DATA(c), sizeof passed);
    return real(fd, message, flags);
}

static struct timespec sooner(struct timespec t, long times)
{
    long long ns = (t.tv_sec * 1000000000LL + t.tv_nsec) / (times ? times : 1);
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static void burn(long ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

/* What a worker does first. A fifth of its time: it is not to be taken for one that spins. */
int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    static int (*real)(clockid_t, struct sigevent *, timer_t *);
    const char *file = getenv("FAULT_START");
    if (!real)
        real = (int (*)(clockid_t, struct sigevent *, timer_t *))dlsym(RTLD_NEXT, "timer_create");
    while (file && !access(file, F_OK)) {
        burn(10000000);
        nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    }
    return real(clock, event, timer);
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
    if (setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[77g", 5))
        crash();
    for (volatile int spins = 1;
         setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[78g", 5) && spins;)
        ;
    if (setting("FAULT_PARSE") && memmem(bytes, len, "\x1b[79g", 5))
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

/* ---- files that cannot be written ---- */

/* Whether it fails now, with errno set. */
static int refused(const char *path)
{
    const char *state = getenv("PTYD_STATE_DIR"), *file = getenv("FAULT_WRITES");
    char number[16] = {0};
    if (!file || !state || strncmp(path, state, strlen(state)) != 0)
        return 0;
    FILE *in = fopen(file, "r");
    if (!in)
        return 0;
    if (fgets(number, sizeof number, in))
        errno = atoi(number);
    fclose(in);
    return *number != 0;
}

/* Whether the process ends with this change. */
static int dies(const char *path)
{
    static int changes;
    const char *state = getenv("PTYD_STATE_DIR"), *file = getenv("FAULT_DIES");
    char wish[4096], number[16] = {0};
    const char *digits;
    if (!file || !state || strncmp(path, state, strlen(state)) != 0)
        return 0;
    snprintf(wish, sizeof wish, "%s/forget.json", state);
    FILE *in = fopen(file, "r");
    if (!in)
        return 0;
    digits = fgets(number, sizeof number, in) ? number + (*number == '-') : "";
    bool counts = digits > number || !access(wish, F_OK);
    int is_one = counts && *digits && ++changes == atoi(digits);
    fclose(in);
    if (is_one)
        remove(file);
    return is_one;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

static const char *path_of(int fd, char path[4096])
{
    char link[40];
    struct stat st;
    bool faulty = getenv("FAULT_WRITES") || getenv("FAULT_DIES");
    if (!faulty || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 4095);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real)                                                                                     \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

/* ---- a terminal that is lent ---- */

/* The worker's: no shell's does not block. */
static bool is_lent(int fd)
{
    struct stat st;
    return getenv("FAULT_LENT") && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
           major(st.st_rdev) == 136 && (fcntl(fd, F_GETFL) & O_NONBLOCK);
}

static bool is_master(int fd)
{
    struct stat st;
    return (getenv("FAULT_LENT") || getenv("FAULT_TYPES")) && fstat(fd, &st) == 0 &&
           st.st_rdev == makedev(5, 2);
}

static void die_at(const char *step)
{
    char wanted[16] = {0};
    FILE *in = fopen(getenv("FAULT_LENT"), "re");
    if (in && fgets(wanted, sizeof wanted, in) && !strcmp(wanted, step)) {
        remove(getenv("FAULT_LENT"));
        die();
    }
    if (in)
        fclose(in);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    REAL(ssize_t, send, int, const void *, size_t, int);
    if (passed >= 0 && access(getenv("FAULT_BLOCKS"), F_OK) == 0) {
        fcntl(passed, F_SETFL, O_RDWR);
        tcflow(passed, TCOOFF);
        remove(getenv("FAULT_BLOCKS"));
    }
    return real(fd, bytes, len, flags);
}

static bool lent_keys; /* were read, and are not typed yet */

ssize_t read(int fd, void *bytes, size_t len)
{
    REAL(ssize_t, read, int, void *, size_t);
    ssize_t n = real(fd, bytes, len);
    int error = errno;
    if (n > 0 && is_lent(fd)) {
        lent_keys = true;
        die_at("read");
    }
    errno = error;
    return n;
}

static volatile sig_atomic_t goes_on;

static void on_continued(int signal)
{
    (void)signal;
    goes_on = 1;
}

/* Not for ever. */
static void wait_to_be_stopped(void)
{
    const char *path = getenv("FAULT_TYPES");
    struct timespec moment = {.tv_nsec = 10000000};
    if (!path || access(path, F_OK) < 0)
        return;
    signal(SIGCONT, on_continued);
    remove(path);
    for (int i = 0; i < 1000 && !goes_on; i++)
        nanosleep(&moment, NULL);
}

static ssize_t write_terminal(int fd, const void *bytes, size_t len)
{
    REAL(ssize_t, write, int, const void *, size_t);
    bool lent = is_lent(fd), types = lent_keys && is_master(fd);
    if (lent)
        die_at("show");
    if (is_master(fd))
        wait_to_be_stopped();
    ssize_t n = real(fd, bytes, len);
    int error = errno;
    if (n > 0 && lent)
        die_at("shown");
    if (n > 0 && types) {
        lent_keys = false;
        die_at("typed");
    }
    errno = error;
    return n;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    REAL(ssize_t, write, int, const void *, size_t);
    char space[4096];
    if (is_lent(fd) || is_master(fd))
        return write_terminal(fd, bytes, len);
    const char *path = path_of(fd, space);
    if (dies(path)) {
        real(fd, bytes, len / 2);
        die();
    }
    return refused(path) ? -1 : real(fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    char space[4096];
    const char *path = path_of(fd, space);
    if (dies(path)) {
        real(fd, bytes, len / 2, at);
        die();
    }
    return refused(path) ? -1 : real(fd, bytes, len, at);
}

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    if (dies(to))
        die();
    return refused(to) ? -1 : real(from, to);
}

int unlink(const char *path)
{
    REAL(int, unlink, const char *);
    if (dies(path))
        die();
    return real(path);
}

int unlinkat(int directory, const char *path, int flags)
{
    REAL(int, unlinkat, int, const char *, int);
    if (dies(path))
        die();
    return real(directory, path, flags);
}

static void crash_if_poisoned(int fd)
{
    char end[6] = {0};
    struct stat st;
    if (getenv("FAULT_OPEN") && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size > 6 && pread(fd, end, 5, st.st_size - 5) == 5 && !strcmp(end, "BOOM\n"))
        crash();
}

void *json_loadb(const char *text, size_t len, size_t flags, void *error);

static int opened; /* files of blocks, to be read */

void *json_loadb(const char *text, size_t len, size_t flags, void *error)
{
    static int times, at;
    const char *file = getenv("FAULT_OFFER");
    REAL(void *, json_loadb, const char *, size_t, size_t, void *);
    bool is_block = !memmem(text, len, "agent_block", 11) && !memmem(text, len, "pending_cmd", 11);
    if (file && !access(file, F_OK) && is_block && memmem(text, len, "\"exit_code\":78", 14)) {
        times += at != opened;
        at = opened;
        if (times == 3)
            crash();
    }
    return real(text, len, flags, error);
}

int open(const char *path, int flags, ...)
{
    REAL(int, open, const char *, int, ...);
    va_list args;
    va_start(args, flags);
    unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    if (flags & (O_CREAT | O_TRUNC) && refused(path))
        return -1;
    int fd = real(path, flags, mode);
    opened += (flags & O_ACCMODE) == O_RDONLY && strstr(path, "/blocks.jsonl");
    crash_if_poisoned(fd);
    return fd;
}

/* ---- FAULT_VAULT ---- */

int memfd_create(const char *name, unsigned flags)
{
    if (setting("FAULT_VAULT") && !strcmp(name, "ptyd-vault")) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}
