/* A session whose worker dies again and again: after each byte of what the shell prints, and each
 * time also with all done but the letting go of that byte. Every worker is a process of its own
 * which goes on from the files and the shared memory alone. */
#define _GNU_SOURCE
#include "tests/unit/takeover.h"

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
