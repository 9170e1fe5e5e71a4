#define _GNU_SOURCE
#include "ptyd/client/signals.h"

#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "ptyd/core/say.h"

bool signals_open(struct signals *s)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTSTP);
    sigaddset(&set, SIGCONT);
    sigprocmask(SIG_BLOCK, &set, &s->saved);
    s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0)
        say("no descriptor is left for signals: `ulimit -n` says how many there may be");
    return s->fd >= 0;
}

void signals_close(struct signals *s)
{
    if (s->fd >= 0)
        close(s->fd);
    sigprocmask(SIG_SETMASK, &s->saved, NULL);
}

static void forget(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0)
        ;
}

void signals_forget_interrupts(void)
{
    forget(SIGINT);
}

void signals_stop(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    forget(SIGCONT);
}

int signals_next(struct signals *s)
{
    struct signalfd_siginfo info;
    return read(s->fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}
