#define _GNU_SOURCE
#include "ptyd/proxy/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptyd/core/cores.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* ---- finding ---- */

static bool is_program(const char *path, const struct stat *self)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 &&
           !(st.st_dev == self->st_dev && st.st_ino == self->st_ino);
}

char *child_find(const char *name)
{
    const char *path = getenv("PATH");
    struct stat self = {0};
    if (strchr(name, '/'))
        return text_copy(name);
    stat("/proc/self/exe", &self);
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin";;) {
        size_t len = strcspn(at, ":");
        char *file = len ? text_format("%.*s/%s", (int)len, at, name) : text_format("./%s", name);
        if (is_program(file, &self))
            return file;
        free(file);
        if (!at[len])
            return NULL;
        at += len + 1;
    }
}

/* ---- starting ---- */

static _Noreturn void become(const char *program, char **argv, int in, int out, int error,
                             pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(125);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    cores_give_back();
    execv(program, argv);
    int what = errno;
    if (write(error, &what, sizeof what) < 0)
        _exit(125);
    _exit(126);
}

/* The errno of an exec that failed. The pipe is closed by one that succeeds: then 0. */
static int exec_error(int fd)
{
    int what = 0;
    ssize_t n;
    while ((n = read(fd, &what, sizeof what)) < 0 && errno == EINTR)
        ;
    close(fd);
    return n == sizeof what ? what : 0;
}

static int fork_child(const char *program, char **argv, bool pipes, struct child *c)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2];
    pid_t self = getpid();
    if (pipe2(error, O_CLOEXEC) < 0 ||
        (pipes && (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)))
        return errno;
    int null = pipes ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    c->pid = fork();
    if (c->pid == 0)
        become(program, argv, pipes ? in[0] : null, pipes ? out[1] : STDERR_FILENO, error[1], self);
    int failed = c->pid < 0 ? errno : 0;
    close(error[1]);
    if (null >= 0)
        close(null);
    if (pipes) {
        close(in[0]);
        close(out[1]);
    }
    c->in = in[1];
    c->out = out[0];
    return failed ? failed : exec_error(error[0]);
}

int child_start(char **argv, bool pipes, struct child *ret_child)
{
    struct child c = {.pid = -1, .pidfd = -1, .in = -1, .out = -1};
    char *program = child_find(argv[0]);
    if (!program) {
        say("%s is not in PATH%s", argv[0],
            strcmp(argv[0], "codex") ? "" : "; `npm install -g @openai/codex` installs it");
        return 127;
    }
    int error = fork_child(program, argv, pipes, &c);
    free(program);
    if (error) {
        say("cannot run %s: %s", argv[0], strerror(error));
        if (c.pid > 0)
            child_wait(&c);
        return error == ENOENT ? 127 : 126;
    }
    c.pidfd = (int)syscall(SYS_pidfd_open, c.pid, 0);
    if (c.pidfd >= 0)
        fcntl(c.pidfd, F_SETFD, FD_CLOEXEC);
    *ret_child = c;
    return 0;
}

/* ---- signals ---- */

static pid_t passed_to;

static void pass_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != SI_KERNEL) /* Ctrl-C in a terminal reaches the child by itself */
        kill(passed_to, number);
}

void child_pass_signals(const struct child *c)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    struct sigaction action = {.sa_sigaction = pass_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    passed_to = c->pid;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

int child_wait(struct child *c)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    int *fds[] = {&c->pidfd, &c->in, &c->out};
    for (int i = 0; i < 3; i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
    return status;
}

int child_become(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
