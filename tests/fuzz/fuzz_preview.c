/* The preview of a text that comes in pieces is what the definition says of the whole text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "vterm_snapshot/preview.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Valid UTF-8 without trailing blank lines, as a terminal renders it; small inputs are repeated, so
 * that they reach the bounds. */
static void make_text(const uint8_t *data, size_t size, struct bytes *out)
{
    unsigned repeats = size ? 1u << (data[0] % 9) : 0;
    for (unsigned r = 0; r < repeats; r++)
        for (size_t i = 1; i < size;) {
            uint32_t code;
            int step = utf8_decode((const char *)data + i, size - i, &code);
            bytes_append(out, step > 0 ? (const char *)data + i : "?", step > 0 ? (size_t)step : 1);
            i += step > 0 ? (size_t)step : 1;
        }
    while (out->len && (out->data[out->len - 1] == '\n' || !out->data[out->len - 1]))
        out->len--;
}

static void append_in_pieces(struct preview *p, const struct bytes *text, unsigned cut)
{
    for (size_t at = 0; at < text->len;) {
        size_t end = utf8_ceil(text->data, text->len, at + 1 + cut % 700);
        preview_append(p, text->data + at, end - at);
        at = end;
        cut = cut * 1103515245u + 12345u;
    }
}

/* Where the last lines begin that fit; every line counts its end. */
static size_t expected_start(const struct bytes *text, size_t *ret_lines)
{
    size_t start = text->len;
    *ret_lines = 0;
    while (start > 0 && *ret_lines < LIMIT_PREVIEW_LINES) {
        size_t from = start - (start < text->len);
        while (from > 0 && text->data[from - 1] != '\n')
            from--;
        if (text->len - from + 1 > LIMIT_PREVIEW_BYTES)
            break;
        start = from;
        ++*ret_lines;
    }
    return start;
}

static void check(const struct bytes *text, const struct preview_result *r)
{
    size_t lines, start = expected_start(text, &lines);
    if (r->len > LIMIT_PREVIEW_BYTES || r->lines > LIMIT_PREVIEW_LINES)
        abort();
    if (text->len && !r->len)
        abort(); /* never an empty preview */
    if (!lines)
        return; /* one long line: its end behind an ellipsis */
    if (r->len != text->len - start + 1 || memcmp(r->text, text->data + start, r->len - 1) != 0 ||
        r->truncated != (start > 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = {0};
    struct preview preview = {0};
    struct preview_result result;
    make_text(data, size, &text);
    append_in_pieces(&preview, &text, size ? data[size - 1] : 0);
    if (preview_finish(&preview, LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES, &result) == 0) {
        check(&text, &result);
        preview_result_finish(&result);
    }
    bytes_finish(&text);
    return 0;
}
