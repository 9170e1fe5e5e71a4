#include "ptyd/worker/retention.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/chore.h"
#include "ptyd/worker/open.h"
#include "ptyd/worker/rename.h"
#include "ptyd/worker/worker.h"

#define DAY_MS     (24 * 60 * 60 * INT64_C(1000))
#define BATCH_MOST 64 /* sessions taken out of sight in one turn of the loop */

/* A round: one scan, then batches until nothing has to go. */
struct retention {
    struct chore chore; /* first: it is freed with it */
    uv_timer_t timer;
    struct worker *worker;
    bool working, closing, timer_closed, looked;
    char **in_use; /* names, sorted, when the scan began */
    size_t in_use_count;
    struct kept kept;
    char *batch[BATCH_MOST]; /* out of sight, to be removed */
    int batch_count;
    size_t sessions, removed; /* closed ones that stay; what was removed so far */
    int64_t bytes;
    int64_t days, most; /* that the last round kept */
};

static void end_round(struct retention *r)
{
    for (size_t i = 0; i < r->in_use_count; i++)
        free(r->in_use[i]);
    free(r->in_use);
    r->in_use = NULL;
    r->in_use_count = 0;
    kept_finish(&r->kept);
}

static void free_when_done(struct retention *r)
{
    if (r->working || !r->timer_closed)
        return;
    end_round(r);
    free(r);
}

#ifdef __SANITIZE_THREAD__
/* libuv closes descriptors where the sanitizer does not see it: the thread's, which get the same
 * numbers, look like the loop's. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:kept_scan\nrace:kept_remove\n";
}
#endif

/* ---- removing ---- */

static void on_timer(uv_timer_t *timer);

/* No thread was to be had: what is out of sight is found again. */
static void try_again(struct retention *r)
{
    end_round(r);
    uv_timer_start(&r->timer, on_timer, LIMIT_CHORE_AGAIN_MS, DAY_MS);
}

static void remove_batch(struct chore *chore)
{
    struct retention *r = chore->user;
    for (int i = 0; i < r->batch_count; i++)
        kept_remove(r->worker->options->state, r->batch[i]);
}

static void hide(struct retention *r, const struct kept_session *session, const char *why,
                 int64_t now_ms)
{
    const char *state = r->worker->options->state;
    if (kept_hide(state, session->name) < 0)
        return;
    kept_note_gone(state, session, why, now_ms);
    rename_forget(r->worker, session->name);
    r->batch[r->batch_count++] = text_copy(session->name);
    r->removed++;
}

static void on_removed(struct chore *chore, int status);

/* Takes the next ones out of sight; one that was opened meanwhile stays. */
static void next_batch(struct retention *r)
{
    const struct conf *conf = worker_conf(r->worker);
    int64_t now_ms = clock_wall_ms();
    const struct kept_session *oldest;
    const char *why;
    while (r->batch_count < BATCH_MOST &&
           (oldest =
                kept_excess(&r->kept, now_ms, conf->keep_days * DAY_MS, conf->keep_bytes, &why))) {
        if (!worker_find(r->worker, oldest->name) && !open_is_under_way(oldest->name))
            hide(r, oldest, why, now_ms);
        kept_pass(&r->kept);
    }
    r->sessions = r->kept.count - r->kept.next;
    r->bytes = r->kept.bytes;
    r->looked = true;
    if (!r->batch_count) {
        end_round(r);
        return;
    }
    r->working = true;
    chore_begin(&r->worker->loop, &r->chore, remove_batch, on_removed);
}

/* Behind a chore; returns whether it was done and another may follow. */
static bool goes_on(struct retention *r, int status)
{
    bool closing = r->closing;
    r->working = false;
    if (closing)
        free_when_done(r);
    else if (status < 0)
        try_again(r);
    return !closing && status == 0;
}

static void on_removed(struct chore *chore, int status)
{
    struct retention *r = chore->user;
    for (int i = 0; i < r->batch_count; i++)
        free(r->batch[i]);
    r->batch_count = 0;
    if (goes_on(r, status))
        next_batch(r);
}

/* ---- looking ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_in_use(struct retention *r)
{
    struct worker *w = r->worker;
    r->in_use = memory_new(((size_t)w->session_count + 1) * sizeof *r->in_use);
    for (int i = 0; i < w->session_count; i++)
        r->in_use[r->in_use_count++] = text_copy(session_name(w->sessions[i]));
    qsort(r->in_use, r->in_use_count, sizeof *r->in_use, by_name);
}

static void scan(struct chore *chore)
{
    struct retention *r = chore->user;
    kept_scan(r->worker->options->state, r->in_use, r->in_use_count, &r->kept);
}

static void on_scanned(struct chore *chore, int status)
{
    struct retention *r = chore->user;
    if (goes_on(r, status))
        next_batch(r);
}

static void on_timer(uv_timer_t *timer)
{
    struct retention *r = timer->data;
    if (r->working || r->in_use)
        return; /* the last round goes on */
    const struct conf *conf = worker_conf(r->worker);
    r->days = conf->keep_days;
    r->most = conf->keep_bytes;
    list_in_use(r);
    r->working = true;
    chore_begin(&r->worker->loop, &r->chore, scan, on_scanned);
}

void retention_check(struct retention *r)
{
    const struct conf *conf = worker_conf(r->worker);
    if (!r->closing && (r->days != conf->keep_days || r->most != conf->keep_bytes))
        on_timer(&r->timer);
}

struct retention *retention_create(struct worker *worker)
{
    struct retention *r = memory_new(sizeof *r);
    r->worker = worker;
    r->chore.user = r;
    uv_timer_init(&worker->loop, &r->timer);
    r->timer.data = r;
    uv_timer_start(&r->timer, on_timer, 0, DAY_MS);
    return r;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct retention *r = handle->data;
    r->timer_closed = true;
    free_when_done(r);
}

void retention_close(struct retention *r)
{
    if (!r || r->closing)
        return;
    r->closing = true;
    uv_close((uv_handle_t *)&r->timer, on_timer_closed);
}

json_t *retention_json(const struct retention *r)
{
    const struct conf *conf = worker_conf(r->worker);
    if (!r->looked)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "sessions", (json_int_t)r->sessions, "bytes",
                     (json_int_t)r->bytes, "keep_days", (json_int_t)conf->keep_days, "keep_bytes",
                     (json_int_t)conf->keep_bytes, "removed", (json_int_t)r->removed);
}
