/* cast.h - a recording as asciicast v3 or v2 (docs.asciinema.org/manual/asciicast), line by line.
 *
 * Each line is a JSON value of its own: a file that is cut behind any of them is a recording.
 * Output that is no UTF-8 is U+FFFD there, the same as a terminal shows for it.
 */
#ifndef PTYD_RECORD_CAST_H
#define PTYD_RECORD_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct cast {
    int version;          /* 2 or 3 */
    int64_t lead_ms;      /* what is added to all times: the header's has whole seconds */
    int64_t written_ms;   /* of the last event in `lines` */
    int64_t ms;           /* of the output that waits */
    struct bytes waiting; /* output of one time, and what is not a whole character yet */
    struct bytes lines;   /* whole ones; whoever writes them empties it */
};

struct cast_header {
    int version; /* 2 or 3 */
    int cols, rows;
    int64_t wall_ms;   /* when it begins */
    double idle_limit; /* seconds that a player waits at most; 0 for any */
    const char *title; /* UTF-8; NULL for none */
};

/* Begins it, with the header in `lines`. */
void cast_begin(struct cast *cast, const struct cast_header *header);
void cast_finish(struct cast *cast);

/* `ms` since it began, not less than before. */
void cast_output(struct cast *cast, int64_t ms, const char *bytes, size_t len);
void cast_size(struct cast *cast, int64_t ms, int cols, int rows);
/* A word to whoever plays it. */
void cast_marker(struct cast *cast, int64_t ms, const char *text);
/* The shell ended; v2 has no such event. */
void cast_exit(struct cast *cast, int64_t ms, int status);

/* What waits is a line, but for the first part of a character; `over`: that, too. */
void cast_flush(struct cast *cast, bool over);

#endif
