/* What is secret is covered in a log as a terminal showed it: nothing moves, and marks stay marks.
 */
#define _GNU_SOURCE
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/forget/secrets.h"
#include "vterm_snapshot/mark.h"

#define ZEROS "00000000000000000000000000000000"
#define A     "ghp_a1b2c3d4e5f6g7h8i9j0" /* of a token the first 24 and the last 16 */
#define B     "k1l2m3n4o5p6q7r8"
#define XA    "xxxxxxxxxxxxxxxxxxxxxxxx"
#define XB    "xxxxxxxxxxxxxxxx"
#define DOT50 ".................................................."

static const struct blot_width eighty = {0, 80};

static size_t cover(char *bytes, size_t len)
{
    struct secrets_finder finder;
    secrets_finder_init(&finder, NULL, NULL);
    return blot_found(bytes, len, 0, &eighty, 1, &finder.finder, NULL);
}

static void expect(const char *from, const char *to)
{
    char *bytes = strdup(from);
    cover(bytes, strlen(bytes));
    assert_string_equal(bytes, to);
    free(bytes);
}

static void test_what_is_shown_is_covered(void **state)
{
    (void)state;
    expect("a " A B " b\r\n", "a " XA XB " b\r\n");
    expect("a " A "\033[1;31m" B "\033[m b", "a " XA "\033[1;31m" XB "\033[m b");
    expect("no secret\r\nat all: 0123456789abcdef\r\n",
           "no secret\r\nat all: 0123456789abcdef\r\n");
    expect("mysql -u root -psesame11 shop\r\n", "mysql -u root -pxxxxxxxx shop\r\n");
    expect("", "");
}

static void test_a_wrap_and_an_edge_are_no_end(void **state)
{
    (void)state;
    expect(DOT50 "..... " A B " behind", DOT50 "..... " XA XB " behind");
    expect(DOT50 "..... " A "\r\n" B "\r\nbehind", DOT50 "..... " XA "\r\n" XB "\r\nbehind");
}

static void test_what_is_overwritten_was_to_be_seen(void **state)
{
    (void)state;
    expect(A B "\rready" DOT50 "\r\n", XA XB "\rready" DOT50 "\r\n");
    expect(A B "\r\033[Kready\r\n", XA XB "\r\033[Kready\r\n");
    expect(A B "\033[2J\033[Hready", XA XB "\033[2J\033[Hready");
}

static void test_titles_and_links_are_looked_at(void **state)
{
    (void)state;
    expect("\033]2;deploy " A B "\a.", "\033]2;deploy " XA XB "\a.");
    expect("\033]8;;https://h/" A B "\033\\link", "\033]8;;https://h/" XA XB "\033\\link");
}

static void test_a_key_of_many_lines_goes(void **state)
{
    (void)state;
    char from[4096], to[4096];
    size_t n = 0, m = 0;
    n += (size_t)sprintf(from, "-----BEGIN PRIVATE KEY-----\r\n");
    for (int i = 0; i < 20; i++)
        n += (size_t)sprintf(from + n, "MIIEpAIBAAKCAQEAx3q1w2e3r4t5q1w2e3r4t5ABCDEFGHIJ%02d\r\n",
                             i);
    sprintf(from + n, "-----END PRIVATE KEY-----\r\nthat was it\r\n");
    for (const char *at = from; at < strstr(from, "that"); at++)
        to[m++] = *at == '\r' || *at == '\n' ? *at : 'x';
    sprintf(to + m, "that was it\r\n");
    expect(from, to);
}

/* A mark of these fields, with its length in characters, as shells make it. */
static char *mark_of(const char *fields)
{
    char *mark;
    assert_true(asprintf(&mark, MARK_HEAD ZEROS ";%s;1%04zu;" ZEROS "\a", fields, strlen(fields)) >
                0);
    return mark;
}

static void expect_marks(const char *one, const char *two, const char *to_one, const char *to_two)
{
    char *from[] = {mark_of(one), mark_of(two)}, *to[] = {mark_of(to_one), mark_of(to_two)};
    char *all, *wanted;
    assert_true(asprintf(&all, "$ %s%s.", from[0], from[1]) > 0);
    assert_true(asprintf(&wanted, "$ %s%s.", to[0], to[1]) > 0);
    expect(all, wanted);
    for (int i = 0; i < 2; i++) {
        free(from[i]);
        free(to[i]);
    }
    free(all);
    free(wanted);
}

static void test_marks_say_none(void **state)
{
    (void)state;
    expect_marks("3;C;cmd=echo " A B, "4;D;st=0;cwd=/home/" A B, "3;C;cmd=echo " XA XB,
                 "4;D;st=0;cwd=/home/" XA XB);
    expect_marks("3;T;cmd=echo%0a" A, "4;C;cmd=" B "%3b", "3;T;cmd=echo%0a" XA,
                 "4;C;cmd=" XB "%3b");
    expect_marks("3;A", "4;D;st=0;text=  12  curl -u me:sesame11 h", "3;A",
                 "4;D;st=0;text=  12  curl -u me:xxxxxxxx h");
}

/* Long after what was looked at, in lines without an end, in much of it: each is found. */
static void test_much_of_it(void **state)
{
    (void)state;
    struct bytes log = {0};
    for (int i = 0; i < 3000; i++) {
        bytes_printf(&log, "line %d of what somebody prints\033[K%s", i, i % 7 ? "\r\n" : " ");
        if (i % 3 == 0)
            bytes_append_text(&log, A B "\r\n");
    }
    size_t len = log.len, count = 0;
    struct bytes before = {0};
    bytes_append(&before, log.data, log.len);
    cover(log.data, log.len);
    assert_int_equal(log.len, len);
    for (size_t i = 0; i < len; i++) {
        count += before.data[i] != log.data[i];
        assert_true(before.data[i] == log.data[i] || log.data[i] == 'x');
    }
    assert_int_equal(count, 1000 * strlen(A B));
    bytes_append_char(&log, '\0');
    assert_null(strstr(log.data, A));
    bytes_finish(&log);
    bytes_finish(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_shown_is_covered),
        cmocka_unit_test(test_a_wrap_and_an_edge_are_no_end),
        cmocka_unit_test(test_what_is_overwritten_was_to_be_seen),
        cmocka_unit_test(test_titles_and_links_are_looked_at),
        cmocka_unit_test(test_a_key_of_many_lines_goes),
        cmocka_unit_test(test_marks_say_none),
        cmocka_unit_test(test_much_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
