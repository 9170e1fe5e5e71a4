/* block_mend.h - blocks.jsonl and its copy, which hold the same lines: where one is not whole, the
 * other is. */
#ifndef PTYD_SESSION_BLOCK_MEND_H
#define PTYD_SESSION_BLOCK_MEND_H

#include "ptyd/core/aside.h"

/* Compares blocks.jsonl in `directory` (with what came before, blocks.jsonl.1) with
 * blocks.copy.jsonl. Where they differ, both become the whole lines of either, in order; what was
 * damaged or cannot be written is set aside. Little memory, whatever their size. Returns 0, or
 * -errno where that could not be written: the files are as they were. */
int block_mend(const char *directory, struct aside *aside);

#endif
