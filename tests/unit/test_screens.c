/* Screens as xterm draws them: the rows that XTerm(379) printed of each stream on 24 columns and 8
 * rows
 * (`make check-xterm` asks it again, of random ones); and where ours is another on purpose. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/terminal.h"

#define COLS 24
#define ROWS 8

static const struct terminal_events events;

static const struct {
    const char *what, *stream, *rows;
} cases[] = {
    {"ESC 6 and 9 step, at a margin the columns move",
     "abc\x1b"
     "6\x1b"
     "6x\r\x1b"
     "6y",
     "yaxc"},
    {"DECFI at the right margin",
     "\x1b[1;24HZ\x1b[2;1Hrow\x1b[1;24H\x1b"
     "9x",
     "                      Zx\now"},
    {"IL and DL go to the start of the row", "one\r\ntwo\r\nthree\x1b[2;3H\x1b[Lx\x1b[4;2H\x1b[My",
     "one\nx\ntwo\ny"},
    {"IL outside of the region does nothing", "a\r\nb\r\nc\x1b[4;6r\x1b[2;1H\x1b[Lx", "a\nx\nc"},
    {"CUU stops at the margin, from outside at the edge",
     "\x1b[3;6r\x1b[5;4H\x1b[9Aa\x1b[2;4H\x1b[9Ab", "   b\n\n   a"},
    {"CUD too", "\x1b[3;6r\x1b[4;4H\x1b[9Ba\x1b[7;4H\x1b[9Bb", "\n\n\n\n\n   a\n\n   b"},
    {"CNL and CPL", "\x1b[3;6r\x1b[5;9H\x1b[2Ea\x1b[5;9H\x1b[9Fb", "\n\nb\n\n\na"},
    {"margins of columns: text wraps between them", "\x1b[?69h\x1b[5;9sABCDEFGHIJKLMNOP",
     "ABCDEFGHI\n    JKLMN\n    OP"},
    {"margins: outside of them text goes on to the edge",
     "\x1b[?69h\x1b[5;9s\x1b[2;12Hlonger than the rest of it",
     "\n           longer than t\n    he re\n    st of\n     it"},
    {"margins: a carriage return in front and behind",
     "\x1b[?69h\x1b[5;9s\x1b[2;3Ha\rb\x1b[3;8Hc\rd", "\nb a\n    d  c"},
    {"margins: lines scroll between them",
     "\x1b[1;1HAAAAAAAAAAAA\r\nBBBBBBBBBBBB\r\nCCCCCCCCCCCC\x1b[?69h\x1b[4;8s\x1b[1;3r\x1b[3;5H\n",
     "AAABBBBBAAAA\nBBBCCCCCBBBB\nCCC     CCCC"},
    {"margins: insert and delete up to the right one",
     "abcdefghijkl\x1b[?69h\x1b[3;8s\x1b[1;4H\x1b[2@\x1b[1;4H\x1b[P", "abc def ijkl"},
    {"margins: ICH outside of them", "abcdefghijkl\x1b[?69h\x1b[3;8s\x1b[1;10H\x1b[2@x",
     "abcdefghixkl"},
    {"margins: origin", "\x1b[3;6r\x1b[?69h\x1b[5;9s\x1b[?6h\x1b[1;1Ha\x1b[9;9Hb\x1b[?6l\x1b[1;1Hc",
     "c\n\n    a\n\n\n        b"},
    {"margins without room are none", "abc\x1b[?69h\x1b[9;9sd", "abcd"},
    {"a region without two rows is none", "abc\x1b[3;3rd\x1b[5;2re", "abcde"},
    {"SL and SR", "abcdef\r\nghijkl\x1b[1;3H\x1b[2 @\x1b[2;1H\x1b[3 Ax", "   cdef\nx  ijkl"},
    {"DECIC and DECDC", "abcdef\r\nghijkl\x1b[1;3H\x1b[2'}x\x1b[2;5H\x1b[3'~y", "abx f\ngh  y"},
    {"DECERA, DECFRA and DECCRA",
     "abcdefgh\r\nijklmnop\r\nqrstuvwx\x1b[1;2;2;4$z\x1b[43;2;6;3;9$x\x1b[1;1;2;8;1;5;10;1$v",
     "a   efgh\ni   m++++\nqrstu++++\n\n         a   efgh\n         i   m+++"},
    {"rectangles count from the origin",
     "abcdefgh\r\nijklmnop\r\nqrstuvwx\x1b[2;3r\x1b[?6h\x1b[1;2;1;4$z",
     "abcdefgh\ni   mnop\nqrstuvwx"},
    {"DECALN goes home and has no margins", "\x1b[3;4rabc\x1b#8x",
     "xEEEEEEEEEEEEEEEEEEEEEEE\nEEEEEEEEEEEEEEEEEEEEEEEE\nEEEEEEEEEEEEEEEEEEEEEEEE\nEEEEEEEEEEEEEEE"
     "EEEEEEEEE\nEEEEEEEEEEEEEEEEEEEEEEEE\nEEEEEEEEEEEEEEEEEEEEEEEE\nEEEEEEEEEEEEEEEEEEEEEEEE\nEEEE"
     "EEEEEEEEEEEEEEEEEEEE"},
    {"REP repeats what was printed last", "ab\x1b[3bc", "abbbbc"},
    {"REP repeats nothing behind anything else", "ab\r\n\x1b[3bc\x1b[31m\x1b[3bd\x1b[b\x1b[be",
     "ab\ncdde"},
    {"of a wide character no half stays: printed over",
     "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\x1b[1;2Hx\x1b[1;5Hy", " x\xe6\x9c\xacy"},
    {"of a wide character no half stays: erased",
     "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xed\x95\x9c\xea\xb8\x80\x1b[1;2H\x1b[3X",
     "    \xe8\xaa\x9e\xed\x95\x9c\xea\xb8\x80"},
    {"of a wide character no half stays: shifted",
     "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xed\x95\x9c\xea\xb8\x80\x1b[1;2H\x1b[P\x1b[2;"
     "1H\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\x1b[2;4H\x1b[@",
     " \xe6\x9c\xac\xe8\xaa\x9e\xed\x95\x9c\xea\xb8\x80\n\xe6\x97\xa5   \xe8\xaa\x9e"},
    {"of wide characters no halves are joined", "\xe6\x97\xa5\xe6\x9c\xacx\x1b[1;2H\x1b[2P", "  x"},
    {"a mark brings back nothing that was erased", "e\x1b[H\x1b[J\x1b[C\xcc\x81y", " y"},
    {"a wide character at the edge", "\x1b[1;24H\xe6\x97\xa5x", "\n\xe6\x97\xa5x"},
    {"insertion at the edge", "abcdefghijklmnopqrstuvwxyz\x1b[1;3H\x1b[4h123\x1b[4l",
     "ab123cdefghijklmnopqrstu\nyz"},
    {"insertion of wide characters", "abcdef\x1b[1;3H\x1b[4h\xe6\x97\xa5\xe6\x9c\xac\x1b[4l",
     "ab\xe6\x97\xa5\xe6\x9c\xac"
     "cdef"},
    {"no wrap: the last column is written over", "\x1b[?7labcdefghijklmnopqrstuvwxyz123",
     "abcdefghijklmnopqrstuvw3"},
    {"new line mode", "\x1b[20habc\ndef\x1b[20l\nghi", "abc\ndef\n   ghi"},
    {"reverse wrap", "\x1b[?45habcdefghijklmnopqrstuvwxyz\b\b\b\b!\x1b[2;1H\x1b[3D#",
     "abcdefghijklmnopqrstu#!x\nyz"},
    {"reverse wrap above the region", "\x1b[3;5r\x1b[?45h\bx\x1b[3;1H\by",
     "\n\n\n\n                       y\n\n\n                       x"},
    {"reverse wrap ends with DECSTR", "\x1b[?45hab\r\nc\x1b[!p\b\b\bX", "ab\nX"},
    {"?47 is the alternate screen", "abc\x1b[?47h\x1b[Hxyz\x1b[?47ld", "abcd"},
    {"each screen has its saved cursor",
     "one\x1b"
     "7\x1b[?1049h\x1b[5;5H\x1b"
     "7full\x1b[?1049l\x1b"
     "8two",
     "onetwo"},
    {"a saved cursor waits at the edge",
     "abcdefghijklmnopqrstuvwx\x1b"
     "7\x1b[3;3Hq\x1b"
     "8YZ",
     "abcdefghijklmnopqrstuvwx\nYZ\n  q"},
    {"and one that is saved with the screen", "abcdefghijklmnopqrstuvwx\x1b[?1049hQ\x1b[?1049lYZ",
     "abcdefghijklmnopqrstuvwx\nYZ"},
    {"SCORC too", "abcdefghijklmnopqrstuvwx\x1b[s\x1b[H\x1b[uYZ", "abcdefghijklmnopqrstuvwx\nYZ"},
    {"it waits across ?47", "abcdefghijklmnopqrstuvwx\x1b[?47h\x1b[?47lYZ",
     "abcdefghijklmnopqrstuvwx\nYZ"},
    {"also back to where nothing stands", "\x1b[?47h\x1b[5;24HA\x1b[?47lB", "\n\n\n\n\nB"},
    {"and there and back again", "\x1b[?47h\x1b[5;24HA\x1b[?47l\x1b[?47h\x1b[?47lB", "\n\n\n\n\nB"},
    {"also where its character scrolled away", "\x1b[6;22Hfoo\x1b[2T\x1b[?47l\x1b(BYZ",
     "\n\n\n\n\n\nYZ\n                     foo"},
    {"also on the alternate screen", "abcdefghijklmnopqrstuvwx\x1b[?1047hY", "\nY"},
    {"not where that is erased", "abcdefghijklmnopqrstuvwx\x1b[?1049hYZ",
     "                       Y\nZ"},
    {"and across DECSTR", "abcdefghijklmnopqrstuvwx\x1b[!pYZ", "abcdefghijklmnopqrstuvwx\nYZ"},
    {"what is erased in front of it ends the waiting", "abcdefghijklmnopqrstuvwx\x1b[1KYZ",
     "                       Y\nZ"},
    {"or as a whole", "abcdefghijklmnopqrstuvwx\x1b[2JYZ", "                       Y\nZ"},
    {"behind a wide character it waits on the last column", "abcdefghijklmnopqrstuv\xe6\x97\xa5\bY",
     "abcdefghijklmnopqrstuvY"},
    {"which CUU keeps", "x\r\nabcdefghijklmnopqrstuv\xe6\x97\xa5\x1b[AY",
     "x                      Y\nabcdefghijklmnopqrstuv\xe6\x97\xa5"},
    {"and which is written without wrapping", "abcdefghijklmnopqrstuv\xe6\x97\xa5\x1b[?7lY",
     "abcdefghijklmnopqrstuv Y"},
    {"a wide character without room and wrapping is not there", "\x1b[1;23H\x1b[?7lxy\xe6\x97\xa5",
     "                      xy"},
    {"a mark behind a movement joins what the cursor is on", "abc\x1b[1;2H\xcc\x81",
     "ab\xcc\x81"
     "c"},
    {"SCOSC and SCORC", "abc\x1b[sdef\r\nghi\x1b[uX", "abcXef\nghi"},
    {"SD with 0 is nothing, SU scrolls one", "a\r\nb\r\nc\x1b[0Td\x1b[0Se", "b\ncd\n  e"},
    {"tab stops", "\x1b[3g\x1b[1;5H\x1bH\x1b[1;12H\x1bH\ra\tb\tc\x1b[2Zd", "a   d      c"},
    {"from behind the right margin a tab leads to it", "\x1b[?69h\x1b[11;17s\x1b[4;21H\x1b[1Ithe",
     "\n\n\n                t\n          he"},
    {"no character makes room outside the margins", "\x1b[4hfox\x1b[?69h\x1b[6;14sfox", "fox"},
    {"HPR and VPR stay on the screen", "a\x1b[99ab\x1b[99ec\x1b[3dd",
     "a                      b\n\n                       d\n\n\n\n\n                       c"},
    {"a line feed in the last row ends the waiting at the edge",
     "\x1b[8;1H0123456789abcdefghijklmn\nx\x1b[1;1H\x1b[7;8r\x1b[8;"
     "1H0123456789abcdefghijklmn\vy\x1b"
     "[7;1H0123456789abcdefghijklmn\x1bMz",
     "\n\n\n\n\n\n                       z\n0123456789abcdefghijklmn"},
    {"special graphics begin with a blank", "\x1b(0a_q\x1b(B_", "\xe2\x96\x92 \xe2\x94\x80_"},
    {"a mark and an erased character", "e\xcc\x81x\b\b\x1b[Xy", "yx"},
    {"index at the bottom scrolls, reverse index at the top",
     "a\x1b[8;1Hb\x1b"
     "Dc\x1b[1;3H\x1bMd",
     "  d\n\n\n\n\n\n\nb"},
};

static struct terminal *terminal_of(const char *stream, bool no_bypass)
{
    struct terminal_options options = {
        .cols = COLS, .rows = ROWS, .events = &events, .no_bypass = no_bypass};
    struct terminal *t = terminal_create(&options);
    char *copy = strdup(stream);
    assert_int_equal(terminal_write(t, copy, strlen(copy)), strlen(copy));
    free(copy);
    return t;
}

/* Without the blank ones at the end. */
static char *rows_of(struct terminal *t)
{
    struct bytes all = {0};
    size_t end = 0;
    for (int i = 0; i < ROWS; i++) {
        bytes_append_text(&all, i ? "\n" : "");
        size_t before = all.len;
        terminal_row_text(t, i, &all);
        end = all.len > before ? all.len : end;
    }
    all.data[end] = '\0';
    return all.data;
}

static void expect_rows(const char *what, const char *stream, const char *rows, bool no_bypass)
{
    struct terminal *t = terminal_of(stream, no_bypass);
    char *got = rows_of(t);
    if (strcmp(got, rows))
        print_message("%s%s\n", what, no_bypass ? ", everything by libvterm" : "");
    assert_string_equal(got, rows);
    free(got);
    terminal_destroy(t);
}

static void screens_are_as_xterm_draws_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int no_bypass = 0; no_bypass < 2; no_bypass++)
            expect_rows(cases[i].what, cases[i].stream, cases[i].rows, no_bypass);
}

/* Where the cursor waits behind the last column xterm takes the character there; tmux, xterm.js and
 * alacritty do not, nor do we: `grep --color` erases behind each match. */
static void what_was_printed_at_the_edge_stays(void **state)
{
    static const char *const takers[] = {"\x1b[K",  "\x1b[0J", "\x1b[3X",
                                         "\x1b[2P", "\x1b[@",  "\x1b[?K"};
    char stream[128];
    (void)state;
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        snprintf(stream, sizeof stream, "a line that ends in NEEDL%s and more", takers[i]);
        for (int no_bypass = 0; no_bypass < 2; no_bypass++)
            expect_rows(takers[i] + 1, stream, "a line that ends in NEED\nL and more", no_bypass);
        snprintf(stream, sizeof stream, "a line that ends in NEED%s\r\nmore", takers[i]);
        for (int no_bypass = 0; no_bypass < 2; no_bypass++)
            expect_rows(takers[i] + 1, stream, "a line that ends in NEED\nmore", no_bypass);
    }
}

static void on_output(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

static void what_was_printed_at_the_edge_is_captured(void **state)
{
    struct terminal *t = terminal_of("$ ", false);
    struct bytes output = {0};
    char grep[] =
        "\r\n\x1b[35mfile\x1b[m\x1b[K: a line with \x1b[1;31mNEEDLE\x1b[m\x1b[K and more\r\n"
        "0123456789 ends with it\x1b[m\x1b[K.\x1b[K\r\n";
    (void)state;
    terminal_capture_begin(t, on_output, &output);
    terminal_write(t, grep, sizeof grep - 1);
    terminal_capture_end(t);
    bytes_append_text(&output, "");
    assert_string_equal(output.data,
                        "\nfile: a line with NEEDLE and more\n0123456789 ends with it.");
    bytes_finish(&output);
    terminal_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screens_are_as_xterm_draws_them),
        cmocka_unit_test(what_was_printed_at_the_edge_stays),
        cmocka_unit_test(what_was_printed_at_the_edge_is_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
