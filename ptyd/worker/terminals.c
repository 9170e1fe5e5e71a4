/* The numbers are not written down: the directories of the sessions that there were are, and the
 * list of those that were removed, and they are looked through once. */
#include "ptyd/worker/terminals.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/worker.h"

#define PREFIX "term-"

/* A session whose terminal is waited for. */
struct expected {
    char *name;
    int64_t until_ms; /* monotonic */
};

struct terminals {
    uv_timer_t timer; /* first: it is freed with it */
    struct worker *worker;
    struct expected *expected; /* in order of time */
    size_t count;
    long last; /* number that was given out, or that one of the files names; 0 before the first */
};

/* ---- names ---- */

char *terminals_new_name(struct worker *w)
{
    struct terminals *t = w->terminals;
    char *name = NULL;
    if (!t->last)
        t->last = kept_last_number(w->options->state, PREFIX);
    do {
        free(name);
        name = text_format(PREFIX "%ld", ++t->last);
    } while (worker_find(w, name) || kept_exists(w->options->state, name));
    return name;
}

bool terminals_is_name(const char *name)
{
    size_t len = strlen(PREFIX);
    return !strncmp(name, PREFIX, len) && name[len] &&
           !name[len + strspn(name + len, "0123456789")];
}

/* ---- their ends ---- */

static void on_time(uv_timer_t *timer);

static void wait_for_first(struct terminals *t)
{
    int64_t wait = t->count ? t->expected[0].until_ms - clock_monotonic_ms() : 0;
    if (t->count)
        uv_timer_start(&t->timer, on_time, wait > 0 ? (uint64_t)wait : 0, 0);
    else
        uv_timer_stop(&t->timer);
}

static void take_out(struct terminals *t, size_t i)
{
    free(t->expected[i].name);
    memmove(t->expected + i, t->expected + i + 1, (t->count - i - 1) * sizeof *t->expected);
    t->count--;
}

static void end(struct worker *w, const char *name)
{
    struct session *s = worker_find(w, name);
    if (!s || !session_is_terminals(s))
        return;
    if (session_exited(s))
        worker_forget(w, s);
    else if (session_quarantined(s)) /* its terminal was refused, and told that the shell lives */
        session_leave(s);
    else if (session_is_owned(s))
        worker_tell(w, WIRE_CLOSE, name, NULL, 0);
}

/* Whoever still gets what it missed is waited for: it is looked at again. */
static void on_time(uv_timer_t *timer)
{
    struct terminals *t = timer->data;
    while (t->count && t->expected[0].until_ms <= clock_monotonic_ms()) {
        const struct session *s = worker_find(t->worker, t->expected[0].name);
        if (s && session_exited(s) && view_owner_lacks(s)) {
            terminals_expect(t->worker, s);
            continue;
        }
        end(t->worker, t->expected[0].name);
        take_out(t, 0);
    }
    wait_for_first(t);
}

void terminals_expect(struct worker *w, const struct session *s)
{
    struct terminals *t = w->terminals;
    if (!session_is_terminals(s) || uv_is_closing((uv_handle_t *)&t->timer))
        return;
    terminals_came(w, s);
    t->expected = memory_grow(t->expected, (t->count + 1) * sizeof *t->expected);
    t->expected[t->count++] = (struct expected){
        .name = text_copy(session_name(s)), .until_ms = clock_monotonic_ms() + LIMIT_RECONNECT_MS};
    wait_for_first(t);
}

void terminals_came(struct worker *w, const struct session *s)
{
    struct terminals *t = w->terminals;
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->expected[i].name, session_name(s))) {
            take_out(t, i);
            return;
        }
}

/* ---- life ---- */

struct terminals *terminals_create(struct worker *worker)
{
    struct terminals *t = memory_new(sizeof *t);
    t->worker = worker;
    uv_timer_init(&worker->loop, &t->timer);
    t->timer.data = t;
    return t;
}

static void on_closed(uv_handle_t *handle)
{
    struct terminals *t = handle->data;
    while (t->count)
        take_out(t, t->count - 1);
    free(t->expected);
    free(t);
}

void terminals_close(struct terminals *t)
{
    if (t && !uv_is_closing((uv_handle_t *)&t->timer))
        uv_close((uv_handle_t *)&t->timer, on_closed);
}
