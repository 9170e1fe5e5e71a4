/* What becomes of a lease: the agent has it, it comes back, or its taker is gone. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

bool ledger_is_leased(const struct ledger *l, const char *consumer, uint64_t key)
{
    for (size_t i = 0; i < l->lease_count; i++) {
        const struct lease *lease = &l->leases[i];
        for (size_t k = 0; k < lease->key_count; k++)
            if (lease->keys[k].key == key && !strcmp(lease->consumer, consumer))
                return true;
    }
    return false;
}

void ledger_lease_finish(struct lease *lease)
{
    for (size_t i = 0; i < lease->key_count; i++)
        free(lease->keys[i].session);
    for (size_t i = 0; i < lease->upto_count; i++) {
        free(lease->upto[i].session);
        json_decref(lease->upto[i].held);
        json_decref(lease->upto[i].others);
    }
    json_decref(lease->told);
    free(lease->keys);
    free(lease->upto);
    free(lease->consumer);
}

void ledger_lease_grow(struct lease *lease, size_t keys)
{
    lease->keys = memory_grow(lease->keys, (lease->key_count + keys + 1) * sizeof *lease->keys);
    lease->upto = memory_grow(lease->upto, (lease->upto_count + 1) * sizeof *lease->upto);
}

json_t *ledger_receipt(const struct lease *lease)
{
    json_t *upto = json_object(), *held = json_object(), *others = json_object();
    for (size_t i = 0; i < lease->upto_count; i++) {
        const struct upto *u = &lease->upto[i];
        json_object_set_new(upto, u->session, json_integer((json_int_t)u->key));
        if (json_array_size(u->held))
            json_object_set(held, u->session, u->held);
        if (json_array_size(u->others))
            json_object_set(others, u->session, u->others);
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:O*}", "consumer", lease->consumer, "upto", upto,
                     "held", held, "others", others, "lease", lease->id, "told", lease->told);
}

/* Forgets what came back up to `key`, unless a lease holds it or held it (`held`) at the take. */
static void forget_returned(struct ledger *l, const struct consumer *consumer,
                            struct cursor *cursor, uint64_t key, const json_t *held)
{
    size_t kept = 0;
    for (size_t i = 0; i < cursor->returned_count; i++) {
        uint64_t back = cursor->returned[i];
        if (back > key || ledger_lists(held, back) || ledger_is_leased(l, consumer->id, back))
            cursor->returned[kept++] = back;
    }
    cursor->returned_count = kept;
}

/* Moves the cursor to `key`. Blocks that it passes but another lease held at the take count as come
 * back, until that lease is committed. */
static void settle(struct ledger *l, const struct consumer *consumer, struct cursor *cursor,
                   uint64_t key, const json_t *held)
{
    const json_t *value;
    size_t i;
    forget_returned(l, consumer, cursor, key, held);
    json_array_foreach(held, i, value) {
        uint64_t passed = (uint64_t)json_integer_value(value);
        if (passed > cursor->key && passed <= key && ledger_is_offered(l, passed))
            ledger_add_returned(cursor, passed);
    }
    cursor->key = key > cursor->key ? key : cursor->key;
    cursor->missed = 0;
}

static struct lease *find_lease(struct ledger *l, json_int_t id)
{
    for (size_t i = 0; i < l->lease_count; i++)
        if (l->leases[i].id == id)
            return &l->leases[i];
    return NULL;
}

/* Takes the lease out of the table. */
static bool pull_lease(struct ledger *l, json_int_t id, struct lease *ret_lease)
{
    struct lease *found = find_lease(l, id);
    if (!found)
        return false;
    *ret_lease = *found;
    *found = l->leases[--l->lease_count];
    return true;
}

static bool is_settled(const struct upto *upto, const char *session, uint64_t key)
{
    return key <= upto->key && !strcmp(session, upto->session) && !ledger_lists(upto->held, key) &&
           !ledger_lists(upto->others, key);
}

/* The agent has what a lease held that has expired since: who took that again holds it no more. */
static void withdraw(struct lease *lease, const struct upto *upto)
{
    size_t kept = 0;
    for (size_t i = 0; i < lease->key_count; i++) {
        struct offer_key *own = &lease->keys[i];
        if (is_settled(upto, own->session, own->key))
            free(own->session);
        else
            lease->keys[kept++] = *own;
    }
    lease->key_count = kept;
}

static void settle_upto(struct ledger *l, struct consumer *consumer, const struct upto *upto)
{
    for (size_t i = 0; i < l->lease_count; i++)
        if (!strcmp(l->leases[i].consumer, consumer->id))
            withdraw(&l->leases[i], upto);
    settle(l, consumer, ledger_cursor(consumer, upto->session), upto->key, upto->held);
    for (size_t i = 0; i < l->offer_count; i++)
        if (is_settled(upto, l->offers[i]->session, l->offers[i]->block->key))
            l->offers[i]->told = true;
    ledger_changed(l, upto->session);
}

/* What a receipt says of a session, borrowed; a session it does not name has the key 0. */
static struct upto upto_of(const json_t *receipt, char *session)
{
    const json_t *key = json_object_get(json_object_get(receipt, "upto"), session);
    return (struct upto){
        .session = session,
        .key = (uint64_t)json_integer_value(key),
        .held = json_object_get(json_object_get(receipt, "held"), session),
        .others = json_object_get(json_object_get(receipt, "others"), session),
    };
}

/* Whether committing `receipt` tells the consumer of the block. */
static bool is_news(const struct consumer *consumer, const json_t *receipt, const struct offer *o)
{
    uint64_t key = o->block->key;
    const struct cursor *cursor = ledger_find_cursor(consumer, o->session);
    struct upto upto = upto_of(receipt, o->session);
    return is_settled(&upto, o->session, key) &&
           (!cursor || key > cursor->key || ledger_is_returned(cursor, key));
}

/* Remembers what the turn carried, for a thread that is forked at it. */
static void note_turn(const struct ledger *l, struct consumer *consumer, const json_t *receipt,
                      const char *turn)
{
    json_t *keys = json_array();
    for (size_t i = l->offer_count; i > 0 && json_array_size(keys) < LIMIT_CONTEXT_BLOCKS; i--)
        if (is_news(consumer, receipt, l->offers[i - 1]))
            json_array_append_new(keys, json_integer((json_int_t)l->offers[i - 1]->block->key));
    json_t *entry = json_pack("[s, o]", turn, keys);
    if (json_array_size(keys))
        ledger_add_turn(consumer, entry);
    json_decref(entry);
}

static bool commit_receipt(struct ledger *l, const json_t *receipt, const char *turn)
{
    const char *id = json_text(receipt, "consumer", NULL);
    const char *session;
    json_t *key;
    if (!id)
        return false;
    ledger_write_told(l, receipt, turn); /* first: who dies behind it commits again */
    struct consumer *consumer = ledger_consumer(l, id);
    if (turn)
        note_turn(l, consumer, receipt, turn);
    json_object_foreach(json_object_get(receipt, "upto"), session, key) {
        struct upto upto = upto_of(receipt, (char *)session);
        settle_upto(l, consumer, &upto);
    }
    return true;
}

/* What is kept of the sessions that the lease has seen has changed. */
static void changed_by(struct ledger *l, const struct lease *lease)
{
    for (size_t i = 0; i < lease->upto_count; i++)
        ledger_changed(l, lease->upto[i].session);
}

static json_t *block_ids(const struct ledger *l, const struct lease *lease)
{
    json_t *ids = json_array();
    for (size_t k = 0; k < lease->key_count; k++)
        for (size_t i = 0; i < l->offer_count; i++)
            if (l->offers[i]->block->key == lease->keys[k].key) {
                char *id = block_id(l->offers[i]->block);
                json_array_append_new(ids, json_string(id));
                free(id);
            }
    return ids;
}

static void copy_cursors(const struct consumer *source, struct consumer *heir)
{
    for (size_t i = 0; i < source->cursor_count; i++) {
        const struct cursor *theirs = &source->cursors[i];
        struct cursor *own = ledger_cursor(heir, theirs->session);
        own->key = theirs->key;
        for (size_t k = 0; k < theirs->returned_count; k++)
            ledger_add_returned(own, theirs->returned[k]);
    }
}

/* What a turn carried that the consumer does not have. */
static void return_keys(const struct ledger *l, struct consumer *consumer, const json_t *keys)
{
    for (size_t i = 0; i < l->offer_count; i++)
        if (ledger_lists(keys, l->offers[i]->block->key))
            ledger_add_returned(ledger_cursor(consumer, l->offers[i]->session),
                                l->offers[i]->block->key);
}

/* Whether a history that ends with the turn `last`, or in front of `before`, is without this one.
 * Turns are named in order of time (UUID version 7), so that one which carried nothing has its
 * place too. */
static bool is_cut_off(const json_t *entry, const char *last, const char *before)
{
    const char *turn = json_string_value(json_array_get(entry, 0));
    return turn && ((last && strcmp(turn, last) > 0) || (before && strcmp(turn, before) >= 0));
}

/* A fork at `last` or `before` has the turns up to there. */
static void copy_turns(const struct ledger *l, const struct consumer *source, const char *last,
                       const char *before, struct consumer *heir)
{
    json_t *entry;
    size_t i;
    json_array_foreach(source->turns, i, entry) {
        if (is_cut_off(entry, last, before))
            return_keys(l, heir, json_array_get(entry, 1));
        else
            ledger_add_turn(heir, entry);
    }
}

/* The heir is whole before it is added, which may forget a consumer: not the source, which was
 * used just now, unless all were. */
void ledger_inherit(struct ledger *l, const char *from, const char *to, const char *last,
                    const char *before, struct moment now)
{
    struct consumer *source = ledger_find_consumer(l, from);
    if (ledger_find_consumer(l, to))
        return;
    ledger_switch_fork(l, from, to);
    if (!source)
        return;
    source->used_ms = now.wall_ms;
    struct consumer heir = {.id = text_copy(to), .used_ms = source->used_ms};
    copy_cursors(source, &heir);
    copy_turns(l, source, last, before, &heir);
    for (size_t i = 0; i < heir.cursor_count; i++)
        ledger_changed(l, heir.cursors[i].session);
    ledger_add_consumer(l, heir);
}

static void add_held(const struct ledger *l, const struct upto *upto, const json_t *keys)
{
    for (size_t i = 0; i < l->offer_count; i++) {
        uint64_t key = l->offers[i]->block->key;
        if (ledger_lists(keys, key) && !strcmp(l->offers[i]->session, upto->session))
            json_array_append_new(upto->held, json_integer((json_int_t)key));
    }
}

/* What came back behind a lease's take is not that one's to settle. */
static void leave_out(const struct ledger *l, const char *consumer, const json_t *keys)
{
    for (size_t i = 0; i < l->lease_count; i++) {
        const struct lease *lease = &l->leases[i];
        for (size_t u = 0; u < lease->upto_count && !strcmp(lease->consumer, consumer); u++)
            add_held(l, &lease->upto[u], keys);
    }
}

static bool is_taken_back(const json_t *entry, const struct ledger_cut *cut)
{
    const json_t *name = json_array_get(entry, 0), *turn;
    size_t i;
    json_array_foreach(cut->turns, i, turn)
        if (json_equal(name, turn))
            return true;
    return is_cut_off(entry, cut->last, cut->before);
}

void ledger_revert(struct ledger *l, const char *id, const struct ledger_cut *cut)
{
    struct consumer *consumer = ledger_find_consumer(l, id);
    bool had = false;
    if (!consumer)
        return;
    for (size_t i = json_array_size(consumer->turns); i > 0; i--) {
        const json_t *entry = json_array_get(consumer->turns, i - 1);
        if (!is_taken_back(entry, cut))
            continue;
        return_keys(l, consumer, json_array_get(entry, 1));
        leave_out(l, id, json_array_get(entry, 1));
        json_array_remove(consumer->turns, i - 1);
        had = true;
    }
    if (!had)
        return;
    json_decref(consumer->running_told);
    consumer->running_told = NULL;
    for (size_t i = 0; i < consumer->cursor_count; i++)
        ledger_changed(l, consumer->cursors[i].session);
}

/* What a lease told that is not known any more. Said once: it may be committed again. */
static void say_delivered(const struct ledger *l, const json_t *receipt, const char *turn)
{
    json_t *ids = json_array(), *block;
    size_t i;
    json_array_foreach(json_at(receipt, "told", "blocks"), i, block)
        if (json_is_string(json_object_get(block, "block_id")))
            json_array_append(ids, json_object_get(block, "block_id"));
    l->events->delivered(l->user, json_text(receipt, "consumer", ""), turn, ids);
    json_decref(ids);
}

static bool commit_late(struct ledger *l, const json_t *receipt, const char *turn)
{
    bool said = !json_object_get(receipt, "told") || ledger_is_told(l, receipt);
    bool known = commit_receipt(l, receipt, turn);
    if (known && !said)
        say_delivered(l, receipt, turn);
    return known;
}

bool ledger_commit(struct ledger *l, json_int_t id, const json_t *receipt, const char *turn)
{
    struct lease lease;
    if (!pull_lease(l, id, &lease))
        return commit_late(l, receipt, turn);
    if (!lease.told) /* the session in whose part it was kept is gone */
        lease.told = json_incref(json_object_get(receipt, "told"));
    json_t *own = ledger_receipt(&lease);
    commit_receipt(l, own, turn);
    json_decref(own);
    json_t *ids = block_ids(l, &lease);
    l->events->delivered(l->user, lease.consumer, turn, ids);
    json_decref(ids);
    ledger_lease_finish(&lease);
    return true;
}

bool ledger_hold(struct ledger *l, json_int_t id, int64_t lasts_ms, struct moment now)
{
    struct lease *lease = find_lease(l, id);
    if (!lease)
        return false;
    lease->owner = NULL;
    lease->pid = 0;
    lease->wall_ms = now.wall_ms;
    lease->lasts_ms = lasts_ms;
    lease->expires_ms = now.monotonic_ms + lasts_ms;
    lease->spare_ms = now.monotonic_ms + LIMIT_LEASE_CLI_MS;
    changed_by(l, lease);
    return true;
}

bool ledger_release(struct ledger *l, json_int_t id, bool unseen)
{
    struct lease lease;
    if (!pull_lease(l, id, &lease))
        return false;
    struct consumer *consumer = ledger_consumer(l, lease.consumer);
    json_decref(consumer->running_told);
    consumer->running_told = NULL;
    for (size_t i = 0; i < lease.key_count; i++) {
        struct cursor *cursor = ledger_cursor(consumer, lease.keys[i].session);
        if (lease.keys[i].key <= cursor->key)
            ledger_add_returned(cursor, lease.keys[i].key);
    }
    if (unseen) {
        json_object_set_new(l->switches, "unseen", json_integer(ledger_unseen(l) + 1));
        ledger_save_switches(l);
    }
    changed_by(l, &lease);
    json_t *ids = block_ids(l, &lease);
    l->events->released(l->user, lease.consumer, ids);
    json_decref(ids);
    ledger_lease_finish(&lease);
    return true;
}

void ledger_release_owner(struct ledger *l, const void *owner)
{
    for (size_t i = l->lease_count; i > 0; i--)
        if (l->leases[i - 1].owner == owner)
            ledger_release(l, l->leases[i - 1].id, true);
}

static bool is_in(const json_t *numbers, json_int_t number)
{
    size_t i;
    json_t *one;
    json_array_foreach(numbers, i, one)
        if (json_integer_value(one) == number)
            return true;
    return false;
}

void ledger_release_unheard(struct ledger *l, pid_t pid, const json_t *held)
{
    for (size_t i = l->lease_count; pid > 0 && i > 0; i--) {
        const struct lease *lease = &l->leases[i - 1];
        if (!lease->owner && lease->pid == pid && !is_in(held, lease->id))
            ledger_release(l, lease->id, false);
    }
}

/* The taker of a lease that an earlier worker gave lives no more. */
static bool is_orphan(const struct lease *lease)
{
    return !lease->owner && lease->pid && kill(lease->pid, 0) < 0 && errno == ESRCH;
}

bool ledger_make_room(struct ledger *l, struct moment now)
{
    const struct lease *oldest = NULL;
    if (l->lease_count < LIMIT_LEASES)
        return true;
    for (size_t i = 0; i < l->lease_count; i++) {
        const struct lease *lease = &l->leases[i];
        if (lease->spare_ms && lease->spare_ms <= now.monotonic_ms &&
            (!oldest || lease->spare_ms < oldest->spare_ms))
            oldest = lease;
    }
    return oldest && ledger_release(l, oldest->id, true);
}

void ledger_expire(struct ledger *l, struct moment now)
{
    for (size_t i = l->lease_count; i > 0; i--) {
        const struct lease *lease = &l->leases[i - 1];
        bool expired = lease->expires_ms && lease->expires_ms <= now.monotonic_ms;
        if (expired || is_orphan(lease))
            ledger_release(l, lease->id, true);
    }
}
