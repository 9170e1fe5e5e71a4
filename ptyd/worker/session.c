/* A session's bytes: read into shared memory (intake), scanned by the terminal on a copy, written
 * to the log without nonces, and only then consumed. A worker that dies anywhere in between is
 * followed by one that finds the rest in the shared memory; rebuild.c brings its terminal
 * and tracker to the same point from the log first. */
#define _GNU_SOURCE
#include "ptyd/worker/session_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/context.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/plan.h"
#include "ptyd/worker/process.h"
#include "ptyd/worker/worker.h"

#define EXIT_QUIET_MS 50   /* a shell that exited has said everything after this much quiet */
#define TIME_MS       10   /* between records of when bytes came */
#define EXIT_MOST_MS  1000 /* but is not waited for longer than this */
#define FLOOD_BYTES   (16 * 1024) /* found at one wakeup is much */
#define FLOOD_WAKEUPS 8           /* in a row are a flood */

static struct session *of(void *user)
{
    return user;
}

/* ---- what the terminal finds ---- */

static void on_mark(void *user, const struct mark *mark)
{
    struct session *s = of(user);
    bool first = !tracker_marked(s->tracker);
    bool genuine = s->rebuilding
                       ? mark->signature == MARK_ZEROED && session_recorded_mark(s, mark->offset)
                       : mark->signature == MARK_SIGNED;
    if (!genuine || !tracker_mark(s->tracker, mark, s->now)) {
        s->spoofed += !s->rebuilding;
        return;
    }
    if (!intake_facts(s->intake)->process) /* not earlier: a wrapper may have started the shell */
        intake_facts(s->intake)->process = process_fingerprint(s->pid);
    if (first)
        plan_remove_secret(s->worker->options->runtime, s->shell_id);
    if (!s->rebuilding)
        rawlog_record(s->log, RAWLOG_MARK, mark->offset, s->now, (uint16_t)mark->kind,
                      (uint32_t)tracker_seq(s->tracker));
}

static bool on_recorded(void *user, uint64_t offset)
{
    return of(user)->rebuilding && session_recorded_mark(user, offset);
}

static void on_line(void *user)
{
    tracker_line(of(user)->tracker, of(user)->now);
}

static void on_malformed(void *user)
{
    of(user)->spoofed++;
}

/* Programs that ask without end get answers at a bounded rate. */
static void on_reply(void *user, const char *bytes, size_t len)
{
    struct session *s = of(user);
    int64_t second = s->now.monotonic_ms / 1000;
    if (s->rebuilding)
        return;
    if (second != s->reply_second) {
        s->reply_second = second;
        s->reply_bytes = 0;
    }
    s->reply_bytes += (int)len;
    if (s->reply_bytes > LIMIT_REPLY_BYTES_PER_S || s->input.len > INPUT_MAX)
        return;
    bytes_append(&s->input, bytes, len);
}

static void on_display(void *user, const char *bytes, size_t len)
{
    struct session *s = of(user);
    if (!s->rebuilding)
        EACH_WATCHER(s, display, w_, bytes, len);
}

static const struct terminal_events terminal_events = {.mark = on_mark,
                                                       .recorded = on_recorded,
                                                       .line = on_line,
                                                       .malformed = on_malformed,
                                                       .reply = on_reply,
                                                       .display = on_display};

/* ---- what the tracker finds ---- */

/* Blocks that a former worker has stored are not told again. */
static bool is_stored(const struct session *s, const struct block *block)
{
    return block->seq <= store_last_ended(s->store);
}

static int64_t on_block_begin(void *user, struct block *block)
{
    struct session *s = of(user);
    if (is_stored(s, block))
        return 0;
    struct block *known = store_running(s->store);
    int64_t began = known && known->seq == block->seq ? known->ts_begin : 0;
    block->ts_begin = began ? began : block->ts_begin;
    block_unref(known);
    block->unrecorded = s->paused;
    if (!s->paused)
        store_begin(s->store, block);
    if (!s->rebuilding)
        EACH_WATCHER(s, block_begin, w_, block);
    if (!s->rebuilding && !s->paused)
        follow_block(s->worker, "agent_block_begin", block);
    return began;
}

static void on_block_output(void *user, struct block *block, const char *text, size_t len)
{
    struct session *s = of(user);
    if (is_stored(s, block))
        return;
    if (!block->unrecorded)
        store_output(s->store, block, text, len);
    if (!s->rebuilding)
        EACH_WATCHER(s, block_output, w_, block, text, len);
}

static void on_block_end(void *user, struct block *block)
{
    struct session *s = of(user);
    if (is_stored(s, block))
        return;
    if (block->unrecorded) {
        session_end_unrecorded(s, block);
        EACH_WATCHER(s, block_end, w_, block);
        return;
    }
    block_redact(block, s->secrets);
    context_block_ended(s->worker->context, s, block); /* takes its key before it is stored */
    store_end(s->store, block, s->terminal);
    follow_block(s->worker, "agent_block_end", block);
    EACH_WATCHER(s, block_end, w_, block);
}

static void on_prompt(void *user)
{
    struct session *s = of(user);
    s->interrupted = false;
    if (!s->rebuilding)
        EACH_WATCHER(s, prompt, w_);
}

static const struct tracker_events tracker_events = {
    .begin = on_block_begin, .output = on_block_output, .end = on_block_end, .prompt = on_prompt};

/* ---- bytes in ---- */

/* Takes what the intake holds; returns how much of it. */
static size_t drain(struct session *s)
{
    char *scratch = s->worker->scratch;
    uint64_t start = intake_start(s->intake);
    size_t len = intake_copy(s->intake, scratch, SCRATCH_BYTES);
    s->now = worker_now();
    size_t taken = terminal_write(s->terminal, scratch, len);
    if (!taken)
        return 0;
    if (s->now.monotonic_ms - s->timed_ms >= TIME_MS) {
        s->timed_ms = s->now.monotonic_ms;
        rawlog_record(s->log, RAWLOG_TIME, start, s->now, 0, 0);
    }
    if (s->paused)
        rawlog_skip(s->log, start + taken);
    else
        rawlog_write(s->log, start, scratch, taken);
    rawlog_flush(s->log);
    store_flush(s->store, tracker_running(s->tracker), s->now.monotonic_ms);
    intake_consume(s->intake, taken);
    session_checkpoint(s);
    session_screen_changed(s);
    EACH_WATCHER(s, drained, w_);
    if (s->input.len)
        session_write_input(s);
    return taken;
}

static void on_readable(uv_poll_t *poll, int status, int events);

void session_poll_for(struct session *s)
{
    int events = (s->pump ? 0 : UV_READABLE) | (s->input.len ? UV_WRITABLE : 0);
    if (s->polling && events)
        uv_poll_start(&s->poll, events, on_readable);
    else if (s->polling)
        uv_poll_stop(&s->poll);
}

static void stop_polling(struct session *s)
{
    if (s->polling)
        uv_poll_stop(&s->poll);
    s->polling = false;
}

/* All that waits now; what a thread reads meanwhile is told again. */
static void drain_waiting(struct session *s)
{
    size_t left = intake_waiting(s->intake), taken;
    while (left && (taken = drain(s)))
        left -= taken < left ? taken : left;
}

static void take_in(struct session *s)
{
    s->last_read = worker_now().monotonic_ms;
    drain_waiting(s);
    if (s->watchers || tracker_state(s->tracker) == TRACKER_RUNNING)
        uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
}

static void stop_pump(struct session *s)
{
    pump_destroy(s->pump);
    s->pump = NULL;
    s->floods = 0;
}

static void on_pumped(void *user)
{
    struct session *s = of(user);
    bool ended = pump_ended(s->pump); /* asked first: what it read last is there */
    if (intake_waiting(s->intake))
        take_in(s);
    pump_room(s->pump);
    if (!ended)
        return;
    stop_pump(s);
    session_poll_for(s);
}

/* Much came several times in a row: from now on a thread reads. */
static void look_for_flood(struct session *s, ssize_t n)
{
    s->floods = n >= FLOOD_BYTES || n == -ENOBUFS ? s->floods + 1 : 0;
    if (s->floods < FLOOD_WAKEUPS || !s->polling)
        return;
    s->pump = pump_create(&s->worker->loop, s->intake, s->master, on_pumped, s);
    s->floods = 0;
    session_poll_for(s);
}

/* One read's worth per wakeup: other sessions and clients come in between. */
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
    ssize_t n = intake_read(s->intake, s->master);
    if (n > 0 || n == -ENOBUFS) {
        take_in(s);
        look_for_flood(s, n);
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

static void end(struct session *s)
{
    if (s->ended)
        return;
    s->ended = true;
    plan_remove_secret(s->worker->options->runtime, s->shell_id);
    stop_polling(s);
    s->now = worker_now();
    struct block *running = tracker_running(s->tracker);
    tracker_abandon(s->tracker, s->now, running && !replaces_shell(running), s->exit_status);
    rawlog_flush(s->log);
    session_screen_flush(s);
    session_drop_checkpoint(s);
    close(s->master);
    s->master = -1;
    worker_tell(s->worker, WIRE_FORGET, s->name, NULL, 0);
    EACH_WATCHER(s, exited, w_, s->exit_status);
    worker_check_idle(s->worker);
}

static void on_exit_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;
    int64_t now = worker_now().monotonic_ms;
    ssize_t n = intake_read(s->intake, s->master);
    if (n > 0)
        s->last_read = now;
    drain_waiting(s);
    bool quiet = now - s->last_read >= EXIT_QUIET_MS && now - s->exited_at >= EXIT_QUIET_MS;
    if (quiet || now - s->exited_at >= EXIT_MOST_MS) {
        uv_timer_stop(timer);
        end(s);
    }
}

void session_shell_exited(struct session *s, int status)
{
    if (s->exited)
        return;
    s->exited = true;
    stop_pump(s);
    session_poll_for(s);
    s->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    s->exited_at = worker_now().monotonic_ms;
    uv_timer_start(&s->exit_timer, on_exit_timer, 0, 10);
}

/* ---- size ---- */

void session_resize(struct session *s, int cols, int rows)
{
    struct intake_facts *facts = intake_facts(s->intake);
    terminal_resize(s->terminal, cols, rows);
    cols = terminal_cols(s->terminal);
    rows = terminal_rows(s->terminal);
    if (facts->cols == cols && facts->rows == rows)
        return;
    struct winsize size = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};
    struct moment now = worker_now();
    facts->cols = cols;
    facts->rows = rows;
    rawlog_record(s->log, RAWLOG_RESIZE, terminal_offset(s->terminal), now, 0,
                  (uint32_t)cols << 16 | (uint32_t)rows);
    rawlog_flush(s->log);
    store_size(s->store, cols, rows, now.wall_ms);
    s->now = now;
    session_screen_changed(s);
    if (s->master >= 0)
        ioctl(s->master, TIOCSWINSZ, &size);
    EACH_WATCHER(s, resized, w_);
}

/* ---- life ---- */

/* A block that ran when its shell was lost with the keeper ends unseen. */
static void end_orphan(struct session *s)
{
    struct block *orphan = store_running(s->store);
    if (!orphan)
        return;
    orphan->status = BLOCK_ABANDONED;
    orphan->ts_end = orphan->ts_begin;
    store_end(s->store, orphan, s->terminal);
    block_unref(orphan);
}

struct terminal_options session_terminal_options(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    return (struct terminal_options){
        .cols = facts->cols, .rows = facts->rows, .events = &terminal_events, .user = s};
}

struct tracker_options session_tracker_options(struct session *s, struct terminal *terminal)
{
    return (struct tracker_options){.conversation_id = s->name,
                                    .shell_id = s->shell_id,
                                    .terminal = terminal,
                                    .events = &tracker_events,
                                    .user = s};
}

void session_prepare_terminal(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    terminal_set_shown(s->terminal, false);
    if (facts->nonce[0])
        terminal_set_nonce(s->terminal, facts->nonce);
}

static bool open_parts(struct session *s, bool is_new)
{
    s->store = store_open(s->worker->options->state, s->name);
    s->log = s->store ? rawlog_open(store_directory(s->store)) : NULL;
    if (!s->log)
        return false;
    struct terminal_options of_terminal = session_terminal_options(s);
    s->terminal = terminal_create(&of_terminal);
    if (!s->terminal)
        return false;
    session_prepare_terminal(s);
    struct tracker_options of_tracker = session_tracker_options(s, s->terminal);
    of_tracker.seq = is_new ? 0 : session_first_seq(s->log);
    of_tracker.cwd = json_string_value(json_object_get(store_meta(s->store), "cwd"));
    s->tracker = tracker_create(&of_tracker);
    return true;
}

static void begin_shell(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    struct moment now = worker_now();
    end_orphan(s);
    uint64_t seq = store_last_ended(s->store);
    tracker_set_seq(s->tracker, seq);
    rawlog_record(s->log, RAWLOG_SHELL, rawlog_end(s->log), now, 0, (uint32_t)seq);
    rawlog_record(s->log, RAWLOG_RESIZE, rawlog_end(s->log), now, 0,
                  (uint32_t)facts->cols << 16 | (uint32_t)facts->rows);
    rawlog_flush(s->log);
    intake_set_start(s->intake, rawlog_end(s->log));
    s->checkpoint_at = rawlog_end(s->log);
    terminal_set_offset(s->terminal, rawlog_end(s->log));
    store_shell(s->store, s->shell_id);
    store_size(s->store, facts->cols, facts->rows, now.wall_ms);
}

static void start_handles(struct session *s)
{
    uv_loop_t *loop = &s->worker->loop;
    uv_poll_init(loop, &s->poll, s->master);
    uv_timer_init(loop, &s->exit_timer);
    uv_timer_init(loop, &s->quiet_timer);
    uv_timer_init(loop, &s->screen_timer);
    s->poll.data = s->exit_timer.data = s->quiet_timer.data = s->screen_timer.data = s;
    s->open_handles = 4;
    s->polling = true;
    session_poll_for(s);
}

struct session *session_adopt(struct worker *worker, const char *name, pid_t pid, int master,
                              int intake_fd)
{
    struct session *s = memory_new(sizeof *s);
    *s = (struct session){.worker = worker, .pid = pid, .master = master};
    s->name = text_copy(name);
    s->intake = intake_map(intake_fd);
    s->shell_id = text_copy(s->intake ? intake_facts(s->intake)->shell_id : "");
    bool is_new = s->intake && !intake_facts(s->intake)->adopted;
    if (!s->intake || !open_parts(s, is_new)) {
        fprintf(stderr, "ptyd: session %s cannot be served: %s\n", name, strerror(errno));
        session_destroy(s);
        return NULL;
    }
    s->paused = json_is_true(json_object_get(store_meta(s->store), "paused"));
    session_read_secrets(s);
    if (is_new)
        begin_shell(s);
    else
        session_rebuild(s, intake_start(s->intake));
    intake_facts(s->intake)->adopted = 1;
    context_load(worker->context, s);
    start_handles(s);
    drain_waiting(s); /* what a former worker had read */
    s->now = worker_now();
    session_screen_changed(s); /* what the former worker did not come to tell */
    return s;
}

static void on_closed(uv_handle_t *handle)
{
    struct session *s = handle->data;
    if (--s->open_handles == 0)
        free(s);
}

void session_destroy(struct session *s)
{
    EACH_WATCHER(s, gone, w_);
    stop_pump(s);
    if (s->store)
        context_forget(s->worker->context, s);
    tracker_destroy(s->tracker);
    terminal_destroy(s->terminal);
    rawlog_close(s->log);
    store_close(s->store);
    intake_unmap(s->intake);
    redact_secrets_destroy(s->secrets);
    deltas_finish(&s->deltas);
    bytes_finish(&s->input);
    free(s->name);
    free(s->shell_id);
    if (s->open_handles) {
        stop_polling(s);
        uv_close((uv_handle_t *)&s->poll, on_closed);
        uv_close((uv_handle_t *)&s->exit_timer, on_closed);
        uv_close((uv_handle_t *)&s->quiet_timer, on_closed);
        uv_close((uv_handle_t *)&s->screen_timer, on_closed);
    }
    if (s->master >= 0)
        close(s->master);
    if (!s->open_handles)
        free(s);
}

void session_end(struct session *s)
{
    if (!s->exited || s->ended)
        return;
    stop_pump(s);
    do
        drain_waiting(s);
    while (intake_read(s->intake, s->master) > 0);
    end(s);
}

void session_flush(struct session *s)
{
    session_screen_flush(s);
    json_object_set_new(store_meta(s->store), "cwd", json_string(tracker_cwd(s->tracker)));
    json_object_set_new(store_meta(s->store), "base",
                        json_integer((json_int_t)rawlog_base(s->log)));
    store_save_meta(s->store);
}

/* What is shown is made only while somebody looks. */
static void show_if_watched(struct session *s)
{
    bool shown = false;
    for (const struct watcher *w = s->watchers; w; w = w->next)
        shown = shown || w->display;
    terminal_set_shown(s->terminal, shown);
}

void session_watch(struct session *s, struct watcher *w)
{
    w->next = s->watchers;
    s->watchers = w;
    show_if_watched(s);
    uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
}

void session_unwatch(struct session *s, struct watcher *w)
{
    for (struct watcher **at = &s->watchers; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            show_if_watched(s);
            return;
        }
}
