#include "ptyd/ledger/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"

struct cursor *ledger_find_cursor(const struct consumer *consumer, const char *session)
{
    for (size_t i = 0; i < consumer->cursor_count; i++)
        if (!strcmp(consumer->cursors[i].session, session))
            return &consumer->cursors[i];
    return NULL;
}

bool ledger_lists(const json_t *keys, uint64_t key)
{
    const json_t *value;
    size_t i;
    json_array_foreach(keys, i, value) if ((uint64_t)json_integer_value(value) == key) return true;
    return false;
}

bool ledger_is_returned(const struct cursor *cursor, uint64_t key)
{
    for (size_t i = 0; i < cursor->returned_count; i++)
        if (cursor->returned[i] == key)
            return true;
    return false;
}

struct consumer *ledger_find_consumer(struct context *c, const char *id)
{
    for (size_t i = 0; i < c->consumer_count; i++)
        if (!strcmp(c->consumers[i].id, id))
            return &c->consumers[i];
    return NULL;
}

void ledger_consumer_finish(struct consumer *consumer)
{
    for (size_t i = 0; i < consumer->cursor_count; i++) {
        free(consumer->cursors[i].session);
        free(consumer->cursors[i].returned);
    }
    free(consumer->cursors);
    free(consumer->id);
    json_decref(consumer->running_told);
    json_decref(consumer->turns);
}

static void forget_oldest(struct context *c)
{
    size_t oldest = 0;
    for (size_t i = 1; i < c->consumer_count; i++)
        if (c->consumers[i].used_ms < c->consumers[oldest].used_ms)
            oldest = i;
    ledger_consumer_finish(&c->consumers[oldest]);
    c->consumers[oldest] = c->consumers[--c->consumer_count];
}

struct consumer *ledger_add_consumer(struct context *c, struct consumer consumer)
{
    if (c->consumer_count == LIMIT_CONSUMERS)
        forget_oldest(c);
    c->consumers[c->consumer_count] = consumer;
    return &c->consumers[c->consumer_count++];
}

struct consumer *ledger_consumer(struct context *c, const char *id)
{
    struct consumer *found = ledger_find_consumer(c, id);
    return found ? found : ledger_add_consumer(c, (struct consumer){.id = text_copy(id)});
}

struct cursor *ledger_cursor(struct consumer *consumer, const char *session)
{
    struct cursor *found = ledger_find_cursor(consumer, session);
    if (found)
        return found;
    struct cursor *grown = realloc(consumer->cursors, (consumer->cursor_count + 1) * sizeof *grown);
    if (!grown)
        abort();
    consumer->cursors = grown;
    grown[consumer->cursor_count] = (struct cursor){.session = text_copy(session)};
    return &grown[consumer->cursor_count++];
}

void ledger_add_returned(struct cursor *cursor, uint64_t key)
{
    if (ledger_is_returned(cursor, key))
        return;
    uint64_t *grown = realloc(cursor->returned, (cursor->returned_count + 1) * sizeof *grown);
    if (!grown)
        abort();
    cursor->returned = grown;
    grown[cursor->returned_count++] = key;
}

/* ---- what is kept in meta.json ---- */

/* The part of each lease that holds blocks of this session. */
static json_t *leases_json(const struct context *c, const char *session)
{
    json_t *leases = json_array();
    for (size_t i = 0; i < c->lease_count; i++) {
        const struct lease *lease = &c->leases[i];
        json_t *keys = json_array();
        const struct upto *upto = NULL;
        for (size_t k = 0; k < lease->key_count; k++)
            if (!strcmp(lease->keys[k].session, session))
                json_array_append_new(keys, json_integer((json_int_t)lease->keys[k].key));
        for (size_t k = 0; k < lease->upto_count; k++)
            if (!strcmp(lease->upto[k].session, session))
                upto = &lease->upto[k];
        if (upto)
            json_array_append_new(
                leases,
                json_pack("{s:I, s:s, s:i, s:I, s:I, s:O*, s:O}", "id", lease->id, "consumer",
                          lease->consumer, "pid", (int)lease->pid, "ts", (json_int_t)lease->wall_ms,
                          "upto", (json_int_t)upto->key, "held", upto->held, "keys", keys));
        json_decref(keys);
    }
    return leases;
}

/* For which header's shell values were rendered, so that they come out the same again. */
static json_t *rendered_json(const struct context *c, const char *session)
{
    json_t *rendered = json_object();
    for (size_t i = 0; i < c->offer_count; i++) {
        const struct offer *o = c->offers[i];
        char key[24];
        if (!o->shell_id || o->told || strcmp(o->session, session))
            continue;
        snprintf(key, sizeof key, "%llu", (unsigned long long)o->block->key);
        json_object_set_new(rendered, key, json_string(o->shell_id));
    }
    return rendered;
}

/* Key of the newest block of a session that some consumer has; 0 for none. */
static uint64_t newest_told(const struct context *c, const char *session)
{
    for (size_t i = c->offer_count; i > 0; i--)
        if (c->offers[i - 1]->told && !strcmp(c->offers[i - 1]->session, session))
            return c->offers[i - 1]->block->key;
    return 0;
}

/* Those before it that came back, and that nobody has. */
static json_t *untold_before(const struct context *c, const char *session, uint64_t told)
{
    json_t *untold = json_array();
    for (size_t i = 0; i < c->offer_count && c->offers[i]->block->key < told; i++)
        if (!c->offers[i]->told && !strcmp(c->offers[i]->session, session))
            json_array_append_new(untold, json_integer((json_int_t)c->offers[i]->block->key));
    return untold;
}

static json_t *ledger_json(const struct context *c, struct session *s)
{
    const char *session = session_name(s);
    json_t *consumers = json_object();
    for (size_t i = 0; i < c->consumer_count; i++) {
        const struct cursor *cursor = ledger_find_cursor(&c->consumers[i], session);
        if (!cursor)
            continue;
        json_t *returned = json_array();
        for (size_t k = 0; k < cursor->returned_count; k++)
            json_array_append_new(returned, json_integer((json_int_t)cursor->returned[k]));
        json_object_set_new(consumers, c->consumers[i].id,
                            json_pack("{s:O*, s:I, s:o, s:I, s:I}", "turns", c->consumers[i].turns,
                                      "cursor", (json_int_t)cursor->key, "returned", returned,
                                      "missed", (json_int_t)cursor->missed, "used",
                                      (json_int_t)c->consumers[i].used_ms));
    }
    uint64_t told = newest_told(c, session);
    const json_t *before = json_object_get(store_meta(session_store(s)), "ptyd_ledger");
    return json_pack("{s:o, s:I, s:o, s:I, s:o, s:o}", "consumers", consumers, "told",
                     (json_int_t)told, "untold", untold_before(c, session, told), "cleared",
                     json_integer_value(json_object_get(before, "cleared")), "leases",
                     leases_json(c, session), "rendered", rendered_json(c, session));
}

/* The seed's object, for what nobody has been told yet. */
static json_t *pending_json(const struct context *c, const struct session *session)
{
    const struct block *blocks[LIMIT_CONTEXT_BLOCKS];
    size_t kept = 0;
    json_int_t total = 0;
    for (size_t i = c->offer_count; i > 0; i--) {
        const struct offer *o = c->offers[i - 1];
        if (o->told || strcmp(o->session, session_name(session)))
            continue;
        if (kept < LIMIT_CONTEXT_BLOCKS)
            blocks[LIMIT_CONTEXT_BLOCKS - ++kept] = o->block;
        total++;
    }
    if (!total)
        return NULL;
    return json_pack("{s:i, s:s, s:s, s:o, s:I}", "v", 1, "shell_id", session_shell_id(session),
                     "conversation_id", session_name(session), "commands",
                     deliver_commands(blocks + LIMIT_CONTEXT_BLOCKS - kept, kept),
                     "total_commands_run", total);
}

void ledger_save(struct context *c, struct session *session)
{
    json_t *meta = store_meta(session_store(session));
    json_t *pending = pending_json(c, session);
    json_object_set_new(meta, "ptyd_ledger", ledger_json(c, session));
    if (pending)
        json_object_set_new(meta, "pending_cmd_buffer", pending);
    else
        json_object_del(meta, "pending_cmd_buffer");
    session_flush(session);
}

void ledger_save_all(struct context *c)
{
    for (int i = 0; i < c->worker->session_count; i++)
        ledger_save(c, c->worker->sessions[i]);
}

/* A lease that an earlier worker gave. One may hold blocks of several sessions, each of which knows
 * its part. Its taker will settle it; if it is gone, or says nothing for long, the blocks come
 * back. */
static void load_lease(struct context *c, const char *session, const json_t *entry)
{
    json_int_t id = json_integer_value(json_object_get(entry, "id"));
    const char *consumer = json_string_value(json_object_get(entry, "consumer"));
    const json_t *keys = json_object_get(entry, "keys");
    struct lease *lease = NULL;
    for (size_t i = 0; i < c->lease_count; i++)
        if (c->leases[i].id == id)
            lease = &c->leases[i];
    if (!consumer || (!lease && c->lease_count == LIMIT_LEASES) || (lease && lease->owner))
        return;
    if (!lease) {
        lease = &c->leases[c->lease_count++];
        *lease = (struct lease){
            .id = id,
            .consumer = text_copy(consumer),
            .pid = (pid_t)json_integer_value(json_object_get(entry, "pid")),
            .wall_ms = json_integer_value(json_object_get(entry, "ts")),
            .expires_ms = clock_now().monotonic_ms + LIMIT_LEASE_CLI_MS,
        };
    }
    for (size_t i = 0; i < lease->upto_count; i++)
        if (!strcmp(lease->upto[i].session, session))
            return; /* known: the session was opened again */
    ledger_lease_grow(lease, json_array_size(keys));
    for (size_t i = 0; i < json_array_size(keys); i++)
        lease->keys[lease->key_count++] = (struct offer_key){
            (uint64_t)json_integer_value(json_array_get(keys, i)), text_copy(session)};
    lease->upto[lease->upto_count++] = (struct upto){
        text_copy(session), (uint64_t)json_integer_value(json_object_get(entry, "upto")),
        json_incref(json_object_get(entry, "held"))};
}

void ledger_load(struct context *c, const char *session, const json_t *ledger)
{
    const char *id;
    json_t *entry, *key;
    size_t i;
    json_object_foreach(json_object_get(ledger, "consumers"), id, entry)
    {
        struct consumer *consumer = ledger_consumer(c, id);
        struct cursor *cursor = ledger_cursor(consumer, session);
        cursor->key = (uint64_t)json_integer_value(json_object_get(entry, "cursor"));
        cursor->missed = json_integer_value(json_object_get(entry, "missed"));
        consumer->used_ms = json_integer_value(json_object_get(entry, "used"));
        if (!consumer->turns)
            consumer->turns = json_incref(json_object_get(entry, "turns"));
        json_array_foreach(json_object_get(entry, "returned"), i, key)
            ledger_add_returned(cursor, (uint64_t)json_integer_value(key));
    }
    json_array_foreach(json_object_get(ledger, "leases"), i, entry) load_lease(c, session, entry);
}
