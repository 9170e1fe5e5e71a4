/* Widths against wcwidth(3) of the C library, borders of clusters against Unicode's own test, and
 * what both come to on a screen. */
#define _GNU_SOURCE
#include "tests/unit/screen.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "tests/unit/grapheme_breaks.h"
#include "vterm_snapshot/grapheme.h"
#include "vterm_snapshot/left.h"
#include "vterm_snapshot/width.h"

/* ---- the tables ---- */

/* Where we part from the C library of Debian 12, which has Unicode 15: later versions made these
 * wide, and a vowel sign that takes its room (11.0's Mn, today's Mc). */
static bool is_declared(uint32_t code)
{
    static const struct {
        uint32_t from, to;
        enum width ours;
    } differences[] = {
        {0x2630, 0x2637, WIDTH_TWO},   {0x268a, 0x268f, WIDTH_TWO},   {0x4dc0, 0x4dff, WIDTH_TWO},
        {0x1d300, 0x1d356, WIDTH_TWO}, {0x1d360, 0x1d376, WIDTH_TWO}, {0x1171e, 0x1171e, WIDTH_ONE},
    };
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (code >= differences[i].from && code <= differences[i].to)
            return width_of(code) == differences[i].ours;
    return false;
}

static void widths_are_those_of_wcwidth(void **state)
{
    unsigned known = 0, declared = 0, parted = 0;
    (void)state;
    assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (uint32_t code = 0xa0; code < 0x110000; code++) {
        int width = wcwidth((wchar_t)code);
        if (width < 0)
            continue; /* not in its Unicode, or no character */
        known++;
        if (width == (int)width_of(code))
            continue;
        declared += is_declared(code);
        if (!is_declared(code) && ++parted <= 40)
            print_message("U+%04X: %d here, wcwidth says %d\n", code, (int)width_of(code), width);
    }
    print_message("%u characters, %u declared differences\n", known, declared);
    assert_int_equal(parted, 0);
    assert_true(known > 280000);
}

/* Of Unicode 16 and 17, which no C library of today's Debian knows. */
static void widths_are_of_todays_unicode(void **state)
{
    (void)state;
    assert_int_equal(width_of(0x1fae9), WIDTH_TWO);  /* face with bags under eyes */
    assert_int_equal(width_of(0x1fac8), WIDTH_TWO);  /* hairy creature */
    assert_int_equal(width_of(0x1f6d8), WIDTH_TWO);  /* landslide */
    assert_int_equal(width_of(0x10efa), WIDTH_MARK); /* Arabic double vertical bar below */
    assert_int_equal(width_of(0x113ce), WIDTH_MARK); /* Tulu-Tigalari virama */
    assert_int_equal(width_of(0x11b60), WIDTH_MARK); /* Sharada vowel sign oe */
    assert_int_equal(width_of(0x33479), WIDTH_TWO);  /* ideographs, extension J */
    assert_int_equal(width_of(0x10ffff), WIDTH_ONE);
    assert_int_equal(width_of(0x7fffffff), WIDTH_ONE);
}

static void clusters_end_where_unicode_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grapheme_breaks / sizeof *grapheme_breaks; i++) {
        struct grapheme text = {0};
        bool ends = true;
        for (const char *at = grapheme_breaks[i]; *at; at += strspn(at, " ")) {
            ends = ends || *at == '/';
            if (*at == '/') {
                at++;
                continue;
            }
            char *end;
            uint32_t code = (uint32_t)strtoul(at, &end, 16);
            bool joined = grapheme_add(&text, code);
            if (joined == ends)
                print_message("%s, at U+%04X\n", grapheme_breaks[i], code);
            assert_int_equal(joined, !ends);
            ends = false;
            at = end;
        }
    }
}

/* ---- on a screen ---- */

static char reply[64];

static void on_reply(void *user, const char *bytes, size_t len)
{
    (void)user;
    snprintf(reply, sizeof reply, "%.*s", (int)len, bytes);
}

static const struct terminal_events events = {.reply = on_reply};

static int setup(void **state, int cols, bool no_bypass)
{
    (void)state;
    terminal = terminal_create(&(struct terminal_options){
        .cols = cols, .rows = 4, .events = &events, .no_bypass = no_bypass});
    return terminal ? 0 : -1;
}

static void teardown(void)
{
    terminal_destroy(terminal);
    terminal = NULL;
}

/* UTF-8 of what is seen as one character, columns without and with mode 2027. Without: as xterm
 * 379 has it, each character for itself. With: as the mode's description says (contour's), each of
 * them one cell. */
static const struct {
    const char *what, *text;
    int apart, together;
} texts[] = {
    {"a family", "👨‍👩‍👧‍👦", 8, 2},
    {"a family in colours", "👨🏻‍👩🏽‍👧🏾‍👦🏿", 16, 2},
    {"a flag", "🇩🇪", 2, 2},
    {"two flags", "🇩🇪🇫🇷", 4, 4},
    {"the flag of Wales",
     "🏴\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb7\xf3\xa0\x81\xac\xf3\xa0\x81"
     "\xb3\xf3\xa0\x81\xbf",
     2, 2},
    {"a heart as emoji", "\xe2\x9d\xa4\xef\xb8\x8f", 1, 2},
    {"a heart as text", "\xe2\x9d\xa4\xef\xb8\x8e", 1, 1},
    {"a letter and U+FE0F", "a\xef\xb8\x8f", 1, 1},
    {"a keycap", "1\xef\xb8\x8f\xe2\x83\xa3", 1, 2},
    {"a skin tone", "👍🏽", 4, 2},
    {"Hangul jamo", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2, 2},
    {"an Indic conjunct", "\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7", 2, 1},
    {"a vowel that takes room", "\xe0\xa4\x95\xe0\xa4\xbf", 2, 1},
    {"an accent", "e\xcc\x81", 1, 1},
    {"a vowel sign of Thai", "\xe0\xb8\x81\xe0\xb8\xb4", 1, 1},
    {"a number sign in front of a digit",
     "\xd8\x80"
     "1",
     2, 1},
    {"an ideograph", "\xe6\x97\xa5", 2, 2},
};

static int column_behind(const char *text, bool clusters, bool no_bypass)
{
    setup(NULL, 40, no_bypass);
    write_text(clusters ? "\x1b[?2027h" : "");
    write_text(text);
    int col = terminal_cursor(terminal).col;
    write_text("|");
    struct bytes row = {0};
    bytes_append_text(&row, text);
    bytes_append_text(&row, "|");
    assert_row(0, row.data);
    bytes_finish(&row);
    teardown();
    return col;
}

static void each_takes_its_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int no_bypass = 0; no_bypass < 2; no_bypass++) {
            int apart = column_behind(texts[i].text, false, no_bypass);
            int together = column_behind(texts[i].text, true, no_bypass);
            if (apart != texts[i].apart || together != texts[i].together)
                print_message("%s: %d and %d\n", texts[i].what, apart, together);
            assert_int_equal(apart, texts[i].apart);
            assert_int_equal(together, texts[i].together);
        }
}

static void mode_2027_is_off_at_first_and_says_how_it_stands(void **state)
{
    setup(state, 40, false);
    write_text("\x1b[?2027$p");
    assert_string_equal(reply, "\x1b[?2027;2$y");
    write_text("\x1b[?2027h\x1b[?2027$p");
    assert_string_equal(reply, "\x1b[?2027;1$y");
    write_text("\x1b"
               "c\x1b[?2027$p");
    assert_string_equal(reply, "\x1b[?2027;2$y");
    teardown();
}

/* A character that grows at the edge begins the next row. */
static void what_grows_at_the_edge_goes_on_in_the_next_row(void **state)
{
    for (int no_bypass = 0; no_bypass < 2; no_bypass++) {
        setup(state, 4, no_bypass);
        write_text("\x1b[?2027habc\xe2\x9d\xa4\xef\xb8\x8fx");
        assert_row(0, "abc");
        assert_row(1, "\xe2\x9d\xa4\xef\xb8\x8fx");
        assert_int_equal(terminal_cursor(terminal).col, 3);
        write_text("\x1b[H\x1b[2J\x1b[?7labc\xe2\x9d\xa4\xef\xb8\x8f");
        assert_row(0, "abc\xe2\x9d\xa4\xef\xb8\x8f");
        teardown();
    }
}

/* Inserted in front of others it moves them as far as it is wide. */
static void what_grows_makes_room_where_characters_are_inserted(void **state)
{
    setup(state, 10, false);
    write_text("\x1b[?2027hab\b\x1b[4h\xe2\x9d\xa4\xef\xb8\x8f");
    assert_row(0, "a\xe2\x9d\xa4\xef\xb8\x8f"
                  "b");
    write_text("\x1b[4l\x1b[1;4HX");
    assert_row(0, "a\xe2\x9d\xa4\xef\xb8\x8fX");
    teardown();
}

/* Who is drawn it has it in the same cells; a terminal that knows no clusters has the rest there.
 */
static void what_is_drawn_again_is_in_its_cells(void **state)
{
    struct bytes drawn = {0};
    setup(state, 20, false);
    write_text("\x1b[?2027h👨‍👩‍👧|\x1b[2;1H\xe2\x9d\xa4\xef\xb8\x8f|\x1b[3;1H\x1b[?"
               "2027l👨‍👩‍👧|");
    terminal_redraw(terminal, &drawn);
    teardown();
    setup(state, 20, false);
    give(drawn.data, drawn.len, drawn.len);
    assert_row(0, "👨‍👩‍👧|");
    assert_row(1, "\xe2\x9d\xa4\xef\xb8\x8f|");
    assert_row(2, "👨‍👩‍👧|");
    write_text("\x1b[1;3Hx\x1b[2;3Hy\x1b[3;7Hz");
    assert_row(0, "👨‍👩‍👧x");
    assert_row(1, "\xe2\x9d\xa4\xef\xb8\x8fy");
    assert_row(2, "👨‍👩‍👧z");
    teardown();
    bytes_finish(&drawn);
}

/* Colours of a row that left are where they were. */
static void a_row_that_left_keeps_its_colours(void **state)
{
    struct bytes pens = {0};
    setup(state, 20, false);
    terminal_capture_styled(terminal);
    write_text("\x1b[?2027h👨‍👩‍👧\x1b[31mred\x1b[m plain\r\n\n\n\n");
    bytes_append_text(&pens, "");
    struct left *left = terminal_copy_scrollback(terminal, 0, 1);
    assert_non_null(left);
    assert_true(left_styled(left, &pens));
    assert_string_equal(pens.data, "👨‍👩‍👧\x1b[0;38;5;1mred\x1b[0m plain");
    left_destroy(left);
    bytes_finish(&pens);
    teardown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_wcwidth),
        cmocka_unit_test(widths_are_of_todays_unicode),
        cmocka_unit_test(clusters_end_where_unicode_says),
        cmocka_unit_test(each_takes_its_columns),
        cmocka_unit_test(mode_2027_is_off_at_first_and_says_how_it_stands),
        cmocka_unit_test(what_grows_at_the_edge_goes_on_in_the_next_row),
        cmocka_unit_test(what_grows_makes_room_where_characters_are_inserted),
        cmocka_unit_test(what_is_drawn_again_is_in_its_cells),
        cmocka_unit_test(a_row_that_left_keeps_its_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
