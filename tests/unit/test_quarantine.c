/* The worker died: was it at the same place again? */
#include "tests/unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptyd/core/board.h"
#include "ptyd/keeper/shells.h"
#include "ptyd/worker/faults.h"

static struct shells shells;

static bool dies_at(const char *session, enum board_step step, uint64_t at)
{
    struct board_place place = {.step = step, .at = at};
    strcpy(place.session, session);
    return shells_died_at(&shells, &place) != NULL;
}

static int with_two_shells(void **state)
{
    (void)state;
    memset(&shells, 0, sizeof shells);
    strcpy(shells.all[0].name, "one");
    strcpy(shells.all[1].name, "two");
    shells.count = 2;
    return 0;
}

static void three_deaths_at_one_place_are_too_many(void **state)
{
    (void)state;
    assert_false(dies_at("one", BOARD_TAKE_IN, 100));
    assert_false(dies_at("one", BOARD_TAKE_IN, 100));
    assert_true(dies_at("one", BOARD_TAKE_IN, 100));
    assert_int_equal(shells.all[0].deadly_step, BOARD_TAKE_IN);
    assert_int_equal(shells.all[0].deadly_at, 100);
    assert_int_equal(shells.all[1].deadly_step, BOARD_NOTHING);
}

static void other_places_count_for_themselves(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_false(dies_at("one", BOARD_TAKE_IN, 100));
        assert_false(dies_at("one", BOARD_RENDER, 100));
        assert_false(dies_at("two", BOARD_TAKE_IN, 100));
        assert_false(dies_at("one", BOARD_TAKE_IN, 101));
    }
    for (uint64_t at = 1000; at < 2000; at++)
        assert_false(dies_at("two", BOARD_TAKE_IN, at));
    assert_true(dies_at("one", BOARD_RENDER, 100));
}

static void nowhere_and_nobody_count_for_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_false(dies_at("one", BOARD_NOTHING, 0));
        assert_false(dies_at("", BOARD_TAKE_IN, 0));
        assert_false(dies_at("gone", BOARD_TAKE_IN, 0));
    }
}

static void a_reset_forgets_what_was_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        dies_at("one", BOARD_TAKE_IN, 100);
    shells_reset(&shells.all[0]);
    assert_int_equal(shells.all[0].deadly_step, BOARD_NOTHING);
    assert_false(dies_at("one", BOARD_TAKE_IN, 100));
    assert_false(dies_at("one", BOARD_TAKE_IN, 100));
    assert_true(dies_at("one", BOARD_TAKE_IN, 100));
}

/* ---- what a process leaves on the board ---- */

enum end { SEGV, ABORT, BUS, SENT_SEGV, SENT_ABORT, SENT_KILL };

static _Noreturn void die(enum end end)
{
    static const int sent[] = {
        [SENT_SEGV] = SIGSEGV, [SENT_ABORT] = SIGABRT, [SENT_KILL] = SIGKILL};
    for (int i = 1; i < SIGRTMIN; i++)
        signal(i, SIG_DFL); /* not the test's own, nor a sanitizer's */
    alarm(20);
    faults_watch();
    board_enter("one", BOARD_TAKE_IN, 7);
    if (end == SEGV)
        raise(SIGSEGV); /* its own, whatever the way */
    if (end == BUS)
        raise(SIGBUS);
    if (end == ABORT)
        abort();
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, sent[end]);
        _exit(0);
    }
    for (;;)
        pause();
}

static enum board_fault left_by(enum end end, struct board_place *ret_place, int *ret_status)
{
    board_clear();
    pid_t pid = fork();
    if (pid == 0)
        die(end);
    waitpid(pid, ret_status, 0);
    return board_fault(ret_place);
}

static void a_fault_of_its_own_is_on_the_board(void **state)
{
    static const int signals[] = {[SEGV] = SIGSEGV, [ABORT] = SIGABRT, [BUS] = SIGBUS};
    struct board_place place;
    int status;
    (void)state;
    for (enum end end = SEGV; end <= BUS; end++) {
        assert_int_equal(left_by(end, &place, &status), BOARD_CRASHED);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[end]);
        assert_string_equal(place.session, "one");
        assert_int_equal(place.step, BOARD_TAKE_IN);
        assert_int_equal(place.at, 7);
    }
}

static void a_kill_from_outside_is_not(void **state)
{
    static const int signals[] = {
        [SENT_SEGV] = SIGSEGV, [SENT_ABORT] = SIGABRT, [SENT_KILL] = SIGKILL};
    struct board_place place;
    int status;
    (void)state;
    for (enum end end = SENT_SEGV; end <= SENT_KILL; end++) {
        assert_int_equal(left_by(end, &place, &status), BOARD_NO_FAULT);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[end]);
    }
}

static void steps_lie_in_one_another(void **state)
{
    struct board_place place;
    (void)state;
    board_clear();
    assert_false(board_inside());
    struct board_place nothing = board_enter("one", BOARD_REBUILD, 5);
    struct board_place rebuild = board_enter("two", BOARD_RENDER, 9);
    board_fault(&place);
    assert_string_equal(place.session, "two");
    board_leave(&rebuild);
    board_fault(&place);
    assert_string_equal(place.session, "one");
    assert_int_equal(place.step, BOARD_REBUILD);
    assert_int_equal(place.at, 5);
    board_leave(&nothing);
    assert_false(board_inside());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_deaths_at_one_place_are_too_many, with_two_shells),
        cmocka_unit_test_setup(other_places_count_for_themselves, with_two_shells),
        cmocka_unit_test_setup(nowhere_and_nobody_count_for_nothing, with_two_shells),
        cmocka_unit_test_setup(a_reset_forgets_what_was_counted, with_two_shells),
        cmocka_unit_test(a_fault_of_its_own_is_on_the_board),
        cmocka_unit_test(a_kill_from_outside_is_not),
        cmocka_unit_test(steps_lie_in_one_another),
    };
    int board = board_create_fd();
    if (board < 0 || board_open(board) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
