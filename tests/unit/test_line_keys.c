/* What the keys say of a line that a shell's own editor reads. */
#include "ptyd/core/line_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"

static struct line_keys keys;

static int begin(void **state)
{
    (void)state;
    keys = (struct line_keys){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    line_keys_finish(&keys);
    return 0;
}

static void here(const char *typed)
{
    line_keys_hear(&keys, typed, strlen(typed), KEYS_HERE);
}

static void ahead(const char *typed)
{
    line_keys_hear(&keys, typed, strlen(typed), KEYS_SHARED);
}

static void assert_line(const char *echo, const char *expected)
{
    char *line = line_keys_text(&keys, echo);
    assert_string_equal(line ? line : "(unknown)", expected ? expected : "(unknown)");
    free(line);
}

static void of_a_log_nothing_is_known(void **state)
{
    (void)state;
    assert_line("ls", NULL);
    here("ls\r");
    assert_line("ls", "ls");
    line_keys_deafen(&keys);
    assert_false(keys.told);
    assert_line("ls", NULL);
}

/* However keys come, they say the same. */
static void one_by_one_as_all_at_once(void **state)
{
    static const char *const typed[] = {"ls -l\r",   " ls\r",         "a  b\x7f\x7f\rc\r",
                                        "\tx \r",    "\x1b[1;5Da \r", "\x1bOA b\r",
                                        "a\x10 b\r", "\xc3\xa4 \r"};
    (void)state;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct line_keys whole = {0}, single = {0};
        size_t len = strlen(typed[i]);
        line_keys_hear(&whole, typed[i], len, KEYS_HERE);
        for (size_t at = 0; at < len; at++)
            line_keys_hear(&single, typed[i] + at, 1, KEYS_HERE);
        assert_memory_equal(&whole, &single, offsetof(struct line_keys, text));
        assert_int_equal(whole.text.len, single.text.len);
        assert_memory_equal(whole.text.data, single.text.data, whole.text.len);
        line_keys_finish(&whole);
        line_keys_finish(&single);
    }
}

static void what_was_typed_here_needs_no_echo(void **state)
{
    (void)state;
    here("l");
    assert_line("l", NULL); /* it goes on */
    here("s\x7fs -a  /x\x17 y\r");
    assert_line("rm -rf /", "ls -a   y");
    line_keys_taken(&keys, true);
    here("gone\x15whole line\r");
    assert_line("", "whole line");
}

static void what_an_editor_makes_of_keys_is_its_own(void **state)
{
    static const char *const edited[] = {"\t",     "\x01", "\x08",   "\x12", "\x1b",
                                         "\x1b[A", "\x03", "\x1bOD", "\x10", "\x19"};
    (void)state;
    for (size_t i = 0; i < sizeof edited / sizeof *edited; i++) {
        here("ls");
        here(edited[i]);
        here("x\r");
        assert_line("lsx", NULL);
        line_keys_taken(&keys, true);
    }
    here("ls\r");
    assert_line("", "ls"); /* the next is its own again */
}

static void what_came_before_the_prompt_has_to_be_seen(void **state)
{
    (void)state;
    ahead("one\rtwo\r");
    assert_line("evil", NULL);
    assert_line("one", "one");
    line_keys_taken(&keys, true);
    assert_line("one", NULL);
    assert_line("two", "two");
    line_keys_taken(&keys, true);
    here("three\r");
    assert_line("evil", "three");
}

static void lines_behind_the_first_have_to_be_seen(void **state)
{
    (void)state;
    here("one\rtw");
    assert_line("evil", NULL);
    assert_line("one", "one");
    line_keys_taken(&keys, true);
    here("o\r");
    assert_line("evil", NULL);
    assert_line("two", "two");
}

static void commands_read_what_came_before(void **state)
{
    (void)state;
    ahead("answer\r");
    assert_true(line_keys_doubtful(&keys));
    line_keys_settle(&keys);
    assert_false(line_keys_doubtful(&keys));
    here("ls\r");
    assert_line("evil", "ls");
    line_keys_taken(&keys, true);
    ahead("half");
    here(" of it\r"); /* whose the first half was is not known any more */
    assert_false(line_keys_doubtful(&keys));
    line_keys_settle(&keys);
    assert_line("evil", NULL);
    assert_line("half of it", "half of it");
}

/* Of the next line is what comes behind Ctrl-C, before its prompt and behind that. */
static void a_line_that_is_given_up_leaves_what_comes_behind(void **state)
{
    (void)state;
    here("make\x1b[D");
    line_keys_give_up(&keys);
    here(" pass");
    assert_true(keys.blank);
    line_keys_taken(&keys, false); /* the prompt */
    assert_true(keys.blank);
    assert_false(line_keys_doubtful(&keys)); /* no command ran */
    here(" x\r");
    assert_line("pass x", NULL);
    assert_line(" pass x", " pass x");
    line_keys_taken(&keys, true);
    here("ls\r");
    assert_false(keys.blank);
    assert_line("", "ls");
    line_keys_taken(&keys, true);
    here("abc"); /* whose shell keeps the line */
    line_keys_give_up(&keys);
    here("def\r");
    assert_line("abcdef", NULL);
    line_keys_taken(&keys, true);
    here("ls\r");
    assert_line("", "ls");
}

static void a_line_whose_keys_were_lost_is_unknown(void **state)
{
    (void)state;
    here("l");
    line_keys_lose(&keys);
    here("s\r");
    assert_line("ls", NULL);
    assert_true(keys.blank);
    line_keys_taken(&keys, true);
    here("ls\r");
    assert_line("", "ls");
}

static void blank_is_what_may_begin_with_one(void **state)
{
    static const struct {
        const char *typed;
        bool blank;
    } cases[] = {{" ls\r", true},     {"\tls\r", true},         {"ls -a\r", false},
                 {"ls\x01 \r", true}, {"\x1b[A x\r", false},    {"\x1b[D x\r", true},
                 {"\x10 x\r", false}, {"ls\x7f\x7f x\r", true}, {"ls  -a\r", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        here(cases[i].typed);
        assert_int_equal(keys.blank, cases[i].blank);
        line_keys_taken(&keys, true);
        assert_false(keys.blank);
    }
}

static void a_line_that_is_too_long_is_unknown(void **state)
{
    char line[LIMIT_KEYED_BYTES + 2];
    (void)state;
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    here(line);
    here("\r");
    assert_line(line, NULL);
    assert_true(keys.text.len <= LIMIT_KEYED_BYTES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(of_a_log_nothing_is_known),
        TEST(one_by_one_as_all_at_once),
        TEST(what_was_typed_here_needs_no_echo),
        TEST(what_an_editor_makes_of_keys_is_its_own),
        TEST(what_came_before_the_prompt_has_to_be_seen),
        TEST(lines_behind_the_first_have_to_be_seen),
        TEST(commands_read_what_came_before),
        TEST(a_line_that_is_given_up_leaves_what_comes_behind),
        TEST(a_line_whose_keys_were_lost_is_unknown),
        TEST(blank_is_what_may_begin_with_one),
        TEST(a_line_that_is_too_long_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
