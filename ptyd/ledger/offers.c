/* Blocks on offer are one list in order of their keys, which is the order in which they ended.
 * A consumer's view of it (take.c): everything behind its cursor, and what came back to it; nothing
 * that one of its own leases holds. settle.c says what becomes of a lease. */
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/deliver.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

_Static_assert((LIMIT_CONTEXT_BLOCKS + 1) * LIMIT_ENTRY_BYTES <= LIMIT_CONTEXT_BYTES,
               "all entries together stay in their bound because each does");

/* ---- offers ---- */

static void offer_free(struct offer *o)
{
    block_unref(o->block);
    free(o->session);
    free(o->directory);
    free(o->value);
    free(o->output);
    free(o->shell_id);
    free(o);
}

void ledger_remove_offer(struct ledger *l, size_t index)
{
    offer_free(l->offers[index]);
    memmove(l->offers + index, l->offers + index + 1,
            (--l->offer_count - index) * sizeof *l->offers);
}

/* It is not offered again, nor by a worker to come. */
static void forget_offer(struct ledger *l, size_t index)
{
    const struct offer *o = l->offers[index];
    struct part *part = ledger_part(l, o->session);
    if (part && o->block->key > part->cleared)
        part->cleared = o->block->key;
    ledger_remove_offer(l, index);
}

static void drop(struct ledger *l, size_t index)
{
    const struct offer *o = l->offers[index];
    for (size_t i = 0; i < l->consumer_count; i++) {
        struct cursor *cursor = ledger_find_cursor(&l->consumers[i], o->session);
        uint64_t key = o->block->key;
        if (cursor && (key > cursor->key || ledger_is_returned(cursor, key)))
            cursor->missed++;
    }
    ledger_changed(l, o->session);
    forget_offer(l, index);
}

/* Other hosts, however much runs there, do not push out what ran here. */
static void make_room(struct ledger *l, const char *session)
{
    size_t others = 0, first = 0;
    for (size_t i = l->offer_count; !strcmp(session, LEDGER_HOSTS) && i > 0; i--)
        if (!strcmp(l->offers[i - 1]->session, LEDGER_HOSTS)) {
            others++;
            first = i - 1;
        }
    if (others >= LIMIT_CONTEXT_MEMORY / 2)
        drop(l, first);
    if (l->offer_count == LIMIT_CONTEXT_MEMORY)
        drop(l, 0);
}

static struct offer *add_offer(struct ledger *l, const char *session, const char *directory,
                               struct block *block, bool told)
{
    make_room(l, session);
    struct offer *o = memory_new(sizeof *o);
    *o = (struct offer){.block = block_ref(block), .told = told};
    o->session = text_copy(session);
    o->directory = text_copy(directory);
    size_t at = l->offer_count++;
    for (; at > 0 && l->offers[at - 1]->block->key > block->key; at--)
        l->offers[at] = l->offers[at - 1];
    l->offers[at] = o;
    return o;
}

bool ledger_is_offered(const struct ledger *l, uint64_t key)
{
    for (size_t i = 0; i < l->offer_count; i++)
        if (l->offers[i]->block->key == key)
            return true;
    return false;
}

/* How its value was rendered, so that it comes out the same again (saved.c). */
static void restore_rendered(struct offer *o, const json_t *rendered)
{
    char *key = text_format("%llu", (unsigned long long)o->block->key);
    const json_t *entry = json_object_get(rendered, key);
    const char *shell_id = json_string_value(entry);
    shell_id = shell_id ? shell_id : json_text(entry, "shell", NULL);
    o->shell_id = shell_id ? text_copy(shell_id) : NULL;
    long long room = json_number(entry, "room", LIMIT_ENTRY_BYTES);
    if (shell_id)
        o->shape = (struct entry_shape){.room = room > 0 ? (size_t)room : LIMIT_ENTRY_BYTES,
                                        .apart = json_flag(entry, "apart"),
                                        .tool = json_flag(entry, "tool")};
    free(key);
}

static bool is_told(const json_t *ledger, uint64_t key)
{
    return key <= (uint64_t)json_number(ledger, "told", 0) &&
           !ledger_lists(json_object_get(ledger, "untold"), key);
}

/* Offers those of the session's blocks that may still be told. Each that has a key was offered
 * before, and a part says to whom: without one they are offered as if to nobody. Returns how many
 * these were. */
static size_t offer_kept(struct ledger *l, const struct part *part, const char *directory,
                         const json_t *saved, const json_t *blocks)
{
    const json_t *rendered = json_object_get(saved, "rendered");
    const json_t *json;
    size_t i, count = 0;
    json_array_foreach(blocks, i, json) {
        struct block *block = block_from_json(json);
        ledger_raise_keys(l, block ? block->key : 0);
        if (block && block->key > part->cleared && !ledger_is_offered(l, block->key)) {
            restore_rendered(
                add_offer(l, part->session, directory, block, is_told(saved, block->key)),
                rendered);
            count++;
        }
        block_unref(block);
    }
    return count;
}

bool ledger_offer(struct ledger *l, const char *session, const char *directory, struct block *block)
{
    if (!deliver_wanted(block, l->conf))
        return false;
    block->key = ledger_new_key(l);
    add_offer(l, session, directory, block, false);
    ledger_changed(l, session);
    return true;
}

void ledger_withdraw(struct ledger *l, uint64_t key)
{
    for (size_t i = l->offer_count; i > 0; i--)
        if (l->offers[i - 1]->block->key == key) {
            ledger_remove_offer(l, i - 1);
            return;
        }
}

/* ---- sessions ---- */

struct part *ledger_part(const struct ledger *l, const char *session)
{
    for (size_t i = 0; i < l->part_count; i++)
        if (!strcmp(l->parts[i].session, session))
            return &l->parts[i];
    return NULL;
}

static struct part *add_part(struct ledger *l, const char *session)
{
    l->parts = memory_grow(l->parts, (l->part_count + 1) * sizeof *l->parts);
    l->parts[l->part_count] = (struct part){.session = text_copy(session)};
    return &l->parts[l->part_count++];
}

static void load_repeated(struct part *part, const json_t *saved)
{
    part->repeated = json_number(saved, "repeated", 0);
    part->repeated_ms = json_number(saved, "repeated_ms", 0);
}

static void note_repeated(struct part *part, size_t count, struct moment now)
{
    part->repeated += (int64_t)count;
    part->repeated_ms = now.wall_ms;
    part->changed = true;
}

void ledger_note_repeated(struct ledger *l, const char *session, struct moment now)
{
    struct part *part = ledger_part(l, session);
    if (part)
        note_repeated(part, 1, now);
}

void ledger_add_session(struct ledger *l, const char *name, const char *directory,
                        const json_t *saved, const json_t *blocks, struct moment now)
{
    struct part *part = ledger_part(l, name);
    bool known = part != NULL;
    uint64_t cleared = (uint64_t)json_number(saved, "cleared", 0);
    part = part ? part : add_part(l, name);
    part->closed = false;
    part->changed = known;
    part->cleared = cleared > part->cleared ? cleared : part->cleared;
    ledger_raise_keys(l, ledger_highest_key(saved));
    if (saved && !known)
        ledger_load(l, name, saved, now);
    if (!known)
        load_repeated(part, saved);
    size_t offered = offer_kept(l, part, directory, saved, blocks);
    if (!saved && !known && offered)
        note_repeated(part, offered, now);
}

/* Whether something may still happen to it that nobody could keep. */
static bool is_open(const struct ledger *l, const char *session)
{
    for (size_t i = 0; i < l->offer_count; i++)
        if (!strcmp(l->offers[i]->session, session))
            return true;
    for (size_t i = 0; i < l->lease_count; i++)
        for (size_t k = 0; k < l->leases[i].upto_count; k++)
            if (!strcmp(l->leases[i].upto[k].session, session))
                return true;
    return false;
}

void ledger_remove_session(struct ledger *l, const char *name)
{
    struct part *removed = ledger_part(l, name);
    if (removed)
        removed->closed = true;
    for (size_t i = l->part_count; i > 0; i--) {
        struct part *part = &l->parts[i - 1];
        if (!part->closed || is_open(l, part->session))
            continue;
        free(part->session);
        *part = l->parts[--l->part_count];
    }
}

void ledger_changed(struct ledger *l, const char *session)
{
    struct part *part = ledger_part(l, session);
    if (part)
        part->changed = true;
}

void ledger_all_changed(struct ledger *l)
{
    for (size_t i = 0; i < l->part_count; i++)
        l->parts[i].changed = true;
}

const char *ledger_next_changed(struct ledger *l)
{
    for (size_t i = 0; i < l->part_count; i++)
        if (l->parts[i].changed && !l->parts[i].closed) {
            l->parts[i].changed = false;
            return l->parts[i].session;
        }
    return NULL;
}

/* ---- what users see and switch ---- */

size_t ledger_pending(const struct ledger *l, const char *session)
{
    size_t count = 0;
    for (size_t i = 0; i < l->offer_count; i++) {
        const struct offer *o = l->offers[i];
        count += !o->told && (!session || !strcmp(o->session, session));
    }
    return count;
}

/* Nor is anybody told how many there were. */
static void clear_missed(struct ledger *l, const char *session)
{
    for (size_t i = 0; i < l->consumer_count; i++)
        for (size_t k = 0; k < l->consumers[i].cursor_count; k++) {
            struct cursor *cursor = &l->consumers[i].cursors[k];
            if (!session || !strcmp(cursor->session, session))
                cursor->missed = 0;
        }
}

size_t ledger_clear(struct ledger *l, const char *session)
{
    size_t count = 0;
    for (size_t i = l->offer_count; i > 0; i--) {
        const struct offer *o = l->offers[i - 1];
        if (session && strcmp(o->session, session))
            continue;
        count += !o->told;
        forget_offer(l, i - 1);
    }
    clear_missed(l, session);
    if (session)
        ledger_changed(l, session);
    else
        ledger_all_changed(l);
    return count;
}

/* ---- life ---- */

void ledger_mcp(struct ledger *l, const char *conversation, int change)
{
    json_int_t count = json_number(l->mcp, conversation, 0) + change;
    json_object_set_new(l->mcp, conversation, json_integer(count));
}

bool ledger_is_served(const struct ledger *l, const char *conversation)
{
    return json_number(l->mcp, conversation, 0) > 0 || json_number(l->mcp, "", 0) > 0;
}

struct ledger *ledger_create(const char *state, const struct ledger_events *events, void *user)
{
    struct ledger *l = memory_new(sizeof *l);
    l->events = events;
    l->user = user;
    l->mcp = json_object();
    l->conf = conf_usual();
    ledger_open_state(l, state);
    return l;
}

void ledger_set_conf(struct ledger *l, const struct conf *conf)
{
    l->conf = conf;
}

void ledger_destroy(struct ledger *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->offer_count; i++)
        offer_free(l->offers[i]);
    for (size_t i = 0; i < l->consumer_count; i++)
        ledger_consumer_finish(&l->consumers[i]);
    for (size_t i = 0; i < l->lease_count; i++)
        ledger_lease_finish(&l->leases[i]);
    for (size_t i = 0; i < l->part_count; i++)
        free(l->parts[i].session);
    free(l->parts);
    json_decref(l->mcp);
    ledger_close_state(l);
    free(l);
}
