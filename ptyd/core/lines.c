#include "ptyd/core/lines.h"

#include <errno.h>
#include <string.h>

#include "ptyd/core/board.h"

void lines_finish(struct lines *l)
{
    bytes_finish(&l->buffer);
}

void lines_add(struct lines *l, const char *bytes, size_t len)
{
    if (l->at) {
        bytes_consume(&l->buffer, l->at);
        l->scanned -= l->at;
        l->at = 0;
    }
    bytes_append(&l->buffer, bytes, len);
}

static int take(struct lines *l, size_t end, char **ret_line, size_t *ret_len)
{
    char *line = l->buffer.data + l->at;
    size_t len = end - l->at;
    l->at = l->scanned = end + 1;
    board_moved();
    if (l->skipping) {
        l->skipping = false;
        return 0;
    }
    if (len > l->limit)
        return -EFBIG;
    len -= len && line[len - 1] == '\r';
    line[len] = '\0';
    *ret_line = line;
    *ret_len = len;
    return 1;
}

int lines_next(struct lines *l, char **ret_line, size_t *ret_len)
{
    for (;;) {
        const char *from = l->buffer.data + l->scanned;
        const char *newline =
            l->buffer.len > l->scanned ? memchr(from, '\n', l->buffer.len - l->scanned) : NULL;
        if (!newline) {
            l->scanned = l->buffer.len;
            if (l->buffer.len - l->at <= l->limit)
                return 0;
            l->at = l->buffer.len; /* forget what cannot become a line */
            if (l->skipping)
                return 0;
            l->skipping = true;
            return -EFBIG;
        }
        int result = take(l, (size_t)(newline - l->buffer.data), ret_line, ret_len);
        if (result)
            return result;
    }
}
