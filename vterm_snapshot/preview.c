#include "vterm_snapshot/preview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

#define ELLIPSIS     "\xe2\x80\xa6"
#define ELLIPSIS_LEN 3

static void keep_tail(struct preview *p, const char *text, size_t len)
{
    if (len > PREVIEW_TAIL) {
        size_t skip = utf8_ceil(text, len, len - PREVIEW_TAIL);
        text += skip;
        len -= skip;
        p->len = 0;
        p->cut = true;
    }
    if (p->len + len > sizeof p->tail) {
        size_t keep = PREVIEW_TAIL - (len < PREVIEW_TAIL ? len : PREVIEW_TAIL);
        size_t from = utf8_ceil(p->tail, p->len, p->len > keep ? p->len - keep : 0);
        memmove(p->tail, p->tail + from, p->len - from);
        p->len -= from;
        p->cut = p->cut || from > 0;
    }
    memcpy(p->tail + p->len, text, len);
    p->len += len;
}

void preview_append(struct preview *p, const char *text, size_t len)
{
    if (!len)
        return;
    p->bytes += len;
    for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
        p->newlines++;
    p->open = text[len - 1] != '\n';
    keep_tail(p, text, len);
}

/* Where the last `max_lines` lines that fit into `max_bytes` begin; `end` counts the line ends. */
static size_t tail_start(const char *text, size_t end, int max_lines, size_t max_bytes,
                         int *ret_lines)
{
    size_t start = end;
    int lines = 0;
    while (start > 0 && lines < max_lines) {
        size_t from = start - 1; /* on the line end */
        while (from > 0 && text[from - 1] != '\n')
            from--;
        if (end - from > max_bytes)
            break;
        start = from;
        lines++;
    }
    *ret_lines = lines;
    return start;
}

static int finish_long_line(const char *text, size_t end, size_t max_bytes, char *out,
                            size_t *ret_len)
{
    size_t room = max_bytes - ELLIPSIS_LEN;
    size_t from = utf8_ceil(text, end, end > room ? end - room : 0);
    memcpy(out, ELLIPSIS, ELLIPSIS_LEN);
    memcpy(out + ELLIPSIS_LEN, text + from, end - from);
    *ret_len = ELLIPSIS_LEN + end - from;
    return 1;
}

int preview_finish(const struct preview *p, int max_lines, size_t max_bytes,
                   struct preview_result *ret_result)
{
    char closed[sizeof p->tail + 1];
    size_t end = p->len;
    memcpy(closed, p->tail, end);
    if (p->open)
        closed[end++] = '\n';
    struct preview_result r = {
        .text = memory_try(max_bytes + 1),
        .output_lines = p->newlines + p->open,
        .output_bytes = p->bytes + p->open,
    };
    if (!r.text)
        return -ENOMEM;
    size_t start = tail_start(closed, end, max_lines, max_bytes, &r.lines);
    /* The first line of a tail that was cut may have lost its beginning. */
    bool whole = start > 0 || !p->cut || r.lines == 0;
    if (!whole) {
        const char *next = memchr(closed, '\n', end);
        start = (size_t)(next - closed) + 1;
        r.lines--;
    }
    r.len = end - start;
    memcpy(r.text, closed + start, r.len);
    if (r.lines == 0 && end > 0)
        r.lines = finish_long_line(closed, end, max_bytes, r.text, &r.len);
    r.text[r.len] = '\0';
    r.omitted = r.output_lines - (uint64_t)r.lines;
    r.truncated = r.len != r.output_bytes;
    *ret_result = r;
    return 0;
}

void preview_result_finish(struct preview_result *r)
{
    free(r->text);
    *r = (struct preview_result){0};
}
