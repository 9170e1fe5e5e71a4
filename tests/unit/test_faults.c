/* The faults of the distribution's libvterm that hostile output reaches, by their numbers: with the
 * parser, and what stands behind it, none of them happens. `make check-faults` runs the same tests
 * on libvterm alone (bare_terminal.c), where they hang, crash or show something else. */
#include "test.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/screen.h"
#include "vterm_snapshot/terminal.h"

static const struct terminal_events events;
static int setup(void **state)
{
    (void)state;
    terminal = terminal_create(
        &(struct terminal_options){.cols = 80, .rows = 24, .scrollback = 100, .events = &events});
    return terminal ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    terminal_destroy(terminal);
    return 0;
}

static void v1_repeat_of_nothing(void **state)
{
    (void)state;
    write_text("\x1b[3bok");
    assert_row(0, "ok");
}

static void v2_repeat_of_a_wide_character_at_the_margin(void **state)
{
    (void)state;
    write_text("\x1b[1;70H\xe6\x97\xa5\x1b[9b\r\nok");
    struct bytes text = {0};
    terminal_row_text(terminal, 0, &text);
    assert_non_null(strstr(text.data, "\xe6\x97\xa5\xe6\x97\xa5"));
    bytes_finish(&text);
}

static void v3_wide_character_on_the_narrowest_screen(void **state)
{
    (void)state;
    terminal_resize(terminal, 1, 1);
    assert_int_equal(terminal_cols(terminal), 2);
    assert_int_equal(terminal_rows(terminal), 2);
    write_text("\xe6\x97\xa5\xe6\x97\xa5");
    assert_row(1, "\xe6\x97\xa5");
}

static void v4_escape_inside_a_string(void **state)
{
    (void)state;
    write_text("\x1b]133;D\x1b\x01");
    write_text("\x1b]8;;\x1b\r\nook"); /* the first o ends the escape sequence */
    struct terminal_cursor cursor = terminal_cursor(terminal);
    assert_int_equal(cursor.col, 2);
}

/* libvterm's reflow is never switched on; what it would be asked to reflow is there. */
static void v5_wrapped_rows_shrink_and_grow(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++)
        write_text(
            "a line that goes on over many and many a narrow row and has \xe6\x97\xa5 in it ");
    for (int cols = 80; cols > 2; cols -= 7)
        terminal_resize(terminal, cols, cols / 4);
    terminal_resize(terminal, 200, 60);
    write_text("\r\n\x1b[HZ");
    assert_int_equal(terminal_cols(terminal), 200);
    assert_int_equal(terminal_cursor(terminal).col, 1);
}

/* A selection's base64 never reaches libvterm, and nothing of it the screen. */
static void v6_a_selection_is_no_text(void **state)
{
    (void)state;
    write_text("a\x1b]52;c;\xff\xfe////====\ab\x1b]52;c;Zm9v\x1b\\c");
    assert_row(0, "abc");
}

static void v7_region_beyond_a_smaller_screen(void **state)
{
    (void)state;
    write_text("\x1b[20;24r\x1b[22;5H");
    terminal_resize(terminal, 80, 6);
    write_text("\n\n\n\n\n\n\n\nx");
    assert_row(5, "    x");
}

static void v8_more_than_sixteen_parameters(void **state)
{
    struct bytes redraw = {0};
    (void)state;
    write_text("\x1b[38;2;1;2;3;48;2;4;5;6;38;2;7;8;9;1;3;4;9;48;2;10;11;12mX");
    terminal_redraw(terminal, &redraw);
    assert_non_null(strstr(redraw.data, "38;2;7;8;9"));
    assert_non_null(strstr(redraw.data, "48;2;10;11;12"));
    assert_non_null(strstr(redraw.data, "\x1b[0;1;3;9;4;"));
    bytes_finish(&redraw);
}

static void v9_saved_cursor_beyond_a_smaller_screen(void **state)
{
    (void)state;
    write_text("\x1b[24;80H\x1b"
               "7\x1b[H");
    terminal_resize(terminal, 10, 5);
    write_text("\x1b"
               "8Z");
    assert_row(4, "         Z");
}

static void v10_string_over_two_writes(void **state)
{
    (void)state;
    write_text("\x1b]2;tit");
    write_text("le\x1b");
    write_text("\\x");
    assert_string_equal(terminal_title(terminal), "title");
    assert_row(0, "x");
}

/* It takes no memory; and one that ends is there whole (0.1.4 alone cuts it at 64 bytes). */
static void v11_string_without_end(void **state)
{
    char title[200] = "";
    char chunk[4096];
    (void)state;
    memset(chunk, 'A', sizeof chunk);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    write_text("\x1b]52;c;");
    for (int i = 0; i < 1000; i++)
        give(chunk, sizeof chunk, sizeof chunk);
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + sizeof chunk * 100);
    write_text("\aok");
    assert_row(0, "ok");
    memset(title, 't', sizeof title - 1);
    write_text("\x1b]2;");
    write_text(title);
    write_text("\a");
    assert_string_equal(terminal_title(terminal), title);
}

static void v12_very_long_text(void **state)
{
    size_t len = 2 << 20;
    char *text = malloc(len);
    (void)state;
    memset(text, 'a', len);
    give(text, len, len);
    free(text);
    assert_int_equal(terminal_scrollback_count(terminal), 100);
}

static void v13_characters_cut_in_two(void **state)
{
    (void)state;
    for (size_t chunk = 1; chunk < 10; chunk++) {
        write_text("\x1b[H\x1b[2J");
        give("ab\xe6\x97\xa5\xf0\x9f\x98\x80z", 10, chunk);
        assert_row(0, "ab\xe6\x97\xa5\xf0\x9f\x98\x80z");
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* FAULT=pattern: those alone. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(v1_repeat_of_nothing),
        TEST(v2_repeat_of_a_wide_character_at_the_margin),
        TEST(v3_wide_character_on_the_narrowest_screen),
        TEST(v4_escape_inside_a_string),
        TEST(v5_wrapped_rows_shrink_and_grow),
        TEST(v6_a_selection_is_no_text),
        TEST(v7_region_beyond_a_smaller_screen),
        TEST(v8_more_than_sixteen_parameters),
        TEST(v9_saved_cursor_beyond_a_smaller_screen),
        TEST(v10_string_over_two_writes),
        TEST(v11_string_without_end),
        TEST(v12_very_long_text),
        TEST(v13_characters_cut_in_two),
    };
    cmocka_set_test_filter(getenv("FAULT"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
