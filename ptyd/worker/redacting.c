/* In threads, one job at a time of sessions that are served, and one of the others: who types
 * does not wait for what is long over. What a thread needs of the loop goes with the job: the
 * shell's secrets, and a copy of the user's rules. */
#include "ptyd/worker/redacting.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/former.h"
#include "ptyd/core/intake.h"
#include "ptyd/core/redacted.h"
#include "ptyd/core/rules.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/overlay.h"
#include "ptyd/forget/secrets.h"
#include "ptyd/worker/chore.h"
#include "ptyd/worker/mending.h"
#include "ptyd/worker/upgrade.h"

struct job {
    struct job *next;
    char *session;
    struct redact_secrets *secrets;
    struct secrets_part part;
    bool closed;  /* nobody serves it */
    bool indexed; /* then: the index may have what is gone now */
    atomic_bool gives_up;
    int64_t wait_ms, due_ms; /* it failed: until it is tried again */
};

enum { SERVED, CLOSED, LANES };

struct lane {
    struct redacting *redacting;
    struct job *job;     /* at hand, or NULL; the thread's while it works */
    struct rules *rules; /* of the thread */
    int result;
    struct chore chore;
};

struct redacting {
    struct worker *worker;
    bool on;
    struct job *jobs;  /* that wait for a thread */
    struct job *later; /* for room on the disk, or another try */
    struct lane lanes[LANES];
    bool indexed; /* the index may have what is gone now */
    bool closing;
    uv_mutex_t mutex; /* files of a session that is not served are gone through */
    uv_timer_t again; /* runs while some wait for later */
    uv_timer_t other; /* and this one until another worker begins */
};

/* ---- jobs ---- */

static void destroy(struct job *job)
{
    redact_secrets_destroy(job->secrets);
    free(job->session);
    free(job);
}

static struct job *take_out_of(struct job **at, const char *session)
{
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->session, session)) {
            struct job *job = *at;
            *at = job->next;
            return job;
        }
    return NULL;
}

/* There is one at most that is not at hand. */
static struct job *take_out(struct redacting *r, const char *session)
{
    struct job *job = take_out_of(&r->jobs, session);
    return job ? job : take_out_of(&r->later, session);
}

static bool is_at_hand(const struct redacting *r, int lane, const char *session)
{
    return r->lanes[lane].job && !strcmp(r->lanes[lane].job->session, session);
}

static char *directory_of(const struct redacting *r, const char *session)
{
    return text_format("%s/conversations/%s/agent_pty", r->worker->options->state, session);
}

/* ---- in the thread, and before a session is opened ---- */

/* Whether the index may have anything of the session: it is made of these lines. */
static bool is_listed(const char *directory)
{
    char *lines = text_format("%s/blocks.jsonl", directory), *old = text_format("%s.1", lines);
    bool listed = access(lines, F_OK) == 0 || access(old, F_OK) == 0;
    free(lines);
    free(old);
    return listed;
}

/* All that is not its log or an output, where that was not done. What is `owed` by the worker
 * before comes behind it. Returns whether it was done now, and the index may have what is gone. */
static bool take_lines(struct redacting *r, const char *session,
                       const struct secrets_finder *finder, bool owed, int *ret_result,
                       void (*moves)(void))
{
    char *directory = directory_of(r, session);
    struct redacted done = {0};
    bool known = redacted_load(directory, &done) && done.lines, listed = is_listed(directory);
    int result = known ? 0
                       : forget_secrets_in_lines(r->worker->options->state, session,
                                                 &finder->finder, finder->secrets, moves);
    if (!known && result == 0) {
        done.lines = !owed;
        redacted_save(directory, &done);
    }
    *ret_result = result == -ENOENT ? 0 : result;
    free(directory);
    return !known && listed;
}

static void go_through(struct lane *lane)
{
    struct redacting *r = lane->redacting;
    struct job *job = lane->job;
    struct secrets_finder finder;
    int lines = 0;
    if (job->closed && !job->secrets)
        former_read(r->worker->options->state, job->session, &job->secrets);
    secrets_finder_init(&finder, job->secrets, &job->gives_up);
    if (job->closed)
        job->indexed = take_lines(r, job->session, &finder, false, &lines, NULL);
    lane->result =
        secrets_take_out(r->worker->options->state, job->session, &finder, &job->part, NULL);
    lane->result = lines < 0 ? lines : lane->result;
}

/* Who takes the mutex behind a job's giving up knows that its files are let go of, or never were
 * touched. */
static void do_job(struct chore *chore)
{
    struct lane *lane = chore->user;
    struct redacting *r = lane->redacting;
    rules_use_here(lane->rules);
    if (lane->job->closed)
        uv_mutex_lock(&r->mutex);
    lane->result = -EINTR;
    if (!atomic_load(&lane->job->gives_up))
        go_through(lane);
    if (lane->job->closed)
        uv_mutex_unlock(&r->mutex);
    rules_use_here(NULL);
}

/* ---- one after the other ---- */

static void on_again(uv_timer_t *timer);

static void put_off(struct redacting *r, struct job *job)
{
    job->next = r->later;
    r->later = job;
    if (!uv_is_active((uv_handle_t *)&r->again))
        uv_timer_start(&r->again, on_again, LIMIT_REDACT_AGAIN_MS, 0);
}

static bool begin_lane(struct redacting *r, int at);

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
    bool works = false;
    if (r->closing)
        return;
    for (int at = 0; at < LANES; at++)
        works = begin_lane(r, at) || works;
    if (!works && !r->jobs)
        drop_index(r);
}

/* It is said once. */
static void try_again(struct redacting *r, struct job *job, int result)
{
    if (!job->wait_ms)
        say("secrets stay in files of session %s: %s", job->session, strerror(-result));
    job->wait_ms = !job->wait_ms                                   ? LIMIT_REDACT_AGAIN_MS
                   : job->wait_ms * 2 < LIMIT_REDACT_AGAIN_MOST_MS ? job->wait_ms * 2
                                                                   : LIMIT_REDACT_AGAIN_MOST_MS;
    job->due_ms = clock_monotonic_ms() + job->wait_ms;
    put_off(r, job);
}

/* Where it failed one that came meanwhile goes through the same, and more. */
static void on_done(struct chore *chore, int status)
{
    struct lane *lane = chore->user;
    struct redacting *r = lane->redacting;
    struct job *job = lane->job, *next;
    lane->job = NULL;
    rules_destroy(lane->rules);
    lane->rules = NULL;
    int result = status < 0 ? status : lane->result;
    bool failed = result < 0 && result != -ENOENT && !r->closing && !atomic_load(&job->gives_up);
    if (job->indexed && (!failed || !job->wait_ms)) /* not with each other try */
        r->indexed = true;
    next = failed ? take_out(r, job->session) : NULL;
    if (next) {
        next->wait_ms = job->wait_ms;
        next->part.guarded = next->part.guarded || job->part.guarded;
        destroy(job);
        job = next;
    }
    if (failed)
        try_again(r, job, result);
    else
        destroy(job);
    begin_next(r);
}

/* The next one of a lane; files that somebody compares stay as they are meanwhile. */
static struct job *take_next(struct redacting *r, int lane)
{
    for (struct job **at = &r->jobs; *at;) {
        struct job *job = *at;
        bool compared =
            job->closed && (mending_is_under_way(job->session) || mending_of(job->session));
        if (job->closed != (lane == CLOSED) || is_at_hand(r, LANES - 1 - lane, job->session)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        if (!compared)
            return job;
        put_off(r, job);
    }
    return NULL;
}

/* Returns whether it has something at hand. */
static bool begin_lane(struct redacting *r, int at)
{
    struct lane *lane = &r->lanes[at];
    if (!lane->job && (lane->job = take_next(r, at))) {
        lane->rules = conf_copy_rules(r->worker->options->conf);
        chore_begin(&r->worker->loop, &lane->chore, do_job, on_done);
    }
    return lane->job;
}

static void add(struct redacting *r, struct job *job)
{
    struct job **at = &r->jobs;
    while (*at)
        at = &(*at)->next;
    job->next = NULL;
    *at = job;
    begin_next(r);
}

/* What waits for a full disk would be written behind it. */
static bool owes(const struct redacting *r, const char *session)
{
    const struct session *s = worker_find(r->worker, session);
    return s && store_owed(session_store(s)).count;
}

static void on_again(uv_timer_t *timer)
{
    struct redacting *r = timer->data;
    struct job *next = r->later;
    r->later = NULL;
    for (struct job *job = next; job; job = next) {
        next = job->next;
        if (clock_monotonic_ms() < job->due_ms || owes(r, job->session))
            put_off(r, job);
        else
            add(r, job);
    }
}

/* One that still waits is done with it. */
static void add_for(struct redacting *r, const struct session *s, struct secrets_part part)
{
    if (!r->on || session_quarantined(s))
        return;
    struct job *before = take_out(r, session_name(s)), *job = memory_new(sizeof *job);
    *job = (struct job){.session = text_copy(session_name(s)),
                        .secrets = redact_secrets_ref((struct redact_secrets *)session_secrets(s)),
                        .part = part};
    if (before) {
        job->part.guarded = part.guarded || before->part.guarded;
        job->part.offset = part.offset > before->part.offset ? part.offset : before->part.offset;
        job->wait_ms = before->wait_ms;
        destroy(before);
    }
    if (store_owed(session_store(s)).count)
        put_off(r, job);
    else
        add(r, job);
}

/* ---- another worker ---- */

/* What was owed is still to be written; what found no room finds some now, or will not yet. */
static void on_other(uv_timer_t *timer)
{
    struct redacting *r = timer->data;
    uint64_t token, wait_ms = LIMIT_REDACT_AGAIN_MS;
    bool owe = false;
    for (int i = 0; r->on && i < r->worker->session_count; i++)
        owe = owe || owes(r, session_name(r->worker->sessions[i]));
    int result = owe ? 0
                 : getrandom(&token, sizeof token, GRND_NONBLOCK) == sizeof token
                     ? upgrade_begin_worker(r->worker, token >> 1 | 1)
                     : -EAGAIN;
    if (result < 0 && result != -EBUSY && result != -EAGAIN) {
        say("secrets stay in files until another worker begins: %s", strerror(-result));
        wait_ms = LIMIT_REDACT_AGAIN_MOST_MS;
    }
    uv_timer_start(timer, on_other, wait_ms, 0);
}

static void want_other(struct redacting *r, uint64_t wait_ms)
{
    if (!r->closing && !uv_is_active((uv_handle_t *)&r->other))
        uv_timer_start(&r->other, on_other, wait_ms, 0);
}

void redacting_look(struct redacting *r)
{
    if (!r->on && worker_conf(r->worker)->redact_disk)
        want_other(r, 0);
}

static bool finds_no_room(int result)
{
    return result == -ENOSPC || result == -EDQUOT || result == -EROFS;
}

/* ---- sessions that are served ---- */

/* What works on its files lets go of them. */
static void end_closed(struct redacting *r, const char *session)
{
    struct job *waiting = take_out(r, session);
    if (waiting)
        destroy(waiting);
    if (!redacting_works_on(r, session))
        return;
    atomic_store(&r->lanes[CLOSED].job->gives_up, true);
    uv_mutex_lock(&r->mutex);
    uv_mutex_unlock(&r->mutex);
}

void redacting_before(struct redacting *r, const char *session, int intake, pid_t shell, bool owed)
{
    char shell_id[32];
    intake_read_shell_id(intake, shell_id);
    const char *state = r->worker->options->state;
    struct redact_secrets *secrets =
        r->on ? session_secrets_of(state, session, shell_id, shell) : NULL;
    char *directory = directory_of(r, session);
    struct secrets_finder finder;
    struct board_place before = board_enter(session, BOARD_OPEN, 0);
    int result = 0;
    secrets_finder_init(&finder, secrets, NULL);
    end_closed(r, session);
    int begun = overlay_go_on(directory); /* half a secret is none in what is made of the log */
    if (begun < 0)
        say("what is covered in session %s could not be finished: %s", session, strerror(-begun));
    if (r->on)
        r->indexed = take_lines(r, session, &finder, owed, &result, board_moved) || r->indexed;
    else
        redacted_remove(directory);
    if (result < 0)
        say("secrets stay in files of session %s: %s", session, strerror(-result));
    if (r->on && owed)
        want_other(r, LIMIT_REDACT_AGAIN_MS);
    else if (finds_no_room(result))
        want_other(r, LIMIT_REDACT_ROOM_MS);
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
    redacting_look(r);
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
    return is_at_hand(r, CLOSED, session);
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
    for (int i = 0; i < LANES; i++)
        r->lanes[i] = (struct lane){.redacting = r, .chore.user = &r->lanes[i]};
    r->on = worker_conf(w)->redact_disk;
    uv_mutex_init(&r->mutex);
    uv_timer_init(&w->loop, &r->again);
    uv_timer_init(&w->loop, &r->other);
    r->again.data = r->other.data = r;
    secrets_finder_init(&finder, NULL, NULL);
    int result = r->on ? forget_secrets_in_state(w->options->state, &finder.finder) : 0;
    if (result < 0)
        say("secrets stay in files of the state directory: %s", strerror(-result));
    return r;
}

void redacting_close(struct redacting *r)
{
    r->closing = true;
    uv_close((uv_handle_t *)&r->again, NULL);
    uv_close((uv_handle_t *)&r->other, NULL);
    for (int i = 0; i < LANES; i++)
        if (r->lanes[i].job) /* it is waited for */
            atomic_store(&r->lanes[i].job->gives_up, true);
}

static void destroy_all(struct job *job)
{
    for (struct job *next; job; job = next) {
        next = job->next;
        destroy(job);
    }
}

void redacting_destroy(struct redacting *r)
{
    destroy_all(r->jobs);
    destroy_all(r->later);
    uv_mutex_destroy(&r->mutex);
    free(r);
}
