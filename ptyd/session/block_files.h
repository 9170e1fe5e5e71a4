/* block_files.h - the four files of a session's blocks: blocks.jsonl, its copy, and what came
 * before either. What they are is a number; who finds it as it was when both held the same lines
 * need not read them to know that they do.
 *
 * A session keeps that number where the next worker finds it (intake.h). In it are each file's
 * inode, size, mode and time of change, which nobody can set back.
 */
#ifndef PTYD_SESSION_BLOCK_FILES_H
#define PTYD_SESSION_BLOCK_FILES_H

#include <stdint.h>

#include "ptyd/core/owed.h"

/* Another number whenever one of them was written, replaced or locked; never 0. */
uint64_t block_files_sum(const char *directory);

/* Adds a line to both. `*same`, what the sum was when they last held the same lines, becomes what
 * it is behind that: 0 where something else had happened to them before, or happened by the way. */
void block_files_append(struct owed *owed, const char *directory, const char *line, uint64_t *same);

/* How many bytes the four have. */
long long block_files_bytes(const char *directory);

/* The highest number that a file in blocks/ has in its name; 0 for none. */
uint64_t block_files_named_seq(const char *directory);

/* Removes the outputs of all but the newest blocks up to `seq`. */
void block_files_sweep(const char *directory, uint64_t seq);

#endif
