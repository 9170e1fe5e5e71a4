/* Viewers come, lead and go. What one is shown is view_show.c's, what it says view_frames.c's. */
#include "ptyd/worker/view.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lent.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/leaving.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/view_private.h"
#include "ptyd/worker/worker.h"

static struct leaders leaders;
static int count;
static uint64_t numbers; /* given to viewers */

static struct view *view_of_leading(struct leading *l)
{
    return l ? (struct view *)((char *)l - offsetof(struct view, leading)) : NULL;
}

/* ---- who leads ---- */

static void tell_led(struct view *v)
{
    view_note(v, VIEW_LED, v->leading.leads, "");
}

/* Others have been told by the session's change of size; who leads is drawn. */
static void take_lead(struct view *v, struct view *before)
{
    struct session *s = v->task.session;
    session_set_led(s, true);
    if (before)
        view_loan_end(before);
    if (before)
        tell_led(before);
    tell_led(v);
    if (!v->ended)
        session_resize(s, v->size, v->number);
    if (before)
        view_settle(before);
    view_settle(v);
}

bool view_lead(struct view *v)
{
    struct leading *before;
    bool other = leader_typed(&leaders, &v->leading, &before);
    if (other)
        take_lead(v, view_of_leading(before));
    return other;
}

void view_take_keys(struct view *v)
{
    if (!view_lead(v) && !view_fits(v))
        session_resize(v->task.session, v->size, v->number);
}

void view_give_up_lead(struct view *v)
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

/* Its process goes along, so that what the outer terminal opens next opens there. */
static void on_prompt(struct watcher *w)
{
    struct view *v = view_of(w);
    const char *cwd = tracker_cwd(session_tracker(v->task.session));
    if (v->run)
        return;
    if (v->cwd && !strcmp(v->cwd, cwd))
        return;
    free(v->cwd);
    v->cwd = text_copy(cwd);
    view_note(v, VIEW_CWD, 0, cwd);
}

static void on_resized(struct watcher *w)
{
    struct view *v = view_of(w);
    v->stale = true;
    view_settle(v);
}

static void on_baton(struct watcher *w, const char *text)
{
    struct view *v = view_of(w);
    if (!v->leading.looks && !v->run && !v->over)
        view_note(v, VIEW_BATON, 0, text);
}

static void on_exited(struct watcher *w, int status)
{
    struct view *v = view_of(w);
    v->ended = true;
    v->status = status;
    view_loan_untype(v, true);
    view_loan_end(v);
    view_settle(v);
}

static void on_gone(struct watcher *w)
{
    struct view *v = view_of(w);
    view_loan_untype(v, true);
    if (!v->over)
        view_return_keys(v);
    if (!v->over)
        view_note(v, VIEW_END, v->ended ? (uint64_t)(unsigned)v->status : VIEW_STATUS_UNKNOWN, "");
    v->over = true;
    leader_leaves(&leaders, &v->leading);
    turns_remove(&client_worker(v->task.client)->turns, &v->turn);
    v->types = v->types_lent = false;
    view_loan_end(v);
    v->task.session = NULL;
}

/* ---- the end of a viewer ---- */

static void on_finish(struct task *t)
{
    struct view *v = (struct view *)t;
    bytes_finish(&v->output);
    bytes_finish(&v->returned);
    bytes_finish(&v->notice);
    bytes_finish(&v->typing.bytes);
    bytes_finish(&v->typing.grown);
    bytes_finish(&v->lent.bytes);
    missed_destroy(v->missed);
    free(v->cwd);
}

/* Who is waited for yet may come. */
void view_answer_rest(struct view *v)
{
    const struct worker *w = client_worker(v->task.client);
    if (v->task.session && !uv_is_active((const uv_handle_t *)&w->leaders_timer))
        missed_answer(v->task.session);
}

void view_release(struct view *v)
{
    if (v->holds && v->task.session)
        session_hold(v->task.session, false);
    v->holds = false;
    leaving_look(client_worker(v->task.client));
}

void view_finish(struct view *v)
{
    if (v->finished)
        return;
    v->finished = true;
    count--;
    if (v->types && v->task.session)
        session_untype(v->task.session, &v->typing);
    if (v->types_lent && v->task.session)
        session_untype(v->task.session, &v->lent);
    view_loan_close(v);
    if (v->task.session) {
        session_leave_typing(v->task.session, v);
        session_leave_viewer(v->task.session, v->number);
    }
    view_answer_rest(v);
    view_give_up_lead(v);
    turns_remove(&client_worker(v->task.client)->turns, &v->turn);
    view_socket_close(v->socket);
    view_release(v);
    task_end(&v->task);
}

/* One whose socket did not reach it asks for another. */
void view_lose(struct view *v)
{
    struct session *s = v->task.session;
    struct worker *w = client_worker(v->task.client);
    bool ends = v->owns && s && !v->over && session_is_owned(s);
    if (ends && v->heard)
        worker_tell(w, WIRE_CLOSE, session_name(s), NULL, 0);
    else if (ends)
        terminals_expect(w, s);
    view_finish(v);
}

static void on_cancel(struct errand *errand)
{
    view_lose((struct view *)errand);
}

static void on_socket_gone(void *user)
{
    view_lose(user);
}

/* ---- joining ---- */

static const struct view_socket_handler socket_handler = {.frame = view_on_frame,
                                                          .gone = on_socket_gone};

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
                 .watcher = {.display = view_on_display,
                             .drained = view_on_drained,
                             .resized = on_resized,
                             .prompt = on_prompt,
                             .block_begin = view_on_block_begin,
                             .output_end = view_run_on_output_end,
                             .block_end = view_on_block_end,
                             .exited = on_exited,
                             .gone = on_gone,
                             .baton = on_baton},
                 .finish = on_finish},
        .socket = socket,
        .leading = {.session = s, .looks = json_flag(params, "view")},
        .owns = json_flag(params, "owns"),
        .fences = json_flag(params, "last"),
        .run = (uint64_t)json_number(params, "run", 0),
        .lends = json_number(params, "run", 0) || json_flag(params, "view")
                     ? 0
                     : (uint64_t)json_number(params, "lends", 0),
        .until = UINT64_MAX,
        .turn = {.piece = view_on_turn},
        .ended = session_exited(s),
        .status = session_exit_status(s),
        .stale = true,
    };
    count++;
    return v;
}

/* Where its terminal stands, which it has lent. What of it is not known is drawn. */
static uint64_t resume_shown(struct view *v, uint64_t place)
{
    v->shown = lent_shown(session_lent(v->task.session), v->lends, place, &v->doubts);
    if (v->doubts)
        feed_skip(&v->feed);
    return v->shown;
}

/* Whoever led goes on where it was. Where somebody else leads by now it is drawn, as anybody. */
static void join(struct view *v, const json_t *params)
{
    struct session *s = v->task.session;
    struct leading *before;
    bool led = json_flag(params, "led");
    if (v->run)
        view_run_join(v, params);
    bool leads = leader_joins(&leaders, &v->leading, &before);
    if (led && !v->leading.looks && !leads)
        leads = leader_typed(&leaders, &v->leading, &before);
    if (leads && led && json_flag(params, "again")) {
        uint64_t offset = (uint64_t)json_number(params, "offset", 0);
        struct board_place place = worker_looks_at(s);
        if (!v->run) {
            v->live = true;
            feed_resume(&v->feed, offset);
        }
        offset = resume_shown(v, offset);
        missed_inherit(s, v->number, offset);
        board_leave(&place);
    }
    if (!leads)
        tell_led(v);
    if (leads)
        take_lead(v, view_of_leading(before));
    else
        view_settle(v);
    view_run_settle(v);
    if (!session_exited(s))
        on_prompt(&v->task.watcher);
}

static void tell_joined(struct view *v)
{
    char *text = v->run || v->leading.looks ? NULL : baton_text(v->task.session);
    if (text)
        view_note(v, VIEW_BATON, 0, text);
    free(text);
}

static void attach(struct client *client, const json_t *id, const json_t *params, bool created)
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
    if (!strcmp(json_text(params, "within", ""), session_name(s))) {
        client_fail(client, id, RPC_FAILED, "this is session %s; it cannot show itself",
                    session_called(s));
        return;
    }
    if (!view_run_is_known(s, params)) {
        client_fail(client, id, RPC_FAILED, "that command is over");
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
    session_note_token(s, (uint64_t)json_number(params, "token", 0));
    task_begin(&v->task, client, id);
    json_t *answer = json_pack("{s:o, s:b, s:b}", "session", session_json(s), "run", v->run != 0,
                               "lends", v->lends != 0);
    if (created)
        json_object_set_new(answer, "created", json_true());
    client_reply_passing(client, id, answer, other);
    task_watch(&v->task, s);
    session_hold(s, true);
    v->holds = true;
    view_loan_join(v, (uint64_t)json_number(params, "reads", 0));
    tell_joined(v);
    if (v->owns && !v->ended) /* else it goes once it has heard of the end */
        terminals_came(client_worker(client), s);
    join(v, params);
}

void view_attach_call(struct client *client, const json_t *id, const json_t *params)
{
    attach(client, id, params, false);
}

void view_attach_opened(struct client *client, const json_t *id, const json_t *params)
{
    attach(client, id, params, true);
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
        view_leave(view_of_leading(l));
    client_reply(client, id, json_object());
}

/* It leaves by itself. That the session stays is certain from now on, also where it goes without a
 * word. */
static void detach(struct view *v)
{
    if (v->owns)
        session_leave(v->task.session);
    view_loan_end(v);
    view_note(v, VIEW_DETACH, 0, "");
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

bool view_owner_lacks(const struct session *s)
{
    for (struct leading *l = leaders.first; l; l = l->next) {
        const struct view *v = view_of_leading(l);
        if (l->session == s && v->owns && !v->over)
            return true;
    }
    return false;
}

int view_files(void)
{
    return count + view_loans() + view_sockets_passed();
}

/* ---- behind a worker's death ---- */

static bool waits_for_leader(struct session *s)
{
    return session_led(s) && !session_exited(s) && !leader_of(&leaders, s);
}

static void on_awaited(uv_timer_t *timer)
{
    struct worker *w = timer->data;
    for (int i = 0; i < w->session_count; i++) {
        struct board_place place = worker_looks_at(w->sessions[i]);
        missed_answer(w->sessions[i]);
        board_leave(&place);
        if (waits_for_leader(w->sessions[i])) {
            session_set_led(w->sessions[i], false);
            session_set_room(w->sessions[i], SIZE_MAX);
        }
    }
}

void view_await_leaders(struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (waits_for_leader(w->sessions[i]))
            session_set_room(w->sessions[i], 0);
    uv_timer_start(&w->leaders_timer, on_awaited, LIMIT_VIEW_STALL_MS, 0);
}
