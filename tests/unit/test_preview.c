/* Previews: 20 lines, 3,000 bytes, one per line end; never empty for output. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/preview.h"

static struct preview preview;

static int setup(void **state)
{
    (void)state;
    preview = (struct preview){.len = 0};
    return 0;
}

static struct preview_result finish(void)
{
    struct preview_result result;
    assert_int_equal(preview_finish(&preview, LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES, &result),
                     0);
    return result;
}

static void add(const char *text)
{
    preview_append(&preview, text, strlen(text));
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    struct preview_result r = finish();
    assert_int_equal(r.len, 0);
    assert_false(r.truncated);
    preview_result_finish(&r);
}

static void a_short_text_is_whole(void **state)
{
    (void)state;
    add("one\n\ntwo");
    struct preview_result r = finish();
    assert_string_equal(r.text, "one\n\ntwo\n");
    assert_false(r.truncated);
    assert_int_equal(r.output_lines, 3);
    assert_int_equal(r.output_bytes, 9);
    preview_result_finish(&r);
}

static void twenty_lines_are_kept(void **state)
{
    char line[16];
    (void)state;
    for (int i = 1; i <= 1000; i++) {
        snprintf(line, sizeof line, "%d\n", i);
        add(line);
    }
    struct preview_result r = finish();
    assert_int_equal(strncmp(r.text, "981\n", 4), 0);
    assert_int_equal(r.lines, 20);
    assert_int_equal(r.omitted, 980);
    assert_true(r.truncated);
    preview_result_finish(&r);
}

/* `count` lines of `len` bytes each, the line end included. */
static void add_lines(int count, int len)
{
    char *line = malloc((size_t)len + 1);
    memset(line, 'x', (size_t)len);
    line[len - 1] = '\n';
    line[len] = '\0';
    for (int i = 0; i < count; i++)
        add(line);
    free(line);
}

static void three_thousand_bytes_are_kept_exactly(void **state)
{
    (void)state;
    add_lines(3, 1000);
    struct preview_result r = finish();
    assert_int_equal(r.lines, 3);
    assert_int_equal(r.len, 3000);
    assert_false(r.truncated);
    preview_result_finish(&r);
    add_lines(1, 2);
    r = finish();
    assert_int_equal(r.lines, 3); /* 2 + 1000 + 1000 */
    assert_int_equal(r.omitted, 1);
    preview_result_finish(&r);
}

static void one_long_line_keeps_its_end(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++)
        add("0123456789");
    add("END");
    struct preview_result r = finish();
    assert_int_equal(r.lines, 1);
    assert_true(r.len <= 3000 && r.len > 2990);
    assert_int_equal(strncmp(r.text, "\xe2\x80\xa6", 3), 0);
    assert_string_equal(r.text + r.len - 5, "9END\n");
    assert_int_equal(r.output_lines, 1);
    assert_int_equal(r.output_bytes, 50004);
    preview_result_finish(&r);
}

static void a_long_line_is_cut_between_characters(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++)
        add("\xe6\x97\xa5");
    struct preview_result r = finish();
    assert_int_equal((r.len - 3 - 1) % 3, 0);
    preview_result_finish(&r);
}

static void a_long_line_before_short_ones_is_left_out(void **state)
{
    (void)state;
    add_lines(1, 100000);
    add("a\nb\n");
    struct preview_result r = finish();
    assert_string_equal(r.text, "a\nb\n");
    assert_int_equal(r.omitted, 1);
    preview_result_finish(&r);
}

static void chunks_do_not_matter(void **state)
{
    (void)state;
    struct preview whole = {.len = 0};
    char text[20000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 97 == 96 ? '\n' : (char)('a' + i % 26);
    preview_append(&whole, text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++)
        preview_append(&preview, text + i, 1);
    struct preview_result a = finish(), b;
    assert_int_equal(preview_finish(&whole, 20, 3000, &b), 0);
    assert_string_equal(a.text, b.text);
    assert_int_equal(a.omitted, b.omitted);
    preview_result_finish(&a);
    preview_result_finish(&b);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_nothing),
        TEST(a_short_text_is_whole),
        TEST(twenty_lines_are_kept),
        TEST(three_thousand_bytes_are_kept_exactly),
        TEST(one_long_line_keeps_its_end),
        TEST(a_long_line_is_cut_between_characters),
        TEST(a_long_line_before_short_ones_is_left_out),
        TEST(chunks_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
