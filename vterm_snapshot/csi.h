/* csi.h - a control sequence (`ESC [ ... final`) as values: read here once, and nowhere else.
 *
 * Values are clamped while they are read, and there are never more than libvterm survives: of a
 * longer SGR, SM or RM the rest is another sequence, begun at a whole group of values; any other is
 * cut. Nearly all sequences are short: those are read eight bytes at a time.
 */
#ifndef VTERM_SNAPSHOT_CSI_H
#define VTERM_SNAPSHOT_CSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"
#include "base/limits.h"

#define CSI_ABSENT UINT16_MAX /* a value that was left out */
#define CSI_SHORT  8          /* bytes looked at at once: parameters and final fit in */

struct csi {
    char leader;    /* one of < = > ? or 0 */
    char inter[2];  /* intermediates (0x20 to 0x2f), 0 for none */
    char final;     /* 0x40 to 0x7e; 0 for what is no sequence: it means nothing */
    uint8_t count;  /* values, at least 1; 0 where none of them means anything */
    uint16_t more;  /* where in the body the rest begins; 0 for none */
    uint32_t sub;   /* bit i: value i belongs to the one before (`:`) */
    uint64_t brief; /* a short one's parameters in one word; 0 for a long one */
    uint16_t value[LIMIT_CSI_PARAMS]; /* at most LIMIT_CSI_VALUE, or CSI_ABSENT */
};

/* As csi_read(), for any that is there. `from`: `more` of the one before, or 0. */
size_t csi_read_long(const char *body, size_t len, size_t from, struct csi *ret_csi);

/* The number of at most four digits in the places [from, to) of a word. */
static inline uint16_t csi_short_value(uint64_t digits, unsigned from, unsigned to)
{
    uint64_t last_on_top = digits << 8 * (7 - to) << 8;
    uint32_t four = (uint32_t)(last_on_top >> 32) & (uint32_t)(~0ull << 8 * (4 - (to - from)));
    uint32_t pairs = (four * 10 + (four >> 8)) & 0x00ff00ff;
    return to == from ? CSI_ABSENT : (uint16_t)((pairs & 0xff) * 100 + (pairs >> 16));
}

/* Reads the sequence at `body`, behind `ESC [`. Returns its length, final included; 0 where it is
 * not there whole, or is interrupted by a control. */
static inline size_t csi_read(const char *body, size_t len, struct csi *ret_csi)
{
    if (len < CSI_SHORT)
        return csi_read_long(body, len, 0, ret_csi);
    /* Bytes are the places of a word, the first the lowest. Where it ends is found first, by one
     * bit: what comes behind the sequence need not wait for the rest. */
    uint64_t eight = ascii_load(body), letters = eight & ASCII_ONES * 0x40;
    if (!letters)
        return csi_read_long(body, len, 0, ret_csi);
    unsigned end = (unsigned)ascii_before(letters);
    uint64_t mine = (1ull << 8 * end) - 1;      /* what belongs to the parameters */
    uint64_t digits = eight ^ ASCII_ONES * '0'; /* a digit is its value */
    /* the high bit of each that is no digit, then of those that are no semicolon either */
    uint64_t other = (((digits & ~ASCII_HIGH) + ASCII_ONES * (0x80 - 10)) | digits) & ASCII_HIGH;
    uint64_t strange = digits ^ ASCII_ONES * (';' ^ '0');
    strange = (((strange & ~ASCII_HIGH) + ASCII_ONES * 0x7f) | strange) & other;
    unsigned char last = (unsigned char)(eight >> 8 * end);
    if ((strange & mine) || last > 0x7e)
        return csi_read_long(body, len, 0, ret_csi);
    unsigned count = 0, from = 0, to;
    do {
        to = from + (unsigned)ascii_before(other >> 8 * from);
        if (to - from > 4)
            return csi_read_long(body, len, 0, ret_csi);
        ret_csi->value[count++] = csi_short_value(digits, from, to);
        from = to + 1;
    } while (to < end);
    ret_csi->leader = ret_csi->inter[0] = ret_csi->inter[1] = 0;
    ret_csi->final = (char)last;
    ret_csi->count = (uint8_t)count;
    ret_csi->more = 0;
    ret_csi->sub = 0;
    ret_csi->brief = (digits & mine) | (uint64_t)(end + 1) << 56;
    return end + 1;
}

/* The final of one that is made of numbers and semicolons alone, else 0. */
static inline char csi_plain(const struct csi *csi)
{
    return csi->leader || csi->inter[0] || csi->sub ? 0 : csi->final;
}

/* Its i-th value, `fallback` where it is left out. */
static inline int csi_value(const struct csi *csi, int i, int fallback)
{
    return i < csi->count && csi->value[i] != CSI_ABSENT ? csi->value[i] : fallback;
}

/* The values of the group that begins at value `at`: a value with those that belong to it, and in
 * SGR an extended colour (38, 48, 58), which owns the values behind it: ITU-T T.416 as xterm reads
 * it. `ret_missing`: not all that such a colour needs are there. */
int csi_group(const struct csi *csi, int at, bool *ret_missing);

/* Whether it selects graphics (SGR); xterm's modifyOtherKeys, which ends alike, does not. */
static inline bool csi_is_sgr(const struct csi *csi)
{
    return csi->final == 'm' && !csi->leader && !csi->inter[0];
}

/* Whether it sets a tab stop in every eighth column and nowhere else (DECST8C). */
static inline bool csi_resets_tabs(const struct csi *csi)
{
    return csi->final == 'W' && csi->leader == '?' && !csi->inter[0] && csi_value(csi, 0, 0) == 5;
}

#define CSI_TEXT 128 /* bytes that csi_print() needs at most */

/* Writes it as libvterm survives it to `out`; returns the length, 0 for what must not reach it. SGR
 * does not: pens are not its business. */
size_t csi_print(const struct csi *csi, char *out);

#endif
