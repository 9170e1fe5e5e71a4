/* A session's part of the ledger as it is kept: cursors, leases, what was told. */
#include <stdio.h>
#include <string.h>

#include "ptyd/core/deliver.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

/* The part of each lease that holds blocks of this session. */
static json_t *leases_json(const struct ledger *l, const char *session)
{
    json_t *leases = json_array();
    for (size_t i = 0; i < l->lease_count; i++) {
        const struct lease *lease = &l->leases[i];
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
                json_pack("{s:I, s:s, s:i, s:I, s:I, s:I, s:O*, s:O*, s:O, s:O*}", "id", lease->id,
                          "consumer", lease->consumer, "pid", (int)lease->pid, "ts",
                          (json_int_t)lease->wall_ms, "lasts", (json_int_t)lease->lasts_ms, "upto",
                          (json_int_t)upto->key, "held", upto->held, "others", upto->others, "keys",
                          keys, "told", upto == lease->upto ? lease->told : NULL));
        json_decref(keys);
    }
    return leases;
}

/* How a block's value was rendered: for which header's shell, and in which shape, if not the usual
 * one. */
static json_t *shape_json(const struct offer *o)
{
    if (o->shape.room == LIMIT_ENTRY_BYTES && !o->shape.apart && !o->shape.tool)
        return json_string(o->shell_id);
    return json_pack("{s:s, s:I, s:b, s:b}", "shell", o->shell_id, "room",
                     (json_int_t)o->shape.room, "apart", o->shape.apart, "tool", o->shape.tool);
}

/* Whether somebody who was to be told the block has yet to take it. */
static bool may_come_back(const struct ledger *l, const struct cursor *const *cursors, size_t count,
                          uint64_t key)
{
    for (size_t i = 0; i < count; i++)
        if (ledger_is_returned(cursors[i], key))
            return true;
    for (size_t i = 0; i < l->lease_count; i++)
        for (size_t k = 0; k < l->leases[i].key_count; k++)
            if (l->leases[i].keys[k].key == key)
                return true;
    return false;
}

/* The cursors of a session to which something came back. */
static size_t returning(const struct ledger *l, const char *session,
                        const struct cursor *ret_cursors[LIMIT_CONSUMERS])
{
    size_t count = 0;
    for (size_t i = 0; i < l->consumer_count; i++) {
        const struct cursor *cursor = ledger_find_cursor(&l->consumers[i], session);
        if (cursor && cursor->returned_count)
            ret_cursors[count++] = cursor;
    }
    return count;
}

/* So that they come out the same again. */
static json_t *rendered_json(const struct ledger *l, const char *session)
{
    const struct cursor *cursors[LIMIT_CONSUMERS];
    size_t count = returning(l, session, cursors);
    json_t *rendered = json_object();
    for (size_t i = 0; i < l->offer_count; i++) {
        const struct offer *o = l->offers[i];
        char key[24];
        if (!o->shell_id || strcmp(o->session, session) ||
            (o->told && !may_come_back(l, cursors, count, o->block->key)))
            continue;
        snprintf(key, sizeof key, "%llu", (unsigned long long)o->block->key);
        json_object_set_new(rendered, key, shape_json(o));
    }
    return rendered;
}

/* Key of the newest block of a session that some consumer has; 0 for none. */
static uint64_t newest_told(const struct ledger *l, const char *session)
{
    for (size_t i = l->offer_count; i > 0; i--)
        if (l->offers[i - 1]->told && !strcmp(l->offers[i - 1]->session, session))
            return l->offers[i - 1]->block->key;
    return 0;
}

/* Keys below `told` that came back and that nobody has. */
static json_t *untold_before(const struct ledger *l, const char *session, uint64_t told)
{
    json_t *untold = json_array();
    for (size_t i = 0; i < l->offer_count && l->offers[i]->block->key < told; i++)
        if (!l->offers[i]->told && !strcmp(l->offers[i]->session, session))
            json_array_append_new(untold, json_integer((json_int_t)l->offers[i]->block->key));
    return untold;
}

/* What each consumer knows of the session. */
static json_t *consumers_json(const struct ledger *l, const char *session)
{
    json_t *consumers = json_object();
    for (size_t i = 0; i < l->consumer_count; i++) {
        const struct cursor *cursor = ledger_find_cursor(&l->consumers[i], session);
        if (!cursor)
            continue;
        json_t *returned = json_array();
        for (size_t k = 0; k < cursor->returned_count; k++)
            json_array_append_new(returned, json_integer((json_int_t)cursor->returned[k]));
        json_object_set_new(consumers, l->consumers[i].id,
                            json_pack("{s:O*, s:I, s:o, s:I, s:I}", "turns", l->consumers[i].turns,
                                      "cursor", (json_int_t)cursor->key, "returned", returned,
                                      "missed", (json_int_t)cursor->missed, "used",
                                      (json_int_t)l->consumers[i].used_ms));
    }
    return consumers;
}

json_t *ledger_saved(struct ledger *l, const char *name)
{
    struct part *part = ledger_part(l, name);
    uint64_t told = newest_told(l, name);
    if (part)
        part->changed = false;
    json_t *saved =
        json_pack("{s:o, s:I, s:o, s:I, s:o, s:o, s:I}", "consumers", consumers_json(l, name),
                  "told", (json_int_t)told, "untold", untold_before(l, name, told), "cleared",
                  part ? (json_int_t)part->cleared : 0, "leases", leases_json(l, name), "rendered",
                  rendered_json(l, name), "key", (json_int_t)ledger_last_key(l));
    if (part && part->repeated) {
        json_object_set_new(saved, "repeated", json_integer(part->repeated));
        json_object_set_new(saved, "repeated_ms", json_integer(part->repeated_ms));
    }
    return saved;
}

static uint64_t higher(uint64_t key, long long other)
{
    return other > 0 && (uint64_t)other > key ? (uint64_t)other : key;
}

/* `key` is all that there was then; what an earlier version wrote has none. */
uint64_t ledger_highest_key(const json_t *saved)
{
    uint64_t key = higher(0, json_number(saved, "key", 0));
    const char *id;
    json_t *entry;
    size_t i;
    key = higher(key, json_number(saved, "told", 0));
    key = higher(key, json_number(saved, "cleared", 0));
    json_object_foreach(json_object_get(saved, "consumers"), id, entry)
        key = higher(key, json_number(entry, "cursor", 0));
    json_array_foreach(json_object_get(saved, "leases"), i, entry) {
        key = higher(key, json_number(entry, "id", 0));
        key = higher(key, json_number(entry, "upto", 0));
    }
    return key;
}

json_t *ledger_pending_buffer(const struct ledger *l, const char *name, const char *shell_id)
{
    const struct block *blocks[LIMIT_CONTEXT_BLOCKS];
    size_t kept = 0;
    json_int_t total = 0;
    for (size_t i = l->offer_count; i > 0; i--) {
        const struct offer *o = l->offers[i - 1];
        if (o->told || strcmp(o->session, name))
            continue;
        if (kept < LIMIT_CONTEXT_BLOCKS)
            blocks[LIMIT_CONTEXT_BLOCKS - ++kept] = o->block;
        total++;
    }
    if (!total)
        return NULL;
    return json_pack("{s:i, s:s, s:s, s:o, s:I}", "v", 1, "shell_id", shell_id, "conversation_id",
                     name, "commands", deliver_commands(blocks + LIMIT_CONTEXT_BLOCKS - kept, kept),
                     "total_commands_run", total);
}

/* How long a lease has, by the wall's clock, which may have been set meanwhile. */
static int64_t left_ms(const json_t *entry, struct moment now)
{
    int64_t lasts = json_number(entry, "lasts", 0);
    int64_t left = lasts - (now.wall_ms - json_number(entry, "ts", 0));
    return left < LIMIT_LEASE_CLI_MS ? LIMIT_LEASE_CLI_MS : left > lasts ? lasts : left;
}

/* A lease that an earlier worker gave. One may hold blocks of several sessions, each of which knows
 * its part. Its taker will settle it; if it is gone, or says nothing for long, the blocks come
 * back. */
static void load_lease(struct ledger *l, const char *session, const json_t *entry,
                       struct moment now)
{
    json_int_t id = json_number(entry, "id", 0);
    const char *consumer = json_text(entry, "consumer", NULL);
    const json_t *keys = json_object_get(entry, "keys");
    struct lease *lease = NULL;
    for (size_t i = 0; i < l->lease_count; i++)
        if (l->leases[i].id == id)
            lease = &l->leases[i];
    if (!consumer || (!lease && l->lease_count == LIMIT_LEASES) || (lease && lease->owner))
        return;
    if (!lease) {
        lease = &l->leases[l->lease_count++];
        *lease = (struct lease){
            .id = id,
            .consumer = text_copy(consumer),
            .pid = (pid_t)json_number(entry, "pid", 0),
            .wall_ms = json_number(entry, "ts", 0),
            .lasts_ms = json_number(entry, "lasts", 0),
            .expires_ms = now.monotonic_ms + left_ms(entry, now),
            .spare_ms = now.monotonic_ms + LIMIT_LEASE_CLI_MS,
        };
    }
    for (size_t i = 0; i < lease->upto_count; i++)
        if (!strcmp(lease->upto[i].session, session))
            return; /* known: the session was opened again */
    if (!lease->told)
        lease->told = json_incref(json_object_get(entry, "told"));
    ledger_lease_grow(lease, json_array_size(keys));
    for (size_t i = 0; i < json_array_size(keys); i++)
        lease->keys[lease->key_count++] = (struct offer_key){
            (uint64_t)json_integer_value(json_array_get(keys, i)), text_copy(session)};
    lease->upto[lease->upto_count++] = (struct upto){
        text_copy(session), (uint64_t)json_number(entry, "upto", 0),
        json_incref(json_object_get(entry, "held")), json_incref(json_object_get(entry, "others"))};
}

void ledger_load(struct ledger *l, const char *session, const json_t *saved, struct moment now)
{
    const char *id;
    json_t *entry, *key, *turn;
    size_t i;
    json_object_foreach(json_object_get(saved, "consumers"), id, entry) {
        struct consumer *consumer = ledger_consumer(l, id);
        struct cursor *cursor = ledger_cursor(consumer, session);
        cursor->key = (uint64_t)json_number(entry, "cursor", 0);
        cursor->missed = json_number(entry, "missed", 0);
        consumer->used_ms = json_number(entry, "used", 0);
        json_array_foreach(json_object_get(entry, "turns"), i, turn)
            ledger_add_turn(consumer, turn);
        json_array_foreach(json_object_get(entry, "returned"), i, key)
            ledger_add_returned(cursor, (uint64_t)json_integer_value(key));
    }
    json_array_foreach(json_object_get(saved, "leases"), i, entry)
        load_lease(l, session, entry, now);
}
