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
/* The processor's time that this thread used. */
int64_t clock_thread_ms(void);

/* A time since the epoch as people here write it, "2026-11-22 06:45:00"; "" for one that is none.
 * Returns `out`. */
#define CLOCK_TEXT_SIZE 32
const char *clock_text(int64_t wall_ms, char out[CLOCK_TEXT_SIZE]);

/* The earlier of two times; a negative one is none. */
int64_t clock_sooner(int64_t a, int64_t b);

/* RFC 3339 in UTC, as servers write it; 0 for anything else. */
int64_t clock_rfc3339_ms(const char *text);

#endif
