#define _GNU_SOURCE
#include "ptyd/command/rpc.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/daemon.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define RETRY_MS 20 /* between two tries to connect */

/* ---- connecting ---- */

static int left_ms(int64_t until)
{
    int64_t left = until - clock_monotonic_ms();
    return left < 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

static void pause_before_retry(void)
{
    nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000L}, NULL);
}

/* One that has ended may have found another there, which is not ready yet. */
static int wait_for_daemon(const char *path, const struct daemon *daemon, int64_t until,
                           char **ret_doubt)
{
    int fd = -ENOENT, left, lonely_ms = 0;
    while ((left = left_ms(until)) > 0 &&
           (fd = local_socket_connect(path, true, left, ret_doubt)) < 0 && fd != -EPERM &&
           lonely_ms < LIMIT_OTHER_START_MS) {
        pause_before_retry();
        lonely_ms += daemon_ended(daemon) && !daemon_keeper(path) ? RETRY_MS : 0;
    }
    return fd;
}

/* -1, after a message. */
static int say_failure(const char *path, int error, const char *doubt)
{
    if (doubt) {
        say("nothing was sent to %s: %s", path, doubt);
    } else if (error == -ENOENT || error == -ECONNREFUSED) {
        say("no daemon runs at %s; `ptyd open NAME` starts it", path);
    } else if (error == -EAGAIN) {
        char *advice = daemon_advice(path);
        say("the daemon does not answer: %s", advice);
        free(advice);
    } else {
        say("cannot connect to %s: %s", path, strerror(-error));
    }
    return -1;
}

/* Connects to a daemon that is started. Returns the descriptor; -1 after a message. */
static int start(const char *path, int64_t until)
{
    struct daemon daemon;
    char *directory = paths_parent(path), *words = NULL, *doubt = NULL;
    int result = daemon_start(path, &daemon);
    int fd = result < 0 ? -1 : wait_for_daemon(path, &daemon, until, &doubt);
    if (doubt)
        say_failure(path, fd, doubt);
    else if (result == -EPERM)
        say("the directory %s is not yours alone; remove it or set PTYD_SOCKET", directory);
    else if (result < 0)
        say("cannot make %s, the directory of the socket: %s; set PTYD_SOCKET to another place",
            directory, strerror(-result));
    else if (fd < 0 && (words = daemon_last_words(&daemon)))
        say("the daemon did not start: %s", words);
    else if (fd < 0)
        say("the daemon did not start%s; `ptyd serve` in a terminal says more",
            daemon_ended(&daemon) ? "" : " in time");
    daemon_forget(&daemon);
    free(directory);
    free(words);
    free(doubt);
    return fd < 0 ? -1 : fd;
}

int rpc_connect(struct rpc *ret_rpc, bool may_start, int wait_ms)
{
    int64_t until = clock_monotonic_ms() + wait_ms;
    char *path = paths_socket(), *doubt = NULL;
    int fd = local_socket_connect(path, true, wait_ms, &doubt);
    signal(SIGPIPE, SIG_IGN);
    if ((fd == -ENOENT || fd == -ECONNREFUSED || fd == -ENOTDIR) && may_start)
        fd = start(path, until);
    else if (fd < 0)
        fd = say_failure(path, fd, doubt);
    free(path);
    free(doubt);
    if (fd < 0)
        return -1;
    *ret_rpc = (struct rpc){.fd = fd, .lines = {.limit = LIMIT_ANSWER_BYTES}};
    return 0;
}

/* There is one at a time. */
static void take_passed(struct rpc *rpc, int fd)
{
    if (rpc->passed)
        close(rpc->passed - 1);
    rpc->passed = fd + 1;
}

int rpc_take_passed(struct rpc *rpc)
{
    int fd = rpc->passed - 1;
    rpc->passed = 0;
    return fd;
}

void rpc_close(struct rpc *rpc)
{
    if (rpc->fd >= 0)
        close(rpc->fd);
    rpc->fd = -1;
    take_passed(rpc, -1);
    lines_finish(&rpc->lines);
    free(rpc->closing);
    rpc->closing = NULL;
}

/* Half a line of the former connection is nobody's. */
static void take_connection(struct rpc *rpc, int fd)
{
    size_t limit = rpc->lines.limit;
    rpc_close(rpc);
    rpc->fd = fd;
    rpc->lines = (struct lines){.limit = limit};
    rpc->unread = false;
    rpc->reconnections++;
    rpc->made_ms = clock_monotonic_ms();
}

int rpc_connect_again(struct rpc *rpc)
{
    char *path = paths_socket(), *doubt = NULL;
    int fd = local_socket_connect(path, true, RETRY_MS, &doubt);
    free(path);
    free(doubt);
    if (fd < 0)
        return fd;
    take_connection(rpc, fd);
    return 0;
}

/* Who closes each is not asked as fast as may be. */
static void heed_loss(struct rpc *rpc)
{
    int64_t now = clock_monotonic_ms();
    bool again = rpc->made_ms && now - rpc->made_ms < PROGRESS_AFTER_MS;
    rpc->losing_ms = again ? rpc->losing_ms : now;
    if (again)
        pause_before_retry();
}

bool rpc_is_losing(const struct rpc *rpc)
{
    return rpc->losing_ms && clock_monotonic_ms() - rpc->losing_ms >= PROGRESS_AFTER_MS;
}

int rpc_reconnect(struct rpc *rpc, int64_t until)
{
    heed_loss(rpc);
    while (rpc_connect_again(rpc) < 0) {
        if (!left_ms(until))
            return -1;
        pause_before_retry();
    }
    return 0;
}

/* What came before is still to be read: rpc_next(). */
static void lose(struct rpc *rpc, bool unread)
{
    if (rpc->fd >= 0)
        close(rpc->fd);
    rpc->fd = -1;
    rpc->unread = unread;
}

/* ---- messages ---- */

/* Waits until the connection can be written to or read from. */
static bool wait_for(const struct rpc *rpc, short events, int64_t until)
{
    struct pollfd fd = {.fd = rpc->fd, .events = events};
    int found;
    do
        found = poll(&fd, 1, until < 0 ? -1 : left_ms(until));
    while ((found < 0 && errno == EINTR) || (found == 0 && left_ms(until) > 0));
    return found > 0;
}

static bool send_all(struct rpc *rpc, const char *bytes, size_t len, int64_t until)
{
    while (len) {
        ssize_t n = send(rpc->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        bool again =
            n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(rpc, POLLOUT, until)));
        if (n < 0 && !again)
            return false;
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* recv(2), and what was passed along. */
static ssize_t receive(struct rpc *rpc, char *chunk, size_t size, int flags)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {.iov_base = chunk, .iov_len = size};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    int fd;
    ssize_t n = recvmsg(rpc->fd, &m, MSG_CMSG_CLOEXEC | flags);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof fd)) {
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        take_passed(rpc, fd);
    }
    return n;
}

/* What the daemon said before it died is there yet. */
static void fill_rest(struct rpc *rpc)
{
    char chunk[1 << 16];
    ssize_t n;
    while (rpc->fd >= 0 && (n = receive(rpc, chunk, sizeof chunk, MSG_DONTWAIT)) > 0)
        lines_add(&rpc->lines, chunk, (size_t)n);
}

/* A request without its line's end is none: what could not be sent whole was not done. */
json_int_t rpc_send(struct rpc *rpc, const char *method, json_t *params, int64_t until)
{
    json_int_t id = ++rpc->next_id;
    json_t *request = json_pack("{s:s, s:s, s:I, s:o}", "jsonrpc", "2.0", "method", method, "id",
                                id, "params", params);
    char *text = rpc->fd < 0 ? NULL : json_dumps(request, JSON_COMPACT);
    char *line = text_format("%s\n", text ? text : "");
    bool sent = text && send_all(rpc, line, strlen(line), until);
    if (!sent) {
        fill_rest(rpc);
        lose(rpc, true);
    }
    json_decref(request);
    free(text);
    free(line);
    return sent ? id : -1;
}

bool rpc_is_answer(const json_t *message, json_int_t id)
{
    const json_t *own = json_object_get(message, "id");
    bool unread = json_is_null(own) && json_object_get(message, "error");
    return !json_object_get(message, "method") &&
           (unread || (id > 0 && json_integer_value(own) == id));
}

/* The kernel tells a daemon that had read everything from one that had not: by the end of the
 * stream, and by a reset. */
int rpc_fill(struct rpc *rpc)
{
    char chunk[1 << 16];
    ssize_t n;
    while ((n = receive(rpc, chunk, sizeof chunk, 0)) < 0 && errno == EINTR)
        ;
    if (n <= 0) {
        lose(rpc, n < 0 && errno == ECONNRESET);
        return 0;
    }
    rpc->window.heard = true;
    rpc->window.full = n == sizeof chunk;
    lines_add(&rpc->lines, chunk, (size_t)n);
    return 1;
}

json_t *rpc_next(struct rpc *rpc)
{
    char *line;
    size_t len;
    while (lines_next(&rpc->lines, &line, &len) > 0) {
        json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
        if (json_is_object(message))
            return message;
        json_decref(message);
    }
    return NULL;
}

static bool gets_on(unsigned long *used)
{
    char *path = paths_socket();
    bool on = daemon_gets_on(path, used);
    free(path);
    return on;
}

static void open_window(struct rpc *rpc)
{
    rpc->window = (struct rpc_window){.end = clock_monotonic_ms() + rpc->silence_ms};
}

/* The window is over: a daemon that worked in its second half is busy, and gets another one. Of one
 * that did not, what is there already is read: it may be we who were held up. */
static bool goes_on(struct rpc *rpc, bool came)
{
    struct rpc_window *w = &rpc->window;
    bool first = !w->over;
    w->over = true;
    if (!gets_on(&w->used))
        return came && (first || w->full);
    if (!rpc->said_busy && !w->heard)
        say("the daemon is busy; waiting for its answer");
    rpc->said_busy = rpc->said_busy || !w->heard;
    open_window(rpc);
    return true;
}

/* Waits for some bytes, where silence counts: until the whole answer is there, since a trickle of
 * it is no answer. */
static bool wait_while_it_works(struct rpc *rpc, int64_t until)
{
    for (;;) {
        const struct rpc_window *w = &rpc->window;
        int64_t step = w->looked ? w->end : w->end - rpc->silence_ms / 2;
        bool last = until >= 0 && until <= step;
        bool came = wait_for(rpc, POLLIN, last ? until : step);
        if (last || clock_monotonic_ms() < step)
            return came;
        if (w->looked && !goes_on(rpc, came))
            return false;
        if (!w->looked)
            gets_on(&rpc->window.used);
        rpc->window.looked = true;
        if (came)
            return true;
    }
}

enum rpc_wait rpc_wait(struct rpc *rpc, int64_t until, json_t **ret_message)
{
    json_t *message;
    while (!(message = rpc_next(rpc))) {
        if (rpc->fd < 0)
            return RPC_LOST;
        if (rpc->silence_ms ? !wait_while_it_works(rpc, until) : !wait_for(rpc, POLLIN, until))
            return RPC_LATE;
        rpc_fill(rpc);
    }
    *ret_message = message;
    return RPC_CAME;
}

enum rpc_wait rpc_wait_telling(struct rpc *rpc, struct progress *p, int64_t until,
                               json_t **ret_message)
{
    for (;;) {
        int64_t step = clock_monotonic_ms() + PROGRESS_STEP_MS;
        enum rpc_wait end = rpc_wait(rpc, step < until ? step : until, ret_message);
        if (end != RPC_LATE || step >= until)
            return end;
        progress_say(p, "%lld s", (long long)(progress_ms(p) / 1000));
    }
}

/* ---- a request and its answer ---- */

/* Asked twice it is what it is asked once: it only looks, or says what shall be. */
static bool may_be_repeated(const char *method)
{
    static const char *const methods[] = {
        "context.explain",    "context.show",  "mcp.serve",    "session.attach", "session.block",
        "session.blocks",     "session.list",  "session.open", "session.resize", "session.screen",
        "session.scrollback", "session.typed", "session.wait", "status",         "status.short",
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i], method))
            return true;
    return false;
}

/* A connection beyond the daemon's limit is told why it is closed. */
static void note_closing(struct rpc *rpc, const json_t *message)
{
    const char *why = json_text(json_at(message, "params"), "message", NULL);
    if (strcmp(json_text(message, "method", ""), "closing") || !why)
        return;
    free(rpc->closing);
    rpc->closing = text_copy(why);
}

/* Whether there is work on the way to an answer, since the last look. */
static bool comes(unsigned long *used)
{
    char *path = paths_socket();
    bool on = daemon_comes(path, used);
    free(path);
    return on;
}

static bool is_stopped(void)
{
    char *path = paths_socket();
    bool stopped = daemon_is_stopped(path);
    free(path);
    return stopped;
}

/* Where stderr is no terminal once; and not of what is waited for so briefly that its end says it.
 */
static void say_silent(struct rpc *rpc, struct progress *p, int64_t until)
{
    progress_say(p, "%lld s", (long long)(progress_ms(p) / 1000));
    if (p->terminal || rpc->said_silent || progress_ms(p) < PROGRESS_AFTER_MS ||
        until - p->began_ms <= LIMIT_HOOK_WAIT_MS)
        return;
    rpc->said_silent = true;
    say("no answer from the daemon yet; waiting for it");
}

/* Where stderr is no terminal a word has to do, of a daemon that will not answer: others may just
 * take their time, as a shell does that is to end. */
static enum rpc_wait wait_aloud(struct rpc *rpc, struct progress *p, int64_t until,
                                json_t **ret_answer)
{
    while (!p->terminal && !rpc->said_silent) {
        int64_t step = clock_monotonic_ms() + PROGRESS_AFTER_MS;
        enum rpc_wait end = rpc_wait(rpc, step < until ? step : until, ret_answer);
        if (end != RPC_LATE || step >= until)
            return end;
        if (is_stopped())
            say_silent(rpc, p, until);
    }
    return rpc_wait_telling(rpc, p, until, ret_answer);
}

/* Where silence counts it says by itself what is waited for. */
static enum rpc_wait wait_for_answer(struct rpc *rpc, struct progress *p, int64_t until,
                                     json_t **ret_answer)
{
    return rpc->silence_ms ? rpc_wait(rpc, until, ret_answer)
                           : wait_aloud(rpc, p, until, ret_answer);
}

static enum rpc_wait ask_once(struct rpc *rpc, struct progress *p, const char *method,
                              json_t *params, int64_t until, json_t **ret_answer)
{
    json_int_t id = rpc_send(rpc, method, json_incref(params), until);
    enum rpc_wait end = id < 0 ? RPC_LOST : RPC_CAME;
    json_t *answer = NULL;
    open_window(rpc);
    while (end == RPC_CAME && (end = wait_for_answer(rpc, p, until, &answer)) == RPC_CAME &&
           !rpc_is_answer(answer, id)) {
        note_closing(rpc, answer);
        json_decref(answer);
    }
    if (end == RPC_CAME)
        *ret_answer = answer;
    return end;
}

/* Connections that were lost while one thing was asked. */
struct losses {
    int seen;           /* of them, with all that was sent read */
    int64_t since;      /* monotonic ms: the first, or when there was work last; 0 for none yet */
    unsigned long used; /* ticks of a processor that the daemon had used then */
};

/* Who closes one connection behind the other, and does nothing else, is as silent as who never
 * answers; a daemon whose workers die one after the other is not. */
static bool are_too_many(struct losses *l, const struct rpc *rpc, int64_t until)
{
    int64_t now = clock_monotonic_ms();
    bool first = !l->since;
    if (first || now - l->since >= (rpc->silence_ms ? rpc->silence_ms : LIMIT_RECONNECT_MS)) {
        if (!comes(&l->used) && !first)
            return true;
        l->since = now;
    }
    return now >= until;
}

/* Whatever becomes of its connections. */
static enum rpc_wait ask_again(struct rpc *rpc, const char *method, json_t *params, int64_t until,
                               json_t **ret_answer)
{
    struct progress progress = progress_begin("waiting for the daemon");
    struct losses losses = {0};
    enum rpc_wait end;
    bool repeats = may_be_repeated(method);
    while ((end = ask_once(rpc, &progress, method, params, until, ret_answer)) == RPC_LOST) {
        int64_t by = clock_monotonic_ms() + LIMIT_RECONNECT_MS;
        losses.seen += !rpc->unread;
        if (rpc->closing || !(rpc->unread || (repeats && losses.seen <= LIMIT_REPEATS)))
            break;
        if (are_too_many(&losses, rpc, until)) {
            end = RPC_LATE;
            break;
        }
        if (!rpc->silence_ms)
            say_silent(rpc, &progress, until);
        if (rpc_reconnect(rpc, by < until ? by : until) < 0)
            break;
    }
    progress_clear(&progress);
    return end;
}

/* What a clock says that was looked at a little late. */
static double seconds_of(int64_t ms)
{
    return ms < 950 ? (double)(ms / 100) / 10 : (double)((ms + 50) / 1000);
}

static char *why_not(enum rpc_wait end, bool doubtful, int64_t waited_ms)
{
    if (end == RPC_LATE) {
        char *path = paths_socket(), *advice = daemon_advice(path);
        char *text =
            text_format("the daemon does not answer (waited %g s)%s: %s", seconds_of(waited_ms),
                        doubtful ? "; whether it does what was asked is not known" : "", advice);
        free(path);
        free(advice);
        return text;
    }
    return text_copy(doubtful ? "the daemon's worker died before it answered; whether it did what "
                                "was asked is not known"
                              : "the daemon went away before it answered; `ptyd status` shows "
                                "its state");
}

json_t *rpc_ask(struct rpc *rpc, const char *method, json_t *params, int wait_ms, char **ret_error)
{
    int64_t begun = clock_monotonic_ms(), until = begun + wait_ms;
    json_t *answer = NULL, *result = NULL;
    if (!params) { /* no connection would take it */
        *ret_error = text_copy("what the daemon was to be asked is not UTF-8");
        return NULL;
    }
    if (rpc->fd < 0) { /* of a former connection */
        free(rpc->closing);
        rpc->closing = NULL;
    }
    enum rpc_wait end = ask_again(rpc, method, params, until, &answer);
    rpc->refusal = (int)json_number(json_at(answer, "error"), "code", 0);
    if (end == RPC_CAME) {
        const char *error = json_text(json_at(answer, "error"), "message", NULL);
        *ret_error = error ? text_copy(error) : NULL;
        result = error ? NULL : json_incref(json_object_get(answer, "result"));
    } else {
        *ret_error = rpc->closing ? text_copy(rpc->closing)
                                  : why_not(end, !rpc->unread && !may_be_repeated(method),
                                            clock_monotonic_ms() - begun);
    }
    json_decref(answer);
    json_decref(params);
    return result;
}

json_t *rpc_call(struct rpc *rpc, const char *method, json_t *params, int wait_ms)
{
    char *error = NULL;
    json_t *result = rpc_ask(rpc, method, params, wait_ms, &error);
    if (error)
        say("%s", error);
    free(error);
    return result;
}
