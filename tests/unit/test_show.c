/* What commands print: colours that pass and all else that does not, pages, tables. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptyd/command/columns.h"
#include "ptyd/command/page.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/table.h"

static struct bytes out;

static const char *text_of(struct bytes *bytes)
{
    return bytes->data && bytes->len ? bytes->data : "";
}

static int empty(void **state)
{
    (void)state;
    bytes_finish(&out);
    return 0;
}

/* ---- paint ---- */

static void expect_terminal(const char *text, const char *expected)
{
    out.len = 0;
    paint_terminal(text, strlen(text), &out);
    assert_string_equal(text_of(&out), expected);
}

static void colours_pass(void **state)
{
    (void)state;
    expect_terminal("a\x1b[31mb\x1b[mc", "a\x1b[0;31mb\x1b[0mc");
    expect_terminal("\x1b[1;38;5;208;48;2;1;2;3mx", "\x1b[0;1;38;5;208;48;2;1;2;3mx\x1b[0m");
    expect_terminal("\x1b[38:5:9mx\x1b[48:2::1:2:3my",
                    "\x1b[0;91mx\x1b[0m\x1b[0;91;48;2;1;2;3my\x1b[0m");
    expect_terminal("\x1b[4:3;58:5:1mx\x1b[4:0my", "\x1b[0;4mx\x1b[0my");
    expect_terminal("\x1b[0;58;5;1;32mx", "\x1b[0;32mx\x1b[0m");
}

/* What hides text or blinks does not, nor what is no colour. */
static void nothing_else_passes(void **state)
{
    (void)state;
    expect_terminal("\x1b[8;5mx", "x");
    expect_terminal("\x1b[2Jx", "\\u{1b}[2Jx");
    expect_terminal("\x1b[31;1Hx", "\\u{1b}[31;1Hx");
    expect_terminal("\x1b]52;c;eA==\x07", "\\u{1b}]52;c;eA==\\u{7}");
    expect_terminal("\x1b[?1m\x1b[1\x1b[", "\\u{1b}[?1m\\u{1b}[1\\u{1b}[");
    expect_terminal("a\xe2\x80\xae"
                    "b\xc2\x9b"
                    "31mc",
                    "a\\u{202e}b\\u{9b}31mc");
    expect_terminal("\xff", "\\u{ff}");
    expect_terminal("\x1b[38;5;999mx\x1b[38;2;1;2mx\x1b[38mx", "xxx");
}

static void expect_match(const char *text, const char *painted, const char *expected)
{
    out.len = 0;
    paint_match(text, strlen(text), painted, strlen(painted), &out);
    assert_string_equal(text_of(&out), expected);
}

static void lines_take_the_colours_they_have(void **state)
{
    (void)state;
    expect_match("a\nb\n", "\x1b[1ma\x1b[0m\nb", "\x1b[1ma\x1b[0m\nb\n");
    expect_match("a\nb\n", "x\ny\n\x1b[1mb\x1b[0m\n", "a\n\x1b[1mb\x1b[0m\n");
    expect_match("a\nsecret\nb", "\x1b[1ma\x1b[0m\n\x1b[1mpassword\x1b[0m\n\x1b[2mb\x1b[0m",
                 "\x1b[1ma\x1b[0m\nsecret\n\x1b[2mb\x1b[0m\n");
    expect_match("a  \n", "\x1b[41ma \x1b[0m", "\x1b[41ma \x1b[0m\n");
    expect_match("b\na\n", "\x1b[1ma\x1b[0m\n\x1b[1mb\x1b[0m", "\x1b[1mb\x1b[0m\na\n");
}

/* ---- pages ---- */

static void html_is_escaped(void **state)
{
    static const char text[] = "<script>\"&amp;'</script>";
    (void)state;
    out.len = 0;
    page_escape(text, strlen(text), &out);
    assert_string_equal(out.data, "&lt;script&gt;&quot;&amp;amp;'&lt;/script&gt;");
}

static char *page_of(const char *line)
{
    char *html = NULL;
    size_t len;
    FILE *file = open_memstream(&html, &len);
    struct page *page = page_create("a <title>");
    page_heading(page, "$ <b>\x1b[31m");
    page_line(page, line, strlen(line));
    page_write(page, file);
    page_destroy(page);
    fclose(file);
    return html;
}

static void a_page_has_the_classes_that_it_uses(void **state)
{
    char *html = page_of("\x1b[1;31m<x>\x1b[0;48;5;208my\x1b[0;7mz\x1b[0;38;2;255;0;16mw\x1b[m");
    (void)state;
    assert_non_null(strstr(html, "<title>a &lt;title&gt;</title>"));
    assert_non_null(strstr(html, "<b>$ &lt;b&gt;\\u{1b}[31m</b>\n"));
    assert_non_null(strstr(html, "<span class=\"f1 bold\">&lt;x&gt;</span>"
                                 "<span class=\"b208\">y</span><span class=\"fd bd\">z</span>"
                                 "<span class=\"f-ff0010\">w</span>\n"));
    assert_non_null(strstr(html, "\n.f1{color:#"));
    assert_non_null(strstr(html, "\n.b208{background:#ff8700}\n")); /* xterm's 208 */
    assert_non_null(strstr(html, "\n.f-ff0010{color:#ff0010}\n"));
    assert_non_null(strstr(html, "\n.fd{"));
    assert_null(strstr(html, ".f2{"));
    assert_null(strstr(html, "italic"));
    free(html);
}

/* ---- columns ---- */

static void expect_fit(const char *text, size_t width, enum columns_cut cut, const char *expected)
{
    out.len = 0;
    columns_fit(text, strlen(text), width, cut, &out);
    assert_string_equal(text_of(&out), expected);
}

static void columns_are_those_of_a_terminal(void **state)
{
    (void)state;
    assert_int_equal(columns_count("abc", 3), 3);
    assert_int_equal(columns_count("\xe6\xbc\xa2\xe5\xad\x97", 6), 4); /* two wide ones */
    assert_int_equal(columns_count("e\xcc\x81", 3), 1);                /* a mark on an e */
    expect_fit("abc", 5, COLUMNS_CUT_END, "abc  ");
    expect_fit("abcdef", 4, COLUMNS_CUT_END, "abc\xe2\x80\xa6");
    expect_fit("abcdef", 4, COLUMNS_CUT_BEGIN,
               "\xe2\x80\xa6"
               "def");
    expect_fit("\xe6\xbc\xa2\xe5\xad\x97", 4, COLUMNS_CUT_END, "\xe6\xbc\xa2\xe5\xad\x97");
    expect_fit("\xe6\xbc\xa2\xe5\xad\x97", 3, COLUMNS_CUT_END, "\xe6\xbc\xa2\xe2\x80\xa6");
    expect_fit("\xe6\xbc\xa2\xe5\xad\x97", 2, COLUMNS_CUT_END, "\xe2\x80\xa6 ");
    expect_fit("\xe6\xbc\xa2\xe5\xad\x97", 2, COLUMNS_CUT_BEGIN, "\xe2\x80\xa6 ");
    expect_fit("abc", 0, COLUMNS_CUT_END, "");
}

/* ---- the table ---- */

#define NOW INT64_C(1795350600000) /* 2026-11-22 12:30:00 UTC */

static const char *row(size_t width, int64_t begun, const char *cwd, const char *cmd)
{
    struct table_look look = {.width = width, .now_ms = NOW, .home = "/home/dana"};
    json_t *block = json_pack("{s:i, s:I, s:s, s:i, s:i, s:s, s:s}", "seq", 7, "ts_begin",
                              (json_int_t)begun, "status", "completed", "exit_code", 2,
                              "duration_ms", 1260, "cwd", cwd, "cmd", cmd);
    out.len = 0;
    table_block(&look, block, &out);
    json_decref(block);
    return text_of(&out);
}

static void rows_are_as_wide_as_the_terminal(void **state)
{
    (void)state;
    for (size_t width = 8; width < 200; width++) {
        const char *line = row(width, NOW, "/home/dana/\xe6\xbc\xa2\xe5\xad\x97/a/b/c/d/e/f/g",
                               "echo \xe6\xbc\xa2\xe5\xad\x97 \xe6\xbc\xa2\xe5\xad\x97 and a very "
                               "long command that goes on and on and on for no good reason at all "
                               "until there is no terminal that has room for it");
        assert_int_equal(columns_count(line, strlen(line) - 1), width);
    }
}

/* What tells least goes first: a narrow terminal shows what ran and how it ended. */
static void narrow_rows_have_fewer_cells(void **state)
{
    struct table_look look = {.width = 40};
    (void)state;
    assert_string_equal(row(69, NOW, "/home/dana/shop", "make all"),
                        "    7  12:30:00     completed     2      1.2 s  make all\n");
    assert_string_equal(row(40, NOW, "/home/dana/shop", "make all"),
                        "    7  completed     2  make all\n");
    assert_string_equal(row(20, NOW, "/home/dana/shop", "make all of it"),
                        "    7  make all of \xe2\x80\xa6\n");
    out.len = 0;
    table_heading(&look, &out);
    assert_string_equal(text_of(&out), "   ID  STATUS     EXIT  COMMAND\n");
}

static void rows_say_what_they_say(void **state)
{
    (void)state;
    assert_string_equal(row(80, NOW, "/home/dana/shop", "make\n-j4\t\x1b[2Jnow"),
                        "    7  12:30:00     completed     2      1.2 s  ~/shop      "
                        "make\xe2\x86\xb5-j4 \\u{1b}[2Jn\xe2\x80\xa6\n");
    assert_string_equal(row(100, NOW - 86400000, "/home/danae", "ls"),
                        "    7  11-21 12:30  completed     2      1.2 s  /home/danae       ls\n");
    assert_string_equal(row(0, NOW, "/home/dana", "ls"),
                        "    7  2026-11-22 12:30:00  completed     2      1.2 s  "
                        "~                         ls\n");
}

static void expect_duration(int64_t ms, const char *expected)
{
    out.len = 0;
    table_duration(ms, &out);
    assert_string_equal(text_of(&out), expected);
}

static void durations_are_short(void **state)
{
    (void)state;
    expect_duration(0, "0 ms");
    expect_duration(999, "999 ms");
    expect_duration(1260, "1.2 s");
    expect_duration(59999, "59.9 s");
    expect_duration(60000, "1 m 00 s");
    expect_duration(3725000, "1 h 02 m");
    expect_duration(INT64_C(90000000), "1 d 01 h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_pass),
        cmocka_unit_test(nothing_else_passes),
        cmocka_unit_test(lines_take_the_colours_they_have),
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(a_page_has_the_classes_that_it_uses),
        cmocka_unit_test(columns_are_those_of_a_terminal),
        cmocka_unit_test(rows_are_as_wide_as_the_terminal),
        cmocka_unit_test(narrow_rows_have_fewer_cells),
        cmocka_unit_test(rows_say_what_they_say),
        cmocka_unit_test(durations_are_short),
    };
    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, empty);
}
