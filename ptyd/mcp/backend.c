/* Answers are handed out by backend_work() alone, so that nobody is answered while asking. */
#define _GNU_SOURCE
#include "ptyd/mcp/backend.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

#define RETRY_MS 50 /* between two tries to connect */

struct ask {
    struct ask *next;
    struct backend *link;
    json_int_t id; /* 0: it is to be asked */
    char *method;
    json_t *params;
    int wait_ms;   /* for an answer, from when it was asked first; -1 for ever */
    int64_t until; /* monotonic ms; 0 where it was not asked yet, or for ever */
    bool dead;     /* nobody waits for it any more */
    char *error;   /* what it is to be answered with; NULL for nothing yet. Owned */
    backend_answer *then;
    void *work;
};

struct backend {
    struct rpc rpc;
    const char *session;
    struct backend_handler handler;
    struct ask *asks;
    bool place_given;          /* the environment says where the daemon is */
    bool refused;              /* it is full: the connection was for one request */
    bool follows;              /* events are wanted */
    bool followed;             /* they were, on an earlier connection or this one */
    bool announced, following; /* on this connection */
    json_int_t followed_id;
    int64_t held_ms; /* it is held since then; 0: it is not */
    int64_t lost_ms; /* when the connection was lost; -1: there is none to be made again */
};

/* ---- connecting ---- */

static bool is_socket(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Agents give their servers few variables. The daemon of a login has its socket where systemd makes
 * the user's directory, one without a login below /tmp. */
static void find_place(const struct backend *d)
{
    char path[64];
    if (d->place_given)
        return;
    snprintf(path, sizeof path, "/run/user/%u/ptyd/ptyd.sock", (unsigned)geteuid());
    if (is_socket(path))
        setenv("PTYD_SOCKET", path, 1);
    else
        unsetenv("PTYD_SOCKET");
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool connect_again(struct backend *d)
{
    find_place(d);
    if (rpc_connect_again(&d->rpc) < 0)
        return false;
    d->announced = d->following = d->refused = false;
    d->lost_ms = -1;
    return true;
}

/* Why there is none; nothing is written to one that is not ours. */
static char *where_not(void)
{
    char *path = paths_socket(), *doubt = NULL;
    int fd = local_socket_connect(path, true, 0, &doubt);
    char *text = doubt ? text_format("nothing was sent to %s: %s", path, doubt)
                       : text_format("no daemon of ptyd's runs at %s. Its user starts one with "
                                     "`ptyd` or `ptyd open NAME` in a terminal",
                                     path);
    if (fd >= 0)
        close(fd);
    free(doubt);
    free(path);
    return text;
}

/* ---- asking ---- */

static void send_ask(struct ask *a)
{
    struct rpc *rpc = &a->link->rpc;
    if (!a->until && a->wait_ms >= 0)
        a->until = clock_monotonic_ms() + a->wait_ms;
    json_int_t id = rpc->fd < 0 ? -1
                                : rpc_send(rpc, a->method, json_incref(a->params),
                                           clock_monotonic_ms() + LIMIT_ANSWER_MS);
    if (rpc->fd < 0 && id < 0) { /* the rest is backend_work()'s */
        if (a->link->lost_ms < 0)
            a->link->lost_ms = clock_monotonic_ms();
        return;
    }
    a->id = id;
}

/* So many at a time that sending never waits: a daemon whose answers are not taken reads nothing
 * more. What waits for something to happen does not count. */
static void send_some(struct backend *d)
{
    int out = 0;
    for (const struct ask *a = d->asks; a; a = a->next)
        out += a->id > 0 && a->wait_ms >= 0;
    for (struct ask *a = d->asks; a && d->rpc.fd >= 0; a = a->next) {
        if (a->id || a->dead || a->error || (a->wait_ms >= 0 && out >= LIMIT_MCP_ASKED))
            continue;
        out += a->wait_ms >= 0;
        send_ask(a);
    }
}

/* Behind what was asked: a connection that is for one request answers that. */
static void announce(struct backend *d)
{
    int64_t until = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    if (d->rpc.fd >= 0 && !d->announced)
        rpc_send(&d->rpc, "mcp.serve", json_pack("{s:s*}", "name", d->session), until);
    d->announced = d->rpc.fd >= 0;
    if (d->rpc.fd >= 0 && d->follows && !d->following) {
        d->followed_id = rpc_send(&d->rpc, "events.follow", json_pack("{s:b}", "agent", 1), until);
        d->following = d->rpc.fd >= 0;
    }
}

struct ask *backend_ask(struct backend *d, const char *method, json_t *params, int wait_ms,
                        backend_answer *then, void *work)
{
    struct ask *a = memory_new(sizeof *a), **end = &d->asks;
    *a = (struct ask){.link = d,
                      .method = text_copy(method),
                      .params = params,
                      .wait_ms = wait_ms,
                      .then = then,
                      .work = work};
    while (*end)
        end = &(*end)->next;
    *end = a;
    if (d->rpc.fd < 0 && d->lost_ms < 0 && !connect_again(d))
        a->error = where_not();
    send_some(d);
    announce(d);
    return a;
}

void backend_forget(struct ask *a)
{
    if (a)
        a->dead = true;
}

static void free_ask(struct ask *a)
{
    json_decref(a->params);
    free(a->method);
    free(a->error);
    free(a);
}

/* Takes it out of the list and answers it. */
static void finish(struct ask *a, const json_t *result, const char *error)
{
    for (struct ask **at = &a->link->asks; *at; at = &(*at)->next)
        if (*at == a) {
            *at = a->next;
            break;
        }
    if (!a->dead)
        a->then(a->work, result, error);
    free_ask(a);
}

/* ---- what comes ---- */

static struct ask *find(struct backend *d, json_int_t id)
{
    for (struct ask *a = d->asks; a; a = a->next)
        if (a->id == id)
            return a;
    return NULL;
}

static void take_message(struct backend *d, const json_t *m)
{
    const char *method = json_text(m, "method", NULL);
    const json_t *params = json_object_get(m, "params");
    if (method && !strcmp(method, "event"))
        d->handler.event(d->handler.user, params);
    if (method && !strcmp(method, "closing"))
        d->refused = true;
    if (method)
        return;
    json_int_t id = json_number(m, "id", 0);
    struct ask *a = id > 0 ? find(d, id) : NULL;
    const char *error = json_text(json_at(m, "error"), "message", NULL);
    if (id > 0 && id == d->followed_id && !error) {
        if (d->followed)
            d->handler.followed(d->handler.user);
        d->followed = true;
    } else if (a) {
        finish(a, error ? NULL : json_object_get(m, "result"), error);
    }
}

/* What was asked and not answered is asked again. */
static void lose(struct backend *d)
{
    d->lost_ms = d->lost_ms < 0 ? clock_monotonic_ms() : d->lost_ms;
    for (struct ask *a = d->asks; a; a = a->next)
        a->id = 0;
    if (d->refused && !d->asks)
        d->lost_ms = -1; /* it has no room: the next who asks tries */
}

static void read_all(struct backend *d)
{
    json_t *m;
    bool there = rpc_fill(&d->rpc) > 0;
    while ((m = rpc_next(&d->rpc))) {
        take_message(d, m);
        json_decref(m);
    }
    if (!there)
        lose(d);
}

static void reconnect(struct backend *d)
{
    bool late = clock_monotonic_ms() - d->lost_ms >= LIMIT_RECONNECT_MS;
    if (!connect_again(d)) {
        if (!late)
            return;
        d->lost_ms = -1;
        for (struct ask *a = d->asks; a; a = a->next)
            a->error = a->error ? a->error : where_not();
        d->handler.gone(d->handler.user);
        return;
    }
    send_some(d);
    announce(d);
}

static struct ask *next_to_end(struct backend *d, int64_t now)
{
    for (struct ask *a = d->asks; a; a = a->next)
        if (a->error || (a->until && a->until <= now) || (a->dead && !a->id))
            return a;
    return NULL;
}

static bool any_is_out(const struct backend *d)
{
    for (const struct ask *a = d->asks; a; a = a->next)
        if (a->id > 0)
            return true;
    return false;
}

/* Who sent found the connection lost: what had come on it counts, and the rest is asked again. */
static void take_rest(struct backend *d)
{
    json_t *m;
    while ((m = rpc_next(&d->rpc))) {
        take_message(d, m);
        json_decref(m);
    }
    lose(d);
}

void backend_hold(struct backend *d, bool hold)
{
    int64_t now = clock_monotonic_ms();
    for (struct ask *a = d->asks; a && d->held_ms && !hold; a = a->next)
        a->until += a->until ? now - d->held_ms : 0;
    d->held_ms = !hold ? 0 : d->held_ms ? d->held_ms : now;
}

void backend_work(struct backend *d, bool readable)
{
    struct ask *a;
    if (d->held_ms)
        return;
    if (readable && d->rpc.fd >= 0)
        read_all(d);
    if (d->rpc.fd < 0 && any_is_out(d))
        take_rest(d);
    if (d->rpc.fd < 0 && d->lost_ms >= 0)
        reconnect(d);
    while ((a = next_to_end(d, clock_monotonic_ms()))) {
        char *error =
            a->error ? a->error : text_copy("the daemon does not answer; `ptyd status` says more");
        a->error = NULL;
        finish(a, NULL, error);
        free(error);
    }
    send_some(d);
}

int backend_fd(const struct backend *d)
{
    return d->held_ms ? -1 : d->rpc.fd;
}

int64_t backend_due(const struct backend *d)
{
    int64_t due = d->lost_ms >= 0 ? clock_monotonic_ms() + RETRY_MS : -1;
    if (d->held_ms)
        return -1;
    for (const struct ask *a = d->asks; a; a = a->next)
        due = a->error ? 0 : clock_sooner(due, a->until ? a->until : -1);
    return due;
}

void backend_follow(struct backend *d)
{
    d->follows = true;
    announce(d);
}

/* ---- its life ---- */

struct backend *backend_create(const char *session, const struct backend_handler *handler)
{
    struct backend *d = memory_new(sizeof *d);
    *d = (struct backend){.rpc = {.fd = -1, .lines = {.limit = LIMIT_ANSWER_BYTES}},
                          .session = session,
                          .handler = *handler,
                          .place_given = is_set("PTYD_SOCKET") || is_set("XDG_RUNTIME_DIR"),
                          .lost_ms = -1};
    signal(SIGPIPE, SIG_IGN);
    if (connect_again(d))
        announce(d);
    return d;
}

void backend_destroy(struct backend *d)
{
    while (d->asks) {
        struct ask *a = d->asks;
        d->asks = a->next;
        free_ask(a);
    }
    rpc_close(&d->rpc);
    free(d);
}
