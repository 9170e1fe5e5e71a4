/* patience.h - how long the next worker is waited for, behind one that died.
 *
 * LIMIT_RECONNECT_MS, and on from there for as long as the daemon gets on, LIMIT_RECONNECT_MOST_MS
 * in all: a machine that is slow is no daemon that is gone.
 */
#ifndef PTYD_COMMAND_PATIENCE_H
#define PTYD_COMMAND_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nobody waits. All times are monotonic ms. */
struct patience {
    int64_t since;      /* a connection was lost; 0 for none */
    int64_t look_at;    /* when the daemon is looked at next */
    unsigned long used; /* ticks of a processor, at the last look */
};

/* A connection is lost: who waits already goes on with that. The other one: it stands. */
void patience_begin(struct patience *patience);
void patience_end(struct patience *patience);
bool patience_waits(const struct patience *patience);

/* Whether it is waited on. May be asked at any time; it is another answer behind patience_until().
 */
bool patience_lasts(struct patience *patience);
int64_t patience_until(const struct patience *patience);

/* So many seconds it waited, for a message: a multiple of LIMIT_RECONNECT_MS. */
int patience_seconds(const struct patience *patience);

/* What patience_lasts() goes by, where it is time to look: whether the daemon got on since the last
 * look. Pure. */
bool patience_look(struct patience *patience, int64_t now_ms, bool gets_on);

#endif
