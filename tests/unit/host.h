/* host.h - what a session needs of whoever serves it, where no worker does: it reports to nobody.
 */
#ifndef TESTS_UNIT_HOST_H
#define TESTS_UNIT_HOST_H

#include "ptyd/session/pump.h"
#include "ptyd/session/session.h"

struct test_host {
    struct session_host host;
    struct turns turns;
    uv_idle_t turning;
    char scratch[SESSION_SCRATCH_BYTES];
};

static inline uint64_t host_now(void *user)
{
    (void)user;
    return uv_hrtime() / 1000;
}

static inline void host_turn(uv_idle_t *turning)
{
    struct test_host *h = turning->data;
    turns_run(&h->turns);
}

static inline void host_work(void *user, bool there_is_some)
{
    struct test_host *h = user;
    if (there_is_some)
        uv_idle_start(&h->turning, host_turn);
    else
        uv_idle_stop(&h->turning);
}

static inline void host_on_session(void *user, struct session *s)
{
    (void)user;
    (void)s;
}

static inline void host_on_block(void *user, struct session *s, struct block *block)
{
    (void)user;
    (void)s;
    (void)block;
}

static inline void host_on_number(void *user, struct session *s, uint64_t number)
{
    (void)user;
    (void)s;
    (void)number;
}

static inline bool host_keep(void *user, struct session *s, int slate)
{
    (void)user;
    (void)s;
    (void)slate;
    return true;
}

static inline const struct session_host *test_host_begin(struct test_host *h, uv_loop_t *loop,
                                                         const char *state)
{
    static const struct session_events events = {.opened = host_on_session,
                                                 .marked = host_on_session,
                                                 .block_begun = host_on_block,
                                                 .block_ended = host_on_block,
                                                 .block_stored = host_on_block,
                                                 .settled = host_on_number,
                                                 .capture_changed = host_on_session,
                                                 .over = host_on_session,
                                                 .owes = host_keep,
                                                 .baton_taken = host_on_number};
    uv_idle_init(loop, &h->turning);
    h->turning.data = h;
    turns_init(&h->turns, host_now, host_now, host_work, h);
    h->host = (struct session_host){.loop = loop,
                                    .turns = &h->turns,
                                    .pump = pump_create(loop),
                                    .state = state,
                                    .scratch = h->scratch,
                                    .events = &events};
    return &h->host;
}

/* When its sessions are destroyed; the loop runs out then. */
static inline void test_host_end(struct test_host *h)
{
    uv_close((uv_handle_t *)&h->turning, NULL);
    pump_destroy(h->host.pump);
}

#endif
