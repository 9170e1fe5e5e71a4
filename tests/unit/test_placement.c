/* A thread that may run in two places does most of its work in the better one. */
#include "tests/unit/test.h"

#include "ptyd/session/placement.h"

#define WINDOW_BYTES (256 * 1024)

/* Works for so many windows, of so many bytes a microsecond in each place; returns how many were
 * spent in place 1. */
static int work(struct placement *p, int windows, int first, int second)
{
    int in_second = 0;
    for (int i = 0; i < windows; i++) {
        in_second += p->place;
        placement_next(p, WINDOW_BYTES, INT64_C(1000) * WINDOW_BYTES / (p->place ? second : first));
    }
    return in_second;
}

static void most_windows_are_in_the_better_place(void **state)
{
    struct placement p = {0};
    (void)state;
    int in_second = work(&p, 1000, 200, 100);
    assert_in_range(in_second, 5, 50); /* it is tried, and seldom */
    p = (struct placement){0};
    assert_in_range(work(&p, 1000, 100, 110), 950, 995);
}

static void a_change_is_found_out(void **state)
{
    struct placement p = {0};
    (void)state;
    work(&p, 1000, 200, 100);
    assert_in_range(work(&p, 1000, 90, 200), 950,
                    999);                              /* at once: it was better than that before */
    assert_in_range(work(&p, 1000, 300, 200), 5, 150); /* at the next try */
}

static void a_window_of_no_time_is_no_harm(void **state)
{
    struct placement p = {0};
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_in_range(placement_next(&p, 0, 0), 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(most_windows_are_in_the_better_place),
                                       cmocka_unit_test(a_change_is_found_out),
                                       cmocka_unit_test(a_window_of_no_time_is_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
