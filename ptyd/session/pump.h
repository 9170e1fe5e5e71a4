/* pump.h - a flood is read by a thread of its own, while the loop takes in what came before.
 *
 * The kernel holds a few kilobytes for a terminal; a writer stands still while nobody reads. The
 * thread fills the session's intake and nothing else. It exists only while a flood lasts: a session
 * that is quiet, or that a person types in, has none.
 */
#ifndef PTYD_SESSION_PUMP_H
#define PTYD_SESSION_PUMP_H

#include <stdbool.h>
#include <uv.h>

#include "ptyd/core/intake.h"

struct pump;

/* On the loop: bytes wait in the intake, or the pump has ended. */
typedef void pump_ready(void *user);

/* Starts reading `fd` into `intake`; both are borrowed until pump_destroy(). NULL when a thread
 * cannot be had. */
struct pump *pump_create(uv_loop_t *loop, struct intake *intake, int fd, pump_ready *ready,
                         void *user);

/* Stops the thread and waits for it, which takes no longer than one read(2). What it has read
 * stands in the intake. `ready` is not called any more. */
void pump_destroy(struct pump *pump);

/* Bytes were consumed: there is room. */
void pump_room(struct pump *pump);

/* Nothing came for a while, or the terminal hung up: the thread reads no more. */
bool pump_ended(const struct pump *pump);

#endif
