/* progress.h - how far a command is that takes its time: a line on stderr, which goes again.
 *
 * Where stderr is no terminal nothing is said. */
#ifndef PTYD_COMMAND_PROGRESS_H
#define PTYD_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_AFTER_MS 1000 /* before that nothing is said, */
#define PROGRESS_STEP_MS  200  /* and then as often */

struct progress {
    const char *what; /* is done: `indexing`; borrowed */
    int64_t began_ms, told_ms;
    bool terminal, told;
};

struct progress progress_begin(const char *what);

/* How far it is; where it is not time to say that yet, nothing. */
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Milliseconds since it began. */
int64_t progress_ms(const struct progress *progress);

/* Takes the line away: before anything else is printed. It may be said again. */
void progress_clear(struct progress *progress);

#endif
