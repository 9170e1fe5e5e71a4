#include "ptyd/worker/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

struct cursor *ledger_find_cursor(const struct consumer *consumer, const char *session)
{
    for (size_t i = 0; i < consumer->cursor_count; i++)
        if (!strcmp(consumer->cursors[i].session, session))
            return &consumer->cursors[i];
    return NULL;
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
}

struct consumer *ledger_consumer(struct context *c, const char *id)
{
    struct consumer *found = ledger_find_consumer(c, id);
    if (found)
        return found;
    if (c->consumer_count == LIMIT_CONSUMERS) {
        size_t oldest = 0;
        for (size_t i = 1; i < c->consumer_count; i++)
            if (c->consumers[i].used_ms < c->consumers[oldest].used_ms)
                oldest = i;
        ledger_consumer_finish(&c->consumers[oldest]);
        c->consumers[oldest] = c->consumers[--c->consumer_count];
    }
    struct consumer *consumer = &c->consumers[c->consumer_count++];
    *consumer = (struct consumer){.id = text_copy(id)};
    return consumer;
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

static json_t *ledger_json(const struct context *c, const char *session)
{
    json_t *consumers = json_object();
    for (size_t i = 0; i < c->consumer_count; i++) {
        const struct cursor *cursor = ledger_find_cursor(&c->consumers[i], session);
        if (!cursor)
            continue;
        json_t *returned = json_array();
        for (size_t k = 0; k < cursor->returned_count; k++)
            json_array_append_new(returned, json_integer((json_int_t)cursor->returned[k]));
        json_object_set_new(consumers, c->consumers[i].id,
                            json_pack("{s:I, s:o, s:I, s:I}", "cursor", (json_int_t)cursor->key,
                                      "returned", returned, "missed", (json_int_t)cursor->missed,
                                      "used", (json_int_t)c->consumers[i].used_ms));
    }
    uint64_t told = 0;
    for (size_t i = 0; i < c->offer_count; i++)
        if (c->offers[i]->told && !strcmp(c->offers[i]->session, session))
            told = c->offers[i]->block->key;
    return json_pack("{s:o, s:I}", "consumers", consumers, "told", (json_int_t)told);
}

/* The seed's object, for what nobody has been told yet. */
static json_t *pending_json(const struct context *c, const struct session *session)
{
    json_t *commands = json_array();
    json_int_t total = 0;
    for (size_t i = 0; i < c->offer_count; i++) {
        const struct offer *o = c->offers[i];
        const struct block *b = o->block;
        if (o->told || strcmp(o->session, session_name(session)))
            continue;
        char *id = block_id(b);
        total++;
        json_array_append_new(
            commands, json_pack("{s:s, s:o, s:s, s:s, s:I, s:o}", "cmd", b->cmd, "exit_code",
                                b->has_exit_code ? json_integer(b->exit_code) : json_null(), "cwd",
                                b->cwd, "block_id", id, "ts", (json_int_t)b->ts_end, "preview",
                                block_preview_json(b->preview, b->truncated)));
        free(id);
        if (json_array_size(commands) > LIMIT_CONTEXT_BLOCKS)
            json_array_remove(commands, 0);
    }
    if (!total) {
        json_decref(commands);
        return NULL;
    }
    return json_pack("{s:i, s:s, s:s, s:o, s:I}", "v", 1, "shell_id", session_shell_id(session),
                     "conversation_id", session_name(session), "commands", commands,
                     "total_commands_run", total);
}

void ledger_save(struct context *c, struct session *session)
{
    json_t *meta = store_meta(session_store(session));
    json_t *pending = pending_json(c, session);
    json_object_set_new(meta, "ptyd_ledger", ledger_json(c, session_name(session)));
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
        json_array_foreach(json_object_get(entry, "returned"), i, key)
            ledger_add_returned(cursor, (uint64_t)json_integer_value(key));
    }
}
