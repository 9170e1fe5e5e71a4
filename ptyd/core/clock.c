#define _GNU_SOURCE
#include "ptyd/core/clock.h"

#include <time.h>

static int64_t milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_monotonic_ms(void)
{
    return milliseconds(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
    return milliseconds(CLOCK_REALTIME);
}

int64_t clock_thread_ms(void)
{
    return milliseconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Both of one moment, where the process is not put aside between them again and again. */
struct moment clock_now(void)
{
    int64_t before = clock_monotonic_ms(), wall = clock_wall_ms(), after = clock_monotonic_ms();
    for (int again = 0; after - before > 1 && again < 8; again++) {
        before = after;
        wall = clock_wall_ms();
        after = clock_monotonic_ms();
    }
    return (struct moment){wall, before};
}

const char *clock_text(int64_t wall_ms, char out[CLOCK_TEXT_SIZE])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm local;
    if (!localtime_r(&seconds, &local) ||
        !strftime(out, CLOCK_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &local))
        *out = '\0';
    return out;
}

int64_t clock_sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Of what stands behind a second; no more than digits count, whoever wrote it. */
static int64_t milliseconds_in(const char *part)
{
    int64_t ms = 0;
    if (*part == '.')
        for (int64_t worth = 100; *++part >= '0' && *part <= '9'; worth /= 10)
            ms += worth * (*part - '0');
    return ms;
}

int64_t clock_rfc3339_ms(const char *text)
{
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    return rest ? (int64_t)timegm(&tm) * 1000 + milliseconds_in(rest) : 0;
}
