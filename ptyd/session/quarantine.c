#include "ptyd/session/quarantine.h"

#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "ptyd/session/private.h"

void session_quarantine(struct session *s, const struct board_place *deadly)
{
    struct intake_facts *facts = intake_facts(s->intake);
    struct intake_place place;
    if (!facts->deadly.step && intake_place(s->intake, &place))
        facts->deadly.point = place.point; /* bytes are consumed from here on without one */
    facts->deadly.at = deadly->at;
    facts->deadly.step = deadly->step;
    s->quarantined = true;
    scrub_set_nonce(&s->scrub, facts->nonce[0] ? facts->nonce : NULL);
}

bool session_was_quarantined(const struct session *s)
{
    return !s->quarantined && intake_facts(s->intake)->deadly.step != BOARD_NOTHING;
}

bool session_quarantined(const struct session *s)
{
    return s->quarantined;
}

enum board_step session_deadly_step(const struct session *s)
{
    return intake_facts(s->intake)->deadly.step;
}

size_t session_scrub(struct session *s, char *bytes, size_t len)
{
    return scrub_run(&s->scrub, bytes, len, !s->reaped);
}

/* A line editor waits: then what comes next is a command. */
static bool at_prompt(const struct session *s)
{
    struct termios modes;
    return s->master >= 0 && tcgetpgrp(s->master) == s->pid && tcgetattr(s->master, &modes) == 0 &&
           !(modes.c_lflag & ICANON);
}

static struct tracker_point point_here(const struct session *s)
{
    struct tracker_point point = intake_facts(s->intake)->deadly.point;
    struct block *running = store_running(s->store);
    uint64_t last = running ? running->seq : store_last_ended(s->store);
    point.seq = point.seq > last ? point.seq : last;
    point.state = at_prompt(s) ? TRACKER_INPUT : TRACKER_PROMPT;
    block_unref(running);
    return point;
}

/* In the log a shell begins here, as far as whoever goes through it is concerned. */
static void log_begin(struct session *s, uint64_t at, const struct tracker_point *point)
{
    struct moment now = clock_now();
    const struct intake_facts *facts = intake_facts(s->intake);
    rawlog_skip(s->log, at);
    rawlog_record(s->log, RAWLOG_SHELL, at, now, 0, (uint32_t)point->seq);
    rawlog_record(s->log, RAWLOG_RESIZE, at, now, 0,
                  (uint32_t)facts->cols << 16 | (uint32_t)facts->rows);
    rawlog_record_lost(s->log, at, now, point);
    rawlog_flush(s->log);
}

void session_go_on_from_here(struct session *s)
{
    struct intake_facts *facts = intake_facts(s->intake);
    uint64_t at = intake_start(s->intake);
    struct tracker_point point = point_here(s);
    log_begin(s, at, &point);
    store_end_unseen(s->store, s->terminal);
    s->checkpoint_at = at;
    s->now = clock_now();
    terminal_set_offset(s->terminal, at);
    tracker_set_point(s->tracker, &point, s->now);
    intake_set_place(s->intake, at,
                     &(struct intake_place){.point = point, .keys = {.in_doubt = true}});
    facts->prompt_line = (struct prompt_line){0}; /* nobody saw what came of what was typed */
    facts->deadly.step = BOARD_NOTHING;           /* last: who dies before does it again */
}
