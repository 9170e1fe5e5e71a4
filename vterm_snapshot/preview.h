/* preview.h - the bounded tail of a text that arrives in pieces, and its true size.
 *
 * A plain value: copy it to look ahead. Lines end at \n alone.
 */
#ifndef VTERM_SNAPSHOT_PREVIEW_H
#define VTERM_SNAPSHOT_PREVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"

/* Tail kept while the text arrives: a full preview and a character's worth more. */
#define PREVIEW_TAIL (LIMIT_PREVIEW_BYTES + 8)

struct preview {
    char tail[2 * PREVIEW_TAIL]; /* the end of the text; shifted down when full */
    size_t len;                  /* bytes of it in use */
    uint64_t bytes;              /* of the text, line ends included */
    uint64_t newlines;           /* line ends in the text */
    bool cut;                    /* the tail does not begin where the text began */
    bool open;                   /* the text ends inside a line */
};

/* Adds valid UTF-8; it may end anywhere between characters. */
void preview_append(struct preview *preview, const char *text, size_t len);

/* The bounded result. */
struct preview_result {
    char *text; /* the lines, each ended by \n; owned, never NULL */
    size_t len;
    int lines;             /* in `text` */
    bool truncated;        /* something of the output is missing */
    uint64_t omitted;      /* whole lines missing in front */
    uint64_t output_lines; /* all lines */
    uint64_t output_bytes; /* all bytes, one per line end */
};

/* The tail: at most `max_lines` lines (of LIMIT_PREVIEW_LINES) and `max_bytes` bytes (of
 * LIMIT_PREVIEW_BYTES), one per line end. A last line longer than that keeps its end behind `…`.
 * Trailing blank lines must not have been appended. Returns 0 or -ENOMEM. */
int preview_finish(const struct preview *preview, int max_lines, size_t max_bytes,
                   struct preview_result *ret_result);
void preview_result_finish(struct preview_result *result);

#endif
