/* Who joins sees what is there, and what comes next does the same to it: random streams, cut
 * anywhere; one terminal gets all of it, another one, which shows something else, what
 * terminal_redraw() says at the cut and then the rest. Both end the same: screens, cursors, pens,
 * modes. JOINING_STREAMS: how many (default 3000). */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/mixes.h"
#include "vterm_snapshot/terminal.h"
#include "vterm_snapshot/undo.h"

static const struct terminal_events events;

struct side {
    struct terminal *terminal;
    struct bytes pending;
};

static void give(struct side *s, const char *bytes, size_t len)
{
    bytes_append(&s->pending, bytes, len);
    bytes_consume(&s->pending, terminal_write(s->terminal, s->pending.data, s->pending.len));
}

static void open_side(struct side *s, int cols, int rows)
{
    struct terminal_options options = {.cols = cols, .rows = rows, .events = &events};
    *s = (struct side){.terminal = terminal_create(&options)};
    give(s, "\x1b]2;t\a", 6);
}

static void close_side(struct side *s)
{
    terminal_destroy(s->terminal);
    bytes_finish(&s->pending);
}

/* Up to a place between two sequences, at `cut` or behind it; returns where. */
static size_t give_up_to(struct side *s, const struct bytes *stream, size_t cut)
{
    size_t at = cut;
    give(s, stream->data, cut);
    while (at < stream->len && (s->pending.len || terminal_is_inside(s->terminal)))
        give(s, stream->data + at++, 1);
    return at;
}

/* What stays behind of another session is undone when that is left. */
static void show_another(struct side *joiner, const struct bytes *stream, int cols)
{
    struct bytes out = {0};
    struct undo *undo = undo_create();
    give(joiner, stream->data, stream->len);
    for (size_t at = 0, n; at < stream->len; at += n) {
        n = 1 + pick(500);
        n = n < stream->len - at ? n : stream->len - at;
        undo_note(undo, stream->data + at, n);
    }
    undo_append(undo, cols, &out);
    bytes_append_text(&out, "\x1b[?1047h\x1b[H\x1b"
                            "7\x1b[?1047l"); /* nobody asks for that */
    bytes_append_text(&out, "\x1b]2;t\a");   /* of both */
    give(joiner, out.data, out.len);
    undo_destroy(undo);
    bytes_finish(&out);
}

static void join(struct side *joiner, const struct side *all)
{
    struct bytes drawing = {0};
    terminal_redraw(all->terminal, &drawing);
    give(joiner, drawing.data, drawing.len);
    assert_int_equal(joiner->pending.len, 0);
    bytes_finish(&drawing);
}

/* Whether a mode that is as it was in the beginning was ever set says nothing. */
static void drop_defaults(char *drawing)
{
    static const char *const defaults[] = {"\x1b[0 q", "\x1b[?8h", "\x1b[?12l", "\x1b[?1007l"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        char *at = strstr(drawing, defaults[i]);
        if (at)
            memmove(at, at + strlen(defaults[i]), strlen(at + strlen(defaults[i])) + 1);
    }
}

/* Nor does which rows are one line: a row that follows another one counts as its rest until the
 * cursor was elsewhere. What is in which row is compared, too. */
static void drop_places(char *drawing)
{
    char *to = drawing;
    for (char *at = drawing; *at;) {
        size_t place = 2 + strspn(at[0] == 0x1b && at[1] == '[' ? at + 2 : "", "0123456789");
        if (!strncmp(at, "\x1b[2K", 4))
            at += 4;
        else if (place > 2 && !strncmp(at + place, ";1H", 3))
            at += place + 3;
        else
            *to++ = *at++;
    }
    *to = '\0';
}

static char *state_of(const struct side *s)
{
    struct bytes all = {0};
    struct terminal_cursor cursor = terminal_cursor(s->terminal);
    terminal_redraw(s->terminal, &all);
    drop_places(all.data);
    all.len = strlen(all.data);
    for (int i = 0; i < terminal_rows(s->terminal); i++) {
        bytes_append_char(&all, '\n');
        terminal_row_text(s->terminal, i, &all);
    }
    bytes_printf(&all, "\n%d,%d,%d", cursor.row, cursor.col, cursor.visible);
    drop_defaults(all.data);
    return all.data;
}

static void show_difference(const char *a, const char *b, uint64_t number, const char *when)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    size_t from = at > 80 ? at - 80 : 0;
    print_message("stream %llu, %s:\nall:    %.200s\njoined: %.200s\n", (unsigned long long)number,
                  when, a + from, b + from);
}

static bool same(const struct side *a, const struct side *b, uint64_t number, const char *when)
{
    char *all = state_of(a), *joined = state_of(b);
    bool is = !strcmp(all, joined);
    if (!is)
        show_difference(all, joined, number, when);
    free(all);
    free(joined);
    return is;
}

static bool compare_stream(uint64_t number)
{
    struct bytes stream = {0}, other = {0};
    struct side all, joiner;
    seed = number * 7919 + 1;
    streams_strict = true;
    const char *left_out = pick(3) ? "\x1b[?69h" : "\x1b[?6h";
    make_mix(&stream, left_out);
    make_mix(&other, left_out);
    int cols = 5 + (int)pick(90), rows = 2 + (int)pick(30);
    open_side(&all, cols, rows);
    open_side(&joiner, cols, rows);
    show_another(&joiner, &other, cols);
    size_t cut = give_up_to(&all, &stream, pick((unsigned)stream.len));
    join(&joiner, &all);
    bool is = same(&all, &joiner, number, "at the cut");
    give(&all, stream.data + cut, stream.len - cut);
    give(&joiner, stream.data + cut, stream.len - cut);
    is = is && same(&all, &joiner, number, "at the end");
    close_side(&all);
    close_side(&joiner);
    bytes_finish(&stream);
    bytes_finish(&other);
    return is;
}

static void who_joins_ends_the_same(void **state)
{
    const char *given = getenv("JOINING_STREAMS"), *first = getenv("JOINING_FIRST");
    uint64_t count = given ? strtoull(given, NULL, 10) : 3000;
    uint64_t from = first ? strtoull(first, NULL, 10) : 0, differ = 0;
    (void)state;
    for (uint64_t i = 0; i < count && differ < 5; i++)
        differ += !compare_stream(from + i);
    assert_int_equal(differ, 0);
}

static void make_titles(struct bytes *out)
{
    static const char *const sequences[] = {
        "\x1b]2;one\a", "\x1b]0;two\x1b\\", "\x1b[22;2t", "\x1b[22;1t",   "\x1b[22t",
        "\x1b[23;2t",   "\x1b[23;1t",       "\x1b[23;0t", "\x1b[22;0;0t", "\x1b[?22;0t",
    };
    for (unsigned n = pick(20); n; n--)
        bytes_append_text(out, sequences[pick(sizeof sequences / sizeof *sequences)]);
}

/* And what a former session put aside on that terminal is there no more. */
static void titles_that_were_put_aside_are_there_for_who_joins(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 1000; number++) {
        struct bytes before = {0}, behind = {0}, other = {0};
        struct side all, joiner;
        seed = number * 7919 + 1;
        make_titles(&before);
        make_titles(&behind);
        make_titles(&other);
        open_side(&all, 10, 3);
        open_side(&joiner, 10, 3);
        give(&all, before.data, before.len);
        show_another(&joiner, &other, 10);
        join(&joiner, &all);
        assert_true(same(&all, &joiner, number, "at the cut"));
        give(&all, behind.data, behind.len);
        give(&joiner, behind.data, behind.len);
        assert_true(same(&all, &joiner, number, "at the end"));
        close_side(&all);
        close_side(&joiner);
        bytes_finish(&before);
        bytes_finish(&behind);
        bytes_finish(&other);
    }
}

static void put(struct side *s, const char *text)
{
    give(s, text, strlen(text));
}

static void assert_row(const struct side *s, int row, const char *expected)
{
    struct bytes text = {0};
    bytes_append_text(&text, "");
    terminal_row_text(s->terminal, row, &text);
    assert_string_equal(text.data, expected);
    bytes_finish(&text);
}

static void assert_cursor(const struct side *s, int row, int col)
{
    struct terminal_cursor cursor = terminal_cursor(s->terminal);
    assert_int_equal(cursor.row, row);
    assert_int_equal(cursor.col, col);
}

/* A full-screen program ends behind the joining: what stood on the primary screen stands there. */
static void the_primary_screen_is_behind_the_alternate_one(void **state)
{
    struct side all, joiner;
    (void)state;
    open_side(&all, 40, 6);
    open_side(&joiner, 40, 6);
    put(&all, "one\r\ntwo\r\n$ vim\r\n\x1b[?1049h\x1b[2J\x1b[3;1Hin vim\x1b[2;5r");
    put(&joiner, "old\x1b[?1049hnonsense");
    join(&joiner, &all);
    assert_row(&joiner, 0, "");
    assert_row(&joiner, 2, "in vim");
    put(&joiner, "\x1b[r\x1b[?1049l$ ");
    assert_row(&joiner, 0, "one");
    assert_row(&joiner, 2, "$ vim");
    assert_row(&joiner, 3, "$");
    assert_cursor(&joiner, 3, 2);
    close_side(&all);
    close_side(&joiner);
}

static void nothing_scrolls(void **state)
{
    struct side all, joiner;
    (void)state;
    open_side(&all, 10, 4);
    open_side(&joiner, 10, 4);
    put(&all, "0123456789012345678901234567890123456789"); /* full, and waits in the corner */
    put(&joiner, "\x1b[4;1H");
    join(&joiner, &all);
    assert_int_equal(terminal_scrollback_total(joiner.terminal), 0);
    assert_row(&joiner, 3, "0123456789");
    put(&joiner, "x");
    assert_int_equal(terminal_scrollback_total(joiner.terminal), 1);
    assert_row(&joiner, 3, "x");
    close_side(&all);
    close_side(&joiner);
}

/* As xterm has it: where the other screen is erased there is nothing to wait behind. */
static void at_the_edge_of_an_erased_screen_nothing_waits(void **state)
{
    static const char *const switches[][2] = {
        {"\x1b[?1047h", ""}, /* x is on the second row */
        {"\x1b[?47h\x1b[?47l", "0123456789"},
        {"\x1b"
         "7\x1b[3;3H\x1b"
         "8",
         "0123456789"},
        {"\x1b"
         "7\x1b[3;3H\x1b[?1049h\x1b[4;1H0123456789\x1b"
         "7\x1b[1;1H\x1b"
         "8\x1b[?1049l\x1b"
         "8",
         "0123456789"}, /* that saved another one */
        {"\x1b[?1049h", "         x"},
        {"\x1b[?1047h\x1b[1;10Hy\x1b[?1049h", "         x"},
        {"\x1b[?1047h\x1b[1;10Hy\x1b[?1047l", "012345678x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        struct side all, joiner;
        open_side(&all, 10, 4);
        open_side(&joiner, 10, 4);
        put(&all, "0123456789");
        put(&all, switches[i][0]);
        join(&joiner, &all);
        put(&all, "x");
        put(&joiner, "x");
        assert_row(&all, 0, switches[i][1]);
        assert_row(&joiner, 0, switches[i][1]);
        close_side(&all);
        close_side(&joiner);
    }
}

static void a_programs_colours_are_those_of_who_joins(void **state)
{
    struct side all, joiner;
    struct bytes drawing = {0};
    (void)state;
    open_side(&all, 10, 4);
    open_side(&joiner, 10, 4);
    put(&all,
        "\x1b]4;1;#ff0000;300;#ffffff\a\x1b]10;#aabbcc;#112233\a\x1b]12;rgb:f/8/0\a\x1b]110\a");
    terminal_redraw(all.terminal, &drawing);
    assert_non_null(strstr(drawing.data, "\x1b]4;1;rgb:ffff/0000/0000\x1b\\"
                                         "\x1b]11;rgb:1111/2222/3333\x1b\\"
                                         "\x1b]12;rgb:ffff/8888/0000\x1b\\"));
    assert_null(strstr(drawing.data, "\x1b]10;"));
    put(&all, "\x1b]104\a\x1b"
              "c");
    bytes_finish(&drawing);
    terminal_redraw(all.terminal, &drawing);
    assert_null(strstr(drawing.data, "rgb:"));
    bytes_finish(&drawing);
    close_side(&all);
    close_side(&joiner);
}

/* What cannot be read as a colour here is read by who joins; across a checkpoint, too. */
static void a_colour_of_a_name_is_that_of_who_joins(void **state)
{
    static const char named[] = "\x1b]4;3;light goldenrod\x1b\\"
                                "\x1b]10;rgbi:1.0/0.5/0\x1b\\"
                                "\x1b]12;Red\x1b\\";
    struct side all;
    struct bytes drawing = {0}, saved = {0};
    (void)state;
    open_side(&all, 10, 4);
    put(&all, "\x1b]4;3;light goldenrod;4;\x01;5;"
              "a-name-that-is-longer-than-any-that-a-terminal-knows\a"
              "\x1b]10;rgbi:1.0/0.5/0\a\x1b]12;Red\a\x1b]11;blue\a\x1b]111\a");
    terminal_redraw(all.terminal, &drawing);
    assert_non_null(strstr(drawing.data, named));
    assert_null(strstr(drawing.data, "longer"));
    assert_null(strstr(drawing.data, "\x1b]11;"));
    assert_true(terminal_save(all.terminal, &saved));
    struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
    static const struct terminal_events deaf;
    struct terminal *again = terminal_load(&(struct terminal_options){.events = &deaf}, &in);
    assert_non_null(again);
    bytes_finish(&drawing);
    terminal_redraw(again, &drawing);
    assert_non_null(strstr(drawing.data, named));
    terminal_destroy(again);
    put(&all, "\x1b]10;#123456\a\x1b]104\a");
    bytes_finish(&drawing);
    terminal_redraw(all.terminal, &drawing);
    assert_null(strstr(drawing.data, "rgbi"));
    assert_null(strstr(drawing.data, "golden"));
    bytes_finish(&drawing);
    bytes_finish(&saved);
    close_side(&all);
}

/* As xterm has it: what is shown already is neither entered nor erased again, but by 1049. */
static void the_alternate_screen_is_erased_as_it_is_entered(void **state)
{
    static const char *const again[][2] = {
        {"\x1b[?1047h", "text"}, {"\x1b[?47h", "text"}, {"\x1b[?1049h", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        struct side all;
        open_side(&all, 10, 4);
        put(&all, "\x1b[?1049h\x1b[Htext");
        put(&all, again[i][0]);
        assert_row(&all, 0, again[i][1]);
        close_side(&all);
    }
}

static void show_part(struct side *viewer, const struct side *all, int cols, int rows)
{
    struct bytes drawing = {0};
    open_side(viewer, cols, rows);
    terminal_redraw_part(all->terminal, cols, rows, &drawing);
    give(viewer, drawing.data, drawing.len);
    bytes_finish(&drawing);
}

/* As xterm and VTE have it. vim puts both aside one by one, and takes them back so. */
static void a_title_that_was_put_aside_comes_back(void **state)
{
    struct side all, joiner;
    struct bytes saved = {0};
    (void)state;
    open_side(&all, 10, 3);
    open_side(&joiner, 10, 3);
    put(&joiner, "\x1b]2;outer\a\x1b[22;0t");
    put(&all, "\x1b]2;shell\a\x1b[22;2t\x1b[22;1t\x1b]2;file - VIM\a");
    join(&joiner, &all);
    assert_string_equal(terminal_title(joiner.terminal), "file - VIM");
    assert_true(terminal_save(all.terminal, &saved));
    struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
    struct side again = {.terminal =
                             terminal_load(&(struct terminal_options){.events = &events}, &in)};
    struct side *sides[] = {&all, &joiner, &again};
    for (size_t i = 0; i < 3; i++) {
        put(sides[i], "\x1b[23;2t\x1b[23;1t");
        assert_string_equal(terminal_title(sides[i]->terminal), "shell");
    }
    put(&joiner, "\x1b[23;0t");
    assert_string_equal(terminal_title(joiner.terminal), "outer");
    put(&joiner, "\x1b[23;0t");
    assert_string_equal(terminal_title(joiner.terminal), "outer");
    bytes_finish(&saved);
    close_side(&again);
    close_side(&all);
    close_side(&joiner);
}

static void a_smaller_viewer_follows_the_cursor(void **state)
{
    struct side all, small;
    (void)state;
    open_side(&all, 40, 20);
    for (int i = 0; i < 20; i++) {
        char line[60];
        snprintf(line, sizeof line, "\x1b[%d;1Hrow %d ...............abcdefghij", i + 1, i);
        put(&all, line);
    }
    put(&all, "\x1b[18;2H");
    show_part(&small, &all, 10, 6);
    struct terminal_cursor cursor = terminal_cursor(small.terminal);
    assert_row(&small, cursor.row, "row 17 ...");
    assert_int_equal(cursor.col, 1);
    close_side(&small);
    put(&all, "\x1b[1;30H");
    show_part(&small, &all, 10, 6);
    assert_cursor(&small, 0, 9);
    assert_row(&small, 0, ".abcdefghi");
    close_side(&small);
    close_side(&all);
}

/* Its size is not the one that the program has. */
static void a_part_is_not_asked_for_its_size(void **state)
{
    struct bytes part = {0}, whole = {0};
    struct side all;
    (void)state;
    open_side(&all, 10, 4);
    put(&all, "\x1b[?2048h\x1b[?1004h");
    terminal_redraw_part(all.terminal, 8, 3, &part);
    terminal_redraw(all.terminal, &whole);
    assert_non_null(strstr(part.data, "\x1b[?1004h"));
    assert_null(strstr(part.data, "\x1b[?2048h"));
    assert_non_null(strstr(whole.data, "\x1b[?2048h"));
    bytes_finish(&part);
    bytes_finish(&whole);
    close_side(&all);
}

static void a_larger_viewer_shows_blanks_around(void **state)
{
    struct side all, large;
    (void)state;
    open_side(&all, 10, 3);
    put(&all, "\x1b[41m\x1b[2J\x1b[3;1H0123456789");
    show_part(&large, &all, 30, 8);
    assert_row(&large, 2, "0123456789");
    assert_row(&large, 3, "");
    assert_cursor(&large, 2, 9);
    close_side(&large);
    close_side(&all);
}

/* Nothing is wrapped by its edge, and what it showed before is gone. */
static void a_larger_terminal_that_is_given_all_shows_blanks_around(void **state)
{
    struct side all, large;
    struct bytes out = {0};
    (void)state;
    open_side(&all, 10, 3);
    open_side(&large, 30, 5);
    put(&large, "\x1b[?7l\x1b[31m");
    for (int row = 1; row <= 5; row++) {
        char text[64];
        snprintf(text, sizeof text, "\x1b[%d;1H%030d", row, 7);
        put(&large, text);
    }
    put(&all, "0123456789abcdefghij!");
    terminal_redraw_larger(all.terminal, &out);
    give(&large, out.data, out.len);
    bytes_finish(&out);
    assert_row(&large, 0, "0123456789");
    assert_row(&large, 1, "abcdefghij");
    assert_row(&large, 2, "!");
    assert_row(&large, 3, "");
    assert_row(&large, 4, "");
    assert_cursor(&large, 2, 1);
    close_side(&large);
    close_side(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_primary_screen_is_behind_the_alternate_one),
        cmocka_unit_test(nothing_scrolls),
        cmocka_unit_test(at_the_edge_of_an_erased_screen_nothing_waits),
        cmocka_unit_test(a_programs_colours_are_those_of_who_joins),
        cmocka_unit_test(a_colour_of_a_name_is_that_of_who_joins),
        cmocka_unit_test(the_alternate_screen_is_erased_as_it_is_entered),
        cmocka_unit_test(a_title_that_was_put_aside_comes_back),
        cmocka_unit_test(titles_that_were_put_aside_are_there_for_who_joins),
        cmocka_unit_test(a_smaller_viewer_follows_the_cursor),
        cmocka_unit_test(a_part_is_not_asked_for_its_size),
        cmocka_unit_test(a_larger_viewer_shows_blanks_around),
        cmocka_unit_test(a_larger_terminal_that_is_given_all_shows_blanks_around),
        cmocka_unit_test(who_joins_ends_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
