/* What `send`, `wait` and `script` are made of: names of keys, steps, and the search in a stream.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/client/key_names.h"
#include "ptyd/client/matcher.h"
#include "ptyd/client/steps.h"

/* ---- keys ---- */

static void key(const char *name, bool cursor_keys, const char *bytes, size_t len)
{
    struct key_modes modes = {.cursor_keys = cursor_keys};
    struct bytes out = {0};
    if (key_names_encode(name, &modes, &out) != 0 || out.len != len || memcmp(out.data, bytes, len))
        fail_msg("%s", name);
    bytes_finish(&out);
}

#define KEY(name, bytes) key(name, false, bytes, sizeof(bytes) - 1)

/* From ctlseqs (xterm 379), "PC-Style Function Keys" and "VT220-Style", and terminfo's kf13 on for
 * a VT220: what is printed there, not what the code makes. */
static void keys_are_as_xterm_sends_them(void **state)
{
    (void)state;
    KEY("Enter", "\r");
    KEY("enter", "\r");
    KEY("Tab", "\t");
    KEY("BTab", "\x1b[Z");
    KEY("S-Tab", "\x1b[Z");
    KEY("Escape", "\x1b");
    KEY("Space", " ");
    KEY("BSpace", "\x7f");
    KEY("C-Space", "\0");
    KEY("C-@", "\0");
    KEY("C-c", "\x03");
    KEY("C-C", "\x03");
    KEY("c-[", "\x1b");
    KEY("C-\\", "\x1c");
    KEY("C-_", "\x1f");
    KEY("C-/", "\x1f");
    KEY("C-?", "\x7f");
    KEY("M-x", "\x1bx");
    KEY("M-C-x", "\x1b\x18");
    KEY("C-M-x", "\x1b\x18");
    KEY("M-Enter", "\x1b\r");
    KEY("M-\xc3\xa9", "\x1b\xc3\xa9");
    KEY("S-a", "A");
    KEY("-", "-");
    KEY("\xe6\x97\xa5", "\xe6\x97\xa5");
    KEY("Up", "\x1b[A");
    KEY("C-Left", "\x1b[1;5D");
    KEY("M-Right", "\x1b[1;3C");
    KEY("S-Home", "\x1b[1;2H");
    KEY("C-S-M-End", "\x1b[1;8F");
    KEY("Insert", "\x1b[2~");
    KEY("Delete", "\x1b[3~");
    KEY("DC", "\x1b[3~");
    KEY("PageUp", "\x1b[5~");
    KEY("PPage", "\x1b[5~");
    KEY("NPage", "\x1b[6~");
    KEY("C-PageDown", "\x1b[6;5~");
    KEY("F1", "\x1bOP");
    KEY("F4", "\x1bOS");
    KEY("S-F1", "\x1b[1;2P");
    KEY("F5", "\x1b[15~");
    KEY("S-F5", "\x1b[15;2~");
    KEY("F10", "\x1b[21~");
    KEY("F11", "\x1b[23~");
    KEY("F12", "\x1b[24~");
    KEY("F13", "\x1b[25~");
    KEY("F15", "\x1b[28~");
    KEY("F20", "\x1b[34~");
    key("Up", true, "\x1bOA", 3);
    key("Home", true, "\x1bOH", 3);
    key("C-Up", true, "\x1b[1;5A", 6); /* with modifiers as ever */
    key("PageUp", true, "\x1b[5~", 4);
    key("BTab", true, "\x1b[Z", 3);
}

static void others_are_none(void **state)
{
    static const char *const names[] = {"",    "Entr", "C-",  "C-\xc3\xa9", "F25", "F0",
                                        "C-F", "xy",   "S-1", "Ctrl-c",     "^C",  "\x03"};
    struct key_modes modes = {0};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bytes out = {0};
        if (!strcmp(names[i], "C-F")) /* a letter */
            continue;
        if (key_names_encode(names[i], &modes, &out) == 0 || out.len)
            fail_msg("%s", names[i]);
        bytes_finish(&out);
    }
    assert_string_equal(key_names_near("Entr"), "Enter");
    assert_string_equal(key_names_near("C-Pageup"), "PageUp");
    assert_string_equal(key_names_near("Ctrl-c"), "C-c");
    assert_string_equal(key_names_near("^C"), "C-c");
    static const char *const none[] = {"hippopotamus", "Foo", "x1", "Fn", "Cap", "Key", "P", ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (key_names_near(none[i]))
            fail_msg("'%s' is no %s", none[i], key_names_near(none[i]));
}

static void pastes_stay_pastes(void **state)
{
    struct key_modes plain = {0}, marked = {.bracketed_paste = true};
    struct bytes out = {0};
    (void)state;
    key_names_paste("a\nb\x1b[201~", &plain, &out);
    assert_string_equal(out.data, "a\rb[201~");
    out.len = 0;
    key_names_paste("a\nb\x1b[201~", &marked, &out);
    assert_string_equal(out.data, "\x1b[200~a\rb[201~\x1b[201~");
    bytes_finish(&out);
}

/* ---- steps ---- */

static void steps_are_read(void **state)
{
    static const char text[] = "# a comment\n"
                               "\n"
                               "  wait --prompt  # at once\n"
                               "set timeout 2.5\n"
                               "send \"say \\\"hi\\\"\\r\\x03\"'\\n \"'x\r\n"
                               "key C-c Up\n"
                               "expect --regex '^a+ b'\n"
                               "expect --timeout 1 \"--regex\"\n"
                               "expect-screen it\\s'x'\n"
                               "wait --timeout 9 --settled 300";
    struct steps s;
    char *error = NULL;
    (void)state;
    assert_int_equal(steps_parse(text, &s, &error), 0);
    assert_int_equal(s.count, 7);
    assert_int_equal(s.steps[0].line, 3);
    assert_string_equal(s.steps[0].source, "wait --prompt");
    assert_int_equal(s.steps[0].what.kind, WAIT_PROMPT);
    assert_true(s.steps[0].timeout == 10);
    assert_string_equal(s.steps[1].keys.ways[0].data, "say \"hi\"\r\x03\\n \"x");
    assert_string_equal(s.steps[2].keys.ways[0].data, "\x03\x1b[A");
    assert_string_equal(s.steps[2].keys.ways[1].data, "\x03\x1bOA");
    assert_true(s.steps[3].what.is_regex && s.steps[3].what.regex);
    assert_string_equal(s.steps[3].what.text, "^a+ b");
    assert_true(s.steps[3].timeout == 2.5);
    assert_string_equal(s.steps[4].what.text, "--regex");
    assert_true(s.steps[4].timeout == 1);
    assert_int_equal(s.steps[5].what.kind, WAIT_SCREEN);
    assert_string_equal(s.steps[5].what.text, "it\\sx");
    assert_int_equal(s.steps[6].what.ms, 300);
    assert_int_equal(s.steps[6].line, 10);
    steps_finish(&s);
}

static void what_does_not_parse_is_told(void **state)
{
    static const struct {
        const char *text, *said;
        int line;
    } cases[] = {
        {"send a\nsned b\n", "not 'sned'", 2},
        {"send", "a TEXT expected", 1},
        {"send a b", "nothing more expected, but 'b'", 1},
        {"\n\nsend \"a", "a closing \" expected", 3},
        {"send 'a", "a closing ' expected", 1},
        {"send \"\\q\"", "behind \\", 1},
        {"send \"\\x00\"", "behind \\", 1},
        {"send ''", "not empty", 1},
        {"key", "the name of a key expected", 1},
        {"key Entr", "did you mean Enter?", 1},
        {"expect --rexeg a", "--regex, --timeout or a TEXT", 1},
        {"expect --regex 'a('", "a pattern expected", 1},
        {"expect --timeout soon a", "a number of seconds expected, not 'soon'", 1},
        {"wait", "one of --prompt", 1},
        {"wait --prompt --exit", "one of --prompt", 1},
        {"wait --idle", "a number of milliseconds expected", 1},
        {"wait --idle x", "not 'x'", 1},
        {"set timeout", "a number of seconds expected", 1},
        {"set speed 3", "set timeout SECONDS", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct steps s;
        char *error = NULL;
        assert_int_equal(steps_parse(cases[i].text, &s, &error), cases[i].line);
        if (!strstr(error, cases[i].said))
            fail_msg("%s: %s", cases[i].text, error);
        free(error);
    }
}

/* ---- the search ---- */

/* Where it is found behind `cursor` in a stream that begins at 0, 0 for nowhere; however it is cut.
 */
static void finds(const char *wanted, bool is_regex, const char *stream, uint64_t cursor,
                  uint64_t expected)
{
    size_t len = strlen(stream);
    for (size_t cut = 1; cut <= len; cut++) {
        char *error = NULL;
        struct regex *regex = is_regex ? regex_create(wanted, false, &error) : NULL;
        struct matcher *m = matcher_create(wanted, regex, cursor, 20);
        uint64_t found = 0;
        for (size_t at = 0; at < len; at += cut)
            if (matcher_take(m, at, stream + at, cut < len - at ? cut : len - at) == MATCHER_FOUND)
                matcher_text(m, &found);
        if (found != expected)
            fail_msg("%s, cut at %zu: %llu", wanted, cut, (unsigned long long)found);
        matcher_destroy(m);
        regex_destroy(regex);
    }
}

static void it_is_found_once_and_where_it_is(void **state)
{
    (void)state;
    finds("needle", false, "hay needle hay needle", 0, 10);
    finds("needle", false, "hay needle hay needle", 9, 21); /* the first came too early */
    finds("needle", false, "hay needle hay needle", 10, 21);
    finds("needle", false, "hay needle hay needle", 21, 0);
    finds("needle", false, "nee\x1b[1md\x1b[0mle", 0, 14);
    finds("needle", false, "01234567890123456needle", 0, 23); /* wraps */
    finds("a\nb", false, "a\r\nb", 0, 4);
    finds("10%", false, "9%\r10%\r11%\r12%\r\n", 0, 6); /* though it is overwritten */
    finds("aab", false, "aaab", 0, 4);
    finds("^b", true, "ab\r\nb", 0, 5);
    finds("a+b$", true, "aab\r\n", 0, 3);
    finds("n.*e", true, "nxx", 0, 0);
    finds("x*", true, "ax", 0, 2); /* nothing is no match */
}

static void a_long_stream_is_searched(void **state)
{
    struct matcher *m = matcher_create("the end", NULL, 0, 80);
    char line[] = "many lines of text that is none of it\r\n";
    uint64_t at = 0;
    (void)state;
    for (int i = 0; i < 100000; i++, at += sizeof line - 1)
        matcher_take(m, at, line, sizeof line - 1);
    assert_int_equal(matcher_take(m, at, "the end", 7), MATCHER_FOUND);
    matcher_text(m, &at);
    assert_int_equal(at, 100000 * (sizeof line - 1) + 7);
    matcher_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_as_xterm_sends_them),
        cmocka_unit_test(others_are_none),
        cmocka_unit_test(pastes_stay_pastes),
        cmocka_unit_test(steps_are_read),
        cmocka_unit_test(what_does_not_parse_is_told),
        cmocka_unit_test(it_is_found_once_and_where_it_is),
        cmocka_unit_test(a_long_stream_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
