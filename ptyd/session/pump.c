/* The thread sleeps in poll(2) on the terminal while the intake has room, and on an eventfd by
 * which the loop says that there is room or that it must stop. It tells the loop at once when much
 * waits, and otherwise only when the terminal says no more: many small pieces cost more than one.
 *
 * The kernel passes at most 4 KB at a time from one side of a terminal to the other, and wakes the
 * reader on the processor where the writer is. Where there are only two processors, what is light
 * for the loop then leaves its processor half idle, and what is heavy for it is slowed by a reader
 * beside it: the thread tries both, and stays where more comes (placement.h). In pairs of floods
 * that is 1.08 times what the kernel's own choice gives (0.94 for one kind of output to 1.26 for
 * another); with one processor there is nothing to choose, and with more the kernel has room to. */
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

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/session/placement.h"

#define ENOUGH_BYTES (16 * 1024) /* is told at once */
#define LITTLE_MS    1           /* less is told when no more came for so long */
#define FLOOD_MS     50          /* after as much quiet the flood is over */
#define STACK_BYTES  (64 * 1024)
#define FULL_PIECE   4095 /* what the terminal gives when it has more */
#define LOOK_PIECES  64   /* after so many the thread looks where it should run */
#define NOT_SEEN     (-1)
#define BESIDE_LOOP  1 /* the placement's other place is the other processor */

struct pump {
    pthread_t thread;
    uv_async_t async;
    struct intake *intake;
    int fd, wake; /* the terminal; an eventfd */
    cpu_set_t allowed;
    _Atomic int loop_processor; /* that it was seen on, or NOT_SEEN */
    struct placement placement;
    int pieces; /* since the thread looked where it should run, and their bytes */
    size_t bytes;
    int64_t looked_ns; /* when; 0: it waited for the program since */
    pump_ready *ready;
    void *user;
    _Atomic bool stop, ended, full;
};

/* Waits for the terminal (not while the intake is full) or for the loop. Returns whether one of
 * them has something. */
static bool wait_for(struct pump *p, bool full, int timeout_ms)
{
    struct pollfd fds[] = {{.fd = p->wake, .events = POLLIN},
                           {.fd = full ? -1 : p->fd, .events = POLLIN}};
    uint64_t count;
    int n = poll(fds, 2, timeout_ms);
    if (n > 0 && fds[0].revents && read(p->wake, &count, sizeof count) < 0)
        return true; /* told already */
    return n != 0;
}

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

/* One round: reads what there is, waits for more. False when the flood is over. */
static bool pump_once(struct pump *p)
{
    ssize_t n = intake_read_piece(p->intake, p->fd);
    bool full = n == -ENOBUFS;
    if (n <= 0 && n != -EAGAIN && !full)
        return false; /* hung up: whoever polls next finds out */
    if (full || intake_waiting(p->intake) >= ENOUGH_BYTES)
        uv_async_send(&p->async);
    if (full) {
        atomic_store(&p->full, true); /* before the look: see pump_room() */
        return wait_for(p, intake_waiting(p->intake) > LIMIT_INTAKE_BYTES / 2, -1);
    }
    p->bytes += n > 0 ? (size_t)n : 0;
    if (++p->pieces >= LOOK_PIECES && CPU_COUNT(&p->allowed) == 2)
        look(p);
    if (n >= FULL_PIECE || wait_for(p, false, LITTLE_MS))
        return true;
    p->looked_ns = 0;
    if (intake_waiting(p->intake))
        uv_async_send(&p->async);
    return wait_for(p, false, FLOOD_MS);
}

static void *run(void *user)
{
    struct pump *p = user;
    while (!atomic_load(&p->stop) && pump_once(p))
        ;
    atomic_store(&p->ended, true);
    uv_async_send(&p->async);
    return NULL;
}

static void on_async(uv_async_t *async)
{
    struct pump *p = async->data;
    atomic_store(&p->loop_processor, sched_getcpu());
    p->ready(p->user);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Signals are the loop's business. */
static int start_thread(struct pump *p)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int result = pthread_create(&p->thread, &attributes, run, p);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return -result;
}

struct pump *pump_create(uv_loop_t *loop, struct intake *intake, int fd, pump_ready *ready,
                         void *user)
{
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0)
        return NULL;
    struct pump *p = memory_new(sizeof *p);
    *p = (struct pump){.intake = intake,
                       .fd = fd,
                       .wake = wake,
                       .loop_processor = NOT_SEEN,
                       .ready = ready,
                       .user = user};
    sched_getaffinity(0, sizeof p->allowed, &p->allowed);
    uv_async_init(loop, &p->async, on_async);
    p->async.data = p;
    if (start_thread(p) == 0)
        return p;
    close(wake);
    uv_close((uv_handle_t *)&p->async, on_closed);
    return NULL;
}

static void wake(struct pump *p)
{
    uint64_t one = 1;
    if (write(p->wake, &one, sizeof one) < 0)
        return; /* it is full of wakes */
}

void pump_destroy(struct pump *p)
{
    if (!p)
        return;
    atomic_store(&p->stop, true);
    wake(p);
    pthread_join(p->thread, NULL);
    close(p->wake);
    uv_close((uv_handle_t *)&p->async, on_closed);
}

void pump_room(struct pump *p)
{
    if (intake_waiting(p->intake) <= LIMIT_INTAKE_BYTES / 2 && atomic_exchange(&p->full, false))
        wake(p);
}

bool pump_ended(const struct pump *p)
{
    return atomic_load(&p->ended);
}
