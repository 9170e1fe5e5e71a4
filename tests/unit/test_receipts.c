/* Receipts: a line for each turn that was told, and for no other; over a worker's death, a full
 * disk, a rotation. What stands in them is held against codex's own files by tests/e2e/receipts.js.
 */
#include "tests/unit/ledger.h"

#include <errno.h>
#include <sys/stat.h>

static char path[96], former[100];

static int set_up_receipts(void **state)
{
    snprintf(path, sizeof path, "%s/receipts.jsonl", place);
    snprintf(former, sizeof former, "%s.1", path);
    return set_up(state);
}

/* The consumers of the newest receipts, the oldest first. */
static void assert_receipts(const char *turn, const char *consumers)
{
    char text[512] = "";
    json_t *all = ledger_receipts(ledger, turn, 10), *one;
    size_t i;
    json_array_foreach(all, i, one) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s%s", i ? " " : "",
                 json_string_value(json_object_get(one, "consumer")));
    }
    json_decref(all);
    assert_string_equal(text, consumers);
}

static void a_turn_that_was_told_has_one_and_no_other(void **state)
{
    (void)state;
    run("a", "one");
    give_back(take("codex:refused"));
    assert_receipts(NULL, "");
    json_int_t lease = take("codex:told");
    assert_receipts(NULL, "");
    commit_as(lease, NULL, "turn-1");
    assert_receipts(NULL, "codex:told");
    assert_receipts("turn-1", "codex:told");
    assert_receipts("turn-2", "");
    assert_receipts("turn", "");
}

static void a_commit_that_is_repeated_leaves_one(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take("codex:t");
    json_t *kept = receipt();
    commit_as(lease, kept, "turn-1");
    commit_as(lease, kept, "turn-1");
    assert_receipts(NULL, "codex:t");
    restart();
    commit_as(lease, kept, "turn-1");
    assert_receipts(NULL, "codex:t");
    json_decref(kept);
}

static void what_a_lease_told_outlives_the_worker(void **state)
{
    (void)state;
    run("a", "one");
    run("b", "two");
    json_int_t lease = take("codex:t");
    restart();
    commit_as(lease, NULL, "turn-1");
    json_t *all = ledger_receipts(ledger, "turn-1", 1), *one = json_array_get(all, 0);
    assert_int_equal(json_array_size(json_object_get(one, "entries")), 3);
    assert_int_equal(json_array_size(json_object_get(one, "blocks")), 2);
    json_decref(all);
}

static void one_that_expired_and_was_told_all_the_same_has_one(void **state)
{
    (void)state;
    run("a", "one");
    json_int_t lease = take_and_expire("codex:t");
    json_t *kept = receipt();
    pass(2 * MINUTE_MS);
    assert_due("codex:t", "one");
    assert_receipts(NULL, "");
    commit_as(lease, kept, "late");
    assert_receipts("late", "codex:t");
    json_decref(kept);
}

static void what_finds_no_room_waits(void **state)
{
    (void)state;
    json_t *warnings = json_array();
    run("a", "one");
    assert_int_equal(mkdir(path, 0700), 0);
    commit_as(take("codex:t"), NULL, "turn-1");
    assert_receipts(NULL, "codex:t");
    ledger_add_warnings(ledger, warnings);
    assert_int_equal(json_array_size(warnings), 1);
    assert_int_equal(rmdir(path), 0);
    assert_receipts(NULL, "codex:t");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    json_array_clear(warnings);
    ledger_add_warnings(ledger, warnings);
    assert_int_equal(json_array_size(warnings), 0);
    restart();
    assert_receipts(NULL, "codex:t");
    json_decref(warnings);
}

static void fill(size_t bytes)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    for (size_t i = 0; i < bytes / 64; i++)
        fprintf(file, "%63s\n", "no receipt");
    fclose(file);
}

static void the_file_rotates_and_both_are_read(void **state)
{
    (void)state;
    run("a", "one");
    commit_as(take("codex:first"), NULL, "turn-1");
    fill(LIMIT_RECEIPTS_BYTES);
    commit_as(take("codex:second"), NULL, "turn-2");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(former, F_OK), 0);
    commit_as(take("codex:third"), NULL, "turn-3");
    assert_receipts("turn-1", "codex:first");
    assert_receipts(NULL, "codex:first codex:second codex:third");
}

/* Whatever stands there, what follows is read. */
static void lines_that_are_none_cost_nothing(void **state)
{
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("\n\n{}\n[1]\nnull\n\"turn-1\"\n{\"turn\":\"turn-1\"", file);
    for (int i = 0; i < 3000000; i++)
        putc('x', file);
    fclose(file);
    run("a", "one");
    commit_as(take("codex:t"), NULL, "turn-1");
    assert_receipts("turn-1", "codex:t");
}

/* What a taker hands back is its own; what it makes of it must not hurt. */
static void receipts_of_a_strange_taker(void **state)
{
    static const char *const strange[] = {
        "{\"consumer\":\"x\",\"lease\":1,\"told\":[]}",
        "{\"consumer\":\"x\",\"lease\":0,\"told\":{}}",
        "{\"consumer\":\"x\",\"lease\":\"1\",\"told\":{}}",
        "{\"lease\":1,\"told\":{}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        json_t *kept = json_loads(strange[i], 0, NULL);
        commit_as(77, kept, "turn-1");
        json_decref(kept);
    }
    char *large = memory_new(LIMIT_RECEIPT_BYTES + 1);
    memset(large, 'x', LIMIT_RECEIPT_BYTES);
    json_t *kept =
        json_pack("{s:s, s:i, s:{s:s}}", "consumer", "x", "lease", 5, "told", "x", large);
    commit_as(77, kept, "turn-1");
    json_decref(kept);
    free(large);
    assert_receipts(NULL, "");
}

#define OWN(f) cmocka_unit_test_setup_teardown(f, set_up_receipts, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWN(a_turn_that_was_told_has_one_and_no_other),
        OWN(a_commit_that_is_repeated_leaves_one),
        OWN(what_a_lease_told_outlives_the_worker),
        OWN(one_that_expired_and_was_told_all_the_same_has_one),
        OWN(what_finds_no_room_waits),
        OWN(the_file_rotates_and_both_are_read),
        OWN(lines_that_are_none_cost_nothing),
        OWN(receipts_of_a_strange_taker),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
