/* The worker's life: it gets its socket, its sessions and its orders from the keeper, serves, and
 * leaves when the keeper says so or is gone.
 *
 * Shutdown: WIRE_STOPPING comes when every shell is gone. Sessions still being drained end, their
 * blocks close, clients hear it and are disconnected, every handle is closed, the loop runs out. */
#define _GNU_SOURCE
#include "ptyd/worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/board.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/names.h"
#include "ptyd/core/owed.h"
#include "ptyd/core/say.h"
#include "ptyd/core/vault.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/session/pump.h"
#include "ptyd/start/plan.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/confine.h"
#include "ptyd/worker/context.h"
#include "ptyd/worker/faults.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/forgetting.h"
#include "ptyd/worker/hosts.h"
#include "ptyd/worker/leaving.h"
#include "ptyd/worker/link.h"
#include "ptyd/worker/mending.h"
#include "ptyd/worker/methods.h"
#include "ptyd/worker/open.h"
#include "ptyd/worker/peer.h"
#include "ptyd/worker/rename.h"
#include "ptyd/worker/retention.h"
#include "ptyd/worker/redacting.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/spares.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/upgrade.h"
#include "ptyd/worker/view.h"

/* ---- what sessions and the ledger report ---- */

static void on_marked(void *user, struct session *s)
{
    struct worker *w = user;
    plan_remove_secret(w->options->runtime, session_shell_id(s));
}

static void on_block_begun(void *user, struct session *s, struct block *block)
{
    (void)s;
    follow_block(user, "agent_block_begin", block);
}

static void on_block_stored(void *user, struct session *s, struct block *block)
{
    struct worker *w = user;
    (void)s;
    follow_block(w, "agent_block_end", block);
    forgetting_stored(w->forgetting);
}

static void on_settled(void *user, struct session *s, uint64_t offset)
{
    struct worker *w = user;
    redacting_settled(w->redacting, s, offset);
}

static void on_over(void *user, struct session *s)
{
    struct worker *w = user;
    plan_remove_files(w->options->runtime, session_shell_id(s));
    worker_tell(w, WIRE_OVER, session_name(s), NULL, 0);
    redacting_over(w->redacting, s);
    terminals_expect(w, s);
    worker_check_idle(w);
}

static bool on_owes(void *user, struct session *s, int slate)
{
    return worker_tell(user, WIRE_SLATE, session_name(s), &slate, 1) == 0;
}

static const struct session_events session_events = {.opened = context_opened,
                                                     .marked = on_marked,
                                                     .block_begun = on_block_begun,
                                                     .block_ended = context_block_ended,
                                                     .block_stored = on_block_stored,
                                                     .settled = on_settled,
                                                     .capture_changed = follow_capture,
                                                     .over = on_over,
                                                     .owes = on_owes,
                                                     .baton_taken = baton_taken};

static const struct ledger_events ledger_events = {.delivered = context_delivered,
                                                   .released = context_released,
                                                   .append = context_append,
                                                   .each_waiting = context_each_waiting};

/* ---- the keeper's messages ---- */

/* There is one: the keeper holds fewer living sessions than there are places. */
static void remove_any_exited(struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (session_exited(w->sessions[i])) {
            worker_remove(w, w->sessions[i]);
            return;
        }
}

static void take_session(struct worker *w, const struct wire_message *m,
                         const int fds[WIRE_FDS_MAX])
{
    struct session *before = worker_find(w, m->name);
    uint64_t seq = before ? tracker_seq(session_tracker(before)) : 0;
    leaving_end(w, m->name);
    if (before) /* its shell exited: its files and its seq go on */
        worker_remove(w, before);
    if (w->session_count == LIMIT_SESSIONS)
        remove_any_exited(w);
    forgetting_before(w->forgetting, m->name);
    redacting_before(w->redacting, m->name, fds[1], m->pid, owed_has_text(fds[2]));
    struct board_place deadly = {.step = m->deadly_step, .at = m->deadly_at};
    int error = 0;
    struct session *s = session_adopt(
        &w->host,
        &(struct session_start){.name = m->name,
                                .pid = m->pid,
                                .master = fds[0],
                                .intake = fds[1],
                                .slate = fds[2],
                                .over = m->over,
                                .status = m->status,
                                .deadly = deadly.step == BOARD_NOTHING ? NULL : &deadly,
                                .seq = seq,
                                .mended = mending_of(m->name)},
        &error);
    mending_forget(m->name);
    if (fds[2] >= 0)
        close(fds[2]);
    if (!s) {
        if (m->exited)
            worker_tell(w, WIRE_FORGET, m->name, NULL, 0);
        else if (w->server) /* a new shell; one that was handed over lives on, with the keeper */
            worker_tell(w, WIRE_CLOSE, m->name, NULL, 0);
        open_spawned(w, m->name, error);
        return;
    }
    w->sessions[w->session_count++] = s;
    rename_restore(w, s);
    redacting_opened(w->redacting, s);
    if (m->exited && !m->over)
        session_shell_reaped(s, m->status);
    open_spawned(w, m->name, 0);
    follow_sessions(w);
    worker_check_idle(w);
}

static void stop(struct worker *w)
{
    if (uv_is_closing((uv_handle_t *)&w->idle_timer))
        return;
    uv_close((uv_handle_t *)&w->idle_timer, NULL);
    uv_close((uv_handle_t *)&w->leaders_timer, NULL);
    retention_close(w->retention);
    spares_close(w->spares);
    forgetting_close(w->forgetting);
    redacting_close(w->redacting);
    terminals_close(w->terminals);
    uv_close((uv_handle_t *)&w->turning, NULL);
    uv_close((uv_handle_t *)&w->awake, NULL);
    for (int i = 0; i < w->session_count; i++)
        session_exit_now(w->sessions[i]);
    while (w->session_count)
        worker_remove(w, w->sessions[w->session_count - 1]);
    leaving_end(w, NULL);
    if (w->server)
        server_close(w->server);
    link_stop(w->link);
    pump_destroy(w->host.pump);
}

/* ---- turns ---- */

/* While there is work the loop does not sleep, and polls before each turn. Right behind that what
 * came is taken in, before any timer is looked at. */
static void on_turning(uv_check_t *turning)
{
    struct worker *w = turning->data;
    turns_run(&w->turns);
}

static void on_awake(uv_idle_t *awake)
{
    (void)awake;
}

static uint64_t time_us(void *user)
{
    (void)user;
    return uv_hrtime() / 1000;
}

static uint64_t worked_us(void *user)
{
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void on_work(void *user, bool there_is_some)
{
    struct worker *w = user;
    if (uv_is_closing((uv_handle_t *)&w->turning))
        return;
    if (there_is_some) {
        uv_check_start(&w->turning, on_turning);
        uv_idle_start(&w->awake, on_awake);
    } else {
        uv_check_stop(&w->turning);
        uv_idle_stop(&w->awake);
    }
}

/* Shells that live are worth another try: another worker has it. */
static bool serve(struct worker *w, int listener)
{
    w->server = server_create(&w->loop, &w->turns, listener, &method_handler, w);
    if (w->server)
        return true;
    say("cannot serve the socket: %s", strerror(errno));
    if (w->session_count)
        return false;
    worker_tell(w, WIRE_STOP, NULL, NULL, 0);
    return true;
}

static bool is_of_session(void *user, const char *shell_id)
{
    const struct worker *w = user;
    for (int i = 0; i < w->session_count; i++)
        if (!strcmp(session_shell_id(w->sessions[i]), shell_id))
            return true;
    return false;
}

static void take_message(struct worker *w, const struct wire_message *m, int fds[WIRE_FDS_MAX],
                         int *listener)
{
    struct session *s = worker_find(w, m->name);
    switch ((enum wire_type)m->type) {
    case WIRE_LISTENER:
        *listener = fds[0];
        if (fds[1] >= 0)
            board_open(fds[1]);
        if (fds[1] >= 0)
            close(fds[1]);
        vault_open(fds[2]);
        break;
    case WIRE_SESSION:
        take_session(w, m, fds);
        break;
    case WIRE_SPAWN_FAILED:
        open_spawned(w, m->name, m->error);
        break;
    case WIRE_EXITED:
        if (s)
            session_shell_reaped(s, m->status);
        else
            worker_tell(w, WIRE_FORGET, m->name, NULL, 0);
        break;
    case WIRE_SLATE_LOST:
        if (s)
            session_slate_lost(s);
        break;
    case WIRE_UPGRADED:
        upgrade_told(w, fds[0]);
        close(fds[0]);
        break;
    case WIRE_STOPPING:
        stop(w);
        break;
    default:
        break;
    }
}

static void on_link(void *user)
{
    struct worker *w = user;
    struct wire_message m;
    int fds[WIRE_FDS_MAX], unused = -1;
    int result = link_receive(w->link, &m, fds);
    if (result > 0)
        take_message(w, &m, fds, &unused);
    else if (result != -EAGAIN)
        stop(w); /* the keeper is gone */
}

/* Everything there is comes first, so that clients never see half of it. */
static bool take_hand_over(struct worker *w)
{
    struct wire_message m;
    int fds[WIRE_FDS_MAX], listener = -1;
    do {
        if (link_wait(w->link, &m, fds) <= 0)
            return false;
        take_message(w, &m, fds, &listener);
    } while (m.type != WIRE_HANDED_OVER);
    if (!serve(w, listener))
        return false;
    vault_sweep(is_of_session, w); /* a worker may have died before it did */
    view_await_leaders(w);
    w->retention = retention_create(w);
    w->spares = spares_create(w);
    forgetting_go_on(w->forgetting);
    if (!forgetting_works(w->forgetting))
        redacting_go_on(w->redacting);
    for (int i = 0; i < w->session_count; i++) /* where they went with the former worker */
        terminals_expect(w, w->sessions[i]);
    worker_tell(w, WIRE_READY, NULL, NULL, 0);
    return true;
}

static void *allocate_many(size_t count, size_t size)
{
    return memory_new(count * size);
}

void worker_prepare(void)
{
    late_load(&late_uv_h);
    confine_prepare();
    terminal_prepare();
}

/* Threads have what the one has that made them: it is the first thing done. */
static void confine_worker(struct worker *w)
{
    int result = confine(worker_conf(w)->confinement);
    if (result < 0)
        say("the worker has all system calls: they cannot be taken from it: %s", strerror(-result));
}

int worker_main(int socket, void *user)
{
    static struct worker w; /* large, and there is one */
    w.options = user;
    peer_prepare();
    confine_worker(&w);
    conf_use_rules(w.options->conf);
    faults_watch();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to tell; we never exec */
    json_need_memory();
    uv_replace_allocator(memory_new, memory_grow, allocate_many, free);
    w.started_ms = clock_now().monotonic_ms;
    if (uv_loop_init(&w.loop) < 0)
        return 1;
    uv_timer_init(&w.loop, &w.idle_timer);
    uv_timer_init(&w.loop, &w.leaders_timer);
    w.idle_timer.data = w.leaders_timer.data = &w;
    w.link = link_create(&w.loop, socket, on_link, &w);
    uv_check_init(&w.loop, &w.turning);
    uv_idle_init(&w.loop, &w.awake);
    w.turning.data = &w;
    turns_init(&w.turns, worked_us, time_us, on_work, &w);
    w.terminals = terminals_create(&w);
    w.forgetting = forgetting_create(&w);
    w.redacting = redacting_create(&w);
    w.names = names_open(w.options->state, true);
    room_measure(&w);
    w.ledger = ledger_create(w.options->state, &ledger_events, &w);
    w.hosts = hosts_open(&w);
    w.host = (struct session_host){.loop = &w.loop,
                                   .turns = &w.turns,
                                   .pump = pump_create(&w.loop),
                                   .state = w.options->state,
                                   .scratch = w.scratch,
                                   .events = &session_events,
                                   .user = &w,
                                   .conf = w.options->conf,
                                   .redacts = redacting_is_on(w.redacting)};
    if (!w.link || !take_hand_over(&w))
        return 1;
    link_start(w.link);
    worker_check_idle(&w);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    hosts_close(w.hosts);
    ledger_destroy(w.ledger);
    names_close(w.names);
    forgetting_destroy(w.forgetting);
    redacting_destroy(w.redacting);
    uv_loop_close(&w.loop);
    link_destroy(w.link);
    return 0;
}
