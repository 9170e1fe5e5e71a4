#include "ptyd/core/echo.h"

#include <string.h>

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != 0x7f;
}

size_t echo_end(const char *keys, size_t len, char ret_end[ECHO_BYTES])
{
    size_t from = len;
    while (from && len - from < ECHO_BYTES - 2 && is_plain(keys[from - 1]))
        from--;
    memcpy(ret_end, keys + from, len - from);
    memcpy(ret_end + (len - from), "\r\n", 2);
    return len - from + 2;
}

/* How much of `end` stands at the end of its own first `matched` bytes and `byte`. */
static size_t step(const char *end, size_t matched, char byte)
{
    while (matched && end[matched] != byte) {
        size_t shorter = matched - 1;
        while (shorter && memcmp(end, end + matched - shorter, shorter) != 0)
            shorter--;
        matched = shorter;
    }
    return matched + (end[matched] == byte);
}

size_t echo_find(const char *end, size_t end_len, size_t *matched, const char *bytes, size_t len)
{
    size_t i = 0, found = *matched < end_len ? *matched : 0;
    while (i < len && found < end_len) {
        if (!found) { /* the common case, in a flood */
            const char *next = memchr(bytes + i, end[0], len - i);
            i = next ? (size_t)(next - bytes) : len;
        }
        if (i < len)
            found = step(end, found, bytes[i++]);
    }
    *matched = found < end_len ? found : 0;
    return found == end_len ? i : 0;
}
