/* Whether a line is half typed at a prompt. */
#include "tests/unit/test.h"

#include <string.h>

#include "ptyd/core/prompt_line.h"

#define BARE 77 /* what the screen looks like without a line */

static struct prompt_line line;

static int begin(void **state)
{
    (void)state;
    line = (struct prompt_line){.bare = BARE};
    return 0;
}

static void type_at(enum prompt_line_place place, const char *keys)
{
    prompt_line_typed(&line, place, false, keys, strlen(keys));
}

static bool is_bare(void)
{
    return prompt_line_is_bare(&line, BARE);
}

static void nothing_typed_is_none(void **state)
{
    (void)state;
    assert_true(prompt_line_begins(&line));
    assert_true(prompt_line_is_none(&line));
    assert_true(prompt_line_is_bare(&line, BARE + 1));
}

static void a_key_is_half_a_line_unless_the_screen_is_bare(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "l");
    assert_false(prompt_line_begins(&line));
    assert_false(prompt_line_is_none(&line));
    assert_false(prompt_line_is_bare(&line, BARE + 1));
    assert_true(is_bare());
}

static void an_escape_leaves_no_trace_on_the_screen(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "\x1b[D\x1bOC");
    assert_true(is_bare());
    type_at(PROMPT_LINE_HERE, "\x1b");
    assert_false(is_bare());
}

static void an_enter_ends_it_when_a_prompt_comes(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "ls\r");
    assert_int_equal(line.stands, PROMPT_LINE_ENDED);
    assert_false(prompt_line_is_bare(&line, BARE + 1)); /* it may have gone on */
    prompt_line_prompted(&line);
    assert_true(prompt_line_is_none(&line));
}

static void an_enter_behind_an_escape_is_in_the_line(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "ls\x1b\r");
    assert_int_equal(line.stands, PROMPT_LINE_HALF);
}

static void what_is_typed_behind_an_enter_is_half_of_the_next(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "ls\rpw");
    prompt_line_prompted(&line);
    assert_int_equal(line.stands, PROMPT_LINE_HALF);
    prompt_line_prompted(&line);
    assert_true(prompt_line_is_none(&line));
    type_at(PROMPT_LINE_HERE, "ls\r");
    type_at(PROMPT_LINE_HERE, "p");
    type_at(PROMPT_LINE_HERE, "w");
    prompt_line_prompted(&line);
    assert_int_equal(line.stands, PROMPT_LINE_HALF);
}

static void an_interrupt_gives_it_up(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_HERE, "ls");
    prompt_line_typed(&line, PROMPT_LINE_HERE, true, "", 0);
    assert_true(prompt_line_is_none(&line));
    type_at(PROMPT_LINE_HERE, "ls\x03"); /* an editor reads it */
    prompt_line_prompted(&line);
    assert_true(prompt_line_is_none(&line));
    prompt_line_typed(&line, PROMPT_LINE_HERE, true, "l", 1);
    prompt_line_prompted(&line);
    assert_false(prompt_line_is_none(&line));
}

static void keys_ahead_of_a_prompt_are_its(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_ELSEWHERE, "ec");
    prompt_line_prompted(&line);
    assert_int_equal(line.stands, PROMPT_LINE_HALF);
    begin(NULL);
    type_at(PROMPT_LINE_ELSEWHERE, "ls\r");
    prompt_line_prompted(&line);
    assert_true(prompt_line_is_none(&line));
}

static void a_program_that_reads_each_key_has_them(void **state)
{
    (void)state;
    type_at(PROMPT_LINE_ELSEWHERE, "ec");
    type_at(PROMPT_LINE_NOWHERE, "q");
    prompt_line_prompted(&line);
    assert_true(prompt_line_is_none(&line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_typed_is_none, begin),
        cmocka_unit_test_setup(a_key_is_half_a_line_unless_the_screen_is_bare, begin),
        cmocka_unit_test_setup(an_escape_leaves_no_trace_on_the_screen, begin),
        cmocka_unit_test_setup(an_enter_ends_it_when_a_prompt_comes, begin),
        cmocka_unit_test_setup(an_enter_behind_an_escape_is_in_the_line, begin),
        cmocka_unit_test_setup(what_is_typed_behind_an_enter_is_half_of_the_next, begin),
        cmocka_unit_test_setup(an_interrupt_gives_it_up, begin),
        cmocka_unit_test_setup(keys_ahead_of_a_prompt_are_its, begin),
        cmocka_unit_test_setup(a_program_that_reads_each_key_has_them, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
