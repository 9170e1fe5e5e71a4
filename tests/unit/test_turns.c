/* Turns: nobody starves, who waits comes first, a turn is bounded. The clock is the test's: a piece
 * takes as long as its worker says that so many bytes take. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/turns.h"

#define WORKERS 100

struct worker {
    struct turn turn;
    uint64_t us_per_kib;
    size_t left;           /* bytes of work */
    size_t done;           /* bytes */
    int pieces;            /* done */
    int last;              /* its number among all pieces */
    size_t asked;          /* bytes of its last piece */
    struct worker *starts; /* added, urgent, by its next piece */
};

static struct turns turns;
static struct worker workers[WORKERS];
static uint64_t now_us;
static int pieces, told;
static bool there_is_work;

static uint64_t clock_us(void *user)
{
    (void)user;
    return now_us;
}

static void on_work(void *user, bool there_is_some)
{
    (void)user;
    assert_true(there_is_some != there_is_work);
    there_is_work = there_is_some;
    told++;
}

static bool piece(struct turn *turn, size_t bytes)
{
    struct worker *w = (struct worker *)turn;
    size_t n = bytes < w->left ? bytes : w->left;
    now_us += n * w->us_per_kib / 1024;
    w->asked = bytes;
    w->left -= n;
    w->done += n;
    w->pieces++;
    w->last = ++pieces;
    if (w->starts)
        turns_add(&turns, &w->starts->turn, true);
    w->starts = NULL;
    return w->left > 0;
}

static int start(void **state)
{
    (void)state;
    turns_init(&turns, clock_us, clock_us, on_work, NULL);
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < WORKERS; i++)
        workers[i].turn.piece = piece;
    now_us = 5 * TURN_HURRY_US;
    pieces = told = 0;
    there_is_work = false;
    return 0;
}

/* A worker with `kib` to do, each of which takes so long. */
static struct worker *add(int i, size_t kib, uint64_t us_per_kib, bool urgent)
{
    workers[i].left = kib << 10;
    workers[i].us_per_kib = us_per_kib;
    turns_add(&turns, &workers[i].turn, urgent);
    return &workers[i];
}

/* Returns how long the turn took. */
static uint64_t run(void)
{
    uint64_t began = now_us;
    turns_run(&turns);
    return now_us - began;
}

static void work_is_told_of_once(void **state)
{
    (void)state;
    add(0, 1000, 10, false);
    add(1, 1000, 10, true);
    assert_true(there_is_work);
    assert_int_equal(told, 1);
    while (there_is_work)
        run();
    assert_int_equal(told, 2);
    assert_int_equal(workers[0].done, 1000 << 10);
    assert_int_equal(workers[1].done, 1000 << 10);
    add(0, 1, 10, false);
    turns_remove(&turns, &workers[0].turn);
    assert_int_equal(told, 4);
    run();
    assert_int_equal(workers[0].left, 1024);
}

/* Each has done as many pieces as any other, or one less, at any time. */
static void nobody_starves(void **state)
{
    (void)state;
    for (int i = 0; i < WORKERS; i++)
        add(i, 100000, 3 + i % 20, false);
    for (int turn = 0; turn < 2000; turn++) {
        int least = workers[0].pieces, most = least;
        run();
        for (int i = 0; i < WORKERS; i++) {
            least = workers[i].pieces < least ? workers[i].pieces : least;
            most = workers[i].pieces > most ? workers[i].pieces : most;
        }
        assert_in_range(most - least, 0, 1);
    }
    assert_in_range(workers[0].pieces, 20, 2000);
}

static void a_turn_goes_on_where_the_last_one_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < WORKERS; i++)
        add(i, 64, 20, false); /* 1.28 ms */
    for (int i = 0; i < WORKERS; i += 2) {
        assert_in_range(run(), TURN_US, TURN_US + 1280);
        assert_int_equal(workers[i].pieces, 1);
        assert_int_equal(workers[i + 1].pieces, 1);
        assert_true(i + 2 == WORKERS || !workers[i + 2].pieces);
    }
    assert_false(there_is_work);
}

static void urgent_work_comes_first(void **state)
{
    (void)state;
    for (int i = 1; i < WORKERS; i++)
        add(i, 100000, 10, false);
    run();
    int before = pieces;
    add(0, 1, 10, true);
    run();
    assert_int_equal(workers[0].last, before + 1);
    assert_false(turn_waits(&workers[0].turn));
    workers[50].starts = add(0, 1, 10, false); /* one that stands in line becomes urgent */
    while (workers[50].starts)
        run();
    run();
    assert_true(workers[0].last > workers[50].last);
    assert_in_range(workers[0].last - workers[50].last, 1, 1 + TURN_US / 640);
}

/* Urgent work without end leaves the others a piece in each turn, and all urgent ones a turn. */
static void urgent_work_leaves_room(void **state)
{
    (void)state;
    for (int i = 0; i < WORKERS; i++)
        add(i, 100000, 16, i % 2);
    for (int i = 0; i < 1000; i++)
        assert_in_range(run(), TURN_US, TURN_US + 2 * 1024);
    for (int i = 0; i < WORKERS; i++)
        assert_in_range(workers[i].pieces, 1000 / WORKERS, 1000);
}

/* Between two pieces the thread hears who waits. */
static void while_somebody_waits_a_turn_is_a_piece(void **state)
{
    (void)state;
    for (int i = 0; i < WORKERS; i++)
        add(i, 100000, 2, false); /* 128 us */
    run();
    assert_int_equal(pieces, 16);
    turns_hurry(&turns);
    for (int i = 1; i < 100; i++) {
        run();
        assert_int_equal(pieces, 16 + i);
    }
    now_us += TURN_HURRY_US;
    run();
    assert_int_equal(pieces, 16 + 99 + 16);
}

static void pieces_are_small_while_somebody_waits(void **state)
{
    (void)state;
    add(0, 100000, 5, false);
    run();
    assert_int_equal(workers[0].asked, TURN_BYTES_MOST);
    turns_hurry(&turns);
    run();
    assert_int_equal(workers[0].asked, TURN_BYTES_LEAST);
    now_us += TURN_HURRY_US;
    run();
    assert_int_equal(workers[0].asked, TURN_BYTES_MOST); /* at once: it is as cheap as it was */
}

/* Who waits for an answer types nothing. */
static void keys_are_expected_behind_keys(void **state)
{
    (void)state;
    turns_hurry(&turns);
    assert_false(turns_await_keys(&turns));
    turns_note_keys(&turns);
    assert_true(turns_await_keys(&turns));
    now_us += TURN_HURRY_US - 1;
    assert_true(turns_await_keys(&turns));
    now_us++;
    assert_false(turns_await_keys(&turns));
}

static void what_costs_much_is_done_in_smaller_pieces(void **state)
{
    (void)state;
    add(0, 100000, 5, false);
    add(1, 100000, 40, false);
    add(2, 100000, 200, false);
    for (int i = 0; i < 100; i++)
        run();
    assert_int_equal(workers[0].asked, TURN_BYTES_MOST);
    assert_in_range(workers[1].asked, TURN_BYTES_LEAST, TURN_BYTES_MOST / 2);
    assert_int_equal(workers[2].asked, TURN_BYTES_LEAST);
    workers[2].us_per_kib = 5; /* it became cheap */
    for (int i = 0; i < 10; i++)
        run();
    assert_int_equal(workers[2].asked, TURN_BYTES_MOST);
}

static bool frees_itself(struct turn *turn, size_t bytes)
{
    (void)bytes;
    turns_remove(&turns, turn);
    turns_remove(&turns, &workers[1].turn);
    free(turn);
    return false;
}

static void a_piece_may_end_itself_and_others(void **state)
{
    struct turn *turn = calloc(1, sizeof *turn);
    (void)state;
    turn->piece = frees_itself;
    turns_add(&turns, turn, false);
    add(1, 10, 10, true);
    add(2, 10, 10, false);
    turns_remove(&turns, &workers[1].turn);
    add(1, 10, 10, false);
    run();
    assert_int_equal(workers[1].pieces, 0);
    assert_int_equal(workers[2].pieces, 1);
    assert_false(there_is_work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(work_is_told_of_once, start),
        cmocka_unit_test_setup(nobody_starves, start),
        cmocka_unit_test_setup(a_turn_goes_on_where_the_last_one_stopped, start),
        cmocka_unit_test_setup(urgent_work_comes_first, start),
        cmocka_unit_test_setup(urgent_work_leaves_room, start),
        cmocka_unit_test_setup(keys_are_expected_behind_keys, start),
        cmocka_unit_test_setup(while_somebody_waits_a_turn_is_a_piece, start),
        cmocka_unit_test_setup(pieces_are_small_while_somebody_waits, start),
        cmocka_unit_test_setup(what_costs_much_is_done_in_smaller_pieces, start),
        cmocka_unit_test_setup(a_piece_may_end_itself_and_others, start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
