/* What outlives a turn, a worker and a thread's fork: cursors, leases,
 * turns and switches as they are kept. */
#include "tests/unit/ledger.h"

/* ---- what is switched ---- */

static void what_is_cleared_is_told_to_nobody(void **state)
{
    (void)state;
    run_many("a", 3);
    run("b", "stays");
    json_int_t lease = take("codex:t");
    assert_int_equal(ledger_clear(ledger, "a"), 3);
    keep_changed();
    assert_string_equal(changed, "a");
    give_back(lease);
    assert_due("codex:t", "stays");
    restart();
    assert_due("codex:t", "stays");
    assert_due("claude:new", "stays");
    assert_counts(1, 1);
}

static void injection_is_off_for_all_or_one(void **state)
{
    (void)state;
    run("a", "one");
    ledger_set_injection(ledger, "t", false);
    assert_int_equal(take("codex:t"), 0);
    assert_told("");
    assert_int_equal(count_of("pending"), 1);
    assert_true(json_is_false(json_object_get(answer, "injection")));
    assert_true(take("codex:u") > 0);
    restart();
    assert_int_equal(take("codex:t"), 0);
    ledger_set_injection(ledger, NULL, false);
    assert_int_equal(take("codex:v"), 0);
    assert_due("codex:v", "one"); /* a look is allowed */
    ledger_set_injection(ledger, NULL, true);
    assert_true(take("codex:t") > 0);
}

static void a_thread_is_off_by_its_id_or_as_a_consumer(void **state)
{
    static const char *const names[] = {"t", "codex:t"};
    (void)state;
    for (int off = 0; off < 2; off++)
        for (int on = 0; on < 2; on++) {
            assert_true(ledger_set_injection(ledger, names[off], false));
            assert_false(ledger_injects(ledger, "codex:t", NULL));
            assert_true(ledger_injects(ledger, "codex:u", NULL));
            assert_true(ledger_set_injection(ledger, names[on], true));
            assert_true(ledger_injects(ledger, "codex:t", NULL));
        }
}

static void a_thread_too_many_is_not_switched_off(void **state)
{
    char id[16];
    (void)state;
    for (int i = 0; i < LIMIT_THREADS_OFF; i++) {
        snprintf(id, sizeof id, "%d", i);
        assert_true(ledger_set_injection(ledger, id, false));
    }
    assert_false(ledger_set_injection(ledger, "more", false));
    assert_true(ledger_injects(ledger, "codex:more", NULL));
    assert_true(ledger_set_injection(ledger, "0", false)); /* as it is */
    assert_true(ledger_set_injection(ledger, "1", true));
    assert_true(ledger_set_injection(ledger, "more", false));
    assert_false(ledger_injects(ledger, "codex:more", NULL));
    assert_false(ledger_injects(ledger, "cli", "more")); /* whoever asks for it */
    assert_true(ledger_injects(ledger, "cli", "other"));
}

/* ---- forks ---- */

static void tell_two_turns(void)
{
    start_anew();
    run("a", "one");
    turn("codex:t", "turn-1");
    run("b", "two");
    turn("codex:t", "turn-2");
    run("a", "three");
    pass(LIMIT_LOOKBACK_MS);
}

static void assert_inherits(const char *last, const char *before, const char *commands)
{
    tell_two_turns();
    fork_thread("codex:t", "codex:f", last, before);
    assert_due("codex:f", commands);
    restart();
    assert_due("codex:f", commands);
    assert_due("codex:t", "three");
}

static void a_fork_knows_what_its_history_holds(void **state)
{
    (void)state;
    assert_inherits(NULL, NULL, "three");
    assert_inherits("turn-2", NULL, "three");
    assert_inherits("turn-1", NULL, "two three");
    assert_inherits("turn-1-that-carried-nothing", NULL, "two three");
    assert_inherits(NULL, "turn-2", "two three");
    assert_inherits(NULL, "turn-1", "one two three");
}

static void a_fork_of_a_fork_knows_no_more(void **state)
{
    (void)state;
    tell_two_turns();
    fork_thread("codex:t", "codex:f", NULL, NULL);
    fork_thread("codex:f", "codex:g", "turn-1", NULL);
    assert_due("codex:g", "two three");
}

static void turns_outlive_the_worker(void **state)
{
    (void)state;
    tell_two_turns();
    restart();
    fork_thread("codex:t", "codex:f", "turn-1", NULL);
    assert_due("codex:f", "two three");
}

static void a_fork_knows_turns_that_came_late(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t first = take("codex:t");
    run("a", "two");
    turn("codex:t", "turn-1");
    give_back(first);
    turn("codex:t", "turn-2");
    pass(LIMIT_LOOKBACK_MS);
    fork_thread("codex:t", "codex:f", "turn-1", NULL);
    assert_due("codex:f", "one");
}

static void a_fork_knows_turns_settled_by_receipt(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take_and_expire("codex:t");
    json_t *kept = receipt();
    pass(LIMIT_LOOKBACK_MS);
    assert_due("codex:t", "one");
    assert_true(commit_as(lease, kept, "turn-1"));
    fork_thread("codex:t", "codex:f", NULL, "turn-1");
    assert_due("codex:f", "one");
    json_decref(kept);
}

static void a_thread_that_is_known_inherits_nothing(void **state)
{
    (void)state;
    run("a", "one");
    give_back(take("codex:f"));
    commit(take("codex:t"));
    fork_thread("codex:t", "codex:f", NULL, NULL);
    assert_due("codex:f", "one");
    fork_thread("codex:nobody", "codex:g", NULL, NULL);
    assert_string_equal(changed, "");
}

static void a_fork_of_a_thread_that_is_off_is_off(void **state)
{
    static const char *const names[] = {"t", "codex:t"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tell_two_turns();
        ledger_set_injection(ledger, names[i], false);
        fork_thread("codex:t", "codex:f", NULL, NULL);
        fork_thread("codex:f", "codex:g", NULL, NULL);
        fork_thread("codex:u", "codex:h", NULL, NULL);
        restart();
        assert_false(ledger_injects(ledger, "codex:f", NULL));
        assert_false(ledger_injects(ledger, "cli", "g"));
        assert_true(ledger_injects(ledger, "codex:h", NULL));
        ledger_set_injection(ledger, "f", true);
        fork_thread("codex:t", "codex:f", NULL, NULL); /* said once more */
        assert_true(ledger_injects(ledger, "codex:f", NULL));
        ledger_set_injection(ledger, NULL, true);
    }
}

/* A thread is left without turn-2, or what is given. */
static void assert_reverted(const char *before, const char *commands)
{
    tell_two_turns();
    revert_thread("codex:t", before);
    assert_due("codex:t", commands);
    restart();
    assert_due("codex:t", commands);
    turn("codex:t", "turn-4");
    assert_due("codex:t", "");
}

static void turns_that_are_taken_back_are_told_again(void **state)
{
    (void)state;
    assert_reverted("turn-3", "three");
    assert_reverted("turn-2", "two three");
    assert_reverted("turn-1-that-carried-nothing", "two three");
    assert_reverted("turn-1", "one two three");
}

static void turns_behind_the_last_that_is_left_are_told_again(void **state)
{
    (void)state;
    tell_two_turns();
    roll_back("codex:t", "turn-9");
    assert_due("codex:t", "three");
    roll_back("codex:t", "turn-1");
    assert_due("codex:t", "two three");
    restart();
    assert_due("codex:t", "two three");
    roll_back("codex:t", "");
    assert_due("codex:t", "one two three");
}

static void several_turns_are_taken_out(void **state)
{
    (void)state;
    tell_two_turns();
    lose_turns("codex:t", json_pack("[s, s, i, s]", "turn-0", "turn-3", 7, "turn-1"));
    assert_due("codex:t", "one three");
}

static void keys_are_new_where_that_is_wanted(void **state)
{
    (void)state;
    run("a", "one");
    give_back(take("codex:t"));
    long long first = number_of(entry_key("block", 0));
    take_by((struct ledger_request){.consumer = "codex:t", .renumber = true});
    assert_told("one");
    assert_true(number_of(entry_key("block", 0)) > first);
}

/* Of two clients in one thread the second takes a turn back while the first sends the next. */
static void what_is_taken_back_meanwhile_is_told_with_the_turn_behind(void **state)
{
    (void)state;
    run("a", "one");
    turn("codex:t", "turn-1");
    run("a", "two");
    json_int_t lease = take("codex:t");
    revert_thread("codex:t", "turn-1");
    assert_true(commit_as(lease, NULL, "turn-2"));
    assert_due("codex:t", "one");
    restart();
    assert_due("codex:t", "one");
    turn("codex:t", "turn-3");
    assert_due("codex:t", "");
}

static void a_turn_that_is_taken_out_is_told_again(void **state)
{
    (void)state;
    tell_two_turns();
    lose_turn("codex:t", "turn-0");
    assert_due("codex:t", "three");
    lose_turn("codex:t", "turn-1");
    assert_due("codex:t", "one three");
    restart();
    assert_due("codex:t", "one three");
}

static void turns_are_taken_back_once_more(void **state)
{
    (void)state;
    tell_two_turns();
    revert_thread("codex:t", "turn-2");
    turn("codex:t", "turn-4");
    revert_thread("codex:nobody", "turn-1");
    revert_thread("codex:t", "turn-4");
    assert_due("codex:t", "two three");
    turn("codex:t", "turn-5");
    fork_thread("codex:t", "codex:f", NULL, "turn-5");
    assert_due("codex:f", "two three");
}

/* ---- what is kept ---- */

static void another_worker_knows_all(void **state)
{
    (void)state;
    run("a", "told");
    commit(take("codex:t"));
    run("a", "back");
    run("b", "out");
    give_back(take_by((struct ledger_request){.consumer = "codex:t", .session = "a"}));
    json_int_t lease = take_by((struct ledger_request){.consumer = "codex:t", .session = "b"});
    pass(LIMIT_LOOKBACK_MS);
    restart();
    assert_due("codex:t", "back");
    assert_due("claude:new", "back out");
    assert_int_equal(ledger_pending(ledger, NULL), 2);
    commit(lease);
    restart();
    assert_due("claude:new", "back");
}

static pid_t dead_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_true(pid > 0 && waitpid(pid, NULL, 0) == pid);
    return pid;
}

static void a_lease_outlives_the_worker_with_its_taker(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two");
    take_by((struct ledger_request){.consumer = "codex:t", .session = "a", .pid = getpid()});
    take_by((struct ledger_request){.consumer = "codex:t", .session = "b", .pid = dead_process()});
    assert_due("codex:t", ""); /* who is connected lives */
    restart();
    assert_due("codex:t", "two");
    assert_string_equal(changed, "b");
    assert_int_equal(ledger_unseen(ledger), 1);
    pass(LIMIT_LEASE_CLI_MS);
    assert_due("codex:t", "one two");
}

/* The worker died before it could answer the second take: its taker, which lives, knows of the
 * first alone and says so. */
static void a_take_that_was_never_answered_comes_back(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t heard_of =
        take_by((struct ledger_request){.consumer = "codex:t", .session = "a", .pid = getpid()});
    run("a", "two");
    take_by((struct ledger_request){.consumer = "codex:t", .session = "a", .pid = getpid()});
    json_t *held = json_pack("[I]", heard_of);
    ledger_release_unheard(ledger, getpid(), held); /* this worker answers both */
    assert_due("codex:t", "");
    restart();
    ledger_release_unheard(ledger, getpid() + 1, held);
    assert_due("codex:t", "");
    ledger_release_unheard(ledger, getpid(), held);
    assert_due("codex:t", "two");
    assert_int_equal(ledger_unseen(ledger), 0);
    json_decref(held);
    commit(heard_of);
    assert_due("codex:t", "two");
}

/* Its files say that the lease is out: what was settled meanwhile nobody could keep. */
static void what_is_settled_while_a_session_is_closed_stays_so(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take("codex:t");
    ledger_remove_session(ledger, "a");
    commit(lease);
    assert_string_equal(changed, "");
    add_session("a");
    pass(2 * MINUTE_MS);
    assert_due("codex:t", "");
    assert_int_equal(ledger_unseen(ledger), 0);
    keep_changed();
    restart();
    assert_due("codex:t", "");
}

static void values_outlive_the_worker(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two"); /* the header's: of the other it is said which shell ran it */
    give_back(take("codex:t"));
    char *value = text_copy(json_string_value(value_of(entry_key("block", 0))));
    assert_non_null(strstr(value, "\"shell_id\":\"a\""));
    restart();
    take_by((struct ledger_request){.consumer = "codex:t", .session = "a"});
    assert_string_equal(json_string_value(value_of(entry_key("block", 0))), value);
    free(value);
}

static void what_changed_is_said(void **state)
{
    (void)state;
    run("b", "one");
    assert_string_equal(changed, "b");
    json_int_t lease = take("codex:t");
    assert_string_equal(changed, "b");
    give_back(lease);
    assert_string_equal(changed, "b");
    run("a", "two");
    lease = take("codex:t");
    assert_string_equal(changed, "a b");
    commit(lease);
    assert_string_equal(changed, "a b");
    take("codex:t");
    assert_string_equal(changed, "");
    assert_false(commit_as(lease, NULL, NULL));
    assert_string_equal(changed, "");
}

static void what_expired_or_was_settled_late_is_said(void **state)
{
    (void)state;
    run("b", "one");
    json_int_t lease = take_and_expire("cli");
    json_t *kept = receipt();
    pass(LIMIT_LEASE_CLI_MS);
    assert_due("cli", "one");
    assert_string_equal(changed, "b");
    assert_true(commit_as(lease, kept, NULL));
    assert_string_equal(changed, "b");
    fork_thread("cli", "codex:f", NULL, NULL);
    assert_string_equal(changed, "b");
    json_decref(kept);
}

static void what_leaves_memory_is_counted(void **state)
{
    (void)state;
    run("a", "known");
    commit(take("codex:t"));
    run_many("a", LIMIT_CONTEXT_MEMORY + 4);
    take("codex:t");
    assert_counts(LIMIT_CONTEXT_MEMORY + 4, 10);
}

static void what_leaves_memory_is_said(void **state)
{
    (void)state;
    run("a", "known");
    commit(take("codex:t"));
    run("a", "gone");
    run("a", "gone, too");
    run_many("b", LIMIT_CONTEXT_MEMORY - 3);
    assert_string_equal(changed, "b");
    run("b", "one more");
    assert_string_equal(changed, "a b");
    run("b", "another");
    run("b", "the last");
    restart();
    commit(take_by((struct ledger_request){.consumer = "codex:t", .session = "b"}));
    run("a", "next");
    take("codex:t");
    assert_counts(3, 1);
}

static void clearing_one_session_counts_the_other(void **state)
{
    (void)state;
    run("a", "known");
    commit(take("codex:t"));
    run("a", "gone");
    run_many("a", LIMIT_CONTEXT_MEMORY);
    ledger_clear(ledger, "b");
    take("codex:t");
    assert_counts(LIMIT_CONTEXT_MEMORY + 1, 10);
}

static void what_came_back_and_left_memory_is_counted(void **state)
{
    (void)state;
    run("a", "gone");
    give_back(take("codex:t"));
    run_many("a", LIMIT_CONTEXT_MEMORY);
    take("codex:t");
    assert_counts(LIMIT_CONTEXT_MEMORY + 1, 10);
}

static void who_was_unused_longest_is_forgotten(void **state)
{
    char id[16];
    (void)state;
    run("a", "one");
    for (int i = 0; i <= LIMIT_CONSUMERS; i++) {
        snprintf(id, sizeof id, "codex:%d", i);
        commit(take(id));
        pass(1);
    }
    assert_due("codex:0", "one");
    assert_due("codex:1", "");
    assert_due(id, "");
}

static void the_seeds_object_holds_what_nobody_was_told(void **state)
{
    (void)state;
    assert_null(ledger_pending_buffer(ledger, "a", "shell"));
    run_many("a", 12);
    run("b", "other");
    json_t *buffer = ledger_pending_buffer(ledger, "a", "shell");
    json_t *commands = json_object_get(buffer, "commands");
    assert_int_equal(json_integer_value(json_object_get(buffer, "total_commands_run")), 12);
    assert_int_equal(json_array_size(commands), 10);
    assert_string_equal(json_string_value(json_object_get(json_array_get(commands, 0), "cmd")),
                        "3");
    json_decref(buffer);
    commit(take("codex:t"));
    assert_null(ledger_pending_buffer(ledger, "a", "shell"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_cleared_is_told_to_nobody),
        TEST(injection_is_off_for_all_or_one),
        TEST(a_thread_is_off_by_its_id_or_as_a_consumer),
        TEST(a_thread_too_many_is_not_switched_off),

        TEST(a_fork_knows_what_its_history_holds),
        TEST(a_fork_of_a_fork_knows_no_more),
        TEST(turns_behind_the_last_that_is_left_are_told_again),
        TEST(several_turns_are_taken_out),
        TEST(keys_are_new_where_that_is_wanted),
        TEST(turns_outlive_the_worker),
        TEST(turns_that_are_taken_back_are_told_again),
        TEST(what_is_taken_back_meanwhile_is_told_with_the_turn_behind),
        TEST(a_turn_that_is_taken_out_is_told_again),
        TEST(turns_are_taken_back_once_more),
        TEST(a_fork_knows_turns_that_came_late),
        TEST(a_fork_knows_turns_settled_by_receipt),
        TEST(a_thread_that_is_known_inherits_nothing),
        TEST(a_fork_of_a_thread_that_is_off_is_off),

        TEST(another_worker_knows_all),
        TEST(a_lease_outlives_the_worker_with_its_taker),
        TEST(a_take_that_was_never_answered_comes_back),
        TEST(what_is_settled_while_a_session_is_closed_stays_so),
        TEST(values_outlive_the_worker),
        TEST(what_changed_is_said),
        TEST(what_expired_or_was_settled_late_is_said),
        TEST(what_leaves_memory_is_counted),
        TEST(what_leaves_memory_is_said),
        TEST(clearing_one_session_counts_the_other),
        TEST(what_came_back_and_left_memory_is_counted),
        TEST(who_was_unused_longest_is_forgotten),
        TEST(the_seeds_object_holds_what_nobody_was_told),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
