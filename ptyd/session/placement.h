/* placement.h - which of two places a thread does more in: it is tried.
 *
 * No rule tells beforehand: it depends on what the work costs, on what else runs, and on what a
 * wakeup between two processors costs on this machine. So the thread works in windows, nearly all
 * of them in the better place, and now and then one in the other.
 */
#ifndef PTYD_SESSION_PLACEMENT_H
#define PTYD_SESSION_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct begins in place 0. */
struct placement {
    int place;         /* 0 or 1: of the window at hand */
    bool trying;       /* that window is a try */
    int windows;       /* since the last try */
    int every;         /* a try comes after so many */
    uint64_t speed[2]; /* what was seen last in each, bytes a second; 0 for nothing yet */
};

/* A window of `bytes` ended that took `ns` nanoseconds. Returns the place of the next one. */
int placement_next(struct placement *placement, size_t bytes, int64_t ns);

#endif
