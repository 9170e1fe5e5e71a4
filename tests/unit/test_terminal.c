/* Guard and terminal: what breaks libvterm does not reach it (V1 to V13), what is shown is right
 * however the bytes are cut, marks are found at their byte. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/unit/screen.h"
#include "vterm_snapshot/terminal.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define ZEROS "00000000000000000000000000000000"
#define SHOWN "01234560000000000000000000000000" /* what is left of a printed nonce */

struct seen {
    char kinds[64];
    int count, forged, malformed;
    struct bytes raw, output, reply, display;
};

static void on_mark(void *user, const struct mark *mark)
{
    struct seen *seen = user;
    if (mark->signature != MARK_SIGNED) {
        seen->forged++;
        return;
    }
    seen->kinds[seen->count++] = (char)mark->kind;
    if (mark->has_raw)
        mark_history_text(mark->raw.data, mark->raw.len, 1, &seen->raw);
}

static void on_malformed(void *user)
{
    ((struct seen *)user)->malformed++;
}

static void on_reply(void *user, const char *bytes, size_t len)
{
    bytes_append(&((struct seen *)user)->reply, bytes, len);
}

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)offset;
    bytes_append(&((struct seen *)user)->display, bytes, len);
}

static const struct terminal_events events = {
    .mark = on_mark, .malformed = on_malformed, .reply = on_reply, .display = on_display};

static struct seen seen;

static int setup(void **state)
{
    (void)state;
    seen = (struct seen){.count = 0};
    terminal = terminal_create(&(struct terminal_options){
        .cols = 80, .rows = 24, .scrollback = 100, .events = &events, .user = &seen});
    terminal_set_nonce(terminal, NONCE);
    return terminal ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    terminal_destroy(terminal);
    bytes_finish(&seen.raw);
    bytes_finish(&seen.output);
    bytes_finish(&seen.reply);
    bytes_finish(&seen.display);
    return 0;
}

/* ---- what comes in ---- */

static void bad_utf8_shows_the_same_whatever_the_chunks(void **state)
{
    static const char bytes[] = "a\xe2\x80z\xf0\x9f\x98\xe6\x97\xa5\xff\xc2\x9b\xc0\xaf.";
    for (size_t chunk = 1; chunk <= sizeof bytes; chunk++) {
        teardown(state);
        setup(state);
        give(bytes, sizeof bytes - 1, chunk);
        assert_row(0,
                   "a\xef\xbf\xbdz\xef\xbf\xbd\xe6\x97\xa5\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.");
    }
}

static void a_string_hides_behind_no_intermediate(void **state)
{
    (void)state;
    write_text("\x1b']swallowed?\x1b(P;x\x1b [31;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1mok");
    assert_row(0, "swallowed?;x31;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1mok");
}

/* ---- sequences ---- */

static void queries_are_answered_and_shown(void **state)
{
    static const char text[] = "ab\x1b[6n\x1b[c\x1b[38;5;1m\x1b]52;c;?\a\x1bP$qm\x1b\\";
    (void)state;
    write_text(text);
    assert_string_equal(seen.reply.data,
                        "\x1b[1;3R\x1b[?62;6;22c\x1b]52;c;\x1b\\\x1bP1$r0;38;5;1m\x1b\\");
    assert_string_equal(seen.display.data, text);
}

/* ---- lines, screens ---- */

static void wrapped_rows_are_one_line(void **state)
{
    struct bytes text = {0};
    struct terminal_anchor start = terminal_anchor(terminal);
    (void)state;
    for (int i = 0; i < 100; i++)
        write_text("x");
    write_text("\r\nnext");
    terminal_text_since(terminal, start, &text);
    assert_int_equal(text.len, 100 + 1 + 4);
    bytes_finish(&text);
}

static void full_row_and_newline_do_not_join(void **state)
{
    struct bytes text = {0};
    struct terminal_anchor start = terminal_anchor(terminal);
    (void)state;
    for (int i = 0; i < 80; i++)
        write_text("x");
    write_text("\r\nnext");
    terminal_text_since(terminal, start, &text);
    assert_int_equal(text.len, 80 + 1 + 4);
    bytes_finish(&text);
}

static void scrollback_keeps_the_newest(void **state)
{
    char line[32];
    struct bytes text = {0};
    (void)state;
    for (int i = 0; i < 500; i++) {
        snprintf(line, sizeof line, "line %d\r\n", i);
        write_text(line);
    }
    assert_int_equal(terminal_scrollback_count(terminal), 100);
    assert_int_equal(terminal_scrollback_total(terminal), 500 - 23);
    terminal_scrollback_text(terminal, 99, &text);
    assert_string_equal(text.data, "line 476");
    bytes_finish(&text);
    write_text("\x1b[3J");
    assert_int_equal(terminal_scrollback_count(terminal), 0);
}

static void the_alternate_screen_leaves_the_primary_alone(void **state)
{
    (void)state;
    write_text("before\x1b[?1049h\x1b[Hfull screen");
    assert_true(terminal_alt_screen(terminal));
    assert_row(0, "full screen");
    write_text("\x1b[?1049l");
    assert_false(terminal_alt_screen(terminal));
    assert_row(0, "before");
    assert_true(terminal_alt_screen_seen(terminal, true));
    assert_false(terminal_alt_screen_seen(terminal, true));
}

static void a_narrower_screen_hides_and_a_wider_one_shows_again(void **state)
{
    (void)state;
    write_text("abcdefghij");
    terminal_resize(terminal, 5, 24);
    assert_row(0, "abcde");
    terminal_resize(terminal, 80, 24);
    assert_row(0, "abcdefghij");
}

/* As in libvterm's 63screen_resize.test; xterm begins the next row, and loses nothing, either. */
static void a_full_row_goes_on_where_the_screen_grows_wider(void **state)
{
    (void)state;
    write_text("\x1b[78Gabc");
    terminal_resize(terminal, 100, 24);
    assert_int_equal(terminal_cursor(terminal).col, 80);
    write_text("d\r\n\x1b[99G\xe6\x97\xa5");
    terminal_resize(terminal, 110, 24);
    write_text("\xcc\x81x");
    assert_int_equal(terminal_cursor(terminal).col, 101);
    terminal_resize(terminal, 80, 24);
    terminal_resize(terminal, 120, 24);
    assert_int_equal(terminal_cursor(terminal).col, 79);
    struct bytes row = {0};
    terminal_row_text(terminal, 0, &row);
    assert_string_equal(row.data + 77, "abcd");
    bytes_finish(&row);
}

static void combined_characters_stay_together(void **state)
{
    (void)state;
    write_text("e\xcc\x81|\xf0\x9f\x87\xa9");
    assert_row(0, "e\xcc\x81|\xf0\x9f\x87\xa9");
}

static void a_mark_joins_a_wide_character_that_reaches_beyond_the_edge(void **state)
{
    (void)state;
    write_text("\x1b[?7l\x1b[80G\xe6\x97\xa5");
    write_text("\xcc\x81");
    write_text("\rok");
    assert_int_equal(terminal_cursor(terminal).col, 2);
}

/* libvterm alone does that only when both come in one write, and not in these modes. */
static void a_mark_joins_at_the_edge_in_every_mode(void **state)
{
    (void)state;
    static const char *const modes[] = {"",          "\x1b[?7l",         "\x1b[?69h\x1b[3;9s",
                                        "\x1b[4h",   "\x1b(B",           "\x1b(0",
                                        "\x1b[1\"q", "\x1b[2;5r\x1b[?6h"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (size_t chunk = 1; chunk < 20; chunk++) {
            write_text("\x1b"
                       "c");
            write_text(modes[i]);
            write_text("\x1b[1;80H");
            const char *text = "\xc3\xa9\xcc\x81\xcc\x82";
            give(text, strlen(text), chunk);
            assert_int_equal(terminal_cursor(terminal).col, 79);
            struct bytes row = {0};
            terminal_row_text(terminal, terminal_cursor(terminal).row, &row);
            assert_int_equal(row.len, 79 + 6);
            assert_memory_equal(row.data + 79, text, 6);
            bytes_finish(&row);
        }
}

#define FIVE_MARKS "\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"

static void marks_without_end_fill_one_cell_and_no_memory(void **state)
{
    (void)state;
    struct bytes flood = {0};
    bytes_append_text(&flood, "e");
    for (int i = 0; i < 100000; i++)
        bytes_append_text(&flood, "\xcc\x81");
    give(flood.data, flood.len, 4096);
    bytes_finish(&flood);
    assert_row(0, "e" FIVE_MARKS FIVE_MARKS "\xcc\x81");
}

/* ECMA-48 and DEC STD 070: DECSCA protects from DECSED and DECSEL, not from ED and EL. */
static void selective_erasing_spares_what_is_protected(void **state)
{
    (void)state;
    write_text("one \x1b[1\"qtwo \xe6\x97\xa5\x1b[0\"q three\r\x1b[?2K");
    assert_row(0, "    two \xe6\x97\xa5");
    write_text("\x1b[?2J");
    assert_row(0, "    two \xe6\x97\xa5");
    write_text("\x1b[2K");
    assert_row(0, "");
}

/* Twice as many pens and combined characters as there are numbers. */
static void colours_and_marks_last_however_many_there_were(void **state)
{
    (void)state;
    char text[64];
    for (int i = 0; i < 120000; i++) {
        snprintf(text, sizeof text, "\x1b[H\x1b[38;2;%d;%d;%dm%c\xcc%c\xcc%c", i >> 16,
                 i >> 8 & 255, i & 255, 'a' + i % 26, 0x80 + i / 26 % 64, 0x80 + i / 26 / 64 % 48);
        write_text(text);
    }
    struct bytes screen = {0};
    terminal_redraw(terminal, &screen);
    bytes_append_char(&screen, '\0');
    assert_non_null(strstr(screen.data, "38;2;1;212;191"));
    bytes_finish(&screen);
    assert_row(0, strrchr(text, 'm') + 1);
}

/* ---- output of a command ---- */

static void collect(void *user, const char *text, size_t len)
{
    bytes_append(&((struct seen *)user)->output, text, len);
}

static void assert_output(const char *bytes, const char *expected)
{
    write_text("earlier output\r\n$ command\r\n");
    terminal_capture_begin(terminal, collect, &seen);
    write_text(bytes);
    terminal_capture_end(terminal);
    bytes_append_text(&seen.output, "");
    assert_string_equal(seen.output.data, expected);
}

static void output_of_progress_is_its_last_state(void **state)
{
    (void)state;
    assert_output("10%\r50%\r100%\r\ndone\r\n", "100%\ndone");
}

static void output_after_clear_is_what_came_after(void **state)
{
    (void)state;
    assert_output("lost\x1b[H\x1b[2J\x1b[3Jkept\r\n\r\nlines\r\n", "kept\n\nlines");
}

static void output_of_a_full_screen_program_is_none(void **state)
{
    (void)state;
    assert_output("\x1b[?1049h\x1b[Hscreen\x1b[?1049lafter\r\n", "after");
}

/* Whoever looks has no room for all of a blank output without end. */
static void of_blank_output_no_more_is_seen_than_is_asked_for(void **state)
{
    (void)state;
    terminal_capture_begin(terminal, collect, &seen);
    write_text("text\r\n");
    for (int i = 0; i < 1000; i++)
        write_text("\n");
    uint64_t most = terminal_capture_peek(terminal, UINT64_MAX, collect, &seen);
    uint64_t few = terminal_capture_peek(terminal, 10, collect, &seen);
    assert_int_equal(most, 1001);
    assert_in_range(few, 10, 10 + terminal_rows(terminal));
    seen.output.len = 0;
    write_text("\n\ndone"); /* below them */
    terminal_capture_peek(terminal, 10, collect, &seen);
    assert_in_range(seen.output.len, 10 + 4, 10 + terminal_rows(terminal) + 4);
    seen.output.len = 0;
    terminal_capture_end(terminal);
    assert_int_equal(seen.output.len, 1003 + strlen("done")); /* the end gives all */
}

static void output_with_cursor_motion_is_what_is_left(void **state)
{
    (void)state;
    assert_output("one\r\ntwo\r\n\x1b[2A\x1b[2KONE\r\n\r\n", "ONE\ntwo");
}

static void output_scrolled_away_is_all_there(void **state)
{
    char text[8192] = {0}, expected[8192] = {0}, line[32];
    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(line, sizeof line, "%s%d", i ? "\n" : "", i);
        strcat(expected, line);
        snprintf(line, sizeof line, "%d\r\n", i);
        strcat(text, line);
    }
    assert_output(text, expected);
}

/* ---- marks ---- */

#define M(text) "\x1b]7711;" NONCE ";" text "\a"
#define STREAM                                                                                     \
    M("1;A")                                                                                       \
    "$ " M("2;B") "ls\r\n" M("3;C") "out\r\n" M("4;O")                                             \
        M("5;D;st=0;raw=   12  ls; \x1b]0;x\a y\r\n;" NONCE) M("6;A")

static void marks_come_in_order_whatever_the_chunks(void **state)
{
    static const size_t chunks[] = {1, 2, 3, 5, 7, 31, 64, 1000};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        teardown(state);
        setup(state);
        give(STREAM, sizeof STREAM - 1, chunks[i]);
        assert_string_equal(seen.kinds, "ABCODA");
        assert_string_equal(seen.raw.data, "ls; \x1b]0;x\a y");
        assert_row(0, "$ ls");
        assert_row(1, "out");
        assert_row(2, "");
    }
}

static void on_mark_stop(void *user, const struct mark *mark)
{
    on_mark(user, mark);
    terminal_stop(terminal);
}

/* Whoever stops it gets the rest again, and nothing is there twice or not at all. */
static void what_is_stopped_at_a_mark_goes_on_behind_it(void **state)
{
    static const struct terminal_events stopping = {
        .mark = on_mark_stop, .malformed = on_malformed, .display = on_display};
    static const char text[] = "one\x1b]7711;" NONCE ";1;A\atwo\r\n\x1b]7711;" NONCE
                               ";2;B\a\x1b]7711;" NONCE ";3;C\athree";
    size_t len = sizeof text - 1, ends[4], count = 0;
    (void)state;
    terminal_destroy(terminal);
    terminal = terminal_create(&(struct terminal_options){
        .cols = 80, .rows = 24, .scrollback = 100, .events = &stopping, .user = &seen});
    terminal_set_nonce(terminal, NONCE);
    terminal_set_shown(terminal, true);
    for (size_t at = 0; at < len; ends[count++] = at) {
        char bytes[sizeof text];
        memcpy(bytes, text + at, len - at);
        at += terminal_write(terminal, bytes, len - at);
        assert_int_equal(terminal_offset(terminal), at);
    }
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(text[ends[i] - 1], '\a');
    assert_int_equal(ends[3], len);
    assert_string_equal(seen.kinds, "ABC");
    assert_int_equal(seen.forged + seen.malformed, 0);
    assert_row(0, "onetwo");
    assert_row(1, "three");
    assert_int_equal(seen.display.len, strlen("onetwo\r\nthree"));
    assert_memory_equal(seen.display.data, "onetwo\r\nthree", seen.display.len);
}

/* As large as the pieces are, down to a row. */
static void what_is_saved_in_pieces_is_what_is_saved_at_once(void **state)
{
    struct bytes whole = {0}, pieces = {0};
    (void)state;
    for (int i = 0; i < 150; i++) {
        char line[64];
        int len = snprintf(line, sizeof line, "\x1b[3%dmline %d\x1b[m of some\r\n", i % 8, i);
        terminal_write(terminal, line, (size_t)len);
    }
    assert_true(terminal_save(terminal, &whole));
    for (size_t bytes = 1; bytes < 2 * whole.len; bytes *= 3) {
        size_t row = 0, count = 1;
        pieces.len = 0;
        assert_true(terminal_save_begin(terminal, &pieces));
        while (terminal_save_more(terminal, &row, bytes, &pieces))
            count++;
        assert_int_equal(pieces.len, whole.len);
        assert_memory_equal(pieces.data, whole.data, whole.len);
        assert_true(bytes > 1 || count == 100);
    }
    bytes_finish(&whole);
    bytes_finish(&pieces);
}

static void marks_of_others_are_forged_and_invisible(void **state)
{
    (void)state;
    write_text("\x1b]7711;ffffffffffffffffffffffffffffffff;9;A\a"
               "\x1b]7711;" ZEROS ";9;A\a"
               "\x1b]7711;short;9;A\a"
               "\x1b]7711;" NONCE ";x;A\a"
               "\x1b]7711;" NONCE ";9;Z\aok");
    assert_int_equal(seen.count, 0);
    assert_int_equal(seen.forged, 2);
    assert_int_equal(seen.malformed, 3);
    assert_row(0, "ok");
}

static void the_nonce_is_scrubbed_wherever_it_stands(void **state)
{
    char bytes[] = "__ptyd_v=([0]=\"" NONCE "\")" M("1;A");
    (void)state;
    assert_int_equal(terminal_write(terminal, bytes, sizeof bytes - 1), sizeof bytes - 1);
    assert_null(strstr(bytes, NONCE));
    assert_row(0, "__ptyd_v=([0]=\"" SHOWN "\")");
    assert_int_equal(seen.count, 1);
}

/* What is taken out of it is nothing: that must not be looked for again and again. */
static void a_nonce_that_ends_in_zeros_is_passed_once(void **state)
{
    char bytes[] = SHOWN " " SHOWN ".";
    (void)state;
    terminal_set_nonce(terminal, SHOWN);
    assert_int_equal(terminal_write(terminal, bytes, sizeof bytes - 1), sizeof bytes - 1);
    assert_row(0, SHOWN " " SHOWN ".");
}

static void the_nonce_is_scrubbed_however_it_is_cut(void **state)
{
    for (size_t chunk = 1; chunk < 40; chunk++) {
        teardown(state);
        setup(state);
        give("0123x012345678 " NONCE NONCE "\x1b[m\r\n" NONCE "y", 15 + 64 + 5 + 33, chunk);
        assert_row(0, "0123x012345678 " SHOWN SHOWN);
        assert_row(1, SHOWN "y");
    }
}

static void typing_is_echoed_at_once(void **state)
{
    (void)state;
    for (const char *key = "0123456"; *key; key++)
        give(key, 1, 1);
    assert_row(0, "0123456");
}

static void a_raw_field_without_end_gives_up(void **state)
{
    char chunk[4096];
    (void)state;
    memset(chunk, 'A', sizeof chunk);
    write_text("\x1b]7711;" NONCE ";1;D;raw=");
    for (int i = 0; i < 300; i++)
        give(chunk, sizeof chunk, sizeof chunk);
    write_text("\r\n\x1b[2J\x1b[Hok");
    assert_row(0, "ok");
    assert_int_equal(seen.malformed, 1);
}

/* Zeros stand for a nonce in our own log alone: whoever prints it again, cut anywhere, swallows
 * nothing. */
static void a_zeroed_mark_without_end_swallows_nothing(void **state)
{
    (void)state;
    write_text("\x1b]7711;" ZEROS ";5;D;st=0;raw=   60  : x\r\n\x1b]7711;" NONCE ";1;A\a"
               "\x1b]7711;" ZEROS ";6;D;st=0;raw=   61  : x\aok");
    assert_string_equal(seen.kinds, "A");
    assert_row(0, "ok");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bad_utf8_shows_the_same_whatever_the_chunks),
        TEST(a_string_hides_behind_no_intermediate),
        TEST(queries_are_answered_and_shown),
        TEST(wrapped_rows_are_one_line),
        TEST(full_row_and_newline_do_not_join),
        TEST(scrollback_keeps_the_newest),
        TEST(the_alternate_screen_leaves_the_primary_alone),
        TEST(a_narrower_screen_hides_and_a_wider_one_shows_again),
        TEST(a_full_row_goes_on_where_the_screen_grows_wider),
        TEST(combined_characters_stay_together),
        TEST(a_mark_joins_a_wide_character_that_reaches_beyond_the_edge),
        TEST(a_mark_joins_at_the_edge_in_every_mode),
        TEST(marks_without_end_fill_one_cell_and_no_memory),
        TEST(selective_erasing_spares_what_is_protected),
        TEST(colours_and_marks_last_however_many_there_were),
        TEST(output_of_progress_is_its_last_state),
        TEST(output_after_clear_is_what_came_after),
        TEST(output_of_a_full_screen_program_is_none),
        TEST(of_blank_output_no_more_is_seen_than_is_asked_for),
        TEST(output_with_cursor_motion_is_what_is_left),
        TEST(output_scrolled_away_is_all_there),
        TEST(marks_come_in_order_whatever_the_chunks),
        TEST(what_is_stopped_at_a_mark_goes_on_behind_it),
        TEST(what_is_saved_in_pieces_is_what_is_saved_at_once),
        TEST(marks_of_others_are_forged_and_invisible),
        TEST(the_nonce_is_scrubbed_wherever_it_stands),
        TEST(a_nonce_that_ends_in_zeros_is_passed_once),
        TEST(the_nonce_is_scrubbed_however_it_is_cut),
        TEST(typing_is_echoed_at_once),
        TEST(a_raw_field_without_end_gives_up),
        TEST(a_zeroed_mark_without_end_swallows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
