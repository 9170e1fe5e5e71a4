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
#include "ptyd/worker/worker.h"

#define REDRAW_MS 50

struct view {
    struct errand errand; /* first: cancel() gets it */
    struct watcher watcher;
    struct view *next;
    struct client *client;
    struct session *session;
    int cols, rows; /* of the outer terminal */
    bool looks;     /* types nothing */
    bool owns;      /* the session ends with it */
    bool stale;     /* it must be redrawn */
    char *cwd;      /* told last, NULL before */
    struct bytes output;
    uv_timer_t timer;
};

static struct view *all;

static struct view *of_watcher(struct watcher *w)
{
    return (struct view *)((char *)w - offsetof(struct view, watcher));
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct view *v = handle->data;
    bytes_finish(&v->output);
    free(v->cwd);
    free(v);
}

static void finish(struct view *v)
{
    for (struct view **at = &all; *at; at = &(*at)->next)
        if (*at == v) {
            *at = v->next;
            break;
        }
    if (v->session)
        session_unwatch(v->session, &v->watcher);
    client_remove_errand(v->client, &v->errand);
    uv_close((uv_handle_t *)&v->timer, on_timer_closed);
}

static void send_output(struct view *v)
{
    struct bytes text = {0};
    if (!v->output.len)
        return;
    base64_encode(v->output.data, v->output.len, &text);
    client_notify(v->client, "view.output", json_pack("{s:s}", "data", text.data));
    bytes_finish(&text);
    v->output.len = 0;
}

static bool fits(const struct view *v)
{
    const struct terminal *t = session_terminal(v->session);
    return v->cols == terminal_cols(t) && v->rows == terminal_rows(t);
}

static void redraw(struct view *v)
{
    v->output.len = 0;
    v->stale = false;
    /* A smaller outer terminal must not wrap what it cannot show. */
    bytes_append_text(&v->output, fits(v) ? "" : "\x1b[?7l\x1b[2J");
    terminal_redraw(session_terminal(v->session), &v->output);
    send_output(v);
}

static void on_redraw_time(uv_timer_t *timer)
{
    struct view *v = timer->data;
    if (client_queued(v->client) > LIMIT_CLIENT_QUEUE / 4)
        uv_timer_start(&v->timer, on_redraw_time, REDRAW_MS, 0);
    else
        redraw(v);
}

static void make_stale(struct view *v)
{
    v->output.len = 0;
    v->stale = true;
    if (!uv_is_active((uv_handle_t *)&v->timer))
        uv_timer_start(&v->timer, on_redraw_time, REDRAW_MS, 0);
}

static void on_display(struct watcher *w, const char *bytes, size_t len)
{
    struct view *v = of_watcher(w);
    if (!v->stale)
        bytes_append(&v->output, bytes, len);
}

static void on_drained(struct watcher *w)
{
    struct view *v = of_watcher(w);
    if (v->stale)
        return;
    if (!fits(v) || client_queued(v->client) > LIMIT_CLIENT_QUEUE)
        make_stale(v);
    else
        send_output(v);
}

/* Its process goes along, so that what the outer terminal opens next opens there. */
static void on_prompt(struct watcher *w)
{
    struct view *v = of_watcher(w);
    const char *cwd = tracker_cwd(session_tracker(v->session));
    if (v->cwd && !strcmp(v->cwd, cwd))
        return;
    free(v->cwd);
    v->cwd = text_copy(cwd);
    client_notify(v->client, "view.cwd", json_pack("{s:s}", "cwd", cwd));
}

static void on_resized(struct watcher *w)
{
    make_stale(of_watcher(w));
}

static void on_exited(struct watcher *w, int status)
{
    struct view *v = of_watcher(w);
    if (v->stale)
        redraw(v);
    send_output(v);
    client_notify(v->client, "view.end", json_pack("{s:i}", "exit_status", status));
    finish(v);
}

static void on_gone(struct watcher *w)
{
    struct view *v = of_watcher(w);
    v->session = NULL;
    client_notify(v->client, "view.end", json_pack("{s:n}", "exit_status"));
    finish(v);
}

static void on_cancel(struct errand *errand)
{
    struct view *v = (struct view *)errand;
    if (v->owns && v->session)
        worker_tell(client_worker(v->client), WIRE_CLOSE, session_name(v->session), NULL, 0);
    finish(v);
}

bool view_read_size(const json_t *params, int *ret_cols, int *ret_rows)
{
    const json_t *size = json_object_get(params, "size");
    long long cols = json_number(size, "cols", 0), rows = json_number(size, "rows", 0);
    if (cols < 1 || rows < 1 || cols > LIMIT_SIZE_ASKED || rows > LIMIT_SIZE_ASKED)
        return false;
    *ret_cols = (int)cols;
    *ret_rows = (int)rows;
    return true;
}

void view_attach_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *worker = client_worker(client);
    const char *name = json_text(params, "name", NULL);
    struct session *session = name ? worker_find(worker, name) : NULL;
    int cols, rows;
    if (!session || session_exited(session)) {
        client_fail(client, id, RPC_NO_SESSION, "session %s does not run; `ptyd open %s` starts it",
                    name ? name : "", name ? name : "NAME");
        return;
    }
    if (!view_read_size(params, &cols, &rows)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "size is {cols, rows}");
        return;
    }
    struct view *v = memory_new(sizeof *v);
    *v = (struct view){
        .errand = {.cancel = on_cancel},
        .watcher = {.display = on_display,
                    .drained = on_drained,
                    .resized = on_resized,
                    .prompt = on_prompt,
                    .exited = on_exited,
                    .gone = on_gone},
        .next = all,
        .client = client,
        .session = session,
        .cols = cols,
        .rows = rows,
        .looks = json_flag(params, "view"),
        .owns = json_flag(params, "owns"),
    };
    all = v;
    uv_timer_init(&worker->loop, &v->timer);
    v->timer.data = v;
    client_add_errand(client, &v->errand);
    client_reply(client, id, json_pack("{s:o}", "session", session_json(session)));
    if (!v->looks)
        session_resize(session, cols, rows);
    session_watch(session, &v->watcher);
    redraw(v);
    on_prompt(&v->watcher);
}

static struct view *view_of(const struct client *client)
{
    for (struct view *v = all; v; v = v->next)
        if (v->client == client)
            return v;
    return NULL;
}

void view_answer_input(struct client *client, const json_t *id, const struct session *s, bool typed)
{
    if (typed)
        client_reply(client, id, json_object());
    else
        client_fail(client, id, RPC_BUSY,
                    "nothing was typed: session %s does not read; there is room for %zu bytes, for "
                    "more once it reads",
                    session_name(s), session_input_room(s));
}

void view_input_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of(client);
    const json_t *data = json_object_get(params, "data");
    struct bytes bytes = {0};
    if (!v || !json_is_string(data) ||
        base64_decode(json_string_value(data), json_string_length(data), &bytes) < 0) {
        client_fail(client, id, RPC_INVALID_PARAMS, "not attached, or data is no base64");
    } else {
        if (!v->looks && !fits(v))
            session_resize(v->session, v->cols, v->rows);
        bool typed = v->looks || session_input(v->session, bytes.data, bytes.len);
        view_answer_input(client, id, v->session, typed);
    }
    bytes_finish(&bytes);
}

void view_leave_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of(client);
    (void)params;
    if (v) {
        v->owns = false;
        finish(v);
    }
    client_reply(client, id, json_object());
}

void view_resize_call(struct client *client, const json_t *id, const json_t *params)
{
    struct view *v = view_of(client);
    int cols, rows;
    if (!v || !view_read_size(params, &cols, &rows)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "not attached, or size is not {cols, rows}");
        return;
    }
    v->cols = cols;
    v->rows = rows;
    if (!v->looks)
        session_resize(v->session, cols, rows);
    make_stale(v);
    client_reply(client, id, json_object());
}
