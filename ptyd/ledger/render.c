/* What a take found, as its taker wants it. */
#include <string.h>

#include "envelope/entry.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

static bool is_taken(const json_t *taken, const char *key)
{
    size_t i;
    json_t *value;
    json_array_foreach(taken, i, value)
        if (json_string_value(value) && !strcmp(json_string_value(value), key))
            return true;
    return false;
}

static struct deliver_header header_of(const struct found *f)
{
    return (struct deliver_header){
        .conversation_id = f->feed ? f->feed->name : "",
        .shell_id = f->feed ? f->feed->shell_id : "",
        .cwd = f->feed ? f->feed->cwd : "",
        .total = f->total,
        .kept = (int64_t)f->kept,
        .running = f->running,
    };
}

/* A block's value, the same whenever it is told. It depends on the shell that the header names
 * (which it need not repeat): that of the first header counts. */
static const char *value_of(struct offer *o, const char *shell_id, bool peek, struct bytes *out)
{
    if (o->value)
        return o->value;
    deliver_block(o->block, o->directory, o->shell_id ? o->shell_id : shell_id, out);
    if (peek)
        return out->data;
    o->shell_id = o->shell_id ? o->shell_id : text_copy(shell_id);
    return o->value = text_copy(out->data);
}

/* A block's key and value; another number when the client uses ours. */
static void set_block(struct ledger *l, const struct ledger_request *q, struct offer *o,
                      const char *shell_id, json_t *map)
{
    struct bytes key = {0}, value = {0};
    const char *text = value_of(o, shell_id, q->peek, &value);
    entry_block_key(o->block->key, &key);
    while (!q->peek && is_taken(q->taken, key.data)) {
        key.len = 0;
        entry_block_key(ledger_new_key(l), &key);
    }
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s}", "value", text, "kind", "application"));
    bytes_finish(&key);
    bytes_finish(&value);
}

static void set_header(struct ledger *l, const struct ledger_request *q, const struct found *f,
                       json_t *map)
{
    struct bytes key = {0}, value = {0};
    struct deliver_header header = header_of(f);
    do {
        key.len = 0;
        entry_header_key(q->peek ? l->next_key : ledger_new_key(l), &key);
    } while (!q->peek && is_taken(q->taken, key.data));
    if (!f->feed && q->session)
        header.conversation_id = q->session;
    header.mcp = json_number(l->mcp, header.conversation_id, 0) > 0;
    deliver_header(&header, &value);
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s}", "value", value.data, "kind", "application"));
    bytes_finish(&key);
    bytes_finish(&value);
}

static void set_entries(struct ledger *l, const struct ledger_request *q, const struct found *f,
                        json_t *map)
{
    const char *shell = f->feed ? f->feed->shell_id : "";
    set_header(l, q, f, map);
    for (size_t i = f->count - f->kept; i < f->count; i++)
        set_block(l, q, f->due[i], shell, map);
}

/* The same blocks as plain text, or as the legacy envelope's object. */
static void set_other_form(const struct ledger_request *q, const struct found *f, json_t *result)
{
    const struct block *blocks[LIMIT_CONTEXT_BLOCKS];
    const char *directories[LIMIT_CONTEXT_BLOCKS];
    struct bytes text = {0};
    for (size_t i = 0; i < f->kept; i++) {
        const struct offer *o = f->due[f->count - f->kept + i];
        blocks[i] = o->block;
        directories[i] = o->directory;
    }
    if (q->format == LEDGER_TEXT) {
        deliver_text(&(struct deliver_text){.blocks = blocks,
                                            .count = f->kept,
                                            .dropped = f->total - (int64_t)f->kept,
                                            .running = f->running,
                                            .directories = directories},
                     LIMIT_HOOK_BYTES, &text);
        json_object_set_new(result, "text", json_stringn(text.data, text.len));
    } else if (q->format == LEDGER_ENVELOPE) {
        struct deliver_header header = header_of(f);
        deliver_envelope(blocks, f->kept, &header, &text);
        json_object_set_new(result, "envelope", json_stringn(text.data, text.len));
    }
    bytes_finish(&text);
}

void ledger_render(struct ledger *l, const struct ledger_request *q, const struct found *f,
                   json_t *result)
{
    set_entries(l, q, f, json_object_get(result, "additionalContext"));
    set_other_form(q, f, result);
}
