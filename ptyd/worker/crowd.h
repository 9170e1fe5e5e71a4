/* crowd.h - what all connections hold together: what they said and is not done yet, what is to be
 * said to them, what they wait for.
 *
 * Each may hold LIMIT_CLIENT_SHARE whatever the others do. Beyond half of LIMIT_CROWD_BYTES it is
 * *full*: who holds more than a share is not read, and nothing is made for it, until it holds less.
 * Beyond all of it it is *shut*: no request is begun. Where that does not suffice those are closed
 * that stand still with more than their share, the one that holds most for longest first; where it
 * lasts, also one that does not.
 */
#ifndef PTYD_WORKER_CROWD_H
#define PTYD_WORKER_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "ptyd/core/turns.h"

struct client;
struct server;

struct crowd {
    size_t bytes;       /* that all hold, but for what they wait for */
    size_t waits;       /* bytes of what they wait for */
    size_t most;        /* of both together, since memory was given back */
    size_t last;        /* of both, and 1, when that was looked at last; 0: it was not */
    int64_t full_ms;    /* since when it is full, monotonic; 0: it is not */
    int64_t shut_ms;    /* the same for shut */
    bool said;          /* that some are closed */
    struct turn relief; /* those that waited for room are looked at */
    uv_timer_t timer;   /* runs while it is full, or there is something to give back */
};

void crowd_init(struct server *server);
/* Its timer is to be closed, too. */
void crowd_finish(struct server *server);

/* A connection holds more or less than it did. */
void crowd_count(struct client *client);
/* For a moment it needed so much more. */
void crowd_note_used(struct client *client, size_t bytes);
/* What it waits for became more or less. */
void crowd_count_wait(struct client *client, ptrdiff_t bytes);

bool crowd_full(const struct server *server);
bool crowd_shut(const struct server *server);
/* Whether it holds more than it may while it is full. */
bool crowd_over_share(const struct client *client);
/* Whether it waits for so much that it may wait for no more. */
bool crowd_laden(const struct client *client);

#endif
