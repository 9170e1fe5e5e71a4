/* utf8.h - the one UTF-8 walker. Strict: no surrogates, no overlong forms (RFC 3629). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `bytes` (`len` > 0). Returns its length in bytes (1 to 4) with the
 * code point in *ret_code; 0 when the bytes end inside a character that is right so far; -1 for
 * a byte that starts nothing valid (skip one byte and go on). */
static inline int utf8_decode(const char *bytes, size_t len, uint32_t *ret_code);
int utf8_decode_any(const char *bytes, size_t len, uint32_t *ret_code); /* the same, not inline */

/* Writes `code` to `out` (room for 4 bytes) and returns the length; an invalid code point is
 * written as U+FFFD. */
size_t utf8_encode(uint32_t code, char *out);

/* How many bytes one U+FFFD stands for where utf8_decode() does not return a character: the longest
 * piece that is right so far, at least one (Unicode 15, section 3.9, maximal subparts). */
size_t utf8_bad_length(const char *bytes, size_t len);

/* How many bytes at the end of `bytes` begin a character that is not complete (0 to 3). */
size_t utf8_incomplete_tail(const char *bytes, size_t len);

/* The largest n <= `limit` such that the first n bytes do not end inside a character. `bytes`
 * is valid UTF-8 of `len` bytes. */
size_t utf8_floor(const char *bytes, size_t len, size_t limit);

/* The smallest n >= `from` at which a character starts, at most `len`. */
size_t utf8_ceil(const char *bytes, size_t len, size_t from);

/* Whether all of it is valid. */
bool utf8_valid(const char *bytes, size_t len);

/* Whether a character shows nothing and may deceive or carry what nobody sees: C0, DEL, C1, line
 * and paragraph separators, bidi controls, and all else that Unicode has readers ignore by default,
 * as zero-width characters, joiners, tag characters, variation selectors. */
bool utf8_hidden(uint32_t code);

/* Whether it is one of these that only says how the character in front of it is drawn, as the
 * variation selectors of emoji do: people are shown them, models are not. */
bool utf8_modifies(uint32_t code);

/* The common forms of two and three bytes, here so that walking over them is no call. */
static inline int utf8_decode(const char *bytes, size_t len, uint32_t *ret_code)
{
    uint32_t lead = (unsigned char)bytes[0];
    if (len < 3 || lead < 0xc2 || lead >= 0xf0)
        return utf8_decode_any(bytes, len, ret_code);
    uint32_t second = (unsigned char)bytes[1] ^ 0x80u, third = (unsigned char)bytes[2] ^ 0x80u;
    uint32_t code = (lead & 0xf) << 12 | second << 6 | third;
    if (lead < 0xe0 && second < 0x40) {
        *ret_code = (lead & 0x1f) << 6 | second;
        return 2;
    }
    if (lead < 0xe0 || (second | third) >= 0x40 || code < 0x800 || (code >> 11) == 0xd800 >> 11)
        return utf8_decode_any(bytes, len, ret_code);
    *ret_code = code;
    return 3;
}

#endif
