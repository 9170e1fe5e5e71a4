/* The way back from an upgrade: when it is taken, and with what. Time is ours: alarm() is counted
 * here, and its signal sent. The program to go back to is echo, which says how it was called. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/keeper/guard.h"

static unsigned alarmed; /* seconds until the next SIGALRM; 0 for none */
static unsigned passed;  /* of them all that were over */

unsigned alarm(unsigned seconds)
{
    unsigned before = alarmed;
    alarmed = seconds;
    return before;
}

/* So much time goes by. */
static void let_pass(void)
{
    passed += alarmed;
    alarmed = 0;
    raise(SIGALRM);
}

/* Runs a new program's start in a process of its own; returns its status, and what it wrote in
 * `ret_said`, or echo in its place. */
static int start(void (*program)(void), char ret_said[256])
{
    int pipes[2], status, table = open("/dev/null", O_RDONLY), echo = open("/bin/echo", O_RDONLY);
    assert_true(pipe(pipes) == 0 && table >= 0 && echo >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[1]);
        alarmed = passed = 0;
        guard_arm(echo, table);
        program();
        _exit(99);
    }
    close(pipes[1]);
    close(table);
    close(echo);
    ssize_t n, len = 0;
    while ((n = read(pipes[0], ret_said + len, 255 - (size_t)len)) > 0)
        len += n;
    ret_said[len] = '\0';
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_back(void (*program)(void), const char *why)
{
    char said[256], wanted[256];
    int table, program_file;
    assert_int_equal(start(program, said), 0);
    assert_int_equal(
        sscanf(said, "serve --resume %d --previous %d --returned", &table, &program_file), 2);
    snprintf(wanted, sizeof wanted, "serve --resume %d --previous %d --returned %s\n", table,
             program_file, why);
    assert_string_equal(said, wanted);
}

/* ---- nobody gets on ---- */

static void wait_for_nothing(void)
{
    let_pass();
}

static void one_that_does_not_get_on_is_given_up(void **state)
{
    (void)state;
    expect_back(wait_for_nothing, "no worker of it was ready in time");
}

/* ---- somebody does ---- */

static void get_on_for_ever(void)
{
    for (;;) {
        board_moved();
        write(STDOUT_FILENO, ".", 1);
        let_pass();
    }
}

static void one_that_gets_on_has_more_time_and_not_for_ever(void **state)
{
    char said[256];
    (void)state;
    assert_int_equal(start(get_on_for_ever, said), 0);
    size_t looks = strspn(said, ".");
    assert_int_equal(looks * LIMIT_UPGRADE_READY_MS, LIMIT_UPGRADE_MOST_MS);
    assert_non_null(strstr(said, "--returned no worker of it was ready in time\n"));
}

static void get_on_and_stop(void)
{
    for (int i = 0; i < 3; i++) {
        board_moved();
        write(STDOUT_FILENO, ".", 1);
        let_pass();
    }
    let_pass();
}

static void one_that_got_on_and_stands_still_is_given_up(void **state)
{
    char said[256];
    (void)state;
    assert_int_equal(start(get_on_and_stop, said), 0);
    assert_int_equal(strspn(said, "."), 3);
    assert_non_null(strstr(said, "--returned no worker of it was ready in time\n"));
}

/* ---- other ends ---- */

static void crash(void)
{
    raise(SIGSEGV);
}

static void give_up(void)
{
    abort();
}

static void end(void)
{
    exit(0);
}

static void whatever_befalls_it_leads_back(void **state)
{
    (void)state;
    expect_back(crash, "it crashed");
    expect_back(give_up, "it aborted");
    expect_back(end, "it ended at its start");
}

static void end_ready(void)
{
    guard_disarm();
    if (alarmed || guard_is_armed())
        _exit(1);
    exit(7);
}

static void end_forked(void)
{
    pid_t pid = fork();
    int status;
    if (pid == 0)
        exit(3); /* another process than the one that was armed */
    waitpid(pid, &status, 0);
    guard_disarm();
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void nothing_leads_back_once_it_works_nor_for_others(void **state)
{
    char said[256];
    int status;
    (void)state;
    status = start(end_ready, said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_string_equal(said, "");
    status = start(end_forked, said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_string_equal(said, "");
}

/* A worker of it reads the terminals: it is ended before the program before has one. */
static void worker_and_stop(void)
{
    int pipes[2];
    if (pipe(pipes) < 0)
        _exit(1);
    pid_t worker = fork();
    if (worker == 0) {
        close(pipes[0]);
        for (;;)
            pause();
    }
    close(pipes[1]); /* its end is the worker's alone */
    guard_set_worker(worker);
    dup2(pipes[0], STDIN_FILENO);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    raise(SIGSEGV);
}

static void its_worker_is_ended_first(void **state)
{
    (void)state;
    expect_back(worker_and_stop, "it crashed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_not_get_on_is_given_up),
        cmocka_unit_test(one_that_gets_on_has_more_time_and_not_for_ever),
        cmocka_unit_test(one_that_got_on_and_stands_still_is_given_up),
        cmocka_unit_test(whatever_befalls_it_leads_back),
        cmocka_unit_test(nothing_leads_back_once_it_works_nor_for_others),
        cmocka_unit_test(its_worker_is_ended_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
