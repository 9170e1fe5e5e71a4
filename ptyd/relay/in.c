#include "ptyd/relay/in.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/local.h"
#include "ptyd/relay/subject.h"

void in_begin(struct in *in)
{
    in->hosts = json_object();
}

void in_finish(struct in *in)
{
    hub_message_free(in->message);
    json_decref(in->hosts);
}

/* ---- the daemon ---- */

/* What a message says, where it is what its subject says: that is what the hub lets nobody forge.
 * New reference; NULL for none. */
static json_t *read_message(const struct in *in)
{
    const struct hub_message *m = in->message;
    char *host_id = NULL, *session = NULL, *token = NULL;
    json_t *params = json_loadb(m->data, m->len, JSON_REJECT_DUPLICATES, NULL);
    bool is_block = subject_is_block(m->subject, in->user, &host_id, &session);
    if (is_block && json_is_object(params))
        token = subject_token(json_text(params, "session", ""));
    bool fits = token && !strcmp(token, session) &&
                !strcmp(json_text(params, "host_id", ""), host_id) &&
                json_number(params, "v", 0) == 1;
    free(token);
    free(session);
    free(host_id);
    if (fits)
        return params;
    json_decref(params);
    return NULL;
}

static bool is_own(const struct in *in)
{
    char *own = text_format("ptyd.v1.%s.%s.", in->user, in->identity->host_id);
    bool is = !strncmp(in->message->subject, own, strlen(own));
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
    json_object_set_new(host, "blocks", json_integer(json_number(host, "blocks", 0) + 1));
    free(clean);
}

/* Whether it is dealt with: on disk, there before, or no block. Nothing else lets it go. */
static bool hand_over(struct in *in)
{
    if (is_own(in))
        return true;
    json_t *params = read_message(in);
    if (!params) {
        in->refused++;
        return true;
    }
    json_t *answer = local_ask("host.block", json_incref(params)),
           *result = json_at(answer, "result");
    bool is_none = json_number(json_at(answer, "error"), "code", 0) == RPC_INVALID_PARAMS;
    if (json_is_object(result)) {
        bool taken = json_flag(result, "taken");
        bool clash = !strcmp(json_text(result, "why", ""), "clash");
        *(taken ? &in->taken : clash ? &in->clashes : &in->known) += 1;
        note(in, params);
    } else if (is_none) {
        in->refused++;
    } else if (answer) {
        out_fail(in->out, "the daemon cannot keep a command of another host: %s",
                 json_text(json_at(answer, "error"), "message", ""));
    }
    bool done = json_is_object(result) || is_none;
    in->waits = !done;
    json_decref(answer);
    json_decref(params);
    return done;
}

/* ---- the hub ---- */

static void ask(struct in *in, int64_t now)
{
    char *stream = subject_stream(in->user);
    char *subject = text_format("$JS.API.CONSUMER.MSG.NEXT.%s.H%s", stream, in->identity->host_id);
    char *question =
        text_format("{\"batch\":1,\"expires\":%lld}", (long long)LIMIT_RELAY_PULL_MS * 1000000);
    char *answer = text_format("g.%llu", (unsigned long long)++in->asks);
    const char *why = hub_publish(in->hub, subject, answer, NULL, question, strlen(question));
    in->asked_until = why ? 0 : now + LIMIT_RELAY_PULL_MS + LIMIT_RELAY_ACK_MS;
    in->hold_until = why ? now + LIMIT_RELAY_AGAIN_MS : in->hold_until;
    free(answer);
    free(question);
    free(subject);
    free(stream);
}

int64_t in_step(struct in *in)
{
    int64_t now = clock_monotonic_ms();
    if (in->settings->publish_only || !hub_is_connected(in->hub))
        return -1;
    if (now < in->hold_until)
        return in->hold_until;
    if (in->message && !hand_over(in)) {
        in->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS / 5;
        return in->hold_until;
    }
    if (in->message) {
        hub_publish(in->hub, in->message->reply, NULL, NULL, "+ACK", 4);
        hub_message_free(in->message);
        in->message = NULL;
    }
    if (in->asked_until <= now)
        ask(in, now);
    return in->asked_until ? in->asked_until : in->hold_until;
}

void in_take(struct in *in, struct hub_message *m)
{
    in->asked_until = 0;
    if (in->message) { /* it comes again: the hub gave us up for lost */
        hub_message_free(m);
        return;
    }
    in->message = m;
}

void in_answer(struct in *in, const struct hub_message *m)
{
    if (strtoull(m->subject + 2, NULL, 10) != in->asks)
        return;
    in->asked_until = 0;
    if (m->status == 503) {
        out_fail(in->out,
                 "the hub has nothing for this host: its owner makes that with `ptyd relay "
                 "hub --init --url %s --creds FILE --user '%s' --member %s`",
                 in->settings->url, in->settings->user, in->identity->host_id);
        in->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS;
    } else if (m->status == 409) { /* too many questions: an earlier one of ours is still held */
        in->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS / 5;
    }
}

void in_lost(struct in *in)
{
    in->asked_until = 0;
    hub_message_free(in->message);
    in->message = NULL;
}
