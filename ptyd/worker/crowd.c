#include "ptyd/worker/crowd.h"

#include <malloc.h>
#include <stddef.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/worker/server_private.h"

#define LOOK_MS    50
#define FULL       (LIMIT_CROWD_BYTES / 2)
#define GIVE_BYTES (2 << 20) /* worth giving back to the system */

static struct crowd *crowd_of(const struct client *c)
{
    return &c->server->crowd;
}

bool crowd_full(const struct server *server)
{
    return server->crowd.full_ms;
}

bool crowd_shut(const struct server *server)
{
    return server->crowd.shut_ms;
}

bool crowd_over_share(const struct client *c)
{
    return c->counted > LIMIT_CLIENT_SHARE;
}

bool crowd_laden(const struct client *c)
{
    return c->waits > LIMIT_CLIENT_WAIT_BYTES ||
           (crowd_of(c)->waits > LIMIT_CROWD_WAIT_BYTES && c->waits > LIMIT_CLIENT_SHARE);
}

/* ---- those that hold most ---- */

/* For a request, or for more of its answer, and for nothing that it could do. */
static bool waits_for_turn(struct client *c)
{
    return client_has_work(c) || (c->stream && !c->sated);
}

/* What moves is not closed, unless it is full for long; nor does one go that waits for its turn,
 * but where there are no turns. */
static bool may_go(struct client *c, int64_t now)
{
    const struct crowd *crowd = crowd_of(c);
    bool still = now - c->moved_ms >= LIMIT_CROWD_STILL_MS;
    bool shut = crowd->shut_ms && now - crowd->shut_ms >= LIMIT_CROWD_STILL_MS;
    bool lasts = now - crowd->full_ms >= LIMIT_CROWD_FULL_MS && !waits_for_turn(c);
    return crowd_over_share(c) && (still || shut || lasts);
}

/* Much for a moment is less than little for long: a large request does not go for a crowd of half
 * ones that have been there before. */
static uint64_t weight(const struct client *c, int64_t now)
{
    return (uint64_t)c->counted * (uint64_t)(now - c->over_ms);
}

static struct client *find_most(const struct server *server, int64_t now)
{
    struct client *most = NULL, *c;
    LIST_FOREACH(c, &server->clients, others)
        if (may_go(c, now) && (!most || weight(c, now) > weight(most, now)))
            most = c;
    return most;
}

/* Who does not read is not told. */
static void turn_out(struct client *c)
{
    if (!client_queued(c))
        client_notify(c, "closing",
                      json_pack("{s:o}", "message",
                                json_sprintf("%d connections hold more than there is room for, and "
                                             "this one %zu KiB without getting on",
                                             c->server->count, c->counted >> 10)));
    client_close(c);
}

static void make_room(struct server *server, int64_t now)
{
    struct crowd *crowd = &server->crowd;
    struct client *most;
    while (crowd->full_ms && (most = find_most(server, now))) {
        if (!crowd->said)
            say("%d connections hold more than there is room for: those that do not get on are "
                "closed",
                server->count);
        crowd->said = true;
        turn_out(most);
    }
}

/* What is sent in one go leaves by and by; and who waits for us does not stand still. */
static void note_moves(struct server *server, int64_t now)
{
    struct client *c;
    LIST_FOREACH(c, &server->clients, others) {
        size_t unsent = client_unsent(c);
        if (unsent != c->unsent || waits_for_turn(c))
            c->moved_ms = now;
        c->unsent = unsent;
    }
}

static bool has_to_give(const struct crowd *crowd)
{
    return crowd->most > crowd->bytes + crowd->waits + GIVE_BYTES;
}

/* Memory is given back once it gets no less: what is freed piece by piece is so at the end. */
static void on_timer(uv_timer_t *timer)
{
    struct server *server = timer->data;
    struct crowd *crowd = &server->crowd;
    int64_t now = clock_monotonic_ms();
    note_moves(server, now);
    if (crowd->full_ms)
        make_room(server, now);
    size_t used = crowd->bytes + crowd->waits, before = crowd->last;
    crowd->last = used + 1;
    if (crowd->full_ms || !before || used + 1 < before)
        return;
    uv_timer_stop(timer);
    crowd->said = false;
    if (has_to_give(crowd))
        malloc_trim(0);
    crowd->most = used;
    crowd->last = 0;
}

/* ---- counting ---- */

static void look(struct server *server)
{
    if (!server->closing && !uv_is_active((uv_handle_t *)&server->crowd.timer))
        uv_timer_start(&server->crowd.timer, on_timer, LOOK_MS, LOOK_MS);
}

/* Since when more than `limit` is held; 0 for less, and a little less than when it began. */
static int64_t since(int64_t before, size_t bytes, size_t limit)
{
    if (bytes > limit)
        return before ? before : clock_monotonic_ms();
    return bytes > limit - limit / 4 ? before : 0;
}

static void note_used(struct server *server, size_t more)
{
    struct crowd *crowd = &server->crowd;
    size_t used = crowd->bytes + crowd->waits + more;
    crowd->most = used > crowd->most ? used : crowd->most;
    if (has_to_give(crowd))
        look(server);
}

void crowd_note_used(struct client *c, size_t bytes)
{
    note_used(c->server, bytes);
}

static void note(struct server *server)
{
    struct crowd *crowd = &server->crowd;
    bool was = crowd->full_ms, was_shut = crowd->shut_ms;
    crowd->full_ms = since(crowd->full_ms, crowd->bytes, FULL);
    crowd->shut_ms = since(crowd->shut_ms, crowd->bytes, LIMIT_CROWD_BYTES);
    note_used(server, 0);
    if (crowd->full_ms)
        look(server);
    if ((was && !crowd->full_ms) || (was_shut && !crowd->shut_ms))
        turns_add(server->turns, &crowd->relief, true);
}

void crowd_count(struct client *c)
{
    size_t now = client_holds(c);
    if (now == c->counted)
        return;
    c->server->crowd.bytes += now - c->counted;
    c->counted = now;
    c->over_ms = !crowd_over_share(c) ? 0 : c->over_ms ? c->over_ms : clock_monotonic_ms();
    if (!c->server->closing)
        note(c->server);
}

void crowd_count_wait(struct client *c, ptrdiff_t bytes)
{
    c->waits += (size_t)bytes;
    c->server->crowd.waits += (size_t)bytes;
    note_used(c->server, 0);
}

static bool on_relief(struct turn *turn, size_t bytes)
{
    struct crowd *crowd = (struct crowd *)((char *)turn - offsetof(struct crowd, relief));
    struct server *server = (struct server *)((char *)crowd - offsetof(struct server, crowd));
    struct client *c;
    (void)bytes;
    LIST_FOREACH(c, &server->clients, others)
        client_relieve(c);
    return false;
}

void crowd_init(struct server *server)
{
    server->crowd.relief = (struct turn){.piece = on_relief};
    uv_timer_init(server->loop, &server->crowd.timer);
    server->crowd.timer.data = server;
}

void crowd_finish(struct server *server)
{
    turns_remove(server->turns, &server->crowd.relief);
}
