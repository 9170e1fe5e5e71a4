/* worker.h - the process that serves: sessions, clients, context. */
#ifndef PTYD_WORKER_WORKER_H
#define PTYD_WORKER_WORKER_H

#include <stdbool.h>
#include <uv.h>

#include "base/limits.h"
#include "ptyd/core/turns.h"
#include "ptyd/keeper/outcome.h"
#include "ptyd/keeper/wire.h"
#include "ptyd/session/session.h"
#include "ptyd/worker/task.h"

struct client;
struct follower;
struct forgetting;
struct hosts;
struct leaving;
struct ledger;
struct names;
struct redacting;
struct retention;
struct link;
struct server;
struct spares;

struct worker_options {
    char *state;            /* state directory */
    char *path;             /* of the program on disk */
    char *runtime;          /* for what shells read when they start; beside the socket */
    bool auto_ended;        /* started by a command: leaves when nobody needs it */
    struct conf_file *conf; /* the user's settings */
};

struct worker {
    const struct worker_options *options;
    uv_loop_t loop;
    struct link *link; /* to the keeper */
    uv_timer_t idle_timer;
    uv_timer_t leaders_timer; /* until those that led come back behind a worker's death */
    uv_check_t turning;       /* runs while anybody stands in line for a turn */
    uv_idle_t awake;          /* meanwhile: the loop polls and does not wait */
    struct turns turns;
    struct server *server;
    struct ledger *ledger;
    struct hosts *hosts;         /* what ran on others */
    struct retention *retention; /* of closed sessions; NULL until clients are served */
    struct forgetting *forgetting;
    struct redacting *redacting;
    struct terminals *terminals;     /* whose sessions are theirs */
    struct names *names;             /* that sessions were given */
    struct spares *spares;           /* for the next session; NULL until clients are served */
    LIST_HEAD(, follower) followers; /* of events */
    struct outcome upgrade;          /* the last one, as the keeper said */
    struct task_list upgrade_waiters;
    struct session_host host;
    struct leaving *leaving; /* sessions that were closed, and are shown to the end */
    struct session *sessions[LIMIT_SESSIONS];
    int session_count;
    int own_files;      /* descriptors that neither sessions nor clients have */
    int64_t started_ms; /* monotonic */
    char scratch[SESSION_SCRATCH_BYTES];
};

/* Loads what workers need of libraries (base/late.h): those that are forked off from here on find
 * it, whatever becomes of the files. */
void worker_prepare(void);

/* Runs the worker on the keeper's socket until it closes; `user` is a struct worker_options. The
 * exit status. */
int worker_main(int socket, void *user);

/* ---- sessions.c ---- */

/* The settings as they are now; lines of the file that are wrong are said on stderr, once. Valid
 * until somebody asks again. */
const struct conf *worker_conf(struct worker *w);

/* The session of that name, also one that has exited; NULL for none. */
struct session *worker_find(struct worker *w, const char *name);

/* Whether it has that name; NULL means every one. */
bool worker_means(const struct session *s, const char *name);

/* Whether it is listed: a terminal's own is not when its shell has ended. And the array of those
 * that are and that `name` means, as JSON: of each an array of the members chosen, with NULL an
 * object of all. */
bool worker_lists(const struct session *s);
void worker_append_sessions(const struct worker *w, const char *name,
                            const struct session_choice *choice, struct bytes *out);

/* The session is served no more: what is held of it is written, and it is destroyed. */
void worker_remove(struct worker *w, struct session *s);
/* The same of one that has exited, for good: the keeper forgets it, too, and who still gets what it
 * missed of it is shown it to the end (leaving.h). */
void worker_forget(struct worker *w, struct session *s);

/* Sends to the keeper: `name` may be NULL, `fds` stay the caller's. What cannot be sent is said on
 * stderr. Returns 0 or -errno. */
int worker_tell(struct worker *w, enum wire_type type, const char *name, const int *fds, int count);

/* Sessions or clients changed: an idle daemon that was started by itself may leave. */
void worker_check_idle(struct worker *w);

/* Notes on the board that somebody looks at it, until board_leave(). */
struct board_place worker_looks_at(const struct session *s);

/* ---- params.c: what several methods find in their params ---- */

/* Whether there is a session of that name, or was one; where not the request is answered. */
bool worker_knows_session(struct client *client, const json_t *id, const char *name);

/* The session of params.name; NULL when there is none, and the request is answered. */
struct session *worker_session(struct client *client, const json_t *id, const json_t *params);
/* The same for one of which something can be shown; and for such a one whose shell runs. */
struct session *worker_shown_session(struct client *client, const json_t *id, const json_t *params);
struct session *worker_live_session(struct client *client, const json_t *id, const json_t *params);

/* `size` of `params`, {cols, rows, x_pixels?, y_pixels?}, whose cells the terminal clamps. Returns
 * whether it is one. */
bool worker_read_size(const json_t *params, struct session_size *ret_size);

#endif
