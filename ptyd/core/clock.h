/* clock.h - the time, in the one unit that the program uses. */
#ifndef PTYD_CORE_CLOCK_H
#define PTYD_CORE_CLOCK_H

#include <stdint.h>

/* Milliseconds: of the clock that never jumps, and since the epoch. */
int64_t clock_monotonic_ms(void);
int64_t clock_wall_ms(void);

#endif
