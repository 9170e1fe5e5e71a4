/* The ledger's own files: keys.json reserves numbers of entries, context.json holds what was
 * switched off and the count of unseen releases. */
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

#define KEY_RESERVE 1000 /* keys taken from the file at once */

/* ---- keys ---- */

void ledger_load_keys(struct ledger *l)
{
    json_t *json = json_read_object(l->keys_path, LIMIT_KEYS_BYTES);
    long long next = json_number(json, "next", 0);
    l->next_key = l->reserved_key = next > 0 ? (uint64_t)next : 1;
    json_decref(json);
}

/* They are reserved in the file first: a worker that dies leaves some out. */
uint64_t ledger_new_key(struct ledger *l)
{
    if (l->next_key >= l->reserved_key) {
        char *text =
            text_format("{\"next\":%llu}\n", (unsigned long long)l->next_key + KEY_RESERVE);
        if (file_replace(l->keys_path, text, strlen(text)) < 0)
            say("cannot write %s", l->keys_path);
        l->reserved_key = l->next_key + KEY_RESERVE;
        free(text);
    }
    return l->next_key++;
}

/* ---- switches ---- */

void ledger_load_switches(struct ledger *l)
{
    l->switches = json_read_object(l->switches_path, LIMIT_META_BYTES);
}

void ledger_save_switches(const struct ledger *l)
{
    int result = json_replace_file(l->switches_path, l->switches);
    if (result < 0)
        say("cannot write %s: %s", l->switches_path, strerror(-result));
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
        json_object_del(json_object_get(l->switches, "threads_off"), thread);
    } else {
        done = switch_thread_off(l, thread);
    }
    if (done)
        ledger_save_switches(l);
    return done;
}

bool ledger_injects(const struct ledger *l, const char *consumer)
{
    const char *colon = consumer ? strchr(consumer, ':') : NULL;
    if (json_flag(l->switches, "off"))
        return false;
    return !colon || !json_at(l->switches, "threads_off", colon + 1);
}

json_int_t ledger_unseen(const struct ledger *l)
{
    return json_number(l->switches, "unseen", 0);
}
