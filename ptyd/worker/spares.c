#include "ptyd/worker/spares.h"

#include <stdlib.h>
#include <uv.h>

#include "base/memory.h"
#include "ptyd/session/spare.h"
#include "ptyd/start/plan.h"
#include "ptyd/worker/worker.h"

#define MOMENT_MS 30 /* by then a shell that begins has shown its prompt, as a rule */

struct spares {
    uv_timer_t timer; /* first: it is freed with it */
    struct worker *worker;
};

static void on_timer(uv_timer_t *timer)
{
    const struct worker *w = ((struct spares *)timer->data)->worker;
    spare_make(w->options->state, w->host.redacts);
    plan_make_spare(w->options->runtime);
}

void spares_used(struct spares *s)
{
    if (s && !uv_is_closing((uv_handle_t *)&s->timer))
        uv_timer_start(&s->timer, on_timer, MOMENT_MS, 0);
}

struct spares *spares_create(struct worker *worker)
{
    struct spares *s = memory_new(sizeof *s);
    s->worker = worker;
    uv_timer_init(&worker->loop, &s->timer);
    s->timer.data = s;
    spares_used(s);
    return s;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void spares_close(struct spares *s)
{
    if (!s || uv_is_closing((uv_handle_t *)&s->timer))
        return;
    spare_remove(s->worker->options->state);
    plan_remove_spare(s->worker->options->runtime);
    uv_close((uv_handle_t *)&s->timer, on_closed);
}
