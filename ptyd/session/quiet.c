/* Where marks are missing: a look when output has stopped, and another where it came too early.
 * Nothing is guessed and nobody is left waiting. */
#define _GNU_SOURCE
#include "ptyd/session/private.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "ptyd/session/process.h"

/* Another program runs where the shell was (exec). */
static bool is_replaced(const struct session *s)
{
    uint64_t was = intake_facts(s->intake)->process;
    uint64_t now = was ? process_fingerprint(s->pid) : 0;
    return now && now != was;
}

/* The timer says that this loop saw nothing for a while. On a busy machine the loop may only be
 * late: then output waits, and what is known of the shell is out of date. */
bool session_output_waits(const struct session *s)
{
    struct pollfd master = {.fd = s->master, .events = POLLIN};
    return s->flow || intake_waiting(s->intake) || poll(&master, 1, 0) != 0;
}

/* Between two commands it waits for what its hooks and its prompt are made of; a line editor that
 * is at work, like ble.sh's, has its terminal raw then. */
static bool is_at_work(const struct session *s)
{
    return process_works(s->pid) ||
           (tracker_between(s->tracker) && process_waits_for_others(s->pid));
}

/* The shell may be about to do what was typed: another look later, less and less often. */
static void look_again(uv_timer_t *timer)
{
    uint64_t before = uv_timer_get_repeat(timer);
    uint64_t next = before ? 2 * before : QUIET_PROMPT_MS;
    next = next < QUIET_LOOK_MS ? next : QUIET_LOOK_MS;
    uv_timer_start(timer, session_on_quiet, next, next);
}

bool session_awaits_rest(const struct session *s)
{
    return tracker_waits(s->tracker) || tracker_unsure(s->tracker) || tracker_doubts(s->tracker);
}

/* Lines are due, or are missing, at the prompt of a shell that waits for one: commands read them.
 */
static void forget_read(struct session *s)
{
    if (tracker_doubts(s->tracker) && session_rests(s))
        tracker_dispel(s->tracker);
    if (!(tracker_waits(s->tracker) || tracker_unsure(s->tracker)) || !session_rests(s))
        return;
    tracker_settle(s->tracker, true);
    session_keep_place(s, intake_start(s->intake));
}

/* Behind a Ctrl-C the shell is about to say its next prompt, or reads on at this one. */
static void read_on(struct session *s, uv_timer_t *timer)
{
    if (!tracker_gave_up(s->tracker))
        return;
    if (!session_rests(s)) {
        look_again(timer);
        return;
    }
    tracker_read_on(s->tracker);
    session_keep_place(s, intake_start(s->intake));
}

/* What was typed at the prompt was read. An Enter that began no command and brought no prompt may
 * have gone on with the line. One that is not there is forgotten: what a job prints later says
 * nothing of it. */
static void settle_line(struct session *s, uv_timer_t *timer, bool edits)
{
    if (!session_knows_line(s)) {
        look_again(timer);
    } else if (!session_has_line(s)) {
        s->answered = s->ahead = false;
        if (edits)
            session_forget_line(s);
    }
}

/* A line editor waits when the shell's group is in front and the terminal edits no lines. Whoever
 * waits for a prompt is told so; with marks that work it ends no block.
 *
 * Two shells never say that a command ended: one that was replaced (`exec`), and one whose hooks
 * were taken away, which shows in a prompt that still prints B. Where such a one waits for a line
 * the block ends, without an exit code. */
static void look(struct session *s, uv_timer_t *timer)
{
    struct termios modes;
    if (!s->reaped && session_output_waits(s)) {
        look_again(timer);
        return;
    }
    if (s->reaped || tcgetpgrp(s->master) != s->pid || tcgetattr(s->master, &modes) < 0)
        return;
    bool edits = !(modes.c_lflag & ICANON);
    bool replaced = is_replaced(s);
    if (replaced && session_integrated(s)) {
        tracker_set_lost(s->tracker, "another program took the shell's place (exec)");
        s->now = clock_now();
        if (edits)
            tracker_abandon(s->tracker, s->now, false, 0);
    }
    if (edits && tracker_prompt_shown(s->tracker)) {
        tracker_set_lost(s->tracker, "its prompt comes without the integration's hooks: was "
                                     "PROMPT_COMMAND, or the like, taken away?");
        s->now = clock_now();
        tracker_abandon(s->tracker, s->now, false, 0);
    }
    if (edits && tracker_state(s->tracker) == TRACKER_START && session_integrated(s))
        tracker_set_lost(s->tracker, "its start-up files kept the integration out: no mark came");
    read_on(s, timer);
    if (!edits && !replaced && tracker_state(s->tracker) != TRACKER_INPUT)
        return;
    bool waits = session_input_read(s) && !is_at_work(s);
    if (!waits && (!LIST_EMPTY(&s->watchers) || session_awaits_rest(s)))
        look_again(timer);
    if (waits && tracker_state(s->tracker) == TRACKER_INPUT) {
        settle_line(s, timer, edits);
        forget_read(s);
    }
    if (waits && tracker_state(s->tracker) == TRACKER_INPUT &&
        !terminal_bracketed_paste(s->terminal))
        s->brackets = BRACKETS_UNUSED;
    if (waits)
        EACH_WATCHER(s, maybe_prompt, w_);
}

void session_on_quiet(uv_timer_t *timer)
{
    struct session *s = timer->data;
    uv_timer_stop(timer);
    if (s->quarantined)
        return;
    struct board_place before = board_enter(s->name, BOARD_TIMER, terminal_offset(s->terminal));
    look(s, timer);
    board_leave(&before);
}
