#include "ptyd/worker/close.h"

#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/worker.h"

/* The session leaves the table in the next turn of the loop: it is in the middle of telling. */
static void on_time(uv_timer_t *timer)
{
    struct task *t = timer->data;
    struct session *session = t->session;
    struct worker *worker = client_worker(t->client);
    client_reply(t->client, t->id, json_pack("{s:s}", "closed", session_name(session)));
    task_end(t);
    worker_forget(worker, session);
}

static void on_exited(struct watcher *w, int status)
{
    (void)status;
    uv_timer_start(&task_of(w)->timer, on_time, 0, 0);
}

/* Somebody else's request, or a new shell of its name, was faster. */
static void on_gone(struct watcher *w)
{
    struct task *t = task_of(w);
    client_fail(t->client, t->id, RPC_NO_SESSION, "session %s was closed",
                session_called(t->session));
    t->session = NULL;
    task_end(t);
}

void close_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "name", "");
    struct session *session = worker_session(client, id, params);
    if (!session)
        return;
    struct task *t = memory_new(sizeof *t);
    *t = (struct task){.watcher = {.exited = on_exited, .gone = on_gone}};
    task_begin(t, client, id);
    task_watch(t, session);
    if (session_exited(session))
        uv_timer_start(&t->timer, on_time, 0, 0);
    else
        worker_tell(client_worker(client), WIRE_CLOSE, name, NULL, 0);
}
