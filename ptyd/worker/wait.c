#include "ptyd/worker/wait.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/worker/listing.h"
#include "ptyd/worker/look.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/worker.h"

enum goal { OUTPUT, PROMPT, EXIT };

struct wait {
    struct task task;
    enum goal goal;
    bool data;       /* the bytes, too */
    bool soon;       /* it is to be answered when the loop comes round; */
    bool due;        /* it did: as soon as there is room */
    bool timed_out;  /* nothing came of it */
    bool stays;      /* it was begun as a task: until then there is no request to end */
    uint64_t from;   /* 0 too: the stream's begin */
    uint64_t seq;    /* EXIT: the block that is waited for; 0 for the next that begins */
    json_t *params;  /* of the request; borrowed until it stays */
    json_t *block;   /* the one that ended */
    uint64_t behind; /* where that, or the prompt, was found; 0 for where the stream stands */
};

static struct wait *wait_of(struct watcher *w)
{
    return (struct wait *)task_of(w);
}

uint64_t wait_place(const struct session *s)
{
    const struct terminal *t = session_terminal(s);
    return terminal_is_inside(t) ? terminal_sequence_start(t) : session_offset(s);
}

/* ---- the answer ---- */

static json_t *state_json(struct session *s)
{
    const struct terminal *t = session_terminal(s);
    const struct block *running = tracker_running(session_tracker(s));
    json_t *state =
        json_pack("{s:b, s:i, s:i, s:b, s:b}", "exited", session_exited(s), "cols",
                  terminal_cols(t), "rows", terminal_rows(t), "cursor_keys",
                  terminal_cursor_keys(t), "bracketed_paste", terminal_bracketed_paste(t));
    json_object_set_new(state, "status",
                        session_exited(s) ? json_integer(session_exit_status(s)) : json_null());
    json_object_set_new(state, "directory", json_string(store_directory(session_store(s))));
    json_object_set_new(state, "end", json_integer((json_int_t)session_offset(s)));
    json_object_set_new(state, "running",
                        running ? json_integer((json_int_t)running->seq) : json_null());
    return state;
}

/* What came from `from` on, as much as fits. What is kept nowhere is counted. */
static void add_output(struct session *s, uint64_t from, json_t *answer)
{
    static char bytes[LIMIT_WAIT_BYTES]; /* the loop's */
    uint64_t end = session_offset(s), whole = session_readable_from(s);
    uint64_t start = from > whole ? from : whole < end ? whole : end;
    size_t want = end - start < sizeof bytes ? (size_t)(end - start) : sizeof bytes;
    struct bytes text = {0};
    ssize_t n = want ? session_read(s, start, bytes, want) : 0;
    if (n < 0 || (want && !n)) {
        start = end;
        n = 0;
    }
    base64_encode(bytes, (size_t)n, &text);
    json_object_update_new(answer, json_pack("{s:I, s:I, s:I, s:s}", "from", (json_int_t)start,
                                             "next", (json_int_t)(start + (uint64_t)n), "lost",
                                             (json_int_t)(start > from ? start - from : 0), "data",
                                             text.data ? text.data : ""));
    bytes_finish(&text);
}

static void reply(struct wait *w, struct session *s)
{
    json_t *result = state_json(s);
    uint64_t to = w->behind ? w->behind : wait_place(s);
    json_object_set_new(result, "to", json_integer((json_int_t)to));
    json_object_set_new(result, "block", w->block ? json_incref(w->block) : json_null());
    if (w->timed_out)
        json_object_set_new(result, "timed_out", json_true());
    if (w->data)
        add_output(s, w->from, result);
    client_reply(w->task.client, w->task.id, result);
}

/* An agent that waited hears no more than one that asks now. */
static void answer(struct wait *w, struct session *s)
{
    if (look_may_read(w->task.client, w->task.id, w->params, s))
        reply(w, s);
    if (w->stays)
        task_end(&w->task);
}

/* ---- prompts ---- */

/* One stands that came behind `from`, and takes a line. */
static bool prompt_stands(const struct wait *w, const struct session *s)
{
    return session_takes_line(s) && session_prompt(s) > w->from;
}

/* ---- ends ---- */

/* The block that ended first behind `from`, if any did. */
static bool has_ended(struct wait *w, struct session *s)
{
    uint64_t seq = session_ended_behind(s, w->from, &w->behind);
    if (!seq)
        return false;
    json_t *block = store_block(session_store(s), seq);
    w->block = block ? listing_refresh(s, block) : NULL;
    return true;
}

/* Nothing runs, and nothing was typed of which something might. */
static bool nothing_runs(const struct session *s)
{
    return !tracker_running(session_tracker(s)) && session_takes_line(s);
}

/* ---- what happens meanwhile ---- */

/* The log and all else are up to date when the loop comes round. An answer may be large: where its
 * client does not take what came before, it waits for that. */
static void on_soon(uv_timer_t *timer)
{
    struct wait *w = timer->data;
    w->due = true;
    if (client_takes_more(w->task.client) && !client_queued(w->task.client))
        answer(w, w->task.session);
}

static void on_sent(struct errand *errand)
{
    struct wait *w = (struct wait *)errand;
    if (w->due && client_takes_more(w->task.client) && !client_queued(w->task.client))
        answer(w, w->task.session);
}

static void answer_soon(struct wait *w)
{
    w->soon = true;
    uv_timer_start(&w->task.timer, on_soon, 0, 0);
}

static bool is_answered(const struct wait *w)
{
    return w->soon;
}

static void on_late(uv_timer_t *timer)
{
    struct wait *w = timer->data;
    w->soon = w->timed_out = true;
    on_soon(timer);
}

static void on_drained(struct watcher *watcher)
{
    struct wait *w = wait_of(watcher);
    if (w->goal == OUTPUT && !is_answered(w))
        answer_soon(w);
}

static void on_prompt(struct watcher *watcher)
{
    struct wait *w = wait_of(watcher);
    struct session *s = w->task.session;
    if (is_answered(w))
        return;
    if (w->goal == PROMPT && prompt_stands(w, s)) {
        w->behind = session_prompt_end(s);
        answer_soon(w);
    } else if (w->goal == EXIT && nothing_runs(s)) {
        answer_soon(w);
    }
}

/* In a shell without marks what waits for input is taken for its prompt; one whose marks work has
 * said so. */
static void on_maybe_prompt(struct watcher *watcher)
{
    struct wait *w = wait_of(watcher);
    struct session *s = w->task.session;
    bool unmarked = !session_integrated(s);
    if (is_answered(w))
        return;
    if (w->goal == PROMPT && (unmarked || prompt_stands(w, s)))
        answer_soon(w);
    else if (w->goal == EXIT && !tracker_running(session_tracker(s)) &&
             (unmarked || nothing_runs(s)))
        answer_soon(w);
}

static void on_begin(struct watcher *watcher, struct block *block)
{
    struct wait *w = wait_of(watcher);
    w->seq = w->seq ? w->seq : block->seq;
}

static void on_end(struct watcher *watcher, struct block *block)
{
    struct wait *w = wait_of(watcher);
    if (w->goal != EXIT || block->seq != w->seq || is_answered(w))
        return;
    w->block = block_to_json(block);
    w->behind = terminal_offset(session_terminal(w->task.session));
    answer_soon(w);
}

static void on_exited(struct watcher *watcher, int status)
{
    struct wait *w = wait_of(watcher);
    (void)status;
    if (!is_answered(w))
        answer_soon(w);
}

static void on_gone(struct watcher *watcher)
{
    struct wait *w = wait_of(watcher);
    w->task.session = NULL;
    client_fail(w->task.client, w->task.id, RPC_NO_SESSION, "the session was closed");
    task_end(&w->task);
}

static void on_finish(struct task *task)
{
    json_decref(((struct wait *)task)->block);
    json_decref(((struct wait *)task)->params);
}

/* ---- the method ---- */

static bool is_there(struct wait *w, struct session *s)
{
    if (session_exited(s) && w->goal != EXIT)
        return true;
    switch (w->goal) {
    case PROMPT:
        w->behind = prompt_stands(w, s) ? session_prompt_end(s) : 0;
        return prompt_stands(w, s);
    case EXIT:
        return has_ended(w, s) || nothing_runs(s) || session_exited(s);
    default:
        return session_offset(s) > w->from;
    }
}

static void begin(struct wait *w, struct session *s, long long timeout_ms)
{
    const struct block *running = tracker_running(session_tracker(s));
    w->seq = running ? running->seq : 0;
    w->stays = true;
    json_incref(w->params);
    json_t *id = w->task.id; /* until now borrowed */
    task_begin(&w->task, w->task.client, id);
    task_watch(&w->task, s);
    if (timeout_ms >= 0)
        uv_timer_start(&w->task.timer, on_late, (uint64_t)timeout_ms, 0);
}

static bool read_goal(const char *name, enum goal *ret_goal)
{
    static const char *const names[] = {"output", "prompt", "exit"};
    for (int i = OUTPUT; i <= EXIT; i++)
        if (!strcmp(name, names[i])) {
            *ret_goal = (enum goal)i;
            return true;
        }
    return false;
}

void wait_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_shown_session(client, id, params);
    json_int_t from = json_number(params, "from", -1);
    enum goal goal;
    if (!look_may_read(client, id, params, s))
        return;
    if (!read_goal(json_text(params, "for", "output"), &goal)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "for is output, prompt or exit");
        return;
    }
    if (from >= 0 && (uint64_t)from > session_offset(s)) {
        client_fail(client, id, RPC_INVALID_PARAMS,
                    "cursor %lld lies behind all that session %s printed (%llu): it is another "
                    "session's",
                    (long long)from, session_called(s), (unsigned long long)session_offset(s));
        return;
    }
    struct wait *w = memory_new(sizeof *w);
    *w = (struct wait){
        .task = {.errand = {.sent = on_sent},
                 .watcher = {.drained = on_drained,
                             .prompt = on_prompt,
                             .maybe_prompt = on_maybe_prompt,
                             .block_begin = on_begin,
                             .block_end = on_end,
                             .exited = on_exited,
                             .gone = on_gone},
                 .client = client,
                 .id = (json_t *)id,
                 .finish = on_finish},
        .goal = goal,
        .data = json_flag(params, "data"),
        .params = (json_t *)params,
        .from = from > 0 ? (uint64_t)from : 0,
    };
    if (from >= 0 && !is_there(w, s)) {
        begin(w, s, json_number(params, "timeout_ms", -1));
        return;
    }
    w->data = w->data && from >= 0;
    answer(w, s);
    json_decref(w->block);
    free(w);
}
