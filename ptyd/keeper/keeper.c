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
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/keeper/wire.h"

struct session {
    char name[72];
    pid_t pid;  /* 0 when reaped */
    int status; /* as waitpid gave it, when reaped */
    int master, intake;
    long long kill_at; /* monotonic ms; 0 for not closing */
};

struct keeper {
    const struct listener *listener;
    keeper_worker *run_worker;
    void *user;
    struct session sessions[LIMIT_SESSIONS];
    int count;
    pid_t worker;
    int socket; /* to the worker; -1 while none runs */
    int signals;
    long long worker_since, restart_at, backoff;
    bool ready;
    bool stopping;
    bool stop_sent; /* the worker knows */
    long long worker_stop_at;
};

static void tell(struct keeper *k, struct wire_message message, const int *fds, int count)
{
    if (k->socket >= 0 && wire_send(k->socket, &message, fds, count) < 0)
        kill(k->worker, SIGKILL); /* it does not listen: a new one gets everything */
}

/* ---- sessions ---- */

static struct session *find(struct keeper *k, const char *name)
{
    for (int i = 0; i < k->count; i++)
        if (!strcmp(k->sessions[i].name, name))
            return &k->sessions[i];
    return NULL;
}

static void tell_session(struct keeper *k, const struct session *s)
{
    struct wire_message m = {
        .type = WIRE_SESSION, .pid = s->pid, .status = s->status, .exited = s->pid == 0};
    memcpy(m.name, s->name, sizeof m.name);
    tell(k, m, (int[]){s->master, s->intake}, 2);
}

static void tell_failure(struct keeper *k, const char *name, int error)
{
    struct wire_message m = {.type = WIRE_SPAWN_FAILED, .error = error};
    memcpy(m.name, name, sizeof m.name);
    tell(k, m, NULL, 0);
}

static void spawn(struct keeper *k, const struct wire_message *m, int request, int intake)
{
    struct session s = {.intake = intake};
    memcpy(s.name, m->name, sizeof s.name);
    int result = find(k, m->name)             ? -EEXIST
                 : k->count == LIMIT_SESSIONS ? -EMFILE
                 : k->stopping                ? -ESHUTDOWN
                                              : spawn_run(request, &s.pid, &s.master);
    close(request);
    if (result < 0) {
        close(intake);
        tell_failure(k, m->name, -result);
        return;
    }
    k->sessions[k->count] = s;
    tell_session(k, &k->sessions[k->count++]);
}

/* HUP to the shell and to what runs in the foreground; CONT, so that stopped ones hear it. */
static void hang_up(struct session *s, long long now)
{
    if (s->kill_at || !s->pid)
        return;
    pid_t foreground = tcgetpgrp(s->master);
    if (foreground > 0 && foreground != s->pid) {
        kill(-foreground, SIGHUP);
        kill(-foreground, SIGCONT);
    }
    kill(-s->pid, SIGHUP);
    kill(-s->pid, SIGCONT);
    s->kill_at = now + LIMIT_HANGUP_MS;
}

static void kill_session(struct session *s)
{
    pid_t foreground = tcgetpgrp(s->master);
    if (foreground > 0)
        kill(-foreground, SIGKILL);
    if (s->pid)
        kill(-s->pid, SIGKILL);
}

static void forget(struct keeper *k, struct session *s)
{
    close(s->master);
    close(s->intake);
    *s = k->sessions[--k->count];
}

static void reaped(struct keeper *k, pid_t pid, int status)
{
    for (int i = 0; i < k->count; i++) {
        struct session *s = &k->sessions[i];
        if (s->pid != pid)
            continue;
        s->pid = 0;
        s->status = status;
        struct wire_message m = {.type = WIRE_EXITED, .pid = pid, .status = status};
        memcpy(m.name, s->name, sizeof m.name);
        tell(k, m, NULL, 0);
    }
}

/* ---- the worker ---- */

static int worker_process(struct keeper *k, int socket, pid_t keeper)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (getppid() != keeper)
        return 1;
    for (int i = 0; i < k->count; i++) {
        close(k->sessions[i].master);
        close(k->sessions[i].intake);
    }
    close(k->signals);
    /* The listener comes in a message, like everything else it gets. */
    close(k->listener->fd);
    if (k->listener->lock >= 0)
        close(k->listener->lock);
    if (k->listener->state_lock >= 0)
        close(k->listener->state_lock);
    return k->run_worker(socket, k->user);
}

static void hand_over(struct keeper *k)
{
    tell(k, (struct wire_message){.type = WIRE_LISTENER}, (int[]){k->listener->fd}, 1);
    for (int i = 0; i < k->count; i++)
        tell_session(k, &k->sessions[i]);
    tell(k, (struct wire_message){.type = WIRE_HANDED_OVER}, NULL, 0);
}

static void start_worker(struct keeper *k, long long now)
{
    int pair[2];
    pid_t self = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        _exit(worker_process(k, pair[1], self));
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        k->restart_at = now + LIMIT_BACKOFF_MS;
        return;
    }
    k->worker = pid;
    k->socket = pair[0];
    k->worker_since = now;
    k->restart_at = 0;
    k->stop_sent = false;
    hand_over(k);
}

static void worker_gone(struct keeper *k, int status, long long now)
{
    k->worker = 0;
    close(k->socket);
    k->socket = -1;
    if (k->stopping && k->stop_sent)
        return;
    bool healthy = now - k->worker_since >= LIMIT_WORKER_HEALTHY_MS;
    k->backoff = healthy ? 0 : k->backoff ? k->backoff * 2 : LIMIT_BACKOFF_FIRST_MS;
    k->backoff = k->backoff < LIMIT_BACKOFF_MS ? k->backoff : LIMIT_BACKOFF_MS;
    k->restart_at = now + k->backoff;
    say("worker ended (%s %d), starting another", WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void from_worker(struct keeper *k)
{
    struct wire_message m;
    int fds[WIRE_FDS_MAX];
    if (wire_receive(k->socket, &m, fds) <= 0) {
        kill(k->worker, SIGKILL); /* its end is seen by waitpid */
        return;
    }
    struct session *s = find(k, m.name);
    if (m.type == WIRE_SPAWN && fds[0] >= 0 && fds[1] >= 0) {
        spawn(k, &m, fds[0], fds[1]);
        return;
    }
    if (m.type == WIRE_READY && !k->ready) {
        k->ready = true;
        listener_notify("READY=1");
    } else if (m.type == WIRE_CLOSE && s) {
        hang_up(s, clock_monotonic_ms());
    } else if (m.type == WIRE_FORGET && s && !s->pid) {
        forget(k, s);
    } else if (m.type == WIRE_STOP) {
        k->stopping = true;
    }
    for (int i = 0; i < WIRE_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* ---- the loop ---- */

static void reap(struct keeper *k)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == k->worker)
            worker_gone(k, status, clock_monotonic_ms());
        else
            reaped(k, pid, status);
}

static void read_signals(struct keeper *k)
{
    struct signalfd_siginfo info;
    while (read(k->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            k->stopping = true;
    reap(k);
}

static bool shells_left(const struct keeper *k)
{
    for (int i = 0; i < k->count; i++)
        if (k->sessions[i].pid)
            return true;
    return false;
}

/* Takes the next step of ending; returns true when nothing is left to wait for. */
static bool step_stop(struct keeper *k, long long now)
{
    for (int i = 0; i < k->count; i++)
        hang_up(&k->sessions[i], now);
    if (shells_left(k))
        return false;
    if (!k->worker)
        return true;
    if (!k->stop_sent) {
        k->stop_sent = true;
        k->worker_stop_at = now + LIMIT_WORKER_STOP_MS;
        listener_notify("STOPPING=1");
        tell(k, (struct wire_message){.type = WIRE_STOPPING}, NULL, 0);
    }
    if (now >= k->worker_stop_at)
        kill(k->worker, SIGKILL);
    return false;
}

/* Does what is due; returns ms until the next due thing, -1 for none. */
static int step_timers(struct keeper *k, long long now)
{
    long long next = -1;
    for (int i = 0; i < k->count; i++) {
        struct session *s = &k->sessions[i];
        if (!s->kill_at || !s->pid)
            continue;
        if (now >= s->kill_at) {
            kill_session(s);
            s->kill_at = now + LIMIT_HANGUP_MS;
        }
        next = next < 0 || s->kill_at < next ? s->kill_at : next;
    }
    if (!k->worker && now >= k->restart_at)
        start_worker(k, now);
    if (!k->worker && (next < 0 || k->restart_at < next))
        next = k->restart_at;
    if (k->stop_sent && (next < 0 || k->worker_stop_at < next))
        next = k->worker_stop_at;
    return next < 0 ? -1 : next > now ? (int)(next - now) : 0;
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int keeper_run(const struct listener *listener, keeper_worker *worker, void *user)
{
    static struct keeper k; /* large, and there is one */
    k = (struct keeper){.listener = listener,
                        .run_worker = worker,
                        .user = user,
                        .socket = -1,
                        .signals = open_signals()};
    spawn_raise_files();
    if (k.signals < 0) {
        say("cannot watch signals: %s", strerror(errno));
        return 1;
    }
    for (;;) {
        long long now = clock_monotonic_ms();
        if (k.stopping && step_stop(&k, now))
            break;
        int timeout = step_timers(&k, now);
        struct pollfd fds[] = {{.fd = k.signals, .events = POLLIN},
                               {.fd = k.socket, .events = POLLIN}};
        if (poll(fds, 2, timeout) < 0)
            continue;
        if (fds[0].revents)
            read_signals(&k);
        if (fds[1].revents && k.socket == fds[1].fd && k.socket >= 0)
            from_worker(&k);
    }
    for (int i = k.count; i > 0; i--)
        forget(&k, &k.sessions[i - 1]);
    close(k.signals);
    return 0;
}
