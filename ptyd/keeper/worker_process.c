#define _GNU_SOURCE
#include "ptyd/keeper/worker_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"
#include "ptyd/keeper/guard.h"
#include "ptyd/keeper/spawn.h"

#define AGAIN_MS 10 /* after the kernel had no room for a message or its descriptors */

/* ---- what it is told ---- */

static int tell_listener(struct worker_process *w)
{
    struct wire_message m = {.type = WIRE_LISTENER};
    int fds[] = {w->listener->fd, w->board, w->vault};
    int result = w->listener_due ? wire_send(w->socket, &m, fds, 3) : 0;
    w->listener_due = w->listener_due && result < 0;
    return result;
}

static int tell_shell(const struct worker_process *w, const struct shell *shell)
{
    struct wire_message m = {.type = shell->news == SHELL_IS_NEW ? WIRE_SESSION : WIRE_EXITED,
                             .pid = shell->pid,
                             .status = shell->status,
                             .exited = shell->pid == 0,
                             .over = shell->over,
                             .deadly_step = shell->deadly_step,
                             .deadly_at = shell->deadly_at};
    memcpy(m.name, shell->name, sizeof m.name);
    return wire_send(w->socket, &m, (int[]){shell->master, shell->intake, shell->slate},
                     shell->news == SHELL_IS_NEW ? 3 : 0);
}

static int tell_slate_lost(const struct worker_process *w, struct shell *shell)
{
    struct wire_message m = {.type = WIRE_SLATE_LOST};
    memcpy(m.name, shell->name, sizeof m.name);
    int result = wire_send(w->socket, &m, NULL, 0);
    shell->slate_untold = result < 0;
    return result;
}

static int tell_shells(const struct worker_process *w, struct shells *shells)
{
    int result = 0;
    for (int i = 0; i < shells->count && result == 0; i++) {
        struct shell *shell = &shells->all[i];
        if (shell->slate_untold)
            result = tell_slate_lost(w, shell);
        if (shell->news == SHELL_NO_NEWS || result < 0)
            continue;
        result = tell_shell(w, shell);
        if (result == 0)
            shell->news = SHELL_NO_NEWS;
    }
    return result;
}

static int tell_when_due(const struct worker_process *w, bool *due, enum wire_type type)
{
    struct wire_message m = {.type = type};
    int result = *due ? wire_send(w->socket, &m, NULL, 0) : 0;
    *due = *due && result < 0;
    return result;
}

static int tell_failure(struct worker_process *w)
{
    int result = w->failure.type ? wire_send(w->socket, &w->failure, NULL, 0) : 0;
    if (result == 0)
        w->failure.type = 0;
    return result;
}

static int tell_outcome(struct worker_process *w)
{
    if (!w->outcome_due)
        return 0;
    int fd = outcome_write(w->outcome);
    int result = fd;
    if (fd >= 0) {
        result = wire_send(w->socket, &(struct wire_message){.type = WIRE_UPGRADED}, &fd, 1);
        close(fd);
    }
    w->outcome_due = result < 0;
    return result < 0 ? result : 0;
}

void worker_process_tell(struct worker_process *w, struct shells *shells, long long now)
{
    int result = w->socket < 0 ? -EPIPE : tell_listener(w);
    if (result == 0)
        result = tell_shells(w, shells);
    if (result == 0)
        result = tell_outcome(w);
    if (result == 0)
        result = tell_when_due(w, &w->end_due, WIRE_HANDED_OVER);
    if (result == 0)
        result = tell_failure(w);
    if (result == 0)
        result = tell_when_due(w, &w->stopping_due, WIRE_STOPPING);
    w->full = result == -EAGAIN;
    /* One that has closed its socket is on its way out: it is reaped. */
    w->again_at =
        result < 0 && !w->full && result != -EPIPE && result != -ECONNRESET ? now + AGAIN_MS : 0;
}

/* ---- its life ---- */

static int run(const struct worker_process *w, const struct shells *shells, int signals, int socket,
               pid_t keeper)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (getppid() != keeper)
        return 1;
    /* What it needs of these comes in messages. */
    guard_disarm();
    shells_close_descriptors(shells);
    close(signals);
    close(w->board);
    close(w->vault);
    close(w->listener->fd);
    if (w->listener->lock >= 0)
        close(w->listener->lock);
    if (w->listener->state_lock >= 0)
        close(w->listener->state_lock);
    return w->run(socket, w->user);
}

void worker_process_start(struct worker_process *w, struct shells *shells, int signals,
                          long long now)
{
    int pair[2];
    pid_t self = getpid();
    w->restart_at = now + LIMIT_BACKOFF_MS;
    spawn_close_spare(); /* it is not the worker's, and its descriptors may be the last */
    /* Neither end ever blocks: who has to wait polls. */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        _exit(run(w, shells, signals, pair[1], self));
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return;
    }
    w->pid = pid;
    w->socket = pair[0];
    w->since = now;
    w->listener_due = w->end_due = true;
    w->stopping_due = false;
    w->outcome_due = w->outcome->state != OUTCOME_NONE;
    w->failure.type = 0; /* whoever asked died with the former one */
    shells_all_are_new(shells);
}

/* Stopped, or ended: nothing of it changes any more. */
static bool stands_still(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid == pid;
}

/* What it types, say, it either types and notes, or does not begin: so it is stopped, and goes on
 * where it is in the midst of that. */
void worker_process_end(const struct worker_process *w)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    long long until = clock_monotonic_ms() + LIMIT_BOARD_HELD_MS;
    bool held = w->pid != 0;
    while (held && clock_monotonic_ms() < until && kill(w->pid, SIGSTOP) == 0) {
        while (!stands_still(w->pid) && clock_monotonic_ms() < until)
            nanosleep(&moment, NULL);
        held = board_held();
        if (held && kill(w->pid, SIGCONT) == 0)
            nanosleep(&moment, NULL);
    }
    if (w->pid)
        kill(w->pid, SIGKILL);
}

void worker_process_kill(struct worker_process *w)
{
    worker_process_end(w);
    if (w->pid)
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
            ;
}

static void count_death(struct shells *shells)
{
    struct board_place place;
    enum board_fault fault = board_fault(&place);
    board_clear();
    if (fault == BOARD_NO_FAULT)
        return;
    if (fault == BOARD_SPUN)
        say("the worker spun and was ended");
    const struct shell *shell = shells_died_at(shells, &place);
    if (shell)
        say("session %s is quarantined: the worker died %d times at one place of it, %s; its shell "
            "lives, its output is kept; `ptyd reset %s` goes on with it",
            shell->name, LIMIT_DEATHS, board_step_words(place.step), shell->name);
}

void worker_process_ended(struct worker_process *w, struct shells *shells, long long now)
{
    count_death(shells);
    close(w->socket);
    w->socket = -1;
    w->pid = 0;
    bool healthy = now - w->since >= LIMIT_WORKER_HEALTHY_MS;
    w->backoff = healthy ? 0 : w->backoff ? w->backoff * 2 : LIMIT_BACKOFF_FIRST_MS;
    w->backoff = w->backoff < LIMIT_BACKOFF_MS ? w->backoff : LIMIT_BACKOFF_MS;
    w->restart_at = now + w->backoff;
}
