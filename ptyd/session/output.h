/* output.h - blocks/N.out: the rendered output of the block that runs.
 *
 * What cannot be written waits, at most LIMIT_OWED_OUTPUT_BYTES of it, the newest; how much is
 * missing before that stands in the file then, in a line of its own.
 */
#ifndef PTYD_SESSION_OUTPUT_H
#define PTYD_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/core/owed.h"

struct output;

struct output *output_create(void);
/* Ends it, as output_end() does, and frees it. */
void output_destroy(struct output *output, struct owed *owed);

/* The file of another block, cut to the first `written` bytes, unless it is held; what a former
 * worker owes it counts no more than what stands behind them. */
void output_begin(struct output *output, struct owed *owed, const char *path, int64_t written);

/* Adds text; it is written with the next output_flush() or when much of it is there. Beyond
 * LIMIT_OUTPUT_FILE_BYTES nothing is. */
void output_add(struct output *output, const char *text, size_t len);

/* Writes what waits. Returns whether nothing does any more. */
bool output_flush(struct output *output);

/* Bytes that are in the file. */
int64_t output_written(const struct output *output);

/* What there is of it. */
struct output_rest {
    int64_t written;  /* bytes in the file */
    int64_t missing;  /* bytes that went, behind those */
    const char *text; /* what is to follow them; borrowed */
    size_t len;
};
struct output_rest output_rest(const struct output *output);

/* While `hold` is true nothing is written, and what is added is nothing: the file is a former
 * worker's, and right as far as it goes: without `hold` again it goes on behind its end. Restore
 * ends that, too: `rest` is all there is, also of what is owed. */
void output_hold(struct output *output, bool hold);
void output_restore(struct output *output, struct owed *owed, const struct output_rest *rest);

/* The block is over: what waits yet is owed. */
void output_end(struct output *output, struct owed *owed);

#endif
