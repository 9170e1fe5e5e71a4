/* The viewer that leads (leader.h), where it has the session's size (view_fits()), gets the
 * program's bytes as they come, all of them (feed.h): it is drawn once, when it begins to, and
 * never when its terminal changes its size, for then the terminal moves its lines and the program
 * draws. All others are drawn from our model, at most every REDRAW_MS.
 *
 * Whatever changes where a viewer stands (who leads, a size, an acknowledgement, the end) is
 * followed by view_settle(), which alone decides what it gets next. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/deliver.h"
#include "ptyd/worker/view_private.h"
#include "ptyd/worker/worker.h"

#define REDRAW_MS 50

static struct turns *turns_of(const struct view *v)
{
    return &client_worker(v->task.client)->turns;
}

/* ---- sending ---- */

/* What its terminal has to take. */
static void send_counted(struct view *v, enum view_kind kind, uint64_t before, uint64_t offset,
                         const struct bytes *bytes)
{
    view_frames_append(view_socket_out(v->socket), kind, before, offset, bytes->data, bytes->len);
    feed_sent(&v->feed, bytes->len);
    view_socket_flush(v->socket);
}

/* What it has taken by now. */
static void tell_shown(struct view *v, uint64_t before, uint64_t offset, const struct bytes *bytes)
{
    view_frames_append(view_socket_out(v->socket), VIEW_SHOWN, before, offset, bytes->data,
                       bytes->len);
    view_socket_flush(v->socket);
}

void view_note(struct view *v, enum view_kind kind, uint64_t offset, const char *text)
{
    view_frame_append(view_socket_out(v->socket), kind, offset, text, strlen(text));
    view_socket_flush(v->socket);
}

/* ---- drawing ---- */

static int most(int size)
{
    return size < LIMIT_SIZE_MAX ? size : LIMIT_SIZE_MAX;
}

bool view_fits(const struct view *v)
{
    const struct terminal *t = session_terminal(v->task.session);
    return most(v->size.cols) == terminal_cols(t) && most(v->size.rows) == terminal_rows(t);
}

static void draw_whole(struct view *v, struct bytes *out)
{
    const struct terminal *t = session_terminal(v->task.session);
    v->top = v->left = 0;
    if (v->size.cols > terminal_cols(t) || v->size.rows > terminal_rows(t))
        terminal_redraw_larger(t, out);
    else
        terminal_redraw(t, out);
}

/* Where in the stream what a viewer is shown now ends. */
static uint64_t shown_until(const struct view *v)
{
    uint64_t shown = terminal_shown_offset(session_terminal(v->task.session));
    return shown < v->until ? shown : v->until;
}

static void draw_part(struct view *v, struct bytes *out)
{
    const struct terminal *t = session_terminal(v->task.session);
    terminal_part_origin(t, v->size.cols, v->size.rows, &v->top, &v->left);
    terminal_redraw_part(t, v->size.cols, v->size.rows, out);
}

static void draw(struct view *v)
{
    struct session *s = v->task.session;
    struct bytes out = {0};
    v->stale = false;
    struct board_place before = worker_looks_at(s);
    if (v->live && view_fits(v))
        draw_whole(v, &out);
    else
        draw_part(v, &out);
    board_leave(&before);
    send_counted(v, VIEW_DRAW, shown_until(v), shown_until(v), &out);
    bytes_finish(&out);
}

/* One that is drawn may be drawn again; one that is live took nothing for too long. */
static void on_time(uv_timer_t *timer)
{
    struct view *v = timer->data;
    if (v->live)
        feed_pass_over(&v->feed);
    view_settle(v);
}

/* One whose terminal did not take the last drawing yet gets the next when it has. */
static void draw_in_time(struct view *v)
{
    bool waits = uv_is_active((uv_handle_t *)&v->task.timer) && !v->ended;
    if (!v->stale || waits || feed_under_way(&v->feed) >= VIEW_ACK_BYTES)
        return;
    draw(v);
    uv_timer_start(&v->task.timer, on_time, REDRAW_MS, 0);
}

/* One that is live is when it has all that came before, and nothing is cut by that. */
static void settle_anew(struct view *v)
{
    const struct terminal *t = session_terminal(v->task.session);
    if (!v->anew || !v->live || !v->feed.follows || v->output.len || terminal_is_inside(t))
        return;
    v->anew = false;
    if (!v->run || terminal_alt_screen(t)) /* see begin_live() */
        draw(v);
}

void view_draw_anew(struct view *v)
{
    v->anew = v->live;
    v->stale = true;
    view_settle(v);
}

/* ---- what it missed ---- */

static void begin_live(struct view *v)
{
    missed_destroy(v->missed);
    v->missed = NULL;
    if (!v->run || terminal_alt_screen(session_terminal(v->task.session)))
        draw(v); /* a command goes on in the terminal's own lines */
    feed_begin(&v->feed, shown_until(v));
}

/* What it was not sent by now it never will be: it is drawn. */
static void set_live(struct view *v, bool live)
{
    session_skip_viewer(v->task.session, v->number, feed_end(&v->feed));
    view_answer_rest(v);
    v->live = live;
    v->output.len = 0;
    uv_timer_stop(&v->task.timer);
    if (live) {
        begin_live(v);
    } else {
        v->feed.follows = false;
        v->stale = true;
    }
}

static void send_missed(struct view *v)
{
    struct session *s = v->task.session;
    uint64_t end = shown_until(v), before = v->feed.place, now;
    struct bytes out = {0};
    struct board_place place = worker_looks_at(s);
    if (!v->missed)
        v->missed = missed_create(s, v->number, before);
    bool shown = before < v->shown && v->shown <= v->until; /* there, and not heard of */
    int error = missed_read(v->missed, feed_send_most(&v->feed, end), shown ? v->shown : v->until,
                            &out, &now);
    board_leave(&place);
    if (error < 0) {
        feed_skip(&v->feed);
    } else {
        feed_moved(&v->feed, now, end);
        if (shown)
            tell_shown(v, before, now, &out);
        else
            send_counted(v, VIEW_OUTPUT, before, now, &out);
    }
    bytes_finish(&out);
}

static void count_missed(struct view *v)
{
    struct session *s = v->task.session;
    uint64_t end = shown_until(v), from = v->feed.place;
    uint64_t to = end - from < MISSED_COUNT_BYTES ? end : from + MISSED_COUNT_BYTES;
    feed_counted(&v->feed, to, missed_lines(s, from, to));
}

/* How many lines, whole ones with their ends, stand above the cursor of what will be drawn. */
static uint64_t lines_drawn(const struct view *v)
{
    const struct terminal *t = session_terminal(v->task.session);
    uint64_t ends = 0;
    if (v->run || !view_fits(v) || terminal_alt_screen(t))
        return 0;
    for (int row = 0; row < terminal_cursor(t).row; row++)
        ends += !terminal_row_goes_on(t, row + 1);
    return ends && terminal_row_goes_on(t, 0) ? ends - 1 : ends; /* the first began above */
}

/* What it missed was not sent. */
static void skip_missed(struct view *v)
{
    bool over = v->until != UINT64_MAX;
    bool inside = terminal_is_inside(session_terminal(v->task.session)) && !v->ended;
    uint64_t drawn = over ? 0 : lines_drawn(v), lines = v->feed.lines;
    if (lines || !v->doubts)
        view_note(v, VIEW_SKIPPED, lines > drawn ? lines - drawn : 0, "");
    v->doubts = false;
    if (over)
        feed_begin(&v->feed, v->until);
    else
        set_live(v, !inside || v->run); /* see may_be_live() */
}

/* One step; returns whether another one is to be done now. */
static bool catch_up(struct view *v)
{
    struct session *s = v->task.session;
    switch (feed_next(&v->feed, shown_until(v), session_readable_from(s))) {
    case FEED_SEND:
        send_missed(v);
        return !v->feed.follows;
    case FEED_COUNT:
        count_missed(v);
        return true;
    case FEED_REDRAW:
        skip_missed(v);
        return false;
    case FEED_NOTHING:
        break;
    }
    return false;
}

bool view_on_turn(struct turn *turn, size_t bytes)
{
    struct view *v = (struct view *)((char *)turn - offsetof(struct view, turn));
    (void)bytes;
    bool more = v->live && v->task.session && catch_up(v);
    if (v->feed.follows) {
        missed_destroy(v->missed);
        v->missed = NULL;
    }
    view_settle(v);
    return more;
}

/* ---- the session waits for its leader ---- */

static void settle_room(struct view *v)
{
    struct session *s = v->task.session;
    size_t room = v->live && !v->over ? feed_room(&v->feed, shown_until(v)) : SIZE_MAX;
    if (!v->leading.leads) {
        if (!room)
            feed_pass_over(&v->feed); /* a command's is not waited for then */
        return;
    }
    session_set_room(s, room);
    if (!v->live)
        return;
    if (room)
        uv_timer_stop(&v->task.timer);
    else if (!uv_is_active((uv_handle_t *)&v->task.timer))
        uv_timer_start(&v->task.timer, on_time, LIMIT_VIEW_STALL_MS, 0);
}

/* ---- the end ---- */

void view_draw_end(struct view *v)
{
    struct session *s = v->task.session;
    struct bytes out = {0};
    struct board_place before = worker_looks_at(s);
    if (v->live && v->feed.follows)
        terminal_redraw_end(session_terminal(s), &out);
    else
        bytes_printf(&out, "\x1b[r\x1b[?6l\x1b[%d;1H", v->size.rows);
    board_leave(&before);
    send_counted(v, VIEW_DRAW, shown_until(v), shown_until(v), &out);
    bytes_finish(&out);
}

/* ---- the last question ---- */

static void on_last(struct view *v)
{
    void (*over)(struct view *) = v->when_heard;
    uv_timer_stop(&v->task.timer);
    v->when_heard = NULL;
    over(v);
}

static void on_last_time(uv_timer_t *timer)
{
    on_last(timer->data);
}

void view_heard(struct view *v)
{
    if (v->when_heard && !(v->task.session && session_awaits_viewer(v->task.session, v->number)))
        on_last(v);
}

void view_return_keys(struct view *v)
{
    if (v->returned.len)
        view_frames_append(view_socket_out(v->socket), VIEW_RETURNED, 0, 0, v->returned.data,
                           v->returned.len);
    v->returned.len = 0;
}

/* A terminal answers in order: behind the answer to this none is on its way. */
void view_end_answers(struct view *v, void (*over)(struct view *v))
{
    struct session *s = v->task.session;
    view_loan_end(v); /* what its terminal says now the viewer reads */
    bool asks = v->fences && s && !v->when_heard && session_awaits_viewer(s, v->number);
    struct bytes question = {0};
    if (s && !v->when_heard && !v->run)
        view_draw_end(v);
    v->when_heard = over;
    if (!asks) {
        on_last(v);
        return;
    }
    v->live = false;
    session_ask_last(s, v->number);
    view_note(v, VIEW_LAST, 0, "");
    bytes_append_text(&question, "\x1b[c");
    send_counted(v, VIEW_OUTPUT, shown_until(v), shown_until(v), &question);
    bytes_finish(&question);
    uv_timer_start(&v->task.timer, on_last_time, LIMIT_LAST_ANSWER_MS, 0);
}

/* ---- its shell's end ---- */

static void tell_end(struct view *v)
{
    if (v->over) /* its session is gone, too */
        return;
    v->over = true;
    view_return_keys(v);
    view_note(v, VIEW_END, (uint64_t)(unsigned)v->status, "");
    if (v->task.session && (v->leading.leads || !v->run))
        session_set_room(v->task.session, SIZE_MAX);
    view_release(v);
}

static bool has_all(const struct view *v)
{
    return v->live ? v->feed.follows : v->run || !v->stale;
}

/* ---- who answers ---- */

static void pass_over(struct view *v)
{
    session_pass_over_viewer(v->task.session, v->number);
    feed_mark(&v->feed); /* its terminal may yet find questions in that */
    view_answer_rest(v);
}

/* What programs ask, while it is shown that: not while it is passed over, or drawn. */
static void settle_answers(struct view *v)
{
    struct session *s = v->task.session;
    bool over = v->run && v->ended;
    bool answers = v->live && v->leading.leads && !v->feed.passed && !over;
    if (answers && session_leader(s) != v->number)
        session_set_leader(s, v->number);
    else if (!answers && session_leader(s) == v->number && v->leading.leads && !over)
        pass_over(v);
    else if (!answers && session_leader(s) == v->number)
        session_set_leader(s, 0); /* it still answers what it was asked */
}

/* ---- what it gets next ---- */

/* Within a string of the program's a drawing would become part of it, and what follows of it text
 * in the drawing's wake: it is drawn, and begins to follow behind it. Behind the end the session
 * takes no other size, and what is missing is sent all the same. */
static bool may_be_live(const struct view *v)
{
    if (v->run)
        return v->live;
    return v->leading.leads && (view_fits(v) || (v->ended && v->live)) &&
           (v->live || v->ended || !terminal_is_inside(session_terminal(v->task.session)));
}

void view_settle(struct view *v)
{
    struct session *s = v->task.session;
    if (!s || v->over || v->finished || v->when_heard || (v->run && !v->seq && !v->ended))
        return;
    bool live = may_be_live(v);
    if (live != v->live)
        set_live(v, live);
    settle_answers(v);
    if (v->live && feed_has_step(&v->feed))
        turns_add(turns_of(v), &v->turn, false);
    else if (!v->live && !v->run)
        draw_in_time(v);
    settle_anew(v);
    if (v->ended && has_all(v))
        view_end_answers(v, tell_end);
    else if (v->leading.leads)
        settle_room(v);
}

/* ---- what the session shows ---- */

void view_on_display(struct watcher *w, const char *bytes, size_t len, uint64_t offset)
{
    struct view *v = view_of(w);
    (void)offset;
    if (v->live && v->feed.follows && v->until == UINT64_MAX)
        bytes_append(&v->output, bytes, len);
}

static void send_notice(struct view *v)
{
    if (v->notice.len)
        view_note(v, VIEW_BLOCK, v->notice_ms, v->notice.data);
    v->notice.len = 0;
}

void view_on_block_begin(struct watcher *w, struct block *block)
{
    struct view *v = view_of(w);
    looker_begins(&v->looker);
    view_run_begins(v, block);
}

void view_on_block_end(struct watcher *w, struct block *block)
{
    struct view *v = view_of(w);
    bool reports = terminal_reports_focus(session_terminal(v->task.session));
    if (v->run || !v->leading.leads || block->duration_ms < VIEW_BLOCK_MS ||
        looker_looks(&v->looker, reports))
        return;
    json_t *told =
        json_pack("{s:s?, s:o, s:s?}", "cmd", block->private ? NULL : deliver_cmd(block),
                  "exit_code", block->has_exit_code ? json_integer(block->exit_code) : json_null(),
                  "signal", block_signal(block));
    char *text = json_dumps(told, JSON_COMPACT);
    v->notice.len = 0;
    bytes_append_text(&v->notice, text);
    v->notice_ms = (uint64_t)block->duration_ms;
    free(text);
    json_decref(told);
    if (!(v->live && v->feed.follows)) /* its bytes do not come now, but whole drawings do */
        send_notice(v);
}

void view_on_drained(struct watcher *w)
{
    struct view *v = view_of(w);
    if (v->live && v->feed.follows) {
        uint64_t place = shown_until(v);
        if (v->output.len && !view_loan_show(v, place))
            send_counted(v, VIEW_OUTPUT, v->feed.place, place, &v->output);
        v->output.len = 0;
        v->feed.place = place;
        send_notice(v);
        settle_anew(v);
        settle_room(v);
        view_run_settle(v);
    } else {
        v->stale = true;
        view_settle(v);
    }
}
