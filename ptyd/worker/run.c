#include "ptyd/worker/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/worker.h"

enum phase { WAITING, TYPED, RUNNING };

struct command {
    struct errand errand; /* first: cancel() gets it */
    struct watcher watcher;
    struct client *client;
    struct session *session;
    json_t *id;
    char *text;
    enum block_type actor;
    enum phase phase;
    bool at_prompt;      /* it was typed at a prompt, or the one it was typed for has come */
    bool prompted;       /* another came since: if that is all, it was no command (a comment) */
    uint64_t seq;        /* of its block, when RUNNING */
    bool streams;        /* the client wants the output as it comes */
    struct bytes output; /* not sent yet */
    json_int_t streamed; /* bytes sent */
    uv_timer_t timer;
};

static struct command *of_watcher(struct watcher *w)
{
    return (struct command *)((char *)w - offsetof(struct command, watcher));
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct command *c = handle->data;
    json_decref(c->id);
    bytes_finish(&c->output);
    free(c->text);
    free(c);
}

static void finish(struct command *c)
{
    if (c->session)
        session_unwatch(c->session, &c->watcher);
    client_remove_errand(c->client, &c->errand);
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}

static void send_output(struct command *c)
{
    if (c->output.len)
        client_notify(c->client, "run.output",
                      json_pack("{s:s#}", "text", c->output.data, (int)c->output.len));
    c->streamed += (json_int_t)c->output.len;
    c->output.len = 0;
}

static void reply(struct command *c, const struct block *block, bool completed, bool timed_out)
{
    send_output(c);
    client_reply(c->client, c->id,
                 json_pack("{s:b, s:b, s:b, s:o, s:I, s:s}", "completed", completed, "timed_out",
                           timed_out, "typed", c->phase != WAITING, "block",
                           block ? block_to_json(block) : json_null(), "streamed", c->streamed,
                           "directory",
                           c->session ? store_directory(session_store(c->session)) : ""));
    finish(c);
}

static void type(struct command *c)
{
    c->phase = TYPED;
    c->at_prompt = tracker_state(session_tracker(c->session)) == TRACKER_INPUT ||
                   !session_integrated(c->session); /* marks may come back with this command */
    if (session_type_command(c->session, c->text, c->actor))
        return;
    view_answer_input(c->client, c->id, c->session, false);
    finish(c);
}

static void on_prompt(struct watcher *w)
{
    struct command *c = of_watcher(w);
    if (c->phase == WAITING) {
        type(c);
    } else if (c->phase == TYPED) {
        c->prompted = c->at_prompt && session_input_read(c->session);
        c->at_prompt = true;
    }
}

/* Something waits for input and no mark has said what: nobody shall hang. In a shell without marks
 * it is taken for the prompt; with marks it is none, and nothing is typed into it, unless a prompt
 * stands already: a Ctrl-C at an empty one is not always told. */
static void on_maybe_prompt(struct watcher *w)
{
    struct command *c = of_watcher(w);
    bool marked = session_integrated(c->session);
    bool stands = tracker_state(session_tracker(c->session)) == TRACKER_INPUT;
    if (c->phase == WAITING && (!marked || stands))
        type(c);
    else if (c->phase != TYPED || c->prompted || !marked)
        reply(c, tracker_running(session_tracker(c->session)), false, false);
}

static void on_begin(struct watcher *w, struct block *block)
{
    struct command *c = of_watcher(w);
    if (c->phase != TYPED)
        return;
    c->phase = RUNNING;
    c->seq = block->seq;
}

/* A client that does not keep up gets no more as it comes: it reads the rest, from `streamed` on,
 * from the block's file. */
static void on_output(struct watcher *w, struct block *block, const char *text, size_t len)
{
    struct command *c = of_watcher(w);
    c->streams = c->streams && client_queued(c->client) < LIMIT_CLIENT_QUEUE;
    if (c->streams && c->phase == RUNNING && block->seq == c->seq)
        bytes_append(&c->output, text, len);
}

static void on_drained(struct watcher *w)
{
    send_output(of_watcher(w));
}

static void on_end(struct watcher *w, struct block *block)
{
    struct command *c = of_watcher(w);
    if (c->phase == RUNNING && block->seq == c->seq)
        reply(c, block, true, false);
}

static void on_exited(struct watcher *w, int status)
{
    (void)status;
    reply(of_watcher(w), NULL, false, false);
}

static void on_gone(struct watcher *w)
{
    struct command *c = of_watcher(w);
    c->session = NULL;
    reply(c, NULL, false, false);
}

static void on_cancel(struct errand *errand)
{
    finish((struct command *)errand);
}

static void on_timeout(uv_timer_t *timer)
{
    struct command *c = timer->data;
    reply(c, c->phase == RUNNING ? tracker_running(session_tracker(c->session)) : NULL, false,
          true);
}

void run_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *worker = client_worker(client);
    const char *name = json_text(params, "name", NULL);
    const char *text = json_text(params, "command", NULL);
    const char *actor = json_text(params, "actor", NULL);
    json_int_t timeout = json_number(params, "timeout_ms", 0);
    struct session *session = name ? worker_find(worker, name) : NULL;
    if (!session || session_exited(session)) {
        client_fail(client, id, RPC_NO_SESSION, "session %s does not run; `ptyd open %s` starts it",
                    name ? name : "", name ? name : "NAME");
        return;
    }
    if (!text || !*text) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which command?");
        return;
    }
    struct command *c = memory_new(sizeof *c);
    *c = (struct command){
        .errand = {.cancel = on_cancel},
        .watcher = {.prompt = on_prompt,
                    .maybe_prompt = on_maybe_prompt,
                    .block_begin = on_begin,
                    .block_output = on_output,
                    .drained = on_drained,
                    .block_end = on_end,
                    .exited = on_exited,
                    .gone = on_gone},
        .client = client,
        .session = session,
        .id = json_incref((json_t *)id),
        .text = text_copy(text),
        .streams = json_flag(params, "stream"),
        .actor = actor && !strcmp(actor, "agent") ? BLOCK_AGENT_CMD : BLOCK_USER_CMD,
    };
    uv_timer_init(&worker->loop, &c->timer);
    c->timer.data = c;
    client_add_errand(client, &c->errand);
    session_watch(session, &c->watcher);
    if (timeout > 0)
        uv_timer_start(&c->timer, on_timeout, (uint64_t)timeout, 0);
    if (session_takes_line(session))
        type(c);
}
