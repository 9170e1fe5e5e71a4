#include "ptyd/relay/hub.h"

#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/credentials.h"
#include "ptyd/relay/keys.h"
#include "ptyd/relay/reach.h"

#define SYSTEM_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"
#define KEY_TRIES          4 /* of which one in 256 each fails for no reason */

struct hub {
    struct hub_options options;
    natsConnection *connection;
    natsSubscription *answers, *requests;
    char *inbox; /* with a part of this process's own, and a dot */
    size_t inbox_len;
    int event;
    pthread_mutex_t lock; /* of what follows, which the library's threads use, too */
    uintptr_t generation; /* of the connection: callbacks of a former one say nothing any more */
    struct queue {
        struct hub_message *first, *last;
        size_t held, bytes;
    } urgent, requests_held; /* the latter is what others want of us */
};

const char hub_too_large[] = "it is larger than the hub takes";

/* Callbacks are given a generation, which needs no memory that outlives the hub. */
static struct hub *the_hub;

/* ---- the queue ---- */

void hub_message_free(struct hub_message *m)
{
    if (!m)
        return;
    free(m->subject);
    free(m->reply);
    free(m->id);
    free(m->data);
    free(m);
}

static struct hub_message *new_message(enum hub_kind kind, const char *data, size_t len)
{
    struct hub_message *m = memory_new(sizeof *m);
    *m = (struct hub_message){.kind = kind, .len = len, .data = memory_new(len + 1)};
    m->subject = text_copy("");
    m->reply = text_copy("");
    m->id = text_copy("");
    memcpy(m->data, data, len);
    m->data[len] = '\0';
    return m;
}

static bool is_full(const struct queue *q, const struct hub_message *m)
{
    bool must = m->kind != HUB_REQUEST && m->kind != HUB_REFUSED;
    size_t most = must ? 4 * LIMIT_RELAY_HELD : LIMIT_RELAY_HELD;
    return m->kind != HUB_LOST && (q->held >= most || q->bytes + m->len > LIMIT_RELAY_TAKEN_BYTES);
}

static void append(struct queue *q, struct hub_message *m)
{
    *(q->last ? &q->last->next : &q->first) = m;
    q->last = m;
    q->held++;
    q->bytes += m->len;
}

/* Takes the message. What is waited for cannot be left out: a hub that says more of that than was
 * asked for is heard no further. */
static void add(uintptr_t generation, struct hub_message *m)
{
    static const char too_much[] = "the hub sends more than it was asked for";
    struct hub *h = the_hub;
    pthread_mutex_lock(&h->lock);
    struct queue *q = m->kind == HUB_REQUEST ? &h->requests_held : &h->urgent;
    bool wanted = generation == h->generation, full = is_full(q, m);
    bool was_empty = !h->urgent.first && !h->requests_held.first;
    bool ends = wanted && full && (m->kind == HUB_ANSWER || m->kind == HUB_MESSAGE);
    if (ends) {
        append(q, new_message(HUB_LOST, too_much, strlen(too_much)));
        h->generation++;
    }
    if (wanted && !full)
        append(q, m);
    pthread_mutex_unlock(&h->lock);
    if (wanted && was_empty)
        eventfd_write(h->event, 1); /* until hub_next() finds nothing */
    if (!wanted || full)
        hub_message_free(m);
}

struct hub_message *hub_next(struct hub *h)
{
    eventfd_t count;
    pthread_mutex_lock(&h->lock);
    struct queue *q = h->urgent.first ? &h->urgent : &h->requests_held;
    struct hub_message *m = q->first;
    if (m) {
        q->first = m->next;
        q->last = q->first ? q->last : NULL;
        q->held--;
        q->bytes -= m->len;
    } else {
        eventfd_read(h->event, &count); /* not readable any more */
    }
    pthread_mutex_unlock(&h->lock);
    return m;
}

static void forget_queue(struct hub *h)
{
    for (struct hub_message *m; (m = hub_next(h));)
        hub_message_free(m);
}

int hub_fd(const struct hub *h)
{
    return h->event;
}

/* ---- the library's threads ---- */

static int status_of(natsMsg *msg)
{
    const char *text = NULL;
    return natsMsgHeader_Get(msg, "Status", &text) == NATS_OK && text ? atoi(text) : 0;
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = text_copy(by);
}

static void take(uintptr_t generation, natsMsg *msg, enum hub_kind kind, size_t skip)
{
    int len = natsMsg_GetDataLength(msg);
    const char *id = NULL;
    if (len >= 0 && len <= LIMIT_RELAY_MESSAGE_BYTES) {
        struct hub_message *m = new_message(kind, len ? natsMsg_GetData(msg) : "", (size_t)len);
        replace(&m->subject, natsMsg_GetSubject(msg) + skip);
        replace(&m->reply, natsMsg_GetReply(msg));
        if (natsMsgHeader_Get(msg, "Nats-Msg-Id", &id) == NATS_OK)
            replace(&m->id, id);
        m->status = status_of(msg);
        add(generation, m);
    }
    natsMsg_Destroy(msg);
}

/* What a consumer delivers has its own subject and comes here all the same. */
static void on_answer(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
    (void)nc;
    (void)sub;
    bool is_ours = !strncmp(natsMsg_GetSubject(msg), the_hub->inbox, the_hub->inbox_len);
    take((uintptr_t)closure, msg, is_ours ? HUB_ANSWER : HUB_MESSAGE,
         is_ours ? the_hub->inbox_len : 0);
}

static void on_request(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
    (void)nc;
    (void)sub;
    take((uintptr_t)closure, msg, HUB_REQUEST, 0);
}

static void add_words(void *closure, enum hub_kind kind, natsConnection *nc, const char *otherwise)
{
    const char *words = NULL;
    if (natsConnection_GetLastError(nc, &words) == NATS_OK || !words || !*words)
        words = otherwise;
    add((uintptr_t)closure, new_message(kind, words, strlen(words)));
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *closure)
{
    (void)sub;
    add_words(closure, HUB_REFUSED, nc, natsStatus_GetText(status));
}

static void on_closed(natsConnection *nc, void *closure)
{
    add_words(closure, HUB_LOST, nc, "the connection is gone");
}

/* The library frees the signature. */
static natsStatus sign(char **error, unsigned char **signature, int *len, const char *nonce,
                       void *closure)
{
    (void)error;
    (void)closure;
    *signature = malloc(KEYS_SIGNATURE_BYTES);
    if (!*signature)
        return NATS_NO_MEMORY;
    *len = KEYS_SIGNATURE_BYTES;
    return keys_sign(the_hub->options.seed, nonce, *signature) ? NATS_OK : NATS_INVALID_ARG;
}

/* ---- the connection ---- */

struct hub *hub_open(const struct hub_options *options)
{
    struct hub *h = memory_new(sizeof *h);
    unsigned char own[8];
    char hex[2 * sizeof own + 1];
    keys_random(own, sizeof own);
    keys_hex(own, sizeof own, hex);
    *h = (struct hub){.options = *options, .event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    h->inbox = text_format("%s.%s.", options->inbox, hex);
    h->inbox_len = strlen(h->inbox);
    pthread_mutex_init(&h->lock, NULL);
    the_hub = h;
    return h;
}

bool hub_is_connected(const struct hub *h)
{
    return h->connection;
}

void hub_disconnect(struct hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->generation++;
    pthread_mutex_unlock(&h->lock);
    natsSubscription_Destroy(h->answers);
    natsSubscription_Destroy(h->requests);
    natsConnection_Destroy(h->connection);
    h->answers = h->requests = NULL;
    h->connection = NULL;
    forget_queue(h);
}

/* A callback that is under way still looks for the hub: it stays as long as the process. The
 * library's threads end before that does: at its end it takes away what they would go on with
 * (OpenSSL's tables). */
void hub_close(struct hub *h)
{
    if (!h)
        return;
    if (h->connection) {
        natsConnection_FlushTimeout(h->connection, LIMIT_RELAY_AGAIN_MS / 5);
        hub_disconnect(h);
    }
    nats_CloseAndWait(LIMIT_RELAY_AGAIN_MS / 5);
}

/* Without an address's brackets, as a certificate names it; "" for what is none. New string. */
static char *host_of(const char *url)
{
    const char *at = strstr(url, "://");
    at = at ? at + 3 : url;
    bool in_brackets = *at == '[';
    at += in_brackets;
    size_t len = strcspn(at, in_brackets ? "]" : ":/");
    if (in_brackets && (!at[len] || !strchr(":/", at[len + 1])))
        len = 0;
    return text_format("%.*s", (int)len, at);
}

static char *port_of(const char *url)
{
    const char *at = strrchr(url, ':');
    size_t len = at ? strspn(at + 1, "0123456789") : 0;
    return len ? text_format("%.*s", (int)len, at + 1) : text_copy("4222");
}

/* Of HOST, HOST:PORT or [ADDRESS]:PORT behind the scheme. */
static bool has_place(const char *url)
{
    const char *at = strstr(url, "://") + 3;
    char *host = host_of(url);
    bool has_host = *host;
    at += has_host ? strlen(host) + (*at == '[' ? 2 : 0) : 0; /* what is none may end anywhere */
    bool has_port = *at == ':';
    size_t digits = has_port ? strspn(at + 1, "0123456789") : 0;
    long port = digits && digits <= 5 ? strtol(at + 1, NULL, 10) : 0;
    free(host);
    return has_host && (has_port ? port > 0 && port <= 65535 && !strcspn(at + 1 + digits, "/")
                                 : !*at || *at == '/');
}

static bool is_secure(const char *url)
{
    return !strncmp(url, "tls://", 6);
}

bool hub_is_loopback(const char *url)
{
    char *host = host_of(url);
    bool is_number = strspn(host, "0123456789.") == strlen(host); /* 127.example.com is a name */
    bool is = (is_number && !strncmp(host, "127.", 4)) || !strcmp(host, "::1") ||
              !strcmp(host, "localhost");
    free(host);
    return is;
}

const char *hub_check_url(const char *url)
{
    if (!is_secure(url) && strncmp(url, "nats://", 7) != 0)
        return "it begins with tls:// or, on this machine alone, with nats://";
    if (strchr(url, '@'))
        return "a password has no place in it: --creds names a file";
    if (!has_place(url))
        return "it names a machine, and where that is not 4222 a port: tls://hub.example:4222";
    if (!is_secure(url) && !hub_is_loopback(url))
        return "another machine is spoken to with tls:// alone";
    return NULL;
}

static natsStatus set_security(const struct hub *h, natsOptions *o)
{
    const char *authority = h->options.authority ? h->options.authority : SYSTEM_AUTHORITIES;
    char *host = host_of(h->options.url);
    natsStatus s = natsOptions_SetSecure(o, true);
    if (s == NATS_OK)
        s = natsOptions_LoadCATrustedCertificates(o, authority);
    if (s == NATS_OK) /* without it any name would do */
        s = natsOptions_SetExpectedHostname(o, host);
    free(host);
    return s;
}

static natsStatus set_key(const struct hub *h, natsOptions *o)
{
    char public[KEYS_PUBLIC_SIZE];
    if (h->options.creds)
        return natsOptions_SetUserCredentialsFromFiles(o, h->options.creds, NULL);
    if (!h->options.seed)
        return NATS_OK;
    return keys_public(h->options.seed, public) ? natsOptions_SetNKey(o, public, sign, NULL)
                                                : NATS_INVALID_ARG;
}

static natsStatus set_options(const struct hub *h, natsOptions *o)
{
    void *generation = (void *)h->generation;
    natsStatus s = natsOptions_SetURL(o, h->options.url);
    if (s == NATS_OK)
        s = natsOptions_SetTimeout(o, LIMIT_RELAY_CONNECT_MS);
    if (s == NATS_OK)
        s = natsOptions_SetAllowReconnect(o, false);
    if (s == NATS_OK)
        s = natsOptions_SetPingInterval(o, LIMIT_RELAY_ACK_MS);
    if (s == NATS_OK)
        s = natsOptions_SetErrorHandler(o, on_error, generation);
    if (s == NATS_OK)
        s = natsOptions_SetClosedCB(o, on_closed, generation);
    if (s == NATS_OK && is_secure(h->options.url))
        s = set_security(h, o);
    return s == NATS_OK ? set_key(h, o) : s;
}

static natsStatus try_connect(struct hub *h)
{
    natsOptions *o = NULL;
    natsStatus s = natsOptions_Create(&o);
    if (s == NATS_OK)
        s = set_options(h, o);
    if (s == NATS_OK)
        s = natsConnection_Connect(&h->connection, o);
    natsOptions_Destroy(o);
    return s;
}

static natsStatus subscribe(struct hub *h)
{
    void *generation = (void *)h->generation;
    char *all = text_format("%s>", h->inbox);
    natsStatus s = natsConnection_Subscribe(&h->answers, h->connection, all, on_answer, generation);
    free(all);
    if (s == NATS_OK && h->options.requests)
        s = natsConnection_Subscribe(&h->requests, h->connection, h->options.requests, on_request,
                                     generation);
    return s == NATS_OK ? natsConnection_FlushTimeout(h->connection, LIMIT_RELAY_CONNECT_MS) : s;
}

/* The library says that there is no server where no try reached one, whatever was in the way. By
 * this clock credentials may seem to have ended that have not: so that is said of a refusal alone.
 */
static char *why_not(const struct hub *h, natsStatus s)
{
    const char *more = nats_GetLastError(NULL), *url = h->options.url;
    bool refused = s == NATS_CONNECTION_AUTH_FAILED || s == NATS_NOT_PERMITTED;
    char *ended = refused && h->options.creds ? credentials_ended(h->options.creds) : NULL;
    if (ended)
        return ended;
    char *words =
        text_format("%s%s%s", natsStatus_GetText(s), more && *more ? ": " : "", more ? more : "");
    char *host = host_of(url), *port = port_of(url);
    char *why =
        s == NATS_NO_SERVER ? reach_why(host, port) : text_format("%s%s", words, reach_hint(words));
    free(port);
    free(host);
    free(words);
    return why;
}

char *hub_connect(struct hub *h)
{
    natsStatus s = NATS_OK;
    for (int tries = 0; tries < KEY_TRIES; tries++) {
        s = try_connect(h);
        if (s != NATS_CONNECTION_AUTH_FAILED)
            break;
    }
    if (s == NATS_OK)
        s = subscribe(h);
    if (s == NATS_OK)
        return NULL;
    char *why = why_not(h, s);
    hub_disconnect(h);
    return why;
}

/* A message of the library's is freed by a thread of the library's, which is woken for it: only
 * what has a header is made one. */
static natsStatus publish_with_id(struct hub *h, const char *subject, const char *reply,
                                  const char *id, const char *data, int len)
{
    natsMsg *msg = NULL;
    natsStatus s = natsMsg_Create(&msg, subject, reply, data, len);
    if (s == NATS_OK)
        s = natsMsgHeader_Set(msg, "Nats-Msg-Id", id);
    if (s == NATS_OK)
        s = natsConnection_PublishMsg(h->connection, msg);
    natsMsg_Destroy(msg);
    return s;
}

const char *hub_publish(struct hub *h, const char *subject, const char *answer, const char *id,
                        const char *data, size_t len)
{
    if (!h->connection)
        return "there is no connection";
    char *reply = answer ? text_format("%s%s", h->inbox, answer) : NULL;
    natsStatus s =
        id      ? publish_with_id(h, subject, reply, id, data, (int)len)
        : reply ? natsConnection_PublishRequest(h->connection, subject, reply, data, (int)len)
                : natsConnection_Publish(h->connection, subject, data, (int)len);
    free(reply);
    return s == NATS_OK ? NULL : s == NATS_MAX_PAYLOAD ? hub_too_large : natsStatus_GetText(s);
}
