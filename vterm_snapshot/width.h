/* width.h - how many columns a character takes, by Unicode's own tables (unicode_table.h): the same
 * with every version of libvterm and of the C library.
 *
 * Where those leave room it is what xterm and wcwidth(3) make of it: marks of all scripts take
 * none, nor do format characters (General_Category Mn, Me, Cf) but for the soft hyphen and the
 * signs that stand in front of digits (U+0600); vowels and finals of Hangul join the syllable's
 * first letter; what is wide or fullwidth in East Asia takes two; U+3248 to U+324F, which Unicode
 * calls ambiguous, too. A variation selector changes nothing, and a flag's two letters take one
 * each: only under mode 2027 is a cluster measured as a whole (grapheme.h).
 */
#ifndef VTERM_SNAPSHOT_WIDTH_H
#define VTERM_SNAPSHOT_WIDTH_H

#include <stdint.h>

enum width {
    WIDTH_MARK, /* it joins the character before it */
    WIDTH_ONE,
    WIDTH_TWO,
};

/* Of each code point a byte: columns, 4 where U+FE0F makes an emoji of it, and its part in a
 * cluster times 8 (grapheme.c). */
#define WIDTH_CODES 0x110000
#define WIDTH_BLOCK 128
extern const uint8_t width_index[WIDTH_CODES / WIDTH_BLOCK];
extern const uint8_t width_blocks[][WIDTH_BLOCK];

static inline uint8_t width_entry(uint32_t code)
{
    code = code < WIDTH_CODES ? code : 0xfffd;
    return width_blocks[width_index[code / WIDTH_BLOCK]][code % WIDTH_BLOCK];
}

/* `code` is no control. */
static inline enum width width_of(uint32_t code)
{
    return code < 0x300 ? WIDTH_ONE : (enum width)(width_entry(code) & 3);
}

#endif
