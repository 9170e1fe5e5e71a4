/* The thread sleeps in poll(2) on the terminals whose intakes have room, and on an eventfd by which
 * the loop says that there is room or that something changed. It tells the loop at once when much
 * waits, and otherwise only when the terminal says no more: many small pieces cost more than one.
 *
 * The kernel passes at most 4 KB at a time from one side of a terminal to the other, and wakes the
 * reader on the processor where the writer is. Where there are only two processors, what is light
 * for the loop then leaves its processor half idle, and what is heavy for it is slowed by a reader
 * beside it: the thread tries both, and stays where more comes (placement.h). In pairs of floods
 * that is 1.08 times what the kernel's own choice gives (0.94 for one kind of output to 1.26 for
 * another); with one processor there is nothing to choose, with more the kernel has room to, and of
 * many floods the writers are on all of them.
 *
 * Two locks, because the thread takes its own again at once: who wants it from the loop holds the
 * gate meanwhile, through which the thread goes before. */
#define _GNU_SOURCE
#include "ptyd/session/pump.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ptyd/core/text.h"
#include "ptyd/session/placement.h"

#define ENOUGH_BYTES (16 * 1024) /* is told at once */
#define LITTLE_NS    1000000     /* less is told when no more came for so long */
#define FLOOD_NS     50000000    /* after as much quiet the flood is over */
#define STACK_BYTES  (64 * 1024)
#define FULL_PIECE   4095        /* what the terminal gives when it has more */
#define LOOK_PIECES  64          /* after so many the thread looks where it should run */
#define BACK_BYTES   (16 * 1024) /* 8 MB/s; then it rests, where somebody types elsewhere */
#define BACK_MS      2
#define NOT_SEEN     (-1)
#define BESIDE_LOOP  1 /* the placement's other place is the other processor */

struct flow {
    struct pump *pump;
    struct intake *intake;
    int fd;
    pump_ready *ready;
    void *user;
    bool has_more;   /* the thread's: it is read without being polled for */
    bool stood;      /* the thread's: there was no room for more, of which nobody knows */
    int64_t came_ns; /* the thread's: when something came last */
    _Atomic bool told, full, ended, back;
};

struct pump {
    uv_async_t async;
    pthread_t thread;
    bool runs; /* the thread does */
    int wake;  /* an eventfd, -1 without a thread */
    cpu_set_t allowed;
    _Atomic int loop_processor; /* that it was seen on, or NOT_SEEN */
    _Atomic bool stop;

    pthread_mutex_t lock, gate; /* of what follows; the loop alone changes `flows` and `count` */
    struct flow *flows[LIMIT_SESSIONS];
    int count;
    uint64_t changes; /* of the flows */

    /* The thread's. */
    struct pollfd fds[LIMIT_SESSIONS + 1];
    struct placement placement;
    bool stays; /* on one processor */
    int pieces; /* since the thread looked where it should run, and their bytes */
    size_t bytes, unrested;
    int64_t looked_ns; /* when; 0: it waited for the programs since */
};

/* ---- the thread: where it runs ---- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void stay_at(struct pump *p, int place)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)atomic_load(&p->loop_processor), &set);
    if (place != BESIDE_LOOP)
        CPU_XOR(&set, &p->allowed, &set);
    sched_setaffinity(0, sizeof set, &set);
    p->stays = true;
}

/* After LOOK_PIECES: how fast did they come, and where should the next ones be read? */
static void look(struct pump *p)
{
    int64_t now = now_ns();
    if (p->looked_ns && atomic_load(&p->loop_processor) != NOT_SEEN)
        stay_at(p, placement_next(&p->placement, p->bytes, now - p->looked_ns));
    p->looked_ns = now;
    p->pieces = 0;
    p->bytes = 0;
}

/* Many writers are on both processors. */
static void roam(struct pump *p)
{
    if (p->stays)
        sched_setaffinity(0, sizeof p->allowed, &p->allowed);
    p->stays = false;
    p->looked_ns = 0;
}

/* ---- the thread: reading ---- */

static void tell(struct flow *f)
{
    if (!atomic_exchange(&f->told, true))
        uv_async_send(&f->pump->async);
}

/* The loop may be hearing of it already: it looks again before it listens. */
static void end(struct flow *f)
{
    atomic_store(&f->ended, true);
    tell(f);
}

/* Returns whether there is more. */
static bool read_flow(struct flow *f, int64_t now)
{
    struct pump *p = f->pump;
    ssize_t n = intake_read_piece(f->intake, f->fd);
    bool full = n == -ENOBUFS;
    if (n <= 0 && n != -EAGAIN && !full) {
        end(f); /* hung up: whoever polls next finds out */
        return false;
    }
    if (n > 0) {
        f->came_ns = now;
        p->bytes += (size_t)n;
        p->unrested += (size_t)n;
    }
    f->stood = full;
    if (full)
        atomic_store(&f->full, true); /* before the look: see pump_room() */
    if (full || intake_waiting(f->intake) >= ENOUGH_BYTES)
        tell(f);
    p->pieces++;
    return n >= FULL_PIECE;
}

static bool has_room(struct flow *f)
{
    if (intake_waiting(f->intake) <= intake_size(f->intake) / 2)
        atomic_store(&f->full, false);
    return !atomic_load(&f->full);
}

/* Tells of what came when no more did for a while. Returns when to look again, INT64_MAX for never.
 */
static int64_t look_at_quiet(struct flow *f, int64_t now)
{
    if (atomic_load(&f->ended) || atomic_load(&f->full))
        return INT64_MAX;
    f->came_ns = f->stood ? now : f->came_ns;
    f->stood = false;
    int64_t quiet = now - f->came_ns;
    bool waits = intake_waiting(f->intake);
    if (quiet >= FLOOD_NS)
        end(f);
    else if (waits && quiet >= LITTLE_NS)
        tell(f);
    return quiet >= FLOOD_NS ? INT64_MAX
           : waits && quiet >= LITTLE_NS
               ? now + LITTLE_NS /* the loop may take some and leave some */
           : waits ? f->came_ns + LITTLE_NS
                   : f->came_ns + FLOOD_NS;
}

/* ---- the thread: waiting ---- */

static void lock_from_loop(struct pump *p)
{
    pthread_mutex_lock(&p->gate);
    pthread_mutex_lock(&p->lock);
}

static void unlock_from_loop(struct pump *p)
{
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->gate);
}

static void lock_from_thread(struct pump *p)
{
    pthread_mutex_lock(&p->gate);
    pthread_mutex_unlock(&p->gate);
    pthread_mutex_lock(&p->lock);
}

/* Waits for a terminal (not while its intake is full) or for the loop. */
static void wait_for(struct pump *p, int timeout_ms)
{
    uint64_t changes = p->changes, count;
    int n = p->count;
    p->fds[0] = (struct pollfd){.fd = p->wake, .events = POLLIN};
    for (int i = 0; i < n; i++) {
        struct flow *f = p->flows[i];
        bool polled = !f->has_more && !atomic_load(&f->ended) && has_room(f);
        p->fds[i + 1] = (struct pollfd){.fd = polled ? f->fd : -1, .events = POLLIN};
    }
    pthread_mutex_unlock(&p->lock);
    int found = poll(p->fds, (nfds_t)n + 1, timeout_ms);
    if (found > 0 && p->fds[0].revents && read(p->wake, &count, sizeof count) < 0)
        found--; /* told already */
    if (!found && timeout_ms > 0)
        p->looked_ns = 0;
    lock_from_thread(p);
    for (int i = 0; found > 0 && p->changes == changes && i < n; i++)
        p->flows[i]->has_more = p->flows[i]->has_more || p->fds[i + 1].revents;
}

static bool stands_back(const struct pump *p)
{
    for (int i = 0; i < p->count; i++)
        if (!atomic_load(&p->flows[i]->back))
            return false;
    return p->unrested >= BACK_BYTES;
}

/* Nothing that the loop says is missed: every round looks at all. */
static void rest(struct pump *p)
{
    struct pollfd wake = {.fd = p->wake, .events = POLLIN};
    uint64_t count;
    p->unrested = 0;
    p->looked_ns = 0;
    pthread_mutex_unlock(&p->lock);
    if (poll(&wake, 1, BACK_MS) > 0 && read(p->wake, &count, sizeof count) < 0)
        count = 0; /* told already */
    lock_from_thread(p);
}

/* One round: reads what there is, waits for more. */
static void pump_once(struct pump *p)
{
    int64_t now = now_ns(), next = INT64_MAX;
    int more = 0;
    for (int i = 0; i < p->count; i++) {
        struct flow *f = p->flows[i];
        f->has_more = f->has_more && read_flow(f, now);
        more += f->has_more;
    }
    if (p->count > 1)
        roam(p);
    else if (p->pieces >= LOOK_PIECES && CPU_COUNT(&p->allowed) == 2)
        look(p);
    if (stands_back(p)) {
        rest(p);
        return; /* the loop may have said something */
    }
    if (more && more == p->count) {
        pthread_mutex_unlock(&p->lock);
        lock_from_thread(p);
        return;
    }
    for (int i = 0; i < p->count; i++) {
        int64_t at = p->flows[i]->has_more ? INT64_MAX : look_at_quiet(p->flows[i], now);
        next = at < next ? at : next;
    }
    wait_for(p, more ? 0 : next == INT64_MAX ? -1 : (int)((next - now + 999999) / 1000000));
}

static void *run(void *user)
{
    struct pump *p = user;
    lock_from_thread(p);
    while (!atomic_load(&p->stop))
        pump_once(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the loop's side ---- */

/* Those that are ready may leave. */
static void on_async(uv_async_t *async)
{
    struct pump *p = async->data;
    atomic_store(&p->loop_processor, sched_getcpu());
    for (int i = p->count - 1; i >= 0; i--)
        if (atomic_load(&p->flows[i]->told))
            p->flows[i]->ready(p->flows[i]->user);
}

static void on_closed(uv_handle_t *handle)
{
    struct pump *p = handle->data;
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->gate);
    free(p);
}

struct pump *pump_create(uv_loop_t *loop)
{
    struct pump *p = memory_new(sizeof *p);
    *p = (struct pump){.wake = -1, .loop_processor = NOT_SEEN};
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->gate, NULL);
    uv_async_init(loop, &p->async, on_async);
    p->async.data = p;
    return p;
}

void pump_destroy(struct pump *p)
{
    uv_close((uv_handle_t *)&p->async, on_closed);
}

/* Signals are the loop's business. */
static bool start_thread(struct pump *p)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->wake < 0)
        return false;
    atomic_store(&p->stop, false);
    p->looked_ns = 0;
    p->stays = false;
    sched_getaffinity(0, sizeof p->allowed, &p->allowed);
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    p->runs = pthread_create(&p->thread, &attributes, run, p) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (!p->runs)
        close(p->wake);
    return p->runs;
}

static void wake(struct pump *p)
{
    uint64_t one = 1;
    if (write(p->wake, &one, sizeof one) < 0)
        return; /* it is full of wakes */
}

static void stop_thread(struct pump *p)
{
    atomic_store(&p->stop, true);
    wake(p);
    pthread_join(p->thread, NULL);
    close(p->wake);
    p->runs = false;
}

struct flow *pump_join(struct pump *p, struct intake *intake, int fd, pump_ready *ready, void *user)
{
    if (p->count == LIMIT_SESSIONS || (!p->runs && !start_thread(p)))
        return NULL;
    struct flow *f = memory_new(sizeof *f);
    *f = (struct flow){.pump = p,
                       .intake = intake,
                       .fd = fd,
                       .ready = ready,
                       .user = user,
                       .has_more = true,
                       .came_ns = now_ns()};
    lock_from_loop(p);
    p->flows[p->count++] = f;
    p->changes++;
    unlock_from_loop(p);
    wake(p);
    return f;
}

void pump_leave(struct flow *f)
{
    struct pump *p = f ? f->pump : NULL;
    if (!f)
        return;
    lock_from_loop(p);
    int at = 0;
    while (p->flows[at] != f)
        at++;
    p->flows[at] = p->flows[--p->count];
    p->changes++;
    unlock_from_loop(p);
    free(f);
    if (!p->count)
        stop_thread(p);
}

void pump_room(struct flow *f)
{
    if (intake_waiting(f->intake) <= intake_size(f->intake) / 2 && atomic_exchange(&f->full, false))
        wake(f->pump);
}

void pump_stand_back(struct flow *f, bool back)
{
    atomic_store(&f->back, back);
}

bool pump_listen(struct flow *f)
{
    atomic_store(&f->told, false);
    return pump_ended(f) || intake_waiting(f->intake) >= ENOUGH_BYTES;
}

bool pump_ended(const struct flow *f)
{
    return atomic_load(&f->ended);
}
