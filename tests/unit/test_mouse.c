/* Where a viewer's mouse is that shows a part of the screen. */
#include "test.h"

#include <string.h>

#include "ptyd/session/mouse.h"

static void becomes(const struct mouse_part *part, const char *sent, const char *expected)
{
    struct query_input input = {0};
    struct typing out = {0};
    mouse_move(&input, part, sent, strlen(sent), &out);
    assert_int_equal(out.bytes.len, strlen(expected));
    assert_memory_equal(out.bytes.data, expected, strlen(expected));
    assert_int_equal(typing_came(&out, out.bytes.len), strlen(sent));
    bytes_finish(&out.bytes);
    bytes_finish(&out.grown);
}

static const struct mouse_part part = {.top = 12, .left = 40, .rows = 24, .cols = 80};

static void reports_are_moved(void **state)
{
    (void)state;
    becomes(&part, "\x1b[<0;5;3M\x1b[<0;5;3m", "\x1b[<0;45;15M\x1b[<0;45;15m");
    becomes(&part, "\x1b[<65;40;12M", "\x1b[<65;80;24M");
    becomes(&part, "\x1b[32;5;3M", "\x1b[32;45;15M");
    becomes(&part, "\x1b[M !!", "\x1b[M I-");
    becomes(NULL, "\x1b[<0;5;3M\x1b[M !!", "\x1b[<0;5;3M\x1b[M !!");
}

/* Nowhere beyond the screen; no report is shorter. */
static void they_end_at_the_edge(void **state)
{
    static const struct mouse_part wide = {.left = 200, .rows = 5, .cols = 300};
    (void)state;
    becomes(&part, "\x1b[<0;100;30M", "\x1b[<0;080;24M");
    becomes(&part, "\x1b[<0;9999999999;0M", "\x1b[<0;0000000080;12M");
    becomes(&wide, "\x1b[M \xff!", "\x1b[M \xff!");
}

static void all_else_is_as_it_came(void **state)
{
    static const char *const others[] = {
        "text",
        "\x1b[I",
        "\x1b[O",
        "\x1b[A",
        "\x1b[200~\x1b[<0;5;3M\x1b[201~",
        "\x1b[1;5R",
        "\x1b[<0;5M",
        "\x1b[<;5;3M",
        "\x1b[<0;5;3;4M",
        "\x1b[48;24;80;0;0t",
        "\x1b[?997;1n",
        "\x1b[3M",
        "\x1b[<M",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        becomes(&part, others[i], others[i]);
    becomes(&part, "a\x1b[200~x\x1b[201~\x1b[<0;1;1Mb", "a\x1b[200~x\x1b[201~\x1b[<0;41;13Mb");
}

/* xterm, "Mouse Tracking", "UTF-8 (1005)": from 96 on a place is two bytes. */
static void bytes_that_may_be_two_stay(void **state)
{
    static const struct mouse_part wide = {
        .top = 12, .left = 40, .rows = 24, .cols = 180, .wide = true};
    (void)state;
    becomes(&wide, "\x1b[M \xc2\x85!", "\x1b[M \xc2\x85!");
    becomes(&wide, "\x1b[M s!", "\x1b[M s!");
    becomes(&wide, "\x1b[<0;5;3M", "\x1b[<0;45;15M");
}

static void one_that_is_cut_goes_on_as_it_is(void **state)
{
    struct query_input input = {0};
    struct typing out = {0};
    (void)state;
    mouse_move(&input, &part, "\x1b[<0;", 5, &out);
    mouse_move(&input, &part, "5;3M\x1b[<0;5;3M", 13, &out);
    bytes_append(&out.bytes, "", 1);
    assert_string_equal(out.bytes.data, "\x1b[<0;5;3M\x1b[<0;45;15M");
    bytes_finish(&out.bytes);
    bytes_finish(&out.grown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_moved),
        cmocka_unit_test(they_end_at_the_edge),
        cmocka_unit_test(all_else_is_as_it_came),
        cmocka_unit_test(bytes_that_may_be_two_stay),
        cmocka_unit_test(one_that_is_cut_goes_on_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
