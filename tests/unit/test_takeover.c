/* A session whose worker dies again and again: after each byte of what the shell prints, and each
 * time also with all done but the letting go of that byte. Every worker is a process of its own
 * which goes on from the files and the shared memory alone. */
#define _GNU_SOURCE
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

static void marks_survive_at_every_byte(void **state)
{
    (void)state;
    begin_session();
    print_in(prompt, sizeof prompt - 1, sizeof prompt);
    print_in(commands, sizeof commands - 1, EACH);
    expect_told("1 completed 1 history <false> one\n"
                "2 completed 0 history <cat <<E\n;01\nE> ;01\n"
                "3 completed 5 unknown <(exit 5)> \n"); /* who was told its keys is dead */
    struct session *s = adopt();
    struct bytes row = {0};
    assert_string_equal(terminal_title(session_terminal(s)), "a \xc3\xa9 title");
    assert_string_equal(tracker_cwd(session_tracker(s)), "/a b");
    assert_string_equal(session_state(s), "prompt");
    terminal_row_text(session_terminal(s), 0, &row);
    assert_string_equal(row.data, "$ false");
    bytes_finish(&row);
    leave(s);
    end_session();
}

static void strings_survive_at_every_byte(void **state)
{
    static const char text[] = "\x1b]0;caf\xc3\xa9\x1b\\a\x1b[31;1mb\x1b_apc\x1b\\c\x1bPdcs\x1b\\"
                               "\x1b]2;ended\x18"
                               "d\x1b]2;last\x07"
                               "e" NONCE "f\r\n";
    (void)state;
    begin_session();
    print_in(text, sizeof text - 1, EACH);
    struct session *s = adopt();
    struct bytes row = {0};
    assert_string_equal(terminal_title(session_terminal(s)), "last");
    terminal_row_text(session_terminal(s), 0, &row);
    assert_string_equal(row.data, "abcde0123456"
                                  "0000000000000000000000000f");
    bytes_finish(&row);
    leave(s);
    end_session();
}

/* A here-document of 200 KB, longer than what is kept of it and than the shared memory. */
static void a_long_command_survives(void **state)
{
    static const char head[] = "1 completed 3 history <";
    struct bytes out = {0}, expected = {0};
    (void)state;
    begin_session();
    bytes_append_text(&expected, "cat <<E\n");
    bytes_append_text(&out, prompt);
    bytes_append_text(&out, "cat <<E\r\n> E\r\n" OSC "3;C\x07" OSC
                            "4;D;st=3;hist=1;raw=    7  cat <<E\r\n");
    while (out.len < 200000) {
        bytes_printf(&expected, "line %zu ;0123456789abcdef\n", out.len);
        bytes_printf(&out, "line %zu ;0123456789abcdef\r\n", out.len);
    }
    bytes_append_text(&out, "E\r\n" END OSC "5;A\x07$ " OSC "6;B\x07");
    for (size_t i = 0, n; i < out.len; i += n) { /* at places that are never the same */
        n = 1 + (i * 7919 + 13) % 6000;
        n = out.len - i < n ? out.len - i : n;
        print(out.data + i, n);
    }
    char *found = told(), *end = strchr(found, '>');
    assert_memory_equal(found, head, sizeof head - 1);
    size_t len = (size_t)(end - found) - (sizeof head - 1);
    assert_true(len > 20000 && len < LIMIT_STRING_BYTES);
    assert_memory_equal(found + sizeof head - 1, expected.data, len);
    free(found);
    bytes_finish(&out);
    bytes_finish(&expected);
    end_session();
}

/* A note of a mark that was open earlier, or of none, makes no mark of the zeros of the log. */
static void zeros_stay_nobodys(void **state)
{
    static const char forged[] = "\x1b]7711;00000000000000000000000000000000;9;D;st=0;raw=x";
    (void)state;
    begin_session();
    print_in(prompt, sizeof prompt - 1, sizeof prompt);
    static const char begun[] = "sleep\r\n" OSC "3;C\x07";
    print_in(begun, sizeof begun - 1, sizeof begun);
    print_in(forged, sizeof forged - 1, 1);
    print_in(END "seen\r\n", sizeof END "seen\r\n" - 1, 1);
    char *found = told();
    assert_memory_equal(found, "1 running -1 unknown <sleep>", 28);
    free(found);
    end_session();
}

/* What a shell without C prints at its prompt, behind a command that ended so. */
static void print_prompt(int *seq, int status)
{
    char *text = text_format(OSC "%d;P;raw=/;" NONCE "\x07" OSC "%d;D;st=%d;line=1\x07" OSC
                                 "%d;A;line=1\x07# " OSC "%d;B\x07",
                             *seq + 4, *seq + 5, status, *seq + 6, *seq + 7);
    *seq += 4;
    print_in(text, strlen(text), 7);
    free(text);
}

/* In a shell without C lines are told from others' by what was typed, which is in no log: jobs in
 * the background speak, lines are typed ahead, and each byte may be a worker's last. */
static void lines_survive_at_every_byte(void **state)
{
    static const char first[] = "behind 1\r\necho one; (exit 3)\r\none\r\n";
    static const char second[] = "sleep 1; (exit 4)\r\necho three; (exit 5)\r\n";
    static const char third[] = "three\r\n", fourth[] = "behind 2\r\nfalse\r\nbehind 3\r\n";
    static const char ahead[] = "sleep 1\r\necho ahead\r\n";
    static const char last[] = "behind 4\r\ntrue\r\n";
    int seq = 0;
    (void)state;
    begin_session();
    print_prompt(&seq, 0);
    type("echo one; (exit 3)\r", true);
    print_in(first, sizeof first - 1, EACH);
    print_prompt(&seq, 3);
    type("sleep 1; (exit 4)\r", false); /* nobody noted that it was typed */
    type("echo three; (exit 5)\r", true);
    print_in(second, sizeof second - 1, EACH);
    print_prompt(&seq, 4);
    print_in(third, sizeof third - 1, EACH);
    print_prompt(&seq, 5);
    type("echo never\r", false); /* nor was it */
    type("false\r", true);
    print_in(fourth, sizeof fourth - 1, EACH);
    print_prompt(&seq, 1);
    print_in(last, sizeof "behind 4\r\n" - 1, 1);
    type("true\r", true);
    print_in(last + sizeof "behind 4\r\n" - 1, sizeof "true\r\n" - 1, 1);
    print_prompt(&seq, 0);
    type("sleep 1\r", true);
    print_in(ahead, sizeof "sleep 1\r\n" - 1, 1);
    type("echo ahead\r", true);
    print_in(ahead + sizeof "sleep 1\r\n" - 1, sizeof "echo ahead\r\n" - 1, 1);
    print_prompt(&seq, 0);
    type("echo more\r", true); /* something is in front of the shell: it runs */
    print_in("echo more\r\n", sizeof "echo more\r\n" - 1, 1);
    print_prompt(&seq, 6);
    print_in("more\r\n", sizeof "more\r\n" - 1, 1);
    print_prompt(&seq, 7);
    expect_told("1 completed 3 echo <echo one; (exit 3)> one\n"
                "2 completed 4 echo <sleep 1; (exit 4)> echo three; (exit 5)\n"
                "3 completed 5 echo <echo three; (exit 5)> three\n"
                "4 completed 1 echo <false> behind 3\n"
                "5 completed 0 echo <true> \n"
                "6 completed 0 echo <sleep 1> echo ahead\n"
                "7 completed 6 echo <echo ahead> echo more\n"
                "8 completed 7 echo <echo more> more\n");
    end_session();
}

/* Of the block that ended last. */
static long long output_bytes(void)
{
    char *directory = text_format("%s/conversations/%s/agent_pty", place, name);
    json_t *blocks = block_reader_all(directory, 1, false);
    long long bytes =
        json_integer_value(json_object_get(json_array_get(blocks, 0), "output_bytes"));
    json_decref(blocks);
    free(directory);
    return bytes;
}

/* The echo of a line typed ahead came in pieces, and what it prints has no line feed that could
 * tell it from others': so much can be nothing else. */
static void a_flood_of_a_line_typed_ahead_is_whole(void **state)
{
    enum { PIECE = 3500, PIECES = 40 };
    static const char pieces[] = "1\r\nsev2\r\n3en\r\n4\r\n";
    char flood[PIECE];
    int seq = 0;
    (void)state;
    memset(flood, 'x', sizeof flood);
    begin_session();
    print_prompt(&seq, 0);
    type("sleep 1\r", true);
    print_in("sleep 1\r\n", sizeof "sleep 1\r\n" - 1, EACH);
    type("seven\r", true);
    print_in(pieces, sizeof pieces - 1, EACH);
    print_prompt(&seq, 0);
    for (int i = 0; i < PIECES; i++)
        print(flood, sizeof flood);
    print_in("\r\n", 2, 2);
    print_prompt(&seq, 7);
    char *found = told();
    assert_non_null(strstr(found, "\n2 completed 7 echo <seven> "));
    free(found);
    assert_int_equal(output_bytes(), PIECE * PIECES + 1);
    end_session();
}

static const char one_command[] =
    "false\r\n" OSC "3;C\x07one\r\n" OSC "4;D;st=1;hist=1;raw=    7  false\r\n" END OSC
    "5;A\x07$ " OSC "6;B\x07";
static const char next_command[] =
    "true\r\n" OSC "7;C\x07two\r\n" OSC "8;D;st=2;hist=1;raw=    8  true\r\n" END OSC
    "9;A\x07$ " OSC "10;B\x07";

static void expect_state(const char *expected)
{
    struct session *s = adopt();
    assert_string_equal(session_state(s), expected);
    leave(s);
}

/* Nothing of the log can be written from each byte of the command on, and again behind it. */
static void marks_survive_without_a_log(void **state)
{
    (void)state;
    for (size_t from = 0; from < sizeof one_command - 1; from += 14) {
        begin_session();
        print_in(prompt, sizeof prompt - 1, sizeof prompt);
        print_in(one_command, from, sizeof one_command);
        room = 0;
        print_in(one_command + from, sizeof one_command - 1 - from, 5);
        room = RLIM_INFINITY;
        print_in(next_command, sizeof next_command - 1, sizeof next_command);
        char *found = told();
        const char *end = strstr(found, "2 completed 2 history <true> two\n");
        assert_true(!strncmp(found, "1 completed 1 history <false> ", 30) && end);
        free(found);
        expect_state("prompt");
        end_session();
    }
}

static void set_paused(bool paused)
{
    struct session *s = adopt();
    session_set_paused(s, paused);
    leave(s);
}

/* What ran meanwhile is counted and never told. */
static void marks_survive_while_capture_is_paused(void **state)
{
    (void)state;
    begin_session();
    print_in(prompt, sizeof prompt - 1, sizeof prompt);
    set_paused(true);
    print_in(one_command, sizeof one_command - 1, 1);
    expect_state("prompt");
    set_paused(false);
    print_in(next_command, sizeof next_command - 1, 1);
    expect_told("2 completed 2 history <true> two\n");
    expect_state("prompt");
    end_session();
}

/* ---- what programs ask ---- */

static void begin_leading(void)
{
    struct session *s = adopt();
    session_set_leader(s, 7);
    leave(s);
}

/* What of it the program gets, and how much of it a person typed. */
static size_t answer(struct session *s, uint64_t viewer, const char *bytes, struct bytes *ret_got)
{
    static struct typing typing;
    size_t keys = 0;
    ret_got->len = 0;
    typing = (struct typing){.done = nothing};
    bytes_append_text(&typing.bytes, bytes);
    keys = session_sort(s, viewer, &typing);
    assert_int_equal(session_type(s, &typing), 0);
    assert_int_equal(typing.typed, typing.bytes.len);
    struct pollfd readable = {.fd = slave, .events = POLLIN};
    while (poll(&readable, 1, 0) > 0) {
        char piece[256];
        ssize_t n = read(slave, piece, sizeof piece);
        bytes_append(ret_got, piece, n > 0 ? (size_t)n : 0);
    }
    bytes_append(ret_got, "", 1);
    bytes_finish(&typing.bytes);
    bytes_finish(&typing.parts);
    return keys;
}

/* The worker dies before the leader was shown a sequence that asks two things: the one that comes
 * back is to answer both. */
static void all_that_a_sequence_asks_is_left_to_who_comes_back(void **state)
{
    static const char ask[] = "\x1b]4;0;?;1;?\x07";
    static const char reply[] = "\x1b]4;0;rgb:00/00/00\x07\x1b]4;1;rgb:ff/00/00\x07";
    struct query query = {.kind = QUERY_PALETTE, .number = 4};
    struct bytes got = {0};
    (void)state;
    begin_session();
    begin_leading();
    print_in(ask, sizeof ask - 1, sizeof ask);
    tcflush(slave, TCIFLUSH); /* who had no leader answered by itself */
    struct session *s = adopt();
    uint64_t end = session_offset(s);
    session_set_leader(s, 1);
    for (uint64_t viewer = 1; viewer <= 2; viewer++)
        for (query.index = 0; query.index < 2; query.index++)
            session_shown_again(s, viewer, &query, end);
    assert_int_equal(answer(s, 2, reply, &got), 0);
    assert_string_equal(got.data, "");
    assert_int_equal(answer(s, 1, reply, &got), 0);
    assert_string_equal(got.data, reply);
    bytes_finish(&got);
    leave(s);
    end_session();
}

/* fish draws its prompt behind B. Whoever takes over before that does not know what was typed
 * there: the line may be private, what stands above it is not. */
static void what_stands_above_a_prompt_to_come_is_told(void **state)
{
    static const char bytes[] = "one\r\ntwo\r\n" OSC "1;A\x07" OSC "2;B\x07";
    static const char drawn[] = "\r\x1b[K~> ";
    (void)state;
    begin_session();
    print_in(bytes, sizeof bytes - 1, sizeof bytes);
    struct session *s = adopt();
    assert_int_equal(session_withheld_from(s), 2); /* whose prompt it is */
    assert_false(session_withholds_row(s, 1));
    leave(s);
    print_in(drawn, sizeof drawn - 1, sizeof drawn);
    s = adopt();
    assert_int_equal(session_withheld_from(s), 2);
    leave(s);
    end_session();
}

static int open_terminal(void **state)
{
    struct termios raw;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(place))
        return -1;
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return -1;
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    return tcsetattr(slave, TCSANOW, &raw);
}

static int remove_place(void **state)
{
    char *command = text_format("rm -r %s", place);
    (void)state;
    int result = system(command);
    free(command);
    close(master);
    close(slave);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_survive_at_every_byte),
        cmocka_unit_test(strings_survive_at_every_byte),
        cmocka_unit_test(a_long_command_survives),
        cmocka_unit_test(zeros_stay_nobodys),
        cmocka_unit_test(lines_survive_at_every_byte),
        cmocka_unit_test(a_flood_of_a_line_typed_ahead_is_whole),
        cmocka_unit_test(marks_survive_without_a_log),
        cmocka_unit_test(marks_survive_while_capture_is_paused),
        cmocka_unit_test(all_that_a_sequence_asks_is_left_to_who_comes_back),
        cmocka_unit_test(what_stands_above_a_prompt_to_come_is_told),
    };
    return cmocka_run_group_tests(tests, open_terminal, remove_place);
}
