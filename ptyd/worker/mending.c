#include "ptyd/worker/mending.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_files.h"
#include "ptyd/worker/chore.h"
#include "ptyd/worker/forgetting.h"
#include "ptyd/worker/redacting.h"

/* Fewer are compared faster than a thread begins. */
#define LONG_BYTES (1 << 20)
#define AT_ONCE    4 /* each holds what both files have */

struct mending {
    struct mending *next;
    struct chore chore;
    struct worker *worker;
    char *name, *directory;
    json_t *params;
    void (*then)(struct worker *w, const char *name, const json_t *params);
    struct block_mended mended;
    struct aside before; /* what the last one found, behind which nothing was opened */
    bool begun, done;
};

static struct mending *all; /* the newest first */
static int working;         /* of them */

static struct mending *find(const char *name)
{
    struct mending *m = all;
    while (m && strcmp(m->name, name) != 0)
        m = m->next;
    return m;
}

static void compare(struct chore *chore)
{
    struct mending *m = chore->user;
    block_mend_ahead(m->directory, &m->mended);
}

static void destroy(struct mending *m)
{
    for (struct mending **at = &all; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    aside_finish(&m->mended.aside);
    aside_finish(&m->before);
    json_decref(m->params);
    free(m->name);
    free(m->directory);
    free(m);
}

static struct mending *find_waiting(void)
{
    struct mending *oldest = NULL;
    for (struct mending *m = all; m; m = m->next)
        oldest = m->begun ? oldest : m;
    return oldest;
}

static void on_compared(struct chore *chore, int status);

static void begin_waiting(void)
{
    struct mending *m;
    while (working < AT_ONCE && (m = find_waiting())) {
        m->begun = true;
        working++;
        chore_begin(&m->worker->loop, &m->chore, compare, on_compared);
    }
}

/* Nobody opens these any more: an end waits for those alone that a thread is at. */
static void give_up(struct mending *m)
{
    destroy(m);
    while ((m = find_waiting()))
        destroy(m);
}

/* Where no thread is to be had, the loop does it. */
static void on_compared(struct chore *chore, int status)
{
    struct mending *m = chore->user;
    working--;
    if (uv_is_closing((uv_handle_t *)&m->worker->idle_timer)) { /* it ends */
        give_up(m);
        return;
    }
    if (status < 0)
        compare(chore);
    begin_waiting();
    m->done = true;
    aside_take(&m->mended.aside, &m->before);
    m->then(m->worker, m->name, m->params); /* which may forget it */
}

bool mending_begin(struct worker *w, const char *name, const json_t *params,
                   void (*then)(struct worker *w, const char *name, const json_t *params))
{
    char *directory = text_format("%s/conversations/%s/agent_pty", w->options->state, name);
    struct mending *former = find(name); /* nothing was opened behind it */
    if (worker_find(w, name) || forgetting_works(w->forgetting) ||
        redacting_works_on(w->redacting, name) || block_files_bytes(directory) < LONG_BYTES) {
        free(directory);
        return false;
    }
    struct mending *m = memory_new(sizeof *m);
    *m = (struct mending){.next = all,
                          .chore.user = m,
                          .worker = w,
                          .name = text_copy(name),
                          .directory = directory,
                          .params = json_deep_copy(params),
                          .then = then};
    if (former) {
        aside_take(&m->before, &former->mended.aside);
        destroy(former);
        m->next = all;
    }
    all = m;
    begin_waiting();
    return true;
}

bool mending_is_under_way(const char *name)
{
    const struct mending *m = find(name);
    return m && !m->done;
}

struct block_mended *mending_of(const char *name)
{
    struct mending *m = find(name);
    return m && m->done ? &m->mended : NULL;
}

void mending_forget(const char *name)
{
    struct mending *m = find(name);
    if (m && m->done)
        destroy(m);
}
