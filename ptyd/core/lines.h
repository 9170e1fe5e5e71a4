/* lines.h - the one reader of JSON lines: bytes in, whole lines out. */
#ifndef PTYD_CORE_LINES_H
#define PTYD_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* A zeroed struct with `limit` set is ready. */
struct lines {
    size_t limit;        /* bytes of a line; a longer one is skipped to its end */
    struct bytes buffer; /* what is not handed out yet */
    size_t at;           /* bytes of it that have been handed out */
    size_t scanned;      /* bytes of it known to hold no line end */
    bool skipping;       /* inside a line that is too long */
};

void lines_finish(struct lines *lines);

/* Adds bytes as they came. */
void lines_add(struct lines *lines, const char *bytes, size_t len);

/* Takes the next whole line, without its end (LF or CR LF); the pointer is good until the next
 * lines_add(). Returns 1; 0 when there is none yet; -EFBIG, once, for a line over the limit. */
int lines_next(struct lines *lines, char **ret_line, size_t *ret_len);

#endif
