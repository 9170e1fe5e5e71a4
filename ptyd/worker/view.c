/* A view of the session's own size gets the program's bytes as they come (filtered by the parser);
 * one of another size, or one that did not keep up, gets the whole screen, at most every
 * REDRAW_MS. The session takes the size of the view that typed last. */
#include "ptyd/worker/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/type.h"
#include "ptyd/worker/worker.h"

#define REDRAW_MS 50

struct view {
    struct task task;
    int cols, rows; /* of the outer terminal */
    bool looks;     /* types nothing */
    bool owns;      /* the session ends with it */
    bool stale;     /* it must be redrawn */
    char *cwd;      /* told last, NULL before */
    struct bytes output;
};

static struct task *all;

static struct view *view_of(struct watcher *w)
{
    return (struct view *)task_of(w);
}

static void on_finish(struct task *t)
{
    struct view *v = (struct view *)t;
    bytes_finish(&v->output);
    free(v->cwd);
}

static void send_output(struct view *v)
{
    struct bytes text = {0};
    if (!v->output.len)
        return;
    base64_encode(v->output.data, v->output.len, &text);
    client_notify(v->task.client, "view.output", json_pack("{s:s}", "data", text.data));
    bytes_finish(&text);
    v->output.len = 0;
}

static bool fits(const struct view *v)
{
    const struct terminal *t = session_terminal(v->task.session);
    return v->cols == terminal_cols(t) && v->rows == terminal_rows(t);
}

static void redraw(struct view *v)
{
    v->output.len = 0;
    v->stale = false;
    /* A smaller outer terminal must not wrap what it cannot show. */
    bytes_append_text(&v->output, fits(v) ? "" : "\x1b[?7l\x1b[2J");
    struct board_place before = worker_looks_at(v->task.session);
    terminal_redraw(session_terminal(v->task.session), &v->output);
    board_leave(&before);
    send_output(v);
}

static void on_redraw_time(uv_timer_t *timer)
{
    struct view *v = timer->data;
    if (client_queued(v->task.client) > LIMIT_CLIENT_QUEUE / 4)
        uv_timer_start(&v->task.timer, on_redraw_time, REDRAW_MS, 0);
    else
        redraw(v);
}

static void make_stale(struct view *v)
{
    v->output.len = 0;
    v->stale = true;
    if (!uv_is_active((uv_handle_t *)&v->task.timer))
        uv_timer_start(&v->task.timer, on_redraw_time, REDRAW_MS, 0);
}

static void on_display(struct watcher *w, const char *bytes, size_t len, uint64_t offset)
{
    struct view *v = view_of(w);
    (void)offset;
    if (!v->stale)
        bytes_append(&v->output, bytes, len);
}

static void on_drained(struct watcher *w)
{
    struct view *v = view_of(w);
    if (v->stale)
        return;
    if (!fits(v) || client_queued(v->task.client) > LIMIT_CLIENT_QUEUE)
        make_stale(v);
    else
        send_output(v);
}

/* Its process goes along, so that what the outer terminal opens next opens there. */
static void on_prompt(struct watcher *w)
{
    struct view *v = view_of(w);
    const char *cwd = tracker_cwd(session_tracker(v->task.session));
    if (v->cwd && !strcmp(v->cwd, cwd))
        return;
    free(v->cwd);
    v->cwd = text_copy(cwd);
    client_notify(v->task.client, "view.cwd", json_pack("{s:s}", "cwd", cwd));
}

static void on_resized(struct watcher *w)
{
    make_stale(view_of(w));
}

static void on_exited(struct watcher *w, int status)
{
    struct view *v = view_of(w);
    if (v->stale)
        redraw(v);
    send_output(v);
    client_notify(v->task.client, "view.end", json_pack("{s:i}", "exit_status", status));
    task_end(&v->task);
}

static void on_gone(struct watcher *w)
{
    struct view *v = view_of(w);
    v->task.session = NULL;
    client_notify(v->task.client, "view.end", json_pack("{s:n}", "exit_status"));
    task_end(&v->task);
}

static void on_cancel(struct errand *errand)
{
    struct view *v = (struct view *)errand;
    if (v->owns && v->task.session && session_is_owned(v->task.session))
        worker_tell(client_worker(v->task.client), WIRE_CLOSE, session_name(v->task.session), NULL,
                    0);
    task_end(&v->task);
}

/* Whoever was attached to a former worker hears what this one told nobody. */
static void tell_end(struct client *client, const json_t *id, const struct session *session)
{
    client_reply(client, id, json_pack("{s:o}", "session", session_json(session)));
    client_notify(client, "view.end",
                  json_pack("{s:i}", "exit_status", session_exit_status(session)));
}

void view_attach_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *session = worker_find(client_worker(client), json_text(params, "name", ""));
    int cols, rows;
    if (session && session_exited(session) && json_flag(params, "again")) {
        tell_end(client, id, session);
        return;
    }
    session = worker_live_session(client, id, params);
    if (!session)
        return;
    if (!worker_read_size(params, &cols, &rows)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "size is {cols, rows}");
        return;
    }
    struct view *v = memory_new(sizeof *v);
    *v = (struct view){
        .task = {.errand = {.cancel = on_cancel},
                 .watcher = {.display = on_display,
                             .drained = on_drained,
                             .resized = on_resized,
                             .prompt = on_prompt,
                             .exited = on_exited,
                             .gone = on_gone},
                 .list = &all,
                 .finish = on_finish},
        .cols = cols,
        .rows = rows,
        .looks = json_flag(params, "view"),
        .owns = json_flag(params, "owns"),
    };
    task_begin(&v->task, client, id);
    client_reply(client, id, json_pack("{s:o}", "session", session_json(session)));
    if (!v->looks)
        session_resize(session, cols, rows);
    task_watch(&v->task, session);
    if (v->owns)
        terminals_came(client_worker(client), session);
    redraw(v);
    on_prompt(&v->task.watcher);
}

static struct view *view_of_client(const struct client *client)
{
    struct task *t = all;
    while (t && t->client != client)
        t = t->next;
    return (struct view *)t;
}

void view_input_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of_client(client);
    if (!v) {
        client_fail(client, id, RPC_INVALID_PARAMS, "not attached");
    } else if (v->looks) {
        client_reply(client, id, json_pack("{s:i}", "typed", 0));
    } else {
        if (!fits(v))
            session_resize(v->task.session, v->cols, v->rows);
        type_data(client, id, params, v->task.session);
    }
}

void view_leave_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of_client(client);
    (void)params;
    if (v && v->owns)
        session_leave(v->task.session);
    if (v)
        task_end(&v->task);
    client_reply(client, id, json_object());
}

void view_resize_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of_client(client);
    int cols, rows;
    if (!v || !worker_read_size(params, &cols, &rows)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "not attached, or size is not {cols, rows}");
        return;
    }
    v->cols = cols;
    v->rows = rows;
    if (!v->looks)
        session_resize(v->task.session, cols, rows);
    make_stale(v);
    client_reply(client, id, json_object());
}
