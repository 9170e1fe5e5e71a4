/* Logical lines and places in them. Expected texts are written down by hand from what xterm shows:
 * a row that was wrapped goes on from the one above, until either is erased across the edge. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/screen.h"
#include "vterm_snapshot/scrollback.h"

static const struct terminal_events events;

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
    return 0;
}

/* ---- lines ---- */

static void push(struct scrollback *s, const char *text, bool continuation)
{
    scrollback_push(s, &(struct scrollback_row){.text = text,
                                                .len = (uint16_t)strlen(text),
                                                .continuation = continuation ? 10 : 0});
}

static void assert_held(const struct scrollback *s, size_t i, const char *text, uint64_t line,
                        uint64_t offset)
{
    struct scrollback_row row = scrollback_get(s, i);
    assert_int_equal(row.len, strlen(text));
    assert_memory_equal(row.text, text, row.len);
    struct scrollback_place place = scrollback_place(s, i);
    assert_int_equal(place.line, line);
    assert_int_equal(place.offset, offset);
    assert_int_equal(row.continuation, offset > 0 ? 10 : 0);
}

static void push_three_lines(struct scrollback *s)
{
    push(s, "one", false);
    push(s, "two       ", false);
    push(s, "goes on   ", true);
    push(s, "to here", true);
    push(s, "three", false);
}

static void assert_three_lines(const struct scrollback *s)
{
    assert_held(s, 0, "one", 0, 0);
    assert_held(s, 1, "two       ", 1, 0);
    assert_held(s, 2, "goes on   ", 1, 10);
    assert_held(s, 3, "to here", 1, 20);
    assert_held(s, 4, "three", 4, 0);
}

static void rows_know_their_line(void **state)
{
    struct scrollback *s = scrollback_create(100);
    (void)state;
    push_three_lines(s);
    assert_three_lines(s);
    scrollback_destroy(s);
}

static void what_is_loaded_is_what_was_saved(void **state)
{
    struct scrollback *s = scrollback_create(100), *loaded;
    struct bytes saved = {0}, again = {0};
    (void)state;
    push_three_lines(s);
    scrollback_save(s, &saved);
    loaded =
        scrollback_load(100, &(struct unpack){.at = saved.data, .end = saved.data + saved.len});
    assert_non_null(loaded);
    assert_three_lines(loaded);
    scrollback_save(loaded, &again);
    assert_int_equal(again.len, saved.len);
    assert_memory_equal(again.data, saved.data, saved.len);
    push(loaded, "and on", true);
    assert_held(loaded, 5, "and on", 4, 10);
    scrollback_destroy(s);
    scrollback_destroy(loaded);
    bytes_finish(&saved);
    bytes_finish(&again);
}

static void a_line_without_end_loses_its_front(void **state)
{
    struct scrollback *s = scrollback_create(100);
    (void)state;
    push(s, "start     ", false);
    for (int i = 0; i < 1000000; i++)
        push(s, "and on on ", true);
    assert_int_equal(scrollback_count(s), 100);
    assert_int_equal(scrollback_total(s), 1000001);
    assert_held(s, 0, "and on on ", 0, 9999010);
    assert_held(s, 99, "and on on ", 0, 10000000);
    scrollback_destroy(s);
}

static void numbers_go_on_when_all_is_forgotten(void **state)
{
    struct scrollback *s = scrollback_create(100);
    (void)state;
    push_three_lines(s);
    scrollback_clear(s);
    assert_int_equal(scrollback_count(s), 0);
    push(s, "and on", true);
    push(s, "four", false);
    assert_held(s, 0, "and on", 4, 10);
    assert_held(s, 1, "four", 6, 0);
    scrollback_destroy(s);
}

/* ---- lines at another width ---- */

static void assert_rows(struct scrollback *s, size_t count, const char *const *expected)
{
    struct scrollback_hold *hold = scrollback_hold(s, 0, scrollback_count(s));
    struct scrollback_row row;
    assert_int_equal(scrollback_count(s), count);
    for (size_t i = 0; i < count; i++) {
        row = scrollback_get(s, i);
        assert_int_equal(row.len, strlen(expected[i]));
        assert_memory_equal(row.text, expected[i], row.len);
        assert_true(scrollback_hold_next(hold, &row));
        assert_int_equal(row.len, strlen(expected[i]));
        assert_memory_equal(row.text, expected[i], row.len);
    }
    assert_false(scrollback_hold_next(hold, &row));
    scrollback_release(hold);
}

static void lines_are_read_at_the_width_of_the_screen(void **state)
{
    static const char *const wide[] = {"one", "two       goes on   to here", "three"};
    static const char *const narrow[] = {"one",    "two   ", "    go", "es on ",
                                         "  to h", "ere",    "three"};
    struct scrollback *s = scrollback_create(100);
    (void)state;
    scrollback_set_cols(s, 10);
    push_three_lines(s);
    assert_three_lines(s);
    scrollback_set_cols(s, 30);
    assert_rows(s, 3, wide);
    assert_int_equal(scrollback_get(s, 1).first, 1);
    assert_int_equal(scrollback_get(s, 1).last, 3);
    assert_int_equal(scrollback_since(s, 2), 1);
    assert_int_equal(scrollback_since(s, 4), 1);
    scrollback_set_cols(s, 6);
    assert_rows(s, 7, narrow);
    assert_int_equal(scrollback_get(s, 2).last, 2);
    assert_int_equal(scrollback_place(s, 2).offset, 6);
    assert_int_equal(scrollback_get(s, 2).continuation, 6);
    assert_int_equal(scrollback_since(s, 2), 4); /* not what begins in the row before */
    scrollback_set_cols(s, 10);
    assert_three_lines(s);
    scrollback_destroy(s);
}

/* Of a wide character without room the row is a column shorter; a mark joins at the edge, too. */
static void wide_characters_and_marks_stay_whole(void **state)
{
    static const char *const rows[] = {"a\xe6\x97\xa5",
                                       "\xe6\x9c\xac\xcc\x81"
                                       "b",
                                       "xye\xcc\x81",
                                       "\xe6\x97\xa5",
                                       "\xe6\x97\xa5\xc3\xa9",
                                       "\xff"
                                       "z"};
    struct scrollback *s = scrollback_create(100);
    (void)state;
    scrollback_set_cols(s, 10);
    push(s,
         "a\xe6\x97\xa5\xe6\x9c\xac\xcc\x81"
         "bxye\xcc\x81\xe6\x97\xa5\xe6\x97\xa5\xc3\xa9\xff"
         "z",
         false);
    scrollback_set_cols(s, 3);
    assert_rows(s, 6, rows);
    scrollback_destroy(s);
}

static void of_a_line_of_more_rows_than_are_read_the_newest_are(void **state)
{
    static const char *const rows[] = {"dd", "44", "44", "44"};
    struct scrollback *s = scrollback_create(4);
    (void)state;
    scrollback_set_cols(s, 10);
    push(s, "aaaaaaaaaa", false);
    push(s, "bbbbbbbbbb", true);
    push(s, "cccccccccc", true);
    push(s, "dddd444444", true);
    scrollback_set_cols(s, 2);
    assert_rows(s, 4, rows);
    scrollback_destroy(s);
}

static void what_comes_at_the_new_width_is_read_as_it_is(void **state)
{
    static const char *const rows[] = {"one",    "two   ", "    go", "es on ",
                                       "  to h", "ere",    "three",  "sixsix"};
    struct scrollback *s = scrollback_create(100);
    (void)state;
    scrollback_set_cols(s, 10);
    push_three_lines(s);
    scrollback_set_cols(s, 6);
    assert_int_equal(scrollback_count(s), 7);
    push(s, "sixsix", false);
    assert_rows(s, 8, rows);
    for (int i = 0; i < 97; i++)
        push(s, "x", false);
    assert_int_equal(scrollback_pieces(s), 100);
    assert_int_equal(scrollback_count(s), 100); /* the line that lost its front has one row yet */
    scrollback_destroy(s);
}

static void no_more_rows_are_read_than_are_kept(void **state)
{
    struct scrollback *s = scrollback_create(100);
    (void)state;
    scrollback_set_cols(s, 10);
    for (int i = 0; i < 1000; i++)
        push(s, "0123456789", false);
    scrollback_set_cols(s, 2);
    assert_int_equal(scrollback_count(s), 100);
    assert_int_equal(scrollback_get(s, 0).first, 980);
    scrollback_set_cols(s, 10);
    assert_int_equal(scrollback_count(s), 100);
    assert_int_equal(scrollback_get(s, 0).first, 900);
    scrollback_destroy(s);
}

static void colours_go_with_their_characters(void **state)
{
    struct row_run runs[] = {{2, 7}, {5, 0}, {8, 9}};
    struct scrollback *s = scrollback_create(100);
    (void)state;
    scrollback_set_cols(s, 10);
    scrollback_push(s, &(struct scrollback_row){.text = "01\xe6\x97\xa5"
                                                        "4"
                                                        "567ab",
                                                .len = 11,
                                                .run = runs,
                                                .runs = 3});
    scrollback_set_cols(s, 3); /* 01, 日4, 567, ab */
    struct scrollback_row row = scrollback_get(s, 1);
    assert_int_equal(scrollback_count(s), 4);
    assert_int_equal(row.runs, 1);
    assert_int_equal(row.run[0].column, 0);
    assert_int_equal(row.run[0].pen, 7);
    assert_int_equal(scrollback_get(s, 2).runs, 0);
    row = scrollback_get(s, 3);
    assert_int_equal(row.runs, 1);
    assert_int_equal(row.run[0].column, 0);
    assert_int_equal(row.run[0].pen, 9);
    scrollback_destroy(s);
}

static void what_is_held_stays_when_rows_are_taken_back(void **state)
{
    static const char *const rows[] = {"one", "two       ", "goes on   ", "new"};
    struct scrollback *s = scrollback_create(100);
    struct scrollback_row row;
    (void)state;
    scrollback_set_cols(s, 10);
    push_three_lines(s);
    struct scrollback_hold *hold = scrollback_hold(s, 0, 5);
    scrollback_pop(s);
    assert_int_equal(scrollback_total(s), 4);
    assert_int_equal(scrollback_next(s, 10).offset, 30);
    scrollback_pop(s);
    assert_int_equal(scrollback_next(s, 10).offset, 20);
    push(s, "new", false);
    assert_rows(s, 4, rows);
    for (int i = 0; i < 5; i++)
        assert_true(scrollback_hold_next(hold, &row));
    assert_memory_equal(row.text, "three", 5);
    scrollback_release(hold);
    while (scrollback_pieces(s))
        scrollback_pop(s);
    push(s, "one", false);
    assert_held(s, 0, "one", 0, 0);
    scrollback_destroy(s);
}

/* A wide character that found no room leaves a blank that is no cell; one that was printed is. */
static void a_blank_at_the_edge_is_a_cell_when_it_was_printed(void **state)
{
    (void)state;
    write_text("123456789\xe6\x97\xa5\r\n123456789 \xe6\x97\xa5\r\n\r\n\r\n\r\n\r\n");
    for (size_t i = 0; i < 4; i++) {
        struct terminal_anchor at = terminal_scrollback_anchor(terminal, i);
        assert_int_equal(at.line, i / 2 * 2);
        assert_int_equal(at.offset, i % 2 * 10);
    }
    struct bytes text = {0};
    terminal_scrollback_text(terminal, 1, &text);
    assert_int_equal(text.len, 3);
    bytes_finish(&text);
}

/* ---- rows as they were ---- */

static void push_number(struct scrollback *s, unsigned number)
{
    char text[400];
    snprintf(text, sizeof text, "%-300u", number); /* some 25 to a block */
    scrollback_push(s,
                    &(struct scrollback_row){
                        .text = text, .len = 300, .runs = 1, .run = &(struct row_run){.pen = 7}});
}

static void assert_next(struct scrollback_hold *hold, unsigned number)
{
    struct scrollback_row row;
    assert_true(scrollback_hold_next(hold, &row));
    assert_int_equal(row.len, 300);
    assert_int_equal(strtoul(row.text, NULL, 10), number);
    assert_int_equal(row.run[0].pen, 7);
}

static void assert_rest(struct scrollback_hold *hold, unsigned from, unsigned to)
{
    struct scrollback_row row;
    for (unsigned number = from; number < to; number++)
        assert_next(hold, number);
    assert_false(scrollback_hold_next(hold, &row));
    assert_false(scrollback_hold_next(hold, &row));
}

static void held_rows_stay_as_they_were(void **state)
{
    struct scrollback *s = scrollback_create(1000);
    (void)state;
    for (unsigned number = 0; number < 1500; number++)
        push_number(s, number); /* 500 to 1499 are there */
    struct scrollback_hold *all = scrollback_hold(s, 0, 1000), *some = scrollback_hold(s, 13, 977),
                           *none = scrollback_hold(s, 1000, 1000),
                           *one = scrollback_hold(s, 999, 1000),
                           *left = scrollback_hold(s, 300, 600);
    size_t few = scrollback_hold_bytes(all);
    assert_true(few < 10000); /* 300 KB are the scrollback's */
    assert_next(all, 500);
    for (unsigned number = 1500; number < 2000; number++)
        push_number(s, number); /* half of them are gone */
    assert_true(scrollback_hold_bytes(all) > few + 20000);
    assert_rest(some, 513, 1477);
    scrollback_clear(s);
    for (unsigned number = 3000; number < 3100; number++)
        push_number(s, number);
    assert_next(left, 800);
    scrollback_destroy(s);
    assert_rest(all, 501, 1500);
    assert_rest(one, 1499, 1500);
    assert_rest(none, 0, 0);
    struct scrollback_hold *holds[] = {all, some, none, one, left};
    for (size_t i = 0; i < 5; i++)
        scrollback_release(holds[i]);
    scrollback_release(NULL);
}

static void held_rows_keep_their_pens(void **state)
{
    struct scrollback *s = scrollback_create(1000);
    size_t runs;
    (void)state;
    for (unsigned number = 0; number < 1200; number++)
        push_number(s, number);
    struct scrollback_hold *hold = scrollback_hold(s, 100, 900);
    assert_next(hold, 300);
    assert_true(scrollback_own(s));
    for (size_t i = 0; i < 1000; i++)
        scrollback_runs(s, i, &runs)->pen = 9;
    assert_rest(hold, 301, 1100);
    for (unsigned number = 1200; number < 1300; number++)
        push_number(s, number); /* the newest block is its own, too */
    for (size_t i = 0; i < 1000; i++) {
        struct scrollback_row row = scrollback_get(s, i);
        assert_int_equal(strtoul(row.text, NULL, 10), 300 + i);
        assert_int_equal(row.run[0].pen, i < 900 ? 9 : 7);
    }
    scrollback_release(hold);
    scrollback_destroy(s);
}

/* In any order with what else moves blocks: rows that come, holds, copies for these, and the oldest
 * that go. */
static void rows_are_taken_back_over_many_blocks(void **state)
{
    struct scrollback *s = scrollback_create(300);
    unsigned next = 0;
    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 150; i++)
            push_number(s, next++);
        unsigned held = (unsigned)scrollback_pieces(s);
        struct scrollback_hold *hold = scrollback_hold(s, 0, held);
        if (round % 3 == 1)
            assert_true(scrollback_own(s));
        for (unsigned i = 0; i < 40 + round * 3 && scrollback_pieces(s); i++, next--)
            scrollback_pop(s);
        for (size_t i = 0, count = scrollback_pieces(s); i < count; i++)
            assert_int_equal(strtoul(scrollback_piece(s, i).text, NULL, 10), next - count + i);
        assert_rest(hold, next + 40 + round * 3 - held, next + 40 + round * 3);
        scrollback_release(hold);
    }
    while (scrollback_pieces(s))
        scrollback_pop(s);
    push_number(s, 7);
    assert_int_equal(strtoul(scrollback_piece(s, 0).text, NULL, 10), 7);
    scrollback_destroy(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_know_their_line),
        TEST(what_is_loaded_is_what_was_saved),
        TEST(a_line_without_end_loses_its_front),
        TEST(numbers_go_on_when_all_is_forgotten),
        TEST(lines_are_read_at_the_width_of_the_screen),
        TEST(wide_characters_and_marks_stay_whole),
        TEST(of_a_line_of_more_rows_than_are_read_the_newest_are),
        TEST(what_comes_at_the_new_width_is_read_as_it_is),
        TEST(no_more_rows_are_read_than_are_kept),
        TEST(colours_go_with_their_characters),
        TEST(what_is_held_stays_when_rows_are_taken_back),
        TEST(a_blank_at_the_edge_is_a_cell_when_it_was_printed),
        TEST(held_rows_stay_as_they_were),
        TEST(held_rows_keep_their_pens),
        TEST(rows_are_taken_back_over_many_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
