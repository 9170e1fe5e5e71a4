/* Tracker and traces: marks become blocks by the contract's rules; every trace format gives the
 * same events. */
#include "prompts.h"

#include "ptyd/core/deliver.h"
#include "ptyd/replay/replay.h"

static void run(const char *typed, const char *output, const char *fields)
{
    mark('A', "");
    print("$ ");
    mark('B', "");
    print(typed);
    print("\r\n");
    mark('C', "");
    print(output);
    mark('D', fields);
}

static void one_line_is_one_block(void **state)
{
    (void)state;
    run("false", "", ";st=1;hist=1;raw=    1  false\r\n");
    run("ls", "a\r\nb\r\n", ";st=0;hist=1;raw=    2  ls\r\n");
    assert_int_equal(json_array_size(blocks), 2);
    assert_int_equal(json_integer_value(member(0, "exit_code")), 1);
    assert_string_equal(string(1, "cmd"), "ls");
    assert_string_equal(string(1, "cmd_source"), "history");
    assert_int_equal(json_integer_value(member(1, "output_lines")), 2);
    assert_int_equal(json_integer_value(member(1, "output_bytes")), 4);
    assert_int_equal(json_integer_value(member(1, "seq")), 2);
}

static void unrecorded_lines_come_from_the_screen(void **state)
{
    (void)state;
    run(" secret", "", ";st=0;hist=0;raw=    1  ls\r\n");
    run("ls", "", ";st=0;hist=0;raw=    1  ls\r\n");
    assert_string_equal(string(0, "cmd"), " secret");
    assert_string_equal(string(0, "cmd_source"), "echo");
    assert_string_equal(string(1, "cmd"), "ls");
    assert_string_equal(string(1, "cmd_source"), "history");
}

static void empty_lines_and_comments_are_no_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        mark('A', "");
        mark('B', "");
        print("# comment\r\n");
    }
    assert_int_equal(json_array_size(blocks), 0);
}

static void marks_out_of_order_are_dropped(void **state)
{
    (void)state;
    assert_false(mark('D', ";st=0"));
    assert_true(mark('A', ""));
    assert_false(mark('O', ""));
    assert_true(mark('B', ""));
    mark_seq--; /* the prompt is redrawn */
    assert_true(mark('B', ""));
    assert_true(mark('C', ""));
    assert_false(mark('C', ""));
    assert_false(mark('B', ""));
    mark_seq = 0; /* a replay of old ones */
    assert_false(mark('D', ";st=0"));
    mark_seq = 100;
    assert_true(mark('D', ";st=5"));
    assert_int_equal(json_array_size(blocks), 1);
    assert_int_equal(json_integer_value(member(0, "exit_code")), 5);
}

static void a_prompt_in_a_command_abandons_it(void **state)
{
    (void)state;
    mark('A', "");
    mark('B', "");
    mark('C', ";cmd=sleep%209%3b");
    mark('A', "");
    assert_string_equal(string(0, "cmd"), "sleep 9;");
    assert_string_equal(string(0, "status"), "abandoned");
    assert_true(json_is_null(member(0, "exit_code")));
}

static void signals_are_named(void **state)
{
    (void)state;
    run("a", "", ";st=130");
    run("b", "", ";st=148");
    run("c", "", ";st=255");
    assert_string_equal(string(0, "signal"), "SIGINT");
    assert_string_equal(string(0, "status"), "killed");
    assert_string_equal(string(1, "status"), "stopped");
    assert_true(json_is_null(member(2, "signal")));
    assert_string_equal(string(2, "status"), "completed");
}

static void the_users_interrupt_makes_a_user_kill(void **state)
{
    (void)state;
    mark('A', "");
    mark('B', "");
    mark('C', "");
    tracker_interrupt(tracker, now);
    now.monotonic_ms += 5000;
    mark('D', ";st=0");
    mark('A', "");
    mark('B', "");
    mark('C', "");
    tracker_interrupt(tracker, now);
    now.monotonic_ms += 5001;
    mark('D', ";st=130");
    assert_string_equal(string(0, "type"), "user_kill");
    assert_string_equal(string(1, "type"), "user_cmd");
    assert_int_equal(json_integer_value(member(1, "duration_ms")), 5001);
}

/* A prompt that no hook began is no end, but it is remembered. */
static void a_prompt_while_a_command_runs_is_remembered(void **state)
{
    (void)state;
    mark('A', "");
    mark('B', "");
    print("unset PROMPT_COMMAND\r\n");
    mark('C', "");
    assert_false(tracker_prompt_shown(tracker));
    assert_false(mark('B', ""));
    assert_true(tracker_prompt_shown(tracker));
    assert_int_equal(json_array_size(blocks), 0);
    assert_true(mark('D', ";st=0"));
    assert_false(tracker_prompt_shown(tracker));
    run("true", "", ";st=0");
    assert_int_equal(json_array_size(blocks), 2);
}

/* The tty echoes what is typed while bash prints its history. */
static void what_is_typed_into_history_is_no_command(void **state)
{
    (void)state;
    static const char *const raws[] = {";st=0;hist=1;raw=\r\n:   406  : 405\r\n",
                                       ";st=0;hist=1;raw=   406* : 405\r\n: 40",
                                       ";st=0;hist=1;raw=10406  : 405\r\n"};
    for (size_t i = 0; i < sizeof raws / sizeof *raws; i++) {
        mark('A', "");
        mark('B', "");
        print(": 405\r\n");
        mark('C', "");
        mark('D', raws[i]);
        assert_string_equal(string(i, "cmd"), ": 405");
    }
}

static void what_is_lost_is_said(void **state)
{
    (void)state;
    assert_false(tracker_marked(tracker));
    mark('P', ";lost=too old%3b sorry");
    assert_string_equal(tracker_lost(tracker), "too old; sorry");
    mark('A', "");
    assert_false(tracker_marked(tracker));
    mark('P', ";lost=");
    assert_true(tracker_marked(tracker));
    tracker_set_lost(tracker, "replaced");
    assert_false(tracker_marked(tracker));
    mark('A', "");
    assert_true(tracker_marked(tracker));
}

static void directories_are_followed(void **state)
{
    (void)state;
    mark('A', ";cwd=/a%3bb");
    mark('B', "");
    mark('C', "");
    mark('P', ";cwd=/new");
    mark('D', ";st=0");
    assert_string_equal(string(0, "cwd"), "/a;b");
    assert_string_equal(string(0, "cwd_after"), "/new");
}

/* A program that died on the alternate screen leaves nobody there. */
static void the_alternate_screen_ends_with_the_command(void **state)
{
    (void)state;
    run("vim", "\x1b[?1049h\x1b[5;10r\x1b[?25l\x1b[44mwhat vim shows", ";st=137");
    assert_false(terminal_alt_screen(terminal));
    assert_true(terminal_cursor(terminal).visible);
    for (int i = 0; i < 30; i++) /* more than a screen: a region would lose lines */
        run("echo seen", "seen\r\n", ";st=0");
    assert_int_equal(terminal_scrollback_count(terminal), 1 + 60 + 1 - 24);
    assert_true(json_is_true(member(0, "alt_screen")));
    assert_int_equal(json_integer_value(member(0, "output_lines")), 0);
    assert_false(json_is_true(member(1, "alt_screen")));
    assert_int_equal(json_integer_value(member(1, "output_lines")), 1);
}

static void output_ends_at_o(void **state)
{
    (void)state;
    mark('A', "");
    mark('B', "");
    mark('C', "");
    print("mine\r\n");
    mark('O', "");
    print("% the shell's\r\n");
    mark('D', ";st=0");
    const json_t *lines = json_object_get(member(0, "preview"), "lines");
    assert_int_equal(json_array_size(lines), 1);
    assert_string_equal(json_string_value(json_array_get(lines, 0)), "mine");
}

static void a_line_with_a_space_is_private_where_the_shell_says_so(void **state)
{
    (void)state;
    mark('A', ";ign=1");
    mark('B', "");
    print(" x\r\n");
    mark('C', "");
    mark('D', ";st=0;hist=0;raw=  1  old\r\n");
    run(" y", "", ";st=0");
    assert_true(json_is_true(member(0, "private")));
    assert_false(json_is_true(member(1, "private")));
}

static bool wanted(const char *cmd)
{
    struct block *block = block_create();
    free(block->cmd);
    block->cmd = text_copy(cmd);
    block->status = BLOCK_COMPLETED;
    bool result = deliver_wanted(block);
    block_unref(block);
    return result;
}

static void the_agents_own_tools_are_not_told(void **state)
{
    (void)state;
    assert_false(wanted("ptyd blocks"));
    assert_false(wanted("FOO=1 /usr/bin/codex -c x"));
    assert_false(wanted("claude"));
    assert_true(wanted("codex-lint"));
    assert_true(wanted("echo codex"));
}

static void nested_shells_are_recognised(void **state)
{
    (void)state;
    assert_true(block_command_nests("bash"));
    assert_true(block_command_nests("exec zsh -l"));
    assert_true(block_command_nests("ssh host"));
    assert_true(block_command_nests("sudo -i"));
    assert_true(block_command_nests("docker exec -it x sh"));
    assert_false(block_command_nests("bash script.sh"));
    assert_false(block_command_nests("bash -c 'ls'"));
    assert_false(block_command_nests("docker ps"));
    assert_false(block_command_nests("ls ssh"));
}

/* ---- traces ---- */

static json_t *replay_text(const char *data, size_t len, const char *timing, char **ret_error)
{
    struct replay *r = replay_create(&(struct replay_options){0});
    trace_read(data, len, TRACE_AUTO, timing, timing ? strlen(timing) : 0, replay_events(), r,
               ret_error);
    json_t *result = replay_finish(r);
    replay_destroy(r);
    return result;
}

static void assert_screen(const char *data, size_t len, const char *timing, const char *row,
                          int cols)
{
    char *error = NULL;
    json_t *result = replay_text(data, len, timing, &error);
    const json_t *screen = json_object_get(result, "screen");
    assert_null(error);
    assert_string_equal(json_string_value(json_array_get(json_object_get(screen, "rows"), 0)), row);
    assert_int_equal(json_integer_value(json_object_get(screen, "cols")), cols);
    json_decref(result);
}

static void every_format_is_read(void **state)
{
    static const char v1[] =
        "{\"version\":1,\"width\":50,\"height\":10,\"stdout\":[[0.1,\"he\"],[0.2,\"llo\"]]}";
    static const char v2[] = "{\"version\":2,\"width\":51,\"height\":10}\n[0.1,\"o\",\"he\"]\n[0.2,"
                             "\"i\",\"x\"]\n[0.3,\"o\",\"llo\"]\n";
    static const char v3[] =
        "{\"version\":3,\"term\":{\"cols\":52,\"rows\":10}}\n# "
        "note\n\n[0.1,\"o\",\"he\"]\n[0.1,\"r\",\"53x12\"]\n[0.1,\"o\",\"llo\"]\n";
    static const char script[] =
        "Script started on X [COLUMNS=\"54\" LINES=\"10\"]\nhello\nScript done on Y\n";
    static const char ttyrec[] = "\1\0\0\0\0\0\0\0\2\0\0\0he\1\0\0\0\0\0\0\0\3\0\0\0llo";
    (void)state;
    assert_screen(v1, sizeof v1 - 1, NULL, "hello", 50);
    assert_screen(v2, sizeof v2 - 1, NULL, "hello", 51);
    assert_screen(v3, sizeof v3 - 1, NULL, "hello", 53);
    assert_screen(script, sizeof script - 1, NULL, "hello", 54);
    assert_screen(script, sizeof script - 1, "0.1 2\n0.2 3\n", "hello", 54);
    assert_screen(
        "Script started\nxhello", 21,
        "H 0.0 COLUMNS 55\nH 0.0 LINES 9\nI 0.1 1\nO 0.1 5\nS 0.1 SIGWINCH ROWS=10 COLS=56\n",
        "hello", 56);
    assert_screen(ttyrec, sizeof ttyrec - 1, NULL, "hello", 80);
    assert_screen("hello", 5, NULL, "hello", 80);
    assert_screen("", 0, NULL, "", 80);
}

static void damage_is_told_with_its_place(void **state)
{
    static const char v2[] =
        "{\"version\":2,\"width\":51,\"height\":10}\n[0.1,\"o\",\"he\"]\n[0.2,\"o\",\"l";
    char *error = NULL;
    (void)state;
    json_decref(replay_text(v2, sizeof v2 - 1, NULL, &error));
    assert_non_null(strstr(error, "line 3"));
    free(error);
    json_decref(
        replay_text("\1\0\0\0\0\0\0\0\2\0\0\0he\1\0\0\0\0\0\0\0\377\0\0\0l", 27, NULL, &error));
    assert_non_null(strstr(error, "offset 14"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_line_is_one_block),
        TEST(unrecorded_lines_come_from_the_screen),
        TEST(empty_lines_and_comments_are_no_blocks),
        TEST(marks_out_of_order_are_dropped),
        TEST(a_prompt_in_a_command_abandons_it),
        TEST(signals_are_named),
        TEST(the_users_interrupt_makes_a_user_kill),
        TEST(a_prompt_while_a_command_runs_is_remembered),
        TEST(what_is_typed_into_history_is_no_command),
        TEST(what_is_lost_is_said),
        TEST(directories_are_followed),
        TEST(the_alternate_screen_ends_with_the_command),
        TEST(output_ends_at_o),
        TEST(a_line_with_a_space_is_private_where_the_shell_says_so),
        cmocka_unit_test(the_agents_own_tools_are_not_told),
        cmocka_unit_test(nested_shells_are_recognised),
        cmocka_unit_test(every_format_is_read),
        cmocka_unit_test(damage_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
