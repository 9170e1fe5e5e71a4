/* A viewer of one command, which somebody runs (run.h): it is shown what that prints, and nothing
 * of the shell's, and its keys go to it. It gets the program's bytes whoever leads, for it has no
 * screen that could be drawn: only where it leads the session waits for it.
 *
 * Its block is known by the run's token. What came of it before the viewer did stands in the log.
 */
#include <stddef.h>

#include "ptyd/core/json.h"
#include "ptyd/worker/view_private.h"
#include "ptyd/worker/worker.h"

/* Its block is known; from there on it gets what comes, or first what came since. */
static void begin(struct view *v, uint64_t seq)
{
    v->seq = seq;
    v->live = true;
}

static void end(struct view *v, uint64_t until)
{
    v->until = until;
    v->ended = true;
}

bool view_run_is_known(const struct session *s, const json_t *params)
{
    uint64_t token = (uint64_t)json_number(params, "run", 0);
    bool began = json_flag(params, "again") && json_number(params, "offset", 0);
    return !token || !began || session_find_run(s, token);
}

void view_run_join(struct view *v, const json_t *params)
{
    struct session *s = v->task.session;
    const struct run_record *record = session_find_run(s, v->run);
    uint64_t offset = (uint64_t)json_number(params, "offset", 0), from, until;
    if (!record || record->state != RUN_BEGAN ||
        !session_find_output(s, record->seq, &from, &until))
        return;
    begin(v, record->seq);
    v->led = offset != 0;
    feed_resume(&v->feed, offset > from ? offset : from);
    if (until)
        end(v, until);
}

/* In the midst of a piece: who leads is settled behind it. */
void view_run_begins(struct view *v, const struct block *block)
{
    const struct run_record *record = session_find_run(v->task.session, v->run);
    if (!v->run || v->seq || !record || record->state != RUN_BEGAN || record->seq != block->seq)
        return;
    begin(v, block->seq);
    feed_begin(&v->feed, terminal_shown_offset(session_terminal(v->task.session)));
    if (v->leading.leads) /* it may be asked in this very piece */
        session_set_leader(v->task.session, v->number);
}

void view_run_on_output_end(struct watcher *w, struct block *block)
{
    struct view *v = view_of(w);
    struct session *s = v->task.session;
    if (!v->run || v->seq != block->seq || v->ended)
        return;
    end(v, terminal_shown_offset(session_terminal(s)));
    session_release_viewer(s, v->number); /* what the shell asks now it is not shown */
}

/* Who runs a command typed last. */
void view_run_settle(struct view *v)
{
    if (!v->run)
        return;
    if (v->seq && !v->ended && !v->led) {
        v->led = true;
        view_lead(v);
    }
    view_settle(v);
}
