#include "ptyd/relay/roles.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/ask.h"
#include "ptyd/relay/grant.h"
#include "ptyd/relay/keys.h"
#include "ptyd/relay/subject.h"

#define SECOND       1000000000LL /* the server counts nanoseconds */
#define ACK_WAIT_S   5            /* what a relay took along when it died comes again then */
#define WINDOW_S     3600
#define BUCKET_BYTES (16 << 20)

/* ---- hosts ---- */

static bool is_id(const char *text, size_t len)
{
    return len == 16 && strspn(text, "0123456789abcdef") >= len;
}

bool roles_is_id(const char *text)
{
    return is_id(text, strlen(text));
}

bool roles_add(struct roles *plan, const char *text, bool publishes_only)
{
    size_t len = strcspn(text, "=");
    const char *key = text[len] ? text + len + 1 : NULL;
    if (!is_id(text, len) || (key && !keys_is_public(key)) || plan->host_count >= LIMIT_HOSTS)
        return false;
    plan->hosts = memory_grow(plan->hosts, (plan->host_count + 1) * sizeof *plan->hosts);
    plan->hosts[plan->host_count++] =
        (struct roles_host){.host_id = text_format("%.*s", (int)len, text),
                            .key = key ? text_copy(key) : NULL,
                            .publishes_only = publishes_only};
    return true;
}

void roles_finish(struct roles *plan)
{
    for (size_t i = 0; i < plan->host_count; i++) {
        free(plan->hosts[i].host_id);
        free(plan->hosts[i].key);
    }
    free(plan->hosts);
}

/* ---- the configuration ---- */

/* With USER, ID and the rest in their places; steals neither. */
static void allow(json_t *list, const char *pattern, const char *user, const char *id)
{
    struct bytes out = {0};
    for (; *pattern; pattern++)
        if (*pattern == '~')
            bytes_append_text(&out, user);
        else if (*pattern == '!')
            bytes_append_text(&out, id);
        else
            bytes_append_char(&out, *pattern);
    if (out.failed)
        memory_end();
    json_array_append_new(list, json_string(out.data));
    bytes_finish(&out);
}

json_t *roles_permissions(const struct roles *p, const char *host_id, bool publishes_only)
{
    /* ~ is the user, ! the host; the first of each is a publisher's, too. There is no
     * allow_responses: with it nats-server 2.9 remembers each block's address for its
     * acknowledgement as one, and goes through all of them with every block behind the 4096th. */
    static const char *const publish[] = {"ptyd.v1.~.!.*.block",
                                          SUBJECT_HUB "CONSUMER.MSG.NEXT.PTYD_~.H!",
                                          SUBJECT_HUB "CONSUMER.INFO.PTYD_~.H!",
                                          "$JS.ACK.PTYD_~.H!.>",
                                          "ptyd.rpc.v1.~.*",
                                          "$KV.ptyd_hosts_~.!",
                                          "$KV.ptyd_hosts_~.!.now",
                                          "_INBOX.*.*.!.>",
                                          SUBJECT_HUB "STREAM.MSG.GET.KV_ptyd_hosts_~"};
    static const char *const subscribe[] = {"_INBOX.!.>", "ptyd.rpc.v1.~.!"};
    json_t *publishes = json_array(), *subscribes = json_array();
    for (size_t i = 0; i < (publishes_only ? 1 : sizeof publish / sizeof *publish); i++)
        allow(publishes, publish[i], p->user, host_id);
    for (size_t i = 0; i < (publishes_only ? 1 : sizeof subscribe / sizeof *subscribe); i++)
        allow(subscribes, subscribe[i], p->user, host_id);
    return json_pack("{s:{s:o}, s:{s:o}}", "publish", "allow", publishes, "subscribe", "allow",
                     subscribes);
}

static void print_host(const struct roles *p, const struct roles_host *h, struct bytes *out)
{
    json_t *permissions = roles_permissions(p, h->host_id, h->publishes_only);
    char *text = json_dumps(permissions, JSON_INDENT(2));
    if (!text)
        memory_end();
    bytes_printf(out, "  # %s, which %s\n  { nkey: %s, permissions: ", h->host_id,
                 h->publishes_only ? "only publishes" : "publishes, receives and asks", h->key);
    for (const char *at = text; *at; at++) {
        bytes_append_char(out, *at);
        bytes_append_text(out, *at == '\n' ? "    " : "");
    }
    bytes_append_text(out, " }\n");
    free(text);
    json_decref(permissions);
}

const struct roles_service *roles_service(size_t index)
{
    /* A host's permissions say which of them it may use, and for what. */
    static const struct roles_service services[] = {
        {"ptyd.v1.*.*.*.block", NULL},
        {"$KV.*.>", NULL},
        {"$JS.ACK.*.*.>", NULL},
        {"$JS.API.CONSUMER.MSG.NEXT.*.*", SUBJECT_HUB "CONSUMER.MSG.NEXT.*.*"},
        {"$JS.API.CONSUMER.INFO.*.*", SUBJECT_HUB "CONSUMER.INFO.*.*"},
        {"$JS.API.STREAM.MSG.GET.*", SUBJECT_HUB "STREAM.MSG.GET.*"}};
    return index < sizeof services / sizeof *services ? &services[index] : NULL;
}

static void print_accounts(const struct roles *p, struct bytes *out)
{
    const struct roles_service *service;
    bytes_printf(out,
                 "accounts {\n"
                 "  PTYD { jetstream: enabled,\n"
                 "    # one for all, so that no answer is stored as what somebody says\n"
                 "    exports: [{ service: \"%s\", response_type: stream, response_threshold: "
                 "\"%ds\" }],\n"
                 "    # the owner, who makes stream, bucket and consumers\n"
                 "    users: [{ nkey: %s }] }\n"
                 "  HOSTS { imports: [\n",
                 ROLES_EXPORT, ROLES_ANSWER_S, p->owner);
    for (size_t i = 0; (service = roles_service(i)); i++) {
        bytes_printf(out, "    { service: { account: PTYD, subject: \"%s\" }", service->subject);
        if (service->local)
            bytes_printf(out, ", to: \"%s\"", service->local);
        bytes_append_text(out, " }\n");
    }
    bytes_append_text(out, "  ], users: [\n");
    for (size_t i = 0; i < p->host_count; i++)
        print_host(p, &p->hosts[i], out);
    bytes_append_text(out, "  ] }\n}\n");
}

void roles_print(const struct roles *p, const char *seed, struct bytes *out)
{
    bytes_printf(out,
                 "# A hub for the commands of %s's hosts (man ptyd-relay).\n"
                 "#   nats-server -c THIS-FILE        runs it\n"
                 "#   nats-server --signal reload     behind a change\n"
                 "#   ptyd relay hub --init --url URL --creds OWNER-KEY-FILE",
                 p->user);
    for (size_t i = 0; i < p->host_count; i++)
        if (!p->hosts[i].publishes_only)
            bytes_printf(out, " --member %s", p->hosts[i].host_id);
    bytes_printf(
        out,
        "\n"
        "#                                   makes stream, bucket and consumers, once, and again\n"
        "#                                   for each member that comes later\n"
        "listen: \"%s\"\n"
        "max_payload: %d\n"
        "max_connections: %d\n",
        p->listen, LIMIT_RELAY_MESSAGE_BYTES, 4 * LIMIT_HOSTS);
    if (p->certificate)
        bytes_printf(out, "tls { cert_file: \"%s\", key_file: \"%s\", timeout: 5 }\n",
                     p->certificate, p->key);
    bytes_printf(out,
                 "jetstream { store_dir: \"%s\", max_memory_store: 64MB, max_file_store: %lld }\n",
                 p->store, (long long)p->bytes + BUCKET_BYTES);
    if (seed)
        grant_print(seed, out);
    else
        print_accounts(p, out);
}

/* ---- in the server ---- */

/* Creates, or where it is there in another way updates. Steals `config`. */
static char *make_stream(struct hub *hub, const char *name, json_t *config)
{
    static const char *const verbs[] = {"CREATE", "UPDATE"};
    char *why = NULL;
    for (int i = 0; i < 2; i++) {
        char *subject = text_format("$JS.API.STREAM.%s.%s", verbs[i], name);
        json_t *answer = ask_hub(hub, subject, json_incref(config), LIMIT_RELAY_ACK_MS);
        const char *error = ask_error(answer);
        free(why);
        why = error ? text_format("stream %s: %s", name, error) : NULL;
        json_decref(answer);
        free(subject);
        if (!why)
            break;
    }
    json_decref(config);
    return why;
}

static char *make_blocks(const struct roles *p, struct hub *hub)
{
    char *name = subject_stream(p->user), *subjects = text_format("ptyd.v1.%s.*.*.block", p->user);
    json_t *config =
        json_pack("{s:s, s:[s], s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:I, s:i}", "name", name,
                  "subjects", subjects, "retention", "limits", "storage", "file", "discard", "old",
                  "max_age", (json_int_t)p->hours * 3600 * SECOND, "max_bytes",
                  (json_int_t)p->bytes, "max_msgs_per_subject", (json_int_t)p->per_session,
                  "max_msg_size", LIMIT_RELAY_STREAM_BYTES, "duplicate_window",
                  (json_int_t)(p->hours * 3600 < WINDOW_S ? p->hours * 3600 : WINDOW_S) * SECOND,
                  "num_replicas", 1);
    char *why = make_stream(hub, name, config);
    free(subjects);
    free(name);
    return why;
}

static char *make_bucket(const struct roles *p, struct hub *hub)
{
    char *bucket = subject_presence(p->user), *name = text_format("KV_%s", bucket);
    char *subjects = text_format("$KV.%s.>", bucket);
    json_t *config = json_pack("{s:s, s:[s], s:s, s:s, s:s, s:i, s:i, s:i, s:b, s:b, s:i}", "name",
                               name, "subjects", subjects, "retention", "limits", "storage", "file",
                               "discard", "new", "max_bytes", BUCKET_BYTES, "max_msgs_per_subject",
                               1, "max_msg_size", LIMIT_RELAY_STREAM_BYTES, "allow_rollup_hdrs", 1,
                               "deny_delete", 1, "num_replicas", 1);
    char *why = make_stream(hub, name, config);
    free(subjects);
    free(name);
    free(bucket);
    return why;
}

/* One that is there goes on where it is. No more is given out than a relay gathers (relay/in.h). */
static char *make_consumer(const struct roles *p, struct hub *hub, const char *host_id)
{
    char *stream = subject_stream(p->user), *why = NULL;
    char *name = text_format("H%s", host_id);
    char *subject = text_format("$JS.API.CONSUMER.DURABLE.CREATE.%s.%s", stream, name);
    json_t *answer = ask_hub(
        hub, subject,
        json_pack("{s:s, s:{s:s, s:s, s:s, s:I, s:i, s:i, s:s}}", "stream_name", stream, "config",
                  "durable_name", name, "deliver_policy", "new", "ack_policy", "explicit",
                  "ack_wait", (json_int_t)ACK_WAIT_S * SECOND, "max_ack_pending", LIMIT_RELAY_TAKEN,
                  "max_deliver", -1, "replay_policy", "instant"),
        LIMIT_RELAY_ACK_MS);
    if (ask_error(answer))
        why = text_format("consumer %s: %s", name, ask_error(answer));
    json_decref(answer);
    free(subject);
    free(name);
    free(stream);
    return why;
}

char *roles_init(const struct roles *p, struct hub *hub)
{
    char *why = make_blocks(p, hub);
    if (!why)
        why = make_bucket(p, hub);
    for (size_t i = 0; !why && i < p->host_count; i++)
        if (!p->hosts[i].publishes_only)
            why = make_consumer(p, hub, p->hosts[i].host_id);
    return why;
}
