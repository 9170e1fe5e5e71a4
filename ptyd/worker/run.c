#define _GNU_SOURCE
#include "ptyd/worker/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/type.h"
#include "ptyd/worker/worker.h"

enum phase { WAITING, TYPED, RUNNING, LOST }; /* LOST: its user took the baton back */

struct run {
    struct task task;
    char *command;
    uint64_t baton;  /* by which an agent has it typed; 0: it is the user's */
    uint64_t token;  /* the client's, or where it has none, ours */
    uint64_t ticket; /* those that came earlier have a lower one */
    enum phase phase;
    uint64_t prompt;    /* at which it was typed; 0 where none stood: any block is its own */
    bool prompted;      /* another came since: if that is all, it was no command (a comment) */
    bool doubtful;      /* a former worker may have typed a part */
    const char *awaits; /* told last, NULL before; with it: that its command began */
    bool told_begun;
    uint64_t seq;        /* of its block, when RUNNING */
    bool streams;        /* the client wants the output as it comes */
    struct bytes output; /* not sent yet */
    json_int_t streamed; /* bytes sent */
    json_int_t passed;   /* bytes of the output that are known here */
};

static struct task_list all = LIST_HEAD_INITIALIZER(all);

static struct run *type_next(struct session *session);

static struct run *run_of(struct watcher *w)
{
    return (struct run *)task_of(w);
}

static void on_finish(struct task *t)
{
    struct run *r = (struct run *)t;
    bytes_finish(&r->output);
    free(r->command);
}

static void send_output(struct run *r)
{
    if (r->output.len)
        client_notify(r->task.client, "run.output",
                      json_pack("{s:s#}", "text", r->output.data, (int)r->output.len));
    r->streamed += (json_int_t)r->output.len;
    r->output.len = 0;
}

static struct run *first_waiting(const struct session *session);

/* What it waits for before it is typed; "" when it is. */
static const char *awaits(const struct run *r)
{
    const struct session *s = r->task.session;
    enum tracker_state state = tracker_state(session_tracker(s));
    if (r->phase != WAITING)
        return "";
    if (first_waiting(s) != r)
        return "turn";
    if (session_has_line(s))
        return "line";
    return state == TRACKER_RUNNING ? "command" : "prompt";
}

/* Where it changed. */
static void tell_state(struct run *r)
{
    const char *now = awaits(r);
    bool begun = r->phase == RUNNING;
    if (r->awaits && !strcmp(r->awaits, now) && r->told_begun == begun)
        return;
    r->awaits = now;
    r->told_begun = begun;
    client_notify(
        r->task.client, "run.state",
        json_pack("{s:b, s:b, s:s}", "typed", r->phase != WAITING, "begun", begun, "awaits", now));
}

/* Others waited for it. */
static void end(struct run *r)
{
    struct session *session = r->task.session;
    task_end(&r->task);
    if (!session)
        return;
    session_keep_run(session, r->token, false);
    type_next(session);
}

static void on_cancel(struct errand *errand)
{
    end((struct run *)errand);
}

/* ---- the answer ---- */

/* One whose answer is not all on its way: until then its client may come back. */
struct farewell {
    struct task task;
    uint64_t token;
};

static void on_sent(struct errand *errand)
{
    struct farewell *f = (struct farewell *)errand;
    session_drop_run(f->task.session, f->token);
    task_end(&f->task);
}

static void on_session_gone(struct watcher *w)
{
    struct task *t = task_of(w);
    t->session = NULL;
    task_end(t);
}

static void drop_when_sent(struct run *r, struct session *session)
{
    struct farewell *f = memory_new(sizeof *f);
    *f = (struct farewell){
        .task = {.errand = {.sent = on_sent}, .watcher = {.gone = on_session_gone}},
        .token = r->token};
    task_begin(&f->task, r->task.client, r->task.id);
    task_watch(&f->task, session);
}

/* Steals `block`, NULL for none. Once all of the answer is on its way nobody comes back for more.
 */
static void reply_json(struct run *r, json_t *block, bool completed, bool timed_out)
{
    struct session *session = r->task.session;
    send_output(r);
    client_reply(r->task.client, r->task.id,
                 json_pack("{s:b, s:b, s:b, s:b, s:o, s:I, s:s}", "completed", completed,
                           "timed_out", timed_out, "typed", r->phase != WAITING, "doubtful",
                           r->doubtful, "block", block ? block : json_null(), "streamed",
                           r->streamed, "directory",
                           session ? store_directory(session_store(session)) : ""));
    if (session && !client_queued(r->task.client))
        session_drop_run(session, r->token);
    else if (session)
        drop_when_sent(r, session);
    end(r);
}

static void reply(struct run *r, const struct block *block, bool completed, bool timed_out)
{
    reply_json(r, block ? block_to_json(block) : NULL, completed, timed_out);
}

/* ---- whose turn it is ---- */

/* The one that came first; NULL also while the session has one whose command has not begun yet. */
static struct run *first_waiting(const struct session *session)
{
    struct run *first = NULL;
    struct task *t;
    LIST_FOREACH(t, &all, others) {
        struct run *r = (struct run *)t;
        if (t->session != session)
            continue;
        if (r->phase == TYPED)
            return NULL;
        if (r->phase == WAITING && (!first || r->ticket < first->ticket))
            first = r;
    }
    return first;
}

/* Returns one that there was no room for: its own callback, which may end it, answers. */
static struct run *type_first(struct session *session)
{
    struct run *r = first_waiting(session);
    if (!r)
        return NULL;
    bool stands =
        tracker_state(session_tracker(session)) == TRACKER_INPUT && session_integrated(session);
    r->phase = TYPED;
    r->prompt = stands ? session_prompt(session) : 0; /* marks may come back with this command */
    if (session_type_command(session, r->command, r->baton, r->token, r->prompt)) {
        tell_state(r);
        baton_used(session, r->baton);
        return NULL;
    }
    r->phase = WAITING;
    return r;
}

static struct run *type_next(struct session *session)
{
    bool takes = !session_exited(session) && session_takes_line(session);
    return takes ? type_first(session) : NULL;
}

/* Ends r. */
static void refuse(struct run *r)
{
    type_refuse(r->task.client, r->task.id, r->task.session);
    task_end(&r->task);
}

/* ---- what happens meanwhile ---- */

static void on_prompt(struct watcher *w)
{
    struct run *r = run_of(w);
    if (r->phase == TYPED && (!r->prompt || r->prompt != session_prompt(r->task.session)))
        r->prompted = session_input_read(r->task.session);
    if (type_next(r->task.session) == r)
        refuse(r);
    else
        tell_state(r);
}

/* Something waits for input and no mark has said what: nobody shall hang. In a shell without marks
 * it is taken for the prompt; with marks it is none, and nothing is typed into it, unless a prompt
 * stands already: a Ctrl-C at an empty one is not always told. With half a line it is waited for.
 */
static void on_maybe_prompt(struct watcher *w)
{
    struct run *r = run_of(w);
    struct session *session = r->task.session;
    if (r->phase == LOST)
        return;
    bool marked = session_integrated(session);
    bool stands = tracker_state(session_tracker(session)) == TRACKER_INPUT;
    if (r->phase == WAITING && (!marked || session_takes_line(session))) {
        if (type_first(session) == r)
            refuse(r);
    } else if (r->phase == WAITING && stands) {
        tell_state(r);
    } else if (r->phase != TYPED || r->prompted || r->doubtful || !marked) {
        reply(r, tracker_running(session_tracker(session)), false, false);
    }
}

/* The session has told the table of that block. */
static bool is_begun(const struct run *r, uint64_t seq)
{
    const struct run_record *record = session_find_run(r->task.session, r->token);
    return record && record->seq == seq &&
           (record->state == RUN_BEGAN || record->state == RUN_DOUBTFUL);
}

/* One that is somebody else's says that its own never will begin. */
static void on_begin(struct watcher *w, struct block *block)
{
    struct run *r = run_of(w);
    if (r->phase == WAITING)
        tell_state(r);
    if (r->phase != TYPED)
        return;
    if (!is_begun(r, block->seq)) {
        reply(r, NULL, false, false);
        return;
    }
    r->phase = RUNNING;
    r->seq = block->seq;
    tell_state(r);
}

/* A client that does not keep up gets no more as it comes: it reads the rest, from `streamed` on,
 * from the block's file. One that came back has some of it. */
static void on_output(struct watcher *w, struct block *block, const char *text, size_t len)
{
    struct run *r = run_of(w);
    if (r->phase != RUNNING || block->seq != r->seq)
        return;
    json_int_t had = r->streamed + (json_int_t)r->output.len - r->passed;
    size_t skip = had <= 0 ? 0 : had < (json_int_t)len ? (size_t)had : len;
    r->passed += (json_int_t)len;
    r->streams = r->streams && client_behind(r->task.client) <= LIMIT_CLIENT_QUEUE;
    if (r->streams)
        bytes_append(&r->output, text + skip, len - skip);
}

static void on_drained(struct watcher *w)
{
    send_output(run_of(w));
}

static void on_end(struct watcher *w, struct block *block)
{
    struct run *r = run_of(w);
    if (r->phase != RUNNING || block->seq != r->seq)
        return;
    r->doubtful = r->doubtful && strcmp(block->cmd, r->command);
    reply(r, block, true, false);
}

static void on_exited(struct watcher *w, int status)
{
    (void)status;
    reply(run_of(w), NULL, false, false);
}

static void on_gone(struct watcher *w)
{
    struct run *r = run_of(w);
    r->task.session = NULL;
    reply(r, NULL, false, false);
}

static void on_timeout(uv_timer_t *timer)
{
    struct run *r = timer->data;
    reply(r, r->phase == RUNNING ? tracker_running(session_tracker(r->task.session)) : NULL, false,
          true);
}

static bool is_half_typed(const struct run *r)
{
    const struct run_record *record = session_find_run(r->task.session, r->token);
    return r->phase == TYPED && record && record->state == RUN_TYPING;
}

static void on_lost(uv_timer_t *timer)
{
    struct run *r = timer->data;
    client_fail(r->task.client, r->task.id, RPC_NOT_TYPED,
                "the command was not run: session %s is its user's again",
                session_called(r->task.session));
    end(r);
}

/* Others that watch are told meanwhile: it ends a moment later. */
static void on_baton_lost(struct watcher *w, uint64_t number, bool typing)
{
    struct run *r = run_of(w);
    if (r->baton != number || !(r->phase == WAITING || (typing && is_half_typed(r))))
        return;
    r->phase = LOST;
    uv_timer_start(&r->task.timer, on_lost, 0, 0);
}

/* ---- one that a former worker knew ---- */

/* The output that came while nobody sent it, up to where it goes on. */
static void send_missed(struct run *r, const struct block *block)
{
    struct store *store = session_store(r->task.session);
    store_flush(store, NULL, 0);
    r->passed = store_written(store);
    json_int_t missed = r->passed - r->streamed;
    char *path = text_format("%s/%s", store_directory(store), block->output_path);
    int fd = missed > 0 ? file_open_regular(path) : -1;
    if (missed > LIMIT_CLIENT_QUEUE || r->passed >= LIMIT_OUTPUT_FILE_BYTES)
        r->streams = false;
    if (r->streams && fd >= 0) {
        char *place = bytes_reserve(&r->output, (size_t)missed);
        ssize_t n = place ? file_read_at(fd, place, (size_t)missed, r->streamed) : -1;
        r->output.len = n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    r->streams = r->streams && (missed <= 0 || (json_int_t)r->output.len == missed);
    r->output.len = r->streams ? r->output.len : 0;
    send_output(r);
}

static void follow_block(struct run *r, uint64_t seq)
{
    struct session *session = r->task.session;
    struct block *running = tracker_running(session_tracker(session));
    r->phase = RUNNING;
    r->seq = seq;
    tell_state(r);
    if (running && running->seq == seq) {
        if (running->output_path)
            send_missed(r, running);
        else
            r->streams = false;
        return;
    }
    json_t *block = store_block(session_store(session), seq);
    bool ended = block && strcmp(json_text(block, "status", ""), "running");
    reply_json(r, block, ended, false);
}

/* What began at its prompt while it was being typed may be what the user made of a part of it. */
static bool is_its_own(const struct run *r, uint64_t seq)
{
    struct block *running = tracker_running(session_tracker(r->task.session));
    json_t *block = store_block(session_store(r->task.session), seq);
    const char *cmd = running && running->seq == seq ? running->cmd : json_text(block, "cmd", "");
    bool own = !strcmp(cmd, r->command);
    json_decref(block);
    return own;
}

static void go_on(struct run *r, const struct run_record *record)
{
    session_keep_run(r->task.session, r->token, true);
    r->phase = TYPED;
    r->prompt = record->prompt;
    r->prompted = r->prompt && r->prompt != session_prompt(r->task.session) &&
                  session_input_read(r->task.session);
    r->doubtful = record->state == RUN_TYPING ||
                  (record->state == RUN_DOUBTFUL && !is_its_own(r, record->seq));
    if (record->state == RUN_DOUBTFUL && r->doubtful)
        reply(r, NULL, false, false);
    else if (record->state == RUN_BEGAN || record->state == RUN_DOUBTFUL)
        follow_block(r, record->seq);
    else if (session_exited(r->task.session) || session_quarantined(r->task.session))
        reply(r, NULL, false, false);
}

/* The session that was asked for, with its shell: the name may be another's by now. */
static struct session *find_session(struct client *client, const json_t *id, const json_t *params,
                                    uint64_t token)
{
    struct session *s = worker_find(client_worker(client), json_text(params, "name", ""));
    const char *shell = json_text(params, "shell_id", NULL);
    bool other = s && shell && strcmp(shell, session_shell_id(s));
    if (s && !other && session_find_run(s, token))
        return s;
    if (!other)
        return worker_live_session(client, id, params);
    client_fail(client, id, RPC_NO_SESSION, "the shell of session %s has ended", session_called(s));
    return NULL;
}

/* Nobody asks for it again. */
static uint64_t make_token(void)
{
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token)
        token = uv_hrtime();
    return token | UINT64_C(1) << 63; /* a client's is never that large */
}

void run_call(struct client *client, const json_t *id, const json_t *params)
{
    static uint64_t tickets;
    const char *command = json_text(params, "command", "");
    long long timeout_ms = json_number(params, "timeout_ms", 0);
    uint64_t token = (uint64_t)json_number(params, "token", 0) & INT64_MAX;
    struct session *session = find_session(client, id, params, token);
    uint64_t baton = 0;
    if (!session)
        return;
    if (!*command) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which command?");
        return;
    }
    const struct run_record *record = session_find_run(session, token);
    if (!record && !baton_may_type(client, id, params, session, &baton))
        return;
    struct run *r = memory_new(sizeof *r);
    *r = (struct run){
        .task = {.errand = {.cancel = on_cancel},
                 .watcher = {.prompt = on_prompt,
                             .maybe_prompt = on_maybe_prompt,
                             .block_begin = on_begin,
                             .block_output = on_output,
                             .drained = on_drained,
                             .block_end = on_end,
                             .exited = on_exited,
                             .gone = on_gone,
                             .baton_lost = on_baton_lost},
                 .list = &all,
                 .finish = on_finish},
        .command = text_copy(command),
        .token = token ? token : make_token(),
        .ticket = ++tickets,
        .streams = json_flag(params, "stream"),
        .streamed = json_number(params, "streamed", 0),
        .baton = baton,
    };
    task_begin(&r->task, client, id);
    task_watch(&r->task, session);
    if (timeout_ms > 0)
        uv_timer_start(&r->task.timer, on_timeout, (uint64_t)timeout_ms, 0);
    r->phase = record ? TYPED : WAITING;
    tell_state(r);
    if (record)
        go_on(r, record);
    else if (type_next(session) == r)
        refuse(r);
}
