/* retention.h - closed sessions are kept for a time and up to a size together; then those used
 * longest ago are removed. Looked after when the worker begins, when that is set anew, and once a
 * day, by a thread: the loop only takes names out of sight. */
#ifndef PTYD_WORKER_RETENTION_H
#define PTYD_WORKER_RETENTION_H

#include <jansson.h>

struct worker;
struct retention;

/* Begins; the settings say how much is kept. */
struct retention *retention_create(struct worker *worker);
/* Looks now where the settings say since the last look that something else is kept. */
void retention_check(struct retention *retention);
/* Ends it: what is being removed is removed by the next one. Freed when its thread is back. */
void retention_close(struct retention *retention);

/* {sessions, bytes, keep_days, keep_bytes, removed} as of the last look: closed sessions there are,
 * and how many this worker removed; null before the first. New reference. */
json_t *retention_json(const struct retention *retention);

#endif
