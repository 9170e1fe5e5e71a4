/* The worker's life: it gets its socket, its sessions and its orders from the keeper, serves, and
 * leaves when the keeper says so or is gone.
 *
 * Shutdown: WIRE_STOPPING comes when every shell is gone. Sessions still being drained end, their
 * blocks close, clients hear it and are disconnected, every handle is closed, the loop runs out. */
#define _GNU_SOURCE
#include "ptyd/worker/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptyd/core/clock.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/worker/server.h"

#define IDLE_MS 30000 /* an auto-started daemon stays this long without session and client */

struct session *worker_find(struct worker *w, const char *name)
{
    for (int i = 0; i < w->session_count; i++)
        if (!strcmp(session_name(w->sessions[i]), name))
            return w->sessions[i];
    return NULL;
}

void worker_tell(struct worker *w, enum wire_type type, const char *name, const int *fds, int count)
{
    struct wire_message m = {.type = type};
    if (name)
        snprintf(m.name, sizeof m.name, "%s", name);
    int result = wire_send(w->link, &m, fds, count);
    if (result < 0 && result != -EPIPE)
        fprintf(stderr, "ptyd: cannot reach the keeper: %s\n", strerror(-result));
}

/* ---- idleness ---- */

static void on_idle(uv_timer_t *timer)
{
    worker_tell(timer->data, WIRE_STOP, NULL, NULL, 0);
}

static bool anything_lives(const struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (!session_exited(w->sessions[i]))
            return true;
    return w->server && server_client_count(w->server) > 0;
}

void worker_check_idle(struct worker *w)
{
    if (!w->options->auto_ended || uv_is_closing((uv_handle_t *)&w->idle_timer))
        return;
    if (anything_lives(w))
        uv_timer_stop(&w->idle_timer);
    else if (!uv_is_active((uv_handle_t *)&w->idle_timer))
        uv_timer_start(&w->idle_timer, on_idle, IDLE_MS, 0);
}

/* ---- the keeper's messages ---- */

/* The place of a session of this name that has exited, so that its files and its seq go on. */
static void remove_exited(struct worker *w, const char *name)
{
    for (int i = 0; i < w->session_count; i++)
        if (!strcmp(session_name(w->sessions[i]), name)) {
            session_destroy(w->sessions[i]);
            w->sessions[i] = w->sessions[--w->session_count];
            return;
        }
}

/* The keeper holds fewer living ones than there are places. */
static void remove_any_exited(struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (session_exited(w->sessions[i])) {
            remove_exited(w, session_name(w->sessions[i]));
            return;
        }
}

static void take_session(struct worker *w, const struct wire_message *m, const int fds[2])
{
    remove_exited(w, m->name);
    if (w->session_count == LIMIT_SESSIONS)
        remove_any_exited(w);
    struct session *s = session_adopt(w, m->name, m->pid, fds[0], fds[1]);
    if (!s) {
        if (w->server) /* a new shell; one that was handed over lives on, with the keeper */
            worker_tell(w, WIRE_CLOSE, m->name, NULL, 0);
        method_spawned(w, m->name, 0);
        return;
    }
    w->sessions[w->session_count++] = s;
    if (m->exited)
        session_shell_exited(s, m->status);
    method_spawned(w, m->name, 0);
    worker_check_idle(w);
}

static void stop(struct worker *w)
{
    if (uv_is_closing((uv_handle_t *)&w->link_poll))
        return;
    uv_close((uv_handle_t *)&w->link_poll, NULL);
    uv_close((uv_handle_t *)&w->idle_timer, NULL);
    for (int i = 0; i < w->session_count; i++)
        session_end(w->sessions[i]);
    while (w->session_count) { /* nobody may find one that is gone */
        struct session *s = w->sessions[--w->session_count];
        session_flush(s);
        session_destroy(s);
    }
    if (w->server)
        server_close(w->server);
}

static void serve(struct worker *w, int listener)
{
    w->server = server_create(w, listener);
    if (w->server)
        return;
    fprintf(stderr, "ptyd: cannot serve the socket: %s\n", strerror(errno));
    worker_tell(w, WIRE_STOP, NULL, NULL, 0);
}

static void take_message(struct worker *w, const struct wire_message *m, int fds[WIRE_FDS_MAX],
                         int *listener)
{
    struct session *s = worker_find(w, m->name);
    switch ((enum wire_type)m->type) {
    case WIRE_LISTENER:
        *listener = fds[0];
        break;
    case WIRE_SESSION:
        take_session(w, m, fds);
        break;
    case WIRE_SPAWN_FAILED:
        method_spawned(w, m->name, m->error);
        break;
    case WIRE_EXITED:
        if (s)
            session_shell_exited(s, m->status);
        else
            worker_tell(w, WIRE_FORGET, m->name, NULL, 0);
        break;
    case WIRE_STOPPING:
        stop(w);
        break;
    default:
        break;
    }
}

static void on_link(uv_poll_t *poll, int status, int events)
{
    struct worker *w = poll->data;
    struct wire_message m;
    int fds[WIRE_FDS_MAX], unused = -1;
    (void)events;
    if (status < 0 || wire_receive(w->link, &m, fds) <= 0)
        stop(w); /* the keeper is gone */
    else
        take_message(w, &m, fds, &unused);
}

/* Everything there is comes first, so that clients never see half of it. */
static bool take_hand_over(struct worker *w)
{
    struct wire_message m;
    int fds[WIRE_FDS_MAX], listener = -1;
    do {
        if (wire_receive(w->link, &m, fds) <= 0)
            return false;
        take_message(w, &m, fds, &listener);
    } while (m.type != WIRE_HANDED_OVER);
    serve(w, listener);
    worker_tell(w, WIRE_READY, NULL, NULL, 0);
    return true;
}

int worker_main(int socket, void *user)
{
    static struct worker w; /* large, and there is one */
    w.options = user;
    w.link = socket;
    w.started_ms = clock_now().monotonic_ms;
    if (uv_loop_init(&w.loop) < 0)
        return 1;
    uv_timer_init(&w.loop, &w.idle_timer);
    w.idle_timer.data = &w;
    uv_poll_init(&w.loop, &w.link_poll, socket);
    w.link_poll.data = &w;
    w.context = context_create(&w);
    if (!take_hand_over(&w))
        return 1;
    uv_poll_start(&w.link_poll, UV_READABLE | UV_DISCONNECT, on_link);
    worker_check_idle(&w);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    context_destroy(w.context);
    uv_loop_close(&w.loop);
    close(w.link);
    return 0;
}
