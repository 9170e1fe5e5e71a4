/* What a viewer says: keys, acknowledgements, its size, that it goes. */
#include <stddef.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/view_private.h"
#include "ptyd/worker/worker.h"

#define KEY_BYTES 64 /* as few are typed by hand */

/* Of a key the echo comes right behind: the answer goes with it. Behind more, more may wait. */
static void answer_typed(struct view *v)
{
    bool is_key = v->typing.bytes.len <= KEY_BYTES;
    size_t typed = typing_came(&v->typing, v->typing.typed);
    view_typed_append(view_socket_out(v->socket), v->typing.token, (uint32_t)typed);
    if (is_key)
        view_socket_flush_soon(v->socket);
    else
        view_socket_flush(v->socket);
    bytes_finish(&v->typing.bytes);
    bytes_finish(&v->typing.grown);
    bytes_finish(&v->typing.parts); /* of what was never in the queue */
    v->types = false;
}

static void on_typed(struct typing *typing)
{
    answer_typed((struct view *)((char *)typing - offsetof(struct view, typing)));
}

/* No shell is there to read them, or not the command that they were for; somebody may be behind. */
static void keep_keys(struct view *v, struct typing *t)
{
    const struct typing_part *parts = (const struct typing_part *)t->parts.data;
    size_t count = t->parts.len / sizeof *parts, from = 0;
    for (size_t i = 0; i < count; from = parts[i].end, i++)
        if (parts[i].kind == TYPING_KEYS && v->returned.len < LIMIT_INPUT_BYTES)
            bytes_append(&v->returned, t->bytes.data + from, parts[i].end - from);
    t->typed = t->bytes.len;
}

void view_type(struct view *v, struct typing *t)
{
    if (v->leading.looks || !v->task.session || v->over) {
        t->done(t);
        return;
    }
    bool keys = session_sort(v->task.session, v->number, t);
    bool unread = v->run ? v->ended || !v->seq : v->ended && v->when_heard;
    looker_hears(&v->looker, t->bytes.data, t->bytes.len, keys);
    if (unread)
        keep_keys(v, t);
    else if (keys && !v->when_heard)
        view_take_keys(v);
    if (unread || session_type(v->task.session, t) < 0)
        t->done(t);
    view_heard(v);
}

/* One that is shown all has its mouse where the program has it; where pixels are reported nobody
 * knows how many a cell of the program's has. */
static void take_bytes(struct view *v, const struct view_frame *f)
{
    const struct terminal *t = v->task.session ? session_terminal(v->task.session) : NULL;
    struct mouse_part part = {.top = v->top, .left = v->left};
    bool is_part = t && !v->live && !terminal_mouse_pixels(t);
    if (is_part) {
        part.rows = terminal_rows(t);
        part.cols = terminal_cols(t);
        part.wide = terminal_mouse_wide(t);
    }
    mouse_move(&v->input, is_part ? &part : NULL, f->data, f->len, &v->typing);
}

static void take_input(struct view *v, const struct view_frame *f)
{
    if (v->types || f->len > LIMIT_VIEW_INPUT_BYTES) {
        view_lose(v);
        return;
    }
    view_loan_stop(v); /* it reads its terminal itself */
    v->types = true;
    v->typing = (struct typing){.token = f->offset, .of = v, .done = on_typed, .has_room = true};
    take_bytes(v, f);
    if (v->leading.looks) /* nothing of it waits for anything */
        v->typing.typed = v->typing.bytes.len;
    view_type(v, &v->typing);
}

/* Nothing is drawn: the terminal has moved its lines, and the program will draw. */
static void take_size(struct view *v, const struct view_frame *f)
{
    struct view_size size;
    if (view_size_read(f, &size) < 0 || !size.cols || !size.rows) {
        view_lose(v);
        return;
    }
    v->size = (struct session_size){size.cols, size.rows, size.x_pixels, size.y_pixels};
    v->stale = true;
    if (v->leading.leads && v->task.session && !v->ended)
        session_resize(v->task.session, v->size, v->number);
    view_settle(v);
}

static void give_up_typing(struct view *v)
{
    if (v->types && v->task.session) {
        session_untype(v->task.session, &v->typing);
        answer_typed(v);
    }
    view_loan_untype(v, false);
}

static void go(struct view *v)
{
    give_up_typing(v);
    view_return_keys(v);
    view_finish(v);
}

void view_leave(struct view *v)
{
    view_loan_stop(v);
    if (v->owns && v->task.session)
        session_leave(v->task.session);
    give_up_typing(v);
    if (v->over) {
        view_finish(v);
        return;
    }
    view_give_up_lead(v);
    view_end_answers(v, go);
}

static void take_loan(struct view *v, const struct view_frame *f)
{
    struct view_loan loan;
    if (view_loan_read(f, &loan) < 0)
        view_lose(v);
    else
        view_lend(v, &loan);
}

static void take_ack(struct view *v, uint64_t taken)
{
    if (!feed_took(&v->feed, taken, clock_monotonic_ms()))
        return;
    if (v->task.session && feed_took_mark(&v->feed))
        session_viewer_took(v->task.session, v->number);
    if (v->live)
        uv_timer_stop(&v->task.timer); /* it is not stuck */
    view_settle(v);
}

void view_on_frame(void *user, const struct view_frame *f)
{
    struct view *v = user;
    turns_hurry(&client_worker(v->task.client)->turns);
    board_moved();
    v->heard = true;
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
    case VIEW_LEND:
        take_loan(v, f);
        break;
    case VIEW_LEAVE:
        view_leave(v);
        break;
    case VIEW_ANEW:
        view_draw_anew(v);
        break;
    case VIEW_GRANT:
        if (!v->leading.looks && v->task.session && !v->ended)
            baton_grant_once(v->task.session);
        break;
    default:
        break;
    }
}
