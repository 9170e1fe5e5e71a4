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
    return typed_here(&typed, keys, strlen(keys));
}

static void early(const char *keys, bool runs)
{
    typed_early(&typed, keys, strlen(keys), runs);
}

/* `line`: what is expected to have been typed ahead, or NULL. */
static void assert_ends(const char *echo, enum typed_answer answer, const char *line)
{
    char *found = NULL;
    assert_int_equal(typed_line_ends(&typed, echo, &found), answer);
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
    assert_ends("echo hi", LINE_RUNS, NULL);
    prompt(EDITOR_TTY);
    assert_ends("it speaks again", LINE_IS_OTHERS, NULL);
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
    assert_ends("sleep 1", LINE_RUNS, NULL);
    early("# no\rec\x15one\x7f\x7ftwo\rthree\rfo", true);
    assert_true(typed_await(&typed));
    assert_ends("otwo's output", LINE_WAS_EMPTY, NULL);
    assert_ends("otwo's output", LINE_RAN_AHEAD, "otwo");
    assert_true(typed_await(&typed));
    assert_ends("three", LINE_RUNS, NULL); /* its own echo: B was not seen yet */
    assert_true(typed_await(&typed));
    assert_ahead(NULL);
    assert_int_equal(typed.keys.len, 2);
}

/* What is typed since B is read behind it, and a line feed shows that both were. */
static void what_was_typed_ahead_may_have_been_read(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    early("true\rleft\r", true);
    assert_true(typed_await(&typed));
    assert_true(here("next\r"));
    assert_int_equal(typed.trust, UNSURE);
    assert_ahead("true");
    assert_ends("next", LINE_RUNS, NULL);
    assert_int_equal(typed.trust, HEARS);
    assert_int_equal(typed.keys.len, 0);
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

static void whom_a_log_is_read_to_takes_each_line(void **state)
{
    (void)state;
    prompt(EDITOR_TTY);
    assert_true(here("true\r"));
    assert_ends("true", LINE_RUNS, NULL);
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
        TEST(a_line_given_up_is_told_at_its_end),
        TEST(an_editor_gives_up_by_the_key),
        TEST(what_was_typed_ahead_runs_in_order),
        TEST(what_was_typed_ahead_may_have_been_read),
        TEST(who_is_unsure_takes_each_line),
        TEST(whom_a_log_is_read_to_takes_each_line),
        TEST(a_line_goes_on),
        TEST(what_is_gone_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
