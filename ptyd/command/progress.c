#include "ptyd/command/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "ptyd/core/clock.h"

struct progress progress_begin(const char *what)
{
    return (struct progress){
        .what = what, .began_ms = clock_monotonic_ms(), .terminal = isatty(STDERR_FILENO)};
}

int64_t progress_ms(const struct progress *p)
{
    return clock_monotonic_ms() - p->began_ms;
}

void progress_say(struct progress *p, const char *format, ...)
{
    va_list args;
    int64_t now = clock_monotonic_ms();
    if (!p->terminal || now - p->began_ms < PROGRESS_AFTER_MS ||
        now - p->told_ms < PROGRESS_STEP_MS)
        return;
    fprintf(stderr, "\r\033[Kptyd: %s: ", p->what);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    p->told_ms = now;
    p->told = true;
}

void progress_clear(struct progress *p)
{
    if (p->told)
        fputs("\r\033[K", stderr);
    p->told = false;
}
