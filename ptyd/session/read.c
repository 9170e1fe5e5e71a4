/* A session's bytes, from the first to the last: read into shared memory (intake), scanned by the
 * terminal on a copy, written to the log without nonces, and only then consumed. A worker that dies
 * anywhere in between is followed by one that finds the rest in the shared memory; rebuild.c brings
 * its terminal and tracker to the same point from the log first. */
#define _GNU_SOURCE
#include "ptyd/session/private.h"
#include "ptyd/session/quarantine.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_AGAIN_MS  200         /* between two tries to go on with a broken log */
#define REST_AGAIN_MS 1000        /* the same while nothing comes */
#define TIME_MS       10          /* between records of when bytes came */
#define FLOOD_BYTES   (16 * 1024) /* found at one wakeup is much */
#define FLOOD_WAKEUPS 8           /* in a row are a flood */
#define PASTE_BYTES   4096        /* yet to be typed: no hand's */
#define ECHO_BYTES    64          /* as few may be all that there is */
#define FLOOD_ROOM    (64 * 1024) /* and worth a thread only where as much may be read ahead */
#define TYPED_MS      1000        /* after somebody typed the session is urgent so long */

/* ---- what could not be written ---- */

/* A broken log is tried again when more comes, a moment later. Terminal, blocks and context do not
 * need it; a worker to come goes on from the next checkpoint. */
static void log_again(struct session *s, uint64_t start, const char *bytes, size_t len)
{
    struct tracker_point point = tracker_point(s->tracker);
    if (s->now.monotonic_ms - s->log_tried_ms < LOG_AGAIN_MS)
        return;
    s->log_tried_ms = s->now.monotonic_ms;
    s->checkpoint_due = rawlog_resume(s->log, start, bytes, s->paused ? 0 : len, s->now, &point);
}

static bool log_is_broken(const struct session *s)
{
    int64_t since;
    return rawlog_error(s->log, &since) != 0;
}

/* Nothing wakes the loop once all is written. */
static void on_again(uv_timer_t *timer)
{
    struct session *s = timer->data;
    s->now = clock_now();
    int again = store_pay(s->store);
    if (!s->exited && log_is_broken(s))
        log_again(s, intake_start(s->intake), NULL, 0);
    if (!s->exited && !s->quarantined)
        session_checkpoint(s);
    if (!again)
        session_screen_flush(s);
    if (!again && !s->exited && (log_is_broken(s) || (s->checkpoint_failed && !s->quarantined)))
        again = REST_AGAIN_MS;
    if (again)
        uv_timer_start(timer, on_again, (uint64_t)again, 0);
}

void session_owes(void *session)
{
    struct session *s = session;
    uv_handle_t *timer = (uv_handle_t *)&s->again_timer;
    if (s->open_handles && !uv_is_closing(timer) && !uv_is_active(timer))
        uv_timer_start(&s->again_timer, on_again, LOG_AGAIN_MS, 0);
}

/* ---- bytes in ---- */

/* The index first: a log that is shorter than the stream is known not to be whole. */
static void log_bytes(struct session *s, uint64_t start, const char *bytes, size_t len)
{
    if (log_is_broken(s)) {
        log_again(s, start, bytes, len);
        return;
    }
    if (s->now.monotonic_ms - s->timed_ms >= TIME_MS) {
        s->timed_ms = s->now.monotonic_ms;
        rawlog_record(s->log, RAWLOG_TIME, start, s->now, 0, 0);
    }
    rawlog_flush(s->log);
    if (s->paused)
        rawlog_skip(s->log, start + len);
    else
        rawlog_write(s->log, start, bytes, len);
}

/* What of the bytes that were taken is nowhere else yet, before they are let go of. */
static void keep_state(struct session *s, uint64_t offset)
{
    store_flush(s->store, tracker_running(s->tracker), s->now.monotonic_ms);
    session_keep_output(s, offset);
    session_keep_place(s, offset);
}

static size_t drain_kept(struct session *s, size_t most)
{
    char *scratch = s->host->scratch;
    uint64_t start = intake_start(s->intake);
    size_t len = intake_copy(s->intake, scratch, most);
    size_t taken = session_scrub(s, scratch, len);
    s->now = clock_now();
    if (!taken)
        return 0;
    log_bytes(s, start, scratch, taken);
    terminal_set_offset(s->terminal, start + taken);
    intake_consume(s->intake, taken);
    if (log_is_broken(s))
        session_owes(s);
    return taken;
}

/* Takes in at most `most` bytes, SESSION_SCRATCH_BYTES or less, of what the intake holds; returns
 * how many. */
static size_t drain_parsed(struct session *s, size_t most)
{
    char *scratch = s->host->scratch;
    uint64_t start = intake_start(s->intake);
    size_t len = intake_copy(s->intake, scratch, most);
    s->now = clock_now();
    session_let_go_of_open(s);
    bool inside = terminal_is_inside(s->terminal);
    bool types = s->typing.first; /* and hears when there is room for it */
    s->read_from = inside ? terminal_sequence_start(s->terminal) : start;
    s->parsing = true;
    size_t taken = tracker_write(s->tracker, scratch, len);
    s->parsing = false;
    if (!taken)
        return 0;
    s->room -= s->room == SIZE_MAX ? 0 : taken < s->room ? taken : s->room;
    EACH_WATCHER(s, drained, w_); /* first: somebody waits */
    session_note_marked(s);
    log_bytes(s, start, scratch, taken);
    session_keep_open(s, start, scratch, taken);
    keep_state(s, start + taken);
    intake_consume(s->intake, taken);
    session_settle_overdue(s);
    session_note_drawn(s);
    session_checkpoint(s);
    if (log_is_broken(s))
        session_owes(s);
    session_screen_changed(s);
    if (s->settles && !s->rebuilding)
        REPORT(s, settled, start + taken);
    s->settles = false;
    if (s->typing.first && (!types || s->crowd.is))
        session_write_input(s);
    return taken;
}

static size_t drain(struct session *s, size_t most)
{
    struct board_place before = board_enter(s->name, BOARD_TAKE_IN, intake_start(s->intake));
    session_leave_checkpoint(s); /* who cannot wait */
    size_t taken = s->quarantined ? drain_kept(s, most) : drain_parsed(s, most);
    board_leave(&before);
    return taken;
}

static void on_readable(uv_poll_t *poll, int status, int events);

/* How many bytes may wait in the intake. */
static size_t room(const struct session *s)
{
    return s->reaped ? SIZE_MAX : s->room;
}

void session_poll_for(struct session *s)
{
    bool reads = !s->flow && intake_waiting(s->intake) < room(s);
    int events = (reads ? UV_READABLE : 0) | (s->typing.first && !s->crowd.is ? UV_WRITABLE : 0);
    if (!s->polling || events == s->polled_for)
        return;
    s->polled_for = events;
    if (events)
        uv_poll_start(&s->poll, events, on_readable);
    else
        uv_poll_stop(&s->poll);
}

static void stop_polling(struct session *s)
{
    if (s->polling)
        uv_poll_stop(&s->poll);
    s->polling = false;
    s->polled_for = 0;
}

void session_drain(struct session *s)
{
    size_t left = intake_waiting(s->intake), taken;
    while (left && (taken = drain(s, SESSION_SCRATCH_BYTES)))
        left -= taken < left ? taken : left;
}

static void leave_pump(struct session *s)
{
    pump_leave(s->flow);
    s->flow = NULL;
    s->floods = 0;
}

void session_stop_reading(struct session *s)
{
    leave_pump(s);
    stop_polling(s);
    if (s->has_poll)
        uv_close((uv_handle_t *)&s->poll, session_handle_closed);
    s->has_poll = false;
}

/* ---- by turns ---- */

static bool is_urgent(const struct session *s, int64_t now)
{
    return s->typed_ms && now - s->typed_ms < TYPED_MS;
}

static void take_in(void *user)
{
    struct session *s = user;
    s->last_read = clock_now().monotonic_ms;
    turns_add(s->host->turns, &s->turn, is_urgent(s, s->last_read));
}

/* Whoever is shown it takes no more: a thread would only read ahead of that. */
static void stand(struct session *s)
{
    if (s->flow)
        leave_pump(s);
    session_poll_for(s);
}

void session_set_room(struct session *s, size_t most)
{
    bool stood = !room(s);
    s->room = most;
    if (s->exited)
        return;
    if (stood && room(s) && intake_waiting(s->intake))
        turns_add(s->host->turns, &s->turn, is_urgent(s, clock_now().monotonic_ms));
    session_poll_for(s);
}

static void save_piece(struct session *s, size_t bytes)
{
    struct board_place before = board_enter(s->name, BOARD_TAKE_IN, intake_start(s->intake));
    s->now = clock_now();
    session_save_piece(s, bytes);
    board_leave(&before);
}

/* What is read for it later rests while somebody types elsewhere. */
static void stand_back(struct session *s)
{
    if (s->flow)
        pump_stand_back(s->flow,
                        !is_urgent(s, s->now.monotonic_ms) && turns_await_keys(s->host->turns));
}

/* Here a slice of a session's work begins. */
bool session_take_piece(struct turn *turn, size_t bytes)
{
    struct session *s = (struct session *)((char *)turn - offsetof(struct session, turn));
    if (s->saving) {
        save_piece(s, bytes);
        stand_back(s);
        return true;
    }
    bool ended = s->flow && pump_ended(s->flow); /* asked first: what it read last is there */
    size_t most = bytes < room(s) ? bytes : room(s);
    size_t taken = most ? drain(s, most) : 0;
    if (!room(s)) {
        stand(s);
        return false;
    }
    if (s->flow)
        pump_room(s->flow);
    session_look_at_brackets(s);
    if (taken && (!LIST_EMPTY(&s->watchers) || tracker_state(s->tracker) == TRACKER_RUNNING ||
                  session_awaits_rest(s)))
        uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
    turn->urgent = is_urgent(s, s->now.monotonic_ms);
    stand_back(s);
    if (s->saving)
        return true;
    if (s->flow && !ended) /* what a thread reads comes in larger pieces when it is waited for */
        return pump_listen(s->flow) && (taken || pump_ended(s->flow));
    if (taken && intake_waiting(s->intake))
        return true;
    if (ended)
        leave_pump(s);
    session_poll_for(s);
    return false;
}

/* Much came several times in a row, or what is pasted comes back, in pieces of a line: from now on
 * a thread reads, and gives it to us in larger ones. */
static void look_for_flood(struct session *s, ssize_t n)
{
    bool much = n >= FLOOD_BYTES || n == -ENOBUFS || s->typing.len >= PASTE_BYTES;
    s->floods = much ? s->floods + 1 : 0;
    if (s->floods < FLOOD_WAKEUPS || !s->polling || s->reaped || room(s) < FLOOD_ROOM)
        return;
    s->flow = pump_join(s->host->pump, s->intake, s->master, take_in, s);
    s->floods = 0;
    session_poll_for(s);
}

/* One read's worth. An echo comes alone: if there is more the loop hears of it. */
static ssize_t read_some(struct session *s)
{
    if (intake_waiting(s->intake) >= room(s))
        return -EAGAIN;
    ssize_t n = intake_read_piece(s->intake, s->master);
    ssize_t more = n > ECHO_BYTES ? intake_read_most(s->intake, s->master, room(s)) : 0;
    return more > 0 ? n + more : n;
}

/* Once per wakeup: other sessions and clients come in between. */
static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct session *s = poll->data;
    if (status < 0) {
        stop_polling(s);
        return;
    }
    if (events & UV_WRITABLE)
        session_write_input(s);
    if (!(events & UV_READABLE))
        return;
    ssize_t n = read_some(s);
    if (n > 0 || n == -ENOBUFS) {
        take_in(s);
        look_for_flood(s, n);
        session_poll_for(s);
    } else if (n != -EAGAIN) {
        stop_polling(s); /* hung up: the exit is told by the keeper */
    }
}

/* ---- the end ---- */

/* What `exec` runs takes the shell's place: its status says nothing of the shell. */
static bool replaces_shell(const struct block *block)
{
    return !strncmp(block->cmd, "exec", 4) && strchr(" \t\n", block->cmd[4]);
}

static void set_status(struct session *s, int status)
{
    s->reaped = true;
    s->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void session_set_over(struct session *s, int status)
{
    set_status(s, status);
    s->exited = true;
    tracker_abandon(s->tracker, s->now, false, 0); /* the one that ended it; stored by then */
}

/* All that the shell said is taken in: the next worker shows it from here. The checkpoint for that
 * is made in pieces, where there is time. */
static void begin_end(struct session *s)
{
    s->ending = true;
    s->now = clock_now();
    s->checkpoint_due = !s->quarantined;
}

/* Its session is over. */
static void become_exited(struct session *s)
{
    if (s->exited)
        return;
    if (!s->ending)
        begin_end(s);
    s->now = clock_now();
    if (s->checkpoint_due)
        session_checkpoint_now(s);
    s->exited = true;
    session_stop_reading(s);
    turns_remove(s->host->turns, &s->turn);
    if (s->quarantined)
        store_end_unseen(s->store, s->terminal);
    struct block *running = tracker_running(s->tracker);
    tracker_abandon(s->tracker, s->now, running && !replaces_shell(running), s->exit_status);
    rawlog_flush(s->log);
    session_screen_flush(s);
    close(s->master);
    s->master = -1;
    typing_end(&s->typing);
    EACH_WATCHER(s, exited, w_, s->exit_status);
    REPORT(s, over);
}

static void on_exit_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;
    struct board_place before = board_enter(s->name, BOARD_TIMER, intake_start(s->intake));
    int64_t now = clock_now().monotonic_ms;
    ssize_t n = intake_read(s->intake, s->master);
    if (n > 0 || n == -ENOBUFS)
        take_in(s);
    bool quiet = !turn_waits(&s->turn) && now - s->last_read >= LIMIT_EXIT_QUIET_MS &&
                 now - s->reaped_at >= LIMIT_EXIT_QUIET_MS;
    if (!s->ending && (quiet || now - s->reaped_at >= LIMIT_EXIT_MS)) {
        session_drain(s);
        begin_end(s);
        session_checkpoint(s);
    }
    if (s->ending && !s->saving) {
        uv_timer_stop(timer);
        session_drain(s);
        become_exited(s);
    }
    board_leave(&before);
}

void session_shell_reaped(struct session *s, int status)
{
    if (s->reaped)
        return;
    set_status(s, status);
    leave_pump(s);
    session_poll_for(s);
    s->reaped_at = clock_now().monotonic_ms;
    uv_timer_start(&s->exit_timer, on_exit_timer, 0, 10);
}

void session_exit_now(struct session *s)
{
    if (!s->reaped || s->exited)
        return;
    leave_pump(s);
    do
        session_drain(s);
    while (intake_read(s->intake, s->master) > 0);
    become_exited(s);
}
