/* The viewer that leads (leader.h), where it has the session's size, gets the program's bytes as
 * they come, all of them (feed.h): it is drawn once, when it begins to, and never when its terminal
 * changes its size, for then the terminal moves its lines and the program draws. All others are
 * drawn from our model, at most every REDRAW_MS.
 *
 * Whatever changes where a viewer stands (who leads, a size, an acknowledgement, the end) is
 * followed by settle(), which alone decides what it gets next. */
#include "ptyd/worker/view.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/feed.h"
#include "ptyd/worker/leader.h"
#include "ptyd/worker/missed.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/view_socket.h"
#include "ptyd/worker/worker.h"

#define REDRAW_MS 50
#define KEY_BYTES 64 /* as few are typed by hand */

struct view {
    struct task task;
    uint64_t number; /* as the session knows it */
    struct view_socket *socket;
    struct leading leading;
    struct session_size size; /* of the outer terminal */
    bool owns;                /* the session ends with it */
    char *cwd;                /* told last, NULL before */
    struct typing typing;     /* of the INPUT at hand, which `types` says there is */
    bool types;

    struct feed feed;
    bool live;             /* it gets the program's bytes, not drawings */
    struct bytes output;   /* of the piece at hand */
    struct missed *missed; /* while it gets what it missed */
    struct turn turn;      /* for that */
    bool stale;            /* being drawn: another screen than it shows */

    bool ended; /* the shell is gone; it is told once it has all that came before */
    int status;
    bool over; /* it was told */
    bool finished;
};

static struct leaders leaders;
static int count;
static uint64_t numbers; /* given to viewers */

static void settle(struct view *v);

static struct view *view_of(struct watcher *w)
{
    return (struct view *)task_of(w);
}

static struct view *view_of_leading(struct leading *l)
{
    return l ? (struct view *)((char *)l - offsetof(struct view, leading)) : NULL;
}

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

static void send_note(struct view *v, enum view_kind kind, uint64_t offset, const char *text)
{
    view_frame_append(view_socket_out(v->socket), kind, offset, text, strlen(text));
    view_socket_flush(v->socket);
}

/* ---- drawing ---- */

static bool fits(const struct view *v)
{
    const struct terminal *t = session_terminal(v->task.session);
    return v->size.cols == terminal_cols(t) && v->size.rows == terminal_rows(t);
}

/* Where in the stream what a viewer is shown now ends. */
static uint64_t shown_until(const struct view *v)
{
    return terminal_shown_offset(session_terminal(v->task.session));
}

static void draw(struct view *v)
{
    struct session *s = v->task.session;
    struct bytes out = {0};
    v->stale = false;
    struct board_place before = worker_looks_at(s);
    if (v->live)
        terminal_redraw(session_terminal(s), &out);
    else
        terminal_redraw_part(session_terminal(s), v->size.cols, v->size.rows, &out);
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
    settle(v);
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

/* ---- what it missed ---- */

static void begin_live(struct view *v)
{
    missed_destroy(v->missed);
    v->missed = NULL;
    draw(v);
    feed_begin(&v->feed, shown_until(v));
}

static void set_live(struct view *v, bool live)
{
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
    int error = missed_read(v->missed, feed_send_most(&v->feed, end), &out, &now);
    board_leave(&place);
    if (error < 0) {
        feed_skip(&v->feed);
    } else {
        feed_moved(&v->feed, now, end);
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

/* What it missed was not sent. */
static void skip_missed(struct view *v)
{
    bool inside = terminal_is_inside(session_terminal(v->task.session)) && !v->ended;
    send_note(v, VIEW_SKIPPED, v->feed.lines, "");
    set_live(v, !inside); /* see may_be_live() */
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

static bool on_turn(struct turn *turn, size_t bytes)
{
    struct view *v = (struct view *)((char *)turn - offsetof(struct view, turn));
    (void)bytes;
    bool more = v->live && v->task.session && catch_up(v);
    if (v->feed.follows) {
        missed_destroy(v->missed);
        v->missed = NULL;
    }
    settle(v);
    return more;
}

/* ---- the session waits for its leader ---- */

static void settle_room(struct view *v)
{
    struct session *s = v->task.session;
    size_t room = v->live && !v->over ? feed_room(&v->feed, shown_until(v)) : SIZE_MAX;
    session_set_room(s, room);
    if (!v->live)
        return;
    if (room)
        uv_timer_stop(&v->task.timer);
    else if (!uv_is_active((uv_handle_t *)&v->task.timer))
        uv_timer_start(&v->task.timer, on_time, LIMIT_VIEW_STALL_MS, 0);
}

/* ---- the end ---- */

/* What its terminal prints next stands below what it shows. */
static void draw_end(struct view *v)
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

static void tell_end(struct view *v, uint64_t status)
{
    if (v->task.session)
        draw_end(v);
    v->over = true;
    send_note(v, VIEW_END, status, "");
    settle_room(v);
}

static bool has_all(const struct view *v)
{
    return v->live ? v->feed.follows : !v->stale;
}

/* ---- who answers ---- */

/* What programs ask, while it is shown that: not while it is passed over, or drawn. */
static void settle_answers(struct view *v)
{
    struct session *s = v->task.session;
    bool answers = v->live && v->leading.leads && !v->feed.passed;
    if (answers && session_leader(s) != v->number)
        session_set_leader(s, v->number);
    else if (!answers && session_leader(s) == v->number && v->leading.leads)
        session_pass_over_viewer(s, v->number);
    else if (!answers && session_leader(s) == v->number)
        session_set_leader(s, 0); /* it still answers what it was asked */
}

/* ---- what it gets next ---- */

/* Within a string of the program's a drawing would become part of it, and what follows of it text
 * in the drawing's wake: it is drawn, and begins to follow behind it. */
static bool may_be_live(const struct view *v)
{
    return v->leading.leads && fits(v) &&
           (v->live || v->ended || !terminal_is_inside(session_terminal(v->task.session)));
}

static void settle(struct view *v)
{
    struct session *s = v->task.session;
    if (!s || v->over || v->finished)
        return;
    bool live = may_be_live(v);
    if (live != v->live)
        set_live(v, live);
    settle_answers(v);
    if (!v->live)
        draw_in_time(v);
    else if (feed_has_step(&v->feed))
        turns_add(turns_of(v), &v->turn, false);
    if (v->ended && has_all(v))
        tell_end(v, (uint64_t)(unsigned)v->status);
    else if (v->leading.leads)
        settle_room(v);
}

/* ---- who leads ---- */

static void tell_led(struct view *v)
{
    send_note(v, VIEW_LED, v->leading.leads, "");
}

/* Others have been told by the session's change of size; who leads is drawn. */
static void take_lead(struct view *v, struct view *before)
{
    struct session *s = v->task.session;
    session_set_led(s, true);
    if (before)
        tell_led(before);
    tell_led(v);
    if (!v->ended)
        session_resize(s, v->size);
    if (before)
        settle(before);
    settle(v);
}

static void give_up_lead(struct view *v)
{
    struct session *s = v->task.session;
    bool led = v->leading.leads;
    if (!leader_leaves(&leaders, &v->leading) || !led || !s)
        return;
    struct view *next = view_of_leading(leader_of(&leaders, s));
    session_set_room(s, SIZE_MAX);
    session_set_led(s, next != NULL);
    if (next)
        take_lead(next, NULL);
}

/* ---- what the session says ---- */

static void on_display(struct watcher *w, const char *bytes, size_t len, uint64_t offset)
{
    struct view *v = view_of(w);
    (void)offset;
    if (v->live && v->feed.follows)
        bytes_append(&v->output, bytes, len);
}

static void on_drained(struct watcher *w)
{
    struct view *v = view_of(w);
    if (v->live && v->feed.follows) {
        uint64_t place = shown_until(v);
        if (v->output.len)
            send_counted(v, VIEW_OUTPUT, v->feed.place, place, &v->output);
        v->output.len = 0;
        v->feed.place = place;
        settle_room(v);
    } else {
        v->stale = true;
        settle(v);
    }
}

/* Its process goes along, so that what the outer terminal opens next opens there. */
static void on_prompt(struct watcher *w)
{
    struct view *v = view_of(w);
    const char *cwd = tracker_cwd(session_tracker(v->task.session));
    if (v->cwd && !strcmp(v->cwd, cwd))
        return;
    free(v->cwd);
    v->cwd = text_copy(cwd);
    send_note(v, VIEW_CWD, 0, cwd);
}

static void on_resized(struct watcher *w)
{
    struct view *v = view_of(w);
    v->stale = true;
    settle(v);
}

static void on_exited(struct watcher *w, int status)
{
    struct view *v = view_of(w);
    v->ended = true;
    v->status = status;
    settle(v);
}

static void on_gone(struct watcher *w)
{
    struct view *v = view_of(w);
    if (!v->over)
        send_note(v, VIEW_END, v->ended ? (uint64_t)(unsigned)v->status : VIEW_STATUS_UNKNOWN, "");
    v->over = true;
    leader_leaves(&leaders, &v->leading);
    turns_remove(turns_of(v), &v->turn);
    v->types = false;
    v->task.session = NULL;
}

/* ---- the end of a viewer ---- */

static void on_finish(struct task *t)
{
    struct view *v = (struct view *)t;
    bytes_finish(&v->output);
    bytes_finish(&v->typing.bytes);
    missed_destroy(v->missed);
    free(v->cwd);
}

static void finish(struct view *v)
{
    if (v->finished)
        return;
    v->finished = true;
    count--;
    if (v->types && v->task.session)
        session_untype(v->task.session, &v->typing);
    if (v->task.session)
        session_leave_viewer(v->task.session, v->number);
    give_up_lead(v);
    turns_remove(turns_of(v), &v->turn);
    view_socket_close(v->socket);
    task_end(&v->task);
}

/* The terminal is gone. */
static void lose(struct view *v)
{
    struct session *s = v->task.session;
    if (v->owns && s && !v->over && session_is_owned(s))
        worker_tell(client_worker(v->task.client), WIRE_CLOSE, session_name(s), NULL, 0);
    finish(v);
}

static void on_cancel(struct errand *errand)
{
    lose((struct view *)errand);
}

static void on_socket_gone(void *user)
{
    lose(user);
}

/* ---- what the viewer says ---- */

/* Of a key the echo comes right behind: the answer goes with it. Behind more, more may wait. */
static void answer_typed(struct view *v)
{
    bool is_key = v->typing.bytes.len <= KEY_BYTES;
    view_typed_append(view_socket_out(v->socket), v->typing.token, (uint32_t)v->typing.typed);
    if (is_key)
        view_socket_flush_soon(v->socket);
    else
        view_socket_flush(v->socket);
    bytes_finish(&v->typing.bytes);
    bytes_finish(&v->typing.parts); /* of what was never in the queue */
    v->types = false;
}

static void on_typed(struct typing *typing)
{
    answer_typed((struct view *)((char *)typing - offsetof(struct view, typing)));
}

static void take_input(struct view *v, const struct view_frame *f)
{
    struct leading *before;
    if (v->types || f->len > LIMIT_VIEW_INPUT_BYTES) {
        lose(v);
        return;
    }
    v->types = true;
    v->typing = (struct typing){.token = f->offset, .done = on_typed, .has_room = true};
    bytes_append(&v->typing.bytes, f->data, f->len);
    if (v->leading.looks) /* nothing of it waits for anything */
        v->typing.typed = f->len;
    if (v->leading.looks || !v->task.session || v->over) {
        answer_typed(v);
        return;
    }
    bool keys = session_sort(v->task.session, v->number, &v->typing);
    if (keys && leader_typed(&leaders, &v->leading, &before))
        take_lead(v, view_of_leading(before));
    else if (keys && !fits(v))
        session_resize(v->task.session, v->size);
    if (session_type(v->task.session, &v->typing) < 0)
        answer_typed(v);
}

/* Nothing is drawn: the terminal has moved its lines, and the program will draw. */
static void take_size(struct view *v, const struct view_frame *f)
{
    struct view_size size;
    if (view_size_read(f, &size) < 0 || !size.cols || !size.rows) {
        lose(v);
        return;
    }
    v->size = (struct session_size){size.cols, size.rows, size.x_pixels, size.y_pixels};
    v->stale = true;
    if (v->leading.leads && v->task.session && !v->ended)
        session_resize(v->task.session, v->size);
    settle(v);
}

/* What it has not typed yet it never will. */
static void leave(struct view *v)
{
    if (v->owns && v->task.session)
        session_leave(v->task.session);
    if (v->types && v->task.session) {
        session_untype(v->task.session, &v->typing);
        answer_typed(v);
    }
    if (v->task.session && !v->over)
        draw_end(v);
    finish(v);
}

static void take_ack(struct view *v, uint64_t taken)
{
    if (!feed_took(&v->feed, taken))
        return;
    if (v->live)
        uv_timer_stop(&v->task.timer); /* it is not stuck */
    settle(v);
}

static void on_frame(void *user, const struct view_frame *f)
{
    struct view *v = user;
    turns_hurry(turns_of(v));
    board_moved();
    switch (f->kind) {
    case VIEW_INPUT:
        take_input(v, f);
        break;
    case VIEW_ACK:
        take_ack(v, f->offset);
        break;
    case VIEW_RESIZE:
        take_size(v, f);
        break;
    case VIEW_LEAVE:
        leave(v);
        break;
    default:
        break;
    }
}

static const struct view_socket_handler socket_handler = {.frame = on_frame,
                                                          .gone = on_socket_gone};

/* ---- joining ---- */

/* Whoever was attached to a former worker hears also of a shell that has exited since. */
static struct session *find_session(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_find(client_worker(client), json_text(params, "name", ""));
    if (s && session_exited(s) && json_flag(params, "again"))
        return s;
    return worker_live_session(client, id, params);
}

static struct view *create(struct client *client, const json_t *id, const json_t *params,
                           struct session *s, int *ret_other)
{
    struct view *v = memory_new(sizeof *v);
    struct view_socket *socket =
        view_socket_create(&client_worker(client)->loop, &socket_handler, v, ret_other);
    if (!socket) {
        client_fail(client, id, RPC_FAILED, "no socket for a viewer: %s", strerror(errno));
        free(v);
        return NULL;
    }
    *v = (struct view){
        .number = ++numbers,
        .task = {.errand = {.cancel = on_cancel},
                 .watcher = {.display = on_display,
                             .drained = on_drained,
                             .resized = on_resized,
                             .prompt = on_prompt,
                             .exited = on_exited,
                             .gone = on_gone},
                 .finish = on_finish},
        .socket = socket,
        .leading = {.session = s, .looks = json_flag(params, "view")},
        .owns = json_flag(params, "owns"),
        .turn = {.piece = on_turn},
        .ended = session_exited(s),
        .status = session_exit_status(s),
        .stale = true,
    };
    count++;
    return v;
}

/* Whoever led goes on where it was. Where somebody else leads by now it is drawn, as anybody. */
static void join(struct view *v, const json_t *params)
{
    struct session *s = v->task.session;
    struct leading *before;
    bool led = json_flag(params, "led");
    bool leads = leader_joins(&leaders, &v->leading, &before);
    if (led && !v->leading.looks && !leads)
        leads = leader_typed(&leaders, &v->leading, &before);
    if (leads && led && json_flag(params, "again")) {
        v->live = true;
        feed_resume(&v->feed, (uint64_t)json_number(params, "offset", 0));
    }
    if (!leads)
        tell_led(v);
    if (leads)
        take_lead(v, view_of_leading(before));
    else
        settle(v);
    if (!session_exited(s))
        on_prompt(&v->task.watcher);
}

void view_attach_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = find_session(client, id, params);
    struct session_size size;
    int other;
    if (!s)
        return;
    if (!worker_read_size(params, &size)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "size is {cols, rows}");
        return;
    }
    if (!room_for_client(client_worker(client))) {
        client_refuse(client, id, "session.attach");
        return;
    }
    struct view *v = create(client, id, params, s, &other);
    if (!v)
        return;
    v->size = size;
    task_begin(&v->task, client, id);
    client_reply_passing(client, id, json_pack("{s:o}", "session", session_json(s)), other);
    task_watch(&v->task, s);
    if (v->owns)
        terminals_came(client_worker(client), s);
    join(v, params);
}

/* Who goes before the answer came to it has no socket to say it on; who was refused is no viewer at
 * all, and the session it owns stays nevertheless. */
void view_leave_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_find(client_worker(client), json_text(params, "name", ""));
    struct leading *l = leaders.first;
    if (s && json_flag(params, "owns"))
        session_leave(s);
    while (l && view_of_leading(l)->task.client != client)
        l = l->next;
    if (l)
        leave(view_of_leading(l));
    client_reply(client, id, json_object());
}

/* It leaves by itself. That the session stays is certain from now on, also where it goes without a
 * word. */
static void detach(struct view *v)
{
    if (v->owns)
        session_leave(v->task.session);
    send_note(v, VIEW_DETACH, 0, "");
}

void view_detach_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_session(client, id, params);
    bool leading = s && json_flag(params, "leading") && leader_of(&leaders, s);
    json_int_t told = 0;
    if (!s)
        return;
    for (struct leading *l = leaders.first, *next; l; l = next) {
        next = l->next;
        if (l->session != s || (leading && !l->leads))
            continue;
        detach(view_of_leading(l));
        told++;
    }
    client_reply(client, id, json_pack("{s:I}", "detached", told));
}

int view_files(void)
{
    return count;
}

/* ---- behind a worker's death ---- */

static bool waits_for_leader(struct session *s)
{
    return session_led(s) && !session_exited(s) && !leader_of(&leaders, s);
}

static void on_awaited(uv_timer_t *timer)
{
    struct worker *w = timer->data;
    for (int i = 0; i < w->session_count; i++)
        if (waits_for_leader(w->sessions[i])) {
            session_set_led(w->sessions[i], false);
            session_set_room(w->sessions[i], SIZE_MAX);
        }
}

void view_await_leaders(struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (waits_for_leader(w->sessions[i]))
            session_set_room(w->sessions[i], 0);
    uv_timer_start(&w->leaders_timer, on_awaited, LIMIT_VIEW_STALL_MS, 0);
}
