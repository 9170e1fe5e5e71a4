#define _GNU_SOURCE
#include "ptyd/command/columns.h"

#include <locale.h>
#include <stdint.h>
#include <wchar.h>

#include "base/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* The C library's table of widths is the locale's; of those that there always are one knows all
 * characters. */
static size_t width_of(uint32_t code)
{
    static locale_t table;
    if (code < 0x80)
        return 1;
    if (!table)
        table = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = table ? uselocale(table) : (locale_t)0;
    int width = wcwidth((wchar_t)code);
    if (before)
        uselocale(before);
    return width >= 0 ? (size_t)width : 1;
}

/* The character at the head; returns its bytes. */
static size_t step(const char *text, size_t len, size_t *ret_width)
{
    uint32_t code = 0;
    int bytes = utf8_decode(text, len, &code);
    *ret_width = bytes > 0 ? width_of(code) : 1;
    return bytes > 0 ? (size_t)bytes : 1;
}

size_t columns_count(const char *text, size_t len)
{
    size_t count = 0, width;
    for (size_t at = 0; at < len; count += width)
        at += step(text + at, len - at, &width);
    return count;
}

/* The bytes in front that take at most `most` columns, with the marks that join the last. */
static size_t head_of(const char *text, size_t len, size_t most)
{
    size_t at = 0, used = 0, width;
    while (at < len) {
        size_t bytes = step(text + at, len - at, &width);
        if (used + width > most)
            break;
        used += width;
        at += bytes;
    }
    return at;
}

/* Where the bytes begin behind which at most `most` columns are left. */
static size_t tail_of(const char *text, size_t len, size_t most)
{
    size_t count = columns_count(text, len), at = 0, width;
    while (at < len && count > most) {
        at += step(text + at, len - at, &width);
        count -= width;
    }
    while (at < len) { /* a mark without its character */
        size_t bytes = step(text + at, len - at, &width);
        if (width)
            break;
        at += bytes;
    }
    return at;
}

static void pad(size_t used, size_t width, struct bytes *out)
{
    for (; used < width; used++)
        bytes_append_char(out, ' ');
}

void columns_fit(const char *text, size_t len, size_t width, enum columns_cut cut,
                 struct bytes *out)
{
    size_t count = columns_count(text, len);
    if (count <= width) {
        bytes_append(out, text, len);
        pad(count, width, out);
        return;
    }
    size_t most = width ? width - 1 : 0;
    size_t from = cut == COLUMNS_CUT_BEGIN ? tail_of(text, len, most) : 0;
    size_t to = cut == COLUMNS_CUT_END ? head_of(text, len, most) : len;
    bytes_append_text(out, width && cut == COLUMNS_CUT_BEGIN ? ELLIPSIS : "");
    bytes_append(out, text + from, to - from);
    bytes_append_text(out, width && cut == COLUMNS_CUT_END ? ELLIPSIS : "");
    pad(columns_count(text + from, to - from) + 1, width, out);
}
