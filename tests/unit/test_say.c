/* Words that nobody takes: who says them goes on. Each of a child whose stderr is full. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "ptyd/core/say.h"

#define DEADLINE_S 20

/* Until there is room for nothing more; whoever else has it may wait there as before. */
static void fill(int fd)
{
    static const char bytes[4096];
    int flags = fcntl(fd, F_GETFL);
    assert_int_equal(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
    for (size_t len = sizeof bytes; len; len /= 2)
        while (write(fd, bytes, len) > 0)
            ;
    assert_int_equal(fcntl(fd, F_SETFL, flags), 0);
}

/* In a child, which a signal ends where it waits. */
static pid_t say_in_child(int fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd, STDERR_FILENO);
        say_without_waiting();
        alarm(DEADLINE_S);
        for (int i = 0; i < 100; i++)
            say("word %d, that nobody takes", i);
        _exit(0);
    }
    return pid;
}

static void assert_ends(pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Up to a line's end: a terminal hands out what it has. */
static void read_line(int from, char *text, size_t size)
{
    for (size_t len = 0; !memchr(text, '\n', len);) {
        ssize_t n = read(from, text + len, size - 1 - len);
        assert_true(n > 0);
        len += (size_t)n;
        text[len] = 0;
    }
}

/* What is said where there is room: `from` is the other end. */
static void assert_said(int fd, int from)
{
    char text[64];
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd, STDERR_FILENO);
        say_without_waiting();
        say("a %s", "word");
        _exit(0);
    }
    assert_ends(pid);
    read_line(from, text, sizeof text);
    assert_string_equal(text, "ptyd: a word\n");
}

static void check(int fd, int from)
{
    assert_said(fd, from);
    fill(fd);
    int flags = fcntl(fd, F_GETFL);
    assert_ends(say_in_child(fd));
    assert_int_equal(fcntl(fd, F_GETFL), flags);
    close(fd);
    close(from);
}

static void test_full_pipe(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    check(ends[1], ends[0]);
}

static void test_full_socket(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    check(ends[1], ends[0]);
}

static void test_stopped_terminal(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios settings;
    assert_int_equal(tcgetattr(fd, &settings), 0);
    cfmakeraw(&settings);
    assert_int_equal(tcsetattr(fd, TCSANOW, &settings), 0);
    assert_said(fd, master);
    assert_int_equal(tcflow(fd, TCOOFF), 0);
    assert_ends(say_in_child(fd));
    close(fd);
    close(master);
}

/* Each line is one piece, as somebody who hears pieces hears: what another one says cannot be
 * within it. */
static void test_one_piece(void **state)
{
    char text[64] = "";
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        say("a %s", "word");
        _exit(0);
    }
    assert_ends(pid);
    assert_int_equal(read(ends[0], text, sizeof text - 1), strlen("ptyd: a word\n"));
    assert_string_equal(text, "ptyd: a word\n");
    close(ends[0]);
    close(ends[1]);
}

/* What is longer than is made at once is said whole. */
static void test_long_word(void **state)
{
    static char word[10000], text[2 * sizeof word];
    int ends[2];
    (void)state;
    memset(word, 'x', sizeof word - 1);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        say("%s and %s", "a", word);
        _exit(0);
    }
    assert_ends(pid);
    read_line(ends[0], text, sizeof text);
    assert_int_equal(strlen(text), strlen("ptyd: a and \n") + strlen(word));
    assert_memory_equal(text, "ptyd: a and xxx", strlen("ptyd: a and xxx"));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_pipe),        cmocka_unit_test(test_full_socket),
        cmocka_unit_test(test_stopped_terminal), cmocka_unit_test(test_one_piece),
        cmocka_unit_test(test_long_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
