/* A session's life: adopted from the keeper, resized, watched, flushed, destroyed. */
#define _GNU_SOURCE
#include "ptyd/core/say.h"
#include "ptyd/session/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ptyd/core/text.h"
#include "ptyd/core/vault.h"
#include "ptyd/session/damage.h"
#include "ptyd/session/quarantine.h"
#include "ptyd/session/spare.h"

/* ---- size ---- */

/* The program hears of any change, whoever watches of one in cells. */
static void tell_size(struct session *s, struct session_size z)
{
    struct winsize size = {.ws_col = (unsigned short)z.cols,
                           .ws_row = (unsigned short)z.rows,
                           .ws_xpixel = (unsigned short)z.x_pixels,
                           .ws_ypixel = (unsigned short)z.y_pixels};
    terminal_set_pixels(s->terminal, z.x_pixels, z.y_pixels);
    if (s->master >= 0)
        ioctl(s->master, TIOCSWINSZ, &size);
}

static struct session_size known_size(const struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    return (struct session_size){facts->cols, facts->rows, facts->x_pixels, facts->y_pixels};
}

static void record_size(struct session *s, int cols, int rows)
{
    struct moment now = clock_now();
    rawlog_record(s->log, RAWLOG_RESIZE, terminal_offset(s->terminal), now, 0,
                  (uint32_t)cols << 16 | (uint32_t)rows);
    rawlog_flush(s->log);
    store_size(s->store, cols, rows, now.wall_ms);
    s->now = now;
    session_screen_changed(s);
}

/* Who wants to be told so (2048) does not look at the signal, and the terminal that has this size,
 * a viewer's or (0) nobody's, may be one that does not tell. */
static void report_size(struct session *s, uint64_t viewer)
{
    bool told = viewer && s->sizes_by == viewer;
    if (told || s->exited || s->reaped || s->quarantined)
        return;
    struct board_place before = board_enter(s->name, BOARD_TYPE, terminal_offset(s->terminal));
    s->now = clock_now();
    terminal_report_size(s->terminal);
    board_leave(&before);
    if (s->typing.first && !s->parsing)
        session_write_input(s);
}

/* Of a terminal that is larger than any session, so that its cells keep their size. */
static int pixels_of(int pixels, int shown, int cells)
{
    return shown > cells ? (int)((int64_t)pixels * cells / shown) : pixels;
}

void session_resize(struct session *s, struct session_size size, uint64_t viewer)
{
    struct intake_facts *facts = intake_facts(s->intake);
    struct board_place before = board_enter(s->name, BOARD_RESIZE, terminal_offset(s->terminal));
    session_leave_checkpoint(s);
    tracker_resize(s->tracker, size.cols, size.rows);
    session_follow_withheld(s);
    board_leave(&before);
    int cols = terminal_cols(s->terminal), rows = terminal_rows(s->terminal);
    size = (struct session_size){cols, rows, pixels_of(size.x_pixels, size.cols, cols),
                                 pixels_of(size.y_pixels, size.rows, rows)};
    bool cells = facts->cols != size.cols || facts->rows != size.rows;
    if (!cells && facts->x_pixels == size.x_pixels && facts->y_pixels == size.y_pixels)
        return;
    facts->cols = size.cols;
    facts->rows = size.rows;
    facts->x_pixels = size.x_pixels;
    facts->y_pixels = size.y_pixels;
    if (cells)
        record_size(s, size.cols, size.rows);
    tell_size(s, size);
    if (cells)
        report_size(s, viewer);
    if (cells)
        EACH_WATCHER(s, resized, w_);
}

/* ---- for whoever shows it ---- */

bool session_led(struct session *s)
{
    return intake_facts(s->intake)->led;
}

void session_set_led(struct session *s, bool led)
{
    intake_facts(s->intake)->led = led;
}

uint64_t session_offset(const struct session *s)
{
    return intake_start(s->intake);
}

uint64_t session_readable_from(const struct session *s)
{
    return rawlog_whole_from(s->log);
}

ssize_t session_read(const struct session *s, uint64_t offset, char *bytes, size_t len)
{
    return rawlog_read(s->log, offset, bytes, len);
}

/* ---- life ---- */

/* A shell that runs goes on whatever its files are like; a new one is refused. */
static int may_be_served(const struct session *s, bool is_new)
{
    int64_t since;
    int error = rawlog_error(s->log, &since);
    if (store_error(s->store))
        say("session %s: %s", s->name, store_error(s->store));
    if (error)
        say("session %s: output.raw, output.idx: %s", s->name, strerror(-error));
    return !is_new ? 0 : store_failure(s->store) ? store_failure(s->store) : error;
}

static bool keep_slate(void *session, int slate)
{
    struct session *s = session;
    return REPORT(s, owes, slate);
}

void session_slate_lost(struct session *s)
{
    store_slate_lost(s->store);
}

static int open_parts(struct session *s, bool is_new, int slate, struct block_mended *mended)
{
    bool empty = is_new && spare_take(s->host->state, s->name);
    s->store = store_open(s->host->state, s->name,
                          &(struct store_host){.owing = session_owes,
                                               .keep = keep_slate,
                                               .user = s,
                                               .slate = slate,
                                               .redacts = s->host->redacts,
                                               .empty = empty,
                                               .same = &intake_facts(s->intake)->blocks_same,
                                               .mended = mended});
    s->log = rawlog_open(store_directory(s->store), store_aside(s->store));
    int error = may_be_served(s, is_new);
    if (error)
        return error;
    struct terminal_options of_terminal = session_terminal_options(s);
    s->terminal = terminal_create(&of_terminal);
    if (!s->terminal)
        return -ENOMEM;
    session_prepare_terminal(s);
    struct tracker_options of_tracker = session_tracker_options(s, s->terminal);
    of_tracker.cwd = json_string_value(session_kept(s, "cwd"));
    s->tracker = tracker_create(&of_tracker);
    return 0;
}

/* Offsets go on above every one that a file names, if the log is shorter now than it was. */
static void skip_known(struct session *s)
{
    uint64_t named = rawlog_named_end(s->log);
    json_int_t kept = json_integer_value(session_kept(s, "end"));
    uint64_t end = kept > 0 && (uint64_t)kept > named ? (uint64_t)kept : named;
    if (end > rawlog_end(s->log))
        aside_note(store_aside(s->store), "%s/output.raw lacks its end: %llu bytes are gone",
                   store_directory(s->store), (unsigned long long)(end - rawlog_end(s->log)));
    rawlog_skip(s->log, end);
}

static void begin_shell(struct session *s, uint64_t former_seq)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    struct moment now = clock_now();
    store_end_unseen(s->store, s->terminal); /* it was lost with the keeper */
    skip_known(s);
    uint64_t seq = store_highest_seq(s->store), named = rawlog_named_seq(s->log);
    seq = named > seq ? named : seq;
    seq = former_seq > seq ? former_seq : seq; /* whose blocks nobody could write */
    intake_facts(s->intake)->first_seq = seq;
    tracker_set_seq(s->tracker, seq);
    rawlog_record(s->log, RAWLOG_SHELL, rawlog_end(s->log), now, 0, (uint32_t)seq);
    rawlog_record(s->log, RAWLOG_RESIZE, rawlog_end(s->log), now, 0,
                  (uint32_t)facts->cols << 16 | (uint32_t)facts->rows);
    rawlog_flush(s->log);
    intake_set_start(s->intake, rawlog_end(s->log));
    s->checkpoint_at = rawlog_end(s->log);
    terminal_set_offset(s->terminal, rawlog_end(s->log));
    session_keep_place(s, rawlog_end(s->log));
    store_shell(s->store, s->shell_id);
    store_size(s->store, facts->cols, facts->rows, now.wall_ms);
}

static void start_handles(struct session *s)
{
    uv_loop_t *loop = s->host->loop;
    s->polling = s->master >= 0 && uv_poll_init(loop, &s->poll, s->master) == 0;
    uv_timer_init(loop, &s->exit_timer);
    uv_timer_init(loop, &s->quiet_timer);
    uv_timer_init(loop, &s->screen_timer);
    uv_timer_init(loop, &s->again_timer);
    uv_timer_init(loop, &s->crowd_timer);
    s->poll.data = s->exit_timer.data = s->quiet_timer.data = s->screen_timer.data =
        s->again_timer.data = s->crowd_timer.data = s;
    s->has_poll = s->polling;
    s->open_handles = 5 + s->has_poll;
    session_owes(s); /* what could not be written before there was a timer */
    session_poll_for(s);
}

static void close_parts(struct session *s)
{
    session_leave_checkpoint(s);
    typing_end(&s->typing);
    queries_destroy(s->queries);
    tracker_destroy(s->tracker);
    terminal_destroy(s->terminal);
    rawlog_close(s->log);
    store_close(s->store);
    intake_unmap(s->intake);
    redact_secrets_destroy(s->secrets);
    free(s->told_screen.rows);
    bytes_finish(&s->printed);
    bytes_finish(&s->open);
    bytes_finish(&s->open_before);
    bytes_finish(&s->lefts);
    free(s->name);
    free(s->called);
    free(s->shell_id);
    if (s->master >= 0)
        close(s->master);
}

/* Its terminal and tracker come to where its stream was consumed, or to where it goes on. */
static void find_place(struct session *s, bool is_new, uint64_t former_seq)
{
    if (is_new)
        begin_shell(s, former_seq);
    else if (s->quarantined)
        terminal_set_offset(s->terminal, intake_start(s->intake));
    else if (session_was_quarantined(s))
        session_go_on_from_here(s);
    else
        session_rebuild(s, intake_start(s->intake));
}

/* What workers died of when they opened it is not opened again. */
static int open_all(struct session *s, const struct session_start *start)
{
    bool is_new = !intake_facts(s->intake)->adopted;
    const struct board_place *deadly = start->deadly;
    bool deadly_files = deadly && deadly->step == BOARD_OPEN;
    if (deadly_files && session_deadly_step(s) != BOARD_OPEN)
        damage_set_all_aside(s->host->state, s->name);
    if (deadly)
        session_quarantine(s, deadly);
    int error = open_parts(s, is_new, deadly_files ? -1 : start->slate, start->mended);
    if (error)
        return error;
    s->paused = json_is_true(session_kept(s, "paused"));
    session_recall_withheld(s);
    /* The number of one that is gone is another's. */
    session_read_environment(s, start->pid);
    store_set_secrets(s->store, s->secrets);
    REPORT(s, opened);
    session_recall_asked(s);
    find_place(s, is_new, start->seq);
    s->answered = s->ahead = !is_new; /* what was typed to the former worker is not known here */
    s->line_text = is_new ? RUN_TEXT_START : 0;
    if (is_new) /* the keeper knows no pixels */
        tell_size(s, known_size(s));
    intake_facts(s->intake)->adopted = 1;
    return 0;
}

struct session *session_adopt(const struct session_host *host, const struct session_start *start,
                              int *ret_error)
{
    struct session *s = memory_new(sizeof *s);
    struct board_place before = board_enter(start->name, BOARD_OPEN, 0);
    *s = (struct session){.host = host,
                          .pid = start->pid,
                          .master = start->master,
                          .turn.piece = session_take_piece,
                          .room = SIZE_MAX};
    s->queries = session_create_queries(s);
    s->name = text_copy(start->name);
    s->intake = intake_map(start->intake);
    s->shell_id = text_copy(s->intake ? intake_facts(s->intake)->shell_id : "");
    if (s->intake && s->pid)
        intake_facts(s->intake)->shell_pid = s->pid;
    else if (s->intake)
        s->pid = intake_facts(s->intake)->shell_pid;
    int error = s->intake ? open_all(s, start) : start->intake < 0 ? -EMFILE : -ENOMEM;
    board_leave(&before);
    if (error) {
        say("session %s cannot be served: %s", start->name, strerror(-error));
        *ret_error = error;
        close_parts(s);
        free(s);
        return NULL;
    }
    start_handles(s);
    run_table_take_over(&intake_facts(s->intake)->runs, clock_monotonic_ms());
    session_drain(s); /* what a former worker had read */
    s->now = clock_now();
    if (start->over)
        session_set_over(s, start->status);
    session_screen_changed(s); /* what the former worker did not come to tell */
    if (!s->exited && session_awaits_rest(s))
        uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
    return s;
}

void session_reset(struct session *s)
{
    session_drain(s);
    s->quarantined = false;
    REPORT(s, opened);
    session_go_on_from_here(s);
    session_screen_changed(s);
}

void session_handle_closed(uv_handle_t *handle)
{
    struct session *s = handle->data;
    if (--s->open_handles == 0)
        free(s);
}

void session_give_up(struct session *s)
{
    session_drop_checkpoint(s);
}

void session_destroy(struct session *s)
{
    EACH_WATCHER(s, gone, w_);
    session_stop_reading(s);
    turns_remove(s->host->turns, &s->turn);
    uv_close((uv_handle_t *)&s->exit_timer, session_handle_closed);
    uv_close((uv_handle_t *)&s->quiet_timer, session_handle_closed);
    uv_close((uv_handle_t *)&s->screen_timer, session_handle_closed);
    uv_close((uv_handle_t *)&s->again_timer, session_handle_closed);
    uv_close((uv_handle_t *)&s->crowd_timer, session_handle_closed);
    vault_drop(s->shell_id);
    close_parts(s);
}

static void keep_cwd(struct session *s)
{
    json_t *kept = json_object();
    json_object_set_new(kept, "cwd", json_string(tracker_cwd(s->tracker)));
    if (s->host->redacts)
        block_redact_member(kept, "cwd", s->secrets);
    session_keep(s, "cwd", json_incref(json_object_get(kept, "cwd")));
    json_decref(kept);
}

void session_flush(struct session *s)
{
    session_screen_flush(s);
    keep_cwd(s);
    session_keep(s, "base", json_integer((json_int_t)rawlog_base(s->log)));
    session_keep(s, "end", json_integer((json_int_t)rawlog_end(s->log)));
    store_save_meta(s->store);
}

json_t *session_kept(const struct session *s, const char *key)
{
    return json_object_get(store_meta(s->store), key);
}

void session_keep(struct session *s, const char *key, json_t *value)
{
    if (value)
        json_object_set_new(store_meta(s->store), key, value);
    else
        json_object_del(store_meta(s->store), key);
}

uint64_t session_key(const struct session *s)
{
    return intake_facts(s->intake)->key;
}

void session_set_key(struct session *s, uint64_t key)
{
    intake_facts(s->intake)->key = key;
}

void session_hold(struct session *s, bool holds)
{
    s->held += holds ? 1 : -1;
}

bool session_is_held(const struct session *s)
{
    return s->held > 0;
}

/* What is shown is made only while somebody looks. */
static void count_display(struct session *s, const struct watcher *w, int by)
{
    if (!w->display)
        return;
    s->displays += by;
    terminal_set_shown(s->terminal, s->displays > 0);
}

void session_watch(struct session *s, struct watcher *w)
{
    LIST_INSERT_HEAD(&s->watchers, w, others);
    count_display(s, w, 1);
    uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
}

void session_unwatch(struct session *s, struct watcher *w)
{
    if (!w->others.le_prev)
        return;
    LIST_REMOVE(w, others);
    w->others.le_prev = NULL;
    count_display(s, w, -1);
}
