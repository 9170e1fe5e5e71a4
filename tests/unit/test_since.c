/* Times as people write them; the expected ones are date(1)'s: `TZ=... date -d '...' +%s`. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <time.h>

#include "ptyd/command/since.h"

#define NOW INT64_C(1795350600000) /* 2026-11-22 12:30:00 UTC */

static void use_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

static void expect(const char *text, int64_t seconds)
{
    int64_t at = -1;
    if (!since_parse(text, NOW, &at))
        fail_msg("'%s' is no time", text);
    if (at != seconds * 1000)
        fail_msg("'%s' is %lld, not %lld", text, (long long)at, (long long)seconds * 1000);
}

static void durations_count_back(void **state)
{
    (void)state;
    expect("0s", 1795350600);
    expect("90s", 1795350510);
    expect("30m", 1795348800);
    expect("2h", 1795343400);
    expect("2d", 1795177800);
    expect("1w", 1794745800);
}

static void dates_are_local(void **state)
{
    (void)state;
    use_zone("UTC");
    expect("2026-11-20", 1795132800);
    expect("2026-11-20 14:30", 1795185000);
    expect("2026-11-20T14:30:05", 1795185005);
    expect("today", 1795305600);
    expect("yesterday", 1795219200);
    expect("09:15", 1795338900);
    use_zone("America/New_York");
    expect("2026-11-20", 1795150800);
    expect("today", 1795323600);
    expect("2026-07-04 12:00", 1783180800); /* another offset then */
    use_zone("UTC");
}

static void an_hour_that_was_left_out_is_the_next(void **state)
{
    (void)state;
    use_zone("America/New_York");
    expect("2026-03-08 02:30", 1772955000);
    use_zone("UTC");
}

static void anything_else_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "2",
                                        "d",
                                        "2x",
                                        "-2h",
                                        "2h30m",
                                        "2h ",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2026-11",
                                        "25:00",
                                        "tomorrow",
                                        "1969-12-31",
                                        "99999999999w",
                                        "999999999999999999999d",
                                        "2026-11-20 14:30 x"};
    int64_t at = 7;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (since_parse(texts[i], NOW, &at) || at != 7)
            fail_msg("'%s' was taken", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_count_back),
        cmocka_unit_test(dates_are_local),
        cmocka_unit_test(an_hour_that_was_left_out_is_the_next),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
