/* run_table.h - the commands that were typed into a session for somebody who waits for them (`ptyd
 * run`), in the memory that outlives a worker.
 *
 * Whoever lost its worker comes back with its token and learns how far its command got. A record is
 * there before the first byte is typed, so that no token without one was. A prompt's number is
 * where in the stream its mark stands: a command's block is the one that begins at the prompt at
 * which it was typed. A shell may draw another prompt before it reads the line: then it is the one
 * whose text is that line's, where nobody typed what could make another of it.
 */
#ifndef PTYD_CORE_RUN_TABLE_H
#define PTYD_CORE_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum run_state {
    RUN_TYPING = 1, /* some of its line may be written, or none */
    RUN_TYPED,      /* all of it is */
    RUN_BEGAN,      /* its block is `seq` */
    RUN_DOUBTFUL,   /* block `seq` began at its prompt while its line was being typed */
};

struct run_record {
    uint64_t token;  /* 0 for none */
    uint64_t prompt; /* at which it was typed; 0 where none stood: any block is its own */
    uint64_t seq;
    int64_t left_ms; /* monotonic: when its owner was lost; INT64_MAX while it waits */
    uint32_t state;  /* enum run_state */
    uint32_t text;   /* run_text() of its line; 0: no block at another prompt is its own */
};

/* A text as far as the screen shows it the same wherever it wraps: not its blanks. Goes on from
 * RUN_TEXT_START or from what the bytes before these gave. Never 0. */
#define RUN_TEXT_START 1u
uint32_t run_text(uint32_t before, const char *bytes, size_t len);

/* Zeroed it is empty. */
struct run_table {
    uint64_t prompt; /* the newest one's number; 0 before the first */
    struct run_record records[LIMIT_RUNS_KEPT];
};

/* A line is about to be typed for somebody who waits. False when there is no room: others wait, or
 * may come back, LIMIT_RUN_KEPT_MS long. */
bool run_table_add(struct run_table *table, uint64_t token, uint64_t prompt, const char *line,
                   int64_t now_ms);

/* Its owner waits for it again; or (not `waits`) is lost now. */
void run_table_keep(struct run_table *table, uint64_t token, bool waits, int64_t now_ms);

/* All owners are lost now: a worker takes over. */
void run_table_take_over(struct run_table *table, int64_t now_ms);

/* All of that command is typed. */
void run_table_typed(struct run_table *table, uint64_t token);

/* Behind it somebody else ends a line: with that text, or (0) with one that nobody knows, or the
 * terminal threw it away. A block at another prompt may be that one's. */
void run_table_doubt(struct run_table *table, uint32_t text);

/* Whether it matters to anybody's command what others type behind it. */
bool run_table_waits(const struct run_table *table);

/* A block began, with that command line. */
void run_table_began(struct run_table *table, uint64_t seq, const char *line);

/* The record of a token; NULL for none, and for token 0. */
const struct run_record *run_table_find(const struct run_table *table, uint64_t token);

/* Its owner knows all. */
void run_table_drop(struct run_table *table, uint64_t token);

#endif
