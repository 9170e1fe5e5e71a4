/* Patterns within bounds: what is found where, what may go on, and the ones that would take for
 * ever. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/regex.h"

static struct regex *of(const char *pattern)
{
    char *error = NULL;
    struct regex *r = regex_create(pattern, false, &error);
    assert_non_null(r);
    return r;
}

static void check(const char *pattern, const char *text, size_t start, enum regex_result result,
                  size_t from, size_t to)
{
    struct regex *r = of(pattern);
    size_t found = 0, end = 0;
    assert_int_equal(regex_search(r, text, strlen(text), start, true, &found, &end), result);
    assert_int_equal(found, from);
    assert_int_equal(end, to);
    regex_destroy(r);
}

static void it_finds_the_first(void **state)
{
    (void)state;
    check("b+", "abbcb", 0, REGEX_FOUND, 1, 3);
    check("b+", "abbcb", 3, REGEX_FOUND, 4, 5);
    check("^b", "a\nb", 0, REGEX_FOUND, 2, 3);
    check("^b", "ab", 1, REGEX_NONE, 0, 0);
    check("a$", "aa\n", 0, REGEX_FOUND, 1, 2);
    check("a$", "aa", 0, REGEX_NONE, 0, 0); /* the line may go on */
    check("\xc3\xa9.", "x\xc3\xa9\xe6\x97\xa5", 0, REGEX_FOUND, 1, 6);
}

static void what_may_go_on_is_said(void **state)
{
    struct regex *r = of("error: \\d+");
    size_t from = 0, to = 0;
    (void)state;
    assert_int_equal(regex_search(r, "an err", 6, 0, true, &from, &to), REGEX_PART);
    assert_int_equal(from, 3);
    assert_int_equal(regex_search(r, "an err", 6, 0, false, &from, &to), REGEX_NONE);
    regex_destroy(r);
}

/* Far into a long text, at a place that is not the first of those tried at once. */
static void a_line_that_is_whole_has_an_end(void **state)
{
    struct regex *r = of("a$");
    size_t from = 0, to = 0;
    (void)state;
    assert_int_equal(regex_search(r, "aa", 2, 0, false, &from, &to), REGEX_FOUND);
    assert_int_equal(from, 1);
    assert_int_equal(to, 2);
    regex_destroy(r);
}

static void a_long_text_is_gone_through(void **state)
{
    size_t len = 300000, from = 0, to = 0;
    char *text = malloc(len);
    struct regex *r = of("needle");
    (void)state;
    memset(text, 'n', len);
    memcpy(text + len - 7, "needle", 6);
    assert_int_equal(regex_search(r, text, len, 0, true, &from, &to), REGEX_FOUND);
    assert_int_equal(from, len - 7);
    regex_destroy(r);
    free(text);
}

static void a_hostile_one_meets_its_bound(void **state)
{
    static const char *const patterns[] = {"(a+)+[bc]", "(a|aa)+[bc]", "((a*)*)*[bc]",
                                           "(?:a?){30}a{30}[bc]"};
    char text[4000];
    (void)state;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct regex *r = of(patterns[i]);
        size_t from = 0, to = 0;
        assert_int_equal(regex_search(r, text, sizeof text, 0, false, &from, &to), REGEX_LIMIT);
        regex_destroy(r);
    }
}

static void what_is_none_is_explained(void **state)
{
    char *error = NULL, *longer = calloc(1, LIMIT_REGEX_BYTES + 2);
    (void)state;
    assert_null(regex_create("a(b", false, &error));
    assert_non_null(strstr(error, "at character 4"));
    free(error);
    memset(longer, 'a', LIMIT_REGEX_BYTES + 1);
    assert_null(regex_create(longer, false, &error));
    free(error);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_the_first),
        cmocka_unit_test(what_may_go_on_is_said),
        cmocka_unit_test(a_line_that_is_whole_has_an_end),
        cmocka_unit_test(a_long_text_is_gone_through),
        cmocka_unit_test(a_hostile_one_meets_its_bound),
        cmocka_unit_test(what_is_none_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
