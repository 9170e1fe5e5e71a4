/* A JSON object in two files: whatever is done to one of them costs nothing. */
#define _GNU_SOURCE
#include "tests/unit/harm.h"

#include <errno.h>

#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/seal.h"

#define LIMIT 4096

static char place[64], paths[2][80];

static int in_place(void **state)
{
    (void)state;
    strcpy(place, "/tmp/ptyd-pair-XXXXXX");
    if (!mkdtemp(place))
        return -1;
    snprintf(paths[0], sizeof paths[0], "%s/a.json", place);
    snprintf(paths[1], sizeof paths[1], "%s/a.copy.json", place);
    return 0;
}

static int gone(void **state)
{
    (void)state;
    harm_remove(place);
    return 0;
}

static json_t *some_object(int cursor)
{
    return json_pack("{s:{s:i, s:[i, i]}, s:s, s:b}", "ledger", "cursor", cursor, "keys", 12, 999,
                     "cwd", "/home/\u00e4", "paused", 1);
}

static void write_object(struct pair *pair, int cursor)
{
    json_t *object = some_object(cursor);
    assert_int_equal(pair_write(pair, object), 0);
    json_decref(object);
}

/* Opens the files as their owner does; it must be that one, or (-1) none. Returns what was noted.
 */
static size_t expect(int cursor, bool lost)
{
    struct pair pair;
    struct aside aside = {0};
    bool is_lost;
    pair_init(&pair, paths[0]);
    harm_hush(true);
    json_t *object = pair_open(&pair, LIMIT, &aside, &is_lost);
    harm_hush(false);
    json_t *expected = cursor < 0 ? json_object() : some_object(cursor);
    json_object_del(object, "number");
    assert_true(json_equal(object, expected));
    assert_int_equal(is_lost, lost);
    size_t noted = json_array_size(aside.items);
    json_decref(object);
    json_decref(expected);
    aside_finish(&aside);
    pair_finish(&pair);
    return noted;
}

static void start_with(int writes)
{
    struct pair pair;
    for (int i = 0; i < 2; i++)
        if (unlink(paths[i]) < 0 && errno == EISDIR)
            harm_remove(paths[i]);
    pair_init(&pair, paths[0]);
    for (int i = 1; i <= writes; i++)
        write_object(&pair, i);
    pair_finish(&pair);
}

static void one_that_is_harmed_costs_nothing(void **state)
{
    (void)state;
    start_with(3);
    size_t size = harm_size(paths[0]);
    for (int which = 0; which < 2; which++)
        for (enum harm harm = 0; harm < HARMS; harm++)
            for (size_t at = 0; at < harm_places(harm, size); at += harm_step()) {
                bool readable = harm == READ_ONLY || (harm == LOCKED && geteuid() == 0);
                start_with(3);
                harm_file(paths[which], harm, at);
                assert_int_equal(expect(3, false), !readable);
                assert_int_equal(expect(3, false), 0); /* both are there again */
                char *first = harm_read(paths[0]), *copy = harm_read(paths[1]);
                assert_string_equal(first, copy);
                free(first);
                free(copy);
            }
}

static void both_that_are_harmed_are_lost_and_said(void **state)
{
    (void)state;
    start_with(3);
    harm_file(paths[0], ZEROED, 0);
    harm_file(paths[1], CUT, 20);
    assert_int_equal(expect(-1, true), 2);
    assert_int_equal(expect(-1, false), 0);
}

static void the_newer_counts(void **state)
{
    (void)state;
    for (int newer = 0; newer < 2; newer++) {
        start_with(3);
        char *old = harm_read(paths[!newer]);
        start_with(4);
        harm_write(paths[!newer], old, strlen(old)); /* the writer died between the two */
        assert_int_equal(expect(4, false), 0);
        free(old);
    }
}

static void what_was_never_sealed_counts_alone(void **state)
{
    (void)state;
    start_with(0);
    assert_int_equal(expect(-1, false), 0);
    json_t *object = some_object(7);
    assert_int_equal(json_replace_file(paths[0], object), 0);
    json_decref(object);
    assert_int_equal(expect(7, false), 0);
    assert_int_equal(expect(7, false), 0);
}

static void an_empty_object_is_sealed_too(void **state)
{
    json_t *object = json_object();
    char *text = seal_dump(object);
    (void)state;
    json_t *again = seal_load(text, strlen(text));
    assert_true(json_equal(object, again));
    text[12] ^= 1;
    assert_null(seal_load(text, strlen(text)));
    assert_null(seal_load("", 0));
    assert_null(seal_load("[]", 2));
    json_decref(object);
    json_decref(again);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_is_harmed_costs_nothing, in_place, gone),
        cmocka_unit_test_setup_teardown(both_that_are_harmed_are_lost_and_said, in_place, gone),
        cmocka_unit_test_setup_teardown(the_newer_counts, in_place, gone),
        cmocka_unit_test_setup_teardown(what_was_never_sealed_counts_alone, in_place, gone),
        cmocka_unit_test(an_empty_object_is_sealed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
