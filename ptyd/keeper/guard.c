/* Here work is done in a signal's handler: a program that has crashed cannot do it elsewhere, and
 * one that hangs would not. It is kill, waitpid and execve alone, which are safe there. */
#define _GNU_SOURCE
#include "ptyd/keeper/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/board.h"
#include "ptyd/core/cores.h"

extern char **environ;

static struct {
    volatile sig_atomic_t armed;
    pid_t self; /* a process that was forked does not go back */
    int program, table;
    volatile pid_t worker;
    volatile sig_atomic_t stopping;
    uint64_t moves; /* of the worker, when it was last looked */
    int looks;
    char program_text[16], table_text[16]; /* their numbers */
} guard;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};

static void handle(const int *signals, size_t count, void (*handler)(int))
{
    /* No mask: the handler may not return, and the program before begins with what is masked. */
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER | SA_ONSTACK};
    for (size_t i = 0; i < count; i++)
        sigaction(signals[i], &action, NULL);
}

void guard_go_back(const char *why)
{
    if (!guard.armed || getpid() != guard.self)
        return;
    guard.armed = 0;
    alarm(0);
    pid_t worker = guard.worker;
    if (worker > 0 && kill(worker, SIGKILL) == 0)
        while (waitpid(worker, NULL, 0) < 0 && errno == EINTR)
            ;
    if (guard.stopping)
        kill(guard.self, SIGTERM); /* it is blocked, and waits for who reads it */
    char *argv[] = {"ptyd",           "serve",      "--resume",
                    guard.table_text, "--previous", guard.program_text,
                    "--returned",     (char *)why,  NULL};
    cores_give_back();
    fexecve(guard.program, argv, environ);
}

static void on_crash(int signal)
{
    guard_go_back(signal == SIGABRT  ? "it aborted"
                  : signal == SIGSYS ? "it made a system call that is not allowed"
                                     : "it crashed");
    handle(&signal, 1, SIG_DFL);
    raise(signal);
}

#define SECONDS(ms) (((ms) + 999) / 1000)

/* One that gets on has more time. */
static bool gets_on(void)
{
    uint64_t before = guard.moves;
    guard.moves = board_moves();
    return guard.moves != before && ++guard.looks < LIMIT_UPGRADE_MOST_MS / LIMIT_UPGRADE_READY_MS;
}

static void on_time(int signal)
{
    int error = errno;
    (void)signal;
    if (guard.armed && getpid() == guard.self && gets_on())
        alarm(SECONDS(LIMIT_UPGRADE_READY_MS));
    else
        guard_go_back("no worker of it was ready in time");
    errno = error;
}

static void on_exit_armed(void)
{
    guard_go_back("it ended at its start");
}

void guard_arm(int program, int table)
{
    static const int times[] = {SIGALRM};
    static char stack[1 << 16]; /* of the handlers: the program's own may be what is full */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    guard.self = getpid();
    guard.program = program;
    guard.table = table;
    snprintf(guard.program_text, sizeof guard.program_text, "%d", program);
    snprintf(guard.table_text, sizeof guard.table_text, "%d", table);
    guard.armed = 1;
    handle(crashes, sizeof crashes / sizeof *crashes, on_crash);
    handle(times, 1, on_time);
    atexit(on_exit_armed);
    memory_before_end(on_exit_armed);
    alarm(SECONDS(LIMIT_UPGRADE_READY_MS));
}

bool guard_is_armed(void)
{
    return guard.armed && getpid() == guard.self;
}

void guard_set_worker(pid_t worker)
{
    guard.worker = worker;
}

void guard_set_stopping(void)
{
    guard.stopping = 1;
}

void guard_disarm(void)
{
    static const int times[] = {SIGALRM};
    if (!guard.self)
        return;
    guard.armed = 0;
    memory_before_end(NULL);
    if (getpid() == guard.self)
        alarm(0);
    handle(crashes, sizeof crashes / sizeof *crashes, SIG_DFL);
    handle(times, 1, SIG_DFL);
    close(guard.program);
    close(guard.table);
    guard.self = 0;
}
