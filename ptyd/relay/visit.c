/* How long ago somebody spoke is asked of the hub, which says when each word came: clocks of hosts
 * may be days apart. What it is there now it says of a word that is said for that. */
#include "ptyd/relay/visit.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/ask.h"
#include "ptyd/relay/credentials.h"
#include "ptyd/relay/presence.h"
#include "ptyd/relay/roles.h"
#include "ptyd/relay/subject.h"

/* ---- the connection ---- */

/* What there is of it is there. */
static char *connect_as(struct visit *v)
{
    bool is_seed = false;
    char *why = NULL;
    if (hub_check_url(v->setup.url))
        return text_format("'%s' is no hub's URL: %s", v->setup.url, hub_check_url(v->setup.url));
    why = setup_read_key(&v->setup);
    if (!why && v->setup.creds)
        why = credentials_read(v->setup.creds, &is_seed, v->own.seed);
    if (why)
        return why;
    bool library = v->setup.creds && !is_seed;
    v->user = subject_token(v->setup.user);
    v->inbox = subject_inbox(v->own.host_id);
    v->hub = hub_open(&(struct hub_options){.url = v->setup.url,
                                            .authority = v->setup.authority,
                                            .seed = library ? NULL : v->own.seed,
                                            .creds = library ? v->setup.creds : NULL,
                                            .inbox = v->inbox});
    char *failed = hub_connect(v->hub);
    why = failed ? text_format("cannot reach the hub %s: %s", v->setup.url, failed) : NULL;
    free(failed);
    return why;
}

char *visit_begin(struct visit *v)
{
    char *state = paths_state();
    *v = (struct visit){0};
    char *why = setup_read(&v->setup);
    if (!why)
        why = identity_open(state, IDENTITY_READ, &v->own);
    free(state);
    return why ? why : connect_as(v);
}

char *visit_begin_as(struct visit *v, struct setup setup, const struct identity *own)
{
    *v = (struct visit){.setup = setup, .own = *own};
    return connect_as(v);
}

void visit_end(struct visit *v)
{
    hub_close(v->hub);
    setup_finish(&v->setup);
    free(v->user);
    free(v->inbox);
}

/* ---- who is there ---- */

/* The first entry at or behind a place of the bucket: its value, key, place and time. */
struct entry {
    char *key;
    struct bytes value;
    long long place;
    int64_t at_ms;
};

/* Returns 1, 0 where there is none, -1 with *ret_why. */
static int next_entry(struct visit *v, const char *keys, long long from, struct entry *ret_entry,
                      char **ret_why)
{
    char *bucket = subject_presence(v->user), *name = text_format("KV_%s", bucket);
    char *subject = text_format(SUBJECT_HUB "STREAM.MSG.GET.%s", name);
    char *wanted = text_format("$KV.%s.%s", bucket, keys), *before = text_format("$KV.%s.", bucket);
    json_t *answer = ask_hub(
        v->hub, subject, json_pack("{s:I, s:s}", "seq", (json_int_t)from, "next_by_subj", wanted),
        LIMIT_RELAY_ACK_MS);
    const json_t *message = json_at(answer, "message");
    const char *data = json_text(message, "data", ""), *found = json_text(message, "subject", "");
    int result = message ? 1 : json_number(json_at(answer, "error"), "code", 0) == 404 ? 0 : -1;
    if (result < 0)
        *ret_why = text_format("the hub does not say who is there: %s", ask_error(answer));
    if (result > 0) {
        size_t skip = strlen(before);
        *ret_entry =
            (struct entry){.key = text_copy(strncmp(found, before, skip) ? "" : found + skip),
                           .place = json_number(message, "seq", 0),
                           .at_ms = clock_rfc3339_ms(json_text(message, "time", ""))};
        base64_decode(data, strlen(data), &ret_entry->value);
    }
    json_decref(answer);
    free(before);
    free(wanted);
    free(subject);
    free(name);
    free(bucket);
    return result;
}

static void entry_finish(struct entry *entry)
{
    free(entry->key);
    bytes_finish(&entry->value);
}

/* What the hub's clock says. */
static int64_t hub_now(struct visit *v, char **ret_why)
{
    char *bucket = subject_presence(v->user);
    char *key = text_format("%s.now", v->own.host_id);
    char *subject = text_format("$KV.%s.%s", bucket, key);
    json_t *kept = ask_hub(v->hub, subject, NULL, LIMIT_RELAY_ACK_MS);
    struct entry entry = {0};
    int64_t now = 0;
    if (ask_error(kept))
        *ret_why = text_format("the hub does not say who is there: %s%s", ask_error(kept),
                               ask_hub_hint(ask_error(kept)));
    else if (next_entry(v, key, json_number(kept, "seq", 1), &entry, ret_why) > 0)
        now = entry.at_ms;
    entry_finish(&entry);
    json_decref(kept);
    free(subject);
    free(key);
    free(bucket);
    return now;
}

/* What a host says of itself; one that we cannot read is there by its id. New reference, NULL for
 * none. */
static json_t *read_host(const struct visit *v, const struct entry *entry)
{
    if (!roles_is_id(entry->key)) /* no host's: the hub may name it as it likes */
        return NULL;
    char *bucket = subject_presence(v->user);
    char *subject = text_format("$KV.%s.%s", bucket, entry->key);
    json_t *said = NULL;
    enum sealing_found found =
        sealing_open(&v->setup.sealing, subject, "", entry->value.data ? entry->value.data : "",
                     entry->value.len, &said);
    json_t *host = found == SEALING_GOOD ? presence_read(said, entry->key) : NULL;
    if (found == SEALING_UNSEALED || found == SEALING_FOREIGN)
        host = json_pack("{s:s, s:s, s:n, s:b, s:[]}", "host_id", entry->key, "host",
                         found == SEALING_FOREIGN ? "(sealed with another key)" : "(not sealed)",
                         "since_ms", "gone", 0, "sessions");
    json_decref(said);
    free(subject);
    free(bucket);
    return host;
}

static void add_host(const struct visit *v, json_t *hosts, const struct entry *entry, int64_t now)
{
    json_t *host = read_host(v, entry);
    if (!host)
        return;
    bool here = !json_flag(host, "gone") && now - entry->at_ms <= 3 * PRESENCE_MS;
    json_object_set_new(host, "at_ms", json_integer(entry->at_ms));
    json_object_set_new(host, "silent_ms", json_integer(now - entry->at_ms));
    json_object_set_new(host, "here", json_boolean(here));
    json_int_t said = json_number(host, "now_ms", 0);
    bool is_time = said > 0 && said < LIMIT_HOST_NUMBER;
    json_object_del(host, "now_ms");
    json_object_set_new(host, "ahead_ms", json_integer(is_time ? said - entry->at_ms : 0));
    size_t at = 0;
    while (at < json_array_size(hosts) && strcmp(json_text(json_array_get(hosts, at), "host", ""),
                                                 json_text(host, "host", "")) <= 0)
        at++;
    json_array_insert_new(hosts, at, host);
}

json_t *visit_hosts(struct visit *v, char **ret_why)
{
    json_t *hosts = json_array();
    long long place = 1;
    int64_t now = hub_now(v, ret_why);
    int found = now ? 1 : -1;
    for (int asked = 0; found > 0 && asked < LIMIT_HOSTS; asked++) {
        struct entry entry = {0};
        found = next_entry(v, "*", place, &entry, ret_why);
        bool goes_on = found > 0 && entry.place >= place; /* that is the hub's word */
        if (goes_on)
            add_host(v, hosts, &entry, now);
        else if (found > 0)
            *ret_why = text_copy("the hub does not say who is there: it repeats itself");
        found = goes_on || found <= 0 ? found : -1;
        place = entry.place + 1;
        entry_finish(&entry);
    }
    if (found >= 0)
        return hosts;
    if (!*ret_why)
        *ret_why = text_copy("the hub does not say what time it is");
    json_decref(hosts);
    return NULL;
}

/* ---- what a command printed ---- */

/* What was said in answer to `ask`, of whatever came from the wire, if only who has this host's key
 * can have said it; a new reference. NULL with *ret_why (a new string). */
static json_t *open_answer(const struct sealing *sealing, const char *subject, const char *ask,
                           const struct hub_message *m, char **ret_why)
{
    json_t *said = NULL;
    enum sealing_found found = sealing_open(sealing, subject, ask, m->data, m->len, &said);
    if (found == SEALING_GOOD && said)
        return said;
    *ret_why = text_copy(found == SEALING_GOOD ? "the answer is no JSON"
                         : !*sealing->id       ? "its answer is sealed, and this host has no key"
                                         : "its answer is not sealed with this host's key, and "
                                           "not believed");
    return NULL;
}

/* Asks a host; the whole answer, a new reference, NULL with *ret_why (a new string). Steals
 * `question`. */
static json_t *ask_host(struct visit *v, const char *host_id, json_t *question, char **ret_why)
{
    const struct sealing *sealing = &v->setup.sealing;
    char *subject = subject_requests(v->user, host_id);
    unsigned char random[8];
    char ask[2 * sizeof random + 1];
    keys_random(random, sizeof random);
    keys_hex(random, sizeof random, ask);
    json_object_set_new(question, "ask", json_string(ask));
    char *text = json_dumps(question, JSON_COMPACT);
    char *sealed = sealing_close(sealing, subject, "request", text ? text : "{}");
    struct hub_message *m =
        ask_host_message(v->hub, host_id, subject, sealed, LIMIT_RELAY_ACK_MS, ret_why);
    json_t *said = m ? open_answer(sealing, subject, ask, m, ret_why) : NULL;
    hub_message_free(m);
    free(sealed);
    free(text);
    free(subject);
    json_decref(question);
    return said;
}

json_t *visit_output(struct visit *v, const char *host_id, json_t *wanted, char **ret_why)
{
    char *why = NULL;
    json_object_set_new(wanted, "v", json_integer(1));
    json_object_set_new(wanted, "op", json_string("output"));
    json_t *answer = ask_host(v, host_id, wanted, &why);
    json_t *refused = json_object_get(answer, "error"), *result = json_object_get(answer, "result");
    result = refused ? NULL : json_incref(result);
    if (!json_is_object(result)) {
        json_decref(result);
        result = NULL;
        const char *words = json_text(answer, "error", why ? why : "the answer is none");
        char *clean = text_clean(words, strlen(words), LIMIT_RELAY_WORDS_BYTES);
        *ret_why = text_format("host %s: %s", host_id, clean);
        free(clean);
    }
    json_decref(answer);
    free(why);
    return result;
}
