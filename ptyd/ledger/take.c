/* What a consumer is due, leased. */
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

/* Whether a consumer has still to be told. One without a cursor for the session is told what
 * nobody was told, and what ended lately. */
static bool is_due(const struct ledger *l, const struct consumer *consumer,
                   const struct ledger_request *q, const struct offer *o)
{
    uint64_t key = o->block->key;
    const struct cursor *cursor = consumer ? ledger_find_cursor(consumer, o->session) : NULL;
    if (ledger_is_leased(l, q->consumer, key))
        return false;
    if (cursor)
        return key > cursor->key || ledger_is_returned(cursor, key);
    /* Another host's clock may be days apart from this one. */
    int64_t when = o->block->heard_ms ? o->block->heard_ms : o->block->ts_end;
    return !o->told || when > q->now.wall_ms - l->conf->new_thread_lookback_ms;
}

/* ---- which sessions feed a consumer ---- */

static bool under(const char *directory, const json_t *roots)
{
    size_t i;
    json_t *root;
    json_array_foreach(roots, i, root) {
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

static const struct feed *find_feed(const struct feeds *feeds, const char *name)
{
    for (size_t i = 0; name && i < feeds->count; i++)
        if (!strcmp(feeds->feed[i].name, name))
            return &feeds->feed[i];
    return NULL;
}

static bool is_capturing(const struct feed *f)
{
    return !f->exited && !f->paused;
}

static int capturing(const struct feeds *feeds)
{
    int count = 0;
    for (size_t i = 0; i < feeds->count; i++)
        count += is_capturing(&feeds->feed[i]);
    return count;
}

static bool is_fed(const struct feeds *feeds, const struct ledger_request *q, const struct offer *o)
{
    const struct feed *f = find_feed(feeds, o->session);
    if (f && f->paused)
        return false;
    if (q->session)
        return !strcmp(o->session, q->session);
    if (find_feed(feeds, q->thread))
        return !strcmp(o->session, q->thread);
    if (!strcmp(o->session, LEDGER_HOSTS)) /* its directories are no roots of this host's */
        return true;
    if (!json_array_size(q->roots) || (capturing(feeds) <= 1 && (!f || is_capturing(f))))
        return true;
    return under(o->block->cwd, q->roots) || under(o->block->cwd_after, q->roots) ||
           under(o->block->place, q->roots);
}

/* The session that the header speaks of: the one named, else the one of the newest block of this
 * host's. */
static const struct feed *header_feed(const struct feeds *feeds, const struct ledger_request *q,
                                      struct offer *const *due, size_t count)
{
    const struct feed *f = find_feed(feeds, q->session);
    if (!f)
        f = find_feed(feeds, q->thread);
    while (count && !strcmp(due[count - 1]->session, LEDGER_HOSTS))
        count--;
    if (!f && count)
        f = find_feed(feeds, due[count - 1]->session);
    if (!f && !q->session && feeds->count == 1)
        f = &feeds->feed[0];
    return f && !f->paused ? f : NULL;
}

/* ---- what is found ---- */

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

static void find(struct ledger *l, const struct ledger_request *q, const struct feeds *feeds,
                 struct found *f)
{
    const struct consumer *consumer = ledger_find_consumer(l, q->consumer);
    *f = (struct found){0};
    for (size_t i = 0; i < l->offer_count; i++)
        if (is_fed(feeds, q, l->offers[i]) && is_due(l, consumer, q, l->offers[i]))
            f->due[f->count++] = l->offers[i];
    f->kept = f->count < LIMIT_CONTEXT_BLOCKS ? f->count : LIMIT_CONTEXT_BLOCKS;
    f->total = (int64_t)f->count + missed(consumer, f->due, f->count);
    f->feed = header_feed(feeds, q, f->due, f->count);
}

const struct feed *ledger_header_feed(struct ledger *l, const struct ledger_request *q,
                                      const struct feeds *feeds)
{
    struct found f;
    ledger_expire(l, q->now);
    find(l, q, feeds, &f);
    return f.feed;
}

/* The command that runs now, if the consumer has not heard of it or it printed more since. */
static void find_running(struct ledger *l, const struct ledger_request *q, struct found *f)
{
    const struct consumer *consumer = ledger_find_consumer(l, q->consumer);
    struct block *block = f->feed ? f->feed->running : NULL;
    if (!block || block->unrecorded)
        return;
    struct block as_if = *block;
    as_if.status = BLOCK_COMPLETED;
    if (!deliver_wanted(&as_if, l->conf))
        return;
    char *id = block_id(block);
    json_t *told = json_pack("{s:s, s:I}", "block", id, "bytes", (json_int_t)block->output_bytes);
    free(id);
    if (consumer && consumer->running_told && json_equal(consumer->running_told, told)) {
        json_decref(told);
        return;
    }
    f->running = block;
    f->running_told = told;
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

/* What another lease holds is not this one's to settle; nor is what does not feed the taker. */
static void note_left(const struct ledger *l, const struct ledger_request *q,
                      const struct feeds *feeds, struct upto *upto)
{
    upto->held = json_array();
    upto->others = json_array();
    for (size_t i = 0; i < l->offer_count && l->offers[i]->block->key <= upto->key; i++) {
        json_int_t key = (json_int_t)l->offers[i]->block->key;
        if (strcmp(l->offers[i]->session, upto->session))
            continue;
        if (ledger_is_leased(l, q->consumer, l->offers[i]->block->key))
            json_array_append_new(upto->held, json_integer(key));
        else if (!is_fed(feeds, q, l->offers[i]))
            json_array_append_new(upto->others, json_integer(key));
    }
}

static int64_t lasts_ms(const struct ledger_request *q)
{
    return q->lasts_ms > LIMIT_LEASE_CLI_MS ? q->lasts_ms : LIMIT_LEASE_CLI_MS;
}

/* Holds the blocks kept, and remembers the dropped ones as seen. */
static struct lease *make_lease(struct ledger *l, const struct ledger_request *q,
                                const struct feeds *feeds, const struct found *f)
{
    struct lease *lease = &l->leases[l->lease_count];
    *lease = (struct lease){
        .id = (json_int_t)ledger_new_key(l), /* unlike any of a former worker's */
        .consumer = text_copy(q->consumer),
        .owner = q->owner,
        .pid = q->pid,
        .wall_ms = q->now.wall_ms,
        .lasts_ms = q->expires ? q->lasts_ms : 0,
        .expires_ms = q->expires ? q->now.monotonic_ms + lasts_ms(q) : 0,
        .spare_ms = q->expires ? q->now.monotonic_ms + LIMIT_LEASE_CLI_MS : 0,
    };
    lease->keys = memory_new((f->kept + 1) * sizeof *lease->keys);
    lease->upto = memory_new((f->count + 1) * sizeof *lease->upto);
    for (size_t i = f->count - f->kept; i < f->count; i++)
        lease->keys[lease->key_count++] =
            (struct offer_key){f->due[i]->block->key, text_copy(f->due[i]->session)};
    for (size_t i = 0; i < f->count; i++)
        see_upto(lease, f->due[i]->session, f->due[i]->block->key);
    for (size_t i = 0; i < lease->upto_count; i++)
        note_left(l, q, feeds, &lease->upto[i]);
    l->lease_count++;
    return lease;
}

/* At its first take from a session a consumer gets a cursor there, behind all that is on offer.
 * What it is due of that stands in the cursor's list of what came back: a lease and its release
 * then work as for any other take. */
static void pin_due(struct ledger *l, const struct ledger_request *q, const struct feeds *feeds,
                    const struct found *f)
{
    struct consumer *consumer = ledger_consumer(l, q->consumer);
    consumer->used_ms = q->now.wall_ms;
    for (size_t i = 0; i < l->offer_count; i++) {
        const char *session = l->offers[i]->session;
        if (!is_fed(feeds, q, l->offers[i]) || ledger_find_cursor(consumer, session))
            continue;
        struct cursor *cursor = ledger_cursor(consumer, session);
        for (size_t k = 0; k < l->offer_count; k++)
            if (!strcmp(l->offers[k]->session, session))
                cursor->key = l->offers[k]->block->key;
        for (size_t k = 0; k < f->count; k++)
            if (!strcmp(f->due[k]->session, session))
                ledger_add_returned(cursor, f->due[k]->block->key);
    }
}

static void lease_found(struct ledger *l, const struct ledger_request *q, const struct feeds *feeds,
                        const struct found *f, json_t *result)
{
    pin_due(l, q, feeds, f);
    struct consumer *consumer = ledger_find_consumer(l, q->consumer);
    json_decref(consumer->running_told);
    consumer->running_told = json_incref(f->running_told);
    struct lease *lease = make_lease(l, q, feeds, f);
    lease->told = ledger_told(q, f, result);
    json_object_set_new(result, "lease", json_integer(lease->id));
    json_object_set_new(result, "receipt", ledger_receipt(lease));
    for (size_t i = 0; i < lease->upto_count; i++)
        ledger_changed(l, lease->upto[i].session);
}

json_t *ledger_take(struct ledger *l, const struct ledger_request *q, const struct feeds *feeds)
{
    struct found f;
    ledger_expire(l, q->now);
    if (!q->peek && !ledger_make_room(l, q->now))
        return NULL;
    find(l, q, feeds, &f);
    find_running(l, q, &f);
    ledger_fit(l, q, &f);
    bool injects = ledger_injects(l, q->consumer, q->thread);
    json_t *result = json_pack(
        "{s:I, s:I, s:I, s:I, s:b, s:{}}", "pending", (json_int_t)f.count, "total_commands_run",
        (json_int_t)f.total, "kept", (json_int_t)f.kept, "dropped",
        (json_int_t)(f.total - (int64_t)f.kept), "injection", injects, "additionalContext");
    if ((q->peek || injects) && (f.kept || f.running)) {
        ledger_render(l, q, &f, result);
        if (!q->peek)
            lease_found(l, q, feeds, &f, result);
    }
    json_decref(f.running_told);
    return result;
}
