/* What was typed into a shell without C: the machine of typed.h, moment by moment. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/core/typed.h"

static struct typed typed;

static int setup(void **state)
{
    (void)state;
    typed = (struct typed){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    typed_finish(&typed);
    return 0;
}

static void prompt(enum typed_editor editor)
{
    typed_begin(&typed, editor);
    assert_true(typed_await(&typed));
}

static bool here(const char *keys)
{
    return typed_here(&typed, keys, strlen(keys), true);
}

static void early(const char *keys, bool runs)
{
    typed_early(&typed, keys, strlen(keys), runs, true);
}

/* Printed from here to the next question. */
static void prints(const char *output)
{
    typed_hear(&typed, output, strlen(output));
}

/* `line`: what is expected to have been typed, or NULL where the screen says it. */
static void assert_ends(const char *echo, enum typed_answer answer, const char *line)
{
    char *found = NULL;
    assert_int_equal(typed_line_ends(&typed, echo, false, &found), answer);
    assert_string_equal(found ? found : "none", line ? line : "none");
    free(found);
}

static void assert_ahead(const char *line)
{
    char *found = typed_ahead(&typed);
    assert_string_equal(found ? found : "none", line ? line : "none");
    free(found);
}

static void assert_done(enum typed_answer answer)
{
    char *found = NULL;
    assert_int_equal(typed_done(&typed, &found), answer);
    free(found);
}

static void whom_nothing_is_told_takes_each_line(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_ends("echo hi", LINE_RUNS, NULL);
    prompt(EDITOR_TTY);
    assert_ends("  # a comment", LINE_IS_NONE, NULL);
    assert_ends("", LINE_IS_NONE, NULL);
    assert_done(LINE_IS_NONE);
}

static void who_hears_takes_what_was_entered(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("ec"));
    assert_ends("a job speaks", LINE_IS_OTHERS, NULL);
    assert_true(here("ho hi\r"));
    assert_ends("a job speaks", LINE_IS_OTHERS, NULL);
    prints("ho hi\r\n");
    assert_ends("echo hi", LINE_RUNS, "echo hi");
    prompt(EDITOR_TTY);
    assert_ends("it speaks again", LINE_IS_OTHERS, NULL);
}

static void reply(const char *bytes, bool runs)
{
    typed_reply(&typed, bytes, strlen(bytes), runs, true);
}

/* The tty holds what a terminal answers, in front of the line that is typed next; but it tells of
 * no key that was heard, and of none at the prompt. */
static void an_answer_is_nobody_s_key(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    reply("\x1b[?62c", false);
    assert_int_equal(typed.trust, DEAF);
    assert_int_equal(typed.line, NOTHING);
    assert_int_equal(typed.keys.len, 6);
    assert_ends("echo hi", LINE_RUNS, NULL); /* whoever typed it */
    prompt(EDITOR_TTY);
    assert_true(here("ls\r"));
    prints("^[[?62cls\r\n");
    assert_ends("^[[?62cls", LINE_RUNS, NULL);
    assert_int_equal(typed.keys.len, 0);
    early("true\r", true);
    prompt(EDITOR_TTY);
    reply("\x1b[?62c", true);
    assert_int_equal(typed.line, NOTHING);
    assert_ahead("true"); /* no key came at this prompt: it was typed before */
}

static void an_answer_is_no_line_of_an_editor_s(void **state)
{
    (void)state;
    prompt(EDITOR_SHELL);
    reply("\x1b[?62c", false);
    assert_int_equal(typed.line, NOTHING);
    assert_true(here("ls\r"));
    assert_int_equal(typed.line, ENTERED);
    early("more\r", false);
    prompt(EDITOR_SHELL);
    assert_int_equal(typed.line, ENTERED);
    assert_int_equal(typed.keys.len, 0);
}

static void a_line_given_up_is_told_at_its_end(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_ends("half^C", LINE_IS_GIVEN_UP, NULL);
    assert_done(LINE_IS_GIVEN_UP);
    prompt(EDITOR_TTY);
    assert_done(LINE_IS_NONE);
    assert_ends("half^\\", LINE_IS_GIVEN_UP, NULL);
    assert_ends("half^\\\necho", LINE_RUNS, NULL);
    assert_int_equal(typed.feed, FED);
}

static void an_editor_gives_up_by_the_key(void **state)
{
    (void)state;
    prompt(EDITOR_SHELL);
    assert_false(here("half\x03next\r"));
    typed_begin(&typed, EDITOR_SHELL);
    assert_true(typed_await(&typed));
    assert_int_equal(typed.line, ENTERED);
    early("more\x03", false);
    assert_false(typed_await(&typed));
    early("more\x03", true); /* whoever read that, it gives nothing up */
    assert_true(typed_await(&typed));
    assert_int_equal(typed.keys.len, 0);
    prompt(EDITOR_TTY);
    assert_true(here("half\x03")); /* the tty would have made a signal of it */
}

static void what_was_typed_ahead_runs_in_order(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("sleep 1\r"));
    prints("sleep 1\r\n");
    assert_ends("sleep 1", LINE_RUNS, "sleep 1");
    early("# no\rec\x15one\x7f\x7ftwo\rthree\rfo", true);
    prints("# no\r\nec\b \b\b \bone\b \b\b \btwo\r\n");
    assert_true(typed_await(&typed));
    prints("otwo's output\r\n");
    assert_ends("otwo's output", LINE_WAS_EMPTY, NULL);
    assert_ends("otwo's output", LINE_RAN_AHEAD, "otwo");
    assert_true(typed_await(&typed));
    prints("three\r\n");
    assert_ends("three", LINE_RUNS, "three"); /* its own echo: B was not seen yet */
    assert_true(typed_await(&typed));
    assert_ahead(NULL);
    assert_int_equal(typed.keys.len, 2);
}

/* Before the echo of a line comes whatever else is printed. */
static void a_job_speaks_before_the_echo(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("echo hi; (exit 3)\r"));
    prints("behind 15\r\n");
    assert_ends("behind 15", LINE_IS_OTHERS, NULL);
    prints("echo hi; (ex");
    prints("it 3)\r");
    prints("\n");
    assert_ends("behind 15\necho hi; (exit 3)", LINE_RUNS, "echo hi; (exit 3)");
    assert_int_equal(typed.keys.len, 0);
}

/* What is typed in pieces is echoed in pieces: the last one tells. */
static void a_line_is_typed_in_pieces(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    early("ec", false);
    prints("ec");
    early("ho\r", false);
    prints("\x1b]7711;\x07ho\r\n");
    assert_true(typed_await(&typed));
    assert_true(typed_due(&typed));
    assert_ahead("echo");
}

/* A lost echo is waited for until the shell says that it read the line. */
static void an_echo_may_be_lost(void **state)
{
    char *line = NULL;
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("true\r"));
    prints("tr\r\n");
    assert_ends("tr", LINE_IS_OTHERS, NULL);
    assert_int_equal(typed_done(&typed, &line), LINE_RAN_AHEAD);
    assert_string_equal(line, "true");
    free(line);
    prompt(EDITOR_TTY);
    assert_true(here("seq 9\r"));
    assert_int_equal(typed_line_ends(&typed, "", true, &line), LINE_RAN_AHEAD); /* much came */
    free(line);
    prompt(EDITOR_TTY);
    assert_true(here("half\r"));
    assert_ends("^C", LINE_IS_OTHERS, NULL); /* typed before it, and not seen yet */
    assert_done(LINE_IS_GIVEN_UP);
    assert_true(typed_waits(&typed));
}

/* Commands read lines, too: whoever sees the shell wait although they are due says so. */
static void what_commands_read_is_forgotten(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    early("data\rmore\rhalf", true);
    prints("data\r\n");
    assert_true(typed_await(&typed));
    typed_settle(&typed, false);
    assert_false(typed_due(&typed));
    assert_true(typed_waits(&typed));
    typed_settle(&typed, true);
    assert_int_equal(typed.keys.len, 4);
    assert_true(here("way\r"));
    prints("way\r\n");
    assert_ends("halfway", LINE_RUNS, "halfway");
    typed_early(&typed, "no echo\r", 8, true, false);
    assert_true(typed_await(&typed));
    assert_ahead("no echo");
}

static void recall_typing(const char *keys, const char *typing)
{
    typed_recall(&typed, &(struct typed_keys){.trust = HEARS,
                                              .keys = keys,
                                              .len = strlen(keys),
                                              .typing = typing,
                                              .typing_len = strlen(typing)});
}

/* Whether a line was typed before whoever typed it died shows in the echo. */
static void an_echo_ends_a_doubt(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    recall_typing("", "echo one\r");
    assert_ends("a job speaks", LINE_IS_OTHERS, NULL);
    prints("echo one\r\n");
    assert_ends("echo one", LINE_RUNS, "echo one");
    assert_false(typed.in_doubt);
    prompt(EDITOR_TTY);
    recall_typing("", "echo one\r"); /* it was not */
    assert_true(here("echo two\r"));
    prints("echo two\r\n");
    assert_ends("echo two", LINE_RUNS, "echo two");
    assert_int_equal(typed.keys.len, 0);
    prompt(EDITOR_TTY);
    recall_typing("", "echo one\r"); /* it was */
    assert_true(here("echo two\r"));
    prints("echo one\r\n");
    assert_ends("echo one", LINE_RUNS, "echo one");
    assert_int_equal(typed.doubted, 0);
    prompt(EDITOR_TTY);
    recall_typing("ec", "ho\r"); /* half a line: who knows what it was */
    assert_true(typed.in_doubt);
    assert_int_equal(typed.trust, UNSURE);
}

static void who_is_unsure_takes_each_line(void **state)
{
    char *much = text_format("%*s", LIMIT_COMMAND_BYTES, "x");
    (void)state;
    prompt(EDITOR_TTY);
    early(much, true);
    free(much);
    assert_int_equal(typed.keys.len, 0);
    assert_ends("echo hi", LINE_RUNS, NULL);
    assert_int_equal(typed.trust, UNSURE);
    assert_true(here("echo hi\r"));
    assert_ends("echo hi", LINE_RUNS, NULL);
    assert_int_equal(typed.trust, HEARS);
}

/* A line typed ahead was lost with whoever was told it: those that are known come one prompt late.
 */
static void an_editor_that_lost_a_line_takes_each_until_it_waits(void **state)
{
    (void)state;
    prompt(EDITOR_SHELL);
    assert_true(here("sleep 1\r"));
    assert_ends("sleep 1", LINE_RUNS, NULL);
    recall_typing("", "echo one\r"); /* it was typed */
    early("echo two\r", true);
    prompt(EDITOR_SHELL);
    assert_ends("echo one", LINE_RUNS, NULL);
    prompt(EDITOR_SHELL);
    assert_ends("echo two", LINE_RUNS, NULL);
    prompt(EDITOR_SHELL);
    assert_true(typed_unsure(&typed) && typed.in_doubt);
    typed_settle(&typed, true);
    assert_false(typed_unsure(&typed) || typed.in_doubt);
    assert_ends("a job speaks", LINE_IS_OTHERS, NULL);
    assert_true(here("echo three\r"));
    assert_ends("echo three", LINE_RUNS, NULL);
}

static void whom_a_log_is_read_to_takes_each_line(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("true\r"));
    prints("true\r\n");
    assert_ends("true", LINE_RUNS, "true");
    early("next\r", true);
    typed_deafen(&typed);
    prompt(EDITOR_TTY);
    assert_ahead("next"); /* what was told before is still known */
    assert_ends("echo hi", LINE_RUNS, NULL);
    prompt(EDITOR_TTY);
    assert_ends("echo more", LINE_RUNS, NULL);
    prompt(EDITOR_TTY);
    assert_true(here("ec")); /* the log is over */
    assert_ends("a job speaks", LINE_IS_OTHERS, NULL);
}

static void a_line_goes_on(void **state)
{
    static const char lines[] = "two\nthree\n> ";
    (void)state;
    prompt(EDITOR_TTY);
    char *line = typed_more(&typed, lines, strlen(lines));
    assert_string_equal(line, "two");
    free(line);
    line = typed_more(&typed, "", 0);
    assert_string_equal(line, "three");
    free(line);
    assert_null(typed_more(&typed, "> ", 2));
    prompt(EDITOR_SHELL);
    assert_null(typed_more(&typed, lines, strlen(lines)));
}

static void what_is_gone_is_forgotten(void **state)
{
    (void)state;
    early("first\r", false);
    prompt(EDITOR_TTY);
    early("next\r", true);
    typed_discard(&typed);
    assert_ahead(NULL);
    typed_recall(&typed, &(struct typed_keys){.in_doubt = true, .keys = "kept\r", .len = 5});
    assert_int_equal(typed.trust, UNSURE);
    assert_ahead("kept");
    early("next\r", true);
    typed_begin(&typed, EDITOR_UNASKED);
    assert_int_equal(typed.keys.len, 0);
    assert_int_equal(typed.shared, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whom_nothing_is_told_takes_each_line),
        TEST(who_hears_takes_what_was_entered),
        TEST(an_answer_is_nobody_s_key),
        TEST(an_answer_is_no_line_of_an_editor_s),
        TEST(a_line_given_up_is_told_at_its_end),
        TEST(an_editor_gives_up_by_the_key),
        TEST(what_was_typed_ahead_runs_in_order),
        TEST(a_job_speaks_before_the_echo),
        TEST(a_line_is_typed_in_pieces),
        TEST(an_echo_may_be_lost),
        TEST(what_commands_read_is_forgotten),
        TEST(an_echo_ends_a_doubt),
        TEST(who_is_unsure_takes_each_line),
        TEST(an_editor_that_lost_a_line_takes_each_until_it_waits),
        TEST(whom_a_log_is_read_to_takes_each_line),
        TEST(a_line_goes_on),
        TEST(what_is_gone_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
