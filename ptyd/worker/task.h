/* task.h - a request that goes on behind its method's call: an attached view, a `run`, an `open` or
 * `close` that waits. It ends with its connection at the latest. */
#ifndef PTYD_WORKER_TASK_H
#define PTYD_WORKER_TASK_H

#include "ptyd/session/session.h"
#include "ptyd/worker/server.h"

LIST_HEAD(task_list, task);

/* The first member of its owner's struct, which is one allocation. */
struct task {
    struct errand errand; /* first: what the connection cancels is the task */
    struct watcher watcher;
    struct task_list *list; /* where it is found meanwhile; NULL for nowhere */
    LIST_ENTRY(task) others;
    struct client *client;
    struct session *session;           /* watched; NULL before, and when it is gone */
    json_t *id;                        /* of the request */
    uv_timer_t timer;                  /* its owner's to start; its data is the task */
    void (*finish)(struct task *task); /* frees what its owner holds besides; or NULL */
};

/* Begins it for a request. The owner has set `watcher`, `list` and `finish`, and `errand.cancel`
 * where more is to be done than task_end() when the connection ends first. */
void task_begin(struct task *task, struct client *client, const json_t *id);

/* From now on it watches the session. A watcher's `gone` sets `session` to NULL before it ends the
 * task. */
void task_watch(struct task *task, struct session *session);

/* Ends it; the owner's struct is freed when the timer is closed, later in the loop. */
void task_end(struct task *task);

/* The task whose watcher this is. */
struct task *task_of(struct watcher *watcher);

#endif
