/* server.h - the control socket: JSON-RPC 2.0, one message a line (ptyd-rpc(7)). */
#ifndef PTYD_WORKER_SERVER_H
#define PTYD_WORKER_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <uv.h>

#include "base/bytes.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/turns.h"

struct client;
struct server;
struct worker;

/* Who works for the connections. */
struct server_handler {
    /* A request: `params` is an object; replies now or later. */
    void (*call)(struct client *client, const char *method, const json_t *id, const json_t *params);
    /* A connection ends: what its requests hold is given back. */
    void (*gone)(struct client *client);
    /* Whether there are descriptors for one more connection that stays. */
    bool (*has_room)(struct worker *worker);
    /* There is one connection more or less. */
    void (*count_changed)(struct worker *worker);
};

/* Serves the listening socket `fd`, which becomes the server's. `worker` is whose clients they are,
 * `turns` those of the loop. NULL with errno on failure. */
struct server *server_create(uv_loop_t *loop, struct turns *turns, int fd,
                             const struct server_handler *handler, struct worker *worker);
/* Closes every connection; what is queued is still written as far as it goes at once. */
void server_close(struct server *server);
int server_client_count(const struct server *server);

/* Something that lives as long as a connection or less: an attached view, a `run`. */
struct errand {
    LIST_ENTRY(errand) others; /* the connection's */
    size_t bytes;              /* the server's: what it counts for */
    /* The connection is gone: end and free it. */
    void (*cancel)(struct errand *errand);
    /* Nothing waits to be sent to it any more, or there is room again (client_takes_more()); may be
     * NULL. May end it, and no other. */
    void (*sent)(struct errand *errand);
};
void client_add_errand(struct client *client, struct errand *errand);
void client_remove_errand(struct client *client, struct errand *errand);

/* The process at the other end. */
pid_t client_pid(const struct client *client);

/* How its process is more confined than the daemon (peer.h); NULL for not at all. */
const char *client_confinement(const struct client *client);

struct worker *client_worker(const struct client *client);

/* Whether it is one beyond what there may be: it is closed behind the answer to its first request,
 * which is not to stay. client_refuse() answers one that would. */
bool client_is_brief(const struct client *client);
void client_refuse(struct client *client, const json_t *id, const char *method);

/* Whether its requests wait for so much that no further one may wait (LIMIT_CLIENT_WAIT_BYTES). */
bool client_is_laden(const struct client *client);

/* Sends a notification; steals `params`. */
void client_notify(struct client *client, const char *method, json_t *params);

/* Answers a request; each steals its value. `id` is borrowed; without one nothing is sent. */
void client_reply(struct client *client, const json_t *id, json_t *result);
/* The same with a descriptor beside it, which it closes. What is to be passed cannot wait: with
 * more than this unsent to the client it fails. */
void client_reply_passing(struct client *client, const json_t *id, json_t *result, int fd);
/* The same for a result that is JSON text already, on one line; takes it out of `result`. */
void client_reply_text(struct client *client, const json_t *id, struct bytes *result);
void client_fail(struct client *client, const json_t *id, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with the error's `data`. */
void client_fail_with(struct client *client, const json_t *id, int code, json_t *data,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A reply that is made in pieces, by turns, while the client takes it. Embedded in its owner. */
struct stream {
    /* Appends some more of the result's JSON, for about `bytes` of work; returns whether there is
     * more. */
    bool (*piece)(struct stream *stream, size_t bytes, struct bytes *out);
    /* It is over, or its connection is: frees it. */
    void (*finish)(struct stream *stream);
    /* Bytes of memory that it holds meanwhile; NULL for few. */
    size_t (*holds)(const struct stream *stream);
    bool notifies; /* what it appends are whole lines, and no reply's (client_stream_lines) */
    struct client *client; /* the server's */
    struct turn turn;      /* the server's */
};

/* Answers a request with it. Until its end the client's other requests wait, and what is sent to it
 * meanwhile follows. */
void client_stream(struct client *client, const json_t *id, struct stream *stream);
/* The same with notifications (client_append_notification()). */
void client_stream_lines(struct client *client, struct stream *stream);
/* Steals `params`. */
void client_append_notification(struct bytes *out, const char *method, json_t *params);

/* Whether it stands behind what is being streamed, then how many bytes do; else how many are
 * unsent. */
size_t client_behind(const struct client *client);

/* Bytes queued and not sent yet. */
size_t client_queued(const struct client *client);

/* Whether there is room for more that it did not ask for just now; else that waits for the errand's
 * `sent`, or is left out. */
bool client_takes_more(const struct client *client);

#endif
