/* The ledger's own files: keys.json reserves numbers of entries, context.json holds what was
 * switched off and the count of unseen releases; each has a copy. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

#define KEY_RESERVE 1000 /* keys taken from the file at once */

/* ---- keys ---- */

/* What a conversation's files say of numbers that were given out, closed or not. */
static uint64_t key_of_conversation(const char *directory, const char *name)
{
    enum pair_state states[2];
    struct pair meta;
    char *path = text_format("%s/%s/meta.json", directory, name);
    pair_init(&meta, path);
    json_t *kept = pair_read(&meta, LIMIT_META_BYTES, states);
    uint64_t key = ledger_highest_key(json_object_get(kept, "ptyd_ledger"));
    json_decref(kept);
    pair_finish(&meta);
    free(path);
    return key;
}

/* Without a file every conversation is asked, for none of them may hear of a number again. */
static void find_keys(struct ledger *l)
{
    char *path = text_format("%s/conversations", l->state);
    DIR *directory = opendir(path);
    struct dirent *entry;
    uint64_t highest = 0;
    while (directory && (entry = readdir(directory))) {
        uint64_t key = text_is_name(entry->d_name) ? key_of_conversation(path, entry->d_name) : 0;
        highest = key > highest ? key : highest;
    }
    if (directory)
        closedir(directory);
    free(path);
    ledger_raise_keys(l, highest);
}

static void load_keys(struct ledger *l)
{
    bool lost;
    json_t *json = pair_open(&l->keys_file, LIMIT_KEYS_BYTES, &l->aside, &lost);
    long long next = json_number(json, "next", 0);
    l->next_key = l->reserved_key = next > 0 ? (uint64_t)next : 1;
    json_decref(json);
    if (next <= 0)
        find_keys(l);
}

/* The file is behind: what it may have reserved besides is passed over. */
void ledger_raise_keys(struct ledger *l, uint64_t highest)
{
    if (highest < l->next_key)
        return;
    l->next_key = highest + 1 + KEY_RESERVE;
    l->reserved_key = l->next_key;
}

uint64_t ledger_last_key(const struct ledger *l)
{
    return l->next_key - 1;
}

static void reserve_keys(struct ledger *l)
{
    uint64_t next = l->next_key + KEY_RESERVE;
    json_t *json = json_pack("{s:I}", "next", (json_int_t)next);
    int result = pair_write(&l->keys_file, json);
    if (result < 0 && !l->keys_error)
        say("cannot write %s: %s", l->keys_file.paths[0], strerror(-result));
    l->keys_error = result < 0 ? -result : 0;
    if (result == 0)
        l->reserved_key = next;
    json_decref(json);
}

/* They are reserved in the file first: a worker that dies leaves some out. It is tried early: a
 * disk that is full for a while costs nothing. Beyond that each part says what was given out. */
uint64_t ledger_new_key(struct ledger *l)
{
    if (l->next_key + KEY_RESERVE / 2 >= l->reserved_key)
        reserve_keys(l);
    return l->next_key++;
}

/* ---- life ---- */

static struct pair open_pair(const char *state, const char *name)
{
    struct pair pair;
    char *path = text_format("%s/%s", state, name);
    pair_init(&pair, path);
    free(path);
    return pair;
}

/* What stands there by a fixed name and has no copy. Links to directories are their owner's. */
static void set_aside_unopened(struct ledger *l)
{
    static const struct {
        const char *name;
        int flags;
    } parts[] = {
        {"conversations", O_DIRECTORY},     {"hosts", O_DIRECTORY},
        {"hosts/blocks.jsonl", O_NOFOLLOW}, {"hosts/blocks.jsonl.1", O_NOFOLLOW},
        {"receipts.jsonl", O_NOFOLLOW},     {"receipts.jsonl.1", O_NOFOLLOW},
        {"gone.jsonl", O_NOFOLLOW},         {"gone.jsonl.1", O_NOFOLLOW},
        {"forget.json", O_NOFOLLOW},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *path = text_format("%s/%s", l->state, parts[i].name);
        aside_check(&l->aside, path, parts[i].flags);
        free(path);
    }
}

void ledger_open_state(struct ledger *l, const char *state)
{
    bool lost;
    l->state = text_copy(state);
    set_aside_unopened(l);
    l->keys_file = open_pair(state, "keys.json");
    l->switches_file = open_pair(state, "context.json");
    load_keys(l);
    l->switches = pair_open(&l->switches_file, LIMIT_META_BYTES, &l->aside, &lost);
    if (lost)
        aside_note(&l->aside, "what `ptyd context off` had switched off is lost: agents are told");
    ledger_open_receipts(l);
    aside_bound(&l->aside, state);
    aside_list(&l->aside, state);
}

void ledger_close_state(struct ledger *l)
{
    ledger_close_receipts(l);
    json_decref(l->switches);
    pair_finish(&l->keys_file);
    pair_finish(&l->switches_file);
    aside_finish(&l->aside);
    free(l->state);
}

static void add_repeated(const struct part *part, json_t *warnings)
{
    char when[CLOCK_TEXT_SIZE];
    json_array_append_new(
        warnings,
        json_sprintf("session %s: what agents were told is lost since %s: %lld of its commands may "
                     "be told again",
                     part->session, clock_text(part->repeated_ms, when),
                     (long long)part->repeated));
}

void ledger_add_warnings(const struct ledger *l, json_t *warnings)
{
    aside_tell(&l->aside, "", warnings);
    if (l->keys_error)
        json_array_append_new(warnings, json_sprintf("cannot write %s: %s", l->keys_file.paths[0],
                                                     strerror(l->keys_error)));
    ledger_add_receipts_warning(l, warnings);
    for (size_t i = 0; i < l->part_count; i++)
        if (l->parts[i].repeated)
            add_repeated(&l->parts[i], warnings);
}

/* ---- switches ---- */

void ledger_save_switches(struct ledger *l)
{
    int result = pair_write(&l->switches_file, l->switches);
    if (result < 0)
        say("cannot write %s: %s", l->switches_file.paths[0], strerror(-result));
}

/* The thread that a consumer is, or NULL. */
static const char *thread_of(const char *consumer)
{
    const char *colon = consumer ? strchr(consumer, ':') : NULL;
    return colon ? colon + 1 : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* However it was called when it was switched off. */
static void switch_thread_on(struct ledger *l, const char *thread)
{
    json_t *threads = json_object_get(l->switches, "threads_off"), *value;
    const char *off;
    void *next;
    json_object_foreach_safe(threads, next, off, value)
        if (is_same(off, thread) || is_same(thread_of(off), thread) ||
            is_same(off, thread_of(thread)))
            json_object_del(threads, off);
}

/* By that name, or as the thread that it is of. */
static bool is_off(const struct ledger *l, const char *name)
{
    const json_t *threads = json_object_get(l->switches, "threads_off");
    const char *thread = thread_of(name);
    return name && (json_object_get(threads, name) || (thread && json_object_get(threads, thread)));
}

static bool switch_thread_off(struct ledger *l, const char *thread)
{
    json_t *threads = json_object_get(l->switches, "threads_off");
    if (!threads)
        json_object_set_new(l->switches, "threads_off", threads = json_object());
    if (json_object_size(threads) >= LIMIT_THREADS_OFF && !json_object_get(threads, thread))
        return false;
    return json_object_set_new(threads, thread, json_true()) == 0;
}

bool ledger_set_injection(struct ledger *l, const char *thread, bool on)
{
    bool done = true;
    if (!thread) {
        json_object_set_new(l->switches, "off", json_boolean(!on));
        if (on)
            json_object_del(l->switches, "threads_off");
    } else if (on) {
        switch_thread_on(l, thread);
    } else {
        done = switch_thread_off(l, thread);
    }
    if (done)
        ledger_save_switches(l);
    return done;
}

void ledger_switch_fork(struct ledger *l, const char *from, const char *to)
{
    const char *thread = thread_of(to);
    thread = thread ? thread : to;
    if (!is_off(l, from) || is_off(l, to))
        return;
    if (switch_thread_off(l, thread))
        ledger_save_switches(l);
    else
        say("%s is a fork of a thread that is off, and is told: %d are off already", to,
            LIMIT_THREADS_OFF);
}

bool ledger_injects(const struct ledger *l, const char *consumer, const char *thread)
{
    return !json_flag(l->switches, "off") && !is_off(l, consumer) && !is_off(l, thread);
}

json_int_t ledger_unseen(const struct ledger *l)
{
    return json_number(l->switches, "unseen", 0);
}

json_int_t ledger_repeated(const struct ledger *l)
{
    json_int_t sum = 0;
    for (size_t i = 0; i < l->part_count; i++)
        sum += l->parts[i].repeated;
    return sum;
}
