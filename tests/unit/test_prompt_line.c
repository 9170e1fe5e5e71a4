/* Whether keys that end no line were typed at a prompt. */
#include "tests/unit/test.h"

#include <string.h>

#include "ptyd/core/prompt_line.h"

#define BARE  77 /* what the prompt looks like without a line */
#define DRAWN 99 /* and did before something was printed behind it */

static struct prompt_line line;

static int begin(void **state)
{
    (void)state;
    line = (struct prompt_line){0};
    return 0;
}

static void type_at(enum prompt_line_place place, const char *keys)
{
    prompt_line_typed(&line, place, keys, strlen(keys));
}

static void prompt(void)
{
    prompt_line_prompted(&line, DRAWN, false);
}

static void a_key_counts_until_a_prompt_comes(void **state)
{
    (void)state;
    prompt();
    assert_int_equal(line.flags, 0);
    type_at(PROMPT_LINE_HERE, "l");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    type_at(PROMPT_LINE_HERE, "s\r"); /* it may go on */
    assert_int_equal(line.flags, PROMPT_LINE_TYPED | PROMPT_LINE_GOES_ON);
    assert_true(prompt_line_is_half(&line, BARE, "> "));
    type_at(PROMPT_LINE_HERE, "\x03");
    assert_false(prompt_line_is_half(&line, BARE, "> "));
    prompt();
    assert_int_equal(line.flags, 0);
}

static void an_escape_alone_is_remembered(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "\x1b[D\x1bOC");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    type_at(PROMPT_LINE_HERE, "\x1b");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED | PROMPT_LINE_ESCAPED);
    type_at(PROMPT_LINE_HERE, "\x03");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    type_at(PROMPT_LINE_HERE, "\x1b"
                              "b"); /* Alt-b */
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    type_at(PROMPT_LINE_HERE, "two\x1b\rlines"); /* Alt-Enter: a line feed in it */
    assert_int_equal(line.flags, PROMPT_LINE_TYPED | PROMPT_LINE_ESCAPED);
    prompt();
    type_at(PROMPT_LINE_ELSEWHERE, "\x1b");
    prompt();
    assert_true(prompt_line_is_half(&line, BARE, ""));
}

static void what_is_typed_ahead_is_the_next_prompt_s(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "ls\rec");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED | PROMPT_LINE_GOES_ON | PROMPT_LINE_AHEAD);
    prompt();
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    prompt();
    type_at(PROMPT_LINE_ELSEWHERE, "ec");
    assert_int_equal(line.flags, PROMPT_LINE_AHEAD);
    type_at(PROMPT_LINE_ELSEWHERE, "ho\r");
    assert_int_equal(line.flags, 0);
    type_at(PROMPT_LINE_ELSEWHERE, "ec");
    type_at(PROMPT_LINE_ELSEWHERE, "\x03");
    assert_int_equal(line.flags, 0);
    type_at(PROMPT_LINE_ELSEWHERE, "ec");
    type_at(PROMPT_LINE_NOWHERE, "q"); /* whoever reads each key has read those, too */
    prompt();
    assert_int_equal(line.flags, 0);
}

/* A whole line was typed ahead in front of it: the first prompt is that one's. */
static void what_came_before_two_prompts_is_half_at_the_second(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_ELSEWHERE, "echo ahead\r");
    type_at(PROMPT_LINE_ELSEWHERE, "something");
    prompt_line_prompted(&line, DRAWN, true);
    prompt();
    assert_true(prompt_line_is_half(&line, BARE, "$ something"));
    type_at(PROMPT_LINE_HERE, "\r");
    prompt();
    assert_int_equal(line.flags, 0);
}

static void what_is_gone_from_the_screen_is_none(void **state)
{
    (void)state;
    assert_false(prompt_line_is_half(&line, BARE + 1, "$ somebody's"));
    prompt();
    line.bare = BARE;
    type_at(PROMPT_LINE_HERE, "ls");
    assert_true(prompt_line_is_half(&line, BARE + 1, ""));
    assert_false(prompt_line_is_half(&line, BARE, "ls"));
    assert_false(prompt_line_is_half(&line, DRAWN, "ls"));
    type_at(PROMPT_LINE_HERE, "\x1b");
    assert_true(prompt_line_is_half(&line, BARE, ""));
}

/* Once it was gone nothing of it counts, whatever is printed at the prompt then. */
static void what_is_forgotten_is_none(void **state)
{
    (void)state;
    prompt();
    line.bare = BARE;
    type_at(PROMPT_LINE_HERE, "ls\x15");
    assert_true(prompt_line_is_half(&line, BARE + 1, "$ a job's"));
    prompt_line_forget(&line);
    assert_false(prompt_line_is_half(&line, BARE + 1, "$ a job's"));
    assert_int_equal(line.flags, 0);
    type_at(PROMPT_LINE_HERE, "l");
    assert_int_equal(line.flags, PROMPT_LINE_TYPED);
    type_at(PROMPT_LINE_HERE, "s\recho"); /* that is of the next one */
    prompt_line_forget(&line);
    assert_int_equal(line.flags, PROMPT_LINE_AHEAD);
}

static void what_came_before_the_prompt_is_looked_for(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_ELSEWHERE, "echo something-long");
    prompt();
    assert_true(prompt_line_is_half(&line, BARE, "> echo something-long"));
    assert_false(prompt_line_is_half(&line, BARE, "> ")); /* a program read it */
    type_at(PROMPT_LINE_HERE, "x\x7f\x7fg");
    assert_true(prompt_line_is_half(&line, BARE, "> echo something-long"));
    type_at(PROMPT_LINE_HERE, " ");
    assert_true(prompt_line_is_half(&line, BARE, "> echo something-long"));
    type_at(PROMPT_LINE_HERE, "\x15");
    assert_false(prompt_line_is_half(&line, BARE, "> echo something-long"));
    prompt();
    type_at(PROMPT_LINE_ELSEWHERE, "another\r\x15the lastt\x7f line");
    prompt();
    assert_true(prompt_line_is_half(&line, BARE, "> the last line"));
    assert_false(prompt_line_is_half(&line, BARE, "> another"));
    prompt();
    type_at(PROMPT_LINE_ELSEWHERE, "\x1a");
    prompt();
    assert_false(prompt_line_is_half(&line, BARE, "> "));
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_counts_until_a_prompt_comes),
        TEST(an_escape_alone_is_remembered),
        TEST(what_is_typed_ahead_is_the_next_prompt_s),
        TEST(what_came_before_two_prompts_is_half_at_the_second),
        TEST(what_is_gone_from_the_screen_is_none),
        TEST(what_is_forgotten_is_none),
        TEST(what_came_before_the_prompt_is_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
