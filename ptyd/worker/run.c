#include "ptyd/worker/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/type.h"
#include "ptyd/worker/worker.h"

enum phase { WAITING, TYPED, RUNNING };

struct run {
    struct task task;
    char *command;
    enum block_type actor;
    enum phase phase;
    bool at_prompt;      /* it was typed at a prompt, or the one it was typed for has come */
    bool prompted;       /* another came since: if that is all, it was no command (a comment) */
    uint64_t seq;        /* of its block, when RUNNING */
    bool streams;        /* the client wants the output as it comes */
    struct bytes output; /* not sent yet */
    json_int_t streamed; /* bytes sent */
};

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

static void reply(struct run *r, const struct block *block, bool completed, bool timed_out)
{
    send_output(r);
    client_reply(r->task.client, r->task.id,
                 json_pack("{s:b, s:b, s:b, s:o, s:I, s:s}", "completed", completed, "timed_out",
                           timed_out, "typed", r->phase != WAITING, "block",
                           block ? block_to_json(block) : json_null(), "streamed", r->streamed,
                           "directory",
                           r->task.session ? store_directory(session_store(r->task.session)) : ""));
    task_end(&r->task);
}

static void type(struct run *r)
{
    r->phase = TYPED;
    r->at_prompt = tracker_state(session_tracker(r->task.session)) == TRACKER_INPUT ||
                   !session_integrated(r->task.session); /* marks may come back with this command */
    if (session_type_command(r->task.session, r->command, r->actor))
        return;
    type_refuse(r->task.client, r->task.id, r->task.session);
    task_end(&r->task);
}

static void on_prompt(struct watcher *w)
{
    struct run *r = run_of(w);
    if (r->phase == WAITING) {
        type(r);
    } else if (r->phase == TYPED) {
        r->prompted = r->at_prompt && session_input_read(r->task.session);
        r->at_prompt = true;
    }
}

/* Something waits for input and no mark has said what: nobody shall hang. In a shell without marks
 * it is taken for the prompt; with marks it is none, and nothing is typed into it, unless a prompt
 * stands already: a Ctrl-C at an empty one is not always told. */
static void on_maybe_prompt(struct watcher *w)
{
    struct run *r = run_of(w);
    bool marked = session_integrated(r->task.session);
    bool stands = tracker_state(session_tracker(r->task.session)) == TRACKER_INPUT;
    if (r->phase == WAITING && (!marked || stands))
        type(r);
    else if (r->phase != TYPED || r->prompted || !marked)
        reply(r, tracker_running(session_tracker(r->task.session)), false, false);
}

static void on_begin(struct watcher *w, struct block *block)
{
    struct run *r = run_of(w);
    if (r->phase != TYPED)
        return;
    r->phase = RUNNING;
    r->seq = block->seq;
}

/* A client that does not keep up gets no more as it comes: it reads the rest, from `streamed` on,
 * from the block's file. */
static void on_output(struct watcher *w, struct block *block, const char *text, size_t len)
{
    struct run *r = run_of(w);
    r->streams = r->streams && client_queued(r->task.client) < LIMIT_CLIENT_QUEUE;
    if (r->streams && r->phase == RUNNING && block->seq == r->seq)
        bytes_append(&r->output, text, len);
}

static void on_drained(struct watcher *w)
{
    send_output(run_of(w));
}

static void on_end(struct watcher *w, struct block *block)
{
    struct run *r = run_of(w);
    if (r->phase == RUNNING && block->seq == r->seq)
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

void run_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *command = json_text(params, "command", "");
    long long timeout_ms = json_number(params, "timeout_ms", 0);
    struct session *session = worker_live_session(client, id, params);
    if (!session)
        return;
    if (!*command) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which command?");
        return;
    }
    struct run *r = memory_new(sizeof *r);
    *r = (struct run){
        .task = {.watcher = {.prompt = on_prompt,
                             .maybe_prompt = on_maybe_prompt,
                             .block_begin = on_begin,
                             .block_output = on_output,
                             .drained = on_drained,
                             .block_end = on_end,
                             .exited = on_exited,
                             .gone = on_gone},
                 .finish = on_finish},
        .command = text_copy(command),
        .streams = json_flag(params, "stream"),
        .actor = strcmp(json_text(params, "actor", ""), "agent") ? BLOCK_USER_CMD : BLOCK_AGENT_CMD,
    };
    task_begin(&r->task, client, id);
    task_watch(&r->task, session);
    if (timeout_ms > 0)
        uv_timer_start(&r->task.timer, on_timeout, (uint64_t)timeout_ms, 0);
    if (session_takes_line(session))
        type(r);
}
