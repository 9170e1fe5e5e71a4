/* What a viewer has yet to answer when a worker dies is in no log. The facts say where the oldest
 * of it stands in the stream; terminals answer in order, so that all behind that is unanswered,
 * too. The leader that comes back is shown what it was not, and answers that. Where none does
 * within the time that it is waited for, the session's own terminal answers. */
#include "ptyd/session/private.h"

#include "base/limits.h"

/* What a former worker left stays until somebody answers it: this one may die, too. */
void session_keep_asked(struct session *s)
{
    struct intake_facts *facts = intake_facts(s->intake);
    uint64_t offset = 0;
    int64_t since = 0;
    if (s->asked && !s->heir)
        return;
    if (queries_oldest(s->queries, &offset, &since) && !facts->asked)
        facts->asked_from = s->read_from;
    facts->asked_ms = since;
    facts->asked = offset;
}

/* What was asked too long ago no terminal will answer; what stands behind `led_until` is taken in
 * again. */
void session_recall_asked(struct session *s)
{
    struct intake_facts *facts = intake_facts(s->intake);
    bool late = clock_monotonic_ms() - facts->asked_ms >= LIMIT_QUERY_MS;
    s->led_from = facts->led_from;
    s->led_until = intake_start(s->intake);
    facts->asked = late || facts->asked > s->led_until ? 0 : facts->asked;
    s->asked = facts->asked;
    s->asked_from = facts->asked_from;
}
