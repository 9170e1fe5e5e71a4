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

/* Whether lines_next() has something to say. */
bool lines_wait(struct lines *lines);

/* Bytes that are not handed out yet. */
size_t lines_held(const struct lines *lines);

/* Where all was handed out, and none of it is needed any more: gives memory back. */
void lines_rest(struct lines *lines);

/* Calls `each` for every line of a file from where its descriptor stands, in order: without its
 * end, NULL and 0 for one over the limit. What comes last may have no end, and is none then:
 * `is_whole` is false. Returns 0 or -errno of what could not be read. */
typedef void lines_each_line(void *user, char *line, size_t len, bool is_whole);
int lines_each(int fd, size_t limit, lines_each_line *each, void *user);

/* The same of a regular file, by its path; -EINVAL for anything else, which is not waited for. */
int lines_each_of(const char *path, size_t limit, lines_each_line *each, void *user);

#endif
