#include "ptyd/search/fold.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

#define ONES UINT64_C(0x0101010101010101)

/* Eight bytes at once, the ASCII ones among them: both sums carry into a byte's high bit from its
 * own value alone. */
static uint64_t fold_ascii(uint64_t word)
{
    uint64_t low = word & 0x7f * ONES;
    uint64_t above_z = low + (0x7f - 'Z') * ONES, from_a = low + (0x80 - 'A') * ONES;
    uint64_t capital = ~word & (above_z ^ from_a) & 0x80 * ONES;
    return word | capital >> 2;
}

/* Those of two bytes, whose small letters have two. */
static uint32_t small(uint32_t c)
{
    if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3ab && c != 0x3a2) ||
        (c >= 0x410 && c <= 0x42f))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40f)
        return c + 0x50;
    if (c >= 0x531 && c <= 0x556)
        return c + 0x30;
    bool even_capital = (c >= 0x100 && c <= 0x12f) || (c >= 0x132 && c <= 0x137) ||
                        (c >= 0x14a && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
                        (c >= 0x48a && c <= 0x4bf) || (c >= 0x4d0 && c <= 0x52f);
    bool odd_capital =
        (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e) || (c >= 0x4c1 && c <= 0x4ce);
    if (even_capital)
        return c | 1;
    return odd_capital ? c + (c & 1) : c;
}

static void fold_others(char *text, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        unsigned char lead = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        if (lead < 0xc3 || lead > 0xd5 || (next & 0xc0) != 0x80)
            continue;
        uint32_t code = small((lead & 0x1fu) << 6 | (next & 0x3fu));
        utf8_encode(code, text + i);
        i++;
    }
}

void fold_text(char *text, size_t len)
{
    uint64_t high = 0;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        high |= word;
        word = fold_ascii(word);
        memcpy(text + i, &word, 8);
    }
    for (; i < len; i++) {
        high |= (unsigned char)text[i];
        text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    }
    if (high & 0x80 * ONES)
        fold_others(text, len);
}

bool fold_changes(const char *text, size_t len)
{
    struct bytes copy = {0};
    bytes_append(&copy, text, len);
    if (copy.data)
        fold_text(copy.data, len);
    bool changes = copy.data && memcmp(copy.data, text, len) != 0;
    bytes_finish(&copy);
    return changes;
}
