/* Text with its colours: without them it is the text that the terminal gives otherwise, for any
 * stream; and which colours are where is written here by hand. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/command/paint.h"
#include "ptyd/core/text.h"
#include "tests/unit/streams.h"
#include "vterm_snapshot/left.h"
#include "vterm_snapshot/terminal.h"

static const struct terminal_events no_events;

static struct terminal *create(int cols, int rows)
{
    struct terminal_options options = {.cols = cols, .rows = rows, .events = &no_events};
    return terminal_create(&options);
}

static void add(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

/* The whole stream, as a command's output. New string. */
static char *capture(const struct bytes *stream, int cols, int rows, bool styled)
{
    struct terminal *t = create(cols, rows);
    struct bytes out = {0};
    char *copy = malloc(stream->len + 1);
    memcpy(copy, stream->data, stream->len);
    if (styled)
        terminal_capture_styled(t);
    terminal_capture_begin(t, add, &out);
    terminal_write(t, copy, stream->len);
    terminal_capture_end(t);
    terminal_destroy(t);
    free(copy);
    bytes_append_char(&out, '\0');
    return out.data;
}

static void expect_capture(const char *stream, const char *expected)
{
    struct bytes bytes = {.data = (char *)stream, .len = strlen(stream)};
    char *text = capture(&bytes, 20, 4, true);
    assert_string_equal(text, expected);
    free(text);
}

static void colours_are_where_they_were_printed(void **state)
{
    (void)state;
    expect_capture("a\x1b[31mb\x1b[mc\r\nd", "a\x1b[0;38;5;1mb\x1b[0mc\nd");
    expect_capture("\x1b[1;4mx\x1b[22my\x1b[m\r\n", "\x1b[0;1;4mx\x1b[0;4my\x1b[0m");
    expect_capture("\x1b[38;2;1;2;3mx\r\ny",
                   "\x1b[0;38;2;1;2;3mx\x1b[0m\n\x1b[0;38;2;1;2;3my\x1b[0m");
}

/* Rows that leave are skimmed, or drawn: wide characters take two columns there, marks none. */
static void rows_that_left_have_theirs(void **state)
{
    static const char line[] = "\xe6\xbc\xa2\x1b[32m\xe5\xad\x97"
                               "e\xcc\x81\x1b[mz\r\n";
    static const char painted[] = "\xe6\xbc\xa2\x1b[0;38;5;2m\xe5\xad\x97"
                                  "e\xcc\x81\x1b[0mz";
    struct bytes stream = {0};
    (void)state;
    for (int i = 0; i < 200; i++)
        bytes_append_text(&stream, line);
    char *text = capture(&stream, 20, 4, true), *at = text;
    for (int i = 0; i < 200; i++) {
        char *end = strchr(at, '\n');
        size_t len = end ? (size_t)(end - at) : strlen(at);
        assert_int_equal(len, sizeof painted - 1);
        assert_memory_equal(at, painted, len);
        at += len + 1;
    }
    free(text);
    bytes_finish(&stream);
}

static void a_background_is_seen_to_its_end(void **state)
{
    char stream[] = "\x1b[44m bar \x1b[K\x1b[m";
    struct terminal *t = create(8, 2);
    struct bytes row = {0};
    (void)state;
    terminal_write(t, stream, strlen(stream));
    terminal_row_styled(t, 0, &row);
    assert_string_equal(row.data, "\x1b[0;48;5;4m bar    \x1b[0m");
    row.len = 0;
    terminal_row_text(t, 0, &row);
    assert_string_equal(row.data, " bar");
    bytes_finish(&row);
    terminal_destroy(t);
}

/* ---- any stream ---- */

/* Blanks at the ends of lines, and line ends at the end of all, may be there or not. */
static char *without_colours(const char *text)
{
    struct bytes plain = {0}, out = {0};
    paint_strip(text, strlen(text), &plain);
    for (size_t i = 0; i < plain.len; i++) {
        while (plain.data[i] == '\n' && out.len && out.data[out.len - 1] == ' ')
            out.len--;
        bytes_append_char(&out, plain.data[i]);
    }
    while (out.len && strchr(" \n", out.data[out.len - 1]))
        out.len--;
    bytes_append_char(&out, '\0');
    bytes_finish(&plain);
    return out.data;
}

static void expect_same(const char *styled, const char *plain, unsigned number)
{
    char *one = without_colours(styled), *other = without_colours(plain);
    if (strcmp(one, other))
        print_message("stream %u\n", number);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

static void compare_screens(const struct bytes *stream, int cols, int rows, unsigned number)
{
    struct terminal *t = create(cols, rows);
    struct bytes styled = {0}, plain = {0};
    terminal_write(t, stream->data, stream->len);
    struct left *left = terminal_copy_scrollback(t, 0, terminal_scrollback_count(t));
    for (size_t i = 0; i < terminal_scrollback_count(t); i++) {
        assert_true(left_styled(left, &styled));
        terminal_scrollback_text(t, i, &plain);
        bytes_append_char(&styled, '\n');
        bytes_append_char(&plain, '\n');
    }
    assert_false(left_styled(left, &styled));
    left_destroy(left);
    for (int i = 0; i < terminal_rows(t); i++) {
        terminal_row_styled(t, i, &styled);
        terminal_row_text(t, i, &plain);
        bytes_append_char(&styled, '\n');
        bytes_append_char(&plain, '\n');
    }
    expect_same(styled.data, plain.data, number);
    bytes_finish(&styled);
    bytes_finish(&plain);
    terminal_destroy(t);
}

static void without_colours_it_is_the_text(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 1000; number++) {
        struct bytes stream = {0};
        seed = number * 7919 + 3;
        if (number % 4)
            make_stream(&stream);
        else
            make_drawing(&stream);
        int cols = 5 + (int)pick(90), rows = 2 + (int)pick(30);
        char *styled = capture(&stream, cols, rows, true);
        char *plain = capture(&stream, cols, rows, false);
        expect_same(styled, plain, number);
        compare_screens(&stream, cols, rows, number);
        free(styled);
        free(plain);
        bytes_finish(&stream);
    }
}

/* Lines 10 to 19 of 1 to 100, each in a colour of its own, as they were before all went on. */
static void a_copy_stays_as_it_was(void **state)
{
    struct terminal *t = create(80, 2);
    struct bytes text = {0};
    (void)state;
    for (int i = 1; i <= 100; i++) {
        char *line = text_format("\x1b[38;5;%dmline %d\x1b[m\r\n", i, i);
        terminal_write(t, line, strlen(line));
        free(line);
    }
    struct left *styled = terminal_copy_scrollback(t, 9, 19);
    struct left *plain = terminal_copy_scrollback(t, 9, 19);
    for (int i = 0; i < 3000; i++) { /* other pens than are held, and no line of those is there */
        char *line = text_format("\x1b[38;2;1;%d;%dmothers\x1b[m\r\n", i / 256, i % 256);
        for (int k = 0; k < 10; k++)
            terminal_write(t, line, strlen(line));
        free(line);
    }
    terminal_destroy(t);
    for (int i = 10; i < 20; i++) {
        char *expected = text_format("\x1b[0;38;5;%dmline %d\x1b[0m", i, i);
        text.len = 0;
        assert_true(left_styled(styled, &text));
        assert_string_equal(text.data, expected);
        text.len = 0;
        assert_true(left_text(plain, &text));
        assert_int_equal(strncmp(strstr(expected, "line"), text.data, text.len), 0);
        free(expected);
    }
    assert_false(left_styled(styled, &text));
    assert_false(left_text(plain, &text));
    left_destroy(styled);
    left_destroy(plain);
    bytes_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_stays_as_it_was),
        cmocka_unit_test(colours_are_where_they_were_printed),
        cmocka_unit_test(rows_that_left_have_theirs),
        cmocka_unit_test(a_background_is_seen_to_its_end),
        cmocka_unit_test(without_colours_it_is_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
