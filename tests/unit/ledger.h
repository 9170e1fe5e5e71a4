/* ledger.h - a ledger with sessions, a clock and a disk, as the worker has them, for its tests.
 *
 * After each call what it says has changed is kept (`disk`), and nothing else: restart() goes on
 * from there.
 */
#ifndef TESTS_UNIT_LEDGER_H
#define TESTS_UNIT_LEDGER_H

#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"

#define MINUTE_MS 60000

static char place[] = "/tmp/ptyd-ledger-XXXXXX"; /* of the ledger's own files */
static struct ledger *ledger;
static struct moment now;
static struct feed feed[8];
static struct feeds feeds = {.feed = feed};
static json_t *disk;     /* session: {blocks, part} */
static json_t *answer;   /* of the last take */
static char changed[64]; /* sessions that the last call said have changed */
static char heard[256];  /* what the last call told those who follow */
static const int client;

/* ---- the worker's side ---- */

static inline void hear(const char *what, const char *consumer, const char *turn, const json_t *ids)
{
    const json_t *id;
    size_t i;
    snprintf(heard, sizeof heard, "%s %s %s:", what, consumer, turn ? turn : "-");
    json_array_foreach(ids, i, id) {
        const char *text = json_string_value(id);
        snprintf(heard + strlen(heard), sizeof heard - strlen(heard), " %.*s",
                 (int)(strrchr(text, ':') - text), text);
    }
}

static inline void on_delivered(void *user, const char *consumer, const char *turn, json_t *ids)
{
    (void)user;
    hear("delivered", consumer, turn, ids);
}

static inline void on_released(void *user, const char *consumer, json_t *ids)
{
    (void)user;
    hear("released", consumer, NULL, ids);
}

static inline void keep_changed(void)
{
    const char *name;
    *changed = '\0';
    while ((name = ledger_next_changed(ledger))) {
        snprintf(changed + strlen(changed), sizeof changed - strlen(changed), "%s%s",
                 *changed ? " " : "", name);
        json_object_set_new(json_object_get(disk, name), "part", ledger_saved(ledger, name));
    }
}

static inline void create(void)
{
    static const struct ledger_events events = {.delivered = on_delivered, .released = on_released};
    ledger = ledger_create(place, &events, NULL);
}

static inline void add_session(const char *name)
{
    const json_t *kept = json_object_get(disk, name);
    ledger_add_session(ledger, name, "/state", json_object_get(kept, "part"),
                       json_object_get(kept, "blocks"), now);
}

static inline void open_session(const char *name)
{
    json_object_set_new(disk, name, json_pack("{s:[]}", "blocks"));
    feed[feeds.count++] = (struct feed){.name = name, .shell_id = name, .cwd = "/"};
    add_session(name);
}

/* The worker dies; another one reads what is kept. */
static inline void restart(void)
{
    ledger_destroy(ledger);
    create();
    for (size_t i = 0; i < feeds.count; i++)
        add_session(feed[i].name);
    keep_changed();
}

static inline void remove_files(void)
{
    static const char *const names[] = {"keys.json",         "keys.copy.json", "context.json",
                                        "context.copy.json", "receipts.jsonl", "receipts.jsonl.1"};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", place, names[i]);
        unlink(path);
    }
}

/* A new ledger with the sessions a and b. */
static inline int set_up(void **state)
{
    (void)state;
    now = (struct moment){1795207146949, 5000};
    feeds.count = 0;
    disk = json_object();
    create();
    open_session("a");
    open_session("b");
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    ledger_destroy(ledger);
    json_decref(answer);
    json_decref(disk);
    answer = disk = NULL;
    remove_files();
    return 0;
}

static inline void start_anew(void)
{
    tear_down(NULL);
    set_up(NULL);
}

static inline void pass(int64_t ms)
{
    now.wall_ms += ms;
    now.monotonic_ms += ms;
}

/* ---- what happens ---- */

static inline struct block *make_block(const char *session, const char *cmd, const char *cwd)
{
    struct block *block = block_create();
    const json_t *before = json_object_get(json_object_get(disk, session), "blocks");
    free(block->conversation_id);
    free(block->shell_id);
    free(block->cmd);
    free(block->cwd);
    block->conversation_id = text_copy(session);
    block->shell_id = text_copy(session);
    block->cmd = text_copy(cmd);
    block->cwd = text_copy(cwd);
    block->seq = json_array_size(before) + 1;
    block->ts_begin = now.wall_ms;
    return block;
}

/* A block ends, and is told of and written down as the worker does it. */
static inline bool offer(const char *session, struct block *block)
{
    block->ts_end = now.wall_ms;
    block_set_exit(block, 0);
    bool offered = ledger_offer(ledger, session, "/state", block);
    keep_changed();
    json_t *json = block_to_json(block);
    block_add_internal(block, json);
    json_array_append_new(json_object_get(json_object_get(disk, session), "blocks"), json);
    block_unref(block);
    return offered;
}

static inline void run_in(const char *session, const char *cmd, const char *cwd)
{
    assert_true(offer(session, make_block(session, cmd, cwd)));
}

/* The kernel calls its directory `at`. */
static inline void run_at(const char *session, const char *cmd, const char *cwd, const char *at)
{
    struct block *block = make_block(session, cmd, cwd);
    free(block->place);
    block->place = text_copy(at);
    assert_true(offer(session, block));
}

static inline void run(const char *session, const char *cmd)
{
    run_in(session, cmd, "/");
}

/* Commands 1 to `count`, named by their number. */
static inline void run_many(const char *session, int count)
{
    for (int i = 1; i <= count; i++) {
        char cmd[16];
        snprintf(cmd, sizeof cmd, "%d", i);
        run(session, cmd);
    }
}

/* Returns the lease, 0 for none. */
static inline json_int_t take_by(struct ledger_request request)
{
    request.now = now;
    request.owner = request.expires ? NULL : &client;
    *heard = '\0';
    json_decref(answer);
    answer = ledger_take(ledger, &request, &feeds);
    keep_changed();
    return json_integer_value(json_object_get(answer, "lease"));
}

static inline json_int_t take(const char *consumer)
{
    return take_by((struct ledger_request){.consumer = consumer});
}

static inline json_int_t take_and_expire(const char *consumer)
{
    return take_by((struct ledger_request){.consumer = consumer, .expires = true});
}

static inline json_t *receipt(void)
{
    return json_incref(json_object_get(answer, "receipt"));
}

/* `receipt` is borrowed. */
static inline bool commit_as(json_int_t lease, const json_t *with, const char *turn)
{
    *heard = '\0';
    bool known = ledger_commit(ledger, lease, with, turn);
    keep_changed();
    return known;
}

static inline void commit(json_int_t lease)
{
    assert_true(commit_as(lease, NULL, NULL));
}

static inline void give_back(json_int_t lease)
{
    *heard = '\0';
    assert_true(ledger_release(ledger, lease, false));
    keep_changed();
}

/* A whole turn of an agent's. */
static inline void turn(const char *consumer, const char *name)
{
    assert_true(commit_as(take(consumer), NULL, name));
}

static inline void fork_thread(const char *from, const char *to, const char *last,
                               const char *before)
{
    ledger_inherit(ledger, from, to, last, before, now);
    keep_changed();
}

static inline void revert_thread(const char *consumer, const char *before)
{
    ledger_revert(ledger, consumer, &(struct ledger_cut){.before = before});
    keep_changed();
}

static inline void roll_back(const char *consumer, const char *last)
{
    ledger_revert(ledger, consumer, &(struct ledger_cut){.last = last});
    keep_changed();
}

static inline void lose_turns(const char *consumer, json_t *turns)
{
    ledger_revert(ledger, consumer, &(struct ledger_cut){.turns = turns});
    json_decref(turns);
    keep_changed();
}

static inline void lose_turn(const char *consumer, const char *turn)
{
    lose_turns(consumer, json_pack("[s]", turn));
}

/* ---- what is expected ---- */

static inline const json_t *value_of(const char *key)
{
    return json_object_get(json_object_get(json_object_get(answer, "additionalContext"), key),
                           "value");
}

/* The name of an entry of the last take, `about` or `block`, the `index`th as the server sorts
 * them; NULL for none. */
static inline const char *entry_key(const char *kind, size_t index)
{
    static char keys[LIMIT_CONTEXT_BLOCKS + 1][40];
    json_t *map = json_object_get(answer, "additionalContext");
    char *sorted = json_dumps(map, JSON_SORT_KEYS), *at = sorted;
    char prefix[24];
    size_t found = 0;
    snprintf(prefix, sizeof prefix, "\"terminal_%s_", kind);
    while (at && (at = strstr(at, prefix)) && found++ < index)
        at++;
    if (at)
        snprintf(keys[index], sizeof keys[index], "%.*s", (int)strcspn(at + 1, "\""), at + 1);
    free(sorted);
    return at ? keys[index] : NULL;
}

static inline json_t *entry(const char *kind, size_t index)
{
    const char *key = entry_key(kind, index);
    return key ? json_loads(json_string_value(value_of(key)), 0, NULL) : NULL;
}

static inline long long number_of(const char *key)
{
    assert_non_null(key);
    return atoll(strrchr(key, '_') + 1);
}

/* The commands of the last take, in order, with a blank between them; "" for none. */
static inline void assert_told(const char *commands)
{
    char told[256] = "";
    json_t *block;
    for (size_t i = 0; (block = entry("block", i)); i++) {
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s%s", i ? " " : "",
                 json_string_value(json_object_get(block, "cmd")));
        json_decref(block);
    }
    assert_string_equal(told, commands);
}

/* What a consumer would be told now, looked at without a trace. */
static inline void assert_due(const char *consumer, const char *commands)
{
    take_by((struct ledger_request){.consumer = consumer, .peek = true});
    assert_told(commands);
}

static inline json_int_t count_of(const char *name)
{
    return json_integer_value(json_object_get(answer, name));
}

static inline void assert_counts(int total, int kept)
{
    assert_int_equal(count_of("total_commands_run"), total);
    assert_int_equal(count_of("kept"), kept);
    assert_int_equal(count_of("dropped"), total - kept);
}

/* ---- a group of tests ---- */

static inline int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static inline int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
