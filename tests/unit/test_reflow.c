/* The primary screen at other sizes: what xterm.js shows then (reflow_cases.h, made by
 * tools/reflow.js), whichever pieces the bytes come in; what no sequence of sizes changes; and that
 * whoever keeps a place in the text finds it again. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "tests/unit/screen.h"

struct reflow_step {
    const char *text; /* or another size */
    int cols, rows;
};

struct reflow_case {
    const char *name;
    int cols, rows;
    struct reflow_step step[16];
    int above; /* rows of scrollback */
    int row, col;
    const char *lines; /* all rows, each with a line feed */
};

#include "tests/unit/reflow_cases.h"

static const struct terminal_events events;

static void open_terminal(int cols, int rows)
{
    terminal = terminal_create(&(struct terminal_options){
        .cols = cols, .rows = rows, .scrollback = 1000, .events = &events});
    assert_non_null(terminal);
}

/* Every row, those of scrollback first. */
static char *all_rows(void)
{
    struct bytes all = {0};
    for (size_t i = 0; i < terminal_scrollback_count(terminal); i++) {
        terminal_scrollback_text(terminal, i, &all);
        bytes_append_char(&all, '\n');
    }
    for (int i = 0; i < terminal_rows(terminal); i++) {
        terminal_row_text(terminal, i, &all);
        bytes_append_char(&all, '\n');
    }
    bytes_append_char(&all, '\0');
    return all.data;
}

static bool run_case(const struct reflow_case *c, size_t chunk)
{
    open_terminal(c->cols, c->rows);
    for (const struct reflow_step *s = c->step; s->text || s->cols; s++)
        if (s->text)
            give(s->text, strlen(s->text), chunk ? chunk : strlen(s->text));
        else
            terminal_resize(terminal, s->cols, s->rows);
    char *rows = all_rows();
    struct terminal_cursor cursor = terminal_cursor(terminal);
    bool same = !strcmp(rows, c->lines) && cursor.row == c->row && cursor.col == c->col &&
                terminal_scrollback_count(terminal) == (size_t)c->above;
    if (!same)
        print_message("%s\n%s(%zu above, %d,%d)\nxterm.js:\n%s(%d above, %d,%d)\n", c->name, rows,
                      terminal_scrollback_count(terminal), cursor.row, cursor.col, c->lines,
                      c->above, c->row, c->col);
    free(rows);
    terminal_destroy(terminal);
    return same;
}

static void screens_are_those_of_xterm_js(void **state)
{
    (void)state;
    int other = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        other += !run_case(&cases[i], 0) || !run_case(&cases[i], 1);
    assert_int_equal(other, 0);
}

/* ---- whatever the sizes ---- */

static unsigned pick(unsigned count)
{
    static uint64_t seed;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % count;
}

/* All rows but for blank ones at the end. */
static char *shown_rows(void)
{
    char *rows = all_rows();
    size_t len = strlen(rows);
    while (len && rows[len - 1] == '\n')
        rows[--len] = '\0';
    return rows;
}

static void assert_shown(const char *expected)
{
    char *rows = shown_rows();
    assert_string_equal(rows, expected);
    free(rows);
}

/* Lines of up to 90 characters, none that ends in a blank. Each ends in CR LF in `written`. */
static void make_lines(struct bytes *written, struct bytes *lines)
{
    static const char *const characters[] = {"a", "b", "c", " ", "\xe6\x97\xa5", "e\xcc\x81"};
    for (unsigned i = 1 + pick(40); i; i--) {
        size_t start = lines->len;
        for (unsigned k = pick(90); k; k--)
            bytes_append_text(lines, characters[pick(6)]);
        bytes_append_text(lines, "x");
        bytes_append(written, lines->data + start, lines->len - start);
        bytes_append_text(written, "\r\n");
        bytes_append_text(lines, i > 1 ? "\n" : "");
    }
}

static void resize_at_random(void)
{
    terminal_resize(terminal, 4 + (int)pick(60), 2 + (int)pick(20));
}

static void lines_are_the_same_behind_any_sizes(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct bytes written = {0}, lines = {0};
        int cols = 4 + (int)pick(60), rows = 2 + (int)pick(20);
        make_lines(&written, &lines);
        open_terminal(cols, rows);
        write_text(written.data);
        char *first = shown_rows();
        for (unsigned i = 1 + pick(6); i; i--)
            resize_at_random();
        terminal_resize(terminal, cols, rows);
        assert_shown(first);
        terminal_resize(terminal, 200, rows);
        assert_shown(lines.data);
        free(first);
        bytes_finish(&written);
        bytes_finish(&lines);
        terminal_destroy(terminal);
    }
}

/* ---- what a command prints ---- */

static void collect(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

/* It is captured once, and whole. */
static void output_is_the_same_behind_any_sizes(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct bytes before = {0}, front = {0}, lines = {0}, output = {0};
        make_lines(&front, &before);
        bytes_append_text(&lines, "");
        open_terminal(4 + (int)pick(60), 2 + (int)pick(20));
        write_text(front.data);
        terminal_capture_begin(terminal, collect, &output);
        for (unsigned i = 1 + pick(6); i; i--) {
            struct bytes written = {0};
            bytes_append_text(&lines, lines.len ? "\n" : "");
            make_lines(&written, &lines);
            write_text(written.data);
            resize_at_random();
            resize_at_random();
            bytes_finish(&written);
        }
        terminal_capture_end(terminal);
        bytes_append_text(&output, "");
        assert_string_equal(output.data, lines.data);
        bytes_finish(&before);
        bytes_finish(&front);
        bytes_finish(&lines);
        bytes_finish(&output);
        terminal_destroy(terminal);
    }
}

/* Text that was there before is in its line, too. */
static void output_that_goes_on_in_a_line_is_the_output_alone(void **state)
{
    struct bytes output = {0};
    (void)state;
    open_terminal(10, 4);
    write_text("0123456789abcdef");
    terminal_capture_begin(terminal, collect, &output);
    write_text("GHIJKLMNOPQRSTUVWXYZ\r\nnext\r\n");
    terminal_resize(terminal, 30, 4);
    assert_shown("0123456789abcdefGHIJKLMNOPQRST\nUVWXYZ\nnext");
    terminal_resize(terminal, 7, 4);
    write_text("last\r\n");
    terminal_capture_end(terminal);
    bytes_append_text(&output, "");
    assert_string_equal(output.data, "GHIJKLMNOPQRSTUVWXYZ\nnext\nlast");
    bytes_finish(&output);
    terminal_destroy(terminal);
}

static void output_that_came_back_is_not_told_twice(void **state)
{
    struct bytes output = {0};
    (void)state;
    open_terminal(10, 3);
    terminal_capture_begin(terminal, collect, &output);
    write_text("0123456789abcdefghijABCDEFGHIJ!\r\n\r\n");
    terminal_resize(terminal, 15, 8); /* a part of its line had been told */
    assert_shown("0123456789abcde\nfghijABCDEFGHIJ\n!");
    write_text("next\r\n");
    terminal_resize(terminal, 4, 2);
    terminal_capture_end(terminal);
    bytes_append_text(&output, "");
    assert_string_equal(output.data, "0123456789abcdefghijABCDEFGHIJ!\n\nnext");
    bytes_finish(&output);
    terminal_destroy(terminal);
}

/* ---- places ---- */

static void assert_since(struct terminal_anchor at, const char *expected)
{
    struct bytes text = {0};
    bytes_append_text(&text, "");
    terminal_text_since(terminal, at, &text);
    assert_string_equal(text.data, expected);
    bytes_finish(&text);
}

static void an_anchor_is_at_its_character(void **state)
{
    (void)state;
    open_terminal(10, 6);
    write_text("one\r\n0123456789abc");
    struct terminal_anchor at = terminal_anchor(terminal);
    uint64_t row = anchor_row(at);
    write_text("def\r\n$ ");
    terminal_resize(terminal, 7, 6);
    at = terminal_follow(terminal, at);
    assert_since(at, "def\n$");
    assert_row(2, "789abcd");
    assert_int_equal(terminal_follow_row(terminal, row, false), 2);
    assert_int_equal(terminal_follow_row(terminal, row, true), 3);
    terminal_resize(terminal, 30, 3);
    at = terminal_follow(terminal, at);
    assert_since(at, "def\n$");
    write_text("\r\n\r\n\r\n\r\n\r\n");
    terminal_resize(terminal, 5, 9); /* its line comes back from scrollback */
    at = terminal_follow(terminal, at);
    assert_since(at, "def\n$\n\n\n\n\n");
    terminal_destroy(terminal);
}

static void the_saved_cursor_is_at_its_character(void **state)
{
    (void)state;
    open_terminal(10, 6);
    write_text("0123456789abc\0337def\r\n$ ");
    terminal_resize(terminal, 5, 6);
    write_text("\0338X");
    assert_shown("01234\n56789\nabcXe\nf\n$");
    terminal_destroy(terminal);
}

/* A screen that is saved goes on as it would have. */
static void what_is_saved_between_sizes_goes_on(void **state)
{
    struct bytes saved = {0}, output = {0};
    struct terminal_options options = {.scrollback = 1000, .events = &events};
    (void)state;
    open_terminal(10, 3);
    terminal_capture_begin(terminal, collect, &output);
    write_text("0123456789abcdefghijABCDEFGHIJ!\r\n\r\n");
    terminal_resize(terminal, 15, 4);
    assert_true(terminal_save(terminal, &saved));
    terminal_destroy(terminal);
    struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
    terminal = terminal_load(&options, &in);
    terminal_capture_resume(terminal, collect, &output);
    assert_shown("0123456789abcde\nfghijABCDEFGHIJ\n!");
    terminal_resize(terminal, 4, 2);
    terminal_capture_end(terminal);
    bytes_append_text(&output, "");
    assert_string_equal(output.data, "0123456789abcdefghijABCDEFGHIJ!");
    bytes_finish(&saved);
    bytes_finish(&output);
    terminal_destroy(terminal);
}

/* ---- characters of several code points ---- */

#define FAMILY "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9"
#define MAN    "\xf0\x9f\x91\xa8\xe2\x80\x8d"
#define HEART  "\xe2\x9d\xa4\xef\xb8\x8f"

static void write_times(const char *text, int times)
{
    while (times--)
        write_text(text);
}

static void reload(void)
{
    struct bytes saved = {0};
    struct terminal_options options = {.scrollback = 1000, .events = &events};
    assert_true(terminal_save(terminal, &saved));
    terminal_destroy(terminal);
    struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
    terminal = terminal_load(&options, &in);
    assert_non_null(terminal);
    bytes_finish(&saved);
}

/* All of it leaves, comes back, and leaves again. */
static void assert_stays(int cols)
{
    write_text("\r\n1\r\n2\r\n3\r\n4");
    char *before = all_rows();
    terminal_resize(terminal, cols, 8);
    reload();
    terminal_resize(terminal, cols, 4);
    char *behind = all_rows();
    assert_string_equal(behind, before);
    free(before);
    free(behind);
    terminal_destroy(terminal);
}

/* Once a cluster was printed as one character: what others made of code points one by one stays
 * that. */
static void what_was_no_cluster_stays_none(void **state)
{
    (void)state;
    open_terminal(80, 4);
    write_text("\x1b[?2027h" FAMILY "\x1b[?2027l\r\n");
    write_times(MAN, 20);
    assert_stays(80);
    open_terminal(600, 4);
    write_text("\x1b[?2027h" FAMILY "\x1b[?2027l\r\n");
    write_times(HEART, 600);
    assert_stays(600);
}

/* Also beside one in its row. */
static void what_stands_beside_a_cluster_stays(void **state)
{
    (void)state;
    open_terminal(80, 4);
    write_text("\x1b[?2027h" FAMILY "\x1b[?2027l");
    write_times(MAN, 20);
    assert_stays(80);
    open_terminal(600, 4);
    write_text("\x1b[?2027h" FAMILY "\x1b[?2027l");
    write_times(HEART, 598);
    assert_stays(600);
}

/* A character is as wide when it comes back as when it was printed: what is behind it stays in its
 * column, with its colour. */
static void a_character_that_comes_back_is_as_wide(void **state)
{
    struct bytes before = {0}, behind = {0};
    (void)state;
    open_terminal(80, 4);
    write_text("\x1b[?2027h" FAMILY "\x1b[?2027l\r\n" HEART "ab\x1b[31mcd\x1b[me");
    terminal_row_styled(terminal, 1, &before);
    write_text("\r\n1\r\n2\r\n3\r\n4");
    terminal_resize(terminal, 80, 7);
    terminal_row_styled(terminal, 1, &behind);
    assert_string_equal(behind.data, before.data);
    bytes_finish(&before);
    bytes_finish(&behind);
    terminal_destroy(terminal);
}

/* ---- who reads on ---- */

/* Reads to the end what left from `*at` on, as far as rows there are; notes the numbers seen. */
static void read_on(uint64_t *at, bool *seen, size_t most)
{
    uint64_t from = terminal_lasting_row(terminal, *at), first, last;
    size_t count = terminal_scrollback_count(terminal);
    for (size_t i = 0; i < count; i++) {
        struct bytes row = {0};
        terminal_scrollback_numbers(terminal, i, &first, &last);
        terminal_scrollback_text(terminal, i, &row);
        bytes_append_char(&row, '\0');
        size_t number = row.data[0] == '<' ? (size_t)atoi(row.data + 1) : most;
        if (last >= from && number < most)
            seen[number] = true;
        bytes_finish(&row);
    }
    uint64_t end = terminal_lasting(terminal, terminal_scrollback_total(terminal));
    *at = end > *at ? end : *at;
}

/* Any sizes, some that clear the screen, some that go on in another terminal. */
static void who_reads_on_misses_no_line(void **state)
{
    enum { LINES = 600 };
    const struct terminal_options options = {.scrollback = 1000, .events = &events};
    (void)state;
    for (unsigned seed = 1; seed <= 60; seed++) {
        static bool seen[LINES];
        char line[200];
        uint64_t at = 0;
        srand(seed);
        memset(seen, 0, sizeof seen);
        open_terminal(40, 12);
        for (int i = 0; i < LINES; i++) {
            snprintf(line, sizeof line, "<%d>%0*d\r\n", i, 1 + rand() % 90, 0);
            write_text(line);
            if (rand() % 4 == 0)
                read_on(&at, seen, LINES);
            if (rand() % 12 == 0)
                terminal_resize(terminal, 8 + rand() % 100, 2 + rand() % 60);
            if (rand() % 60 == 0) {
                struct bytes saved = {0};
                assert_true(terminal_save(terminal, &saved));
                terminal_destroy(terminal);
                struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
                terminal = terminal_load(&options, &in);
                bytes_finish(&saved);
            }
        }
        terminal_resize(terminal, 100, 2);
        write_text("\r\n\r\n");
        read_on(&at, seen, LINES);
        for (int i = 0; i < LINES; i++)
            if (!seen[i])
                fail_msg("seed %u: line %d was told to nobody", seed, i);
        terminal_destroy(terminal);
    }
}

/* At one width nothing comes twice, however high the screen is; what was cleared is not what comes
 * in its place. */
static void who_reads_on_has_its_number_back(void **state)
{
    uint64_t end;
    (void)state;
    open_terminal(20, 4);
    for (int i = 0; i < 30; i++)
        write_text("line\r\n");
    end = terminal_lasting(terminal, terminal_scrollback_total(terminal));
    assert_int_equal(end, 27);
    terminal_resize(terminal, 20, 20);
    assert_int_equal(terminal_scrollback_total(terminal), 11);
    assert_int_equal(terminal_lasting_row(terminal, end), 27);
    terminal_resize(terminal, 40, 20);
    assert_int_equal(terminal_lasting_row(terminal, end), 27);
    write_text("\033[H\033[2J");
    assert_int_equal(terminal_lasting_row(terminal, end), 11);
    terminal_destroy(terminal);
    open_terminal(10, 4);
    for (int i = 0; i < 10; i++)
        write_text("0123456789abcde\r\n"); /* 20 rows, 17 of them left */
    end = terminal_lasting(terminal, terminal_scrollback_total(terminal));
    assert_int_equal(end, 17);
    terminal_resize(terminal, 20, 20); /* the middle of the ninth line was read */
    assert_int_equal(terminal_scrollback_total(terminal), 0);
    assert_int_equal(terminal_lasting_row(terminal, end), 8);
    assert_int_equal(terminal_lasting(terminal, 8), end);
    terminal_destroy(terminal);
}

#define TEST(f) cmocka_unit_test(f)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(screens_are_those_of_xterm_js),
        TEST(lines_are_the_same_behind_any_sizes),
        TEST(output_is_the_same_behind_any_sizes),
        TEST(output_that_goes_on_in_a_line_is_the_output_alone),
        TEST(output_that_came_back_is_not_told_twice),
        TEST(an_anchor_is_at_its_character),
        TEST(the_saved_cursor_is_at_its_character),
        TEST(what_is_saved_between_sizes_goes_on),
        TEST(what_was_no_cluster_stays_none),
        TEST(what_stands_beside_a_cluster_stays),
        TEST(a_character_that_comes_back_is_as_wide),
        TEST(who_reads_on_misses_no_line),
        TEST(who_reads_on_has_its_number_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
