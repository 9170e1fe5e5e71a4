/* worker.h - the process that serves: sessions, clients, context. */
#ifndef PTYD_WORKER_WORKER_H
#define PTYD_WORKER_WORKER_H

#include <stdbool.h>
#include <uv.h>

#include "base/limits.h"
#include "ptyd/core/tracker.h"
#include "ptyd/keeper/wire.h"
#include "ptyd/session/session.h"

struct context;
struct follower;
struct server;

struct worker_options {
    char *state;     /* state directory */
    char *runtime;   /* for what shells read when they start; beside the socket */
    bool auto_ended; /* started by a command: leaves when nobody needs it */
};

/* Taken of a session at once; then others have their turn. */
#define SCRATCH_BYTES (64 * 1024)

struct worker {
    const struct worker_options *options;
    uv_loop_t loop;
    int link; /* to the keeper */
    uv_poll_t link_poll;
    uv_timer_t idle_timer;
    struct server *server;
    struct context *context;
    struct follower *followers; /* of events */
    struct session *sessions[LIMIT_SESSIONS];
    int session_count;
    int64_t started_ms; /* monotonic */
    bool handed_over;
    char scratch[SCRATCH_BYTES]; /* bytes on their way through a terminal */
};

/* Runs the worker on the keeper's socket until it closes; `user` is a struct worker_options. The
 * exit status. */
int worker_main(int socket, void *user);

struct session *worker_find(struct worker *w, const char *name);

/* Sends to the keeper. */
void worker_tell(struct worker *w, enum wire_type type, const char *name, const int *fds,
                 int count);

/* Sessions or clients changed: an idle daemon that was started by itself may leave. */
void worker_check_idle(struct worker *w);

#endif
