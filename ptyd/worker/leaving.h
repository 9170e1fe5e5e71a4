/* leaving.h - sessions that were closed while viewers still get what they missed.
 *
 * Nobody finds such a one by its name, and the keeper knows it no more. It goes when each viewer
 * has heard of the end, behind all that came before, at the latest behind LIMIT_LEAVING_MS, or when
 * a shell of its name begins, which writes the same files.
 */
#ifndef PTYD_WORKER_LEAVING_H
#define PTYD_WORKER_LEAVING_H

#include "ptyd/session/session.h"

struct worker;

/* One that has exited and is in no table: destroyed when it may go, perhaps at once. */
void leaving_add(struct worker *w, struct session *s);

/* A viewer heard of its session's end, or is gone. It may be in the middle of telling: what goes
 * for that goes in the next turn of the loop. */
void leaving_look(struct worker *w);

/* The one of that name goes now; with NULL all do. */
void leaving_end(struct worker *w, const char *name);

/* How many there are: each holds descriptors. */
int leaving_count(const struct worker *w);

#endif
