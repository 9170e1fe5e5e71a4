/* Shells without C: where a command begins is told by the line feed behind B. */
#include "prompts.h"

static void type(const char *keys)
{
    tracker_typed(tracker, keys, strlen(keys));
}

/* What a shell without C prints at a prompt: dash (1), or one that edits lines (2). */
static void prompt_by_line(int line, int status)
{
    char *done = text_format(";st=%d;line=1", status), *begun = text_format(";line=%d", line);
    mark('P', ";raw=/in;side");
    mark('D', done);
    mark('A', begun);
    print("$ ");
    mark('B', "");
    free(done);
    free(begun);
}

static void line_prompt(int status)
{
    prompt_by_line(1, status);
}

static void without_c_a_line_feed_starts_the_command(void **state)
{
    (void)state;
    line_prompt(0);
    print("echo hi\r\nhi\r\n");
    line_prompt(3);
    print("\r\n"); /* nothing was typed */
    line_prompt(3);
    print("# a comment\r\n");
    line_prompt(3);
    print("half^C\r\n"); /* given up */
    line_prompt(130);
    print("cat <<X\r\n> ");
    mark('P', ";more=1");
    print("in\r\n> ");
    mark('P', ";more=1");
    print("X\r\nin\r\n");
    line_prompt(0);
    assert_int_equal(json_array_size(blocks), 2);
    assert_string_equal(string(0, "cmd"), "echo hi");
    assert_int_equal(json_integer_value(member(0, "exit_code")), 3);
    assert_string_equal(string(0, "cwd_after"), "/in;side");
    assert_string_equal(string(1, "cmd"), "cat <<X\nin\nX");
    const json_t *lines = json_object_get(member(1, "preview"), "lines");
    assert_int_equal(json_array_size(lines), 1);
    assert_string_equal(json_string_value(json_array_get(lines, 0)), "in");
}

/* Under set -a it says 0, which others must not. */
static void without_c_a_shell_need_not_count(void **state)
{
    (void)state;
    mark('A', "");
    counts = false;
    bool forged = mark('B', "") || mark('A', "");
    counts = true;
    assert_false(forged);
    line_prompt(0);
    counts = false;
    print("echo hi\r\nhi\r\n");
    line_prompt(3);
    print("half^C\r\n");
    line_prompt(130);
    print("echo on\r\non\r\n");
    counts = true;
    line_prompt(4);
    assert_int_equal(json_array_size(blocks), 2);
    assert_int_equal(json_integer_value(member(0, "exit_code")), 3);
    assert_string_equal(string(1, "cmd"), "echo on");
    assert_int_equal(json_integer_value(member(1, "exit_code")), 4);
}

/* busybox: between its ^C and the line feed behind it the tty echoes what is typed. */
static void a_line_given_up_may_be_followed_by_an_echo(void **state)
{
    (void)state;
    prompt_by_line(2, 0);
    type("half\x03");
    type("echo next\r");
    print("half^Cecho next\r\n\r\n");
    prompt_by_line(2, 130);
    print("echo next\r\nnext\r\n");
    prompt_by_line(2, 5);
    assert_int_equal(json_array_size(blocks), 1);
    assert_string_equal(string(0, "cmd"), "echo next");
    assert_int_equal(json_integer_value(member(0, "exit_code")), 5);
}

/* What is typed behind a line that comes to nothing is read at the next prompt; what is typed into
 * a command is nobody's business. */
static void a_line_is_given_up_before_its_prompt_came(void **state)
{
    (void)state;
    prompt_by_line(2, 0);
    type("  \r");
    type("half\x03");
    print("  \r\n");
    prompt_by_line(2, 0);
    type("cat\r");
    print("half^Ccat\r\n\r\n");
    prompt_by_line(2, 130);
    print("cat\r\n");
    type("a\x03");
    print("a\r\n");
    prompt_by_line(2, 0);
    print("echo next\r\nnext\r\n");
    prompt_by_line(2, 5);
    assert_int_equal(json_array_size(blocks), 2);
    assert_string_equal(string(0, "cmd"), "cat");
    assert_string_equal(string(1, "cmd"), "echo next");
}

/* Each prompt takes one line of them, whatever is typed meanwhile. */
static void lines_that_come_to_nothing_are_counted(void **state)
{
    (void)state;
    prompt_by_line(2, 0);
    type("\r");
    type("\r\rhalf\x03");
    print("\r\n");
    prompt_by_line(2, 0);
    type("echo next\r");
    print("\r\n");
    prompt_by_line(2, 0);
    print("\r\n");
    prompt_by_line(2, 0);
    print("half^Cecho next\r\n\r\n");
    prompt_by_line(2, 130);
    print("echo next\r\nnext\r\n");
    prompt_by_line(2, 5);
    assert_int_equal(json_array_size(blocks), 1);
    assert_string_equal(string(0, "cmd"), "echo next");
}

/* The tty forgets it: a job's words at the next prompt are not its output. */
static void what_was_typed_before_an_interrupt_is_gone(void **state)
{
    (void)state;
    line_prompt(0);
    type("sleep 9\r");
    print("sleep 9\r\n");
    type("echo next\r");
    print("echo next\r\n^C\r\n");
    tracker_interrupt(tracker, now);
    line_prompt(130);
    print("a job speaks\r\n");
    assert_null(tracker_running(tracker));
    assert_int_equal(json_array_size(blocks), 1);
}

static void a_job_that_speaks_at_the_prompt_is_no_command(void **state)
{
    (void)state;
    for (int line = 1; line <= 2; line++) {
        prompt_by_line(line, 0);
        type("job &\r");
        print("job &\r\n");
        prompt_by_line(line, 0);
        print("it speaks\r\ntwice\r\n");
        assert_null(tracker_running(tracker));
        type("echo");
        print("echo");
        type(" after\r");
        print(" after\r\nafter\r\n");
        assert_non_null(tracker_running(tracker));
        prompt_by_line(line, 5);
    }
    assert_int_equal(json_array_size(blocks), 4);
    assert_string_equal(string(1, "cmd"), "echo after");
    assert_string_equal(string(3, "cmd"), "echo after");
    assert_int_equal(json_integer_value(member(3, "output_lines")), 1);
}

/* A shell that edits lines echoes them at their own prompt; a command may have read some. */
static void lines_typed_ahead_are_commands(void **state)
{
    (void)state;
    prompt_by_line(2, 0);
    type("sleep 1\r");
    print("sleep 1\r\n");
    type("echo one\recho t");
    print("echo one\r\necho t");
    prompt_by_line(2, 0);
    print("echo one\r\none\r\n");
    prompt_by_line(2, 0);
    print("echo t");
    type("wo\r");
    print("wo\r\ntwo\r\n");
    prompt_by_line(2, 0);
    assert_int_equal(json_array_size(blocks), 3);
    assert_string_equal(string(1, "cmd"), "echo one");
    assert_string_equal(string(2, "cmd"), "echo two");
}

static void a_line_broken_at_a_blank_keeps_it(void **state)
{
    (void)state;
    char row[78 + 1]; /* behind `$ ` */
    memset(row, 'x', sizeof row - 1);
    memcpy(row, "echo", 4);
    row[4] = row[sizeof row - 2] = ' ';
    row[sizeof row - 1] = '\0';
    prompt_by_line(2, 0);
    print(row);
    print("\r\r\nend\r\nx end\r\n"); /* busybox breaks the line by itself */
    prompt_by_line(2, 0);
    char *whole = text_format("%send", row);
    assert_string_equal(string(0, "cmd"), whole);
    free(whole);
}

/* Who knows more says that the block which runs was none. */
static void a_block_withdrawn_leaves_nothing(void **state)
{
    (void)state;
    line_prompt(0);
    print("half^Cecho next\r\n");
    assert_non_null(tracker_running(tracker));
    tracker_withdraw(tracker);
    line_prompt(130);
    print("echo next\r\nnext\r\n");
    line_prompt(0);
    assert_int_equal(json_array_size(blocks), 1);
    assert_string_equal(string(0, "cmd"), "echo next");
    assert_int_equal(tracker_seq(tracker), 1);
}

static void sleep_is_typed(void)
{
    line_prompt(0);
    type("sleep 1\r");
    print("sleep 1\r\n");
}

static void a_line_typed_ahead_is_no_output(void **state)
{
    (void)state;
    sleep_is_typed();
    type("echo next\r");
    print("echo next\r\n"); /* the tty echoes it into the running command */
    line_prompt(0);
    print("next\r\n");
    line_prompt(5);
    assert_int_equal(json_array_size(blocks), 2);
    assert_string_equal(string(1, "cmd"), "echo next");
    assert_int_equal(json_integer_value(member(1, "exit_code")), 5);
    const json_t *lines = json_object_get(member(1, "preview"), "lines");
    assert_int_equal(json_array_size(lines), 1);
}

/* B was printed, and not yet looked at when it was typed. */
static void a_line_typed_ahead_may_be_echoed_behind_b(void **state)
{
    (void)state;
    type("echo first\r");
    line_prompt(0);
    print("echo first\r\nfirst\r\n");
    line_prompt(0);
    type("sleep 1\r");
    print("sleep 1\r\n");
    type("echo next\r");
    line_prompt(0);
    print("echo next\r\nnext\r\n");
    line_prompt(5);
    assert_int_equal(json_array_size(blocks), 3);
    assert_string_equal(string(0, "cmd"), "echo first");
    assert_int_equal(json_integer_value(member(0, "output_lines")), 1);
    assert_string_equal(string(2, "cmd"), "echo next");
    assert_int_equal(json_integer_value(member(2, "output_lines")), 1);
}

/* The terminal edits what is typed ahead, and a command that says nothing runs behind it. */
static void a_line_typed_ahead_runs_as_it_was_edited(void **state)
{
    (void)state;
    sleep_is_typed();
    type("echo\x15sle\xc3\xa9\x7f"
         "ep one two\x17\x17"
         "2\r");
    type("echo next\r");
    line_prompt(0);
    tracker_runs(tracker, now);
    assert_string_equal(tracker_running(tracker)->cmd, "sleep 2");
    type("echo last\r");
    print("echo last\r\n");
    line_prompt(0);
    print("next\r\n");
    line_prompt(0);
    print("last\r\n");
    line_prompt(0);
    assert_int_equal(json_array_size(blocks), 4);
    assert_string_equal(string(2, "cmd"), "echo next");
    assert_string_equal(string(3, "cmd"), "echo last");
}

/* It said nothing, and its end comes when the next line was typed already. */
static void a_line_typed_ahead_may_end_behind_the_next(void **state)
{
    (void)state;
    sleep_is_typed();
    type("true\r");
    print("true\r\n");
    line_prompt(0);
    type("echo next\r");
    line_prompt(3);
    print("echo next\r\nnext\r\n");
    line_prompt(5);
    assert_int_equal(json_array_size(blocks), 3);
    assert_string_equal(string(1, "cmd"), "true");
    assert_int_equal(json_integer_value(member(1, "exit_code")), 3);
    assert_string_equal(string(2, "cmd"), "echo next");
    assert_int_equal(json_integer_value(member(2, "exit_code")), 5);
}

static void an_empty_line_typed_ahead_is_none(void **state)
{
    (void)state;
    sleep_is_typed();
    type("\r   \r# what\recho next\r");
    print("\r\n   \r\n# what\r\necho next\r\n");
    for (int i = 0; i < 4; i++)
        line_prompt(0);
    print("next\r\n");
    line_prompt(5);
    assert_int_equal(json_array_size(blocks), 2);
    assert_string_equal(string(1, "cmd"), "echo next");
    assert_int_equal(json_integer_value(member(1, "exit_code")), 5);
    assert_int_equal(json_integer_value(member(1, "output_lines")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_c_a_line_feed_starts_the_command),
        TEST(without_c_a_shell_need_not_count),
        TEST(a_line_given_up_may_be_followed_by_an_echo),
        TEST(a_line_is_given_up_before_its_prompt_came),
        TEST(what_was_typed_before_an_interrupt_is_gone),
        TEST(lines_that_come_to_nothing_are_counted),
        TEST(a_job_that_speaks_at_the_prompt_is_no_command),
        TEST(lines_typed_ahead_are_commands),
        TEST(a_line_broken_at_a_blank_keeps_it),
        TEST(a_block_withdrawn_leaves_nothing),
        TEST(a_line_typed_ahead_is_no_output),
        TEST(a_line_typed_ahead_may_be_echoed_behind_b),
        TEST(a_line_typed_ahead_runs_as_it_was_edited),
        TEST(a_line_typed_ahead_may_end_behind_the_next),
        TEST(an_empty_line_typed_ahead_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
