/* Who answers what programs ask: the viewer that leads, or the session's own terminal. */
#include "ptyd/session/private.h"

static void answer(void *session, const struct query *query)
{
    struct session *s = session;
    terminal_answer(s->terminal, query);
}

void session_set_leader(struct session *s, uint64_t viewer)
{
    struct intake_facts *facts = intake_facts(s->intake);
    uint64_t since = terminal_offset(s->terminal) + 1;
    if (!viewer || !s->leader)
        facts->led_from = viewer ? since : 0;
    s->leader = viewer;
    s->leader_since = since;
}

uint64_t session_leader(const struct session *s)
{
    return s->leader;
}

/* Of what it was shown again all is answered now; what follows may be another's. */
static void end_heir(struct session *s, uint64_t viewer)
{
    if (s->heir != viewer)
        return;
    s->heir = 0;
    s->led_from++;
}

/* What viewers leave open is answered now, in order. */
static struct board_place begin_answers(struct session *s)
{
    s->now = clock_now();
    return board_enter(s->name, BOARD_TYPE, terminal_offset(s->terminal));
}

static void end_answers(struct session *s, const struct board_place *before)
{
    session_keep_asked(s);
    board_leave(before);
    if (s->typing.first && !s->parsing)
        session_write_input(s);
}

/* It is shown no more. */
static void end_lead(struct session *s, uint64_t viewer)
{
    if (s->leader == viewer)
        session_set_leader(s, 0);
    end_heir(s, viewer);
}

void session_leave_viewer(struct session *s, uint64_t viewer)
{
    struct board_place before = begin_answers(s);
    end_lead(s, viewer);
    queries_leave(s->queries, viewer, answer, s);
    end_answers(s, &before);
}

void session_pass_over_viewer(struct session *s, uint64_t viewer)
{
    struct board_place before = begin_answers(s);
    end_lead(s, viewer);
    queries_pass_over(s->queries, viewer, answer, s, s->now.monotonic_ms);
    end_answers(s, &before);
}

void session_skip_viewer(struct session *s, uint64_t viewer, uint64_t offset)
{
    struct board_place before = begin_answers(s);
    end_heir(s, viewer);
    queries_skip(s->queries, viewer, offset, answer, s);
    end_answers(s, &before);
}

void session_release_viewer(struct session *s, uint64_t viewer)
{
    if (s->leader == viewer)
        session_set_leader(s, 0);
    queries_release(s->queries, viewer);
    session_keep_asked(s);
}

void session_viewer_took(struct session *s, uint64_t viewer)
{
    queries_took(s->queries, viewer, clock_monotonic_ms());
}

bool session_awaits_viewer(struct session *s, uint64_t viewer)
{
    return queries_awaits(s->queries, viewer, clock_monotonic_ms());
}

/* Its answer comes behind all others, and goes nowhere. */
void session_ask_last(struct session *s, uint64_t viewer)
{
    if (s->leader == viewer)
        session_set_leader(s, 0);
    queries_ask_last(s->queries, viewer, clock_monotonic_ms());
}

/* What is asked of this one is noted as it comes, unless there is no room then. What was asked of a
 * former worker's leader is unanswered, and for the first that is shown any of it. One sequence may
 * ask several things. */
void session_shown_again(struct session *s, uint64_t viewer, const struct query *query,
                         uint64_t offset)
{
    int64_t now = clock_monotonic_ms();
    bool own = s->leader == viewer && offset >= s->leader_since;
    bool inherited = s->led_from && offset >= s->led_from && offset <= s->led_until &&
                     (!s->heir || s->heir == viewer);
    if (queries_shown(s->queries, viewer, query, offset, now))
        return;
    if (inherited) {
        s->led_from = offset;
        s->heir = viewer;
    }
    queries_open(s->queries, viewer, query, offset, now, !own && !inherited);
    session_keep_asked(s);
}

/* ---- what a former worker's leader had yet to answer ---- */

bool session_unanswered(const struct session *s, struct session_asked *ret)
{
    if (!s->asked || s->heir || s->quarantined || s->exited)
        return false;
    *ret = (struct session_asked){
        .read_from = s->asked_from,
        .from = s->asked > s->led_from ? s->asked : s->led_from,
        .until = s->led_until,
    };
    return true;
}

void session_inherit(struct session *s, uint64_t viewer, uint64_t offset, const struct query *query)
{
    queries_open(s->queries, viewer, query, offset, clock_monotonic_ms(), false);
}

void session_set_heir(struct session *s, uint64_t viewer, uint64_t offset)
{
    s->heir = viewer;
    s->led_from = offset + 1 > s->led_from ? offset + 1 : s->led_from;
}

void session_answer(struct session *s, const struct query *query)
{
    s->now = clock_now();
    answer(s, query);
}

void session_asked_over(struct session *s)
{
    struct board_place before = begin_answers(s);
    s->asked = s->led_from = 0;
    end_answers(s, &before);
}
