/* takeover.h - a session on a terminal of the test's own, whose worker dies again and again: each
 * one is a process of its own, which goes on from the files and the shared memory alone. */
#ifndef TESTS_UNIT_TAKEOVER_H
#define TESTS_UNIT_TAKEOVER_H

#include "tests/unit/host.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/slate.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_reader.h"
#include "ptyd/session/session.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define OSC   "\x1b]7711;" NONCE ";"
#define END   ";" NONCE "\x07"

static char place[] = "/tmp/ptyd-takeover-XXXXXX";
static int master, slave, memory;
static int slate;                   /* what could not be written; the keeper's */
static rlim_t room = RLIM_INFINITY; /* bytes that a worker may write to a file */
static int sessions;                /* so far */
static char name[16];

/* ---- a worker ---- */

static uv_loop_t loop;
static struct test_host host;

static struct session *adopt(void)
{
    int error;
    uv_loop_init(&loop);
    return session_adopt(test_host_begin(&host, &loop, place),
                         &(struct session_start){.name = name,
                                                 .pid = getpid(),
                                                 .master = dup(master),
                                                 .intake = dup(memory),
                                                 .slate = slate},
                         &error);
}

static void leave(struct session *s)
{
    session_destroy(s);
    test_host_end(&host);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* Takes over, takes in what waits, and is killed. */
static void live_and_die(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, RLIM_INFINITY});
        _exit(adopt() ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static size_t memory_size(void)
{
    struct stat st;
    assert_int_equal(fstat(memory, &st), 0);
    return (size_t)st.st_size;
}

/* The kernel reads for us what the shell printed. */
static void take_in(const char *bytes, size_t len)
{
    struct intake *in = intake_map(dup(memory));
    assert_int_equal(write(slave, bytes, len), len);
    for (size_t n = 0; n < len;) {
        ssize_t got = intake_read_piece(in, master);
        n += got > 0 ? (size_t)got : 0;
    }
    intake_unmap(in);
}

/* The shell prints a piece; the worker dies before it lets go of it, and the next behind it. */
static void print(const char *bytes, size_t len)
{
    size_t size = memory_size();
    char *before = malloc(size);
    take_in(bytes, len);
    assert_int_equal(pread(memory, before, size, 0), size);
    live_and_die();
    assert_int_equal(pwrite(memory, before, size, 0), size);
    live_and_die();
    free(before);
}

static void print_in(const char *bytes, size_t len, size_t piece)
{
    for (size_t i = 0; i < len; i += piece)
        print(bytes + i, len - i < piece ? len - i : piece);
}

/* ---- typing ---- */

static void set_echo(bool echo)
{
    struct termios modes;
    tcgetattr(slave, &modes);
    cfmakeraw(&modes);
    modes.c_lflag |= echo ? ICANON | ECHO : 0;
    assert_int_equal(tcsetattr(slave, TCSANOW, &modes), 0);
}

/* What the terminal itself echoes comes at its own time: it is dropped, and printed where a test
 * wants it. */
static void drop_echo(size_t len)
{
    char echo[256];
    for (size_t n = 0; n < len;) {
        struct pollfd readable = {.fd = master, .events = POLLIN};
        assert_int_equal(poll(&readable, 1, 10000), 1);
        ssize_t got = read(master, echo, sizeof echo);
        n += got > 0 ? (size_t)got : 0;
    }
    tcflush(slave, TCIFLUSH);
}

static void nothing(struct typing *typing)
{
    (void)typing;
}

/* A worker types it and dies behind that; or (`noted` is false) before it could note that it did.
 */
static void type(const char *keys, bool noted)
{
    static struct typing typing;
    size_t size = memory_size(), len = strlen(keys);
    char *before = malloc(size);
    int status;
    set_echo(true);
    assert_int_equal(pread(memory, before, size, 0), size);
    pid_t pid = fork();
    if (pid == 0) {
        typing = (struct typing){.done = nothing};
        bytes_append(&typing.bytes, keys, len);
        _exit(session_type(adopt(), &typing) == 0 && typing.typed == len ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    drop_echo(len);
    set_echo(false);
    if (!noted) {
        assert_int_equal(pwrite(memory, before, size, 0), size);
        struct intake *in = intake_map(dup(memory));
        intake_begin_typing(in, keys, len, true);
        intake_unmap(in);
    }
    free(before);
}

/* ---- a session ---- */

static void begin_session(void)
{
    struct intake_facts facts = {.cols = 80, .rows = 24, .nonce = NONCE, .shell = "bash"};
    snprintf(name, sizeof name, "s%d", ++sessions);
    snprintf(facts.name, sizeof facts.name, "%s", name);
    snprintf(facts.shell_id, sizeof facts.shell_id, "shell_%d", sessions);
    memory = intake_create_fd(&facts);
    slate = slate_create_fd();
    assert_true(memory >= 0 && slate >= 0);
    live_and_die();
}

static void end_session(void)
{
    close(memory);
    close(slate);
}

/* The blocks that were told, one a line: seq, status, exit code, source, command, output. */
static char *told(void)
{
    struct bytes out = {0};
    char *directory = text_format("%s/conversations/%s/agent_pty", place, name);
    json_t *blocks = block_reader_all(directory, 0, false), *block;
    size_t i;
    bytes_append_text(&out, "");
    json_array_foreach(blocks, i, block) {
        json_t *lines = json_object_get(json_object_get(block, "preview"), "lines");
        json_t *code = json_object_get(block, "exit_code");
        bytes_printf(&out, "%d %s %lld %s <%s> %s\n",
                     (int)json_integer_value(json_object_get(block, "seq")),
                     json_string_value(json_object_get(block, "status")),
                     json_is_null(code) ? -1 : (long long)json_integer_value(code),
                     json_string_value(json_object_get(block, "cmd_source")),
                     json_string_value(json_object_get(block, "cmd")),
                     json_array_size(lines) ? json_string_value(json_array_get(lines, 0)) : "");
    }
    json_decref(blocks);
    free(directory);
    return out.data;
}

static void expect_told(const char *expected)
{
    char *found = told();
    assert_string_equal(found, expected);
    free(found);
}

static const char prompt[] = OSC "1;A;ign=0\x07$ " OSC "2;B\x07";

/* As bash prints them, with other strings between, whole and cut short. */
static const char commands[] =
    "false\r\n" OSC "3;C\x07\x1b]2;a \xc3\xa9 title\x07one\r\n" OSC
    "4;D;st=1;hist=1;raw=    7  false\r\n" END OSC "5;A;ign=0\x07\x1b[1m$\x1b[0m " OSC "6;B\x07"
    "cat <<E\r\n> ;01\r\n> E\r\n" OSC
    "7;C\x07\x1b]8;;http://x/\x1b\\;01\x1b]8;;\x1b\\\r\n\x1bPq#0\x1b\\"
    "\x1b]7711;00000000000000000000000000000000;8;D;st=9\x07" OSC
    "8;D;st=0;hist=1;raw=    8* cat <<E\r\n;01\r\nE\r\n" END OSC "9;A\x07$ " OSC "10;B\x07"
    "(exit 5)\r\n" OSC "11;C\x07" OSC "12;P;cwd=/a%20b\x1b\\" OSC
    "13;D;st=5;hist=0;raw=    8* cat <<E\r\n;01\r\nE\r\n" END OSC "14;A\x07$ " OSC "15;B\x07";

/* A worker for each byte; where a sanitizer watches, and a fork costs ten times as much, for every
 * third: the whole is run without. What it keeps of freed memory is copied by each fork, too: a
 * worker, which lives for a byte, needs little of that. */
#ifdef PTYD_SANITIZED
#define EACH 3
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8";
}
#else
#define EACH 1
#endif

#endif
