/* What a consumer is due, rendered and leased. */
#include "ptyd/ledger/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/entry.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/worker.h"

#define LOOKBACK_MS (15 * 60 * 1000) /* told to others: a new consumer hears of it this long */

/* Whether a consumer has still to be told. One without a cursor for the session is told what
 * nobody was told, and what ended lately. */
static bool is_due(const struct context *c, const struct consumer *consumer, const char *id,
                   const struct offer *o, int64_t now_ms)
{
    uint64_t key = o->block->key;
    const struct cursor *cursor = consumer ? ledger_find_cursor(consumer, o->session) : NULL;
    if (ledger_is_leased(c, id, key))
        return false;
    if (cursor)
        return key > cursor->key || ledger_is_returned(cursor, key);
    return !o->told || o->block->ts_end > now_ms - LOOKBACK_MS;
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

static bool is_capturing(const struct session *s)
{
    return !session_exited(s) && !session_paused(s);
}

static int capturing(const struct context *c)
{
    int count = 0;
    for (int i = 0; i < c->worker->session_count; i++)
        count += is_capturing(c->worker->sessions[i]);
    return count;
}

static bool feeds(const struct context *c, const struct context_request *q, const struct offer *o)
{
    const struct session *s = worker_find(c->worker, o->session);
    if (s && session_paused(s))
        return false;
    if (q->session)
        return !strcmp(o->session, q->session);
    if (q->thread && worker_find(c->worker, q->thread))
        return !strcmp(o->session, q->thread);
    if (!json_array_size(q->roots) || (capturing(c) <= 1 && (!s || is_capturing(s))))
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
    return s && !session_paused(s) ? s : NULL;
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

/* A value as it was or will be told: what differs with the header's shell is fixed at first. */
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
static void set_block(struct context *c, const struct context_request *q, struct offer *o,
                      const char *shell_id, json_t *map)
{
    struct bytes key = {0}, value = {0};
    const char *text = value_of(o, shell_id, q->peek, &value);
    entry_block_key(o->block->key, &key);
    while (!q->peek && is_taken(q->taken, key.data)) {
        key.len = 0;
        entry_block_key(ledger_new_key(c), &key);
    }
    json_object_set_new(map, key.data,
                        json_pack("{s:s, s:s}", "value", text, "kind", "application"));
    bytes_finish(&key);
    bytes_finish(&value);
}

static void set_header(struct context *c, const struct context_request *q, struct session *session,
                       const struct block *running, int64_t total, size_t kept, json_t *map)
{
    struct bytes key = {0}, value = {0};
    do {
        key.len = 0;
        entry_header_key(q->peek ? c->next_key : ledger_new_key(c), &key);
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
    if (!block || block->private || block->unrecorded)
        return NULL;
    tracker_peek(tracker, LIMIT_RUNNING_LINES, LIMIT_RUNNING_BYTES);
    block_redact(block, session_secrets(session));
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

/* What a take finds. */
struct found {
    struct offer *due[LIMIT_CONTEXT_MEMORY]; /* oldest first */
    size_t count, kept;                      /* the newest `kept` are told */
    int64_t total;
    struct session *session; /* the header's; or NULL */
    struct block *running;   /* or NULL */
    json_t *running_told;
};

static void find(struct context *c, const struct context_request *q, struct found *f)
{
    const struct consumer *consumer = ledger_find_consumer(c, q->consumer);
    int64_t now = clock_now().wall_ms;
    *f = (struct found){0};
    for (size_t i = 0; i < c->offer_count; i++)
        if (feeds(c, q, c->offers[i]) && is_due(c, consumer, q->consumer, c->offers[i], now))
            f->due[f->count++] = c->offers[i];
    f->kept = f->count < LIMIT_CONTEXT_BLOCKS ? f->count : LIMIT_CONTEXT_BLOCKS;
    f->total = (int64_t)f->count + missed(consumer, f->due, f->count);
    f->session = header_session(c, q, f->due, f->count);
    f->running = running_block(f->session, consumer, &f->running_told);
}

static void set_entries(struct context *c, const struct context_request *q, const struct found *f,
                        json_t *map)
{
    const char *shell = f->session ? session_shell_id(f->session) : "";
    set_header(c, q, f->session, f->running, f->total, f->kept, map);
    for (size_t i = f->count - f->kept; i < f->count; i++)
        set_block(c, q, f->due[i], shell, map);
}

/* The same blocks as plain text, or as the seed's object. */
static void set_other_form(const struct context_request *q, const struct found *f, json_t *result)
{
    const struct block *blocks[LIMIT_CONTEXT_BLOCKS];
    const char *directories[LIMIT_CONTEXT_BLOCKS];
    struct bytes text = {0};
    for (size_t i = 0; i < f->kept; i++) {
        const struct offer *o = f->due[f->count - f->kept + i];
        blocks[i] = o->block;
        directories[i] = o->directory;
    }
    if (q->format == CONTEXT_TEXT) {
        deliver_text(&(struct deliver_text){.blocks = blocks,
                                            .count = f->kept,
                                            .dropped = f->total - (int64_t)f->kept,
                                            .running = f->running,
                                            .directories = directories},
                     LIMIT_HOOK_BYTES, &text);
        json_object_set_new(result, "text", json_stringn(text.data, text.len));
    } else if (q->format == CONTEXT_SEED) {
        deliver_seed(blocks, f->kept,
                     &(struct deliver_header){
                         .conversation_id = f->session ? session_name(f->session) : "",
                         .shell_id = f->session ? session_shell_id(f->session) : "",
                         .total = f->total,
                         .kept = (int64_t)f->kept,
                     },
                     &text);
        json_object_set_new(result, "envelope", json_stringn(text.data, text.len));
    }
    bytes_finish(&text);
}

/* ---- leasing ---- */

static void see_upto(struct lease *lease, const char *session, uint64_t key)
{
    for (size_t i = 0; i < lease->upto_count; i++)
        if (!strcmp(lease->upto[i].session, session)) {
            lease->upto[i].key = key > lease->upto[i].key ? key : lease->upto[i].key;
            return;
        }
    lease->upto[lease->upto_count++] = (struct upto){.session = text_copy(session), .key = key};
}

/* What another lease holds is not this one's to settle. */
static void note_held(const struct context *c, const struct lease *lease, struct upto *upto)
{
    for (size_t i = 0; i < c->offer_count && c->offers[i]->block->key <= upto->key; i++) {
        uint64_t key = c->offers[i]->block->key;
        if (strcmp(c->offers[i]->session, upto->session) ||
            !ledger_is_leased(c, lease->consumer, key))
            continue;
        upto->held = upto->held ? upto->held : json_array();
        json_array_append_new(upto->held, json_integer((json_int_t)key));
    }
}

/* Holds the blocks kept, and remembers the dropped ones as seen. */
static const struct lease *make_lease(struct context *c, const struct context_request *q,
                                      struct offer **due, size_t count, size_t kept)
{
    struct lease *lease = &c->leases[c->lease_count];
    *lease = (struct lease){
        .id = (json_int_t)ledger_new_key(c), /* unlike any of a former worker's */
        .consumer = text_copy(q->consumer),
        .owner = q->owner,
        .pid = q->pid,
        .wall_ms = clock_now().wall_ms,
    };
    lease->expires_ms = q->expires ? clock_now().monotonic_ms + LIMIT_LEASE_CLI_MS : 0;
    lease->keys = memory_new((kept + 1) * sizeof *lease->keys);
    lease->upto = memory_new((count + 1) * sizeof *lease->upto);
    for (size_t i = count - kept; i < count; i++)
        lease->keys[lease->key_count++] =
            (struct offer_key){due[i]->block->key, text_copy(due[i]->session)};
    for (size_t i = 0; i < count; i++)
        see_upto(lease, due[i]->session, due[i]->block->key);
    for (size_t i = 0; i < lease->upto_count; i++)
        note_held(c, lease, &lease->upto[i]);
    c->lease_count++;
    return lease;
}

/* Before the first take of a session, what it is due is written down one by one. */
static void pin_due(struct context *c, const struct context_request *q, struct offer **due,
                    size_t count)
{
    struct consumer *consumer = ledger_consumer(c, q->consumer);
    consumer->used_ms = clock_now().wall_ms;
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

/* On disk before it is handed out. */
static void lease_found(struct context *c, const struct context_request *q, struct found *f,
                        json_t *result)
{
    pin_due(c, q, f->due, f->count);
    struct consumer *consumer = ledger_find_consumer(c, q->consumer);
    json_decref(consumer->running_told);
    consumer->running_told = json_incref(f->running_told);
    const struct lease *lease = make_lease(c, q, f->due, f->count, f->kept);
    json_object_set_new(result, "lease", json_integer(lease->id));
    json_object_set_new(result, "receipt", ledger_receipt(lease));
    for (size_t i = 0; i < lease->upto_count; i++) {
        struct session *s = worker_find(c->worker, lease->upto[i].session);
        if (s)
            ledger_save(c, s);
    }
}

json_t *context_take(struct context *c, const struct context_request *q)
{
    struct found f;
    ledger_expire(c);
    if (!q->peek && c->lease_count == LIMIT_LEASES)
        return NULL;
    find(c, q, &f);
    bool injects = q->peek || context_injects(c, q->consumer);
    json_t *map = json_object();
    json_t *result =
        json_pack("{s:I, s:I, s:I, s:I, s:b, s:o}", "pending", (json_int_t)f.count,
                  "total_commands_run", (json_int_t)f.total, "kept", (json_int_t)f.kept, "dropped",
                  (json_int_t)(f.total - (int64_t)f.kept), "injection",
                  context_injects(c, q->consumer), "additionalContext", map);
    if (injects && (f.kept || f.running)) {
        set_entries(c, q, &f, map);
        set_other_form(q, &f, result);
        if (!q->peek)
            lease_found(c, q, &f, result);
    }
    json_decref(f.running_told);
    return result;
}
