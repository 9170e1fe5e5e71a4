/* ascii.h - runs of ASCII, eight bytes at a time, as nearly all text is. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many bytes from the start are below 0x80. */
static inline size_t ascii_run(const char *bytes, size_t len)
{
    size_t i = 0;
    for (uint64_t eight; i + 8 <= len; i += 8) {
        memcpy(&eight, bytes + i, 8);
        if (eight & 0x8080808080808080ull)
            break;
    }
    while (i < len && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* How many are printable: from 0x20 to 0x7e. */
static inline size_t ascii_printable_run(const char *bytes, size_t len)
{
    const uint64_t ones = 0x0101010101010101ull, high = 0x8080808080808080ull;
    size_t i = 0;
    for (uint64_t eight; i + 8 <= len; i += 8) {
        memcpy(&eight, bytes + i, 8);
        uint64_t below = (eight - ones * 0x20) & ~eight; /* the high bit of a byte under 0x20 */
        uint64_t above = eight + ones;                   /* of 0x7f, and of what is not ASCII */
        if ((eight | below | above) & high)
            break;
    }
    while (i < len && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x7f)
        i++;
    return i;
}

#endif
