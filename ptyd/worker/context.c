/* Blocks on offer are one list in order of their keys, which is the order in which they ended.
 * A consumer's view of it: everything behind its cursor, and what came back to it; nothing that
 * one of its own leases holds. */
#define _GNU_SOURCE
#include "ptyd/worker/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/entry.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/worker.h"

#define LOOKBACK_MS (15 * 60 * 1000) /* told to others: a new consumer hears of it this long */
#define KEY_RESERVE 1000             /* keys taken from the file at once */

_Static_assert((LIMIT_CONTEXT_BLOCKS + 1) * LIMIT_ENTRY_BYTES <= LIMIT_CONTEXT_BYTES,
               "all entries together stay in their bound because each does");

/* ---- keys ---- */

static char *keys_path(const struct context *c)
{
    return text_format("%s/keys.json", c->worker->options->state);
}

static void load_keys(struct context *c)
{
    struct bytes text = {0};
    char *path = keys_path(c);
    json_t *json =
        file_read(path, 4096, &text) == 0 ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    json_int_t next = json_integer_value(json_object_get(json, "next"));
    c->next_key = c->reserved_key = next > 0 ? (uint64_t)next : 1;
    json_decref(json);
    bytes_finish(&text);
    free(path);
}

/* Numbers never repeat, also when the daemon dies: they are reserved in the file first. */
static uint64_t new_key(struct context *c)
{
    if (c->next_key >= c->reserved_key) {
        char *path = keys_path(c);
        char *text =
            text_format("{\"next\":%llu}\n", (unsigned long long)c->next_key + KEY_RESERVE);
        if (file_replace(path, text, strlen(text)) < 0)
            fprintf(stderr, "ptyd: cannot write %s\n", path);
        c->reserved_key = c->next_key + KEY_RESERVE;
        free(text);
        free(path);
    }
    return c->next_key++;
}

/* ---- offers ---- */

static void offer_free(struct offer *o)
{
    block_unref(o->block);
    free(o->session);
    free(o->directory);
    free(o->value);
    free(o);
}

static bool is_leased(const struct context *c, const char *consumer, uint64_t key)
{
    for (size_t i = 0; i < c->lease_count; i++) {
        const struct lease *lease = &c->leases[i];
        for (size_t k = 0; k < lease->key_count; k++)
            if (lease->keys[k].key == key && !strcmp(lease->consumer, consumer))
                return true;
    }
    return false;
}

/* Whether a consumer has still to be told. One without a cursor for the session is told what
 * nobody was told, and what ended lately. */
static bool is_due(const struct context *c, const struct consumer *consumer, const char *id,
                   const struct offer *o, int64_t now_ms)
{
    uint64_t key = o->block->key;
    const struct cursor *cursor = consumer ? ledger_find_cursor(consumer, o->session) : NULL;
    if (is_leased(c, id, key))
        return false;
    if (cursor)
        return key > cursor->key || ledger_is_returned(cursor, key);
    return !o->told || o->block->ts_end > now_ms - LOOKBACK_MS;
}

static void drop_oldest(struct context *c)
{
    struct offer *o = c->offers[0];
    for (size_t i = 0; i < c->consumer_count; i++) {
        struct cursor *cursor = ledger_find_cursor(&c->consumers[i], o->session);
        if (cursor && o->block->key > cursor->key)
            cursor->missed++;
    }
    offer_free(o);
    memmove(c->offers, c->offers + 1, --c->offer_count * sizeof *c->offers);
}

static void add_offer(struct context *c, struct session *session, struct block *block, bool told)
{
    if (c->offer_count == LIMIT_CONTEXT_MEMORY)
        drop_oldest(c);
    struct offer *o = memory_new(sizeof *o);
    *o = (struct offer){.block = block_ref(block), .told = told};
    o->session = text_copy(session_name(session));
    o->directory = text_copy(store_directory(session_store(session)));
    size_t at = c->offer_count++;
    for (; at > 0 && c->offers[at - 1]->block->key > block->key; at--)
        c->offers[at] = c->offers[at - 1];
    c->offers[at] = o;
}

/* Forgets what came back up to `key`, unless a lease holds it. */
static void settle(struct context *c, const struct consumer *consumer, struct cursor *cursor,
                   uint64_t key)
{
    size_t kept = 0;
    for (size_t i = 0; i < cursor->returned_count; i++)
        if (cursor->returned[i] > key || is_leased(c, consumer->id, cursor->returned[i]))
            cursor->returned[kept++] = cursor->returned[i];
    cursor->returned_count = kept;
    cursor->key = key > cursor->key ? key : cursor->key;
    cursor->missed = 0;
}

static bool is_offered(const struct context *c, uint64_t key)
{
    for (size_t i = 0; i < c->offer_count; i++)
        if (c->offers[i]->block->key == key)
            return true;
    return false;
}

void context_load(struct context *c, struct session *session)
{
    const json_t *ledger = json_object_get(store_meta(session_store(session)), "ptyd_ledger");
    uint64_t told = (uint64_t)json_integer_value(json_object_get(ledger, "told"));
    json_t *blocks = store_blocks(session_store(session), 4 * LIMIT_CONTEXT_BLOCKS, true);
    json_t *json;
    size_t i;
    if (ledger)
        ledger_load(c, session_name(session), ledger);
    json_array_foreach(blocks, i, json)
    {
        struct block *block = block_from_json(json);
        if (block && block->key && deliver_wanted(block) && !is_offered(c, block->key))
            add_offer(c, session, block, block->key <= told);
        block_unref(block);
    }
    json_decref(blocks);
}

void context_forget(struct context *c, struct session *session)
{
    ledger_save(c, session);
}

void context_block_ended(struct context *c, struct session *session, struct block *block)
{
    if (!deliver_wanted(block))
        return;
    block->key = new_key(c);
    add_offer(c, session, block, false);
    ledger_save(c, session);
}

/* ---- which sessions feed a consumer ---- */

static bool under(const char *directory, const json_t *roots)
{
    size_t i;
    json_t *root;
    json_array_foreach(roots, i, root)
    {
        const char *path = json_string_value(root);
        size_t len = path ? strlen(path) : 0;
        while (len > 1 && path[len - 1] == '/')
            len--;
        if (len && !strncmp(directory, path, len) &&
            (len == 1 || !directory[len] || directory[len] == '/'))
            return true;
    }
    return false;
}

static bool feeds(const struct context *c, const struct context_request *q, const struct offer *o)
{
    if (q->session)
        return !strcmp(o->session, q->session);
    if (q->thread && worker_find(c->worker, q->thread))
        return !strcmp(o->session, q->thread);
    if (c->worker->session_count <= 1 || !json_array_size(q->roots))
        return true;
    return under(o->block->cwd, q->roots) || under(o->block->cwd_after, q->roots);
}

/* The session that the header speaks of: the one named, else the one of the newest block. */
static struct session *header_session(struct context *c, const struct context_request *q,
                                      struct offer **due, size_t count)
{
    struct session *s = q->session ? worker_find(c->worker, q->session) : NULL;
    if (!s && q->thread)
        s = worker_find(c->worker, q->thread);
    if (!s && count)
        s = worker_find(c->worker, due[count - 1]->session);
    if (!s && !q->session && c->worker->session_count == 1)
        s = c->worker->sessions[0];
    return s;
}

/* ---- taking ---- */

static bool is_taken(const json_t *taken, const char *key)
{
    size_t i;
    json_t *value;
    json_array_foreach(taken, i, value) if (json_string_value(value) &&
                                            !strcmp(json_string_value(value), key)) return true;
    return false;
}

/* A block's key and value; another number when the client uses ours. */
static void set_block(struct context *c, const struct context_request *q, struct offer *o,
                      const char *shell_id, json_t *map)
{
    struct bytes key = {0}, value = {0};
    entry_block_key(o->block->key, &key);
    if (!o->value) {
        deliver_block(o->block, o->directory, shell_id, &value);
        if (q->peek) {
            json_object_set_new(
                map, key.data, json_pack("{s:s, s:s}", "value", value.data, "kind", "application"));
            bytes_finish(&key);
            bytes_finish(&value);
            return;
        }
        o->value = text_copy(value.data);
    }
    while (is_taken(q->taken, key.data)) {
        key.len = 0;
        entry_block_key(new_key(c), &key);
    }
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s}", "value", o->value, "kind", "application"));
    bytes_finish(&key);
    bytes_finish(&value);
}

static void set_header(struct context *c, const struct context_request *q, struct session *session,
                       const struct block *running, int64_t total, size_t kept, json_t *map)
{
    struct bytes key = {0}, value = {0};
    do {
        key.len = 0;
        entry_header_key(q->peek ? c->next_key : new_key(c), &key);
    } while (!q->peek && is_taken(q->taken, key.data));
    const char *name = session ? session_name(session) : q->session ? q->session : "";
    deliver_header(
        &(struct deliver_header){
            .conversation_id = name,
            .shell_id = session ? session_shell_id(session) : "",
            .cwd = session ? tracker_cwd(session_tracker(session)) : "",
            .total = total,
            .kept = (int64_t)kept,
            .mcp = json_integer_value(json_object_get(c->mcp, name)) > 0,
            .running = running,
        },
        &value);
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s}", "value", value.data, "kind", "application"));
    bytes_finish(&key);
    bytes_finish(&value);
}

/* The command that runs now, if the consumer has not heard of it or it printed more since. */
static struct block *running_block(struct session *session, const struct consumer *consumer,
                                   json_t **ret_told)
{
    struct tracker *tracker = session ? session_tracker(session) : NULL;
    struct block *block = tracker ? tracker_running(tracker) : NULL;
    if (!block || block->private)
        return NULL;
    tracker_peek(tracker, LIMIT_RUNNING_LINES, LIMIT_RUNNING_BYTES);
    struct block as_if = *block;
    as_if.status = BLOCK_COMPLETED;
    if (!deliver_wanted(&as_if))
        return NULL;
    char *id = block_id(block);
    *ret_told = json_pack("{s:s, s:I}", "block", id, "bytes", (json_int_t)block->output_bytes);
    free(id);
    if (consumer && consumer->running_told && json_equal(consumer->running_told, *ret_told)) {
        json_decref(*ret_told);
        *ret_told = NULL;
        return NULL;
    }
    return block;
}

static void lease_finish(struct lease *lease)
{
    for (size_t i = 0; i < lease->key_count; i++)
        free(lease->keys[i].session);
    for (size_t i = 0; i < lease->upto_count; i++)
        free(lease->upto[i].session);
    free(lease->keys);
    free(lease->upto);
    free(lease->consumer);
}

static void see_upto(struct lease *lease, const char *session, uint64_t key)
{
    for (size_t i = 0; i < lease->upto_count; i++)
        if (!strcmp(lease->upto[i].session, session)) {
            lease->upto[i].key = key > lease->upto[i].key ? key : lease->upto[i].key;
            return;
        }
    lease->upto[lease->upto_count++] = (struct upto){text_copy(session), key};
}

/* Holds the blocks kept, and remembers the dropped ones as seen. */
static const struct lease *make_lease(struct context *c, const struct context_request *q,
                                      struct offer **due, size_t count, size_t kept)
{
    struct lease *lease = &c->leases[c->lease_count++];
    *lease = (struct lease){
        .id = ++c->next_lease, .consumer = text_copy(q->consumer), .owner = q->owner};
    lease->expires_ms = q->expires ? worker_now().monotonic_ms + LIMIT_LEASE_CLI_MS : 0;
    lease->keys = memory_new((kept + 1) * sizeof *lease->keys);
    lease->upto = memory_new((count + 1) * sizeof *lease->upto);
    for (size_t i = count - kept; i < count; i++)
        lease->keys[lease->key_count++] =
            (struct offer_key){due[i]->block->key, text_copy(due[i]->session)};
    for (size_t i = 0; i < count; i++)
        see_upto(lease, due[i]->session, due[i]->block->key);
    return lease;
}

/* What a taker hands back with its commit. */
static json_t *receipt_of(const struct lease *lease)
{
    json_t *upto = json_object();
    for (size_t i = 0; i < lease->upto_count; i++)
        json_object_set_new(upto, lease->upto[i].session,
                            json_integer((json_int_t)lease->upto[i].key));
    return json_pack("{s:s, s:o}", "consumer", lease->consumer, "upto", upto);
}

/* Before the first take of a session, what it is due is written down one by one. */
static void pin_due(struct context *c, const struct context_request *q, struct offer **due,
                    size_t count)
{
    struct consumer *consumer = ledger_consumer(c, q->consumer);
    consumer->used_ms = worker_now().wall_ms;
    for (size_t i = 0; i < c->offer_count; i++) {
        const char *session = c->offers[i]->session;
        if (!feeds(c, q, c->offers[i]) || ledger_find_cursor(consumer, session))
            continue;
        struct cursor *cursor = ledger_cursor(consumer, session);
        for (size_t k = 0; k < c->offer_count; k++)
            if (!strcmp(c->offers[k]->session, session))
                cursor->key = c->offers[k]->block->key;
        for (size_t k = 0; k < count; k++)
            if (!strcmp(due[k]->session, session))
                ledger_add_returned(cursor, due[k]->block->key);
    }
}

static void expire(struct context *c)
{
    int64_t now = worker_now().monotonic_ms;
    for (size_t i = c->lease_count; i > 0; i--)
        if (c->leases[i - 1].expires_ms && c->leases[i - 1].expires_ms <= now)
            context_release(c, c->leases[i - 1].id);
}

static int64_t missed(const struct consumer *consumer, struct offer **due, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; consumer && i < consumer->cursor_count; i++)
        for (size_t k = 0; k < count; k++)
            if (!strcmp(consumer->cursors[i].session, due[k]->session)) {
                sum += consumer->cursors[i].missed;
                break;
            }
    return sum;
}

json_t *context_take(struct context *c, const struct context_request *q)
{
    expire(c);
    if (!q->peek && c->lease_count == LIMIT_LEASES)
        return NULL;
    struct consumer *consumer = ledger_find_consumer(c, q->consumer);
    struct offer *due[LIMIT_CONTEXT_MEMORY];
    size_t count = 0;
    int64_t now = worker_now().wall_ms;
    for (size_t i = 0; i < c->offer_count; i++)
        if (feeds(c, q, c->offers[i]) && is_due(c, consumer, q->consumer, c->offers[i], now))
            due[count++] = c->offers[i];
    size_t kept = count < LIMIT_CONTEXT_BLOCKS ? count : LIMIT_CONTEXT_BLOCKS;
    int64_t total = (int64_t)count + missed(consumer, due, count);
    struct session *session = header_session(c, q, due, count);
    json_t *told = NULL, *map = json_object();
    struct block *running = running_block(session, consumer, &told);
    json_t *result =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "pending", (json_int_t)count, "total_commands_run",
                  (json_int_t)total, "kept", (json_int_t)kept, "dropped",
                  (json_int_t)(total - (int64_t)kept), "additionalContext", map);
    if (kept || running) {
        const char *shell = session ? session_shell_id(session) : "";
        set_header(c, q, session, running, total, kept, map);
        for (size_t i = count - kept; i < count; i++)
            set_block(c, q, due[i], shell, map);
        if (!q->peek) {
            pin_due(c, q, due, count);
            consumer = ledger_find_consumer(c, q->consumer);
            json_decref(consumer->running_told);
            consumer->running_told = json_incref(told);
            const struct lease *lease = make_lease(c, q, due, count, kept);
            json_object_set_new(result, "lease", json_integer(lease->id));
            json_object_set_new(result, "receipt", receipt_of(lease));
        }
    }
    json_decref(told);
    return result;
}

/* ---- settling ---- */

static struct lease *find_lease(struct context *c, json_int_t id)
{
    for (size_t i = 0; i < c->lease_count; i++)
        if (c->leases[i].id == id)
            return &c->leases[i];
    return NULL;
}

/* Takes the lease out of the table. */
static bool pull_lease(struct context *c, json_int_t id, struct lease *ret_lease)
{
    struct lease *found = find_lease(c, id);
    if (!found)
        return false;
    *ret_lease = *found;
    *found = c->leases[--c->lease_count];
    return true;
}

static void settle_upto(struct context *c, struct consumer *consumer, const char *session,
                        uint64_t key)
{
    settle(c, consumer, ledger_cursor(consumer, session), key);
    for (size_t i = 0; i < c->offer_count; i++)
        if (!strcmp(c->offers[i]->session, session) && c->offers[i]->block->key <= key)
            c->offers[i]->told = true;
}

static bool commit_receipt(struct context *c, const json_t *receipt)
{
    const char *id = json_string_value(json_object_get(receipt, "consumer"));
    const char *session;
    json_t *key;
    if (!id)
        return false;
    struct consumer *consumer = ledger_consumer(c, id);
    json_object_foreach(json_object_get(receipt, "upto"), session, key)
        settle_upto(c, consumer, session, (uint64_t)json_integer_value(key));
    return true;
}

bool context_commit(struct context *c, json_int_t id, const json_t *receipt)
{
    struct lease lease;
    bool known = pull_lease(c, id, &lease);
    if (known) {
        json_t *own = receipt_of(&lease);
        commit_receipt(c, own);
        json_decref(own);
        lease_finish(&lease);
    } else if (!commit_receipt(c, receipt)) {
        return false;
    }
    ledger_save_all(c);
    return true;
}

bool context_release(struct context *c, json_int_t id)
{
    struct lease lease;
    if (!pull_lease(c, id, &lease))
        return false;
    struct consumer *consumer = ledger_consumer(c, lease.consumer);
    json_decref(consumer->running_told);
    consumer->running_told = NULL;
    for (size_t i = 0; i < lease.key_count; i++) {
        struct cursor *cursor = ledger_cursor(consumer, lease.keys[i].session);
        if (lease.keys[i].key <= cursor->key)
            ledger_add_returned(cursor, lease.keys[i].key);
    }
    lease_finish(&lease);
    return true;
}

void context_release_owner(struct context *c, const void *owner)
{
    for (size_t i = c->lease_count; i > 0; i--)
        if (c->leases[i - 1].owner == owner)
            context_release(c, c->leases[i - 1].id);
}

void context_mcp(struct context *c, const char *conversation, int change)
{
    json_int_t count = json_integer_value(json_object_get(c->mcp, conversation)) + change;
    json_object_set_new(c->mcp, conversation, json_integer(count));
}

struct context *context_create(struct worker *worker)
{
    struct context *c = memory_new(sizeof *c);
    c->worker = worker;
    c->mcp = json_object();
    load_keys(c);
    return c;
}

void context_destroy(struct context *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->offer_count; i++)
        offer_free(c->offers[i]);
    for (size_t i = 0; i < c->consumer_count; i++)
        ledger_consumer_finish(&c->consumers[i]);
    for (size_t i = 0; i < c->lease_count; i++)
        lease_finish(&c->leases[i]);
    json_decref(c->mcp);
    free(c);
}
