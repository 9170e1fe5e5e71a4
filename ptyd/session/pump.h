/* pump.h - floods are read by a thread of their own, while the loop takes in what came before.
 *
 * The kernel holds a few kilobytes for a terminal; a writer stands still while nobody reads. One
 * thread fills the intakes of all sessions that are flooded, and nothing else; more of them would
 * only stand beside the loop in the processors' line. It exists only while a flood lasts: a session
 * that is quiet, or that a person types in, is in none.
 */
#ifndef PTYD_SESSION_PUMP_H
#define PTYD_SESSION_PUMP_H

#include <stdbool.h>
#include <uv.h>

#include "ptyd/core/intake.h"

struct pump;
struct flow; /* a session's part in it */

/* Without a thread yet. */
struct pump *pump_create(uv_loop_t *loop);
/* When no flow is in it; it is freed by the loop. */
void pump_destroy(struct pump *pump);

/* On the loop: much waits in the intake, or it has been quiet, or the flow has ended. Not again
 * before pump_listen(). */
typedef void pump_ready(void *user);

/* The thread reads `fd` into `intake` from now on; both are borrowed until pump_leave(). NULL when
 * there is no room or no thread to be had. */
struct flow *pump_join(struct pump *pump, struct intake *intake, int fd, pump_ready *ready,
                       void *user);

/* The thread reads it no more, which takes no longer than a read(2) of each flow. What was read
 * stands in the intake. NULL is none. */
void pump_leave(struct flow *flow);

/* Bytes were consumed: there is room. */
void pump_room(struct flow *flow);

/* Somebody types, and elsewhere: while all flows are such ones the thread reads little, so that the
 * processors are free when a key comes. */
void pump_stand_back(struct flow *flow, bool back);

/* `ready` is called again when there is reason to. Returns whether there is already. */
bool pump_listen(struct flow *flow);

/* Nothing came for a while, or the terminal hung up: the thread reads no more. */
bool pump_ended(const struct flow *flow);

#endif
