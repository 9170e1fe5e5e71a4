/* csi_short.h - the parameters of a short sequence, as nearly all are: eight bytes at a time, with
 * no branch for each.
 *
 * Every pass over a stream of drawing sequences reads them this way: the guard, which looks for
 * what must not pass, and those that draw.
 */
#ifndef VTERM_SNAPSHOT_CSI_SHORT_H
#define VTERM_SNAPSHOT_CSI_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"

#define CSI_SHORT 8 /* bytes looked at: parameters and final fit in */

/* Bytes are the places of a word, the first the lowest. */
struct csi_short {
    uint64_t values; /* bytes less '0': a digit is its value */
    uint64_t other;  /* the high bit of each that is no digit */
    unsigned len;    /* of the parameters: digits and semicolons */
};

/* The bytes of `eight` that are not 0: their high bit. */
static inline uint64_t csi_other_than_0(uint64_t eight)
{
    return (((eight & ~ASCII_HIGH) + ASCII_ONES * 0x7f) | eight) & ASCII_HIGH;
}

/* What belongs to the parameters. */
static inline uint64_t csi_short_mine(const struct csi_short *s)
{
    return (1ull << 8 * s->len) - 1;
}

/* Reads the CSI_SHORT bytes behind `ESC [`. False where they hold no final, or something else in
 * front of it. Where it ends is found first, by one bit: what comes behind the sequence need not
 * wait for the rest. */
static inline bool csi_short_read(const char *bytes, struct csi_short *s)
{
    uint64_t eight = ascii_load(bytes), letters = eight & ASCII_ONES * 0x40;
    if (!letters)
        return false;
    s->len = (unsigned)ascii_before(letters);
    s->values = eight ^ ASCII_ONES * '0';
    s->other = (((s->values & ~ASCII_HIGH) + ASCII_ONES * (0x80 - 10)) | s->values) & ASCII_HIGH;
    uint64_t neither = s->other & csi_other_than_0(s->values ^ ASCII_ONES * (';' ^ '0'));
    return !(neither & csi_short_mine(s));
}

/* The byte behind the parameters: from 0x40 up, perhaps above 0x7e. */
static inline unsigned char csi_short_final(const struct csi_short *s)
{
    return (unsigned char)((s->values >> 8 * s->len & 0xff) ^ '0');
}

/* Whether a number has five digits or more. */
static inline bool csi_short_has_long(const struct csi_short *s)
{
    uint64_t digit = ~s->other & ASCII_HIGH & csi_short_mine(s);
    return s->len > 4 && (digit & digit << 8 & digit << 16 & digit << 24 & digit << 32);
}

/* Whether an 8 is among the digits, as in 38, 48 and 58. */
static inline bool csi_short_has_8(const struct csi_short *s)
{
    return ~csi_other_than_0(s->values ^ ASCII_ONES * 8) & ASCII_HIGH & csi_short_mine(s);
}

/* Whether it passes as it is: csi_plain_length() in short, but for the final. */
static inline bool csi_short_is_plain(const struct csi_short *s)
{
    return !csi_short_has_long(s) && (csi_short_final(s) != 'm' || !csi_short_has_8(s));
}

/* Where the number that begins at `from` ends: at a semicolon, or `len`. */
static inline unsigned csi_short_end(const struct csi_short *s, unsigned from)
{
    return from + (unsigned)ascii_before(s->other >> 8 * from);
}

/* The number in [from, to), at most four digits of it; 0 for none. */
static inline int csi_short_number(const struct csi_short *s, unsigned from, unsigned to)
{
    uint64_t last_on_top = s->values << 8 * (7 - to) << 8;
    uint32_t four = (uint32_t)(last_on_top >> 32) & (uint32_t)(~0ull << 8 * (4 - (to - from)));
    uint32_t pairs = (four * 10 + (four >> 8)) & 0x00ff00ff;
    return (int)((pairs & 0xff) * 100 + (pairs >> 16));
}

#endif
