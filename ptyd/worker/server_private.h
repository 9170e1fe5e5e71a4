/* server_private.h - what server.c, which has the connections, client.c, which serves one,
 * client_write.c, which writes to it, and crowd.c, which bounds them all, share. */
#ifndef PTYD_WORKER_SERVER_PRIVATE_H
#define PTYD_WORKER_SERVER_PRIVATE_H

#include "ptyd/worker/server.h"

#include "base/limits.h"
#include "ptyd/core/lines.h"
#include "ptyd/worker/crowd.h"

struct client {
    struct server *server;
    LIST_ENTRY(client) others; /* the server's */
    uv_pipe_t pipe;
    struct lines lines;
    struct turn turn; /* in which its next request is done */
    LIST_HEAD(, errand) errands;
    struct stream *stream;    /* a reply that is being made, or NULL */
    struct bytes held;        /* lines that follow it */
    size_t sending;           /* bytes allocated for what is queued */
    size_t asking;            /* bytes of the request that is being done */
    pid_t pid;                /* of the peer */
    unsigned long long began; /* peer_began() of that, as it was accepted */
    bool closing;
    bool reading;
    bool sated;   /* too much is queued: nothing that adds to it is done */
    bool behind;  /* it asks for more than is read at once, or done in a turn */
    bool telling; /* its errands are told that there is room */

    size_t counted;   /* the crowd's: bytes it holds, as counted last */
    size_t waits;     /* bytes of its errands */
    size_t unsent;    /* when it was looked at last */
    int64_t moved_ms; /* when something came or went last, monotonic */
    int64_t over_ms;  /* since when it holds more than its share; 0: it does not */

    bool brief;          /* beyond the limit */
    bool asked;          /* being brief: its request is here */
    bool answered;       /* being brief: closed once this is written */
    int64_t deadline_ms; /* being brief, monotonic: to ask, then to read the answer; 0 between */
};

struct server {
    uv_loop_t *loop;
    struct turns *turns;
    const struct server_handler *handler;
    struct worker *worker;
    uv_pipe_t listener;
    LIST_HEAD(, client) clients;
    struct crowd crowd;
    int count, limit;       /* count: the brief ones, too */
    int brief;              /* how many of them are */
    uv_timer_t brief_timer; /* runs while there are any */
    int open_handles;
    bool waiting; /* a connection that finds no room: until it is accepted none is polled for */
    bool closing;
    char buffer[LIMIT_CLIENT_SHARE]; /* what is read is taken out of it at once */
};

/* ---- client.c ---- */

/* Reads its requests from now on. */
void client_start_reading(struct client *client);
void client_close(struct client *client);
/* Something came, went or was done: goes on with whatever may go on now, and with nothing else.
 * Does no work itself. */
void client_settle(struct client *client);
/* The same where there is room again. */
void client_relieve(struct client *client);
/* Whether a request of its may be done, as far as it is concerned. */
bool client_has_work(struct client *client);
/* Its errands hear that all was sent. */
void client_tell_sent(struct client *client);

/* ---- client_write.c ---- */

/* Bytes that wait in its socket's queue. */
size_t client_unsent(const struct client *client);
/* Bytes of memory that it holds, but for what it waits for. */
size_t client_holds(const struct client *client);
/* Its stream ends, as it is. */
void client_end_stream(struct client *client);

/* ---- server.c ---- */

/* It ends: it is none of the server's any more; and its place is another's. */
void server_forget(struct client *client);
void server_fill(struct server *server);

#endif
