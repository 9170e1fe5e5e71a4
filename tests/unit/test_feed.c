/* How far a viewer is and what it gets next; and which of several leads. */
#include "tests/unit/test.h"

#include "base/limits.h"
#include "ptyd/worker/feed.h"
#include "ptyd/worker/leader.h"

#define WINDOW LIMIT_VIEW_WINDOW_BYTES
#define ROOM   (WINDOW / LIMIT_VIEW_ROOM_PART)
#define BEHIND LIMIT_VIEW_BEHIND_BYTES

/* ---- how far it is ---- */

static void programs_wait_for_what_is_under_way(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_begin(&f, 1000);
    assert_int_equal(feed_room(&f, 1000), WINDOW);
    feed_sent(&f, 100);
    assert_int_equal(feed_room(&f, 1100), WINDOW - 100);
    feed_sent(&f, WINDOW);
    assert_int_equal(feed_room(&f, 5000), 0);
    assert_true(feed_took(&f, 100 + ROOM - 1, 0));
    assert_int_equal(feed_room(&f, 5000), 0); /* too little for a sequence, perhaps */
    assert_true(feed_took(&f, 100 + ROOM, 0));
    assert_int_equal(feed_room(&f, 5000), ROOM);
    assert_false(feed_took(&f, 100 + ROOM, 0)); /* no more than before */
    assert_true(feed_took(&f, UINT64_MAX, 0));  /* of what was sent */
    assert_int_equal(feed_under_way(&f), 0);
}

/* The terminal shows what is under way in LIMIT_VIEW_WINDOW_MS, or is given no more than the least.
 */
static void a_fast_terminal_has_a_wide_window(void **state)
{
    static const struct {
        size_t bytes, ms, window;
    } paces[] = {
        {1000000, 1000, WINDOW},                       /* a slow line */
        {4000000, 1000, 4000000 / 20},                 /* within */
        {50000000, 1000, LIMIT_VIEW_WINDOW_MOST_BYTES} /* a terminal on this machine */
    };
    (void)state;
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        struct feed f = {0};
        feed_begin(&f, 0);
        feed_sent(&f, 1);
        feed_took(&f, 1, 100000);
        assert_int_equal(feed_room(&f, 1), WINDOW); /* nothing is known */
        feed_sent(&f, paces[i].bytes);
        feed_took(&f, 1 + paces[i].bytes, 100000 + (int64_t)paces[i].ms);
        assert_int_equal(feed_room(&f, 1), paces[i].window);
    }
}

/* What was under way then is more than there may be now. */
static void who_slows_down_is_sent_nothing_until_it_took_that(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_begin(&f, 0);
    feed_sent(&f, 100 * WINDOW);
    feed_took(&f, 96 * WINDOW, 100000);
    feed_took(&f, 98 * WINDOW, 101000);
    assert_int_equal(feed_room(&f, 100 * WINDOW), 0);
    f.follows = false;
    f.place = 100 * WINDOW;
    assert_false(feed_has_step(&f));
    assert_int_equal(feed_send_most(&f, 200 * WINDOW), 0);
}

static void who_follows_is_sent_nothing_from_the_log(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_begin(&f, 10);
    assert_false(feed_has_step(&f));
    assert_int_equal(feed_next(&f, 5000, 0), FEED_NOTHING);
}

static void who_is_passed_over_stops_nobody_and_gets_what_it_missed(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_begin(&f, 0);
    feed_sent(&f, WINDOW);
    f.place = WINDOW;
    feed_pass_over(&f);
    feed_mark(&f);
    assert_true(feed_room(&f, WINDOW) == SIZE_MAX);
    assert_int_equal(feed_next(&f, WINDOW + 500, 0), FEED_NOTHING);
    assert_true(feed_took(&f, 300, 0));
    assert_false(feed_took_mark(&f));
    assert_int_equal(feed_room(&f, WINDOW), 0);
    assert_int_equal(feed_next(&f, WINDOW + 500, 0), FEED_SEND);
    assert_int_equal(feed_send_most(&f, WINDOW + 500), 300);
    feed_sent(&f, 300);
    feed_moved(&f, WINDOW + 300, WINDOW + 500);
    assert_false(f.follows);
    assert_int_equal(feed_next(&f, WINDOW + 500, 0), FEED_NOTHING); /* until it takes some */
    assert_true(feed_took(&f, WINDOW - 1, 0));
    assert_false(feed_took_mark(&f));
    assert_true(feed_took(&f, WINDOW + 300, 0));
    assert_true(feed_took_mark(&f));
    /* What it lacks counts as what is under way. */
    assert_int_equal(feed_room(&f, WINDOW + 500), WINDOW - 200);
    assert_int_equal(feed_next(&f, WINDOW + 500, 0), FEED_SEND);
    assert_int_equal(feed_send_most(&f, WINDOW + 500), 200);
    feed_moved(&f, WINDOW + 500, WINDOW + 500);
    assert_true(f.follows);
}

static void of_too_much_the_lines_are_counted(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_resume(&f, 100);
    assert_int_equal(feed_next(&f, 100 + BEHIND, 0), FEED_SEND);
    assert_int_equal(feed_next(&f, 101 + BEHIND, 0), FEED_COUNT);
    assert_true(feed_room(&f, 101 + BEHIND) == SIZE_MAX); /* nobody waits for that */
    feed_counted(&f, 1000, 7);
    assert_int_equal(feed_next(&f, 1100, 0), FEED_COUNT); /* all of it, once begun */
    feed_counted(&f, 1100, 5);
    assert_int_equal(feed_next(&f, 1100, 0), FEED_REDRAW);
    assert_int_equal(f.lines, 12);
    assert_int_equal(feed_end(&f), 100); /* what it was sent */
    feed_begin(&f, 1100);
    assert_int_equal(f.lines, 0);
    assert_int_equal(feed_room(&f, 1100), WINDOW);
}

static void what_the_log_lacks_is_not_sent(void **state)
{
    struct feed f = {0};
    (void)state;
    feed_resume(&f, 100);
    assert_int_equal(feed_next(&f, 500, 200), FEED_COUNT);
    assert_int_equal(f.place, 200); /* what there is of it */
    assert_int_equal(feed_end(&f), 100);
    feed_resume(&f, 100);
    assert_int_equal(feed_next(&f, 500, UINT64_MAX), FEED_REDRAW); /* a broken log */
    feed_resume(&f, 600);
    assert_int_equal(feed_next(&f, 500, 0), FEED_REDRAW); /* of another stream */
    feed_resume(&f, 100);
    assert_int_equal(feed_next(&f, 500, 0), FEED_SEND);
    feed_skip(&f); /* which failed */
    assert_int_equal(feed_next(&f, 500, 0), FEED_COUNT);
}

/* ---- who leads ---- */

static struct leaders all;
static struct leading one, two, three, onlooker;
static const char session[2];

static int begin(void **state)
{
    (void)state;
    all = (struct leaders){0};
    one = two = three = (struct leading){.session = session};
    onlooker = (struct leading){.session = session, .looks = true};
    return 0;
}

static void the_only_one_leads_and_then_who_types(void **state)
{
    struct leading *before;
    (void)state;
    assert_false(leader_joins(&all, &onlooker, &before));
    assert_true(leader_joins(&all, &one, &before));
    assert_false(leader_joins(&all, &two, &before));
    assert_ptr_equal(leader_of(&all, session), &one);
    assert_true(leader_typed(&all, &two, &before));
    assert_ptr_equal(before, &one);
    assert_false(one.leads);
    assert_false(leader_typed(&all, &two, &before));
    assert_false(leader_typed(&all, &onlooker, &before));
    assert_ptr_equal(leader_of(&all, session), &two);
}

static void when_it_goes_who_typed_before_it_leads(void **state)
{
    struct leading *before;
    (void)state;
    leader_joins(&all, &one, &before);
    leader_joins(&all, &two, &before);
    leader_joins(&all, &three, &before);
    leader_joins(&all, &onlooker, &before);
    leader_typed(&all, &two, &before);
    leader_typed(&all, &three, &before);
    assert_false(leader_leaves(&all, &one)); /* it did not lead */
    assert_true(leader_leaves(&all, &three));
    assert_ptr_equal(leader_of(&all, session), &two);
    assert_true(leader_leaves(&all, &two));
    assert_null(leader_of(&all, session));
    assert_false(leader_leaves(&all, &onlooker));
}

static void sessions_have_leaders_of_their_own(void **state)
{
    struct leading *before;
    (void)state;
    two.session = session + 1;
    assert_true(leader_joins(&all, &one, &before));
    assert_true(leader_joins(&all, &two, &before));
    assert_ptr_equal(leader_of(&all, session), &one);
    assert_ptr_equal(leader_of(&all, session + 1), &two);
    assert_true(leader_leaves(&all, &two));
    assert_true(one.leads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_wait_for_what_is_under_way),
        cmocka_unit_test(a_fast_terminal_has_a_wide_window),
        cmocka_unit_test(who_slows_down_is_sent_nothing_until_it_took_that),
        cmocka_unit_test(who_follows_is_sent_nothing_from_the_log),
        cmocka_unit_test(who_is_passed_over_stops_nobody_and_gets_what_it_missed),
        cmocka_unit_test(of_too_much_the_lines_are_counted),
        cmocka_unit_test(what_the_log_lacks_is_not_sent),
        cmocka_unit_test_setup(the_only_one_leads_and_then_who_types, begin),
        cmocka_unit_test_setup(when_it_goes_who_typed_before_it_leads, begin),
        cmocka_unit_test_setup(sessions_have_leaders_of_their_own, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
