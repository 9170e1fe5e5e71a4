/* A terminal that is lent: which keys are plain, and what a worker to come finds behind a death at
 * any step. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/client/keys.h"
#include "ptyd/client/lending.h"
#include "ptyd/core/lent.h"

#define VIEWER 77

/* ---- plain keys ---- */

static void keys_are_plain_or_for_the_viewer(void **state)
{
    static const struct {
        const char *keys;
        bool plain;
    } cases[] = {
        {"a", true},
        {"\r", true},
        {"\x7f", true},
        {"\x03", true},
        {"h\xc3\xa9", true},
        {"\xd0\x9b\xc4\x9b", true}, /* letters */
        {"\x9b", false},
        {"\x9b"
         "92;5u",
         false},
        {"\x1b[A", true},
        {"\x1bOP", true},
        {"\x1b[1;5D", true},
        {"\x1b[A\x1b[B", true},
        {"\x1b[<0;3;4M", true},
        {"\x1b[?1;2c", true},
        {"\x1b[3;4R", true},
        {"\x1c", false},
        {"ab\x1c", false},
        {"\x1c"
         "d",
         false},
        {"\x1b", false},
        {"\x1b[", false},
        {"\x1b[3~", false},
        {"\x1b[92;5u", false},
        {"\x1b[27;5;92~", false},
        {"\x1b[200~", false},
        {"\x1b[M !!", false},
        {"\x1b\x1b[A", false},
        {"\x1b"
         "d",
         false},
        {"\x1b[1;5", false},
        {"\x1b[A\x1b", false},
        {"\x1b]11;rgb:0/0/0\x07", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool plain = lent_is_plain(cases[i].keys, strlen(cases[i].keys), '\x1c');
        if (plain != cases[i].plain)
            print_message("case %zu\n", i);
        assert_int_equal(plain, cases[i].plain);
    }
}

/* What is plain the viewer would have sent as it came, whichever keys leave. */
static void what_is_plain_passes_at_once(void **state)
{
    static const char alphabet[] = "ad[O;:<?0125~uMAIRcg\x1b\x1b\x1b\x1b\x1c\x03\r\x9b\xd0\xe6\x97";
    (void)state;
    srandom(5);
    int plain = 0;
    for (int i = 0; i < 300000; i++) {
        char keys[8], special;
        size_t len = 1 + (size_t)random() % sizeof keys;
        struct keys k = {0};
        struct bytes out = {0};
        for (size_t j = 0; j < len; j++)
            keys[j] = alphabet[(size_t)random() % (sizeof alphabet - 1)];
        keys_init(&k, "C-\\ d");
        assert_true(keys_rest(&k, &special));
        if (lent_is_plain(keys, len, special)) {
            plain++;
            assert_false(keys_take(&k, keys, len, 1000, &out));
            assert_int_equal(out.len, len);
            assert_memory_equal(out.data, keys, len);
            assert_true(keys_rest(&k, &special));
        }
        keys_finish(&k);
        bytes_finish(&out);
    }
    assert_true(plain > 10000);
}

/* ---- behind a death ---- */

static size_t untyped(const struct intake_lent *l, uint64_t known, const char *expected,
                      size_t expected_doubt)
{
    const char *keys;
    size_t doubt, len = lent_untyped(l, VIEWER, known, &keys, &doubt);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(keys, expected, len);
    assert_int_equal(doubt, expected_doubt);
    return len;
}

static void put(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void what_was_read_and_not_typed_is_found(void **state)
{
    struct intake_lent l = {0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    lent_begin(&l, VIEWER);
    untyped(&l, 0, "", 0);
    assert_int_equal(lent_read(&l, ends[0]), -EAGAIN);
    untyped(&l, 0, "", 0);
    put(ends[1], "keys");
    assert_int_equal(lent_read(&l, ends[0]), 4);
    untyped(&l, 1, "keys", 0);
    untyped(&l, 2, "", 0); /* it has heard of them */
    struct intake_typing *t = lent_type(&l);
    assert_int_equal(t->token, 2);
    untyped(&l, 1, "keys", 0);
    t->most = 3;
    untyped(&l, 1, "s", 3);
    t->typed = 2;
    untyped(&l, 1, "s", 1);
    t->typed = t->most = 4;
    untyped(&l, 1, "", 0);
    put(ends[1], "z");
    assert_int_equal(lent_read(&l, ends[0]), 1);
    untyped(&l, 1, "z", 0);

    const char *keys;
    size_t doubt;
    assert_int_equal(lent_untyped(&l, VIEWER + 1, 0, &keys, &doubt), 0); /* another's */
    lent_begin(&l, VIEWER + 1);
    assert_int_equal(lent_untyped(&l, VIEWER + 1, 0, &keys, &doubt), 0);
    close(ends[0]);
    close(ends[1]);
}

static uint64_t shown(const struct intake_lent *l, uint64_t place, bool expected_doubt)
{
    bool doubt;
    uint64_t at = lent_shown(l, VIEWER, place, &doubt);
    assert_int_equal(doubt, expected_doubt);
    return at;
}

static void what_was_shown_is_known_or_in_doubt(void **state)
{
    struct intake_lent l = {0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    lent_begin(&l, VIEWER);
    assert_int_equal(shown(&l, 50, false), 50);
    assert_int_equal(lent_show(&l, ends[1], "echo", 4, 100, 104), 4);
    assert_int_equal(shown(&l, 100, false), 104);
    assert_int_equal(shown(&l, 104, false), 104);
    assert_int_equal(shown(&l, 200, false), 200);
    l.showing = 110; /* it died there */
    assert_int_equal(shown(&l, 100, true), 104);
    assert_int_equal(shown(&l, 110, false), 110); /* the viewer has heard of it by frames */

    char much[1 << 12] = {0};
    while (write(ends[1], much, sizeof much) > 0)
        ;
    assert_int_equal(lent_show(&l, ends[1], "echo", 4, 110, 114), -EAGAIN);
    assert_int_equal(shown(&l, 110, false), 110);
    close(ends[0]);
    close(ends[1]);
}

/* ---- where a viewer puts what it hears of ---- */

static void check_found(size_t typed_then, bool lent, size_t settled, const char *expected,
                        const char *expected_last)
{
    struct lending l = {.until = lent};
    struct bytes frame = {0}, typed = {0}, last = {0};
    struct view_reader reader = {0};
    struct view_frame f;
    struct view_keys keys;
    lending_joined(&l, true);
    lending_lost(&l, typed_then);
    assert_true(l.awaits);
    lending_joined(&l, true);
    view_keys_append(&frame, 3, &(struct view_keys){.doubt = 2, .data = "KEYS", .len = 4});
    memcpy(view_reader_room(&reader), frame.data, frame.len);
    view_reader_came(&reader, frame.len);
    assert_int_equal(view_reader_next(&reader, &f), 1);
    assert_false(lending_over(&l, &f, &keys));
    assert_int_equal(keys.doubt, 2);
    assert_int_equal(l.reads, 3);
    bytes_append_text(&typed, &"abcdef"[settled]);
    lending_typed(&l, settled);
    lending_take_found(&l, &typed, &last);
    assert_int_equal(typed.len, strlen(expected));
    assert_memory_equal(typed.data, expected, typed.len);
    assert_int_equal(last.len, strlen(expected_last));
    assert_memory_equal(last.data, expected_last, last.len);
    view_reader_finish(&reader);
    bytes_finish(&frame);
    bytes_finish(&typed);
    bytes_finish(&last);
}

static void what_is_found_goes_where_it_was_typed(void **state)
{
    (void)state;
    check_found(6, true, 0, "abcdef", "KEYS");
    check_found(2, true, 0, "abKEYScdef", "");
    check_found(2, true, 2, "KEYScdef", "");
    check_found(3, true, 1, "bcKEYSdef", "");
    check_found(2, false, 0, "KEYSabcdef", "");
}

/* ---- the terminal ---- */

/* Whoever passed it lets it block again: the worker does not wait. */
static void what_is_passed_may_block(void **state)
{
    (void)state;
    static struct intake_lent lent;
    char filler[4096];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int passed = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    int fd = lent_open(passed);
    assert_true(fd >= 0 && fd != passed);
    lent_begin(&lent, VIEWER);
    alarm(10); /* else it waits for ever */
    assert_int_equal(lent_read(&lent, fd), -EAGAIN);
    memset(filler, 'x', sizeof filler);
    ssize_t n;
    while ((n = lent_show(&lent, fd, filler, sizeof filler, 0, sizeof filler)) > 0)
        ;
    assert_int_equal(n, -EAGAIN);
    assert_false(fcntl(passed, F_GETFL) & O_NONBLOCK);
    alarm(0);
    close(fd);
    close(passed);
    close(master);
}

static void what_is_no_terminal_is_not_opened(void **state)
{
    (void)state;
    int pipes[2], file = open("/dev/null", O_RDWR | O_CLOEXEC);
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(lent_open(master), -1);
    close(master);
    assert_int_equal(lent_open(pipes[0]), -1);
    assert_int_equal(lent_open(file), -1);
    assert_int_equal(lent_open(-1), -1);
    close(pipes[0]);
    close(pipes[1]);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_passed_may_block),
        cmocka_unit_test(what_is_no_terminal_is_not_opened),
        cmocka_unit_test(keys_are_plain_or_for_the_viewer),
        cmocka_unit_test(what_is_plain_passes_at_once),
        cmocka_unit_test(what_was_read_and_not_typed_is_found),
        cmocka_unit_test(what_was_shown_is_known_or_in_doubt),
        cmocka_unit_test(what_is_found_goes_where_it_was_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
