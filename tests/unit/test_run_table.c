/* Commands that somebody waits for, over the death of whoever typed them: the table is memory that
 * stays, and a test plays who comes and goes. */
#include "tests/unit/test.h"

#include <string.h>

#include "ptyd/core/run_table.h"

static struct run_table table;

static int empty(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    return 0;
}

static void expect(uint64_t token, uint32_t run_state, uint64_t seq)
{
    const struct run_record *record = run_table_find(&table, token);
    assert_non_null(record);
    assert_int_equal(record->state, run_state);
    assert_int_equal(record->seq, seq);
}

static void its_block_begins_at_its_prompt(void **state)
{
    (void)state;
    table.prompt = 100;
    assert_false(run_table_waits(&table));
    assert_true(run_table_add(&table, 7, 100, "make", 0));
    expect(7, RUN_TYPING, 0);
    run_table_typed(&table, 7);
    assert_true(run_table_waits(&table));
    table.prompt = 200;
    run_table_began(&table, 4, "others"); /* somebody else's */
    expect(7, RUN_TYPED, 0);
    table.prompt = 100;
    run_table_began(&table, 3, "others");
    expect(7, RUN_BEGAN, 3);
    assert_false(run_table_waits(&table));
    run_table_began(&table, 5, "others");
    expect(7, RUN_BEGAN, 3);
}

static void what_begins_before_all_was_typed_is_doubtful(void **state)
{
    (void)state;
    table.prompt = 100;
    assert_true(run_table_add(&table, 7, 100, "make", 0));
    run_table_began(&table, 3, "others");
    expect(7, RUN_DOUBTFUL, 3);
}

static void without_a_prompt_any_block_is_its_own(void **state)
{
    (void)state;
    assert_true(run_table_add(&table, 7, 0, "make", 0));
    run_table_typed(&table, 7);
    table.prompt = 300;
    run_table_began(&table, 9, "others");
    expect(7, RUN_BEGAN, 9);
}

/* The shell drew another before it read the line. */
static void behind_another_prompt_its_block_has_its_text(void **state)
{
    (void)state;
    table.prompt = 100;
    assert_true(run_table_add(&table, 7, 100, "make  all", 0));
    table.prompt = 200;
    run_table_began(&table, 2, "make all");
    expect(7, RUN_TYPING, 0); /* half of the line, perhaps */
    run_table_typed(&table, 7);
    run_table_began(&table, 3, "make");
    expect(7, RUN_TYPED, 0);
    run_table_began(&table, 4, "make al\nl"); /* wrapped */
    expect(7, RUN_BEGAN, 4);
}

static void what_somebody_else_typed_behind_it_is_not_its_own(void **state)
{
    (void)state;
    table.prompt = 100;
    assert_true(run_table_add(&table, 7, 100, "make", 0));
    assert_true(run_table_add(&table, 8, 100, "make test", 0));
    run_table_typed(&table, 7);
    run_table_typed(&table, 8);
    run_table_doubt(&table, run_text(run_text(RUN_TEXT_START, "ma", 2), "ke", 2));
    table.prompt = 200;
    run_table_began(&table, 3, "make");
    expect(7, RUN_TYPED, 0);
    run_table_doubt(&table, 0); /* what, nobody knows */
    run_table_began(&table, 4, "make test");
    expect(8, RUN_TYPED, 0);
    table.prompt = 100;
    run_table_began(&table, 5, "make"); /* at its own prompt */
    expect(7, RUN_BEGAN, 5);
}

static void nobody_is_recorded_for_nobody(void **state)
{
    (void)state;
    assert_true(run_table_add(&table, 0, 100, "make", 0));
    assert_null(run_table_find(&table, 0));
}

/* One who waits keeps the place however long; one who was lost, as long as it may come back. */
static void a_place_is_given_away_when_nobody_comes_back(void **state)
{
    (void)state;
    for (uint64_t token = 1; token <= LIMIT_RUNS_KEPT; token++)
        assert_true(run_table_add(&table, token, 100, "make", 0));
    assert_false(run_table_add(&table, 99, 100, "make", 1LL << 40));
    run_table_take_over(&table, 1000);
    run_table_keep(&table, 1, true, 1000); /* came back */
    assert_false(run_table_add(&table, 99, 100, "make", 1000 + LIMIT_RUN_KEPT_MS));
    assert_true(run_table_add(&table, 99, 100, "make", 1001 + LIMIT_RUN_KEPT_MS));
    assert_null(run_table_find(&table, 2));
    assert_non_null(run_table_find(&table, 1));
    run_table_keep(&table, 1, false, 5000);
    run_table_drop(&table, 3);
    assert_true(run_table_add(&table, 98, 100, "make", 5000));
    assert_null(run_table_find(&table, 3));
    assert_non_null(run_table_find(&table, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(its_block_begins_at_its_prompt, empty),
        cmocka_unit_test_setup(what_begins_before_all_was_typed_is_doubtful, empty),
        cmocka_unit_test_setup(without_a_prompt_any_block_is_its_own, empty),
        cmocka_unit_test_setup(behind_another_prompt_its_block_has_its_text, empty),
        cmocka_unit_test_setup(what_somebody_else_typed_behind_it_is_not_its_own, empty),
        cmocka_unit_test_setup(nobody_is_recorded_for_nobody, empty),
        cmocka_unit_test_setup(a_place_is_given_away_when_nobody_comes_back, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
