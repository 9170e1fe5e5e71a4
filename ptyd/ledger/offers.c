/* Blocks on offer are one list in order of their keys, which is the order in which they ended.
 * A consumer's view of it (context_take.c): everything behind its cursor, and what came back to it;
 * nothing that one of its own leases holds. context_settle.c says what becomes of a lease. */
#define _GNU_SOURCE
#include "ptyd/ledger/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/worker.h"

#define KEY_RESERVE 1000 /* keys taken from the file at once */

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
uint64_t ledger_new_key(struct context *c)
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
    free(o->shell_id);
    free(o);
}

void ledger_remove_offer(struct context *c, size_t index)
{
    offer_free(c->offers[index]);
    memmove(c->offers + index, c->offers + index + 1,
            (--c->offer_count - index) * sizeof *c->offers);
}

static void drop_oldest(struct context *c)
{
    const struct offer *o = c->offers[0];
    for (size_t i = 0; i < c->consumer_count; i++) {
        struct cursor *cursor = ledger_find_cursor(&c->consumers[i], o->session);
        if (cursor && o->block->key > cursor->key)
            cursor->missed++;
    }
    ledger_remove_offer(c, 0);
}

static struct offer *add_offer(struct context *c, struct session *session, struct block *block,
                               bool told)
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
    return o;
}

bool ledger_is_offered(const struct context *c, uint64_t key)
{
    for (size_t i = 0; i < c->offer_count; i++)
        if (c->offers[i]->block->key == key)
            return true;
    return false;
}

/* For which header the value was rendered, so that it comes out the same. */
static void restore_rendered(struct offer *o, const json_t *rendered)
{
    char *key = text_format("%llu", (unsigned long long)o->block->key);
    const char *shell_id = json_string_value(json_object_get(rendered, key));
    o->shell_id = shell_id ? text_copy(shell_id) : NULL;
    free(key);
}

static bool is_told(const json_t *ledger, uint64_t key)
{
    return key <= (uint64_t)json_integer_value(json_object_get(ledger, "told")) &&
           !ledger_lists(json_object_get(ledger, "untold"), key);
}

void context_load(struct context *c, struct session *session)
{
    const json_t *ledger = json_object_get(store_meta(session_store(session)), "ptyd_ledger");
    uint64_t cleared = (uint64_t)json_integer_value(json_object_get(ledger, "cleared"));
    const json_t *rendered = json_object_get(ledger, "rendered");
    json_t *blocks = store_blocks(session_store(session), LIMIT_CONTEXT_MEMORY, true);
    json_t *json;
    size_t i;
    if (ledger)
        ledger_load(c, session_name(session), ledger);
    json_array_foreach(blocks, i, json)
    {
        struct block *block = block_from_json(json);
        if (block && block->key > cleared && deliver_wanted(block) &&
            !ledger_is_offered(c, block->key))
            restore_rendered(add_offer(c, session, block, is_told(ledger, block->key)), rendered);
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
    block->key = ledger_new_key(c);
    add_offer(c, session, block, false);
    ledger_save(c, session);
    follow_pending(c->worker, block);
}

/* ---- what users see and switch ---- */

size_t context_pending(const struct context *c, const char *session)
{
    size_t count = 0;
    for (size_t i = 0; i < c->offer_count; i++) {
        const struct offer *o = c->offers[i];
        count += !o->told && (!session || !strcmp(o->session, session));
    }
    return count;
}

size_t context_clear(struct context *c, const char *session)
{
    size_t count = 0;
    for (size_t i = c->offer_count; i > 0; i--) {
        const struct offer *o = c->offers[i - 1];
        struct session *s = worker_find(c->worker, o->session);
        json_t *ledger = s ? json_object_get(store_meta(session_store(s)), "ptyd_ledger") : NULL;
        if (session && strcmp(o->session, session))
            continue;
        json_int_t before = json_integer_value(json_object_get(ledger, "cleared"));
        if (ledger && (json_int_t)o->block->key > before)
            json_object_set_new(ledger, "cleared", json_integer((json_int_t)o->block->key));
        count += !o->told;
        ledger_remove_offer(c, i - 1);
    }
    for (size_t i = 0; i < c->consumer_count; i++)
        for (size_t k = 0; k < c->consumers[i].cursor_count; k++)
            c->consumers[i].cursors[k].missed = 0;
    ledger_save_all(c);
    follow_pending(c->worker, NULL);
    return count;
}

static char *switches_path(const struct context *c)
{
    return text_format("%s/context.json", c->worker->options->state);
}

static void load_switches(struct context *c)
{
    struct bytes text = {0};
    char *path = switches_path(c);
    if (file_read(path, LIMIT_JSONL_BYTES, &text) == 0)
        c->switches = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
    if (!json_is_object(c->switches)) {
        json_decref(c->switches);
        c->switches = json_object();
    }
    bytes_finish(&text);
    free(path);
}

void ledger_save_switches(const struct context *c)
{
    char *path = switches_path(c), *text = json_dumps(c->switches, JSON_COMPACT);
    int result = text ? file_replace(path, text, strlen(text)) : -ENOMEM;
    if (result < 0)
        fprintf(stderr, "ptyd: cannot write %s: %s\n", path, strerror(-result));
    free(path);
    free(text);
}

void context_set_injection(struct context *c, const char *thread, bool on)
{
    json_t *threads = json_object_get(c->switches, "threads_off");
    if (!thread) {
        json_object_set_new(c->switches, "off", json_boolean(!on));
        if (on)
            json_object_del(c->switches, "threads_off");
    } else if (on) {
        json_object_del(threads, thread);
    } else {
        if (!threads)
            json_object_set_new(c->switches, "threads_off", threads = json_object());
        if (json_object_size(threads) < LIMIT_CONSUMERS)
            json_object_set_new(threads, thread, json_true());
    }
    ledger_save_switches(c);
    follow_capture(c->worker, NULL);
}

bool context_injects(const struct context *c, const char *consumer)
{
    const char *colon = consumer ? strchr(consumer, ':') : NULL;
    if (json_is_true(json_object_get(c->switches, "off")))
        return false;
    return !colon || !json_object_get(json_object_get(c->switches, "threads_off"), colon + 1);
}

json_int_t context_unseen(const struct context *c)
{
    return json_integer_value(json_object_get(c->switches, "unseen"));
}

/* ---- life ---- */

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
    load_switches(c);
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
        ledger_lease_finish(&c->leases[i]);
    json_decref(c->mcp);
    json_decref(c->switches);
    free(c);
}
