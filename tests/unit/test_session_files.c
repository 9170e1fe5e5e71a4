/* What a session costs the worker: descriptors, counted in /proc/self/fd, from its adoption to its
 * end, with a command that runs and a flood; and that it lets go of them. */
#define _GNU_SOURCE
#include "tests/unit/host.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

#include "ptyd/core/intake.h"
#include "ptyd/session/session.h"
#include "ptyd/worker/missed.h"
#include "vterm_snapshot/terminal.h"

#define NONCE "0123456789abcdef0123456789abcdef"

static char place[] = "/tmp/ptyd-session-XXXXXX";
static uv_loop_t loop;

static struct test_host here;

static int count_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* `.`, `..` and itself */
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int open_terminal(int *ret_slave)
{
    struct termios modes;
    char name[64];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    assert_int_equal(ptsname_r(master, name, sizeof name), 0);
    *ret_slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_int_equal(tcgetattr(*ret_slave, &modes), 0);
    cfmakeraw(&modes);
    assert_int_equal(tcsetattr(*ret_slave, TCSANOW, &modes), 0);
    return master;
}

static void say(int slave, const char *text)
{
    assert_int_equal(write(slave, text, strlen(text)), strlen(text));
}

static void run_until_running(const struct session *s)
{
    while (strcmp(session_state(s), "running"))
        uv_run(&loop, UV_RUN_ONCE);
}

/* From the thread that fills the terminal, while the loop goes on. */
static void *flood(void *slave)
{
    static char lines[1 << 16];
    memset(lines, '\n', sizeof lines);
    for (int i = 0; i < 200; i++)
        for (size_t at = 0; at < sizeof lines;) {
            ssize_t n = write(*(int *)slave, lines + at, sizeof lines - at);
            at += n > 0 ? (size_t)n : 0;
        }
    say(*(int *)slave, "\x1b]7711;" NONCE ";3;D;st=0\x07\x1b]7711;" NONCE ";4;A\x07"
                       "\x1b]7711;" NONCE ";5;B\x07");
    return NULL;
}

static struct session *begin_session(int *ret_slave)
{
    struct intake_facts facts = {.name = "cut",
                                 .shell_id = "shell_y",
                                 .shell = "bash",
                                 .nonce = NONCE,
                                 .cols = 80,
                                 .rows = 24};
    int error, intake = intake_create_fd(&facts), master = open_terminal(ret_slave);
    struct session *s = session_adopt(
        test_host_begin(&here, &loop, place),
        &(struct session_start){
            .name = "cut", .pid = getpid(), .master = master, .intake = intake, .slate = -1},
        &error);
    assert_non_null(s);
    return s;
}

static void what_the_log_lacks_is_told_from_nothing(void **state)
{
    char log[128];
    uint64_t stands = 0;
    int slave;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    struct session *s = begin_session(&slave);
    say(slave, "one\r\ntwo\r\n");
    while (terminal_shown_offset(session_terminal(s)) < 10)
        uv_run(&loop, UV_RUN_ONCE);
    snprintf(log, sizeof log, "%s/conversations/cut/agent_pty/output.raw", place);
    struct missed *whole = missed_create(s, 1, 0), *cut = missed_create(s, 1, 0);
    struct bytes out = {0};
    assert_int_equal(missed_read(whole, 1000, UINT64_MAX, &out, &stands), 0);
    assert_int_equal(stands, 10);
    assert_int_equal(out.len, 10);
    assert_memory_equal(out.data, "one\r\ntwo\r\n", 10);
    assert_int_equal(truncate(log, 5), 0);
    assert_int_equal(missed_read(cut, 1000, UINT64_MAX, &out, &stands), 0);
    assert_int_equal(stands, 5);
    assert_int_equal(missed_read(cut, 1000, UINT64_MAX, &out, &stands), -EIO);
    assert_int_equal(stands, 5);
    bytes_finish(&out);
    missed_destroy(whole);
    missed_destroy(cut);
    session_destroy(s);
    test_host_end(&here);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    close(slave);
}

static void a_session_holds_no_more_descriptors_than_are_counted_for_it(void **state)
{
    struct intake_facts facts = {.name = "it",
                                 .shell_id = "shell_x",
                                 .shell = "bash",
                                 .nonce = NONCE,
                                 .cols = 80,
                                 .rows = 24};
    pthread_t thread;
    int slave, error, most = 0;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    const struct session_host *host = test_host_begin(&here, &loop, place);
    uv_run(&loop, UV_RUN_NOWAIT);
    int intake = intake_create_fd(&facts), master = open_terminal(&slave);
    int before = count_files() - 2; /* both become the session's */
    struct session *s = session_adopt(
        host,
        &(struct session_start){
            .name = "it", .pid = getpid(), .master = master, .intake = intake, .slate = -1},
        &error);
    assert_non_null(s);
    assert_in_range(count_files() - before, 1, SESSION_FILES - 1); /* at rest */
    say(slave, "\x1b]7711;" NONCE ";0;A\x07$ \x1b]7711;" NONCE ";1;B\x07"
               "\x1b]7711;" NONCE ";2;C;cmd=yes\x07");
    run_until_running(s);
    assert_in_range(count_files() - before, 1, SESSION_FILES);
    assert_int_equal(pthread_create(&thread, NULL, flood, &slave), 0);
    while (strcmp(session_state(s), "prompt")) {
        uv_run(&loop, UV_RUN_ONCE);
        int now = count_files() - before;
        most = now > most ? now : most;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* no more, and no less; and one by which the loop wakes the thread that reads floods */
    assert_int_equal(most, SESSION_FILES + 1);
    session_destroy(s);
    test_host_end(&here);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(count_files(), before);
    uv_loop_close(&loop);
    close(slave);
}

static void note_readable(uv_poll_t *poll, int status, int events)
{
    char byte;
    (void)events;
    assert_int_equal(status, 0);
    assert_int_equal(read(*(int *)poll->data, &byte, 1), 1);
    *(int *)poll->data = -1;
}

static void is_late(uv_timer_t *timer)
{
    (void)timer;
    fail_msg("what has the number of a closed terminal is not polled any more");
}

static struct session *adopt(const struct session_host *host, int master)
{
    struct intake_facts facts = {.name = "over",
                                 .shell_id = "shell_y",
                                 .shell = "bash",
                                 .nonce = NONCE,
                                 .cols = 80,
                                 .rows = 24};
    int error;
    struct session *s = session_adopt(host,
                                      &(struct session_start){.name = "over",
                                                              .pid = getpid(),
                                                              .master = master,
                                                              .intake = intake_create_fd(&facts),
                                                              .slate = -1},
                                      &error);
    assert_non_null(s);
    return s;
}

/* Whoever has the number of a terminal that was closed is polled on when its session goes. */
static void a_session_that_is_over_lets_go_of_its_terminals_number(void **state)
{
    uv_poll_t poll;
    uv_timer_t late;
    int slave, ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    int master = open_terminal(&slave);
    struct session *s = adopt(test_host_begin(&here, &loop, place), master);
    uv_run(&loop, UV_RUN_NOWAIT);
    session_shell_reaped(s, 0);
    session_exit_now(s);
    uv_run(&loop, UV_RUN_NOWAIT);
    int number = dup2(ends[0], master);
    assert_int_equal(number, master);
    assert_int_equal(uv_poll_init(&loop, &poll, number), 0);
    poll.data = &number;
    assert_int_equal(uv_poll_start(&poll, UV_READABLE, note_readable), 0);
    uv_run(&loop, UV_RUN_NOWAIT); /* it is in the loop's poll from here on */
    session_destroy(s);
    uv_timer_init(&loop, &late);
    uv_timer_start(&late, is_late, 10000, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    while (number >= 0)
        uv_run(&loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&poll, NULL);
    uv_close((uv_handle_t *)&late, NULL);
    test_host_end(&here);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    close(master);
    close(ends[0]);
    close(ends[1]);
    close(slave);
}

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_log_lacks_is_told_from_nothing),
        cmocka_unit_test(a_session_holds_no_more_descriptors_than_are_counted_for_it),
        cmocka_unit_test(a_session_that_is_over_lets_go_of_its_terminals_number),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
