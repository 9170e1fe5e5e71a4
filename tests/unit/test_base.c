/* UTF-8 (RFC 3629's own examples and limits), growing bytes, JSON lines. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/lines.h"

static int decode(const char *text, uint32_t *code)
{
    return utf8_decode(text, strlen(text), code);
}

static void utf8_decodes_every_length(void **state)
{
    uint32_t code;
    (void)state;
    assert_int_equal(decode("A", &code), 1);
    assert_int_equal(decode("\xc2\xa2", &code), 2);
    assert_int_equal(code, 0xa2);
    assert_int_equal(decode("\xe6\x97\xa5", &code), 3);
    assert_int_equal(code, 0x65e5);
    assert_int_equal(decode("\xf0\xa3\x8e\xb4", &code), 4);
    assert_int_equal(code, 0x233b4);
}

static void utf8_refuses_what_rfc_3629_forbids(void **state)
{
    static const char *const bad[] = {
        "\xc0\x80",         "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\x80",     "\xff",         "\xc2\x41",
    };
    uint32_t code;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(decode(bad[i], &code), -1);
}

/* The short way for common forms and the whole walker: every three bytes that are not all ASCII. */
static void utf8_decodes_the_same_both_ways(void **state)
{
    (void)state;
    for (uint32_t n = 0xc00000; n <= 0xffffff; n++) {
        char bytes[] = {(char)(n >> 16), (char)(n >> 8), (char)n};
        uint32_t code = 0, expected = 0;
        int step = utf8_decode(bytes, 3, &code);
        if (step != utf8_decode_any(bytes, 3, &expected) || code != expected)
            fail_msg("%06x", n);
    }
}

static void utf8_knows_an_unfinished_tail(void **state)
{
    (void)state;
    assert_int_equal(utf8_incomplete_tail("a\xe6", 2), 1);
    assert_int_equal(utf8_incomplete_tail("a\xe6\x97", 3), 2);
    assert_int_equal(utf8_incomplete_tail("a\xe6\x97\xa5", 4), 0);
    assert_int_equal(utf8_incomplete_tail("a\xf0\x9f\x98", 4), 3);
    assert_int_equal(utf8_incomplete_tail("\xe0\x80", 2), 0); /* never right */
    assert_int_equal(utf8_incomplete_tail("\x97\xa5", 2), 0);
}

static void utf8_cuts_between_characters(void **state)
{
    (void)state;
    assert_int_equal(utf8_floor("\xe6\x97\xa5x", 4, 2), 0);
    assert_int_equal(utf8_floor("\xe6\x97\xa5x", 4, 3), 3);
    assert_int_equal(utf8_ceil("\xe6\x97\xa5x", 4, 1), 3);
}

static void bytes_grow_and_shrink(void **state)
{
    struct bytes b = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        bytes_printf(&b, "%d,", i);
    assert_true(strncmp(b.data, "0,1,2,", 6) == 0);
    bytes_consume(&b, 2);
    assert_true(strncmp(b.data, "1,2,", 4) == 0);
    assert_int_equal(strlen(b.data), b.len);
    bytes_finish(&b);
}

static void lines_come_whole_whatever_the_chunks(void **state)
{
    static const char text[] = "one\ntwo\r\n\nfour";
    struct lines lines = {.limit = 100};
    char *line;
    size_t len;
    char seen[64] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        lines_add(&lines, text + i, 1);
        while (lines_next(&lines, &line, &len) == 1) {
            strcat(seen, line);
            strcat(seen, "|");
        }
    }
    assert_string_equal(seen, "one|two||");
    lines_finish(&lines);
}

static void lines_recover_from_one_too_long(void **state)
{
    struct lines lines = {.limit = 4};
    char *line;
    size_t len;
    (void)state;
    lines_add(&lines, "toolong", 7);
    assert_int_equal(lines_next(&lines, &line, &len), -EFBIG);
    assert_int_equal(lines_next(&lines, &line, &len), 0);
    lines_add(&lines, "er\nok\nalsotoolong\nend\n", 22);
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_string_equal(line, "ok");
    assert_int_equal(lines_next(&lines, &line, &len), -EFBIG);
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_string_equal(line, "end");
    assert_int_equal(lines_next(&lines, &line, &len), 0);
    lines_finish(&lines);
}

static void note_line(void *user, char *line, size_t len, bool is_whole)
{
    char *seen = user;
    strncat(seen, line ? line : "TOO LONG", line ? len : SIZE_MAX);
    strcat(seen, is_whole ? "|" : "?");
}

static void lines_of_a_file_come_in_order_with_the_rest(void **state)
{
    char path[] = "/tmp/ptyd-lines-XXXXXX", seen[64] = {0};
    int fd = mkstemp(path);
    (void)state;
    assert_int_equal(write(fd, "one\ntoolong\n\ntw", 15), 15);
    assert_int_equal(lines_each_of(path, 4, note_line, seen), 0);
    assert_string_equal(seen, "one|TOO LONG||tw?");
    close(fd);
    unlink(path);
    assert_int_equal(lines_each_of(path, 4, note_line, seen), -ENOENT);
    assert_int_equal(lines_each_of("/tmp", 4, note_line, seen), -EINVAL);
}

/* What is asked before each line changes nothing of them. */
static void lines_that_wait_are_known(void **state)
{
    struct lines lines = {.limit = 4};
    char *line;
    size_t len;
    (void)state;
    assert_false(lines_wait(&lines));
    lines_add(&lines, "on", 2);
    assert_false(lines_wait(&lines));
    lines_add(&lines, "e\n\ntoolong", 10);
    for (int i = 0; i < 2; i++)
        assert_true(lines_wait(&lines));
    assert_int_equal(lines_held(&lines), 12);
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_string_equal(line, "one");
    assert_true(lines_wait(&lines));
    lines_rest(&lines);
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_string_equal(line, "");
    assert_true(lines_wait(&lines)); /* to say that it is too long */
    assert_int_equal(lines_next(&lines, &line, &len), -EFBIG);
    assert_false(lines_wait(&lines));
    lines_rest(&lines);
    lines_add(&lines, "er", 2);
    assert_false(lines_wait(&lines));
    assert_int_equal(lines_held(&lines), 0); /* it is nobody's */
    lines_rest(&lines);
    lines_add(&lines, "\nok\n", 4);
    assert_true(lines_wait(&lines));
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_string_equal(line, "ok");
    assert_false(lines_wait(&lines));
    lines_finish(&lines);
}

static void lines_that_are_done_cost_nothing(void **state)
{
    static char much[100000];
    struct lines lines = {.limit = sizeof much};
    char *line;
    size_t len;
    (void)state;
    memset(much, 'x', sizeof much - 1);
    lines_add(&lines, much, sizeof much - 1);
    lines_rest(&lines);
    assert_true(lines.buffer.capacity >= sizeof much - 1);
    lines_add(&lines, "\n", 1);
    assert_int_equal(lines_next(&lines, &line, &len), 1);
    assert_int_equal(len, sizeof much - 1);
    lines_rest(&lines);
    assert_int_equal(lines.buffer.capacity, 0);
}

static void base64_matches_rfc_4648(void **state)
{
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        struct bytes out = {0}, back = {0};
        bytes_append_text(&out, "");
        bytes_append_text(&back, "");
        base64_encode(vectors[i][0], strlen(vectors[i][0]), &out);
        assert_string_equal(out.data, vectors[i][1]);
        assert_int_equal(base64_decode(out.data, out.len, &back), 0);
        assert_string_equal(back.data, vectors[i][0]);
        bytes_finish(&out);
        bytes_finish(&back);
    }
    struct bytes out = {0};
    assert_int_equal(base64_decode("Zg=", 3, &out), -1);
    assert_int_equal(base64_decode("Z?==", 4, &out), -1);
    bytes_finish(&out);
}

/* RFC 3339, section 5.8, and Go's time.Time, which leaves out what is zero at the end; `date -u -d`
 * says the seconds. What stands behind the second may be anything: a hub says it. */
static void times_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } times[] = {{"1985-04-12T23:20:50.52Z", 482196050520},
                 {"2026-11-23T15:04:05Z", 1795446245000},
                 {"2026-11-23T15:04:05.000999999Z", 1795446245000},
                 {"2026-11-23T15:04:05.123456789Z", 1795446245123},
                 {"2026-11-23T15:04:05.5e300Z", 1795446245500},
                 {"2026-11-23T15:04:05.0x7fffffffffffffffp900Z", 1795446245000},
                 {"2026-11-23T15:04:05.Z", 1795446245000},
                 {"2026-11-23T15:04:05.", 1795446245000},
                 {"2026-11-23", 0},
                 {"", 0},
                 {"inf", 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_int_equal(clock_rfc3339_ms(times[i].text), times[i].ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_decodes_every_length),
        cmocka_unit_test(utf8_refuses_what_rfc_3629_forbids),
        cmocka_unit_test(utf8_decodes_the_same_both_ways),
        cmocka_unit_test(utf8_knows_an_unfinished_tail),
        cmocka_unit_test(utf8_cuts_between_characters),
        cmocka_unit_test(bytes_grow_and_shrink),
        cmocka_unit_test(lines_come_whole_whatever_the_chunks),
        cmocka_unit_test(lines_recover_from_one_too_long),
        cmocka_unit_test(lines_of_a_file_come_in_order_with_the_rest),
        cmocka_unit_test(lines_that_wait_are_known),
        cmocka_unit_test(lines_that_are_done_cost_nothing),
        cmocka_unit_test(base64_matches_rfc_4648),
        cmocka_unit_test(times_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
