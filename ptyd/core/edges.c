#include "ptyd/core/edges.h"

#include <limits.h>
#include <string.h>

#include "base/utf8.h"
#include "vterm_snapshot/width.h"

/* Where the line ends in a terminal of so many columns; what has no room in a row stands in the
 * next. */
static int column_at_end(const char *line, size_t len, int cols)
{
    int column = 0;
    for (size_t at = 0; at < len;) {
        uint32_t code;
        int n = utf8_decode(line + at, len - at, &code), width = n > 0 ? (int)width_of(code) : 1;
        column = (column + width > cols ? 0 : column) + width;
        at += n > 0 ? (size_t)n : 1;
    }
    return column;
}

int edges_columns(const char *line, size_t len)
{
    return column_at_end(line, len, INT_MAX / 2);
}

bool edges_reached(const char *line, size_t len, const int *widths)
{
    for (; *widths; widths++)
        if (len >= (size_t)*widths && column_at_end(line, len, *widths) >= *widths)
            return true;
    return false;
}

struct redact_ends edges_find(const char *text, size_t len, const int *widths)
{
    struct redact_ends ends = {0};
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line = end ? (size_t)(end - text) - at : len - at;
        if (end && edges_reached(text + at, line, widths))
            redact_ends_add(&ends, at + line);
        at += line + 1;
    }
    return ends;
}
