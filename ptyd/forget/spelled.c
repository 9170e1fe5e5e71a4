#include "ptyd/forget/spelled.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/blot.h"

#define DEPTH_MOST 3 /* a message, the entry in it, what a program printed there */

/* One character of a text at a depth: in how many bytes it is said, and which ones it is. */
struct unit {
    size_t said, len;
    char bytes[4];
};

static bool read_unit(const char *at, size_t len, int depth, struct unit *ret_unit);

/* Four digits, each a character of the depth above. */
static bool read_digits(const char *at, size_t len, int depth, size_t *used, uint32_t *ret_code)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    *ret_code = 0;
    for (int i = 0; i < 4; i++) {
        struct unit unit;
        const char *digit = NULL;
        if (read_unit(at + *used, len - *used, depth, &unit) && unit.len == 1)
            digit = memchr(digits, unit.bytes[0], sizeof digits - 1);
        if (!digit)
            return false;
        *ret_code = *ret_code << 4 | (uint32_t)((digit - digits) % 16);
        *used += unit.said;
    }
    return true;
}

static bool is_half(uint32_t code, uint32_t first)
{
    return code >= first && code < first + 0x400;
}

/* Behind `\u`; two of them where one is half a character. */
static bool read_code(const char *at, size_t len, int depth, struct unit *unit)
{
    uint32_t code, low;
    struct unit slash, u;
    size_t used = unit->said;
    if (!read_digits(at, len, depth, &used, &code))
        return false;
    if (is_half(code, 0xd800)) {
        if (!read_unit(at + used, len - used, depth, &slash) || slash.bytes[0] != '\\' ||
            !read_unit(at + used + slash.said, len - used - slash.said, depth, &u) ||
            u.bytes[0] != 'u')
            return false;
        used += slash.said + u.said;
        if (!read_digits(at, len, depth, &used, &low) || !is_half(low, 0xdc00))
            return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    unit->said = used;
    unit->len = utf8_encode(code, unit->bytes);
    return true;
}

/* What a backslash and the character behind it say. */
static bool read_escape(const char *at, size_t len, int depth, struct unit *unit)
{
    static const char names[] = "\"\\/bfnrt", are[] = "\"\\/\b\f\n\r\t";
    struct unit next;
    if (!read_unit(at + unit->said, len - unit->said, depth, &next) || next.len != 1)
        return false;
    unit->said += next.said;
    if (next.bytes[0] == 'u')
        return read_code(at, len, depth, unit);
    const char *name = memchr(names, next.bytes[0], sizeof names - 1);
    if (name)
        unit->bytes[0] = are[name - names];
    return name;
}

/* Not deeper than DEPTH_MOST. */
static bool read_unit(const char *at, size_t len, int depth, struct unit *ret_unit)
{
    if (depth == 0) {
        *ret_unit = (struct unit){.said = 1, .len = 1, .bytes = {len ? *at : '\0'}};
        return len;
    }
    if (!read_unit(at, len, depth - 1, ret_unit))
        return false;
    bool escapes = ret_unit->len == 1 && ret_unit->bytes[0] == '\\';
    return !escapes || read_escape(at, len, depth - 1, ret_unit);
}

/* How many bytes say the text there; 0 where they say another one. */
static size_t says(const char *at, size_t len, int depth, const char *text)
{
    size_t used = 0, left = strlen(text);
    while (left) {
        struct unit unit;
        if (!read_unit(at + used, len - used, depth, &unit) || unit.len > left ||
            memcmp(unit.bytes, text, unit.len) != 0)
            return 0;
        used += unit.said;
        text += unit.len;
        left -= unit.len;
    }
    return used;
}

char *spelled_find(const char *bytes, size_t len, const char *text, size_t *ret_len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != text[0] && bytes[i] != '\\')
            continue;
        for (int depth = 0; depth <= DEPTH_MOST; depth++)
            if ((*ret_len = says(bytes + i, len - i, depth, text)))
                return (char *)bytes + i;
    }
    return NULL;
}

size_t spelled_cover(char *bytes, size_t len, const char *text)
{
    char *end = bytes + len, *at = bytes;
    size_t count = 0, said;
    while ((at = spelled_find(at, (size_t)(end - at), text, &said))) {
        char *spelling = memory_new(said + 1);
        memcpy(spelling, at, said);
        count += blot_text(at, said, spelling);
        at += said;
        free(spelling);
    }
    return count;
}
