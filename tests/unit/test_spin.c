/* A worker that spins ends itself, and one that works does not. Time is ours: the timer that
 * faults.c starts never fires; what it would send is sent here, a look of a fifth of LIMIT_SPIN_MS
 * after the other. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/worker/faults.h"

static struct itimerspec asked;

int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    (void)timer;
    (void)flags;
    (void)old;
    asked = *value;
    return 0;
}

static long long asked_ms(const struct timespec *t)
{
    return t->tv_sec * 1000LL + t->tv_nsec / 1000000;
}

/* The timer's signal, or with another code somebody else's. */
static void look_as(int code)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGVTALRM;
    info.si_code = code;
    assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGVTALRM, &info), 0);
}

static void look(void)
{
    look_as(SI_TIMER);
}

/* As the loop does when there is nothing to do: the kernel counts it. */
static void sleep_once(void)
{
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    do {
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        getrusage(RUSAGE_THREAD, &after);
    } while (after.ru_nvcsw == before.ru_nvcsw);
}

/* What a worker does between two looks; `after` many it ends by itself. */
static void enter(void)
{
    board_enter("one", BOARD_TAKE_IN, 4711);
}

static void nothing(void)
{
}

static enum board_fault run(void (*begin)(void), void (*between)(void), int looks, int *ret_looks,
                            struct board_place *ret_place)
{
    int status, pipes[2], board = board_create_fd();
    char one;
    assert_true(board >= 0 && pipe(pipes) == 0);
    assert_int_equal(board_open(board), 0);
    board_clear();
    pid_t pid = fork();
    if (pid == 0) {
        faults_watch();
        bool right = asked_ms(&asked.it_value) == LIMIT_SPIN_MS / 5 &&
                     asked_ms(&asked.it_interval) == LIMIT_SPIN_MS / 5;
        begin();
        for (int i = 0; right && i < looks; i++) {
            between();
            if (write(pipes[1], ".", 1) != 1)
                _exit(1);
            look();
        }
        _exit(right ? 0 : 2);
    }
    close(pipes[1]);
    *ret_looks = 0;
    while (read(pipes[0], &one, 1) == 1)
        ++*ret_looks;
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    enum board_fault fault = board_fault(ret_place);
    assert_true(fault == BOARD_SPUN ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT
                                    : WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(board);
    return fault;
}

/* The first look sees that it moved since it began. */
static void one_that_stays_in_a_step_is_ended(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    assert_int_equal(run(enter, nothing, 1000, &looks, &place), BOARD_SPUN);
    assert_int_equal(looks, 6);
    assert_string_equal(place.session, "one");
    assert_int_equal(place.step, BOARD_TAKE_IN);
    assert_int_equal(place.at, 4711);
}

static void one_that_stays_in_none_is_ended(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    sleep_once();
    assert_int_equal(run(nothing, nothing, 1000, &looks, &place), BOARD_SPUN);
    assert_in_range(looks, 5, 7);
    assert_int_equal(place.step, BOARD_NOTHING);
}

/* Within a step it waits for nothing: that it slept there is no getting on. */
static void one_that_sleeps_in_a_step_is_ended(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    assert_int_equal(run(enter, sleep_once, 1000, &looks, &place), BOARD_SPUN);
    assert_int_equal(looks, 6);
}

static void one_that_gets_on_or_sleeps_goes_on(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    assert_int_equal(run(enter, board_moved, 1000, &looks, &place), BOARD_NO_FAULT);
    assert_int_equal(looks, 1000);
    assert_int_equal(run(nothing, board_moved, 1000, &looks, &place), BOARD_NO_FAULT);
    assert_int_equal(run(nothing, sleep_once, 1000, &looks, &place), BOARD_NO_FAULT);
    assert_int_equal(looks, 1000);
}

static int moved_at;

static void move_at_times(void)
{
    if (++moved_at % 5 == 0)
        board_moved();
}

static void one_that_gets_on_at_times_goes_on(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    assert_int_equal(run(enter, move_at_times, 1000, &looks, &place), BOARD_NO_FAULT);
}

static void look_of_others(void)
{
    board_moved();
    for (int i = 0; i < 20; i++)
        look_as(SI_QUEUE);
}

static void the_same_signal_from_others_ends_nobody(void **state)
{
    struct board_place place;
    int looks;
    (void)state;
    assert_int_equal(run(enter, look_of_others, 100, &looks, &place), BOARD_NO_FAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_stays_in_a_step_is_ended),
        cmocka_unit_test(one_that_stays_in_none_is_ended),
        cmocka_unit_test(one_that_sleeps_in_a_step_is_ended),
        cmocka_unit_test(one_that_gets_on_or_sleeps_goes_on),
        cmocka_unit_test(one_that_gets_on_at_times_goes_on),
        cmocka_unit_test(the_same_signal_from_others_ends_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
