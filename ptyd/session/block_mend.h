/* block_mend.h - blocks.jsonl and its copy, which hold the same lines: where one is not whole, the
 * other is. */
#ifndef PTYD_SESSION_BLOCK_MEND_H
#define PTYD_SESSION_BLOCK_MEND_H

#include <stdbool.h>
#include <sys/stat.h>

#include "ptyd/core/aside.h"

/* Compares blocks.jsonl in `directory` (with what came before, blocks.jsonl.1) with
 * blocks.copy.jsonl. Where they differ, both become the whole lines of either, in order; what was
 * damaged or cannot be written is set aside. Little memory, whatever their size. Returns 0, or
 * -errno where that could not be written: the files are as they were. */
int block_mend(const char *directory, struct aside *aside);

/* The same done ahead, in a thread, of files that nobody writes: what came of it. */
struct block_mended {
    int result;
    struct aside aside;    /* what it found; whoever takes it over empties it */
    struct stat became[4]; /* the files behind it; all zeros for one that is not there */
};
void block_mend_ahead(const char *directory, struct block_mended *ret_mended);
/* Whether the files are still as they were behind it. */
bool block_mend_holds(const char *directory, const struct block_mended *mended);

/* Bytes of the files that it reads. */
long long block_mend_bytes(const char *directory);

#endif
