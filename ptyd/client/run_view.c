/* Two connections, of which each is made again by itself when a worker dies: the caller's, on which
 * the command is asked for and its end is told, and the viewer's (view_link.h). */
#define _GNU_SOURCE
#include "ptyd/client/run_view.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/client/keys.h"
#include "ptyd/client/outer.h"
#include "ptyd/client/parting.h"
#include "ptyd/client/request.h"
#include "ptyd/client/signals.h"
#include "ptyd/client/view_link.h"
#include "ptyd/core/clock.h"

struct run_view {
    struct view_link_options options; /* of the link */
    struct rpc rpc;                   /* the link's */
    struct view_link *link;
    struct outer *outer; /* NULL until the command begins */
    struct signals signals;
    struct keys keys;
    bool left;
    int64_t left_ms; /* monotonic: when the user did */
};

static void leave(struct run_view *v)
{
    v->left_ms = v->left ? v->left_ms : clock_monotonic_ms();
    v->left = true;
}

/* ---- what comes ---- */

void run_view_begin(struct run_view *v)
{
    if (v->outer || v->left)
        return;
    if (!signals_open(&v->signals) || outer_open(&v->outer, false) < 0) {
        leave(v);
        signals_close(&v->signals);
        return;
    }
    signals_forget_interrupts();
    view_link_resize(v->link, request_terminal_size());
}

static void on_show(void *user, const char *bytes, size_t len)
{
    struct run_view *v = user;
    run_view_begin(v);
    if (v->outer)
        outer_put(v->outer, bytes, len);
}

static void on_renewed(void *user)
{
    struct run_view *v = user;
    if (v->outer)
        outer_renew(v->outer);
}

static void on_skipped(void *user, uint64_t lines)
{
    struct bytes out = {0};
    if (lines)
        bytes_printf(&out, "\r\n[ptyd: %llu lines are not shown here]\r\n",
                     (unsigned long long)lines);
    else
        bytes_append_text(&out, "\r\n[ptyd: some output is not shown here]\r\n");
    on_show(user, out.data, out.len);
    bytes_finish(&out);
}

static void on_moved(void *user, const char *cwd)
{
    (void)user;
    (void)cwd;
}

static void on_ended(void *user, int64_t duration_ms, const json_t *block)
{
    (void)user;
    (void)duration_ms;
    (void)block;
}

/* ---- keys and signals ---- */

static void type(struct run_view *v, struct bytes *typed)
{
    if (typed->len)
        view_link_type(v->link, typed->data, typed->len);
    bytes_finish(typed);
}

static void read_keys(struct run_view *v)
{
    char keys[1 << 14];
    struct bytes typed = {0};
    long n = outer_read(v->outer, keys, sizeof keys);
    bool gone = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    bool leaves = n > 0 && keys_take(&v->keys, keys, (size_t)n, clock_monotonic_ms(), &typed);
    type(v, &typed);
    if (gone || leaves)
        leave(v);
}

/* What the command shows is drawn where it is on the alternate screen. */
static void come_back(struct run_view *v)
{
    outer_resume(v->outer);
    view_link_draw(v->link);
}

static void take_signal(struct run_view *v, int signal)
{
    switch (signal) {
    case SIGWINCH:
        view_link_resize(v->link, request_terminal_size());
        break;
    case SIGTSTP:
        outer_pause(v->outer);
        signals_stop();
        come_back(v);
        break;
    case SIGCONT:
        if (!v->left)
            come_back(v);
        break;
    default:
        leave(v);
    }
}

static void read_signals(struct run_view *v)
{
    int signal;
    while ((signal = signals_next(&v->signals)))
        take_signal(v, signal);
}

/* ---- the loop ---- */

static bool shows(const struct run_view *v)
{
    return view_link_state(v->link) == VIEW_LINK_STANDS;
}

static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int wait_ms(const struct run_view *v, int64_t until)
{
    int64_t now = clock_monotonic_ms(), keys = keys_due(&v->keys);
    int wait = until < 0 ? -1 : until > now ? (int)(until - now) : 0;
    if (shows(v))
        wait = sooner(wait, view_link_wait_ms(v->link));
    return keys ? sooner(wait, keys > now ? (int)(keys - now) : 0) : wait;
}

/* One round, until `until` at most; returns whether something can be read of `fd`. */
static bool turn(struct run_view *v, int fd, int64_t until)
{
    bool own = v->outer != NULL;
    bool reads = own && !v->left && shows(v) && view_link_unsent(v->link) < LIMIT_INPUT_BYTES;
    struct pollfd fds[4 + VIEW_LINK_FDS] = {
        {.fd = fd, .events = POLLIN},
        {.fd = reads ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = own ? v->signals.fd : -1, .events = POLLIN},
        {.fd = own && outer_waiting(v->outer) ? outer_fd(v->outer) : -1, .events = POLLOUT}};
    struct bytes typed = {0};
    if (shows(v))
        view_link_poll(v->link, fds + 4);
    else
        fds[4].fd = fds[5].fd = -1;
    if (poll(fds, sizeof fds / sizeof *fds, wait_ms(v, until)) < 0)
        return false;
    if (fds[3].revents)
        outer_flush(v->outer);
    if (fds[2].revents)
        read_signals(v);
    if (fds[1].revents)
        read_keys(v);
    keys_wait_over(&v->keys, clock_monotonic_ms(), &typed);
    type(v, &typed);
    if (shows(v))
        view_link_work(v->link, fds + 4, true);
    if (v->outer)
        view_link_shown(v->link, outer_waiting(v->outer));
    if (view_link_state(v->link) == VIEW_LINK_DETACHED)
        leave(v);
    return fds[0].revents != 0;
}

/* The first of the two that left may have ended the command: its end is heard if it comes at once.
 */
static int64_t wait_until(const struct run_view *v, int64_t until)
{
    int64_t by = v->left_ms + LIMIT_LAST_ANSWER_MS;
    return v->left && (until < 0 || by < until) ? by : until;
}

enum rpc_wait run_view_wait(struct run_view *v, struct rpc *rpc, int64_t until,
                            json_t **ret_message)
{
    while (!(*ret_message = rpc_next(rpc))) {
        if (rpc->fd < 0)
            return RPC_LOST;
        until = wait_until(v, until);
        if (until >= 0 && clock_monotonic_ms() >= until)
            return RPC_LATE;
        if (turn(v, rpc->fd, until))
            rpc_fill(rpc);
    }
    return RPC_CAME;
}

/* A terminal that takes something all the time is waited for. */
bool run_view_rest(struct run_view *v)
{
    int64_t until = clock_monotonic_ms() + LIMIT_RECONNECT_MS;
    uint64_t took = 0;
    while (shows(v) && !v->left && clock_monotonic_ms() < until) {
        turn(v, -1, until);
        if (v->outer && outer_taken(v->outer) != took)
            until = clock_monotonic_ms() + LIMIT_RECONNECT_MS;
        took = v->outer ? outer_taken(v->outer) : 0;
    }
    return v->left || view_link_state(v->link) == VIEW_LINK_ENDED;
}

bool run_view_left(const struct run_view *v)
{
    return v->left;
}

/* ---- its life ---- */

bool run_view_is_possible(void)
{
    return outer_is_there() && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

struct run_view *run_view_create(const char *session, json_int_t token, int wait_ms)
{
    struct run_view *v = memory_new(sizeof *v);
    *v = (struct run_view){.options = {.name = session,
                                       .run = token,
                                       .show = on_show,
                                       .renewed = on_renewed,
                                       .skipped = on_skipped,
                                       .moved = on_moved,
                                       .ended = on_ended,
                                       .user = v}};
    keys_init_twice(&v->keys, 'c');
    json_t *joined = NULL;
    if (rpc_connect(&v->rpc, false, wait_ms) == 0) {
        v->link = view_link_create(&v->rpc, &v->options, request_terminal_size());
        joined = view_link_join(v->link, wait_ms);
    }
    if (!joined) {
        run_view_destroy(v);
        return NULL;
    }
    json_decref(joined);
    return v;
}

void run_view_destroy(struct run_view *v)
{
    bool stays = v->link && view_link_is_connected(v->link);
    if (stays && v->outer)
        parting_leave(v->link, v->outer);
    else if (stays)
        view_link_leave(v->link);
    if (v->outer) {
        parting_close(v->link, v->outer, "command");
        signals_close(&v->signals);
    }
    if (v->link) {
        view_link_destroy(v->link);
        rpc_close(&v->rpc);
    }
    keys_finish(&v->keys);
    free(v);
}
