/* One loop over three descriptors: keys, the daemon, signals; and the terminal while it is slow.
 * Everything that ends it goes through the same way out, which puts the terminal back. */
#define _GNU_SOURCE
#include "ptyd/client/attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/keys.h"
#include "ptyd/client/notice.h"
#include "ptyd/client/outer.h"
#include "ptyd/client/parting.h"
#include "ptyd/client/request.h"
#include "ptyd/client/signals.h"
#include "ptyd/client/view_link.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define GRANT_KEY 'g' /* behind the prefix: an agent that asks may type, once */

enum outcome { GOING, LEFT, HUNG_UP, NO_TERMINAL };

struct attach {
    const struct attach_options *options;
    struct view_link *link;
    struct outer *outer;
    struct keys keys;
    struct signals signals;
    int64_t stop_by;  /* monotonic ms: it stops as soon as nobody else uses the terminal, and then
                         also within a string; 0: it does not */
    int64_t leave_by; /* monotonic ms: who left waits no longer; 0 while nobody has */
    enum outcome outcome;
};

static bool is_over(const struct attach *a)
{
    return a->outcome != GOING || view_link_state(a->link) != VIEW_LINK_STANDS;
}

/* ---- what comes ---- */

static void on_show(void *user, const char *bytes, size_t len)
{
    struct attach *a = user;
    outer_put(a->outer, bytes, len);
}

static void on_shown(void *user, const char *bytes, size_t len)
{
    struct attach *a = user;
    outer_note(a->outer, bytes, len);
}

/* Below what the primary screen shows, as if it were joined from there: the drawing that follows
 * overwrites none of it. */
static void on_skipped(void *user, uint64_t lines)
{
    struct attach *a = user;
    char *line =
        lines ? text_format("[ptyd: %llu lines are not shown here]", (unsigned long long)lines)
              : text_copy("[ptyd: some output is not shown here]");
    outer_renew(a->outer);
    outer_clear_away(a->outer, line);
    free(line);
}

static void on_moved(void *user, const char *cwd)
{
    (void)user;
    if (chdir(cwd) < 0)
        errno = 0; /* gone or not ours: stay where we are */
}

static void on_ended(void *user, int64_t duration_ms, const json_t *block)
{
    struct attach *a = user;
    int64_t after = conf_now(a->options->conf)->notify_after_ms;
    struct bytes out = {0};
    if (!after || duration_ms < after)
        return;
    notice_append(a->options->name, duration_ms, block, notice_form(), &out);
    outer_say(a->outer, out.data, out.len);
    bytes_finish(&out);
}

/* While an agent asks the key behind the prefix is ours. */
static void on_baton(void *user, const json_t *baton)
{
    struct attach *a = user;
    bool asks = !strcmp(json_text(baton, "state", ""), "asks");
    char *key = a->keys.prefix ? text_format("Ctrl-%c %c", a->keys.prefix, GRANT_KEY) : NULL;
    struct bytes out = {0};
    a->keys.grant = asks ? GRANT_KEY : 0;
    notice_append_baton(a->options->name, key, baton, notice_form(), &out);
    if (out.len)
        outer_say(a->outer, out.data, out.len);
    bytes_finish(&out);
    free(key);
}

static void on_renewed(void *user)
{
    struct attach *a = user;
    outer_renew(a->outer);
}

static void print_joining_line(const struct attach *a, const json_t *session)
{
    const char *state = !strcmp(json_text(session, "capture", ""), "paused") ? "capture paused"
                        : !strcmp(json_text(session, "state", ""), "starting")
                            ? "capture begins with the first prompt"
                        : json_flag(session, "marks") ? "capture on"
                                                      : "capture degraded: no marks seen yet";
    struct bytes out = {0};
    bytes_printf(&out, "[ptyd: session %s, %s, %s", a->options->name,
                 json_text(session, "shell", ""), state);
    if (a->keys.prefix)
        bytes_printf(&out, "; leave with Ctrl-%c %c", a->keys.prefix, a->keys.leave);
    bytes_append_text(&out, "]\r\n");
    outer_put(a->outer, out.data, out.len);
    bytes_finish(&out);
}

/* ---- keys and signals ---- */

/* While somebody types the daemon reads the keys. */
static void take_keys(void *user, const char *keys, size_t len)
{
    struct attach *a = user;
    struct bytes typed = {0};
    char special;
    if (keys_take(&a->keys, keys, len, clock_monotonic_ms(), &typed))
        a->outcome = LEFT;
    if (typed.len)
        view_link_type(a->link, typed.data, typed.len);
    if (a->keys.granted)
        view_link_grant(a->link);
    a->keys.granted = 0;
    bytes_finish(&typed);
    if (len < LIMIT_LENT_BYTES && !is_over(a) && keys_rest(&a->keys, &special))
        view_link_lend(a->link, outer_lendable(a->outer), special);
}

static void read_keys(struct attach *a)
{
    char keys[1 << 14];
    long n = outer_read(a->outer, keys, sizeof keys);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        a->outcome = HUNG_UP;
    if (n > 0)
        take_keys(a, keys, (size_t)n);
}

/* A key that might have been the first of those that leave, and was not. */
static void type_what_waited(struct attach *a)
{
    struct bytes typed = {0};
    keys_wait_over(&a->keys, clock_monotonic_ms(), &typed);
    if (typed.len)
        view_link_type(a->link, typed.data, typed.len);
    bytes_finish(&typed);
}

/* We were stopped: somebody else had the terminal. */
static void come_back(struct attach *a)
{
    a->stop_by = 0;
    outer_resume(a->outer);
    view_link_keep(a->link, false);
    view_link_draw(a->link);
}

static void take_signal(struct attach *a, int signal)
{
    switch (signal) {
    case SIGWINCH:
        view_link_resize(a->link, request_terminal_size());
        break;
    case SIGTSTP:
        a->stop_by = a->stop_by ? a->stop_by : clock_monotonic_ms() + LIMIT_STOP_MS;
        view_link_keep(a->link, true);
        break;
    case SIGCONT:
        if (!is_over(a))
            come_back(a);
        break;
    default:
        a->outcome = HUNG_UP;
    }
}

static void read_signals(struct attach *a)
{
    int signal;
    while ((signal = signals_next(&a->signals)))
        take_signal(a, signal);
}

/* What is left of a string would be text behind that; it may have no end. */
static void stop(struct attach *a)
{
    bool waits = outer_is_inside(a->outer) && a->stop_by > clock_monotonic_ms();
    if (!a->stop_by || view_link_lends(a->link) || waits)
        return;
    outer_pause(a->outer);
    signals_stop();
    come_back(a);
}

/* ---- the loop ---- */

/* What was typed before the user left is on its way. */
static bool is_leaving(const struct attach *a)
{
    return (a->outcome == LEFT || a->outcome == HUNG_UP) &&
           view_link_state(a->link) == VIEW_LINK_STANDS && view_link_unsent(a->link) &&
           view_link_is_connected(a->link);
}

static int sooner(int wait, int64_t left)
{
    return wait < 0 || left < wait ? (int)left : wait;
}

/* 0 when who left has waited long enough. */
static int wait_ms(struct attach *a)
{
    int64_t now = clock_monotonic_ms(), due = keys_due(&a->keys);
    int wait = view_link_wait_ms(a->link);
    wait = due ? sooner(wait, due > now ? due - now : 0) : wait;
    if (!is_over(a)) /* what it waits for behind that wakes it itself */
        return a->stop_by > now ? sooner(wait, a->stop_by - now) : wait;
    a->leave_by = a->leave_by ? a->leave_by : now + LIMIT_LEAVE_MS;
    return a->leave_by > now ? (int)(a->leave_by - now) : 0;
}

/* One round; false when it is over. A terminal that hung up would wake us for ever: who leaves
 * reads it no more. */
static bool wait_once(struct attach *a)
{
    bool reads =
        !is_over(a) && !view_link_lends(a->link) && view_link_unsent(a->link) < LIMIT_INPUT_BYTES;
    struct pollfd fds[3 + VIEW_LINK_FDS] = {
        {.fd = reads ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = a->signals.fd, .events = POLLIN},
        {.fd = outer_waiting(a->outer) ? outer_fd(a->outer) : -1, .events = POLLOUT}};
    view_link_poll(a->link, fds + 3);
    int wait = wait_ms(a), found = poll(fds, sizeof fds / sizeof *fds, wait);
    if (found < 0)
        return errno == EINTR;
    if (found == 0 && is_over(a))
        return false;
    if (fds[2].revents)
        outer_flush(a->outer);
    if (fds[1].revents)
        read_signals(a);
    if (fds[0].revents && !is_over(a))
        read_keys(a);
    if (!is_over(a))
        type_what_waited(a);
    view_link_work(a->link, fds + 3, !is_over(a));
    if (!is_over(a))
        stop(a);
    view_link_shown(a->link, outer_waiting(a->outer));
    return true;
}

static void loop(struct attach *a)
{
    while ((!is_over(a) || is_leaving(a)) && wait_once(a))
        ;
    if (view_link_state(a->link) == VIEW_LINK_DETACHED)
        a->outcome = LEFT;
    view_link_settle(a->link);
}

/* ---- the end ---- */

static int say_left(const struct attach *a)
{
    const char *name = a->options->name;
    size_t unsent = view_link_unsent(a->link);
    printf("[left session %s; `ptyd attach %s` comes back]\n", name, name);
    if (unsent)
        say("%zu bytes that you typed last did not reach the session: %s", unsent,
            view_link_is_connected(a->link) ? "it reads nothing" : "the daemon is away");
    return EXIT_OK;
}

/* What was typed and is in doubt is said where the user reads it. */
static int say_outcome(const struct attach *a)
{
    const char *name = a->options->name;
    size_t doubtful = view_link_doubtful(a->link);
    if (doubtful)
        say("%zu bytes that you typed may not have reached the session: the daemon was replaced "
            "while it had them",
            doubtful);
    if (a->outcome == LEFT)
        return say_left(a);
    switch (view_link_state(a->link)) {
    case VIEW_LINK_ENDED:
        printf("[session %s ended]\n", name);
        return view_link_status(a->link);
    case VIEW_LINK_ENDED_UNSEEN:
        printf("[session %s ended]\n", name);
        return say_fail(EXIT_FAILED, "its shell ended while the daemon was replaced: its status is "
                                     "not known");
    case VIEW_LINK_LOST:
        if (view_link_refusal(a->link))
            return say_fail(ATTACH_FAILED, "%s", view_link_refusal(a->link));
        return say_fail(ATTACH_FAILED,
                        "the daemon did not come back within %d s; `ptyd attach %s` comes back to "
                        "the session, which goes on while the daemon runs",
                        view_link_waited_s(a->link), name);
    case VIEW_LINK_DETACHED:
    case VIEW_LINK_STANDS:
        break;
    }
    return a->outcome == NO_TERMINAL ? ATTACH_FAILED : EXIT_FAILED;
}

/* It may have become another size while the session was made. */
static void resize_since(struct attach *a)
{
    struct view_size now = request_terminal_size(), then = a->options->opened->size;
    if (memcmp(&now, &then, sizeof now))
        view_link_resize(a->link, now);
}

static void show(struct attach *a, const json_t *session)
{
    if (!signals_open(&a->signals) || outer_open(&a->outer, true) < 0) {
        a->outcome = NO_TERMINAL;
        return;
    }
    signals_forget_interrupts();
    if (a->options->verbose)
        print_joining_line(a, session);
    outer_clear_away(a->outer, NULL);
    if (a->options->opened)
        resize_since(a);
    loop(a);
    if (a->outcome == LEFT || view_link_state(a->link) == VIEW_LINK_LOST)
        parting_leave(a->link, a->outer);
    parting_close(a->link, a->outer, "session");
}

/* The session of a terminal that is there goes with its shell. */
static void close_own(const struct attach *a, struct rpc *rpc)
{
    char *error = NULL;
    if (view_link_state(a->link) == VIEW_LINK_ENDED && a->options->owns)
        json_decref(rpc_ask(rpc, "session.close", json_pack("{s:s}", "name", a->options->name),
                            LIMIT_LEAVE_MS, &error));
    free(error);
}

/* What is wrong in them is said while the terminal is the user's yet. */
static void read_settings(struct attach *a)
{
    const struct conf *conf = conf_now(a->options->conf);
    char *const *lines;
    size_t count = conf_wrong(a->options->conf, &lines);
    for (size_t i = 0; i < count; i++)
        say("%s", lines[i]);
    keys_init(&a->keys, conf->detach_key);
}

int attach_run(struct rpc *rpc, const struct attach_options *options)
{
    struct attach a = {.options = options};
    if (!outer_is_there())
        return say_fail(ATTACH_FAILED,
                        "attach needs a terminal; `ptyd run` and `ptyd screen` do not");
    read_settings(&a);
    const struct view_link_options of_link = {.name = options->name,
                                              .within = options->within,
                                              .looks = options->looks,
                                              .owns = options->owns,
                                              .lends = true,
                                              .opened = options->opened,
                                              .show = on_show,
                                              .shown = on_shown,
                                              .read = take_keys,
                                              .renewed = on_renewed,
                                              .skipped = on_skipped,
                                              .moved = on_moved,
                                              .ended = on_ended,
                                              .baton = on_baton,
                                              .user = &a};
    a.link = view_link_create(rpc, &of_link,
                              options->opened ? options->opened->size : request_terminal_size());
    json_t *session = view_link_join(a.link, options->wait_ms);
    int status = ATTACH_FAILED;
    if (session) {
        show(&a, session);
        json_decref(session);
        close_own(&a, rpc);
        signals_close(&a.signals);
        status = say_outcome(&a);
    }
    view_link_destroy(a.link);
    keys_finish(&a.keys);
    return status;
}
