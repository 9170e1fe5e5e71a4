/* ascii.h - runs of ASCII, eight bytes at a time, as nearly all text is. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ASCII_ONES 0x0101010101010101ull
#define ASCII_HIGH 0x8080808080808080ull

/* Eight bytes, the first in the lowest place. */
static inline uint64_t ascii_load(const char *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

/* How many bytes come before the first whose high bit is set in `marked`, which is not 0. */
static inline size_t ascii_before(uint64_t marked)
{
    return (size_t)__builtin_ctzll(marked) / 8;
}

/* How many bytes from the start are below 0x80. */
static inline size_t ascii_run(const char *bytes, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t above = ascii_load(bytes + i) & ASCII_HIGH;
        if (above)
            return i + ascii_before(above);
    }
    while (i < len && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* How many are printable: from 0x20 to 0x7e. */
static inline size_t ascii_printable_run(const char *bytes, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t eight = ascii_load(bytes + i);
        uint64_t below = (eight - ASCII_ONES * 0x20) & ~eight; /* the first one is under 0x20 */
        uint64_t above = eight + ASCII_ONES;                   /* ... is 0x7f, or not ASCII */
        uint64_t other = (eight | below | above) & ASCII_HIGH;
        if (other)
            return i + ascii_before(other);
    }
    while (i < len && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x7f)
        i++;
    return i;
}

#endif
