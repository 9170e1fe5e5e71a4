/* A session's files and the ledger's, as a worker leaves them; one of them is harmed, at every byte
 * with LONG set, and another worker takes over: it knows what agents were told, and no number comes
 * again. */
#define _GNU_SOURCE
#include "tests/unit/harm.h"

#include <dirent.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/session/store.h"

#define TOLD    3 /* blocks that the agent was told */
#define PENDING 2 /* and that it was not */

static char state[64];
static struct store *store;
static struct ledger *ledger;
static struct feed feed = {.name = "s", .shell_id = "shell_s", .cwd = "/"};
static struct feeds feeds = {&feed, 1};
static struct moment now = {1795207146949, 5000};

/* ---- a worker ---- */

static void ignore(void *user, const char *consumer, const char *turn, json_t *ids)
{
    (void)user, (void)consumer, (void)turn, (void)ids;
}

static void ignore_release(void *user, const char *consumer, json_t *ids)
{
    (void)user, (void)consumer, (void)ids;
}

static void owe_nothing(void *user)
{
    (void)user;
}

static void start(void)
{
    static const struct ledger_events events = {.delivered = ignore, .released = ignore_release};
    store = store_open(state, "s", &(struct store_host){.owing = owe_nothing, .slate = -1});
    ledger = ledger_create(state, &events, NULL);
    json_t *blocks = store_blocks(store, LIMIT_CONTEXT_MEMORY, true);
    ledger_add_session(ledger, "s", store_directory(store),
                       json_object_get(store_meta(store), "ptyd_ledger"), blocks, now);
    json_decref(blocks);
}

static void die(void)
{
    store_close(store);
    ledger_destroy(ledger);
}

static void keep(void)
{
    json_object_set_new(store_meta(store), "ptyd_ledger", ledger_saved(ledger, "s"));
    store_save_meta(store);
}

static uint64_t run_next(void)
{
    struct block *block = block_create();
    free(block->conversation_id);
    block->conversation_id = text_copy("s");
    block->seq = store_highest_seq(store) + 1;
    free(block->cmd);
    block->cmd = text_format("%llu", (unsigned long long)block->seq);
    block->ts_begin = now.wall_ms;
    store_begin(store, block);
    block->ts_end = now.wall_ms;
    block_set_exit(block, 0);
    assert_true(ledger_offer(ledger, "s", store_directory(store), block));
    keep();
    store_end(store, block, NULL);
    uint64_t key = block->key;
    block_unref(block);
    return key;
}

static json_t *take(bool peek)
{
    struct ledger_request request = {
        .consumer = "codex:t", .session = "s", .now = now, .owner = &feed, .peek = peek};
    json_t *taken = ledger_take(ledger, &request, &feeds);
    assert_non_null(taken);
    if (!peek)
        keep();
    return taken;
}

/* The commands that the agent would be told, each behind a blank. */
static char *due(void)
{
    json_t *taken = take(true);
    struct bytes text = {0};
    char *sorted = json_dumps(json_object_get(taken, "additionalContext"), JSON_SORT_KEYS);
    bytes_append_text(&text, "");
    for (char *at = sorted; at && (at = strstr(at, "{\\\"cmd\\\":\\\"")); at++)
        bytes_printf(&text, " %.*s", (int)strcspn(at + 11, "\\"), at + 11);
    free(sorted);
    json_decref(taken);
    return text.data;
}

static void expect_due(const char *commands)
{
    char *found = due();
    assert_string_equal(found, commands);
    free(found);
}

static uint64_t work(void)
{
    uint64_t key = 0;
    start();
    for (int i = 0; i < TOLD; i++)
        run_next();
    json_t *taken = take(false);
    assert_true(ledger_commit(ledger, json_number(taken, "lease", 0), NULL, "turn-1"));
    ledger_set_injection(ledger, "off", false);
    keep();
    json_decref(taken);
    for (int i = 0; i < PENDING; i++)
        key = run_next();
    die();
    return key;
}

/* ---- its files ---- */

static const char *const names[] = {
    "keys.json",
    "keys.copy.json",
    "context.json",
    "context.copy.json",
    "conversations/s/meta.json",
    "conversations/s/meta.copy.json",
    "conversations/s/agent_pty/blocks.jsonl",
    "conversations/s/agent_pty/blocks.copy.jsonl",
    "conversations/s/agent_pty/events.jsonl",
};
#define NAMES (sizeof names / sizeof *names)

static struct bytes contents[NAMES];

static void path_of(size_t i, char out[128])
{
    snprintf(out, 128, "%s/%s", state, names[i]);
}

static void remember_files(void)
{
    char path[128];
    for (size_t i = 0; i < NAMES; i++) {
        path_of(i, path);
        contents[i].len = 0;
        assert_int_equal(file_read(path, 1 << 20, &contents[i]), 0);
        assert_true(contents[i].len > 0);
    }
}

static void put_files_back(void)
{
    char path[128];
    harm_remove(state);
    snprintf(path, sizeof path, "%s/conversations/s/agent_pty/blocks", state);
    assert_int_equal(file_make_directory(path), 0);
    for (size_t i = 0; i < NAMES; i++) {
        path_of(i, path);
        harm_write(path, contents[i].data, contents[i].len);
    }
}

static int in_place(void **unused)
{
    (void)unused;
    strcpy(state, "/dev/shm/ptyd-harms-XXXXXX");
    if (!mkdtemp(state)) {
        strcpy(state, "/tmp/ptyd-harms-XXXXXX");
        return mkdtemp(state) ? 0 : -1;
    }
    return 0;
}

static int gone(void **unused)
{
    (void)unused;
    harm_remove(state);
    for (size_t i = 0; i < NAMES; i++)
        bytes_finish(&contents[i]);
    return 0;
}

/* ---- tests ---- */

static void start_quietly(void)
{
    harm_hush(true);
    start();
    harm_hush(false);
}

static void one_harmed_file_costs_nothing(void **unused)
{
    char path[128];
    (void)unused;
    uint64_t highest = work();
    remember_files();
    for (size_t i = 0; i < NAMES; i++)
        for (enum harm harm = 0; harm < HARMS; harm++)
            for (size_t at = 0; at < harm_places(harm, contents[i].len); at += harm_step()) {
                put_files_back();
                path_of(i, path);
                harm_file(path, harm, at);
                start_quietly();
                expect_due(" 4 5");
                assert_false(ledger_injects(ledger, "codex:off", NULL));
                assert_int_equal(ledger_repeated(ledger), 0);
                assert_true(run_next() > highest);
                expect_due(" 4 5 6");
                die();
            }
}

/* Both copies of what was told are lost: told again, counted, also by the next worker; the numbers
 * go on. */
static void both_lost_is_told_again_and_counted(void **unused)
{
    char path[128];
    (void)unused;
    harm_remove(state);
    uint64_t highest = work();
    for (size_t i = 4; i < 6; i++) {
        path_of(i, path);
        harm_file(path, i == 4 ? ZEROED : CUT, 100);
    }
    for (size_t i = 0; i < 2; i++) {
        path_of(i, path);
        harm_file(path, ZEROED, 0);
    }
    start_quietly();
    expect_due(" 1 2 3 4 5");
    assert_int_equal(ledger_repeated(ledger), TOLD + PENDING);
    assert_true(run_next() > highest);
    die();
    start_quietly();
    assert_int_equal(ledger_repeated(ledger), TOLD + PENDING);
    json_t *warnings = json_array();
    ledger_add_warnings(ledger, warnings);
    char *text = json_dumps(warnings, 0);
    assert_non_null(strstr(text, "session s: what agents were told is lost since"));
    assert_non_null(strstr(text, "keys.json.damaged-"));
    free(text);
    json_decref(warnings);
    die();
}

/* Neither file says what was run: the names in blocks/ and meta.json still number. */
static void both_lists_lost_number_on(void **unused)
{
    char path[128];
    (void)unused;
    harm_remove(state);
    uint64_t highest = work();
    for (size_t i = 6; i < 8; i++) {
        path_of(i, path);
        harm_file(path, ZEROED, 0);
    }
    start_quietly();
    assert_int_equal(store_highest_seq(store), TOLD + PENDING);
    assert_true(run_next() > highest);
    expect_due(" 6");
    die();
}

/* Where no number can be reserved, none comes again all the same. */
static void keys_that_cannot_be_written_go_on(void **unused)
{
    char path[128];
    (void)unused;
    harm_remove(state);
    uint64_t highest = work();
    for (size_t i = 0; i < 2; i++) {
        path_of(i, path);
        harm_file(path, DIRECTORY, 0);
        strcat(path, ".new");
        assert_int_equal(mkdir(path, 0700), 0); /* what is to replace it cannot be made */
    }
    for (int i = 0; i < 3; i++) {
        start_quietly();
        harm_hush(true);
        uint64_t key = run_next();
        harm_hush(false);
        assert_true(key > highest);
        highest = key;
        die();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_harmed_file_costs_nothing, in_place, gone),
        cmocka_unit_test_setup_teardown(both_lost_is_told_again_and_counted, in_place, gone),
        cmocka_unit_test_setup_teardown(both_lists_lost_number_on, in_place, gone),
        cmocka_unit_test_setup_teardown(keys_that_cannot_be_written_go_on, in_place, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
