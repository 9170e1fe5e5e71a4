#include "ptyd/worker/task.h"

#include <stdlib.h>

#include "ptyd/worker/worker.h"

static void on_cancel(struct errand *errand)
{
    task_end((struct task *)errand);
}

void task_begin(struct task *t, struct client *client, const json_t *id)
{
    t->client = client;
    t->id = json_incref((json_t *)id);
    if (!t->errand.cancel)
        t->errand.cancel = on_cancel;
    if (t->list)
        LIST_INSERT_HEAD(t->list, t, others);
    uv_timer_init(&client_worker(client)->loop, &t->timer);
    t->timer.data = t;
    client_add_errand(client, &t->errand);
}

void task_watch(struct task *t, struct session *session)
{
    t->session = session;
    session_watch(session, &t->watcher);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct task *t = handle->data;
    if (t->finish)
        t->finish(t);
    json_decref(t->id);
    free(t);
}

void task_end(struct task *t)
{
    if (t->list)
        LIST_REMOVE(t, others);
    if (t->session)
        session_unwatch(t->session, &t->watcher);
    client_remove_errand(t->client, &t->errand);
    uv_close((uv_handle_t *)&t->timer, on_timer_closed);
}

struct task *task_of(struct watcher *w)
{
    return (struct task *)((char *)w - offsetof(struct task, watcher));
}
