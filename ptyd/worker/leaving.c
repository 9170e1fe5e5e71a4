#include "ptyd/worker/leaving.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/worker/worker.h"

struct leaving {
    uv_timer_t timer; /* first: it is freed with it */
    struct leaving *next;
    struct worker *worker;
    struct session *session;
    int64_t until_ms; /* monotonic */
};

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void go(struct leaving *l)
{
    struct leaving **at = &l->worker->leaving;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    session_destroy(l->session);
    uv_close((uv_handle_t *)&l->timer, on_closed);
}

static void on_time(uv_timer_t *timer)
{
    struct leaving *l = timer->data;
    int64_t left = l->until_ms - clock_monotonic_ms();
    if (left > 0 && session_is_held(l->session))
        uv_timer_start(timer, on_time, (uint64_t)left, 0);
    else
        go(l);
}

void leaving_add(struct worker *w, struct session *s)
{
    if (!session_is_held(s)) {
        session_destroy(s);
        return;
    }
    struct leaving *l = memory_new(sizeof *l);
    *l = (struct leaving){.worker = w,
                          .session = s,
                          .next = w->leaving,
                          .until_ms = clock_monotonic_ms() + LIMIT_LEAVING_MS};
    uv_timer_init(&w->loop, &l->timer);
    l->timer.data = l;
    w->leaving = l;
    uv_timer_start(&l->timer, on_time, LIMIT_LEAVING_MS, 0);
}

void leaving_look(struct worker *w)
{
    for (struct leaving *l = w->leaving; l; l = l->next)
        uv_timer_start(&l->timer, on_time, 0, 0);
}

void leaving_end(struct worker *w, const char *name)
{
    for (struct leaving *l = w->leaving, *next; l; l = next) {
        next = l->next;
        if (!name || !strcmp(session_name(l->session), name))
            go(l);
    }
}

int leaving_count(const struct worker *w)
{
    int count = 0;
    for (const struct leaving *l = w->leaving; l; l = l->next)
        count++;
    return count;
}
