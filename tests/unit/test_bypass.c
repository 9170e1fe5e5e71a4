/* The short ways around libvterm give what libvterm gives: random streams, cut at random, through a
 * terminal with them and one without; every row, pen, cursor, scrollback line and piece of captured
 * output is compared. As both share the parser, libvterm alone is given raw streams, too, and its
 * screen compared with ours. BYPASS_STREAMS: how many (default 10000). */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "base/limits.h"
#include "tests/unit/streams.h"
#include "vterm_snapshot/terminal.h"

struct side {
    struct terminal *terminal;
    struct terminal_options options;
    struct bytes output, pending;
};

static void on_output(void *user, const char *text, size_t len)
{
    bytes_append(&((struct side *)user)->output, text, len);
}

static const struct terminal_events events;

static void open_side(struct side *s, int cols, int rows, bool no_bypass)
{
    *s = (struct side){.options = {.cols = cols,
                                   .rows = rows,
                                   .scrollback = 40,
                                   .events = &events,
                                   .no_bypass = no_bypass}};
    s->terminal = terminal_create(&s->options);
}

/* Kept apart, so that both sides are given the same. */
static uint64_t aside_seed;
static unsigned saved, refused;

static unsigned pick_aside(unsigned count)
{
    aside_seed = aside_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(aside_seed >> 33) % count;
}

/* Goes on with another terminal, made of what the first one saved. */
static void save_and_load(struct side *s)
{
    struct bytes point = {0};
    if (terminal_save(s->terminal, &point)) {
        struct unpack in = {.at = point.data, .end = point.data + point.len};
        struct terminal *next = terminal_load(&s->options, &in);
        assert_non_null(next);
        assert_ptr_equal(in.at, in.end);
        terminal_capture_resume(next, on_output, s);
        terminal_destroy(s->terminal);
        s->terminal = next;
        saved++;
    } else {
        refused++;
    }
    bytes_finish(&point);
}

static void give(struct side *s, const char *bytes, size_t len)
{
    bytes_append(&s->pending, bytes, len);
    if (!s->options.no_bypass && pick_aside(6) == 0)
        save_and_load(s);
    bytes_consume(&s->pending, terminal_write(s->terminal, s->pending.data, s->pending.len));
}

static char *all_of(struct side *s)
{
    struct bytes all = {0};
    struct terminal_cursor cursor = terminal_cursor(s->terminal);
    terminal_redraw(s->terminal, &all); /* rows, pens, cursor */
    bytes_printf(&all, "\n%d,%d,%d\n", cursor.row, cursor.col,
                 (int)terminal_scrollback_total(s->terminal));
    for (size_t i = 0; i < terminal_scrollback_count(s->terminal); i++) {
        struct terminal_anchor at = terminal_scrollback_anchor(s->terminal, i);
        bytes_printf(&all, "%d+%d ", (int)at.line, (int)at.offset);
        terminal_scrollback_pens(s->terminal, i, &all);
        terminal_scrollback_text(s->terminal, i, &all);
        bytes_append_char(&all, '\n');
    }
    bytes_append(&all, s->output.data, s->output.len);
    bytes_append_text(&all, "");
    return all.data;
}

static void close_side(struct side *s)
{
    terminal_destroy(s->terminal);
    bytes_finish(&s->output);
    bytes_finish(&s->pending);
}

/* Everything a stream does, to both sides in the same steps. */
static void run_stream(struct side sides[2], const struct bytes *stream, bool captures)
{
    size_t at = 0;
    unsigned most = pick(2) ? 5000 : 40;
    for (unsigned step = 0; at < stream->len; step++) {
        size_t len = 1 + pick(most);
        len = len < stream->len - at ? len : stream->len - at;
        bool capture = captures && step == 2, resize = pick(20) == 0;
        int cols = 5 + (int)pick(90), rows = 2 + (int)pick(30);
        for (int i = 0; i < 2; i++) {
            if (capture)
                terminal_capture_begin(sides[i].terminal, on_output, &sides[i]);
            if (resize)
                terminal_resize(sides[i].terminal, cols, rows);
            give(&sides[i], stream->data + at, len);
        }
        at += len;
    }
    for (int i = 0; i < 2; i++)
        terminal_capture_end(sides[i].terminal);
}

/* Shows where they part, not all of both. */
static void assert_same(const char *fast, const char *plain)
{
    size_t at = 0;
    while (fast[at] && fast[at] == plain[at])
        at++;
    size_t from = at > 60 ? at - 60 : 0;
    if (fast[at] != plain[at])
        print_message("plain: %.160s\nfast:  %.160s\n", plain + from, fast + from);
    assert_int_equal(fast[at], plain[at]);
}

#define DRAWING (UINT64_C(1) << 40) /* in a stream's number */

static void compare_stream(uint64_t number)
{
    struct bytes stream = {0};
    struct side sides[2];
    seed = number * 7919 + 1;
    aside_seed = number;
    if (number & DRAWING)
        make_drawing(&stream);
    else
        make_stream(&stream);
    int cols = 5 + (int)pick(90), rows = 2 + (int)pick(30);
    open_side(&sides[0], cols, rows, true);
    open_side(&sides[1], cols, rows, false);
    run_stream(sides, &stream, pick(4) > 0);
    char *plain = all_of(&sides[0]), *fast = all_of(&sides[1]);
    if (strcmp(plain, fast)) {
        FILE *file = fopen("build/bypass-stream", "wb");
        if (file) {
            fwrite(stream.data, 1, stream.len, file);
            fclose(file);
        }
        print_message("stream %llu differs (%dx%d); it is in build/bypass-stream\n",
                      (unsigned long long)number, cols, rows);
    }
    assert_same(fast, plain);
    free(plain);
    free(fast);
    close_side(&sides[0]);
    close_side(&sides[1]);
    bytes_finish(&stream);
}

/* Streams that parted once, found among millions. */
static void streams_that_parted_end_the_same(void **state)
{
    (void)state;
    compare_stream(47798);      /* what waits at the edge while rows scroll away below it */
    compare_stream(1003273812); /* a capture began in a row that a resize then took away */
}

static void random_streams_end_the_same(void **state)
{
    const char *given = getenv("BYPASS_STREAMS"), *first = getenv("BYPASS_FIRST");
    uint64_t count = given ? strtoull(given, NULL, 10) : 10000;
    uint64_t from = first ? strtoull(first, NULL, 10) : 0;
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        compare_stream((from + i) | (i % 8 == 7 ? DRAWING : 0));
        if (i % 100000 == 99999) {
            print_message("%llu of %llu\n", (unsigned long long)i + 1, (unsigned long long)count);
            fflush(stdout);
        }
    }
    print_message("%u times saved and loaded, %u times refused\n", saved, refused);
    assert_true(saved > refused);
}

/* ---- libvterm alone ---- */

static VTerm *open_vterm(int cols, int rows)
{
    VTerm *vterm = vterm_new(rows, cols);
    vterm_set_utf8(vterm, 1);
    vterm_screen_enable_altscreen(vterm_obtain_screen(vterm), 1);
    vterm_screen_reset(vterm_obtain_screen(vterm), 1);
    vterm_input_write(vterm, "\0337", 2); /* else what was never saved is zeros, not defaults */
    return vterm;
}

/* Line by line, so that no character is cut in two. */
static void write_vterm(VTerm *vterm, const struct bytes *stream)
{
    for (size_t at = 0, n; at < stream->len; at += n) {
        const char *end = memchr(stream->data + at, '\n', stream->len - at);
        n = end ? (size_t)(end + 1 - stream->data) - at : stream->len - at;
        vterm_input_write(vterm, stream->data + at, n);
    }
}

static bool is_blank(const VTermScreenCell *cell)
{
    return cell->chars[0] == 0 || cell->chars[0] == ' ';
}

static bool same_colour(const VTermColor *a, const VTermColor *b)
{
    bool is_default = a->type & VTERM_COLOR_DEFAULT_MASK;
    return is_default == (bool)(b->type & VTERM_COLOR_DEFAULT_MASK) &&
           (is_default || vterm_color_is_equal(a, b));
}

static bool same_cell(const VTermScreenCell *a, const VTermScreenCell *b)
{
    if (!same_colour(&a->bg, &b->bg) || is_blank(a) != is_blank(b))
        return false;
    return is_blank(a) ||
           (a->chars[0] == b->chars[0] && same_colour(&a->fg, &b->fg) &&
            a->attrs.bold == b->attrs.bold && a->attrs.italic == b->attrs.italic &&
            a->attrs.underline == b->attrs.underline && a->attrs.blink == b->attrs.blink &&
            a->attrs.reverse == b->attrs.reverse && a->attrs.strike == b->attrs.strike);
}

/* Half of a wide character can be overwritten: redrawn, the other half moves what is behind it. */
static bool has_wide(const VTermScreenCell *cell)
{
    return cell->chars[0] >= 0x2e80; /* the streams' wide ones; and what covers a cell */
}

static void assert_same_cells(VTerm *raw, VTerm *ours, int cols, int rows, uint64_t number)
{
    VTermScreenCell a, b;
    int differs = -1;
    bool wide = false;
    for (VTermPos at = {0, 0}; at.row < rows; at.col = (at.col + 1) % cols, at.row += !at.col) {
        vterm_screen_get_cell(vterm_obtain_screen(raw), at, &a);
        vterm_screen_get_cell(vterm_obtain_screen(ours), at, &b);
        wide = wide || has_wide(&a);
        differs = differs < 0 && !same_cell(&a, &b) ? at.row : differs;
    }
    if (differs >= 0 && !wide)
        print_message("stream %llu, row %d\n", (unsigned long long)number, differs);
    assert_true(differs < 0 || wide);
}

static void assert_same_text(VTerm *raw, struct terminal *ours, int row, int cols, uint64_t number)
{
    char text[LIMIT_SIZE_MAX * 4 + 1];
    struct bytes our_text = {0};
    size_t len = vterm_screen_get_text(vterm_obtain_screen(raw), text, sizeof text - 1,
                                       (VTermRect){row, row + 1, 0, cols});
    while (len && text[len - 1] == ' ')
        len--;
    text[len] = '\0';
    bytes_append_text(&our_text, "");
    terminal_row_text(ours, row, &our_text);
    if (strcmp(our_text.data, text))
        print_message("stream %llu\n", (unsigned long long)number);
    assert_string_equal(our_text.data, text);
    bytes_finish(&our_text);
}

/* What redraws our screen is drawn by another libvterm: cells are compared with cells,
 * and text with text. */
static void compare_with_libvterm(uint64_t number)
{
    struct bytes stream = {0}, drawing = {0};
    struct side side;
    VTermPos cursor;
    seed = number * 7919 + 1;
    if (number % 4 == 3)
        make_drawing(&stream);
    else
        make_stream(&stream);
    int cols = 5 + (int)pick(90), rows = 6 + (int)pick(26);
    VTerm *raw = open_vterm(cols, rows), *ours = open_vterm(cols, rows);
    write_vterm(raw, &stream);
    open_side(&side, cols, rows, false);
    for (size_t at = 0, n; at < stream.len; at += n) {
        n = 1 + pick(5000);
        n = n < stream.len - at ? n : stream.len - at;
        give(&side, stream.data + at, n);
    }
    terminal_redraw(side.terminal, &drawing);
    vterm_input_write(ours, drawing.data, drawing.len);
    for (int row = 0; row < rows; row++)
        assert_same_text(raw, side.terminal, row, cols, number);
    assert_same_cells(raw, ours, cols, rows, number);
    vterm_state_get_cursorpos(vterm_obtain_state(raw), &cursor);
    assert_int_equal(terminal_cursor(side.terminal).row, cursor.row);
    assert_int_equal(terminal_cursor(side.terminal).col, cursor.col);
    close_side(&side);
    vterm_free(raw);
    vterm_free(ours);
    bytes_finish(&stream);
    bytes_finish(&drawing);
}

static void raw_streams_end_as_libvterm_alone(void **state)
{
    const char *given = getenv("BYPASS_STREAMS"), *first = getenv("BYPASS_FIRST");
    uint64_t count = (given ? strtoull(given, NULL, 10) : 10000) / 2;
    uint64_t from = first ? strtoull(first, NULL, 10) : 0;
    (void)state;
    streams_strict = true;
    for (uint64_t i = 0; i < count; i++)
        compare_with_libvterm(from + i);
    streams_strict = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_that_parted_end_the_same),
                                       cmocka_unit_test(random_streams_end_the_same),
                                       cmocka_unit_test(raw_streams_end_as_libvterm_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
