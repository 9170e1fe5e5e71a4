/* The keeper's loop. It holds, for every session, the shell's process, the terminal's master and
 * the shared memory; everything that reads what shells print lives in the worker, which may die
 * at any time and is started again with all of it.
 *
 * Shutdown: SIGTERM (or the worker's WIRE_STOP) hangs up every shell; the worker goes on draining.
 * When no shell is left, or after three seconds and a KILL, the worker is told to stop, and the
 * keeper leaves when it has gone. */
#define _GNU_SOURCE
#include "ptyd/keeper/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"
#include "ptyd/keeper/guard.h"
#include "ptyd/keeper/shells.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/keeper/upgrade.h"
#include "ptyd/keeper/wire.h"
#include "ptyd/keeper/worker_process.h"

struct keeper {
    struct shells shells;
    struct worker_process worker;
    struct upgrade upgrade;
    struct listener *listener;
    int signals;
    bool ready;
    bool stopping;
    bool stop_sent; /* the worker is to know */
    long long worker_stop_at;
};

static void reap(struct keeper *k);

/* ---- what the worker asks for ---- */

static void fail_spawn(struct keeper *k, const struct wire_message *m, int error)
{
    k->worker.failure = (struct wire_message){.type = WIRE_SPAWN_FAILED, .error = error};
    memcpy(k->worker.failure.name, m->name, sizeof m->name);
}

static void spawn(struct keeper *k, const struct wire_message *m, int request, int intake)
{
    int result = -ESHUTDOWN;
    if (k->stopping) {
        close(request);
        close(intake);
    } else {
        result = shells_start(&k->shells, m->name, request, intake);
    }
    if (result < 0)
        fail_spawn(k, m, -result);
}

static void worker_ready(struct keeper *k)
{
    if (!k->ready)
        listener_notify("READY=1");
    k->ready = true;
    if (k->upgrade.phase == UPGRADE_IDLE)
        return;
    upgrade_worker_ready(&k->upgrade, &k->shells);
    k->worker.outcome_due = true;
    reap(k); /* shells that ended meanwhile */
}

static void ask_upgrade(struct keeper *k, uint64_t token, int program)
{
    upgrade_ask(&k->upgrade, &k->shells, token, program, clock_monotonic_ms());
    k->worker.outcome_due = true;
    if (k->upgrade.phase == UPGRADE_RENEWING)
        worker_process_end(&k->worker);
}

static void take_message(struct keeper *k, const struct wire_message *m)
{
    struct shell *shell = shells_find(&k->shells, m->name);
    if (m->type == WIRE_READY) {
        worker_ready(k);
    } else if (m->type == WIRE_CLOSE && shell) {
        shells_hang_up(shell, clock_monotonic_ms());
    } else if (m->type == WIRE_OVER && shell && !shell->pid) {
        shells_set_over(shell);
    } else if (m->type == WIRE_FORGET && shell && !shell->pid) {
        shells_forget(&k->shells, shell);
    } else if (m->type == WIRE_RESET && shell) {
        shells_reset(shell);
    } else if (m->type == WIRE_STOP) {
        k->stopping = true;
    }
}

/* Returns as wire_receive() does. */
static int from_worker(struct keeper *k)
{
    struct wire_message m;
    int fds[WIRE_FDS_MAX];
    int result = wire_receive(k->worker.socket, &m, fds);
    if (result <= 0)
        return result;
    if (m.type == WIRE_SPAWN && fds[0] >= 0 && fds[1] >= 0) {
        spawn(k, &m, fds[0], fds[1]);
        return result;
    }
    if (m.type == WIRE_SPAWN) /* there was no descriptor left to receive them */
        fail_spawn(k, &m, EMFILE);
    struct shell *shell = shells_find(&k->shells, m.name);
    if (m.type == WIRE_UPGRADE && wire_lost(&m, fds)) {
        upgrade_refuse(&k->upgrade, m.token, "the keeper has no descriptor left for it");
        k->worker.outcome_due = true;
    } else if (m.type == WIRE_UPGRADE) {
        ask_upgrade(k, m.token, fds[0]);
        fds[0] = -1;
    } else if (m.type == WIRE_SLATE && shell && fds[0] >= 0) {
        shells_keep_slate(shell, fds[0]);
        fds[0] = -1;
    } else if (m.type == WIRE_SLATE && shell && shells_lose_slate(shell)) {
        say("session %s: what cannot be written would be lost with the worker: no descriptor is "
            "left by which it is kept; it is tried again",
            shell->name);
    }
    take_message(k, &m);
    for (int i = 0; i < WIRE_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return result;
}

static void hear_worker(struct keeper *k)
{
    int result = from_worker(k);
    if (result <= 0 && result != -EAGAIN)
        kill(k->worker.pid, SIGKILL); /* its end is seen by waitpid */
}

/* Of one that has ended. What is no message of it does not hide what it said behind that. */
static void hear_last_words(struct keeper *k)
{
    int result = k->worker.socket < 0 ? 0 : 1;
    while (result > 0 || result == -EPROTO)
        result = from_worker(k);
}

/* ---- the loop ---- */

/* The file does it: the worker ends, what it said last is heard, and the file is executed. */
static void replace_program(struct keeper *k)
{
    worker_process_kill(&k->worker);
    hear_last_words(k);
    if (k->worker.pid)
        worker_process_ended(&k->worker, &k->shells, clock_monotonic_ms());
    if (k->stopping)
        upgrade_fail(&k->upgrade, "the daemon ends");
    else
        upgrade_execute(&k->upgrade, &k->shells);
    k->worker.restart_at = 0;
}

/* Looks what came of the trial; `status` when it was reaped, else NULL. */
static void step_upgrade(struct keeper *k, const int *status)
{
    if (k->upgrade.phase != UPGRADE_TRYING)
        return;
    if (upgrade_look(&k->upgrade, status, clock_monotonic_ms()))
        replace_program(k);
    else if (k->upgrade.phase == UPGRADE_IDLE)
        k->worker.outcome_due = true;
}

static void worker_ended(struct keeper *k, int status)
{
    guard_set_worker(0);
    k->worker.pid = 0; /* it is nobody's from here on */
    hear_last_words(k);
    worker_process_ended(&k->worker, &k->shells, clock_monotonic_ms());
    if (k->upgrade.phase == UPGRADE_RENEWING)
        k->worker.restart_at = 0;
    upgrade_worker_ended(&k->upgrade);
    if (!k->stop_sent)
        say("worker ended (%s %d), starting another", WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* While the way back is open shells are not reaped: the program before has to find them. */
static void reap(struct keeper *k)
{
    int status;
    pid_t pid;
    for (;;) {
        pid_t which = guard_is_armed() ? k->worker.pid : -1;
        if (!which || (pid = waitpid(which, &status, WNOHANG)) <= 0)
            return;
        if (pid == k->worker.pid)
            worker_ended(k, status);
        else if (pid == k->upgrade.trial.pid)
            step_upgrade(k, &status);
        else
            shells_reaped(&k->shells, pid, status);
    }
}

/* Its worker has the old one. */
static void renew_listener(struct keeper *k)
{
    char *message = NULL;
    int result = guard_is_armed() ? 0 : listener_renew(k->listener, &message);
    if (result < 0)
        say("nobody reaches the daemon: %s", message);
    if (result > 0)
        say("%s was gone; another one is there", k->listener->path);
    if (result > 0)
        worker_process_end(&k->worker);
    free(message);
}

static void read_signals(struct keeper *k)
{
    struct signalfd_siginfo info;
    while (read(k->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
            k->stopping = true;
            guard_set_stopping();
        } else if (info.ssi_signo == SIGHUP) {
            renew_listener(k);
        }
    reap(k);
}

/* Takes the next step of ending; returns true when nothing is left to wait for. */
static bool step_stop(struct keeper *k, long long now)
{
    for (int i = 0; i < k->shells.count; i++)
        shells_hang_up(&k->shells.all[i], now);
    if (shells_run(&k->shells))
        return false;
    if (!k->worker.pid)
        return true;
    if (!k->stop_sent) {
        k->stop_sent = k->worker.stopping_due = true;
        k->worker_stop_at = now + LIMIT_WORKER_STOP_MS;
        listener_notify("STOPPING=1");
    }
    if (now >= k->worker_stop_at)
        kill(k->worker.pid, SIGKILL);
    return false;
}

static long long earlier(long long a, long long b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Does what is due; returns ms until the next due thing, -1 for none. */
static int step_timers(struct keeper *k, long long now)
{
    long long next = shells_step(&k->shells, now);
    step_upgrade(k, NULL);
    if (!k->worker.pid && now >= k->worker.restart_at) {
        worker_process_start(&k->worker, &k->shells, k->signals, now);
        guard_set_worker(k->worker.pid);
    }
    worker_process_tell(&k->worker, &k->shells, now);
    if (!k->worker.pid)
        next = earlier(next, k->worker.restart_at);
    if (k->worker.again_at)
        next = earlier(next, k->worker.again_at);
    if (k->stop_sent)
        next = earlier(next, k->worker_stop_at);
    if (k->upgrade.phase == UPGRADE_TRYING)
        next = earlier(next, k->upgrade.trial.deadline);
    return next < 0 ? -1 : next > now ? (int)(next - now) : 0;
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* While an answer waits for room, no further request is read. */
static short wanted_events(const struct worker_process *w)
{
    return (short)((w->failure.type ? 0 : POLLIN) | (w->full ? POLLOUT : 0));
}

/* Without one nothing is counted; all else goes on. */
static int open_board(void)
{
    int fd = board_create_fd();
    int result = fd < 0 ? fd : board_open(fd);
    if (result < 0)
        say("a session that kills workers will not be found: %s", strerror(-result));
    return fd;
}

int keeper_run(const struct keeper_start *start, keeper_worker *worker, void *user)
{
    static struct keeper k; /* large, and there is one */
    k = (struct keeper){.worker = {.listener = start->listener,
                                   .run = worker,
                                   .user = user,
                                   .board = open_board(),
                                   .socket = -1},
                        .listener = start->listener,
                        .signals = open_signals(),
                        .ready = start->table != NULL};
    k.worker.outcome = &k.upgrade.outcome;
    upgrade_init(&k.upgrade, start, &k.shells);
    k.worker.vault = k.upgrade.vault;
    spawn_raise_files();
    if (k.signals < 0) {
        say("cannot watch signals: %s", strerror(errno));
        return 1;
    }
    reap(&k); /* whoever ended while a program before us gave way */
    for (;;) {
        long long now = clock_monotonic_ms();
        if (k.stopping && !guard_is_armed() && step_stop(&k, now))
            break;
        int timeout = step_timers(&k, now);
        if (!k.stopping)
            spawn_make_spare();
        struct pollfd fds[] = {{.fd = k.signals, .events = POLLIN},
                               {.fd = k.worker.socket, .events = wanted_events(&k.worker)},
                               {.fd = upgrade_poll_fd(&k.upgrade), .events = POLLIN}};
        if (poll(fds, 3, timeout) < 0)
            continue;
        if (fds[0].revents)
            read_signals(&k);
        if (fds[1].revents & (POLLIN | POLLHUP | POLLERR) && k.worker.socket == fds[1].fd)
            hear_worker(&k);
    }
    while (k.shells.count)
        shells_forget(&k.shells, &k.shells.all[0]);
    spawn_close_spare();
    close(k.worker.board);
    close(k.worker.vault);
    close(k.signals);
    return 0;
}
