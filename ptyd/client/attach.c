/* One loop over three descriptors: keys, the daemon, signals. Everything that ends it goes
 * through the same way out, which puts the terminal back.
 *
 * A connection that is lost is made again in the same loop, so that keys are taken meanwhile: they
 * wait in `typed`. What was sent and not answered may have been typed or not: it is not sent again,
 * but for what the daemon is known not to have read. */
#define _GNU_SOURCE
#include "ptyd/client/attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/client/request.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/terminal.h"

#define LEAVE_KEY   0x1c /* Ctrl-\ */
#define INPUT_BYTES 4096 /* sent at once */
#define BUSY_MS     50   /* before a session that had no room is asked again */
#define LEAVE_MS    1000 /* for the daemon to take what was typed before the user left */
#define AGAIN_MS    20   /* between two tries to connect again */

enum outcome { GOING, LEFT, ENDED, ENDED_UNSEEN, LOST, HUNG_UP };

struct attach {
    struct rpc *rpc;
    const struct attach_options *options;
    struct termios saved;
    sigset_t saved_mask;
    int signals;
    int cols, rows;
    bool leave_pressed;
    struct bytes typed; /* and not known to have reached the session */
    json_int_t asked;   /* the request that holds the first `asked_len` of it; 0 for none */
    size_t asked_len;
    json_int_t token; /* of that request, by which it is known behind a worker's death */
    bool busy;        /* the session had no room for it: it is asked again */
    int64_t leave_by; /* monotonic ms: who left waits no longer; 0 while nobody has */
    int64_t
        back_by; /* monotonic ms: a lost connection is waited for until then; 0 while one stands */
    json_int_t joining;   /* the request to be a view again; 0 for none */
    json_int_t resolving; /* the request that says how far the lost one came; 0 for none */
    size_t lost_len;      /* so much of `typed` the lost one held */
    size_t doubtful;      /* bytes of which nobody knows whether they were typed */
    char *shell_id;       /* of the shell that is shown */
    enum outcome outcome;
    int exit_status;
};

/* ---- the outer terminal ---- */

static int enter_raw(struct attach *a)
{
    if (tcgetattr(STDIN_FILENO, &a->saved) < 0)
        return -errno;
    struct termios raw = a->saved;
    cfmakeraw(&raw);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0 ? -errno : 0;
}

static void put(const char *bytes, size_t len)
{
    file_write_all(STDOUT_FILENO, bytes, len, -1);
}

static void restore(const struct attach *a)
{
    struct bytes out = {0};
    terminal_restore_sequence(&out);
    bytes_printf(&out, "\x1b[%d;1H\r\n", a->rows);
    put(out.data, out.len);
    bytes_finish(&out);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &a->saved);
}

/* What is on the screen moves into the outer terminal's own scrollback, the joining line last. */
static void print_joining_line(const struct attach *a, const json_t *session)
{
    const char *state = !strcmp(json_text(session, "capture", ""), "paused") ? "capture paused"
                        : !strcmp(json_text(session, "state", ""), "starting")
                            ? "capture begins with the first prompt"
                        : json_flag(session, "marks") ? "capture on"
                                                      : "capture degraded: no marks seen yet";
    struct bytes out = {0};
    bytes_printf(&out, "[ptyd: session %s, %s, %s; leave with Ctrl-\\ d]\r\n", a->options->name,
                 json_text(session, "shell", ""), state);
    for (int i = 1; i < a->rows; i++)
        bytes_append_char(&out, '\n');
    put(out.data, out.len);
    bytes_finish(&out);
}

/* ---- keys ---- */

/* One request at a time: a later one might find the room that an earlier one did not. */
static void send_input(struct attach *a)
{
    struct bytes text = {0};
    if (!a->typed.len || a->asked || a->back_by || a->lost_len || a->rpc->fd < 0)
        return;
    a->token++;
    a->asked_len = a->typed.len < INPUT_BYTES ? a->typed.len : INPUT_BYTES;
    a->busy = false;
    base64_encode(a->typed.data, a->asked_len, &text);
    a->asked = rpc_send(a->rpc, "view.input",
                        json_pack("{s:s, s:I}", "data", text.data, "token", a->token),
                        clock_monotonic_ms() + LIMIT_ANSWER_MS);
    a->asked = a->asked < 0 ? 0 : a->asked; /* not done: it waits */
    bytes_finish(&text);
}

static void take_answer(struct attach *a, const json_t *message)
{
    const json_t *error = json_object_get(message, "error");
    if (!a->asked || json_number(message, "id", 0) != a->asked)
        return;
    a->asked = 0;
    a->busy = json_number(error, "code", 0) == RPC_BUSY;
    if (a->busy)
        return;
    bytes_consume(&a->typed, a->asked_len);
    send_input(a);
}

/* Ctrl-\ d leaves, Ctrl-\ Ctrl-\ sends one, Ctrl-\ and anything else sends both. */
static void take_keys(struct attach *a, const char *keys, size_t len)
{
    for (size_t i = 0; i < len && a->outcome == GOING; i++) {
        bool leave = a->leave_pressed;
        a->leave_pressed = !leave && keys[i] == LEAVE_KEY;
        if (a->leave_pressed)
            continue;
        if (leave && keys[i] == 'd') {
            a->outcome = LEFT;
            break;
        }
        if (leave && keys[i] != LEAVE_KEY)
            bytes_append_char(&a->typed, LEAVE_KEY);
        bytes_append_char(&a->typed, keys[i]);
    }
    if (!a->busy)
        send_input(a);
}

static void read_keys(struct attach *a)
{
    char keys[4096];
    ssize_t n = read(STDIN_FILENO, keys, sizeof keys);
    if (n > 0)
        take_keys(a, keys, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        a->outcome = HUNG_UP;
}

/* ---- the daemon ---- */

static json_t *attach_params(const struct attach *a)
{
    return json_pack("{s:s, s:o, s:b, s:b, s:b}", "name", a->options->name, "size",
                     request_size_json(a->cols, a->rows), "view", a->options->looks, "owns",
                     a->options->owns, "again", a->back_by != 0);
}

/* The shell may have ended meanwhile, and another one have its name. */
static void take_joined(struct attach *a, const json_t *message)
{
    const json_t *error = json_object_get(message, "error");
    const char *shell = json_text(json_at(message, "result", "session"), "shell_id", "");
    a->joining = 0;
    if (error && json_number(error, "code", 0) != RPC_NO_SESSION)
        a->outcome = LOST;
    else if (error || strcmp(shell, a->shell_id))
        a->outcome = ENDED_UNSEEN;
    a->back_by = 0;
    send_input(a);
}

/* Of what was lost with the connection the daemon knows how much the terminal has: the rest never
 * will be typed by that request, and is sent again. Without `known` all of it is in doubt. */
static void settle_lost(struct attach *a, const json_t *known)
{
    size_t len = a->lost_len, doubt = len;
    if (json_flag(known, "begun")) {
        doubt = (size_t)json_number(known, "in_doubt", 0);
        len = (size_t)json_number(known, "typed", 0) + doubt;
    }
    len = len < a->lost_len ? len : a->lost_len;
    a->doubtful += doubt < len ? doubt : len;
    bytes_consume(&a->typed, len);
    a->lost_len = 0;
    a->resolving = 0;
}

static bool is_answer(const json_t *message, json_int_t id)
{
    return id && !json_object_get(message, "method") && json_number(message, "id", 0) == id;
}

static void take_message(struct attach *a, const json_t *message)
{
    const char *method = json_text(message, "method", NULL);
    const json_t *params = json_object_get(message, "params");
    if (method && !strcmp(method, "view.output")) {
        const json_t *data = json_object_get(params, "data");
        struct bytes bytes = {0};
        if (base64_decode(json_string_value(data), json_string_length(data), &bytes) == 0)
            put(bytes.data, bytes.len);
        bytes_finish(&bytes);
    } else if (method && !strcmp(method, "view.cwd")) {
        const char *cwd = json_text(params, "cwd", NULL);
        if (cwd && chdir(cwd) < 0)
            errno = 0; /* gone or not ours: stay where we are */
    } else if (method && !strcmp(method, "view.end")) {
        a->exit_status = (int)json_number(params, "exit_status", 0);
        a->outcome = ENDED;
    } else if (is_answer(message, a->joining)) {
        take_joined(a, message);
    } else if (is_answer(message, a->resolving)) {
        settle_lost(a, json_object_get(message, "result"));
        send_input(a);
    } else if (!method) {
        take_answer(a, message);
    }
}

static void take_messages(struct attach *a)
{
    json_t *message;
    while ((message = rpc_next(a->rpc))) {
        take_message(a, message);
        json_decref(message);
    }
}

/* What was asked on the connection that is lost gets no answer. */
static void forget_asked(struct attach *a)
{
    bool unread = a->rpc->unread && a->asked == a->rpc->next_id;
    if (a->asked && !unread)
        a->lost_len = a->asked_len;
    a->asked = a->joining = a->resolving = 0;
    a->busy = false;
}

static void come_back(struct attach *a)
{
    int64_t now = clock_monotonic_ms();
    forget_asked(a);
    a->back_by = a->back_by ? a->back_by : now + LIMIT_RECONNECT_MS;
    if (rpc_connect_again(a->rpc) < 0)
        return;
    a->joining = rpc_send(a->rpc, "session.attach", attach_params(a), a->back_by);
    if (a->lost_len)
        a->resolving = rpc_send(
            a->rpc, "session.typed",
            json_pack("{s:s, s:I}", "name", a->options->name, "token", a->token), a->back_by);
}

/* ---- signals ---- */

static void open_signals(struct attach *a)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, &a->saved_mask);
    a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void resize(struct attach *a)
{
    request_terminal_size(&a->cols, &a->rows);
    if (a->rpc->fd >= 0)
        rpc_send(a->rpc, "view.resize",
                 json_pack("{s:o}", "size", request_size_json(a->cols, a->rows)),
                 clock_monotonic_ms() + LIMIT_ANSWER_MS);
}

static void read_signals(struct attach *a)
{
    struct signalfd_siginfo info;
    while (read(a->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGWINCH)
            resize(a);
        else
            a->outcome = HUNG_UP;
}

/* What was typed before the user left is on its way. */
static bool is_leaving(const struct attach *a)
{
    return (a->outcome == LEFT || a->outcome == HUNG_UP) && a->typed.len && !a->busy &&
           a->rpc->fd >= 0;
}

/* For the terminal, the daemon, or a signal; 0 when who left has waited long enough. */
static int wait_ms(struct attach *a)
{
    int64_t now = clock_monotonic_ms(), by = a->back_by;
    if (a->outcome == GOING && a->rpc->fd < 0)
        return AGAIN_MS;
    if (a->outcome == GOING && !by)
        return a->busy ? BUSY_MS : -1;
    if (a->outcome != GOING)
        by = a->leave_by = a->leave_by ? a->leave_by : now + LEAVE_MS;
    return by > now ? (int)(by - now) : 0;
}

/* One round; false when it is over. A terminal that hung up would wake us for ever: who leaves
 * reads it no more. */
static bool wait_once(struct attach *a)
{
    bool reads = a->outcome == GOING && a->typed.len < LIMIT_INPUT_BYTES;
    struct pollfd fds[] = {{.fd = reads ? STDIN_FILENO : -1, .events = POLLIN},
                           {.fd = a->rpc->fd, .events = POLLIN},
                           {.fd = a->signals, .events = POLLIN}};
    int wait = wait_ms(a), found = wait ? poll(fds, 3, wait) : -1;
    if (found < 0)
        return wait && errno == EINTR;
    if (found == 0)
        send_input(a);
    if (fds[2].revents)
        read_signals(a);
    if (fds[1].revents)
        rpc_fill(a->rpc);
    if (fds[0].revents && a->outcome == GOING)
        read_keys(a);
    return true;
}

static void loop(struct attach *a)
{
    for (;;) {
        take_messages(a);
        if (a->outcome == GOING && a->back_by && clock_monotonic_ms() >= a->back_by)
            a->outcome = LOST;
        if (a->outcome == GOING && a->rpc->fd < 0)
            come_back(a);
        if ((a->outcome != GOING && !is_leaving(a)) || !wait_once(a))
            break;
    }
    forget_asked(a);
    if (a->lost_len)
        settle_lost(a, NULL);
}

/* What was typed and is in doubt is said where the user reads it. */
static int say_outcome(const struct attach *a)
{
    const char *name = a->options->name;
    if (a->doubtful)
        say("%zu bytes that you typed may not have reached the session: the daemon was replaced "
            "while it had them",
            a->doubtful);
    switch (a->outcome) {
    case LEFT:
        printf("[left session %s; `ptyd attach %s` comes back]\n", name, name);
        if (a->typed.len)
            say("%zu bytes that you typed last did not reach the session: %s", a->typed.len,
                a->back_by || a->rpc->fd < 0 ? "the daemon is away" : "it reads nothing");
        return EXIT_OK;
    case ENDED_UNSEEN:
        printf("[session %s ended]\n", name);
        return say_fail(EXIT_FAILED, "its shell ended while the daemon was replaced: its status is "
                                     "not known");
    case ENDED:
        printf("[session %s ended]\n", name);
        return a->exit_status;
    case HUNG_UP:
        return EXIT_FAILED;
    default:
        return say_fail(EXIT_FAILED,
                        "the daemon did not come back within %d s; `ptyd attach %s` comes back to "
                        "the session, which goes on while the daemon runs",
                        LIMIT_RECONNECT_MS / 1000, name);
    }
}

/* It is for the daemon to do if it can; there is nothing to be done where it cannot. */
static void ask_quietly(struct rpc *rpc, const char *method, json_t *params, int wait_ms)
{
    char *error = NULL;
    json_decref(rpc_ask(rpc, method, params, wait_ms, &error));
    free(error);
}

/* The session stays, also one that this terminal owns. A worker that has not begun yet reads it
 * behind the request to be a view again. */
static void leave(struct attach *a)
{
    if (a->back_by && a->rpc->fd >= 0)
        rpc_send(a->rpc, "view.leave", json_object(), clock_monotonic_ms());
    else if (a->rpc->fd >= 0)
        ask_quietly(a->rpc, "view.leave", json_object(), LEAVE_MS);
}

int attach_run(struct rpc *rpc, const struct attach_options *options)
{
    struct attach a = {.rpc = rpc, .options = options, .signals = -1, .token = request_new_token()};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return say_fail(EXIT_FAILED,
                        "attach needs a terminal; `ptyd run` and `ptyd screen` do not");
    request_terminal_size(&a.cols, &a.rows);
    json_t *reply = rpc_call(rpc, "session.attach", attach_params(&a), LIMIT_ANSWER_MS);
    if (!reply)
        return EXIT_FAILED;
    a.shell_id = text_copy(json_text(json_object_get(reply, "session"), "shell_id", ""));
    open_signals(&a);
    if (enter_raw(&a) == 0) {
        print_joining_line(&a, json_object_get(reply, "session"));
        loop(&a);
        restore(&a);
    } else {
        a.outcome = LOST;
    }
    json_decref(reply);
    if (a.outcome == LEFT || a.outcome == LOST)
        leave(&a);
    if (a.outcome == ENDED && options->owns)
        ask_quietly(rpc, "session.close", json_pack("{s:s}", "name", options->name),
                    LIMIT_ANSWER_MS);
    close(a.signals);
    sigprocmask(SIG_SETMASK, &a.saved_mask, NULL);
    int status = say_outcome(&a);
    bytes_finish(&a.typed);
    free(a.shell_id);
    return status;
}
