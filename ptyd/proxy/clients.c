/* Each connection is a process of its own: one that crashes, or waits for the daemon, concerns no
 * other client. The parent accepts connections, reaps their processes, and keeps the server. */
#define _GNU_SOURCE
#include "ptyd/proxy/clients.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/say.h"
#include "ptyd/proxy/relay.h"
#include "ptyd/proxy/upgrade.h"

#define SLOTS (LIMIT_CONNECTIONS + LIMIT_HEADS)

/* A connection's process. The slots are shared with them. */
struct slot {
    pid_t pid;          /* 0: the slot is free */
    uint64_t number;    /* which connection it was */
    atomic_bool headed; /* its client has said what it wants */
};

struct clients {
    const struct address *address;
    struct upstream *upstream;
    const struct gate_options *options;
    int listener, signals;
    struct slot *slots; /* LIMIT_CONNECTIONS + LIMIT_HEADS */
    uint64_t accepted;
    bool stopping;
    bool server_ended;
};

/* ---- one connection ---- */

static _Noreturn void serve(struct clients *f, struct slot *slot, int fd, pid_t parent)
{
    struct peer *client = NULL, *server = NULL;
    sigset_t none;
    close(f->listener);
    close(f->signals);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (upgrade_accept(fd, f->address, &f->upstream->address, &slot->headed, &client, &server) ==
        0) {
        struct gate *gate = gate_create(f->options);
        relay_run(gate, client, server, -1);
        gate_destroy(gate);
        peer_destroy(client);
        peer_destroy(server);
    }
    exit(0); /* not _exit(): a build that looks for leaks reports them at exit */
}

/* How many connections there are whose head has come, or has not; of the latter *ret_oldest. */
static int count(const struct clients *f, bool headed, struct slot **ret_oldest)
{
    int found = 0;
    for (struct slot *s = f->slots; s < f->slots + SLOTS; s++) {
        if (!s->pid || atomic_load(&s->headed) != headed)
            continue;
        if (ret_oldest && (!found || s->number < (*ret_oldest)->number))
            *ret_oldest = s;
        found++;
    }
    return found;
}

/* Those that say half of what they want keep nobody out: the oldest of them goes. */
static void make_room(struct clients *f)
{
    struct slot *oldest = NULL;
    if (count(f, false, &oldest) < LIMIT_HEADS)
        return;
    kill(oldest->pid, SIGKILL);
    waitpid(oldest->pid, NULL, 0);
    oldest->pid = 0;
}

static void accept_one(struct clients *f)
{
    pid_t self = getpid();
    int fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (!f->address->path || local_socket_is_ours(fd)) {
        make_room(f);
        struct slot *slot = f->slots;
        while (slot->pid) /* fewer are taken than there are */
            slot++;
        slot->number = ++f->accepted;
        atomic_store(&slot->headed, false);
        pid_t pid = fork();
        if (pid == 0)
            serve(f, slot, fd, self);
        slot->pid = pid > 0 ? pid : 0;
    }
    close(fd);
}

/* ---- signals ---- */

static void reap(struct clients *f)
{
    siginfo_t info;
    pid_t server = f->upstream->child.pid;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
            return;
        if (server > 0 && info.si_pid == server) {
            f->server_ended = true; /* its status is read by upstream_finish() */
            return;
        }
        waitpid(info.si_pid, NULL, 0);
        for (struct slot *s = f->slots; s < f->slots + SLOTS; s++)
            s->pid = s->pid == info.si_pid ? 0 : s->pid;
    }
}

static void take_signal(struct clients *f)
{
    struct signalfd_siginfo info;
    if (read(f->signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD) {
        reap(f);
        return;
    }
    f->stopping = true;
    if (f->upstream->child.pid > 0 && info.ssi_code != SI_KERNEL)
        kill(f->upstream->child.pid, (int)info.ssi_signo);
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
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- the loop ---- */

/* A proxy that started its server ends when that one does; any other ends by a signal. */
static bool is_over(const struct clients *f)
{
    return f->server_ended || (f->stopping && f->upstream->child.pid <= 0);
}

static void loop(struct clients *f)
{
    while (!is_over(f)) {
        bool may_accept = !f->stopping && count(f, true, NULL) < LIMIT_CONNECTIONS;
        struct pollfd fds[] = {{.fd = f->signals, .events = POLLIN},
                               {.fd = may_accept ? f->listener : -1, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[0].revents)
            take_signal(f);
        if (fds[1].revents)
            accept_one(f);
        reap(f); /* signals of several children may be one */
    }
}

int clients_run(const struct address *address, struct upstream *upstream,
                const struct gate_options *options)
{
    char *message;
    struct clients f = {.address = address, .upstream = upstream, .options = options};
    f.listener = address_listen(address, &message);
    if (f.listener < 0) {
        say("%s", message);
        free(message);
        return EXIT_FAILED;
    }
    f.slots = mmap(NULL, SLOTS * sizeof *f.slots, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f.slots == MAP_FAILED)
        memory_end();
    f.signals = open_signals();
    if (address->path)
        say("listening on unix://%s", address->path);
    else
        say("listening on ws://%s:%s", address->host, address->port);
    loop(&f);
    close(f.listener);
    close(f.signals);
    munmap(f.slots, SLOTS * sizeof *f.slots);
    if (address->path)
        unlink(address->path);
    return 0;
}
