/* room.h - for how much more there are descriptors.
 *
 * What sessions and connections may come to hold is counted, not what they hold now: one that is
 * served never meets the limit. LIMIT_RESERVE_FILES are left out.
 */
#ifndef PTYD_WORKER_ROOM_H
#define PTYD_WORKER_ROOM_H

#include <stdbool.h>

struct worker;

/* Counts what the process holds before it has sessions and clients. */
void room_measure(struct worker *w);

/* Whether there is room for one more session, besides `openings` that are on their way; or one more
 * connection that stays. */
bool room_for_session(const struct worker *w, int openings);
bool room_for_client(struct worker *w);

/* The most descriptors that there may be. */
long room_files(void);

#endif
