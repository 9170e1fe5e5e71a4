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
        .secrets = f->feed ? f->feed->secrets : NULL,
        .total = f->total,
        .kept = (int64_t)f->kept,
        .running = f->running,
    };
}

/* Other hosts on which blocks that are kept ran, each once. Returns how many. */
static size_t hosts_of(const struct found *f, const char *ret_hosts[LIMIT_CONTEXT_BLOCKS])
{
    size_t count = 0;
    for (size_t i = f->count - f->kept; i < f->count; i++) {
        const char *host = f->due[i]->block->host;
        size_t k = 0;
        while (k < count && strcmp(ret_hosts[k], host) != 0)
            k++;
        if (*host && k == count)
            ret_hosts[count++] = host;
    }
    return count;
}

static bool is_apart(const struct ledger *l)
{
    return l->conf->preview_kind == PREVIEW_UNTRUSTED;
}

/* It depends on the shell that the header names (which it need not repeat): that of the first
 * header counts. */
void ledger_render_block(const struct offer *o, const struct found *f,
                         const struct entry_shape *shape, struct bytes *out, struct bytes *output)
{
    const char *shell = o->shell_id ? o->shell_id : f->feed ? f->feed->shell_id : "";
    deliver_block(o->block, o->directory, shell, shape, out, output);
}

void ledger_render_header(const struct ledger *l, const struct ledger_request *q,
                          const struct found *f, struct bytes *out, struct bytes *output)
{
    struct deliver_header header = header_of(f);
    const char *hosts[LIMIT_CONTEXT_BLOCKS];
    header.host_count = hosts_of(f, hosts);
    header.hosts = hosts;
    if (!f->feed && q->session)
        header.conversation_id = q->session;
    header.mcp = ledger_is_served(l, header.conversation_id);
    header.apart = is_apart(l);
    deliver_header(&header, out, output);
}

static void set_entry(json_t *map, const struct bytes *key, const char *value)
{
    json_object_set_new(map, key->data,
                        json_pack("{s:s, s:s}", "value", value, "kind", "application"));
}

/* What programs printed, apart from the facts. */
static void set_output(json_t *map, uint64_t number, const char *value)
{
    struct bytes key = {0};
    entry_output_key(number, &key);
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s, s:s}", "value", value, "kind", "untrusted", "name",
                                  "terminal_output"));
    bytes_finish(&key);
}

static bool are_taken(const struct ledger_request *q, const char *key, uint64_t number)
{
    struct bytes output = {0};
    entry_output_key(number, &output);
    bool taken = !q->peek && (is_taken(q->taken, key) || is_taken(q->taken, output.data));
    bytes_finish(&output);
    return taken;
}

/* The entry's key, with another number when the client uses ours, or that is wanted. Returns the
 * number. */
static uint64_t choose_key(struct ledger *l, const struct ledger_request *q, uint64_t number,
                           void (*append)(uint64_t number, struct bytes *out), struct bytes *key)
{
    number = q->renumber && !q->peek ? ledger_new_key(l) : number;
    append(number, key);
    while (are_taken(q, key->data, number)) {
        key->len = 0;
        append(number = ledger_new_key(l), key);
    }
    return number;
}

/* A block's value is the same whenever it is told; a look leaves no trace. */
static void set_block(struct ledger *l, const struct ledger_request *q, const struct found *f,
                      size_t kept, json_t *map)
{
    struct offer *o = f->due[f->count - f->kept + kept];
    struct bytes key = {0}, value = {0}, output = {0};
    if (!o->value) {
        ledger_render_block(o, f, &f->shapes[kept], &value, &output);
        if (!q->peek) {
            o->shape = f->shapes[kept];
            o->shell_id = o->shell_id ? o->shell_id : text_copy(f->feed ? f->feed->shell_id : "");
            o->value = text_copy(value.data);
            o->output = output.len ? text_copy(output.data) : NULL;
        }
    }
    uint64_t number = choose_key(l, q, o->block->key, entry_block_key, &key);
    set_entry(map, &key, o->value ? o->value : value.data);
    if (o->output || output.len)
        set_output(map, number, o->output ? o->output : output.data);
    bytes_finish(&key);
    bytes_finish(&value);
    bytes_finish(&output);
}

static void set_header(struct ledger *l, const struct ledger_request *q, const struct found *f,
                       json_t *map)
{
    struct bytes key = {0}, value = {0}, output = {0};
    uint64_t number =
        choose_key(l, q, q->peek ? l->next_key : ledger_new_key(l), entry_header_key, &key);
    ledger_render_header(l, q, f, &value, &output);
    set_entry(map, &key, value.data);
    if (output.len)
        set_output(map, number, output.data);
    bytes_finish(&key);
    bytes_finish(&value);
    bytes_finish(&output);
}

static void set_entries(struct ledger *l, const struct ledger_request *q, const struct found *f,
                        json_t *map)
{
    set_header(l, q, f, map);
    for (size_t i = 0; i < f->kept; i++)
        set_block(l, q, f, i, map);
}

/* The same blocks as plain text, or as the legacy envelope's object. */
static void set_other_form(const struct ledger *l, const struct ledger_request *q, struct found *f,
                           json_t *result)
{
    int64_t most = l->conf->context_max_bytes;
    const struct block *blocks[LIMIT_CONTEXT_BLOCKS];
    const char *directories[LIMIT_CONTEXT_BLOCKS];
    bool served[LIMIT_CONTEXT_BLOCKS];
    struct bytes text = {0};
    for (size_t i = 0; i < f->kept; i++) {
        const struct offer *o = f->due[f->count - f->kept + i];
        blocks[i] = o->block;
        directories[i] = o->directory;
        served[i] = ledger_is_served(l, o->session);
    }
    if (q->format == LEDGER_TEXT) {
        deliver_text(&(struct deliver_text){.blocks = blocks,
                                            .count = f->kept,
                                            .dropped = f->total - (int64_t)f->kept,
                                            .running = f->running,
                                            .directories = directories,
                                            .served = served,
                                            .tagged = q->tagged,
                                            .ret_omitted = f->text_omitted},
                     most < LIMIT_HOOK_BYTES ? (size_t)most : LIMIT_HOOK_BYTES, &text);
        json_object_set_new(result, "text", json_stringn(text.data, text.len));
    } else if (q->format == LEDGER_ENVELOPE) {
        struct deliver_header header = header_of(f);
        header.mcp = ledger_is_served(l, header.conversation_id);
        deliver_envelope(blocks, f->kept, &header, &text);
        json_object_set_new(result, "envelope", json_stringn(text.data, text.len));
    }
    bytes_finish(&text);
}

void ledger_render(struct ledger *l, const struct ledger_request *q, struct found *f,
                   json_t *result)
{
    set_entries(l, q, f, json_object_get(result, "additionalContext"));
    set_other_form(l, q, f, result);
}
