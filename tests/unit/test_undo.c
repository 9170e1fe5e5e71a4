/* Who leaves undoes what passed to its terminal, and nothing else. */
#include "tests/unit/test.h"

#include <string.h>

#include "vterm_snapshot/undo.h"

static bool undoes(const char *passed, const char *expected)
{
    struct bytes out = {0};
    struct undo *undo = undo_create();
    for (size_t i = 0; passed[i]; i++)
        undo_note(undo, passed + i, 1);
    undo_append(undo, 80, &out);
    bool has = strstr(out.data, expected);
    undo_destroy(undo);
    bytes_finish(&out);
    return has;
}

static void what_passed_is_undone(void **state)
{
    static const char *const pairs[][2] = {
        {"\x1b[>4;2m", "\x1b[>4m"},
        {"\x1b[>5u\x1b[>1u", "\x1b[<2u"},
        {"\x1b[=5u", "\x1b[=0;1u"},
        {"\x1b[4 q", "\x1b[0 q"},
        {"\x1b[?5h", "\x1b[?5l"},
        {"\x1b[?1007h", "\x1b[?1007l"},
        {"\x1b[?1015h", "\x1b[?1015l"},
        {"\x1b[?1016h", "\x1b[?1016l"},
        {"\x1b[?2026h", "\x1b[?2026l"},
        {"\x1b[?2031h", "\x1b[?2031l"},
        {"\x1b[?2048h", "\x1b[?2048l"},
        {"\x1b[?7727h", "\x1b[?7727l"},
        {"\x1b[?9001;8452h", "\x1b[?8452l"},
        {"\x1b[?1049h\x1b[>1u", "\x1b[<1u\x1b[?1049l"},
        {"\x1b]11;#123456\a", "\x1b]111"},
        {"\x1b]10;?;#123456\a", "\x1b]111"},
        {"\x1b]4;1;#ff0000\a", "\x1b]104"},
        {"\x1b]4;1;?;2;#00ff00\a", "\x1b]104"},
        {"\x1b]4;1;#ff0000\a\x1b]4;1;?\a", "\x1b]104"},
        {"\x1b[22;0t", "\x1b[23;0t"},
        {"\x1b]9;4;1;40\a", "\x1b]9;4;0\x1b"},
        {"\x1b]9;4;0\a\x1b]9;4;3\x1b\\\x1b]9;done\a", "\x1b]9;4;0\x1b"},
        {"\x1b[?25l", "\x1b[?25h"},
        {"\x1b(0", "\x1b(B"},
        {"\x1b[?1006h\x1b[?1016h", "\x1b[?1006l"},
        {"", "\x1b[m"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!undoes(pairs[i][0], pairs[i][1]))
            print_message("%s\n", pairs[i][1] + 1);
        assert_true(undoes(pairs[i][0], pairs[i][1]));
    }
    assert_false(undoes("\x1b[?2031h\x1b[?2031l", "?2031"));
    assert_false(undoes("\x1b[?7727h\x1b[?7727l", "?7727"));
    assert_false(undoes("\x1b[?7727h\x1b"
                        "c",
                        "?7727"));
    assert_false(undoes("\x1b[?99999h", "\x1b[?9999"));
    assert_false(undoes("\x1b[?3h\x1b[?1048h\x1b[?2h", "\x1b[?3l"));
    assert_false(undoes("\x1b[>1u\x1b[<u", "u"));
    assert_false(undoes("\x1b]10;?;#123456\a", "\x1b]110"));
    assert_false(undoes("\x1b]4;1;?\a", "\x1b]104"));
    assert_false(undoes("\x1b]9;4;1;40\a\x1b]9;4;0\a", "\x1b]9"));
    assert_false(undoes("\x1b]9;4 tests failed\a\x1b]9;4;9\a\x1b]9;done\a", "\x1b]9"));
    assert_false(undoes("\x1b]4;1;?;15;?\x1b\\", "\x1b]104"));
    assert_false(undoes("\x1b]4\a\x1b]4;\a\x1b]4;1\a", "\x1b]104"));
}

static void what_is_open_is_known(void **state)
{
    static const struct {
        const char *passed;
        bool inside;
    } cases[] = {
        {"text", false},
        {"\x1b", true},
        {"\x1b[", true},
        {"\x1b[3", true},
        {"\x1b[31m", false},
        {"\x1b]52;c;aGVs", true},
        {"\x1b]52;c;aGVs\a", false},
        {"\x1bPq~~~", true},
        {"\x1bPq~~~\x1b", true},
        {"\x1bPq~~~\x1b\\ text", false},
        {"\x1b_Ga=T;AAAA", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct undo *undo = undo_create();
        for (const char *at = cases[i].passed; *at; at++)
            undo_note(undo, at, 1);
        assert_int_equal(undo_is_inside(undo), cases[i].inside);
        undo_destroy(undo);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passed_is_undone),
        cmocka_unit_test(what_is_open_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
