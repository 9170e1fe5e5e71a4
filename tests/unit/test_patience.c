/* How long the next worker is waited for: by a clock of ours, and a daemon that gets on or does
 * not.
 */
#include "tests/unit/test.h"

#include "base/limits.h"
#include "ptyd/command/patience.h"

#define START 1000000

/* Looks as often as it asks for, at a daemon that gets on until then. Returns how long it waits. */
static int64_t waits(int64_t gets_on_ms)
{
    struct patience p = {.since = START, .look_at = START + LIMIT_RECONNECT_MS / 2};
    int64_t now = p.look_at;
    while (patience_look(&p, now, now - START <= gets_on_ms)) {
        assert_true(p.look_at > now);
        now = p.look_at;
    }
    return now - START;
}

static void one_that_does_nothing_is_waited_for_five_seconds(void **state)
{
    (void)state;
    assert_int_equal(waits(0), 5000);
    assert_int_equal(waits(2500), 5000);
}

static void one_that_gets_on_has_more_time_and_not_for_ever(void **state)
{
    (void)state;
    assert_int_equal(waits(5000), 7500);
    assert_int_equal(waits(20000), 22500);
    assert_int_equal(waits(1000000), 60000);
}

static void who_does_not_wait_begins_anew(void **state)
{
    struct patience p = {0};
    (void)state;
    assert_false(patience_waits(&p));
    patience_begin(&p);
    assert_true(patience_waits(&p));
    int64_t since = p.since;
    patience_begin(&p);
    assert_int_equal(p.since, since);
    assert_int_equal(patience_until(&p), since + 2500);
    assert_int_equal(patience_seconds(&p), 0);
    patience_end(&p);
    assert_false(patience_waits(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_nothing_is_waited_for_five_seconds),
        cmocka_unit_test(one_that_gets_on_has_more_time_and_not_for_ever),
        cmocka_unit_test(who_does_not_wait_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
