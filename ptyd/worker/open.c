#define _GNU_SOURCE
#include "ptyd/worker/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/start/start.h"
#include "ptyd/worker/worker.h"

/* A request that waits. All of them are in one list, so that a spawn's answer finds its own. */
struct waiting {
    struct errand errand; /* first: cancel() gets it */
    struct watcher watcher;
    struct waiting *next;
    struct client *client;
    json_t *id;
    char *name;
    struct session *session; /* watched, or NULL before it is there */
    bool closes;             /* waits for the end, not for the prompt */
    uv_timer_t timer;
};

static struct waiting *all;

static struct waiting *of_watcher(struct watcher *w)
{
    return (struct waiting *)((char *)w - offsetof(struct waiting, watcher));
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct waiting *q = handle->data;
    json_decref(q->id);
    free(q->name);
    free(q);
}

static void finish(struct waiting *q)
{
    for (struct waiting **at = &all; *at; at = &(*at)->next)
        if (*at == q) {
            *at = q->next;
            break;
        }
    if (q->session)
        session_unwatch(q->session, &q->watcher);
    client_remove_errand(q->client, &q->errand);
    uv_close((uv_handle_t *)&q->timer, on_timer_closed);
}

static void on_cancel(struct errand *errand)
{
    finish((struct waiting *)errand);
}

static void reply_open(struct waiting *q, bool created)
{
    client_reply(q->client, q->id,
                 json_pack("{s:o, s:b}", "session", session_json(q->session), "created", created));
    finish(q);
}

static void on_prompt(struct watcher *w)
{
    struct waiting *q = of_watcher(w);
    if (!q->closes)
        reply_open(q, true);
}

/* The session leaves the table in the next turn of the loop: it is in the middle of telling. */
static void on_late_close(uv_timer_t *timer)
{
    struct waiting *q = timer->data;
    struct session *session = q->session;
    struct worker *worker = client_worker(q->client);
    client_reply(q->client, q->id, json_pack("{s:s}", "closed", q->name));
    finish(q);
    worker_remove(worker, session);
    worker_check_idle(worker);
}

static void on_exited(struct watcher *w, int status)
{
    struct waiting *q = of_watcher(w);
    (void)status;
    if (q->closes)
        uv_timer_start(&q->timer, on_late_close, 0, 0);
    else
        reply_open(q, true);
}

static void on_gone(struct watcher *w)
{
    struct waiting *q = of_watcher(w);
    q->session = NULL;
    client_fail(q->client, q->id, RPC_NO_SESSION, "session %s was closed", q->name);
    finish(q);
}

static void on_timeout(uv_timer_t *timer)
{
    struct waiting *q = timer->data;
    if (q->session)
        reply_open(q, true);
}

static struct waiting *make(struct client *client, const json_t *id, const char *name, bool closes)
{
    struct waiting *q = memory_new(sizeof *q);
    *q = (struct waiting){
        .errand = {.cancel = on_cancel},
        .watcher = {.prompt = on_prompt,
                    .maybe_prompt = on_prompt,
                    .exited = on_exited,
                    .gone = on_gone},
        .next = all,
        .client = client,
        .id = json_incref((json_t *)id),
        .name = text_copy(name),
        .closes = closes,
    };
    all = q;
    uv_timer_init(&client_worker(client)->loop, &q->timer);
    q->timer.data = q;
    client_add_errand(client, &q->errand);
    return q;
}

static void watch(struct waiting *q, struct session *session)
{
    q->session = session;
    session_watch(session, &q->watcher);
}

/* ---- opening ---- */

static int spawn(struct worker *worker, const char *name, const json_t *params)
{
    const json_t *size = json_object_get(params, "size");
    int fds[2];
    int result = shells_prepare(
        &(struct shell_request){
            .name = name,
            .shell = json_text(params, "shell", NULL),
            .runtime = worker->options->runtime,
            .cwd = json_text(params, "cwd", NULL),
            .argv = json_object_get(params, "argv"),
            .env = json_object_get(params, "env"),
            .cols = limit_size((int)json_number(size, "cols", LIMIT_COLS_DEFAULT)),
            .rows = limit_size((int)json_number(size, "rows", LIMIT_ROWS_DEFAULT)),
            .umask = (unsigned)json_number(params, "umask", 022) & 0777,
            .login = json_flag(params, "login"),
        },
        fds);
    if (result < 0)
        return result;
    worker_tell(worker, WIRE_SPAWN, name, fds, 2);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

static bool is_word_list(const json_t *list)
{
    size_t i;
    json_t *word;
    if (list && !json_is_array(list))
        return false;
    json_array_foreach(list, i, word)
        if (!json_is_string(word) || json_string_length(word) != strlen(json_string_value(word)))
            return false;
    return true;
}

static bool is_being_opened(const char *name, const struct waiting *except)
{
    for (const struct waiting *q = all; q; q = q->next)
        if (q != except && !q->closes && !q->session && !strcmp(q->name, name))
            return true;
    return false;
}

void open_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *worker = client_worker(client);
    const char *name = json_text(params, "name", NULL);
    if (!name || !text_is_name(name) || !is_word_list(json_object_get(params, "argv"))) {
        client_fail(client, id, RPC_INVALID_PARAMS,
                    "a session needs a name of letters, digits, "
                    ". _ - and argv, if any, as strings");
        return;
    }
    struct session *session = worker_find(worker, name);
    if (session && !session_exited(session)) {
        client_reply(client, id,
                     json_pack("{s:o, s:b}", "session", session_json(session), "created", false));
        return;
    }
    struct waiting *q = make(client, id, name, false);
    int result = is_being_opened(name, q) ? 0 : spawn(worker, name, params);
    if (result == -E2BIG)
        client_fail(client, id, RPC_INVALID_PARAMS, "the environment is larger than %d bytes",
                    LIMIT_ENVIRONMENT_BYTES);
    else if (result < 0)
        client_fail(client, id, RPC_FAILED, "cannot prepare session %s: %s", name,
                    strerror(-result));
    if (result < 0)
        finish(q);
}

void open_spawned(struct worker *worker, const char *name, int error)
{
    struct session *session = worker_find(worker, name);
    for (struct waiting *q = all, *next; q; q = next) {
        next = q->next;
        if (q->closes || q->session || strcmp(q->name, name))
            continue;
        if (error || !session) {
            client_fail(q->client, q->id, RPC_FAILED, "cannot start session %s: %s%s", name,
                        error ? strerror(error) : "its files cannot be opened",
                        error == ENOENT || error == EACCES
                            ? "; --shell or -- ARGV names what to start"
                            : "");
            finish(q);
            continue;
        }
        watch(q, session);
        enum tracker_state state = tracker_state(session_tracker(session));
        if (state == TRACKER_INPUT)
            reply_open(q, true);
        else
            uv_timer_start(&q->timer, on_timeout, LIMIT_FIRST_PROMPT_MS, 0);
    }
}

/* ---- closing ---- */

void close_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *worker = client_worker(client);
    const char *name = json_text(params, "name", NULL);
    struct session *session = name ? worker_find(worker, name) : NULL;
    if (!session) {
        client_fail(client, id, RPC_NO_SESSION, "there is no session %s; `ptyd list` shows them",
                    name ? name : "");
        return;
    }
    struct waiting *q = make(client, id, name, true);
    watch(q, session);
    if (session_exited(session))
        uv_timer_start(&q->timer, on_late_close, 0, 0);
    else
        worker_tell(worker, WIRE_CLOSE, name, NULL, 0);
}
