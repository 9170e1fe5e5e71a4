/* The keys that leave, in every encoding, cut anywhere. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptyd/client/keys.h"
#include "ptyd/core/detach_key.h"

static void start(struct keys *k, const char *which)
{
    *k = (struct keys){0};
    assert_int_equal(keys_init(k, which), 0);
}

/* In pieces: the first `cut` bytes, then the rest; 0 for byte by byte. */
static bool take_cut(struct keys *k, const char *text, size_t len, size_t cut, struct bytes *out)
{
    bool left = false;
    for (size_t at = 0, n; at < len && !left; at += n) {
        n = cut == 0 ? 1 : at == 0 ? cut : len - at;
        left = keys_take(k, text + at, n, 1000, out);
    }
    return left;
}

/* `keys` give `expected`, and leave or do not, however they are cut. */
static void check(const char *which, const char *keys, const char *expected, bool leaves)
{
    size_t len = strlen(keys);
    for (size_t cut = 0; cut <= len; cut++) {
        struct bytes out = {0};
        struct keys k;
        start(&k, which);
        bytes_append_text(&out, "");
        bool left = take_cut(&k, keys, len, cut, &out);
        if (left != leaves || strcmp(out.data, expected))
            print_message("%s, cut at %zu: %s\n", keys + 1, cut, out.data + (out.len > 0));
        assert_int_equal(left, leaves);
        assert_string_equal(out.data, expected);
        keys_finish(&k);
        bytes_finish(&out);
    }
}

static void the_two_keys_leave(void **state)
{
    static const char *const prefixes[] = {
        "\x1c",             /* as ever */
        "\x1b[27;5;92~",    /* modifyOtherKeys */
        "\x1b[92;5u",       /* kitty's, and formatOtherKeys */
        "\x1b[92;5:1u",     /* with events */
        "\x1b[92;69u",      /* caps lock */
        "\x1b[92;197u",     /* caps lock and num lock */
        "\x1b[92:124;5u",   /* alternate keys */
        "\x1b[35::92;5:1u", /* of another layout */
        ("\x9b"
         "92;5u"), /* CSI as one byte */
        ("\x9b"
         "27;5;92~"),
        "\x1b[57442;5:1u\x1b[92;5:1u\x1b[92;5:2u\x1b[92;5:3u\x1b[57442;1:3u", /* all of it */
    };
    static const char *const keys[] = {
        "d", "\x1b[100u", "\x1b[100;1u", "\x1b[100;1:1u", "\x1b[100;129u", "\x1b[100:68;1;100u"};
    char text[200], expected[40];
    (void)state;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (size_t j = 0; j < sizeof keys / sizeof *keys; j++) {
            bool has_ctrl = !strncmp(prefixes[i], "\x1b[57442", 7);
            snprintf(text, sizeof text, "ls\r%s%sx", prefixes[i], keys[j]);
            snprintf(expected, sizeof expected, "ls\r%s", has_ctrl ? "\x1b[57442;5:1u" : "");
            check(DETACH_KEY_USUAL, text, expected, true);
        }
}

/* Each key pressed and released, as Windows Terminal's specification has it (win32-input-mode). */
static void they_leave_where_a_terminal_writes_windows_records(void **state)
{
    (void)state;
    check(DETACH_KEY_USUAL,
          "\x1b[17;29;0;1;8;1_\x1b[220;43;28;1;8;1_\x1b[220;43;28;0;8;1_\x1b[17;29;0;0;0;1_"
          "\x1b[68;32;100;1;0;1_x",
          "\x1b[17;29;0;1;8;1_", true);
    check(DETACH_KEY_USUAL, "\x1b[220;43;28;1;8;1_\x1b[40;80;0;1;256;1_\x1b[68;32;100;1;0;1_",
          "\x1b[220;43;28;1;8;1_\x1b[40;80;0;1;256;1_\x1b[68;32;100;1;0;1_", false);
    check(DETACH_KEY_USUAL, "\x1b[220;43;92;1;0;1_\x1b[68;32;100;1;0;1_",
          "\x1b[220;43;92;1;0;1_\x1b[68;32;100;1;0;1_", false);
}

static void anything_else_goes_on(void **state)
{
    static const char *const keys[] = {
        "d",
        "plain text, \xc3\xa9\xe6\x97\xa5",
        ("\xd0\x9b"
         "92;5ud"), /* a letter, whose second byte that is */
        ("\xe6\x9b\x9b"
         "92;5ud"),
        ("\xf0\x9f\x9b\x9b"
         "92;5ud"),
        "\x1b[A\x1bOP\x1b[1;5C\x1b[3~",
        "\x1cx",
        "\x1c\x1b[A",
        "\x1b[92;5ux",
        "\x1b[92;6ud",           /* with shift it is another key */
        "\x1b[92;5u\x1b[100;5u", /* Ctrl-d does not leave */
        "\x1b[27;5;92~e",
        ("\x1b[200~a\x1c"
         "d\x1b[92;5ud\x1b[201~b"),
        "\x1b[200~\x1c\x1b[201~d",
        "\x1b[M !!",
        "\x1b[<0;3;4M\x1b[I\x1b[?62;22c",
        "\x1b]11;rgb:0000/0000/0000\x1b\\",
        "\x1b[92;5:3u", /* a release of what was pressed elsewhere */
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        check(DETACH_KEY_USUAL, keys[i], keys[i], false);
}

static void twice_sends_one(void **state)
{
    (void)state;
    check(DETACH_KEY_USUAL, "\x1c\x1c", "\x1c", false);
    check(DETACH_KEY_USUAL,
          "\x1c\x1c"
          "d",
          "\x1c"
          "d",
          false);
    check(DETACH_KEY_USUAL, "\x1b[92;5u\x1b[92;5u", "\x1b[92;5u", false);
    check(DETACH_KEY_USUAL, "\x1b[27;5;92~\x1b[27;5;92~", "\x1b[27;5;92~", false);
    check(DETACH_KEY_USUAL, "\x1b[92;5:1u\x1b[92;5:3u\x1b[92;5:1u\x1b[92;5:3u",
          "\x1b[92;5:1u\x1b[92;5:3u", false); /* press and release of one */
}

/* What a terminal says by itself comes in between. */
static void reports_decide_nothing(void **state)
{
    (void)state;
    check(DETACH_KEY_USUAL,
          "\x1c\x1b[<35;3;4M"
          "d",
          "\x1b[<35;3;4M", true);
    check(DETACH_KEY_USUAL, "\x1c\x1b[Ox", "\x1b[O\x1cx", false);
    check(DETACH_KEY_USUAL, "\x1c\x1b[?1;2cd", "\x1b[?1;2c", true);
}

static void other_keys_and_none(void **state)
{
    struct keys k;
    (void)state;
    check("C-a x", "\x01x", "", true);
    check("C-A x", "\x1b[97;5ux", "", true);
    check("C-] q", "\x1dq", "", true);
    check("C-a x",
          "\x1c"
          "d",
          "\x1c"
          "d",
          false);
    check("none",
          "\x1c"
          "d\x1b[92;5ud",
          "\x1c"
          "d\x1b[92;5ud",
          false);
    const char *const wrong[] = {"",      "C-\\",  "d",       "C-\\ ", "C-\\  d",
                                 "M-x d", "C-[ d", "C-\\ dd", "C-1 d"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(keys_init(&k, wrong[i]), -EINVAL);
}

/* While an agent asks, the prefix and that key are ours; in each encoding, cut anywhere. */
static void the_key_that_grants_is_taken_out(void **state)
{
    static const char *const ways[] = {"a\x1cgb", "a\x1b[92;5ug\x62", "a\x1b[27;5;92~gb",
                                       "a\x1b[92;5u\x1b[92;5:3u\x1b[103ub"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        size_t len = strlen(ways[i]);
        for (size_t cut = 0; cut <= len; cut++) {
            struct bytes out = {0};
            struct keys k;
            start(&k, DETACH_KEY_USUAL);
            k.grant = 'g';
            assert_false(take_cut(&k, ways[i], len, cut, &out));
            assert_int_equal(k.granted, 1);
            assert_string_equal(out.data, "ab");
            assert_int_equal(keys_due(&k), 0);
            bytes_finish(&out);
            keys_finish(&k);
        }
    }
    check(DETACH_KEY_USUAL, "\x1cg", "\x1cg", false); /* nobody asks */
}

static void a_key_alone_waits_and_is_sent(void **state)
{
    struct bytes out = {0};
    struct keys k;
    (void)state;
    start(&k, DETACH_KEY_USUAL);
    assert_int_equal(keys_due(&k), 0);
    assert_false(keys_take(&k, "\x1c", 1, 1000, &out));
    assert_int_equal(keys_due(&k), 1000 + KEYS_PREFIX_MS);
    keys_wait_over(&k, 1000 + KEYS_PREFIX_MS - 1, &out);
    assert_int_equal(out.len, 0);
    keys_wait_over(&k, 1000 + KEYS_PREFIX_MS, &out);
    assert_int_equal(out.len, 1);
    assert_int_equal(keys_due(&k), 0);
    assert_false(keys_take(&k, "d", 1, 3000, &out)); /* too late */
    assert_memory_equal(out.data,
                        "\x1c"
                        "d",
                        2);

    assert_false(keys_take(&k, "\x1b", 1, 4000, &out)); /* ESC may be a key */
    assert_int_equal(keys_due(&k), 4000 + KEYS_SEQUENCE_MS);
    keys_wait_over(&k, 4000 + KEYS_SEQUENCE_MS, &out);
    assert_int_equal(out.data[2], 0x1b);
    keys_finish(&k);
    bytes_finish(&out);
}

/* What no hand types waits as long as a key, what may be one does not. */
static void a_sequence_in_two_pieces_leaves(void **state)
{
    static const struct {
        const char *first, *rest;
        int ms;
    } cases[] = {
        {"\x1b[92;", "5u", KEYS_PREFIX_MS},
        {"\x1b[9", "2;5u", KEYS_PREFIX_MS},
        {"\x9b"
         "2",
         "7;5;92~", KEYS_PREFIX_MS},
        {"\x1b[", "92;5u", KEYS_SEQUENCE_MS},
        {"\x1b", "[92;5u", KEYS_SEQUENCE_MS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes out = {0};
        struct keys k;
        int64_t last = 1000 + cases[i].ms - 1;
        start(&k, DETACH_KEY_USUAL);
        assert_false(keys_take(&k, cases[i].first, strlen(cases[i].first), 1000, &out));
        assert_int_equal(keys_due(&k), last + 1);
        keys_wait_over(&k, last, &out);
        assert_false(keys_take(&k, cases[i].rest, strlen(cases[i].rest), last, &out));
        assert_true(keys_take(&k, "d", 1, last, &out));
        assert_int_equal(out.len, 0);
        keys_finish(&k);
        bytes_finish(&out);
    }
}

static void a_paste_that_ends_in_two_pieces_ends(void **state)
{
    struct bytes out = {0};
    struct keys k;
    (void)state;
    start(&k, DETACH_KEY_USUAL);
    assert_false(keys_take(&k, "\x1b[200~text\x1b[20", 14, 1000, &out));
    keys_wait_over(&k, 1000 + KEYS_PREFIX_MS - 1, &out);
    assert_false(keys_take(&k, "1~", 2, 1000 + KEYS_PREFIX_MS, &out));
    assert_int_equal(out.len, 16);
    assert_memory_equal(out.data, "\x1b[200~text\x1b[201~", 16);
    assert_true(keys_take(&k,
                          "\x1c"
                          "d",
                          2, 1000 + KEYS_PREFIX_MS, &out));
    keys_finish(&k);
    bytes_finish(&out);
}

static void who_leaves_types_nothing_more(void **state)
{
    static const char *const pieces[] = {"\x1c", "d behind", NULL};
    struct bytes out = {0};
    struct keys k;
    bool left = false;
    (void)state;
    start(&k, DETACH_KEY_USUAL);
    for (int i = 0; pieces[i]; i++)
        left = keys_take(&k, pieces[i], strlen(pieces[i]), 1000, &out);
    assert_true(left);
    assert_int_equal(keys_due(&k), 0);
    keys_wait_over(&k, 1000 + 10 * KEYS_PREFIX_MS, &out);
    assert_int_equal(out.len, 0);
    keys_finish(&k);
    bytes_finish(&out);
}

static void much_passes_whole(void **state)
{
    struct bytes text = {0}, out = {0};
    struct keys k;
    (void)state;
    start(&k, DETACH_KEY_USUAL);
    bytes_append_text(&text, "\x1b[200~");
    for (int i = 0; i < 200000; i++)
        bytes_printf(&text,
                     "%d \x1c"
                     "d\r",
                     i);
    bytes_append_text(&text, "\x1b[201~");
    for (size_t at = 0, n; at < text.len; at += n) {
        n = text.len - at < 16384 ? text.len - at : 16384;
        assert_false(keys_take(&k, text.data + at, n, 1, &out));
    }
    assert_int_equal(out.len, text.len);
    assert_memory_equal(out.data, text.data, text.len);
    keys_finish(&k);
    bytes_finish(&text);
    bytes_finish(&out);
}

/* Presses of Ctrl-C at these times; returns how many went to the session, and whether they leave.
 */
static size_t press(const char *key, int64_t first, int64_t second, bool *ret_leaves)
{
    struct bytes out = {0};
    struct keys k;
    keys_init_twice(&k, 'c');
    assert_false(keys_take(&k, key, strlen(key), first, &out));
    *ret_leaves = keys_take(&k, key, strlen(key), second, &out);
    size_t len = out.len / strlen(key);
    keys_finish(&k);
    bytes_finish(&out);
    return len;
}

static void the_same_key_twice_leaves_and_once_is_sent(void **state)
{
    static const char *const presses[] = {"\x03", "\x1b[27;5;99~", "\x1b[99;5u"};
    bool leaves;
    (void)state;
    for (size_t i = 0; i < sizeof presses / sizeof *presses; i++) {
        assert_int_equal(press(presses[i], 5000, 5000 + KEYS_TWICE_MS, &leaves), 1);
        assert_true(leaves);
        assert_int_equal(press(presses[i], 5000, 5001 + KEYS_TWICE_MS, &leaves), 2);
        assert_false(leaves);
    }
}

static void two_of_them_in_a_paste_are_text(void **state)
{
    static const char paste[] = "\x1b[200~a\x03\x03\x1b[201~";
    struct bytes out = {0};
    struct keys k;
    (void)state;
    keys_init_twice(&k, 'c');
    assert_false(keys_take(&k, paste, sizeof paste - 1, 5000, &out));
    assert_int_equal(out.len, sizeof paste - 1);
    assert_int_equal(keys_due(&k), 0);
    keys_finish(&k);
    bytes_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_keys_leave),
        cmocka_unit_test(they_leave_where_a_terminal_writes_windows_records),
        cmocka_unit_test(anything_else_goes_on),
        cmocka_unit_test(twice_sends_one),
        cmocka_unit_test(reports_decide_nothing),
        cmocka_unit_test(other_keys_and_none),
        cmocka_unit_test(the_same_key_twice_leaves_and_once_is_sent),
        cmocka_unit_test(two_of_them_in_a_paste_are_text),
        cmocka_unit_test(the_key_that_grants_is_taken_out),
        cmocka_unit_test(a_key_alone_waits_and_is_sent),
        cmocka_unit_test(much_passes_whole),
        cmocka_unit_test(who_leaves_types_nothing_more),
        cmocka_unit_test(a_sequence_in_two_pieces_leaves),
        cmocka_unit_test(a_paste_that_ends_in_two_pieces_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
