/* trace.h - recorded terminal sessions of every common format, as one stream of events.
 *
 * Formats: asciicast v1, v2, v3 (docs.asciinema.org/manual/asciicast); util-linux script, classic
 * and advanced timing, --log-io (script(1)); ttyrec; raw bytes; what VS Code's "Record Terminal
 * Session" makes, also in a file of its tests.
 */
#ifndef PTYD_REPLAY_TRACE_H
#define PTYD_REPLAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_format {
    TRACE_AUTO,
    TRACE_ASCIICAST,
    TRACE_SCRIPT,
    TRACE_TTYREC,
    TRACE_RAW,
    TRACE_VSCODE
};

/* Called in order. `ms`: since the trace began, 0 where the format has no time. */
struct trace_events {
    /* The size it was recorded at, or changed to. */
    void (*size)(void *user, int64_t ms, int cols, int rows);
    void (*output)(void *user, int64_t ms, const char *bytes, size_t len);
    /* What was typed, where the trace holds that; also what a terminal answered. */
    void (*input)(void *user, int64_t ms, const char *bytes, size_t len);
    /* When it began, ms since the epoch; before anything else, if the trace says so. */
    void (*start)(void *user, int64_t epoch_ms);
};

/* `auto asciicast script ttyrec raw vscode`; false for another name. */
bool trace_parse_format(const char *name, enum trace_format *ret_format);

/* Reads a trace held in memory. `timing`: the timing file of script, NULL for none. Returns 0, or
 * -EINVAL with a message (a new string: what is wrong and on which line or at which offset) in
 * *ret_error; the events up to there have been given. */
int trace_read(const char *data, size_t len, enum trace_format format, const char *timing,
               size_t timing_len, const struct trace_events *events, void *user, char **ret_error);

#endif
