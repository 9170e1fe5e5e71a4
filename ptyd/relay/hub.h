/* hub.h - a connection to a NATS server, and what is said on it. The only place that knows libnats.
 *
 * JetStream is spoken in plain messages: a publish with a reply address is answered by its
 * acknowledgement, a question to $JS.API by what it asked for. Of the library only connecting,
 * publishing and subscribing are used, for its own way to fetch overruns memory in 3.4.1 (nats.c
 * #749). It never connects again by itself and holds nothing back meanwhile: who has a lost
 * connection begins anew at what was not acknowledged, so that nothing overtakes.
 *
 * What the library's threads hear waits in a queue; its reader polls hub_fd(). There is one hub in
 * a process.
 */
#ifndef PTYD_RELAY_HUB_H
#define PTYD_RELAY_HUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed until hub_close(). */
struct hub_options {
    const char *url;       /* nats://HOST:PORT or tls://HOST:PORT */
    const char *authority; /* a file of certificates to trust for tls; NULL for the system's */
    const char *seed;      /* the NKey; NULL for none */
    const char *creds;     /* a file of credentials instead; or NULL */
    const char *inbox;     /* subjects that answers come to begin with it */
    const char *requests;  /* a subject on which others ask; or NULL */
};

enum hub_kind {
    HUB_ANSWER,  /* to one of our addresses; `subject` is what stood there behind the inbox */
    HUB_MESSAGE, /* of a stream: acknowledged by publishing to `reply` */
    HUB_REQUEST, /* of another host, answered at `reply` */
    HUB_REFUSED, /* the server forbids something: `data` says what */
    HUB_LOST,    /* the connection is gone: `data` says why */
};

/* Owned by whoever took it. */
struct hub_message {
    enum hub_kind kind;
    char *subject, *reply; /* "" for none */
    char *id;              /* Nats-Msg-Id; "" for none */
    char *data;            /* followed by a NUL */
    size_t len;
    int status; /* of an answer that is none but a status (404, 503 ...); else 0 */
    struct hub_message *next;
    uint64_t place; /* in its stream: its reader's */
};

struct hub;

/* Takes the options; connects to nothing yet. */
struct hub *hub_open(const struct hub_options *options);
void hub_close(struct hub *hub);

/* Connects and subscribes, in LIMIT_RELAY_CONNECT_MS at most; a refusal of the key is tried again,
 * since 3.4.1 signs one in 256 wrongly (#705). Returns NULL, or why not (a new string). */
char *hub_connect(struct hub *hub);
bool hub_is_connected(const struct hub *hub);
void hub_disconnect(struct hub *hub);

/* Readable while there is a message; the next one, NULL for none. Requests come behind all else. */
int hub_fd(const struct hub *hub);
struct hub_message *hub_next(struct hub *hub);
void hub_message_free(struct hub_message *message);

/* Publishes. `answer`: what stands behind the inbox in the address for the answer, NULL for none;
 * `id`: by which the stream knows what it has (Nats-Msg-Id), NULL for none. Returns NULL, or why
 * not (a literal): then nothing was sent. */
const char *hub_publish(struct hub *hub, const char *subject, const char *answer, const char *id,
                        const char *data, size_t len);

/* That it is larger than the server takes. */
extern const char hub_too_large[];

/* Whether a server may be spoken to without TLS: it is this machine. */
bool hub_is_loopback(const char *url);
/* What is wrong with such a URL, NULL for nothing: a literal. */
const char *hub_check_url(const char *url);

#endif
