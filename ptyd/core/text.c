#define _GNU_SOURCE
#include "ptyd/core/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/utf8.h"

char *text_clean(const char *bytes, size_t len, size_t limit)
{
    char *text = memory_new(3 * (len < limit ? len : limit) + 5);
    size_t used = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        int step = utf8_decode(bytes + i, len - i, &code);
        char form[4];
        size_t n = utf8_encode(step > 0 ? code : 0xfffd, form);
        i += step > 0 ? (size_t)step : 1;
        if (used + n > limit)
            break;
        if (step > 0 && code == 0)
            continue;
        memcpy(text + used, form, n);
        used += n;
    }
    text[used] = '\0';
    return text;
}

char *text_copy(const char *text)
{
    char *copy = strdup(text ? text : "");
    if (!copy)
        memory_end();
    return copy;
}

char *text_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0)
        memory_end();
    return text;
}

bool text_is_name(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > LIMIT_NAME_BYTES || !isalnum((unsigned char)text[0]))
        return false;
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == len;
}

bool text_parse_number(const char *text, long low, long high, long *ret_number)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    long number = strtol(text, &end, 10);
    if (*end || number < low || number > high)
        return false;
    *ret_number = number;
    return true;
}

bool text_parse_bytes(const char *text, int64_t most, int64_t *ret_bytes)
{
    static const char units[] = "KMGT";
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    long long bytes = strtoll(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (errno || (*end && (!unit || end[1])))
        return false;
    for (const char *at = units; unit && at <= unit; at++) {
        if (bytes > most / 1024)
            return false;
        bytes *= 1024;
    }
    if (bytes > most)
        return false;
    *ret_bytes = bytes;
    return true;
}

bool text_parse_size(const char *text, int *ret_cols, int *ret_rows)
{
    int cols, rows, used = 0;
    if (sscanf(text, "%7dx%7d%n", &cols, &rows, &used) != 2 || text[used] || cols < 0 || rows < 0)
        return false;
    *ret_cols = cols;
    *ret_rows = rows;
    return true;
}

/* Within single quotes a backslash is itself to POSIX, and escapes to fish: it stands outside. */
char *text_shell_quote(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "@%+=:,./-_";
    if (*text && strspn(text, plain) == strlen(text))
        return text_copy(text);
    struct bytes quoted = {0};
    bytes_append_char(&quoted, '\'');
    for (; *text; text++)
        if (*text == '\'' || *text == '\\')
            bytes_printf(&quoted, "'\\%c'", *text);
        else
            bytes_append_char(&quoted, *text);
    bytes_append_char(&quoted, '\'');
    if (quoted.failed)
        memory_end();
    return quoted.data;
}

static bool same(char one, char other)
{
    return tolower((unsigned char)one) == tolower((unsigned char)other);
}

/* How many letters have to be changed, put in, taken out or swapped with their neighbour to make
 * one name of the other, whatever their case: optimal string alignment, three rows at a time. */
static size_t distance_of(const char *one, const char *other)
{
    enum { MOST = 64 };
    size_t rows[3][MOST + 1], width = strnlen(other, MOST), height = strnlen(one, MOST);
    for (size_t k = 0; k <= width; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= width; k++) {
            size_t least = above[k - 1] + !same(one[i - 1], other[k - 1]);
            least = above[k] + 1 < least ? above[k] + 1 : least;
            least = row[k - 1] + 1 < least ? row[k - 1] + 1 : least;
            if (i > 1 && k > 1 && same(one[i - 1], other[k - 2]) &&
                same(one[i - 2], other[k - 1]) && before[k - 2] + 1 < least)
                least = before[k - 2] + 1;
            row[k] = least;
        }
    }
    return rows[height % 3][width];
}

struct text_nearest text_nearest_begin(const char *to)
{
    return (struct text_nearest){.to = to, .least = 2 + strlen(to) / 5};
}

void text_nearest_offer(struct text_nearest *nearest, const char *name)
{
    size_t distance = distance_of(nearest->to, name);
    size_t len = strlen(name) > strlen(nearest->to) ? strlen(name) : strlen(nearest->to);
    if (distance >= nearest->least || 3 * distance > len)
        return;
    nearest->found = name;
    nearest->least = distance;
}
