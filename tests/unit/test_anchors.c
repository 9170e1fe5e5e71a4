/* Text since a place, and what a command printed, whatever becomes of the rows meanwhile. Expected
 * texts are written down by hand from what xterm shows. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/screen.h"

static const struct terminal_events events;
static struct bytes output;

static int setup(void **state)
{
    (void)state;
    terminal = terminal_create(
        &(struct terminal_options){.cols = 10, .rows = 4, .scrollback = 50, .events = &events});
    return terminal ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    terminal_destroy(terminal);
    bytes_finish(&output);
    return 0;
}

/* ---- anchors ---- */

static void assert_since(struct terminal_anchor from, const char *expected)
{
    struct bytes text = {0};
    bytes_append_text(&text, "");
    terminal_text_since(terminal, from, &text);
    assert_string_equal(text.data, expected);
    bytes_finish(&text);
}

static void an_anchor_counts_the_cells_of_its_line(void **state)
{
    (void)state;
    write_text("one\r\n0123456789abcd");
    struct terminal_anchor at = terminal_anchor(terminal);
    assert_int_equal(at.line, 1);
    assert_int_equal(at.offset, 14);
    write_text("ef");
    assert_since(at, "ef");
    write_text("\r\n\n\n\nxx\x1b[2;1H");
    assert_int_equal(terminal_scrollback_total(terminal), 3);
    assert_since(at, "\n"); /* it left: all that is on the screen is behind it */
}

static void an_anchor_outlives_the_front_of_its_line(void **state)
{
    (void)state;
    write_text("0123456789abcdefghijklmnopqrstuvwxyzABC");
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("DEFGHIJ");
    assert_int_equal(terminal_scrollback_total(terminal), 1);
    assert_since(at, "DEFGHIJ");
    write_text("KLMNOPQRSTUVWXYZ....");
    assert_int_equal(terminal_scrollback_total(terminal), 3);
    assert_since(at, "DEFGHIJKLMNOPQRSTUVWXYZ....");
}

/* The row above is filled and wraps onto the one where the anchor is. */
static void an_anchor_stays_where_a_row_becomes_a_continuation(void **state)
{
    (void)state;
    write_text("\r\n\r\nabc");
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("def\x1b[2;8H123ABC\x1b[3;7H");
    assert_since(at, "def");
    assert_row(1, "       123");
    assert_row(2, "ABCdef");
    write_text("\r\n\r\n\r\n");
    assert_since(at, "def\n\n\n");
}

static void an_anchor_stays_where_a_row_is_no_continuation_any_more(void **state)
{
    (void)state;
    write_text("0123456789abc");
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("def\x1b[1;5H\x1b[K\x1b[2;7H");
    assert_row(0, "0123");
    assert_since(at, "def");
}

static void an_anchor_is_passed_by_what_a_region_scrolls(void **state)
{
    (void)state;
    write_text("0123456789abc");
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("def\x1b[1;1H\x1b[L\x1b[2;1H");
    assert_row(1, "0123456789");
    assert_since(at, "3456789"); /* its place has what the inserted line moved there */
}

static void an_anchor_waits_behind_the_alternate_screen(void **state)
{
    (void)state;
    write_text("0123456789abc");
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("\x1b[?1049h\x1b[Hfull screen, wrapped\x1b[?1049ldef");
    assert_since(at, "def");
}

static void old_wraps_do_not_bind_a_wider_screen(void **state)
{
    (void)state;
    write_text("0123456789abcdefghij");
    terminal_resize(terminal, 40, 4);
    write_text("\x1b[2J\x1b[Ha prompt of many columns $ ");
    struct terminal_anchor at = terminal_anchor(terminal);
    assert_int_equal(at.offset, 27);
    write_text("ls");
    assert_since(at, "ls");
}

/* ---- captured output ---- */

static void collect(void *user, const char *text, size_t len)
{
    (void)user;
    bytes_append(&output, text, len);
}

static void begin(void)
{
    terminal_capture_begin(terminal, collect, NULL);
}

static void assert_captured(const char *expected)
{
    terminal_capture_end(terminal);
    bytes_append_text(&output, "");
    assert_string_equal(output.data, expected);
}

static void output_begins_within_a_wrapped_line(void **state)
{
    (void)state;
    write_text("0123456789abc");
    begin();
    write_text("def\r\none\r\ntwo\r\nthree\r\nfour\r\n");
    assert_captured("def\none\ntwo\nthree\nfour");
}

static void output_stays_whole_when_its_row_becomes_a_continuation(void **state)
{
    (void)state;
    write_text("\r\n\r\n");
    begin();
    write_text("abcdef\x1b[2;8H123ABC\r\n4\r\n5\r\n6\r\n7\r\n");
    /* what it wrote in the row above is its output, too */
    assert_captured("       123ABCdef\n4\n5\n6\n7");
}

static void output_stays_whole_when_the_row_above_is_erased(void **state)
{
    (void)state;
    write_text("0123456789abc");
    begin();
    write_text("def\x1b[1;1H\x1b[K\x1b[2;7H\r\n1\r\n2\r\n3\r\n");
    assert_captured("def\n1\n2\n3");
}

static void output_stays_whole_on_a_narrower_screen(void **state)
{
    (void)state;
    write_text("$ command");
    begin();
    terminal_resize(terminal, 5, 4);
    write_text("\r\n0123456789\r\n1\r\n2\r\n3\r\n");
    assert_captured("0123456789\n1\n2\n3");
}

/* The cursor came to the last column that is left. */
static void output_in_a_column_that_a_resize_took_is_there(void **state)
{
    (void)state;
    write_text("$ command");
    begin();
    terminal_resize(terminal, 5, 4);
    write_text("X0123456789\r\n");
    assert_captured("$ coX0123456789");
}

/* What was cut off stays there until the row is touched. */
static void output_beyond_a_narrower_screen_is_there_without_its_prompt(void **state)
{
    (void)state;
    write_text("$ com");
    begin();
    write_text("abc");
    terminal_resize(terminal, 5, 4);
    write_text("\r\n1\r\n");
    assert_captured("abc\n1");
}

static void output_in_a_row_that_was_narrower_is_there(void **state)
{
    (void)state;
    write_text("$ com");
    begin();
    write_text("abc");
    terminal_resize(terminal, 5, 4);
    write_text("X");
    terminal_resize(terminal, 10, 4);
    write_text("\r\n1\r\n");
    assert_captured("$ coX\n1");
}

/* They were filled at another width when it began. */
static void output_stays_whole_when_the_rows_above_are_wrapped_anew(void **state)
{
    (void)state;
    write_text("0123456789ABCDEFGHIJabc");
    terminal_resize(terminal, 6, 4);
    begin();
    write_text("def\x1b[1;1Huvwxyz12\x1b[4;1H");
    assert_captured("uvwxyz12CDEF\ndef");
}

static void an_anchor_stays_where_the_rows_above_are_wrapped_anew(void **state)
{
    (void)state;
    write_text("0123456789ABCDEFGHIJabc");
    terminal_resize(terminal, 6, 4);
    struct terminal_anchor at = terminal_anchor(terminal);
    write_text("\x1b[1;1Huvwxyz12\x1b[3;4Hdef");
    assert_since(at, "def");
}

/* The rows in front of it are wrapped anew, at the new width. */
static void output_stays_whole_when_a_prompt_is_drawn_narrower(void **state)
{
    (void)state;
    write_text("0123456789ab");
    begin();
    terminal_resize(terminal, 5, 4);
    write_text("\x1b[2;3Hcde\r\nXYZ\r\n");
    assert_captured("cde\nXYZ");
}

static void output_of_one_line_without_end_is_whole(void **state)
{
    struct bytes expected = {0};
    (void)state;
    write_text("0123456789abc");
    begin();
    for (int i = 0; i < 5000; i++) {
        write_text("0123456");
        bytes_append_text(&expected, "0123456");
    }
    assert_captured(expected.data);
    bytes_finish(&expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_anchor_counts_the_cells_of_its_line),
        TEST(an_anchor_outlives_the_front_of_its_line),
        TEST(an_anchor_stays_where_a_row_becomes_a_continuation),
        TEST(an_anchor_stays_where_a_row_is_no_continuation_any_more),
        TEST(an_anchor_is_passed_by_what_a_region_scrolls),
        TEST(an_anchor_waits_behind_the_alternate_screen),
        TEST(old_wraps_do_not_bind_a_wider_screen),
        TEST(output_begins_within_a_wrapped_line),
        TEST(output_stays_whole_when_its_row_becomes_a_continuation),
        TEST(output_stays_whole_when_the_row_above_is_erased),
        TEST(output_stays_whole_on_a_narrower_screen),
        TEST(output_in_a_column_that_a_resize_took_is_there),
        TEST(output_beyond_a_narrower_screen_is_there_without_its_prompt),
        TEST(output_in_a_row_that_was_narrower_is_there),
        TEST(output_stays_whole_when_the_rows_above_are_wrapped_anew),
        TEST(an_anchor_stays_where_the_rows_above_are_wrapped_anew),
        TEST(output_stays_whole_when_a_prompt_is_drawn_narrower),
        TEST(output_of_one_line_without_end_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
