#define _GNU_SOURCE
#include "ptyd/worker/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/start/start.h"
#include "ptyd/worker/mending.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/spares.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/worker.h"

/* A request that waits for its session, and then for the first prompt. */
struct opening {
    struct task task;
    char *name;
    json_int_t prompt_ms; /* how long the first prompt is waited for */
    json_t *view;         /* as what the client attaches with the answer; NULL: it does not */
};

/* All of them, so that a spawn's answer finds its own. */
static struct task_list all = LIST_HEAD_INITIALIZER(all);

static const char *name_of(const struct task *t)
{
    return ((const struct opening *)t)->name;
}

static void on_finish(struct task *t)
{
    struct opening *o = (struct opening *)t;
    json_decref(o->view);
    free(o->name);
}

static void reply(struct task *t)
{
    const json_t *view = ((const struct opening *)t)->view;
    if (view)
        view_attach_opened(t->client, t->id, view);
    else
        client_reply(t->client, t->id,
                     json_pack("{s:o, s:b}", "session", session_json(t->session), "created", true));
    task_end(t);
}

static void on_prompt(struct watcher *w)
{
    reply(task_of(w));
}

static void on_exited(struct watcher *w, int status)
{
    (void)status;
    reply(task_of(w));
}

static void on_gone(struct watcher *w)
{
    struct task *t = task_of(w);
    t->session = NULL;
    client_fail(t->client, t->id, RPC_NO_SESSION, "session %s was closed", name_of(t));
    task_end(t);
}

static void on_timeout(uv_timer_t *timer)
{
    reply(timer->data);
}

/* Before a worker's death the request may have got it already, by another name: that one ends, for
 * nobody comes to show it. */
static char *name_for(struct worker *worker, const json_t *params)
{
    const char *given = json_text(params, "name", NULL);
    return !given && json_flag(params, "owns") ? terminals_new_name(worker)
                                               : text_copy(given ? given : "");
}

/* JSON is UTF-8, and the name of a directory need not be. New string. */
static char *directory_of(const json_t *params)
{
    const char *encoded = json_text(params, "cwd_base64", NULL);
    struct bytes path = {0};
    if (!encoded || base64_decode(encoded, strlen(encoded), &path) < 0 || !path.len) {
        bytes_finish(&path);
        return text_copy(json_text(params, "cwd", "/"));
    }
    char *directory = text_format("%.*s", (int)path.len, path.data);
    bytes_finish(&path);
    return directory;
}

static int spawn(struct worker *worker, const char *name, const json_t *params)
{
    struct session_size size = {.cols = LIMIT_COLS_DEFAULT, .rows = LIMIT_ROWS_DEFAULT};
    int fds[2];
    char *file;
    worker_read_size(params, &size);
    char *directory = directory_of(params);
    int result = start_prepare(
        &(struct start_request){
            .name = name,
            .shell = json_text(params, "shell", NULL),
            .runtime = worker->options->runtime,
            .cwd = directory,
            .argv = json_object_get(params, "argv"),
            .env = json_object_get(params, "env"),
            .cols = limit_size(size.cols),
            .rows = limit_size(size.rows),
            .x_pixels = size.x_pixels,
            .y_pixels = size.y_pixels,
            .umask = (unsigned)json_number(params, "umask", 022) & 0777,
            .login = json_flag(params, "login"),
            .terminal = json_flag(params, "owns"),
        },
        fds, &file);
    free(directory);
    if (result < 0)
        return result;
    result = worker_tell(worker, WIRE_SPAWN, name, fds, 2);
    start_finish(file);
    close(fds[0]);
    close(fds[1]);
    return result;
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

/* The session is not there yet, and a spawn will say whether it can be. */
static bool waits_for(const struct task *t, const char *name)
{
    return !t->session && !strcmp(name_of(t), name);
}

static bool is_waited_for(const char *name)
{
    const struct task *t;
    LIST_FOREACH(t, &all, others)
        if (waits_for(t, name))
            return true;
    return false;
}

bool open_is_under_way(const char *name)
{
    return is_waited_for(name) || mending_is_under_way(name);
}

static int count_openings(void)
{
    int count = 0;
    const struct task *t;
    LIST_FOREACH(t, &all, others)
        count += !t->session;
    return count;
}

static int count_living(const struct worker *w)
{
    int count = 0;
    for (int i = 0; i < w->session_count; i++)
        count += !session_exited(w->sessions[i]);
    return count;
}

/* One whose shell has exited keeps its place, which a new shell of its name takes. Returns whether
 * there is room; else the request is answered. */
static bool has_room(struct client *client, const json_t *id, const char *name)
{
    struct worker *w = client_worker(client);
    int openings = count_openings();
    if (count_living(w) + openings >= LIMIT_SESSIONS) {
        client_fail(client, id, RPC_BUSY,
                    "cannot open session %s: %d sessions run, the most that "
                    "there may be; close one (`ptyd close NAME`)",
                    name, LIMIT_SESSIONS);
        return false;
    }
    if (worker_find(w, name) || room_for_session(w, openings))
        return true;
    client_fail(client, id, RPC_BUSY,
                "cannot open session %s: %d sessions and %d connections leave none of the %ld "
                "descriptors that the daemon may have; close one (`ptyd close NAME`), or start the "
                "daemon with more (ulimit -n, LimitNOFILE=)",
                name, w->session_count, server_client_count(w->server), room_files());
    return false;
}

/* The terminal that it was for has given up waiting. The keeper does one thing after the other: it
 * has the session by the time it closes it. */
static void on_owner_gone(struct errand *errand)
{
    struct task *t = (struct task *)errand;
    worker_tell(client_worker(t->client), WIRE_CLOSE, name_of(t), NULL, 0);
    task_end(t);
}

/* Of what session.attach takes a viewer that is the first has this; NULL for none. */
static json_t *view_of(const char *name, const json_t *params)
{
    if (!json_flag(params, "attach"))
        return NULL;
    return json_pack("{s:s, s:O*, s:O*, s:O*, s:O*, s:O*}", "name", name, "size",
                     json_object_get(params, "size"), "owns", json_object_get(params, "owns"),
                     "last", json_object_get(params, "last"), "token",
                     json_object_get(params, "token"), "lends", json_object_get(params, "lends"));
}

static void wait_for_spawn(struct client *client, const json_t *id, const char *name,
                           const json_t *params)
{
    json_int_t prompt_ms = json_number(params, "prompt_ms", LIMIT_FIRST_PROMPT_MS);
    struct opening *o = memory_new(sizeof *o);
    *o = (struct opening){
        .task = {.watcher = {.prompt = on_prompt,
                             .maybe_prompt = on_prompt,
                             .exited = on_exited,
                             .gone = on_gone},
                 .errand = {.cancel = json_flag(params, "owns") ? on_owner_gone : NULL},
                 .list = &all,
                 .finish = on_finish},
        .name = text_copy(name),
        .view = view_of(name, params),
        .prompt_ms =
            prompt_ms >= 0 && prompt_ms < LIMIT_FIRST_PROMPT_MS ? prompt_ms : LIMIT_FIRST_PROMPT_MS,
    };
    task_begin(&o->task, client, id);
}

/* A terminal that gave up waiting has no session. */
static void on_mended(struct worker *worker, const char *name, const json_t *params)
{
    if (json_flag(params, "owns") && !is_waited_for(name)) {
        mending_forget(name);
        return;
    }
    int result = spawn(worker, name, params);
    if (result < 0)
        open_spawned(worker, name, -result);
}

static void open_named(struct client *client, const json_t *id, const json_t *params,
                       const char *name)
{
    struct worker *worker = client_worker(client);
    if (!text_is_name(name) || !is_word_list(json_object_get(params, "argv"))) {
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
    bool opening = open_is_under_way(name);
    if (!opening && !has_room(client, id, name))
        return;
    opening = opening || mending_begin(worker, name, params, on_mended);
    int result = opening ? 0 : spawn(worker, name, params);
    if (result == -E2BIG)
        client_fail(client, id, RPC_INVALID_PARAMS, "the environment is larger than %d bytes",
                    LIMIT_ENVIRONMENT_BYTES);
    else if (result < 0)
        client_fail(client, id, RPC_FAILED, "cannot prepare session %s in %s: %s", name,
                    worker->options->runtime, strerror(-result));
    else
        wait_for_spawn(client, id, name, params);
}

void open_call(struct client *client, const json_t *id, const json_t *params)
{
    char *name = name_for(client_worker(client), params);
    open_named(client, id, params, name);
    free(name);
}

static void fail(struct task *t, int error)
{
    client_fail(t->client, t->id, RPC_FAILED, "cannot start session %s: %s%s%s", name_of(t),
                error < 0 ? "its files cannot be opened: " : "", strerror(abs(error)),
                error == ENOENT || error == EACCES ? "; --shell or -- ARGV names what to start"
                                                   : "");
    task_end(t);
}

void open_spawned(struct worker *worker, const char *name, int error)
{
    struct session *session = worker_find(worker, name);
    spares_used(worker->spares); /* not earlier: nothing is made while something is there */
    for (struct task *t = LIST_FIRST(&all), *next; t; t = next) {
        next = LIST_NEXT(t, others);
        if (!waits_for(t, name))
            continue;
        if (error || !session) {
            fail(t, error);
            continue;
        }
        task_watch(t, session);
        terminals_expect(worker, session);
        if (tracker_state(session_tracker(session)) == TRACKER_INPUT ||
            !((struct opening *)t)->prompt_ms)
            reply(t);
        else
            uv_timer_start(&t->timer, on_timeout, (uint64_t)((struct opening *)t)->prompt_ms, 0);
    }
}
