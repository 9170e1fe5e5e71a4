/* The text of a stream: what it is, whatever the cuts, and where each of it came. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "vterm_snapshot/transcript.h"

static void write_all(struct transcript *t, const char *text, size_t len, size_t cut)
{
    struct bytes pending = {0};
    for (size_t at = 0, n; at < len; at += n) {
        n = cut && cut < len - at ? cut : len - at;
        bytes_append(&pending, text + at, n);
        bytes_consume(&pending, transcript_write(t, pending.data, pending.len));
    }
    bytes_finish(&pending);
}

/* However it is cut. */
static void check(int cols, const char *stream, const char *expected)
{
    size_t len = strlen(stream), size;
    for (size_t cut = 0; cut <= len; cut++) {
        struct transcript *t = transcript_create(1000, cols, NULL, NULL);
        write_all(t, stream, len, cut);
        const char *text = transcript_text(t, &size);
        char *found = strndup(text, size);
        assert_string_equal(found, expected);
        free(found);
        transcript_destroy(t);
    }
}

static void lines_are_lines(void **state)
{
    (void)state;
    check(80, "one\r\ntwo\r\n", "one\ntwo\n");
    check(80, "a\tb\r\n", "a       b\n");
    check(80, "\x1b[1;31merror\x1b[0m: x\x1b]0;title\a\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\",
          "error: xlink");
    check(80, "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80 \xff|",
          "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80 \xef\xbf\xbd|");
    check(80, "e\xcc\x81", "e\xcc\x81");
    check(80,
          "a\xe2\x80\xae"
          "b\xe2\x80\x8b"
          "c",
          "abc"); /* bidi and zero width */
    check(80, "\x1bPq#0;2;0;0;0\x1b\\six", "six");
    check(80,
          "$ \x1b]7711;00000000000000000000000000000000;5;C;cmd=ls\a"
          "out",
          "$ out");
}

static void what_is_overwritten_is_gone(void **state)
{
    (void)state;
    check(80, "10%\r20%\r\n", "20%\n");
    check(80, "loading\r\x1b[Kdone\r\n", "done\n");
    check(80, "abc\b\b\x1b[PX", "aX");
    check(80, "abc\b\b\x1b[@X", "aXbc");
    check(80, "ab\x1b[4D--\x1b[Cc", "-- c");
    check(80, "l\bls", "ls");
    check(80, "abcdef\x1b[3G\x1b[1K", "   def");
    check(80, "one\r\ntwo\x1b[Aup\r\n", "one\ntwo\n   up\n"); /* a line that was left stays */
    check(80, "x\x1b[5;3Hy\x1b[?1049hz", "x\n  y\nz");
    check(80, "=\x1b[4b|", "=====|");
}

/* As line editors write them: bash and zsh (a blank and CR in front of the second row), fish. */
static void wrapped_lines_are_one(void **state)
{
    (void)state;
    check(10, "0123456789abc\r\n", "0123456789abc\n");
    check(10, "$ 01234567 \r89\r\n", "$ 0123456789\n");
    check(10, "$ 01234567 \r\x1b[K8\r89\r\n", "$ 0123456789\n");
    check(10, "0123456789ab\x1b[A\rX\r\n\x1b[2Ccd\r\n", "X123456789abcd\n");
    check(10, "01234567\xe6\x97\xa5\xe6\x97\xa5", "01234567\xe6\x97\xa5\xe6\x97\xa5");
    check(10, "012345678\xe6\x97\xa5x", "012345678\xe6\x97\xa5x"); /* too wide for the rest */
    check(10, "%         \r \r\x1b[J$ ls", "$ ls");                /* zsh looks for a line's end */
}

static int seen;

static void note_half(void *user)
{
    size_t len;
    const char *text = transcript_text(*(struct transcript **)user, &len);
    seen += len == 3 && !memcmp(text, "10%", 3);
}

static void what_goes_is_shown_before(void **state)
{
    char stream[] = "10%\r20%\r30%";
    struct transcript *t;
    (void)state;
    t = transcript_create(0, 80, note_half, &t);
    transcript_write(t, stream, strlen(stream));
    assert_int_equal(seen, 1);
    transcript_destroy(t);
}

static void places_are_the_streams(void **state)
{
    char stream[] = "ab\x1b[1mcd\r\nef";
    struct transcript *t = transcript_create(1000, 80, NULL, NULL);
    size_t len;
    (void)state;
    transcript_write(t, stream, strlen(stream));
    transcript_text(t, &len);
    assert_int_equal(len, 7);
    assert_int_equal(transcript_place(t, 0, 1), 1001);
    assert_int_equal(transcript_place(t, 0, 3), 1007);
    assert_int_equal(transcript_place(t, 4, 5), 1010);
    assert_int_equal(transcript_place(t, 5, 7), 1012);
    assert_int_equal(transcript_forget(t, 6), 5); /* not the line at hand */
    assert_int_equal(transcript_place(t, 0, 1), 1011);
    assert_int_equal(transcript_offset(t), 1012);
    char open[] = "x\x1b[1";
    transcript_write(t, open, strlen(open));
    assert_int_equal(transcript_offset(t), 1013); /* in front of what is not there whole */
    transcript_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_lines),        cmocka_unit_test(what_is_overwritten_is_gone),
        cmocka_unit_test(wrapped_lines_are_one),  cmocka_unit_test(what_goes_is_shown_before),
        cmocka_unit_test(places_are_the_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
