#include "ptyd/worker/forgetting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/wish.h"
#include "ptyd/worker/chore.h"
#include "ptyd/worker/redacting.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/upgrade.h"

enum stage {
    NOTHING, /* is to be forgotten */
    ASKED,   /* another worker will, which the keeper is asked for until it comes */
    DOING,   /* this one does */
    AGAIN,   /* it is done but for the command that asked for it, which runs yet */
};

struct forgetting {
    struct worker *worker;
    enum stage stage;
    struct wish wish;
    uint64_t done; /* the token of the last one */
    json_t *result;
    uv_mutex_t mutex;           /* of what follows */
    json_t *gone_through;       /* {session: true} */
    struct forgotten forgotten; /* of all of them */
    struct chore chore;
    bool closing;
    uv_timer_t
        timer; /* until what a command's end says is in the log, or a worker or thread comes */
    struct task_list waiters;
};

/* A request that waits until it is done. */
struct waiter {
    struct task task;
};

/* ---- doing it ---- */

/* Once each, by whoever comes first; the loop gets on with that. */
static void go_through(struct forgetting *f, const char *session, void (*moves)(void))
{
    uv_mutex_lock(&f->mutex);
    f->forgotten.moves = moves;
    if (!json_object_get(f->gone_through, session)) {
        forget_in_session(f->worker->options->state, session, &f->wish, false, &f->forgotten);
        json_object_set_new(f->gone_through, session, json_true());
    }
    uv_mutex_unlock(&f->mutex);
}

bool forgetting_works(const struct forgetting *f)
{
    return f->stage == DOING;
}

void forgetting_before(struct forgetting *f, const char *session)
{
    if (f->stage != DOING)
        return;
    struct board_place before = board_enter(session, BOARD_OPEN, 0);
    go_through(f, session, board_moved);
    board_leave(&before);
}

struct forgetting *forgetting_create(struct worker *w)
{
    struct forgetting *f = memory_new(sizeof *f);
    f->worker = w;
    f->chore.user = f;
    f->gone_through = json_object();
    uv_mutex_init(&f->mutex);
    uv_timer_init(&w->loop, &f->timer);
    f->timer.data = f;
    if (wish_load(w->options->state, &f->wish)) {
        f->stage = DOING;
        forget_in_state(w->options->state, w->options->runtime, &f->wish, false, &f->forgotten);
        forget_index(w->options->state, &f->forgotten);
    }
    return f;
}

static void go_through_one(void *user, const char *name)
{
    go_through(user, name, NULL);
}

/* An index that was made meanwhile may have been made of what was there before. */
static void go_through_the_rest(struct chore *chore)
{
    struct forgetting *f = chore->user;
    forget_each_session(f->worker->options->state, go_through_one, f);
    uv_mutex_lock(&f->mutex);
    forget_index(f->worker->options->state, &f->forgotten);
    uv_mutex_unlock(&f->mutex);
}

/* ---- the end ---- */

/* A `ptyd forget` that has the text on its line: the shell says that once more when it has ended.
 */
static bool names(const struct session *s, const char *text)
{
    const struct block *running = tracker_running(session_tracker(s));
    return running && deliver_is_ptyd(running->cmd) && strstr(running->cmd, text);
}

static bool is_named(const struct worker *w, const char *text)
{
    for (int i = 0; text && i < w->session_count; i++)
        if (names(w->sessions[i], text))
            return true;
    return false;
}

/* Another program may be on its way just now, or the keeper may find no worker: the wish stands. */
static void on_asking(uv_timer_t *timer)
{
    struct forgetting *f = timer->data;
    int result = upgrade_begin_worker(f->worker, f->wish.token);
    if (result < 0 && result != -EBUSY)
        say("what is to be forgotten waits for another worker: %s", strerror(-result));
}

/* 0 where it is written down: it is done then, sooner or later. */
static int begin(struct forgetting *f)
{
    int result = wish_save(f->worker->options->state, &f->wish);
    if (result < 0)
        return result;
    f->stage = ASKED;
    return uv_timer_start(&f->timer, on_asking, 0, LIMIT_FORGET_ASK_MS);
}

/* The text itself is covered in what is known of that command. */
static void on_end(uv_timer_t *timer)
{
    struct forgetting *f = timer->data;
    if (f->stage != AGAIN || is_named(f->worker, "forget"))
        return;
    f->wish.again = false;
    if (begin(f) < 0)
        say("what was forgotten stands in the line that asked for it: `ptyd forget` once more");
}

void forgetting_stored(struct forgetting *f)
{
    if (f->stage == AGAIN)
        uv_timer_start(&f->timer, on_end, 0, 0);
}

static void answer(struct forgetting *f)
{
    for (struct task *t = LIST_FIRST(&f->waiters), *next; t; t = next) {
        next = LIST_NEXT(t, others);
        client_reply(t->client, t->id, json_incref(f->result));
        task_end(t);
    }
}

static void finish(struct forgetting *f)
{
    f->stage = f->wish.again ? AGAIN : NOTHING;
    f->done = f->wish.token;
    json_decref(f->result);
    f->result = json_pack("{s:o, s:s?}", "sessions",
                          f->forgotten.sessions ? json_incref(f->forgotten.sessions) : json_array(),
                          "error", f->forgotten.error);
    if (f->forgotten.error) /* the wish stays for the next worker */
        say("not all of what was to be forgotten is gone: %s", f->forgotten.error);
    else if (f->stage == NOTHING)
        wish_done(f->worker->options->state);
    if (f->stage == NOTHING)
        wish_finish(&f->wish);
    answer(f);
    redacting_go_on(f->worker->redacting); /* it waited */
    forgetting_stored(f);                  /* it may have ended meanwhile */
}

static void on_again(uv_timer_t *timer)
{
    forgetting_go_on(timer->data);
}

static void on_gone_through(struct chore *chore, int status)
{
    struct forgetting *f = chore->user;
    if (!f->closing && status == 0)
        finish(f);
    else if (!f->closing)
        uv_timer_start(&f->timer, on_again, LIMIT_CHORE_AGAIN_MS, 0);
}

void forgetting_go_on(struct forgetting *f)
{
    if (f->stage != DOING)
        return;
    chore_begin(&f->worker->loop, &f->chore, go_through_the_rest, on_gone_through);
}

/* ---- requests ---- */

/* What waits for a full disk would be written behind it. */
static const struct session *find_owing(const struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (store_owed(session_store(w->sessions[i])).count)
            return w->sessions[i];
    return NULL;
}

static void wait_for_end(struct forgetting *f, struct client *client, const json_t *id)
{
    struct waiter *waiter = memory_new(sizeof *waiter);
    *waiter = (struct waiter){.task = {.list = &f->waiters}};
    task_begin(&waiter->task, client, id);
}

static void begin_for(struct forgetting *f, struct client *client, const json_t *id,
                      struct wish *wish)
{
    const struct session *owing = find_owing(f->worker);
    if (owing) {
        client_fail(client, id, RPC_FAILED,
                    "session %s has things to write that found no room: make room first",
                    session_called(owing));
        wish_finish(wish);
        return;
    }
    wish_finish(&f->wish);
    f->wish = *wish;
    f->wish.again = is_named(f->worker, wish->text);
    int result = begin(f);
    if (result == 0) {
        wait_for_end(f, client, id);
        return;
    }
    client_fail(client, id, RPC_FAILED, "nothing was forgotten: %s", strerror(-result));
    wish_finish(&f->wish);
}

void forgetting_call(struct client *client, const json_t *id, const json_t *params)
{
    struct forgetting *f = client_worker(client)->forgetting;
    uint64_t token = (uint64_t)json_number(params, "token", 0);
    struct wish wish;
    if (token && token == f->done)
        client_reply(client, id, json_incref(f->result));
    else if (f->stage != NOTHING && token == f->wish.token)
        wait_for_end(f, client, id);
    else if (f->stage != NOTHING) /* also one whose own line has yet to end */
        client_fail(client, id, RPC_BUSY, "something else is being forgotten; try again");
    else if (!wish_read(params, false, &wish))
        client_fail(client, id, RPC_INVALID_PARAMS,
                    "what is to be forgotten? a token, and blocks or a text of %d to %d bytes in "
                    "one line",
                    LIMIT_FORGET_TEXT_LEAST, LIMIT_FORGET_TEXT_BYTES);
    else
        begin_for(f, client, id, &wish);
}

/* ---- life ---- */

void forgetting_close(struct forgetting *f)
{
    f->closing = true;
    uv_close((uv_handle_t *)&f->timer, NULL);
}

void forgetting_destroy(struct forgetting *f)
{
    wish_finish(&f->wish);
    forgotten_finish(&f->forgotten);
    json_decref(f->gone_through);
    json_decref(f->result);
    uv_mutex_destroy(&f->mutex);
    free(f);
}
