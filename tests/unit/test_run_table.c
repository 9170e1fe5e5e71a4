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
    assert_true(run_table_add(&table, 7, 100, 0));
    expect(7, RUN_TYPING, 0);
    run_table_typed(&table, 7);
    table.prompt = 200;
    run_table_began(&table, 4); /* somebody else's */
    expect(7, RUN_TYPED, 0);
    table.prompt = 100;
    run_table_began(&table, 3);
    expect(7, RUN_BEGAN, 3);
    run_table_began(&table, 5);
    expect(7, RUN_BEGAN, 3);
}

static void what_begins_before_all_was_typed_is_doubtful(void **state)
{
    (void)state;
    table.prompt = 100;
    assert_true(run_table_add(&table, 7, 100, 0));
    run_table_began(&table, 3);
    expect(7, RUN_DOUBTFUL, 3);
}

static void without_a_prompt_any_block_is_its_own(void **state)
{
    (void)state;
    assert_true(run_table_add(&table, 7, 0, 0));
    run_table_typed(&table, 7);
    table.prompt = 300;
    run_table_began(&table, 9);
    expect(7, RUN_BEGAN, 9);
}

static void nobody_is_recorded_for_nobody(void **state)
{
    (void)state;
    assert_true(run_table_add(&table, 0, 100, 0));
    assert_null(run_table_find(&table, 0));
}

/* One who waits keeps the place however long; one who was lost, as long as it may come back. */
static void a_place_is_given_away_when_nobody_comes_back(void **state)
{
    (void)state;
    for (uint64_t token = 1; token <= LIMIT_RUNS_KEPT; token++)
        assert_true(run_table_add(&table, token, 100, 0));
    assert_false(run_table_add(&table, 99, 100, 1LL << 40));
    run_table_take_over(&table, 1000);
    run_table_keep(&table, 1, true, 1000); /* came back */
    assert_false(run_table_add(&table, 99, 100, 1000 + LIMIT_RUN_KEPT_MS));
    assert_true(run_table_add(&table, 99, 100, 1001 + LIMIT_RUN_KEPT_MS));
    assert_null(run_table_find(&table, 2));
    assert_non_null(run_table_find(&table, 1));
    run_table_keep(&table, 1, false, 5000);
    run_table_drop(&table, 3);
    assert_true(run_table_add(&table, 98, 100, 5000));
    assert_null(run_table_find(&table, 3));
    assert_non_null(run_table_find(&table, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(its_block_begins_at_its_prompt, empty),
        cmocka_unit_test_setup(what_begins_before_all_was_typed_is_doubtful, empty),
        cmocka_unit_test_setup(without_a_prompt_any_block_is_its_own, empty),
        cmocka_unit_test_setup(nobody_is_recorded_for_nobody, empty),
        cmocka_unit_test_setup(a_place_is_given_away_when_nobody_comes_back, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
