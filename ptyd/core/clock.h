/* clock.h - the time, in the one unit that the program uses: milliseconds. */
#ifndef PTYD_CORE_CLOCK_H
#define PTYD_CORE_CLOCK_H

#include <stdint.h>

/* A point in time on both clocks: since the epoch, and of the one that never jumps. */
struct moment {
    int64_t wall_ms, monotonic_ms;
};

int64_t clock_monotonic_ms(void);
int64_t clock_wall_ms(void);
struct moment clock_now(void);

#endif
