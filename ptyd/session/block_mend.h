/* block_mend.h - blocks.jsonl and its copy, which hold the same lines: where one is not whole, the
 * other is. */
#ifndef PTYD_SESSION_BLOCK_MEND_H
#define PTYD_SESSION_BLOCK_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/aside.h"

/* Compares blocks.jsonl in `directory` (with what came before, blocks.jsonl.1) with
 * blocks.copy.jsonl. Where they differ, both become the whole lines of either, in order; what was
 * damaged or cannot be written is set aside. Little memory, whatever their size. `*same` is what
 * block_files_sum() was when they last held the same lines: where it is that still, their ends
 * alone are compared. Then it is what it is now; 0 where they are not known to. Returns 0, or
 * -errno where that could not be written: the files are as they were. */
int block_mend(const char *directory, uint64_t *same, struct aside *aside);

/* The same done ahead, in a thread, of files that nobody writes: what came of it. */
struct block_mended {
    int result;
    struct aside aside; /* what it found; whoever takes it over empties it */
    uint64_t became;    /* block_files_sum() behind it */
};
void block_mend_ahead(const char *directory, struct block_mended *ret_mended);

#endif
