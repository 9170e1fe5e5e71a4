#define _GNU_SOURCE
#include "ptyd/relay/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "vterm_snapshot/transcript.h"

#define LOOK_MS 20 /* at the process, where no descriptor tells of its end */

struct reading {
    struct child *child;
    struct transcript *transcript;
    struct bytes pending; /* what the transcript has not taken */
    int fds[2];           /* the ends of its stdout and stderr; -1 when they are closed */
};

static volatile pid_t signalled;

static void pass_on(int number)
{
    if (signalled > 0)
        kill(signalled, number);
}

/* ---- what it prints ---- */

static void forget_old(struct reading *r, size_t keep)
{
    size_t len;
    const char *text = transcript_text(r->transcript, &len);
    if (len <= keep)
        return;
    size_t from = len - keep / 2;
    const char *end = memchr(text + from, '\n', len - from);
    size_t gone = end ? (size_t)(end + 1 - text) : 0;
    for (size_t i = 0; i < gone; i++)
        r->child->lines += text[i] == '\n';
    r->child->bytes += (int64_t)gone;
    transcript_forget(r->transcript, gone);
}

/* As a terminal would make lines of it. */
static void take(struct reading *r, const char *bytes, size_t len)
{
    for (const char *end; len && (end = memchr(bytes, '\n', len)); bytes = end + 1) {
        bytes_append(&r->pending, bytes, (size_t)(end - bytes));
        bytes_append(&r->pending, "\r\n", 2);
        len -= (size_t)(end + 1 - bytes);
    }
    bytes_append(&r->pending, bytes, len);
    if (r->pending.failed)
        memory_end();
    bytes_consume(&r->pending, transcript_write(r->transcript, r->pending.data, r->pending.len));
    forget_old(r, LIMIT_EXEC_BYTES);
}

/* Returns whether there was something. */
static bool pass(struct reading *r, int which)
{
    char bytes[16 << 10];
    ssize_t n = read(r->fds[which], bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(r->fds[which]);
        r->fds[which] = -1;
    }
    if (n <= 0)
        return false;
    file_write_all(which + 1, bytes, (size_t)n,
                   -1); /* nobody may read it: it is kept all the same */
    take(r, bytes, (size_t)n);
    return true;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return errno != EINTR;
    return info.si_pid == pid;
}

/* Until it has ended: what others hold open is not waited for. `process`: its pidfd, -1 where there
 * is none, as below a filter of system calls that is older than they are. */
static void follow(struct reading *r, pid_t pid, int process)
{
    bool ended = false;
    while (!ended) {
        struct pollfd fds[] = {{.fd = process, .events = POLLIN},
                               {.fd = r->fds[0], .events = POLLIN},
                               {.fd = r->fds[1], .events = POLLIN}};
        ended = process < 0 && has_ended(pid);
        int ready = poll(fds, 3, ended ? 0 : process < 0 ? LOOK_MS : -1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready < 0)
            continue;
        ended = ended || fds[0].revents;
        for (int i = 0; i < 2; i++)
            if (r->fds[i] >= 0 && fds[i + 1].revents)
                pass(r, i);
    }
    for (int i = 0; i < 2; i++) {
        while (r->fds[i] >= 0 && pass(r, i))
            ;
        if (r->fds[i] >= 0)
            close(r->fds[i]);
    }
}

/* ---- the process ---- */

/* As they were before listen_to_signals(). */
struct before {
    sigset_t mask;
    struct sigaction interrupt, quit, terminate, hangup, child;
};

static _Noreturn void become(char *const *argv, int pipes[2][2], const struct before *before)
{
    dup2(pipes[0][1], 1);
    dup2(pipes[1][1], 2);
    cores_give_back();
    sigaction(SIGINT, &before->interrupt, NULL);
    sigaction(SIGQUIT, &before->quit, NULL);
    sigaction(SIGTERM, &before->terminate, NULL);
    sigaction(SIGHUP, &before->hangup, NULL);
    sigaction(SIGCHLD, &before->child, NULL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (argv[1])
        execvp(argv[0], argv);
    else
        execl("/bin/sh", "sh", "-c", argv[0], (char *)NULL);
    fprintf(stderr, "ptyd: %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* What is ignored stays so, here and in the command: nohup(1) and a shell's background jobs. */
static void pass_unless_ignored(int number, struct sigaction *ret_was)
{
    struct sigaction pass_it = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    if (sigaction(number, NULL, ret_was) == 0 && ret_was->sa_handler != SIG_IGN)
        sigaction(number, &pass_it, NULL);
}

/* They are held back until there is whom to pass them to. */
static void listen_to_signals(struct before *ret_before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, by_default = {.sa_handler = SIG_DFL};
    sigset_t passed;
    sigemptyset(&passed);
    sigaddset(&passed, SIGTERM);
    sigaddset(&passed, SIGHUP);
    sigprocmask(SIG_BLOCK, &passed, &ret_before->mask);
    pass_unless_ignored(SIGTERM, &ret_before->terminate);
    pass_unless_ignored(SIGHUP, &ret_before->hangup);
    sigaction(SIGINT, &ignore, &ret_before->interrupt);
    sigaction(SIGQUIT, &ignore, &ret_before->quit);
    sigaction(SIGCHLD, &by_default, &ret_before->child); /* ignored, as we may be started, it takes
                                                            the status with it */
    signal(SIGPIPE, SIG_IGN);
}

static int start(char *const *argv, struct reading *r, pid_t *ret_pid)
{
    int pipes[2][2];
    struct before before;
    for (int i = 0; i < 2; i++)
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            return -errno;
    fflush(NULL);
    listen_to_signals(&before);
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        become(argv, pipes, &before);
    signalled = *ret_pid = pid;
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    for (int i = 0; i < 2; i++) {
        close(pipes[i][1]);
        r->fds[i] = pipes[i][0];
        fcntl(r->fds[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static void end(struct reading *r)
{
    size_t len;
    transcript_leave_sequence(r->transcript);
    const char *text = transcript_text(r->transcript, &len);
    for (size_t i = 0; i < len; i++)
        r->child->lines += text[i] == '\n';
    r->child->lines += len && text[len - 1] != '\n';
    r->child->bytes += (int64_t)len;
    bytes_append(&r->child->text, text, len);
}

int child_run(char *const *argv, struct child *ret_child)
{
    *ret_child = (struct child){0};
    struct reading r = {.child = ret_child,
                        .transcript = transcript_create(0, LIMIT_COLS_DEFAULT, NULL, NULL)};
    pid_t pid = 0;
    int status = 0;
    struct moment begun = clock_now();
    int result = start(argv, &r, &pid);
    int process = result == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (result == 0) {
        follow(&r, pid, process);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        signalled = 0;
        end(&r);
    }
    struct moment ended = clock_now();
    ret_child->begun_ms = begun.wall_ms;
    ret_child->ended_ms = ended.wall_ms;
    ret_child->lasted_ms = ended.monotonic_ms - begun.monotonic_ms;
    ret_child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (process >= 0)
        close(process);
    bytes_finish(&r.pending);
    transcript_destroy(r.transcript);
    return result;
}

void child_finish(struct child *child)
{
    bytes_finish(&child->text);
}
