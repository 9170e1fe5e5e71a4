/* Two descriptors: the connection, on which one asks to be a viewer and gets the other; and that
 * one, on which frames go (core/view_wire.h). A worker's death ends both. What it had sent is read
 * to its end first. */
#define _GNU_SOURCE
#include "ptyd/client/view_link_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/command/patience.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define AGAIN_MS   20  /* between two tries to connect again */
#define JOIN_TRIES 5   /* where the descriptor gets lost */
#define ACK_MS     500 /* a terminal that takes something all the time is heard of as often */

/* ---- frames out ---- */

/* What nobody reads any more stays: that it was not sent is known when the end is read. */
static void flush(struct view_link *l)
{
    ssize_t n = 1;
    while (l->fd >= 0 && l->out.len && n > 0) {
        n = send(l->fd, l->out.data, l->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0)
            bytes_consume(&l->out, (size_t)n);
    }
}

void view_link_send_input(struct view_link *l)
{
    if (!l->typed.len || l->asked_len || l->lost_len || l->fd < 0 || l->lending.awaits)
        return;
    l->token++;
    l->asked_len = l->typed.len < LIMIT_VIEW_INPUT_BYTES ? l->typed.len : LIMIT_VIEW_INPUT_BYTES;
    l->asked_last = true;
    view_frame_append(&l->out, VIEW_INPUT, l->token, l->typed.data, l->asked_len);
    flush(l);
}

void view_link_type(struct view_link *l, const char *bytes, size_t len)
{
    bytes_append(&l->typed, bytes, len);
    l->lending.until = 0;
    view_link_send_input(l);
}

size_t view_link_unsent(const struct view_link *l)
{
    return l->given_up + l->typed.len;
}

size_t view_link_doubtful(const struct view_link *l)
{
    return l->doubtful;
}

/* What stands on the way goes first. */
void view_link_lend(struct view_link *l, int fd, char special)
{
    int64_t now = clock_monotonic_ms();
    bool stands = l->fd >= 0 && l->state == VIEW_LINK_STANDS && l->leads && !l->leaves;
    bool all_asked = l->asked_len == l->typed.len && !l->lost_len && !l->out.len;
    if (fd < 0 || l->keeps || !stands || !all_asked || l->drawing ||
        !lending_is_due(&l->lending, now))
        return;
    l->lending.fd = fd;
    l->lending.special = special;
    l->asked_last = false;
    lending_send(&l->lending, l->fd, now, &l->out);
}

bool view_link_lends(const struct view_link *l)
{
    return lending_lasts(&l->lending, clock_monotonic_ms());
}

void view_link_grant(struct view_link *l)
{
    if (l->fd < 0)
        return;
    view_frame_append(&l->out, VIEW_GRANT, 0, "", 0);
    flush(l);
}

void view_link_resize(struct view_link *l, struct view_size size)
{
    l->size = size;
    if (l->fd < 0)
        return;
    l->asked_last = false;
    view_size_append(&l->out, size);
    flush(l);
}

static void ask_for_drawing(struct view_link *l)
{
    if (l->fd < 0 || !l->anew)
        return;
    l->asked_last = false;
    view_frame_append(&l->out, VIEW_ANEW, 0, NULL, 0);
    flush(l);
}

void view_link_draw(struct view_link *l)
{
    l->anew = true;
    ask_for_drawing(l);
}

void view_link_keep(struct view_link *l, bool keeps)
{
    l->keeps = keeps;
}

void view_link_shown(struct view_link *l, size_t waiting)
{
    uint64_t took = waiting < l->came ? l->came - waiting : 0;
    int64_t now = clock_monotonic_ms();
    bool all = l->drawn || lending_lasts(&l->lending, now); /* somebody waits for that */
    bool due = took >= l->acked + VIEW_ACK_BYTES || (all && took == l->came) ||
               (waiting && now - l->acked_ms >= ACK_MS); /* slow, and not stuck */
    if (!due || took <= l->acked || l->fd < 0)
        return;
    l->acked = took;
    l->acked_ms = now;
    l->drawn = l->drawn && took < l->came;
    l->asked_last = false;
    view_frame_append(&l->out, VIEW_ACK, took, NULL, 0);
    flush(l);
}

/* ---- frames in ---- */

static void lose(struct view_link *l, bool unread)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    l->unread = unread || l->out.len;
    l->out.len = 0;
    view_reader_finish(&l->reader);
}

/* Once; returns whether there may be more. */
static bool read_frames(struct view_link *l)
{
    struct view_frame frame;
    int found;
    ssize_t n = recv(l->fd, view_reader_room(&l->reader), VIEW_READ_BYTES, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        lose(l, n < 0 && errno == ECONNRESET);
        return false;
    }
    view_reader_came(&l->reader, (size_t)n);
    while ((found = view_reader_next(&l->reader, &frame)) > 0)
        view_link_take_frame(l, &frame);
    if (found < 0)
        lose(l, false);
    return found == 0;
}

/* ---- joining ---- */

/* What became of what was lost is asked by tokens that the session knows already. */
static json_t *attach_params(struct view_link *l)
{
    bool again = patience_waits(&l->patience);
    l->told_size = l->size;
    json_int_t noted = l->lost_len ? 0 : (json_int_t)++l->token;
    l->before = noted ? l->token : l->before;
    return json_pack("{s:s, s:s, s:o, s:b, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I}", "name",
                     l->options->name, "within", l->options->within ? l->options->within : "",
                     "size", request_size_json(l->size), "view", l->options->looks, "owns",
                     l->options->owns, "last", true, "again", again, "led",
                     again && l->leads && l->has_place, "offset", (json_int_t)l->place, "token",
                     noted, "run", l->options->run, "lends", (json_int_t)l->lending.number, "reads",
                     (json_int_t)l->lending.reads);
}

/* The kernel drops it where no descriptor is left for it. */
static bool take_socket(struct view_link *l)
{
    l->fd = rpc_take_passed(l->rpc);
    l->came = l->acked = 0;
    l->drawn = false;
    return l->fd >= 0;
}

json_t *view_link_join(struct view_link *l, int wait_ms)
{
    const struct view_opened *opened = l->options->opened;
    json_t *reply = opened ? json_incref((json_t *)opened->answer) : NULL, *session;
    if (opened)
        take_socket(l);
    for (int i = 0; i < JOIN_TRIES && l->fd < 0; i++) {
        json_decref(reply);
        reply = rpc_call(l->rpc, "session.attach", attach_params(l), wait_ms);
        if (!reply)
            return NULL;
        take_socket(l);
    }
    if (l->options->run && !json_flag(reply, "run")) {
        json_decref(reply);
        return NULL;
    }
    lending_joined(&l->lending, json_flag(reply, "lends"));
    session = l->fd < 0 ? NULL : json_incref(json_object_get(reply, "session"));
    if (!session)
        say("no descriptor is left for the session: `ulimit -n` says how many there may be");
    l->shell_id = text_copy(json_text(session, "shell_id", ""));
    json_decref(reply);
    return session;
}

/* Behind this nothing is asked again. */
static void refuse(struct view_link *l, const json_t *error)
{
    l->state = VIEW_LINK_LOST;
    free(l->refusal);
    l->refusal = text_copy(json_text(error, "message", ""));
}

/* The shell may have ended meanwhile, and another one have its name. */
static void take_joined(struct view_link *l, const json_t *message)
{
    const json_t *error = json_object_get(message, "error");
    const char *shell = json_text(json_at(message, "result", "session"), "shell_id", "");
    l->joining = 0;
    lending_joined(&l->lending, json_flag(json_object_get(message, "result"), "lends"));
    if (error && json_number(error, "code", 0) != RPC_NO_SESSION)
        refuse(l, error);
    else if (error || strcmp(shell, l->shell_id))
        l->state = VIEW_LINK_ENDED_UNSEEN;
    else if (!take_socket(l)) {
        rpc_close(l->rpc); /* and once more, until it is too late */
        return;
    }
    if (memcmp(&l->size, &l->told_size, sizeof l->size)) /* it changed meanwhile */
        view_link_resize(l, l->size);
    ask_for_drawing(l);
    patience_end(&l->patience);
    view_link_send_input(l);
}

/* Of what was lost with the connection the daemon knows how much the terminal has: the rest never
 * will be typed by that request, and is sent again. Without `known` all of it is in doubt. */
static void settle_lost(struct view_link *l, const json_t *known)
{
    size_t len = l->lost_len, doubt = len;
    if (json_flag(known, "begun")) {
        doubt = (size_t)json_number(known, "in_doubt", 0);
        len = (size_t)json_number(known, "typed", 0) + doubt;
    } else if (json_flag(known, "never")) {
        len = doubt = 0;
    }
    len = len < l->lost_len ? len : l->lost_len;
    l->doubtful += doubt < len ? doubt : len;
    bytes_consume(&l->typed, len);
    lending_typed(&l->lending, len);
    l->lost_len = 0;
    l->resolving = 0;
    view_link_settle_found(l);
}

static bool is_answer(const json_t *message, json_int_t id)
{
    return id && !json_object_get(message, "method") && json_number(message, "id", 0) == id;
}

static void take_messages(struct view_link *l)
{
    json_t *message;
    while ((message = rpc_next(l->rpc))) {
        if (is_answer(message, l->joining)) {
            take_joined(l, message);
        } else if (is_answer(message, l->resolving)) {
            settle_lost(l, json_object_get(message, "result"));
            view_link_send_input(l);
        }
        json_decref(message);
    }
}

/* ---- a connection that is lost ---- */

/* What was sent on it gets no answer. What is sent last is what is not read: such an INPUT waits to
 * be sent again. */
static void forget_asked(struct view_link *l)
{
    if (l->asked_len && !(l->unread && l->asked_last))
        l->lost_len = l->asked_len;
    l->asked_len = 0;
    l->joining = l->resolving = 0;
}

static void come_back(struct view_link *l)
{
    while (l->fd >= 0 && read_frames(l))
        ;
    if (l->state != VIEW_LINK_STANDS)
        return;
    if (l->fd >= 0)
        lose(l, false);
    forget_asked(l);
    lending_lost(&l->lending, l->typed.len);
    patience_begin(&l->patience);
    if (rpc_connect_again(l->rpc) < 0)
        return;
    l->joining = rpc_send(l->rpc, "session.attach", attach_params(l), patience_until(&l->patience));
    if (l->lost_len)
        l->resolving = rpc_send(l->rpc, "session.typed",
                                json_pack("{s:s, s:I, s:I}", "name", l->options->name, "token",
                                          (json_int_t)l->token, "before", (json_int_t)l->before),
                                patience_until(&l->patience));
}

void view_link_settle(struct view_link *l)
{
    forget_asked(l);
    if (l->lost_len)
        settle_lost(l, NULL);
}

/* ---- its owner's loop ---- */

void view_link_poll(const struct view_link *l, struct pollfd ret_fds[VIEW_LINK_FDS])
{
    short out = l->out.len ? POLLOUT : 0;
    ret_fds[0] = (struct pollfd){.fd = l->fd, .events = (short)(POLLIN | out)};
    ret_fds[1] = (struct pollfd){.fd = l->rpc->fd, .events = POLLIN};
}

bool view_link_is_connected(const struct view_link *l)
{
    return l->fd >= 0;
}

int view_link_wait_ms(const struct view_link *l)
{
    int64_t now = clock_monotonic_ms(), left = patience_until(&l->patience) - now;
    if (l->rpc->fd < 0)
        return AGAIN_MS;
    if (lending_lasts(&l->lending, now))
        return (int)(l->lending.until - now);
    return !patience_waits(&l->patience) ? -1 : left > 0 ? (int)left : 0;
}

/* Whether one of the two that a worker holds is gone. */
static bool is_lost(const struct view_link *l)
{
    return l->rpc->fd < 0 || (l->fd < 0 && !l->joining);
}

void view_link_work(struct view_link *l, const struct pollfd fds[VIEW_LINK_FDS], bool again)
{
    if (fds[0].revents & POLLOUT)
        flush(l);
    if (fds[0].revents & ~POLLOUT && l->fd >= 0)
        read_frames(l);
    if (fds[1].revents && l->rpc->fd >= 0)
        rpc_fill(l->rpc);
    take_messages(l);
    if (l->state != VIEW_LINK_STANDS || !again)
        return;
    if (patience_waits(&l->patience) && !patience_lasts(&l->patience))
        l->state = VIEW_LINK_LOST;
    else if (is_lost(l))
        come_back(l);
}

enum view_link_state view_link_state(const struct view_link *l)
{
    return l->state;
}

int view_link_waited_s(const struct view_link *l)
{
    return patience_seconds(&l->patience);
}

const char *view_link_refusal(const struct view_link *l)
{
    return l->refusal;
}

int view_link_status(const struct view_link *l)
{
    return l->status;
}

/* A worker that has not begun yet reads it behind the request to be a viewer again. */
void view_link_leave(struct view_link *l)
{
    l->lending.until = 0;
    if (l->fd < 0 && l->rpc->fd >= 0)
        rpc_send(l->rpc, "view.leave",
                 json_pack("{s:s, s:b}", "name", l->options->name, "owns", l->options->owns),
                 clock_monotonic_ms());
    if (l->fd < 0)
        return;
    l->leaves = true;
    view_frame_append(&l->out, VIEW_LEAVE, 0, NULL, 0);
    flush(l);
}

bool view_link_reads_on(const struct view_link *l)
{
    return l->last && l->fd >= 0;
}

const struct bytes *view_link_returned(const struct view_link *l)
{
    return &l->returned;
}

struct view_link *view_link_create(struct rpc *rpc, const struct view_link_options *options,
                                   struct view_size size)
{
    struct view_link *l = memory_new(sizeof *l);
    *l = (struct view_link){
        .rpc = rpc,
        .options = options,
        .size = size,
        .fd = -1,
        .token = (uint64_t)(options->opened ? options->opened->token : request_new_token())};
    l->before = options->opened ? l->token : 0;
    l->lending.number =
        options->lends ? (uint64_t)(options->opened ? options->opened->lends : request_new_token())
                       : 0;
    return l;
}

void view_link_destroy(struct view_link *l)
{
    lose(l, false);
    bytes_finish(&l->out);
    bytes_finish(&l->typed);
    bytes_finish(&l->returned);
    lending_finish(&l->lending);
    free(l->shell_id);
    free(l->refusal);
    free(l);
}
