/* What other hosts' commands are told with. */
#include "tests/unit/ledger.h"

static void came_from(const char *cmd, const char *host)
{
    struct block *block = make_block(LEDGER_HOSTS, cmd, "/there");
    free(block->host);
    free(block->host_id);
    block->host = text_copy(host);
    block->host_id = text_copy("h1");
    block->heard_ms = now.wall_ms;
    assert_true(offer(LEDGER_HOSTS, block));
}

/* As the worker does it: it is no session. */
static void open_hosts(void)
{
    json_object_set_new(disk, LEDGER_HOSTS, json_pack("{s:[]}", "blocks"));
    add_session(LEDGER_HOSTS);
}

static void other_hosts_feed_who_asks_for_no_session(void **state)
{
    (void)state;
    open_hosts();
    run("a", "here");
    came_from("there", "devbox");
    json_t *roots = json_pack("[s]", "/");
    take_by((struct ledger_request){.consumer = "x", .roots = roots, .peek = true});
    assert_told("here there");
    json_t *about = entry("about", 0), *block = entry("block", 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(about, "hosts"), 0)),
                        "devbox");
    assert_string_equal(json_string_value(json_object_get(about, "conversation_id")), "a");
    assert_string_equal(json_string_value(json_object_get(block, "host")), "devbox");
    assert_int_equal(
        strncmp(json_string_value(json_object_get(block, "block_id")), "h1:@hosts:1:", 12), 0);
    json_decref(about);
    json_decref(block);
    take_by((struct ledger_request){.consumer = "x", .session = "a", .peek = true});
    assert_told("here");
    take_by((struct ledger_request){.consumer = "x", .thread = "b", .peek = true});
    assert_told("");
    json_decref(roots);
}

static void what_was_heard_is_told_once_over_a_death(void **state)
{
    (void)state;
    open_hosts();
    came_from("one", "devbox");
    commit(take("codex:t"));
    came_from("two", "devbox");
    json_int_t lease = take("codex:t");
    assert_told("two");
    ledger_destroy(ledger);
    create();
    add_session("a");
    add_session("b");
    add_session(LEDGER_HOSTS);
    assert_due("codex:t", "");
    give_back(lease);
    commit(take("codex:t"));
    assert_told("two");
    assert_due("codex:t", "");
}

static void other_hosts_do_not_push_out_what_ran_here(void **state)
{
    char cmd[16];
    (void)state;
    open_hosts();
    run("a", "here");
    for (int i = 0; i < LIMIT_CONTEXT_MEMORY; i++) {
        snprintf(cmd, sizeof cmd, "t%d", i);
        came_from(cmd, "devbox");
    }
    assert_int_equal(ledger_pending(ledger, "a"), 1);
    assert_int_equal(ledger_pending(ledger, LEDGER_HOSTS), LIMIT_CONTEXT_MEMORY / 2);
}

static void another_hosts_clock_says_nothing_here(void **state)
{
    (void)state;
    open_hosts();
    came_from("now", "devbox");
    struct block *block = make_block(LEDGER_HOSTS, "ahead", "/");
    block->heard_ms = now.wall_ms;
    now.wall_ms += 3 * 24 * 60 * MINUTE_MS; /* `offer` takes it for the end */
    assert_true(offer(LEDGER_HOSTS, block));
    now.wall_ms -= 3 * 24 * 60 * MINUTE_MS;
    commit(take("codex:t"));
    assert_due("claude:s", "now ahead");
    pass(60 * MINUTE_MS);
    assert_due("claude:s", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(other_hosts_feed_who_asks_for_no_session),
        TEST(what_was_heard_is_told_once_over_a_death),
        TEST(other_hosts_do_not_push_out_what_ran_here),
        TEST(another_hosts_clock_says_nothing_here),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
