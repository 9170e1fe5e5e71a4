#define _GNU_SOURCE
#include "ptyd/command/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/text.h"

/* ---- starting it ---- */

/* It goes its own way: own session, no terminal, its messages in a file. */
static _Noreturn void become_daemon(const char *log, char *const *argv)
{
    setsid();
    int null = open("/dev/null", O_RDWR);
    mode_t mask = umask(0077);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
    sigset_t none;
    umask(mask);
    dup2(null, 0);
    dup2(null, 1);
    dup2(out >= 0 ? out : null, 2);
    close_range(3, ~0u, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    cores_give_back();
    if (chdir("/") == 0)
        execv("/proc/self/exe", argv);
    _exit(127);
}

/* The one in between, which ends at once, so that the other is nobody's child. */
static _Noreturn void fork_daemon(const char *log, char *const *argv, int report)
{
    pid_t pid = fork();
    if (pid == 0)
        become_daemon(log, argv);
    ssize_t said = write(report, &pid, sizeof pid);
    _exit(said == sizeof pid ? 0 : 1);
}

/* Its pidfd, -1 when it could not be started, or is gone by now. */
static int fork_away(const char *log, char *const *argv)
{
    int report[2];
    pid_t daemon = -1;
    if (pipe2(report, O_CLOEXEC) < 0)
        return -1;
    pid_t between = fork();
    if (between == 0)
        fork_daemon(log, argv, report[1]);
    close(report[1]);
    if (between > 0 && read(report[0], &daemon, sizeof daemon) != sizeof daemon)
        daemon = -1;
    close(report[0]);
    if (between > 0)
        waitpid(between, NULL, 0);
    return daemon > 0 ? (int)syscall(SYS_pidfd_open, daemon, 0) : -1;
}

int daemon_launch(const char *socket, const char *log, char *const *argv, struct daemon *ret_daemon)
{
    char *directory = paths_parent(socket);
    struct stat st;
    *ret_daemon = (struct daemon){.process = -1, .log = text_format("%s/%s", directory, log)};
    mode_t mask = umask(0077); /* the user's may take from the user */
    int result = file_make_private_directory(directory);
    umask(mask);
    ret_daemon->log_from = stat(ret_daemon->log, &st) == 0 ? st.st_size : 0;
    if (result == 0)
        ret_daemon->process = fork_away(ret_daemon->log, argv);
    free(directory);
    return result;
}

int daemon_start(const char *socket, struct daemon *ret_daemon)
{
    char *argv[] = {(char *)"ptyd", (char *)"serve", (char *)"--auto", NULL};
    return daemon_launch(socket, "ptyd.log", argv, ret_daemon);
}

void daemon_forget(struct daemon *d)
{
    if (d->log && d->process >= 0)
        close(d->process);
    free(d->log);
    *d = (struct daemon){0};
}

bool daemon_ended(const struct daemon *d)
{
    struct pollfd end = {.fd = d->process, .events = POLLIN};
    return d->log && (d->process < 0 || poll(&end, 1, 0) > 0);
}

char *daemon_last_words(const struct daemon *d)
{
    char words[LIMIT_MESSAGE_BYTES];
    struct stat st;
    int fd = d->log ? open(d->log, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = 0;
    if (fd >= 0 && fstat(fd, &st) == 0) {
        off_t last = st.st_size - (off_t)sizeof words;
        n = file_read_at(fd, words, sizeof words, last > d->log_from ? last : d->log_from);
    }
    if (fd >= 0)
        close(fd);
    while (n > 0 && words[n - 1] == '\n')
        n--;
    if (n <= 0)
        return NULL;
    const char *line = memrchr(words, '\n', (size_t)n);
    line = line ? line + 1 : words;
    size_t len = (size_t)(words + n - line), own = strlen("ptyd: ");
    if (len > own && !memcmp(line, "ptyd: ", own))
        return text_clean(line + own, len - own, LIMIT_MESSAGE_BYTES);
    return text_clean(line, len, LIMIT_MESSAGE_BYTES);
}

/* ---- one that does not answer ---- */

/* A process as /proc has it. */
struct process {
    char state;         /* 'T' when it is stopped, 'R', 'S'...; 0 when it is gone */
    unsigned long used; /* ticks of a processor */
};

static struct process process_of(long pid)
{
    char text[512];
    unsigned long own = 0, system = 0;
    struct process p = {0};
    proc_head(pid, "stat", text, sizeof text);
    const char *fields = proc_stat_fields(text);
    if (fields && sscanf(fields, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &p.state,
                         &own, &system) < 3)
        p.state = 0;
    p.used = own + system;
    return p;
}

static char state_of(long pid)
{
    return process_of(pid).state;
}

long daemon_keeper(const char *socket)
{
    char *path = text_format("%s.lock", socket);
    struct bytes text = {0};
    long pid =
        file_read_regular(path, LIMIT_NAME_BYTES, &text) == 0 && text.len ? atol(text.data) : 0;
    bytes_finish(&text);
    free(path);
    return pid > 0 && state_of(pid) ? pid : 0;
}

/* How a process was started; its file, which would say more, only root may see of a keeper. */
static struct bytes command_line_of(long pid)
{
    struct bytes line = {0};
    proc_read(pid, "cmdline", LIMIT_ENVIRONMENT_BYTES, &line);
    return line;
}

/* The keeper's child that was forked and executed nothing, as shells have; 0 when it is not known.
 */
static long worker_of(long keeper)
{
    char name[64];
    struct bytes text = {0}, own = command_line_of(keeper);
    long found = 0, pid;
    snprintf(name, sizeof name, "task/%ld/children", keeper);
    proc_read(keeper, name, LIMIT_GONE_BYTES, &text);
    for (char *at = text.data, *end; at && !found; at = end) {
        pid = strtol(at, &end, 10);
        if (end == at)
            break;
        struct bytes its = command_line_of(pid);
        if (own.len && its.len == own.len && !memcmp(its.data, own.data, own.len))
            found = pid;
        bytes_finish(&its);
    }
    bytes_finish(&own);
    bytes_finish(&text);
    return found;
}

static bool works(const struct process *p)
{
    return p->state == 'R' || p->state == 'D';
}

bool daemon_gets_on(const char *socket, unsigned long *used)
{
    long keeper = daemon_keeper(socket), worker = keeper ? worker_of(keeper) : 0;
    struct process p = worker ? process_of(worker) : (struct process){0};
    bool more = p.used > *used;
    *used = p.used;
    if (!worker || state_of(keeper) == 'T' || p.state == 'T')
        return false;
    return more || works(&p);
}

bool daemon_comes(const char *socket, unsigned long *used)
{
    long pid = daemon_keeper(socket), next = pid ? worker_of(pid) : 0;
    struct process keeper = pid ? process_of(pid) : (struct process){0};
    struct process worker = next ? process_of(next) : (struct process){0};
    bool more = keeper.used + worker.used > *used;
    *used = keeper.used + worker.used;
    if (!keeper.state || keeper.state == 'T' || worker.state == 'T')
        return false;
    return !worker.state || more || works(&keeper) || works(&worker);
}

bool daemon_is_stopped(const char *socket)
{
    long keeper = daemon_keeper(socket), worker = keeper ? worker_of(keeper) : 0;
    return (keeper && state_of(keeper) == 'T') || (worker && state_of(worker) == 'T');
}

char *daemon_advice(const char *socket)
{
    long keeper = daemon_keeper(socket), worker = keeper ? worker_of(keeper) : 0;
    if (!keeper)
        return text_format("nothing of ptyd's has locked %s; remove it, and `ptyd open NAME` "
                           "starts a daemon",
                           socket);
    if (state_of(keeper) == 'T' && worker && state_of(worker) == 'T')
        return text_format("its processes are stopped: `kill -CONT %ld %ld` lets them go on",
                           keeper, worker);
    if (state_of(keeper) == 'T')
        return text_format("its keeper, process %ld, is stopped: `kill -CONT %ld` lets it go on",
                           keeper, keeper);
    if (worker && state_of(worker) == 'T')
        return text_format("its worker, process %ld, is stopped: `kill -CONT %ld` lets it go on",
                           worker, worker);
    if (worker)
        return text_format("`kill -KILL %ld` has its worker replaced, and every shell goes on",
                           worker);
    return text_format("`kill %ld` ends it and its shells", keeper);
}
