/* A terminal that its viewer lends while somebody types (view_wire.h): keys and their echo go past
 * the viewer, which is two processes that need not wake. It hears behind them what was shown. */
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/lent.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/view_private.h"
#include "ptyd/worker/worker.h"

struct loan {
    uv_poll_t poll;
    struct view *view;
    int fd;
    int64_t until;  /* monotonic ms; 0 where it is over */
    uint32_t ended; /* READ that were sent */
    char special;
    bool reads;
};

static int count;

int view_loans(void)
{
    return count;
}

/* ---- how it begins and ends ---- */

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void view_loan_close(struct view *v)
{
    struct loan *l = v->loan;
    v->loan = NULL;
    if (!l)
        return;
    uv_close((uv_handle_t *)&l->poll, on_closed);
    close(l->fd);
    count--;
}

static void stop(struct loan *l)
{
    if (l->reads)
        uv_poll_stop(&l->poll);
    l->reads = false;
    l->until = 0;
}

void view_loan_stop(struct view *v)
{
    if (v->loan)
        stop(v->loan);
}

/* Its viewer's again, with keys that are for it. */
static void give_back(struct view *v, uint64_t reads, const struct view_keys *keys)
{
    v->returns++;
    view_keys_append(view_socket_out(v->socket), reads, keys);
    view_socket_flush(v->socket);
    view_loan_stop(v);
}

void view_loan_end(struct view *v)
{
    if (v->loan && v->loan->until)
        give_back(v, 0, &(struct view_keys){.data = ""});
}

void view_loan_join(struct view *v, uint64_t known)
{
    const struct intake_lent *lent = session_lent(v->task.session);
    struct view_keys keys;
    size_t doubt;
    if (!v->lends)
        return;
    keys.len = lent_untyped(lent, v->lends, known, &keys.data, &doubt);
    keys.doubt = (uint32_t)doubt;
    give_back(v, keys.len || doubt ? lent->reads : 0, &keys);
}

/* ---- keys ---- */

/* What is left of them is its viewer's; where nobody reads any more it comes before what that has
 * typed since, which may be on its way. */
static void finish_typed(struct view *v, bool ended)
{
    struct typing *t = &v->lent;
    const struct view_keys keys = {.data = t->bytes.data + t->typed,
                                   .len = t->bytes.len - t->typed};
    if (keys.len && ended)
        bytes_append(&v->returned, keys.data, keys.len);
    else if (keys.len && !v->finished)
        give_back(v, t->token, &keys);
    bytes_finish(&t->bytes);
    bytes_finish(&t->parts);
    v->types_lent = false;
}

static void on_typed(struct typing *t)
{
    finish_typed((struct view *)((char *)t - offsetof(struct view, lent)), true);
}

void view_loan_untype(struct view *v, bool ended)
{
    if (!v->types_lent || !v->task.session)
        return;
    session_untype(v->task.session, &v->lent);
    finish_typed(v, ended);
}

/* How far they are typed stands beside them: among the requests of callers they would take the
 * place of others. */
static void type(struct view *v, struct intake_lent *lent, size_t len)
{
    v->types_lent = true;
    v->lent = (struct typing){.token = lent->reads, .of = v, .done = on_typed, .has_room = true};
    v->lent.kept = lent_type(lent);
    bytes_append(&v->lent.bytes, lent->keys, len);
    view_type(v, &v->lent);
}

static void take_keys(struct view *v)
{
    struct loan *l = v->loan;
    struct intake_lent *lent = session_lent(v->task.session);
    ssize_t n = lent_read(lent, l->fd);
    if (n == -EAGAIN)
        return;
    turns_hurry(&client_worker(v->task.client)->turns);
    board_moved();
    if (n <= 0)
        view_loan_end(v);
    else if (n == LIMIT_LENT_BYTES || !lent_is_plain(lent->keys, (size_t)n, l->special))
        give_back(v, lent->reads, &(struct view_keys){.data = lent->keys, .len = (size_t)n});
    else
        type(v, lent, (size_t)n);
    if (v->types_lent) /* what leaves may be behind it: the viewer sees to that */
        view_loan_end(v);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct loan *l = poll->data;
    (void)events;
    if (clock_monotonic_ms() >= l->until)
        stop(l);
    else if (status < 0)
        view_loan_end(l->view);
    else
        take_keys(l->view);
}

/* ---- a loan ---- */

static struct loan *open_loan(struct view *v, int passed)
{
    struct worker *w = client_worker(v->task.client);
    int fd = passed < 0 || !room_for_client(w) ? -1 : lent_open(passed);
    if (fd < 0)
        return NULL;
    struct loan *l = memory_new(sizeof *l);
    *l = (struct loan){.view = v, .fd = fd};
    l->poll.data = l;
    if (uv_poll_init(&w->loop, &l->poll, fd) < 0) {
        close(fd);
        free(l);
        return NULL;
    }
    count++;
    return l;
}

/* Where keys wait to be typed, those behind them are not read, nor another's into their place. */
static bool may_begin(const struct view *v, const struct view_loan *loan)
{
    return v->lends && v->loan && loan->ended == v->returns && v->leading.leads &&
           v->task.session && !v->types && !session_types_lent(v->task.session) && !v->ended &&
           !v->over && !v->when_heard;
}

void view_lend(struct view *v, const struct view_loan *loan)
{
    int64_t now = clock_monotonic_ms(), until = (int64_t)loan->until;
    int passed = view_socket_take_passed(v->socket);
    if (v->lends && !v->loan)
        v->loan = open_loan(v, passed);
    if (passed >= 0)
        close(passed);
    struct loan *l = v->loan;
    if (!may_begin(v, loan)) {
        if (v->lends && loan->ended == v->returns)
            give_back(v, 0, &(struct view_keys){.data = ""});
        return;
    }
    lent_begin(session_lent(v->task.session), v->lends);
    l->until = until < now + VIEW_LOAN_MS ? until : now + VIEW_LOAN_MS;
    l->special = loan->special;
    if (!l->reads)
        uv_poll_start(&l->poll, UV_READABLE, on_readable);
    l->reads = true;
}

/* ---- what is shown ---- */

/* Nothing that was sent is on its way: what is written here stands behind it. */
static bool may_show(const struct view *v)
{
    return v->loan && v->leading.leads && v->output.len <= LIMIT_LENT_SHOWN_BYTES &&
           !feed_under_way(&v->feed) && view_socket_out(v->socket)->len < VIEW_ACK_BYTES &&
           !terminal_is_inside(session_terminal(v->task.session)) &&
           clock_monotonic_ms() < v->loan->until;
}

bool view_loan_show(struct view *v, uint64_t place)
{
    uint64_t before = v->feed.place;
    if (!may_show(v))
        return false;
    ssize_t n = lent_show(session_lent(v->task.session), v->loan->fd, v->output.data, v->output.len,
                          before, place);
    if (n <= 0)
        return false;
    bool whole = (size_t)n == v->output.len;
    view_frame_append(view_socket_out(v->socket), VIEW_SHOWN, whole ? place : before,
                      v->output.data, (size_t)n);
    view_socket_flush_soon(v->socket);
    bytes_consume(&v->output, (size_t)n);
    return whole;
}
