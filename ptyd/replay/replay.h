/* replay.h - a recorded session through the same terminal and tracker as a live one. */
#ifndef PTYD_REPLAY_REPLAY_H
#define PTYD_REPLAY_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "ptyd/replay/trace.h"

struct progress;

struct replay_options {
    int cols, rows;     /* 0: as the trace says, else the default */
    bool foreign_marks; /* --marks any: OSC 133 and 633 make blocks too */
    size_t scrollback;  /* lines; 0 for the default */
    size_t chunk;       /* feed at most this many bytes at once; 0 for whole events (tests) */
    uint64_t seed;      /* or pieces of random lengths, these ones; 0 for none */
    struct progress *progress; /* is told how much was replayed; NULL for none */
};

struct replay;

struct replay *replay_create(const struct replay_options *options);
void replay_destroy(struct replay *r);

/* Hands it to trace_read(). */
const struct trace_events *replay_events(void);

/* The trace is over: a block still open is abandoned. Returns the object of `ptyd replay --json`
 * (a new reference). Call once. */
json_t *replay_finish(struct replay *r);

/* A size outside the limits was asked for and clamped, by the options or the trace. */
bool replay_was_clamped(const struct replay *r);

#endif
