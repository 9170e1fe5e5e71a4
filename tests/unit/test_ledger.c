/* Who is told what, once: the ledger alone, with plain sessions and a clock that is told. */
#include "tests/unit/ledger.h"

/* ---- telling ---- */

static void a_block_is_told_once(void **state)
{
    (void)state;
    run("a", "one");
    commit(take("codex:t"));
    assert_told("one");
    assert_int_equal(take("codex:t"), 0);
    assert_null(receipt());
    assert_int_equal(json_object_size(json_object_get(answer, "additionalContext")), 0);
    assert_counts(0, 0);
}

static void a_block_that_came_back_is_the_same(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take("codex:t");
    long long header = number_of(entry_key("about", 0));
    char *key = text_copy(entry_key("block", 0)),
         *value = text_copy(json_string_value(value_of(key)));
    give_back(lease);
    feed[0].shell_id = "another";
    take("codex:t");
    assert_string_equal(entry_key("block", 0), key);
    assert_string_equal(json_string_value(value_of(key)), value);
    assert_true(number_of(entry_key("about", 0)) > header);
    free(key);
    free(value);
}

static void what_is_leased_is_not_offered(void **state)
{
    (void)state;
    run("a", "one");
    take("codex:t");
    assert_int_equal(take("codex:t"), 0);
    run("a", "two");
    assert_true(take("codex:t") > 0);
    assert_told("two");
}

static void nobody_takes_from_another(void **state)
{
    (void)state;
    run("a", "one");
    commit(take("codex:t"));
    commit(take("claude:s"));
    assert_told("one");
    assert_true(take("cli") > 0);
    assert_told("one");
}

static void the_newest_ten_are_told(void **state)
{
    (void)state;
    run_many("a", 13);
    json_int_t lease = take("codex:t");
    assert_told("4 5 6 7 8 9 10 11 12 13");
    assert_counts(13, 10);
    assert_int_equal(count_of("pending"), 13);
    commit(lease);
    run("a", "next");
    take("codex:t");
    assert_told("next");
    assert_counts(1, 1);
}

static void what_came_back_competes_for_the_ten(void **state)
{
    (void)state;
    run_many("a", 10);
    json_int_t lease = take("codex:t");
    run("b", "x");
    run("a", "y");
    give_back(lease);
    take("codex:t");
    assert_told("3 4 5 6 7 8 9 10 x y");
    assert_counts(12, 10);
}

static void the_header_counts(void **state)
{
    (void)state;
    run_many("a", 12);
    take("codex:t");
    json_t *header = entry("about", 0);
    assert_string_equal(json_string_value(json_object_get(header, "conversation_id")), "a");
    assert_int_equal(json_integer_value(json_object_get(header, "total_commands_run")), 12);
    assert_int_equal(json_integer_value(json_object_get(header, "kept")), 10);
    assert_int_equal(json_integer_value(json_object_get(header, "dropped")), 2);
    json_decref(header);
}

static void what_agents_are_not_told_is_not_offered(void **state)
{
    struct block *private = make_block("a", "secret", "/");
    (void)state;
    private->private = true;
    assert_false(offer("a", private));
    assert_false(offer("a", make_block("a", "codex resume", "/")));
    assert_string_equal(changed, "");
    assert_due("codex:t", "");
}

static void a_new_consumer_hears_what_nobody_knows_and_what_is_new(void **state)
{
    (void)state;
    run("a", "old");
    commit(take("codex:t"));
    run("a", "unknown");
    pass(10 * MINUTE_MS);
    run("b", "known");
    commit(take_by((struct ledger_request){.consumer = "codex:u", .session = "b"}));
    pass(6 * MINUTE_MS);
    take("claude:new");
    assert_told("unknown known");
}

static void a_running_command_is_told_when_its_output_grew(void **state)
{
    struct block *running = make_block("a", "make", "/");
    (void)state;
    running->output_bytes = 5;
    feed[0].running = running;
    struct ledger_request q = {.consumer = "codex:t", .session = "a"};
    commit(take_by(q));
    assert_non_null(entry_key("about", 0));
    assert_int_equal(take_by(q), 0);
    running->output_bytes = 6;
    give_back(take_by(q));
    assert_true(take_by(q) > 0); /* it never got there */
    running->output_bytes = 7;
    running->private = true;
    assert_int_equal(take_by(q), 0);
    feed[0].running = NULL;
    block_unref(running);
}

/* ---- leases ---- */

/* Three leases of a block each are settled in some order, one of `fate`'s bits saying which come
 * back: these, and no other, are due again. */
static void settle_three(const int order[3], unsigned fate, bool anew)
{
    static const char *const names[] = {"x", "y", "z"};
    json_int_t leases[3];
    char due[16] = "";
    start_anew();
    for (int i = 0; i < 3; i++) {
        run("a", names[i]);
        leases[i] = take("codex:t");
        assert_told(names[i]);
    }
    for (int i = 0; i < 3; i++) {
        if (anew)
            restart();
        if (fate >> order[i] & 1)
            give_back(leases[order[i]]);
        else
            commit(leases[order[i]]);
    }
    for (int i = 0; i < 3; i++)
        if (fate >> i & 1)
            snprintf(due + strlen(due), sizeof due - strlen(due), "%s%s", *due ? " " : "",
                     names[i]);
    assert_due("codex:t", due);
    assert_counts(__builtin_popcount(fate), __builtin_popcount(fate));
}

static void overlapping_leases_lose_and_repeat_nothing(void **state)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (unsigned fate = 0; fate < 8; fate++) {
            settle_three(orders[i], fate, false);
            settle_three(orders[i], fate, true);
        }
}

static void what_came_back_may_be_leased_beside_newer_ones(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t first = take("codex:t");
    run("a", "two");
    json_int_t second = take("codex:t");
    give_back(first);
    json_int_t third = take("codex:t");
    assert_told("one");
    commit(second);
    give_back(third);
    assert_due("codex:t", "one");
}

static void a_lease_from_the_command_line_expires(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take_and_expire("cli");
    pass(LIMIT_LEASE_CLI_MS - 1);
    assert_int_equal(take("cli"), 0);
    pass(1);
    assert_true(take("cli") > 0);
    assert_told("one");
    assert_int_equal(ledger_unseen(ledger), 1);
    assert_false(commit_as(lease, NULL, NULL));
}

static json_int_t take_for(const char *consumer, int64_t lasts_ms)
{
    json_int_t lease = take_by((struct ledger_request){.consumer = consumer});
    assert_true(ledger_hold(ledger, lease, lasts_ms, now));
    keep_changed();
    return lease;
}

static void a_lease_lasts_as_long_as_is_said(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take_for("claude:s", 10 * LIMIT_LEASE_CLI_MS);
    pass(9 * LIMIT_LEASE_CLI_MS);
    assert_int_equal(take("claude:s"), 0);
    restart();
    pass(LIMIT_LEASE_CLI_MS - 1);
    assert_int_equal(take("claude:s"), 0);
    assert_int_equal(ledger_unseen(ledger), 0);
    pass(1);
    assert_due("claude:s", "one");
    assert_int_equal(ledger_unseen(ledger), 1);
    assert_false(commit_as(lease, NULL, NULL));
}

/* As older clients ask. */
static void a_lease_that_nobody_owns_lasts_as_long_as_is_said(void **state)
{
    (void)state;
    run("a", "one");
    take_by((struct ledger_request){
        .consumer = "claude:s", .expires = true, .lasts_ms = 10 * LIMIT_LEASE_CLI_MS});
    pass(9 * LIMIT_LEASE_CLI_MS);
    assert_int_equal(take("claude:s"), 0);
    restart();
    pass(LIMIT_LEASE_CLI_MS);
    assert_due("claude:s", "one");
}

static void a_lease_is_its_takers_until_it_is_held(void **state)
{
    (void)state;
    run("a", "one");
    take_by((struct ledger_request){.consumer = "claude:s"});
    ledger_release_owner(ledger, &client);
    assert_due("claude:s", "one");
    take_for("claude:s", 10 * LIMIT_LEASE_CLI_MS);
    ledger_release_owner(ledger, &client);
    assert_due("claude:s", "");
    assert_false(ledger_hold(ledger, 999999, 1, now));
}

static void a_lease_that_lasts_gives_way_behind_a_minute(void **state)
{
    char consumer[16];
    (void)state;
    run("a", "one");
    for (int i = 0; i < LIMIT_LEASES; i++) {
        snprintf(consumer, sizeof consumer, "claude:%d", i);
        assert_true(take_for(consumer, 100 * LIMIT_LEASE_CLI_MS) > 0);
        pass(1);
    }
    pass(LIMIT_LEASE_CLI_MS - LIMIT_LEASES - 1);
    take("codex:t");
    assert_null(answer);
    pass(1);
    assert_true(take("codex:t") > 0);
    assert_due("claude:0", "one");
    assert_due("claude:1", "");
}

static void an_agents_lease_does_not_expire(void **state)
{
    (void)state;
    run("a", "one");
    take("codex:t");
    pass(1000 * LIMIT_LEASE_CLI_MS);
    assert_int_equal(take("codex:t"), 0);
    ledger_release_owner(ledger, &client);
    keep_changed();
    assert_string_equal(changed, "a");
    assert_int_equal(ledger_unseen(ledger), 1);
    assert_due("codex:t", "one");
}

static void a_receipt_settles_what_has_expired(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two");
    json_int_t lease = take_and_expire("cli");
    json_t *kept = receipt();
    pass(LIMIT_LEASE_CLI_MS);
    run("a", "three");
    assert_due("cli", "one two three");
    assert_true(commit_as(lease, kept, "turn"));
    assert_string_equal(heard, "delivered cli turn: a:1 b:1");
    assert_true(commit_as(lease, kept, "turn"));
    assert_string_equal(heard, "");
    assert_due("cli", "three");
    assert_counts(1, 1);
    json_decref(kept);
}

static void a_receipt_counts_for_who_took_the_same_again(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take_and_expire("cli");
    json_t *kept = receipt();
    pass(LIMIT_LEASE_CLI_MS);
    run("a", "two");
    json_int_t again = take_and_expire("cli");
    assert_told("one two");
    assert_true(commit_as(lease, kept, NULL));
    give_back(again);
    assert_due("cli", "two");
    json_decref(kept);
}

static void only_so_many_leases_are_out(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT_LEASES; i++) {
        run("a", "x");
        assert_true(take("codex:t") > 0);
    }
    run("a", "more");
    take("codex:t");
    assert_null(answer);
    assert_due("codex:t", "more");
}

static void followers_hear_what_becomes_of_it(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two");
    json_int_t lease = take("codex:t");
    assert_string_equal(heard, "");
    give_back(lease);
    assert_string_equal(heard, "released codex:t -: a:1 b:1");
    commit_as(take("codex:t"), NULL, "turn-1");
    assert_string_equal(heard, "delivered codex:t turn-1: a:1 b:1");
}

/* ---- which sessions feed a consumer ---- */

static json_t *roots(const char *one)
{
    return json_pack("[s]", one);
}

static void assert_fed(struct ledger_request q, const char *commands)
{
    q.consumer = "codex:t";
    q.peek = true;
    take_by(q);
    assert_told(commands);
}

static void the_session_that_is_named_feeds(void **state)
{
    json_t *elsewhere = roots("/elsewhere");
    (void)state;
    run("a", "one");
    run("b", "two");
    assert_fed((struct ledger_request){.session = "b", .thread = "a"}, "two");
    assert_fed((struct ledger_request){.thread = "a", .roots = elsewhere}, "one");
    assert_fed((struct ledger_request){.thread = "no session"}, "one two");
    json_decref(elsewhere);
}

static void the_only_session_that_captures_feeds(void **state)
{
    json_t *elsewhere = roots("/elsewhere");
    (void)state;
    run("a", "one");
    run("b", "two");
    assert_fed((struct ledger_request){.roots = elsewhere}, "");
    feed[1].exited = true;
    assert_fed((struct ledger_request){.roots = elsewhere}, "one");
    json_decref(elsewhere);
}

static void of_all_sessions_what_lies_under_a_root_feeds(void **state)
{
    json_t *home = roots("/home/x/");
    struct block *moved = make_block("b", "cd", "/");
    (void)state;
    free(moved->cwd_after);
    moved->cwd_after = text_copy("/home/x/deep");
    run_in("b", "two", "/home/x/src");
    run_in("a", "one", "/home/x");
    run_in("a", "beside", "/home/xy");
    assert_true(offer("b", moved));
    assert_fed((struct ledger_request){.roots = home}, "two one cd");
    json_decref(home);
}

static void what_is_under_a_root_by_another_name_feeds(void **state)
{
    json_t *home = roots("/data/x");
    (void)state;
    run_at("a", "one", "/link/x", "/data/x/y");
    run_at("a", "two", "/link/x", "/data/xy");
    assert_fed((struct ledger_request){.roots = home}, "one");
    restart();
    assert_fed((struct ledger_request){.roots = home}, "one");
    json_decref(home);
}

static void what_lies_under_no_root_is_told_to_others(void **state)
{
    json_t *home = roots("/home/x");
    struct ledger_request q = {.consumer = "codex:t", .roots = home};
    (void)state;
    run_in("a", "other", "/srv");
    run_in("a", "mine", "/home/x");
    json_int_t lease = take_by(q);
    restart();
    commit(lease);
    assert_fed(q, "");
    assert_int_equal(ledger_pending(ledger, NULL), 1);
    pass(LIMIT_LOOKBACK_MS);
    assert_due("codex:u", "other");
    restart();
    assert_due("codex:u", "other");
    json_decref(home);
}

static void a_paused_session_feeds_nobody(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two");
    feed[0].paused = true;
    commit(take("codex:t"));
    assert_told("two");
    feed[0].paused = false;
    take("codex:t");
    assert_told("one");
}

/* ---- keys ---- */

static void entries_are_sorted_by_their_keys(void **state)
{
    (void)state;
    run("b", "one");
    run("a", "two");
    take("codex:t");
    assert_int_equal(strlen(entry_key("about", 0)), strlen("terminal_about_000000000"));
    assert_int_equal(strlen(entry_key("block", 0)), strlen("terminal_block_000000000"));
    assert_told("one two");
}

static void no_key_is_given_twice(void **state)
{
    (void)state;
    run("a", "one");
    take("codex:t");
    long long last = number_of(entry_key("about", 0));
    for (int i = 0; i < 3; i++) {
        restart();
        run("a", "more");
        take("codex:u");
        assert_true(number_of(entry_key("about", 0)) > last);
        last = number_of(entry_key("about", 0));
    }
}

static void the_clients_own_keys_are_left_to_it(void **state)
{
    (void)state;
    run("a", "one");
    assert_due("codex:t", "one");
    char *block = text_copy(entry_key("block", 0)), *about = text_copy(entry_key("about", 0));
    json_t *taken = json_pack("[s, s]", block, about);
    assert_true(take_by((struct ledger_request){.consumer = "codex:t", .taken = taken}) > 0);
    assert_told("one");
    assert_true(number_of(entry_key("block", 0)) > number_of(block));
    assert_true(number_of(entry_key("about", 0)) > number_of(about));
    json_decref(taken);
    free(block);
    free(about);
}

static void a_look_changes_nothing(void **state)
{
    (void)state;
    run("a", "one");
    for (int i = 0; i < 2; i++) {
        assert_due("codex:t", "one");
        assert_int_equal(count_of("lease"), 0);
        assert_null(receipt());
        assert_string_equal(changed, "");
    }
    long long header = number_of(entry_key("about", 0));
    take("codex:u");
    assert_told("one");
    assert_int_equal(number_of(entry_key("about", 0)), header);
}

static void what_cannot_be_kept_is_not_offered(void **state)
{
    (void)state;
    struct block *block = make_block("a", "one", "/");
    block_set_exit(block, 0);
    assert_true(ledger_offer(ledger, "a", "/state", block));
    ledger_withdraw(ledger, block->key);
    assert_due("codex:t", "");
    block_unref(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_is_told_once),
        TEST(a_block_that_came_back_is_the_same),
        TEST(what_is_leased_is_not_offered),
        TEST(nobody_takes_from_another),
        TEST(the_newest_ten_are_told),
        TEST(what_came_back_competes_for_the_ten),
        TEST(the_header_counts),
        TEST(what_agents_are_not_told_is_not_offered),
        TEST(a_new_consumer_hears_what_nobody_knows_and_what_is_new),
        TEST(a_running_command_is_told_when_its_output_grew),
        TEST(overlapping_leases_lose_and_repeat_nothing),
        TEST(what_came_back_may_be_leased_beside_newer_ones),
        TEST(a_lease_from_the_command_line_expires),
        TEST(a_lease_lasts_as_long_as_is_said),
        TEST(a_lease_that_nobody_owns_lasts_as_long_as_is_said),
        TEST(a_lease_is_its_takers_until_it_is_held),
        TEST(a_lease_that_lasts_gives_way_behind_a_minute),
        TEST(an_agents_lease_does_not_expire),
        TEST(a_receipt_settles_what_has_expired),
        TEST(a_receipt_counts_for_who_took_the_same_again),
        TEST(only_so_many_leases_are_out),
        TEST(followers_hear_what_becomes_of_it),
        TEST(the_session_that_is_named_feeds),
        TEST(the_only_session_that_captures_feeds),
        TEST(of_all_sessions_what_lies_under_a_root_feeds),
        TEST(what_is_under_a_root_by_another_name_feeds),
        TEST(what_lies_under_no_root_is_told_to_others),
        TEST(a_paused_session_feeds_nobody),
        TEST(entries_are_sorted_by_their_keys),
        TEST(no_key_is_given_twice),
        TEST(the_clients_own_keys_are_left_to_it),
        TEST(a_look_changes_nothing),
        TEST(what_cannot_be_kept_is_not_offered),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
