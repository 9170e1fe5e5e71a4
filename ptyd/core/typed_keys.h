/* typed_keys.h - what was typed into a shell without C, for whoever goes on behind a death: keys
 * are in no log; and what came of its lines, which the log's index keeps. */
#ifndef PTYD_CORE_TYPED_KEYS_H
#define PTYD_CORE_TYPED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct typed_keys {
    uint8_t line, feed, trust; /* of a struct typed */
    bool in_doubt;
    size_t shared, echoed, matched, piece, doubt_from, doubted, doubt_matched, len;
    const char *keys; /* borrowed */
    /* Keys that were being typed behind them when somebody died: all of them were, or none. */
    size_t typing_len;
    const char *typing; /* borrowed */
};

/* What a line is, seen at its line feed or when the next prompt says how it ended (D). The numbers
 * stand in output.idx: they keep their meaning. */
enum typed_answer {
    LINE_IS_NONE,     /* empty, a comment, or there is none */
    LINE_WAS_EMPTY,   /* that, typed ahead: what was printed since B may be the next one's */
    LINE_IS_GIVEN_UP, /* it ends in ^C: no command if D says 130 and nothing was printed since */
    LINE_IS_OTHERS,   /* nobody entered one, or its echo is still to come: a job spoke */
    LINE_RUNS,        /* a command, as it was echoed */
    LINE_RAN_AHEAD,   /* a command typed ahead: what was printed since B is its output */
};

#endif
