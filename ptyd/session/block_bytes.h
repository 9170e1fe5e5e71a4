/* block_bytes.h - where in output.raw the bytes of a block stand, as output.idx has it. */
#ifndef PTYD_SESSION_BLOCK_BYTES_H
#define PTYD_SESSION_BLOCK_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct block_bytes {
    uint64_t from, to; /* stream offsets: from the mark (or line feed) that began it to the one that
                          ended it; to the end of the log while it runs */
    int cols, rows;    /* of the terminal when it began; 0 where that is not known any more */
};

/* Of block `seq` of the session whose files are in `directory`. False where the index has no record
 * of its begin: it is too long ago, or was never there. Bytes may be missing all the same (capture
 * was paused, the log was trimmed meanwhile): they read as zeros. */
bool block_bytes_find(const char *directory, uint64_t seq, struct block_bytes *ret_bytes);

#endif
