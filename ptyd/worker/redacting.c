/* One job at a time, in libuv's pool: those of sessions that are served first. What a thread needs
 * of the loop goes with the job: the shell's secrets, and a copy of the user's rules. */
#include "ptyd/worker/redacting.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/redacted.h"
#include "ptyd/core/rules.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/secrets.h"

struct job {
    struct job *next;
    char *session;
    struct redact_secrets *secrets;
    struct secrets_part part;
    bool closed;  /* nobody serves it */
    bool indexed; /* then: the index may have what is gone now */
    bool over;    /* somebody does by now (with the mutex) */
};

struct redacting {
    struct worker *worker;
    bool on;
    struct job *jobs;    /* that wait */
    struct job *job;     /* at hand, or NULL; the thread's while it works */
    struct rules *rules; /* of the thread */
    int result;
    bool indexed; /* the index may have what is gone now */
    bool closing;
    atomic_bool gives_up;
    uv_mutex_t mutex; /* files of a session that is not served are gone through */
    uv_work_t work;
};

/* ---- jobs ---- */

static void destroy(struct job *job)
{
    redact_secrets_destroy(job->secrets);
    free(job->session);
    free(job);
}

static struct job *take_out(struct redacting *r, const char *session)
{
    for (struct job **at = &r->jobs; *at; at = &(*at)->next)
        if (!strcmp((*at)->session, session)) {
            struct job *job = *at;
            *at = job->next;
            return job;
        }
    return NULL;
}

static char *directory_of(const struct redacting *r, const char *session)
{
    return text_format("%s/conversations/%s/agent_pty", r->worker->options->state, session);
}

/* All that is not its log or an output, where that was not done. Returns whether it was now. */
static bool take_lines(struct redacting *r, const char *session,
                       const struct redact_secrets *secrets, void (*moves)(void))
{
    char *directory = directory_of(r, session);
    struct redacted done = {0};
    struct secrets_finder finder;
    bool known = redacted_load(directory, &done);
    secrets_finder_init(&finder, secrets, &r->gives_up);
    int result = known ? 0
                       : forget_secrets_in_lines(r->worker->options->state, session, &finder.finder,
                                                 secrets, moves);
    if (!known && result == 0 && !atomic_load(&r->gives_up))
        redacted_save(directory, &done);
    else if (result < 0 && result != -ENOENT)
        say("secrets stay in files of session %s: %s", session, strerror(-result));
    free(directory);
    return !known;
}

/* In the thread. */
static void do_job(uv_work_t *work)
{
    struct redacting *r = work->data;
    struct job *job = r->job;
    struct secrets_finder finder;
    secrets_finder_init(&finder, job->secrets, &r->gives_up);
    rules_use_here(r->rules);
    if (job->closed)
        uv_mutex_lock(&r->mutex);
    if (job->closed && !job->over)
        job->indexed = take_lines(r, job->session, NULL, NULL);
    r->result = job->over ? 0
                          : secrets_take_out(r->worker->options->state, job->session, &finder,
                                             &job->part, NULL);
    if (job->closed)
        uv_mutex_unlock(&r->mutex);
    rules_use_here(NULL);
}

static void begin_next(struct redacting *r);

static void on_done(uv_work_t *work, int status)
{
    struct redacting *r = work->data;
    struct job *job = r->job;
    r->job = NULL;
    r->indexed = r->indexed || job->indexed;
    rules_destroy(r->rules);
    r->rules = NULL;
    if (status == 0 && r->result < 0 && r->result != -EINTR && r->result != -ENOENT)
        say("secrets stay in files of session %s: %s", job->session,
            r->result == -ELOOP ? "workers died of going through its log" : strerror(-r->result));
    destroy(job);
    begin_next(r);
}

/* An index that was made meanwhile may have been made of what was there before. */
static void drop_index(struct redacting *r)
{
    struct forgotten forgotten = {0};
    if (r->indexed)
        forget_index(r->worker->options->state, &forgotten);
    r->indexed = false;
    forgotten_finish(&forgotten);
}

static void begin_next(struct redacting *r)
{
    if (r->closing || r->job)
        return;
    if (!r->jobs)
        drop_index(r);
    if (!r->jobs)
        return;
    r->job = r->jobs;
    r->jobs = r->job->next;
    r->rules = conf_copy_rules(r->worker->options->conf);
    uv_queue_work(&r->worker->loop, &r->work, do_job, on_done);
}

/* In front of those of sessions that nobody serves. */
static void add(struct redacting *r, struct job *job)
{
    struct job **at = &r->jobs;
    while (*at && (job->closed || !(*at)->closed))
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    begin_next(r);
}

static void add_for(struct redacting *r, const struct session *s, struct secrets_part part)
{
    if (!r->on || session_quarantined(s) || store_owed(session_store(s)).count)
        return; /* what waits for a full disk would be written behind it */
    struct job *before = take_out(r, session_name(s)), *job = memory_new(sizeof *job);
    *job = (struct job){.session = text_copy(session_name(s)),
                        .secrets = redact_secrets_ref((struct redact_secrets *)session_secrets(s)),
                        .part = part};
    job->part.guarded = part.guarded || (before && before->part.guarded);
    if (before)
        destroy(before);
    add(r, job);
}

/* ---- sessions that are served ---- */

void redacting_before(struct redacting *r, const char *session, pid_t shell)
{
    struct redact_secrets *secrets = r->on && shell ? session_secrets_of(shell) : NULL;
    char *directory = directory_of(r, session);
    struct job *closed = take_out(r, session);
    if (closed)
        destroy(closed);
    struct board_place before = board_enter(session, BOARD_OPEN, 0);
    bool waits = redacting_works_on(r, session);
    if (waits)
        uv_mutex_lock(&r->mutex);
    if (r->on)
        r->indexed = take_lines(r, session, secrets, board_moved) || r->indexed;
    else
        redacted_remove(directory);
    if (waits)
        r->job->over = true;
    if (waits)
        uv_mutex_unlock(&r->mutex);
    board_leave(&before);
    redact_secrets_destroy(secrets);
    free(directory);
}

void redacting_opened(struct redacting *r, const struct session *s)
{
    add_for(r, s,
            (struct secrets_part){.offset = session_exited(s) ? session_offset(s) : SECRETS_ENDED,
                                  .seq = store_last_ended(session_store(s)),
                                  .guarded = true});
}

void redacting_settled(struct redacting *r, const struct session *s, uint64_t offset)
{
    add_for(r, s,
            (struct secrets_part){.offset = offset, .seq = store_last_ended(session_store(s))});
}

void redacting_over(struct redacting *r, const struct session *s)
{
    add_for(r, s,
            (struct secrets_part){.offset = session_offset(s),
                                  .seq = store_last_ended(session_store(s))});
}

/* ---- the others ---- */

static void add_closed(void *user, const char *name)
{
    struct redacting *r = user;
    if (worker_find(r->worker, name))
        return;
    struct job *job = memory_new(sizeof *job);
    *job = (struct job){.session = text_copy(name),
                        .part = {.offset = SECRETS_ALL, .seq = SECRETS_ALL, .guarded = true},
                        .closed = true};
    add(r, job);
}

void redacting_go_on(struct redacting *r)
{
    if (r->on)
        forget_each_session(r->worker->options->state, add_closed, r);
}

bool redacting_works_on(struct redacting *r, const char *session)
{
    return r->on && r->job && r->job->closed && !strcmp(r->job->session, session);
}

/* ---- life ---- */

bool redacting_is_on(const struct redacting *r)
{
    return r->on;
}

struct redacting *redacting_create(struct worker *w)
{
    struct redacting *r = memory_new(sizeof *r);
    struct secrets_finder finder;
    r->worker = w;
    r->work.data = r;
    r->on = worker_conf(w)->redact_disk;
    uv_mutex_init(&r->mutex);
    secrets_finder_init(&finder, NULL, NULL);
    if (r->on)
        forget_secrets_in_state(w->options->state, &finder.finder);
    return r;
}

void redacting_close(struct redacting *r)
{
    r->closing = true;
    atomic_store(&r->gives_up, true);
    if (r->job)
        uv_cancel((uv_req_t *)&r->work); /* one that has begun is waited for */
}

void redacting_destroy(struct redacting *r)
{
    while (r->jobs) {
        struct job *job = r->jobs;
        r->jobs = job->next;
        destroy(job);
    }
    uv_mutex_destroy(&r->mutex);
    free(r);
}
