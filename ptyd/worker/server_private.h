/* server_private.h - what server.c, which has the connections, and client.c, which serves one,
 * share. */
#ifndef PTYD_WORKER_SERVER_PRIVATE_H
#define PTYD_WORKER_SERVER_PRIVATE_H

#include "ptyd/worker/server.h"

#include "ptyd/core/lines.h"

struct client {
    struct server *server;
    struct client *next;
    uv_pipe_t pipe;
    struct lines lines;
    struct errand *errands;
    struct stream *stream;    /* a reply that is being made, or NULL */
    struct bytes held;        /* lines that follow it */
    pid_t pid;                /* of the peer */
    unsigned long long began; /* peer_began() of that, as it was accepted */
    bool closing;
    bool paused;  /* not read from: too much is queued */
    bool working; /* inside its own requests: do not read them again */

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
    struct client *clients;
    int count, limit;       /* count: the brief ones, too */
    int brief;              /* how many of them are */
    uv_timer_t brief_timer; /* runs while there are any */
    int open_handles;
    bool waiting; /* a connection that finds no room: until it is accepted none is polled for */
    bool closing;
    char buffer[1 << 16]; /* what is read is taken out of it at once */
};

/* Reads its requests from now on. */
void client_start_reading(struct client *client);
void client_close(struct client *client);
/* It ends: it is none of the server's any more; and its place is another's. */
void server_forget(const struct client *client);
void server_fill(struct server *server);

#endif
