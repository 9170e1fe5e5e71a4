/* out.h - blocks of this host on their way to the hub.
 *
 * Of a session one is under way, of all together LIMIT_RELAY_UNACKED; the next goes when that one
 * is acknowledged, so that order holds whatever dies. What is not acknowledged in time, or was
 * under way when the connection went, is sent again, with the same id.
 */
#ifndef PTYD_RELAY_OUT_H
#define PTYD_RELAY_OUT_H

#include <stdint.h>

#include "ptyd/core/conf.h"
#include "ptyd/relay/hub.h"
#include "ptyd/relay/setup.h"
#include "ptyd/relay/spool.h"

struct out {
    struct hub *hub;
    struct spool *spool;
    const struct setup *settings;
    const char *user; /* as a token */
    const struct identity *identity;
    struct conf_file *conf;
    int64_t began_ms;   /* wall clock */
    int64_t hold_until; /* monotonic: the hub takes nothing now */
    size_t next;        /* the session whose turn it is */
    size_t unacked;
    uint64_t sends;      /* each has a number of its own, by which it is acknowledged */
    uint64_t sent;       /* blocks that were acknowledged */
    uint64_t oversize;   /* passed over: the hub takes nothing as large, however they are cut */
    uint64_t suppressed; /* the hub took one for another that it has: sent again under another id */
    char *error;         /* the last, NULL for none; and when (wall clock) */
    int64_t error_ms;
    char *stuck;      /* why the hub keeps nothing of what is sent, NULL: it does; and since when */
    int64_t stuck_ms; /* (wall clock) */
};

/* Sends what may be sent. Returns when it wants to be called again (monotonic), -1: not before
 * something happens. */
int64_t out_step(struct out *out);

/* An acknowledgement: the answer to "p.N". */
void out_answer(struct out *out, const struct hub_message *message);

/* The connection is gone: nothing is under way. */
void out_lost(struct out *out);

/* Something went wrong, in those words. */
void out_fail(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void out_finish(struct out *out);

#endif
