#include "ptyd/relay/in.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/local.h"
#include "ptyd/relay/subject.h"

void in_begin(struct in *in)
{
    in->hosts = json_object();
    in->at_once = LIMIT_RELAY_AT_ONCE;
}

static void drop_all(struct in *in)
{
    for (struct hub_message *m; (m = in->first);) {
        in->first = m->next;
        hub_message_free(m);
    }
    in->last = NULL;
    in->held = in->bytes = 0;
}

void in_finish(struct in *in)
{
    drop_all(in);
    json_decref(in->hosts);
}

/* ---- the daemon ---- */

/* Whether it says what its subject says: that is what the hub lets nobody forge. What is sealed
 * says when it was, by which the daemon knows what is given out again. */
static bool fits_subject(const struct in *in, const struct hub_message *m, const json_t *params)
{
    char *host_id = NULL, *session = NULL, *token = NULL;
    bool is_block = subject_is_block(m->subject, in->user, &host_id, &session);
    if (is_block && json_is_object(params))
        token = subject_token(json_text(params, "session", ""));
    bool fits = token && !strcmp(token, session) &&
                !strcmp(json_text(params, "host_id", ""), host_id) &&
                json_number(params, "v", 0) == 1 &&
                (!*in->settings->sealing.id || json_number(params, "sent_ms", 0) > 0);
    free(token);
    free(session);
    free(host_id);
    return fits;
}

/* How far its clock was ahead of the one here when it sent that: it said its time, and the hub when
 * it came there. */
static void set_ahead(const struct in *in, const struct hub_message *m, json_t *params)
{
    json_int_t said = json_number(params, "now_ms", 0), kept = subject_kept_ms(m->reply);
    bool is_known = in->knows_time && kept > 0 && said > 0 && said < LIMIT_HOST_NUMBER;
    json_object_set_new(params, "ahead_ms",
                        json_integer(is_known ? said - kept - in->ahead_ms : 0));
}

/* What a message says; where it is nothing for the daemon a number, why: of enum sealing_found.
 * New reference. */
static json_t *read_message(const struct in *in, const struct hub_message *m)
{
    json_t *params = NULL;
    enum sealing_found found =
        sealing_open(&in->settings->sealing, m->subject, m->id, m->data, m->len, &params);
    if (found == SEALING_GOOD && fits_subject(in, m, params)) {
        set_ahead(in, m, params);
        return params;
    }
    json_decref(params);
    return json_integer(found);
}

static bool is_own(const struct in *in, const struct hub_message *m)
{
    char *own = text_format("ptyd.v1.%s.%s.", in->user, in->identity->host_id);
    bool is = !strncmp(m->subject, own, strlen(own));
    free(own);
    return is;
}

static void note(struct in *in, const json_t *params)
{
    const char *id = json_text(params, "host_id", "");
    json_t *host = json_object_get(in->hosts, id);
    if (!host && json_object_size(in->hosts) >= LIMIT_HOSTS)
        return;
    if (!host) {
        json_object_set_new(in->hosts, id, json_object());
        host = json_object_get(in->hosts, id);
    }
    const char *name = json_text(params, "host", "");
    char *clean = text_clean(name, strlen(name), LIMIT_HOST_BYTES);
    json_object_set_new(host, "host", json_string(clean));
    json_object_set_new(host, "at_ms", json_integer(clock_wall_ms()));
    json_object_set_new(host, "ahead_ms", json_integer(json_number(params, "ahead_ms", 0)));
    json_object_set_new(host, "blocks", json_integer(json_number(host, "blocks", 0) + 1));
    free(clean);
}

static void count(struct in *in, const json_t *result, const json_t *params)
{
    const char *why = json_text(result, "why", "");
    bool taken = json_flag(result, "taken");
    *(taken                   ? &in->taken
      : !strcmp(why, "clash") ? &in->clashes
      : !strcmp(why, "none")  ? &in->refused
                              : &in->known) += 1;
    if (strcmp(why, "none") != 0)
        note(in, params);
}

static void count_none(struct in *in, enum sealing_found found)
{
    *(found == SEALING_UNSEALED  ? &in->unsealed
      : found == SEALING_FOREIGN ? &in->unopened
                                 : &in->refused) += 1;
}

/* Acknowledges the first and lets it go. */
static void let_go(struct in *in)
{
    struct hub_message *m = in->first;
    hub_publish(in->hub, m->reply, NULL, NULL, "+ACK", 4); /* in_take() has looked at it */
    in->first = m->next;
    in->last = in->first ? in->last : NULL;
    in->held--;
    in->bytes -= m->len;
    hub_message_free(m);
}

/* The first ones, as the daemon takes them, at most as many as it takes at once; *ret_all counts
 * those that are nothing for it, too. New reference. */
static json_t *next_blocks(struct in *in, size_t *ret_all)
{
    json_t *blocks = json_array();
    size_t bytes = 0;
    *ret_all = 0;
    for (const struct hub_message *m = in->first; m && *ret_all < in->at_once; m = m->next) {
        bytes += m->len;
        if (*ret_all && bytes > LIMIT_RELAY_HAND_BYTES)
            break;
        json_array_append_new(blocks, is_own(in, m) ? json_null() : read_message(in, m));
        ++*ret_all;
    }
    return blocks;
}

/* What the daemon answered to each of them, or would; those are done. */
static size_t settle(struct in *in, const json_t *blocks, const json_t *results)
{
    size_t done = 0, asked = 0;
    for (; done < json_array_size(blocks); done++) {
        const json_t *block = json_array_get(blocks, done);
        if (json_is_object(block) && asked == json_array_size(results))
            break;
        if (json_is_object(block))
            count(in, json_array_get(results, asked++), block);
        else if (json_is_integer(block))
            count_none(in, (enum sealing_found)json_integer_value(block));
        let_go(in);
    }
    return done;
}

static json_t *ask_daemon(const json_t *blocks)
{
    json_t *list = json_array(), *block;
    size_t i;
    json_array_foreach(blocks, i, block)
        if (json_is_object(block))
            json_array_append(list, block);
    if (json_array_size(list))
        return local_ask("host.blocks", json_pack("{s:o}", "blocks", list));
    json_decref(list);
    return json_pack("{s:{}}", "result");
}

/* Whether they are dealt with: on disk, there before, or no blocks. Nothing else lets them go. */
static bool hand_over(struct in *in)
{
    size_t all;
    json_t *blocks = next_blocks(in, &all), *answer = ask_daemon(blocks);
    const json_t *result = json_at(answer, "result");
    const char *error = json_text(result, "error", NULL);
    bool done = settle(in, blocks, json_object_get(result, "results")) == all;
    if (error || (answer && !done))
        out_fail(in->out, "the daemon cannot keep a command of another host: %s",
                 error ? error : json_text(json_at(answer, "error"), "message", ""));
    in->at_once = answer ? 2 * in->at_once : 1;
    if (in->at_once > LIMIT_RELAY_AT_ONCE)
        in->at_once = LIMIT_RELAY_AT_ONCE;
    in->waits = !done;
    json_decref(answer);
    json_decref(blocks);
    return done;
}

/* ---- the hub ---- */

/* Its consumer's name behind that of a question; new string. */
static char *api_subject(const struct in *in, const char *verb)
{
    char *stream = subject_stream(in->user);
    char *subject =
        text_format(SUBJECT_HUB "CONSUMER.%s.%s.H%s", verb, stream, in->identity->host_id);
    free(stream);
    return subject;
}

/* Returns whether it was asked. */
static bool ask(struct in *in, const char *verb, char kind, const char *question)
{
    char *subject = api_subject(in, verb);
    char *answer = text_format("%c.%llu", kind, (unsigned long long)++in->asks);
    const char *why = hub_publish(in->hub, subject, answer, NULL, question, strlen(question));
    free(answer);
    free(subject);
    return !why;
}

static void ask_for_more(struct in *in, int64_t now)
{
    in->due = LIMIT_RELAY_TAKEN - in->held;
    char *question = text_format("{\"batch\":%zu,\"expires\":%lld}", in->due,
                                 (long long)LIMIT_RELAY_PULL_MS * 1000000);
    bool asked = ask(in, "MSG.NEXT", 'g', question);
    in->pull = in->asks;
    in->asked_until = asked ? now + LIMIT_RELAY_PULL_MS + LIMIT_RELAY_ACK_MS : 0;
    in->hold_until = asked ? in->hold_until : now + LIMIT_RELAY_AGAIN_MS;
    free(question);
}

/* Asks what was given out; again where no answer comes. */
static void look(struct in *in, int64_t now)
{
    if (in->way == IN_SURE || now < in->look_at)
        return;
    ask(in, "INFO", 'i', "");
    in->look_at = now + LIMIT_RELAY_ACK_MS;
}

static int64_t step_daemon(struct in *in, int64_t now)
{
    if (now < in->hand_at)
        return in->hand_at;
    if (in->held < in->at_once && now < in->next_at)
        return in->next_at;
    in->next_at = now + LIMIT_RELAY_TOGETHER_MS;
    if (hand_over(in))
        return now; /* more of them, or of the hub's */
    in->hand_at = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS / 5;
    return in->hand_at;
}

static int64_t step_hub(struct in *in, int64_t now)
{
    if (now < in->hold_until)
        return in->hold_until;
    if (in->waits && in->first) /* what is held would be given out again, without end */
        return -1;
    if (in->way != IN_UNSURE && in->asked_until <= now && in->held < LIMIT_RELAY_TAKEN)
        ask_for_more(in, now);
    return in->asked_until > now ? in->asked_until : in->hold_until > now ? in->hold_until : -1;
}

int64_t in_step(struct in *in)
{
    int64_t now = clock_monotonic_ms(), next;
    if (in->settings->publish_only || !hub_is_connected(in->hub))
        return -1;
    look(in, now);
    next = step_hub(in, now);
    if (in->way == IN_SURE && in->first)
        next = clock_sooner(next, step_daemon(in, now));
    return in->way == IN_SURE ? next : clock_sooner(next, in->look_at);
}

/* What no consumer gives out, which would have us publish somewhere, or more than any does. */
static bool is_odd(const struct in *in, const struct hub_message *m,
                   const struct hub_message *before)
{
    size_t held = in->held + !before, bytes = in->bytes + m->len - (before ? before->len : 0);
    return !m->place || held > LIMIT_RELAY_TAKEN || bytes > LIMIT_RELAY_TAKEN_BYTES;
}

/* One that is here was given out again: its new address is the one that counts. Of a hub that gives
 * out more than it may nothing is held: one that is left out would be overtaken. */
void in_take(struct in *in, struct hub_message *m)
{
    m->place = subject_place(m->reply);
    struct hub_message **at = in->last && in->last->place < m->place ? &in->last->next : &in->first;
    in->due -= in->due > 0;
    if (!in->due)
        in->asked_until = 0;
    while (*at && (*at)->place < m->place)
        at = &(*at)->next;
    struct hub_message *before = *at && (*at)->place == m->place ? *at : NULL;
    if (is_odd(in, m, before)) {
        if (m->place)
            in_lost(in);
        hub_message_free(m);
        return;
    }
    m->next = before ? before->next : *at;
    *at = m;
    in->last = m->next ? in->last : m;
    in->held += !before;
    in->bytes += m->len - (before ? before->len : 0);
    hub_message_free(before);
}

static void fail_without_consumer(struct in *in)
{
    out_fail(in->out,
             "the hub has nothing for this host: its owner makes that with `ptyd relay "
             "hub --init --url %s --creds FILE --user '%s' --member %s`",
             in->settings->url, in->settings->user, in->identity->host_id);
}

void in_answer(struct in *in, const struct hub_message *m)
{
    if (strtoull(m->subject + 2, NULL, 10) != in->pull)
        return;
    in->asked_until = 0;
    if (m->status == 503) {
        fail_without_consumer(in);
        in->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS;
    } else if (m->status == 409) { /* too many questions: an earlier one of ours is still held */
        in->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS / 5;
    }
}

/* Somebody else who is waited for, or whose time is not over, may still be given something. */
void in_state(struct in *in, const struct hub_message *m)
{
    int64_t now = clock_monotonic_ms();
    json_t *state = json_loadb(m->data, m->len, 0, NULL);
    bool is_one = json_is_integer(json_object_get(state, "num_ack_pending"));
    size_t out = (size_t)json_number(state, "num_ack_pending", 0);
    bool alone = !json_number(state, "num_waiting", 0);
    json_decref(state);
    in->look_at = now + (is_one ? LIMIT_RELAY_AGAIN_MS / 20 : LIMIT_RELAY_AGAIN_MS);
    if (!is_one) {
        fail_without_consumer(in);
    } else if (in->way == IN_UNSURE && alone) {
        in->way = out ? IN_GATHER : IN_SURE;
        in->gather_until = now + LIMIT_RELAY_GATHER_MS;
    } else if (in->way == IN_GATHER && (out <= in->held || now > in->gather_until)) {
        in->way = IN_SURE;
    }
}

/* ---- the time at the hub ---- */

#define TIME_ANSWER "t.0"

static char *time_key(const struct in *in)
{
    char *bucket = subject_presence(in->user);
    char *key = text_format("$KV.%s.%s.now", bucket, in->identity->host_id);
    free(bucket);
    return key;
}

/* A word under a name of ours. When it was kept is asked once it is: a server may answer what came
 * behind a word before it has kept that. */
void in_ask_time(struct in *in)
{
    int64_t now = clock_monotonic_ms();
    if (now < in->time_at)
        return;
    char *key = time_key(in);
    char *said = text_format("%lld", (long long)(in->asked_time_ms = clock_wall_ms()));
    hub_publish(in->hub, key, TIME_ANSWER, NULL, said, strlen(said));
    in->time_at = now + LIMIT_CLOCK_APART_MS / 2;
    free(said);
    free(key);
}

static void ask_when_kept(struct in *in)
{
    char *key = time_key(in), *bucket = subject_presence(in->user);
    char *subject = text_format(SUBJECT_HUB "STREAM.MSG.GET.KV_%s", bucket);
    char *question = text_format("{\"last_by_subj\":\"%s\"}", key);
    hub_publish(in->hub, subject, TIME_ANSWER, NULL, question, strlen(question));
    free(question);
    free(subject);
    free(bucket);
    free(key);
}

/* It is our word where it says what we said. */
static void take_time(struct in *in, const json_t *message)
{
    const char *data = json_text(message, "data", "");
    struct bytes said = {0};
    int64_t at = clock_rfc3339_ms(json_text(message, "time", ""));
    base64_decode(data, strlen(data), &said);
    if (at > 0 && said.len && strtoll(said.data, NULL, 10) == in->asked_time_ms) {
        in->ahead_ms = in->asked_time_ms - at;
        in->knows_time = true;
    } else {
        in->time_at = 0; /* somebody else's came between */
    }
    bytes_finish(&said);
}

void in_time(struct in *in, const struct hub_message *m)
{
    json_t *answer = json_loadb(m->data, m->len, 0, NULL);
    const json_t *message = json_at(answer, "message");
    if (message)
        take_time(in, message);
    else if (json_text(answer, "stream", NULL))
        ask_when_kept(in);
    json_decref(answer);
}

void in_lost(struct in *in)
{
    in->time_at = 0;
    in->asked_until = 0;
    in->due = 0;
    in->way = IN_UNSURE;
    in->look_at = 0;
    drop_all(in);
}
