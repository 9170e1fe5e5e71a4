#define _GNU_SOURCE
#include "ptyd/worker/faults.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/say.h"

#define LOOKS       5          /* within LIMIT_SPIN_MS */
#define STACK_BYTES (64 << 10) /* for a handler where the thread's own is used up */

static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

/* A sanitizer's, or none. */
static struct sigaction former[NSIG];

static void on_fault(int number, siginfo_t *info, void *context)
{
    bool from_kernel = info->si_code > 0;
    (void)context;
    if (from_kernel || info->si_pid == getpid())
        board_set_fault(BOARD_CRASHED);
    sigaction(number, &former[number], NULL);
    if (!from_kernel) /* else it comes again by itself */
        raise(number);
}

static struct {
    uint64_t moves;
    long sleeps;
    int looks; /* in a row that saw neither change */
} seen;

static void on_time(int number, siginfo_t *info, void *context)
{
    struct rusage usage = {0};
    (void)number;
    (void)context;
    if (info->si_code != SI_TIMER)
        return;
    getrusage(RUSAGE_THREAD, &usage);
    bool slept = usage.ru_nvcsw != seen.sleeps && !board_inside();
    bool moved = board_moves() != seen.moves;
    seen.moves = board_moves();
    seen.sleeps = usage.ru_nvcsw;
    seen.looks = slept || moved ? 0 : seen.looks + 1;
    if (seen.looks < LOOKS)
        return;
    board_set_fault(BOARD_SPUN);
    sigaction(SIGABRT, &former[SIGABRT], NULL);
    raise(SIGABRT); /* with confinement = off a debugger shows where */
}

static void watch_spin(void)
{
    struct sigaction action = {.sa_sigaction = on_time, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    struct timespec look = {.tv_sec = LIMIT_SPIN_MS / LOOKS / 1000,
                            .tv_nsec = LIMIT_SPIN_MS / LOOKS % 1000 * 1000000L};
    timer_t timer;
    event._sigev_un._tid = gettid();
    sigaction(SIGVTALRM, &action, NULL);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0 ||
        timer_settime(timer, 0, &(struct itimerspec){look, look}, NULL) < 0)
        say("a worker that spins will not be noticed: there is no timer");
}

void faults_watch(void)
{
    static char stack[STACK_BYTES];
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        sigaction(deadly[i], &action, &former[deadly[i]]);
    watch_spin();
}
