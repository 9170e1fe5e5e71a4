#include "utf8.h"

#include <string.h>

static bool continues(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* RFC 3629: the second byte's range depends on the first (overlong forms, surrogates, the end). */
static bool second_byte_fits(unsigned char lead, unsigned char second)
{
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

int utf8_decode_any(const char *bytes, size_t len, uint32_t *ret_code)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (b[0] < 0x80) {
        *ret_code = b[0];
        return 1;
    }
    if (b[0] < 0xc2 || b[0] > 0xf4)
        return -1;
    if (len < 2)
        return 0;
    if (!second_byte_fits(b[0], b[1]))
        return -1;
    if (b[0] < 0xe0) {
        *ret_code = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
        return 2;
    }
    if (len < 3)
        return 0;
    if (!continues(b[2]))
        return -1;
    if (b[0] < 0xf0) {
        *ret_code = (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
        return 3;
    }
    if (len < 4)
        return 0;
    if (!continues(b[3]))
        return -1;
    *ret_code = (b[0] & 7u) << 18 | (b[1] & 0x3fu) << 12 | (b[2] & 0x3fu) << 6 | (b[3] & 0x3fu);
    return 4;
}

size_t utf8_encode(uint32_t code, char *out)
{
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        code = 0xfffd;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

size_t utf8_bad_length(const char *bytes, size_t len)
{
    uint32_t code;
    for (size_t n = len < 3 ? len : 3; n > 1; n--)
        if (utf8_decode(bytes, n, &code) == 0)
            return n;
    return 1;
}

size_t utf8_incomplete_tail(const char *bytes, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char lead = (unsigned char)bytes[len - back];
        if ((lead & 0xc0) == 0x80)
            continue;
        uint32_t code;
        return lead >= 0xc0 && utf8_decode(bytes + len - back, back, &code) == 0 ? back : 0;
    }
    return 0;
}

size_t utf8_floor(const char *bytes, size_t len, size_t limit)
{
    if (limit >= len)
        return len;
    while (limit > 0 && ((unsigned char)bytes[limit] & 0xc0) == 0x80)
        limit--;
    return limit;
}

size_t utf8_ceil(const char *bytes, size_t len, size_t from)
{
    while (from < len && ((unsigned char)bytes[from] & 0xc0) == 0x80)
        from++;
    return from < len ? from : len;
}

bool utf8_valid(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint32_t code;
        uint64_t eight;
        if (len - i >= sizeof eight) { /* ASCII, mostly */
            memcpy(&eight, bytes + i, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                i += sizeof eight;
                continue;
            }
        }
        int step = utf8_decode(bytes + i, len - i, &code);
        if (step <= 0)
            return false;
        i += (size_t)step;
    }
    return true;
}

/* From U+0080 on: C1; Default_Ignorable_Code_Point of DerivedCoreProperties.txt, which takes in the
 * bidi controls; line and paragraph separators, and what encloses annotations. */
bool utf8_hidden(uint32_t c)
{
    static const struct range {
        uint32_t first, last;
    } ranges[] = {
        {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},   {0x61c, 0x61c},
        {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f}, {0x200b, 0x200f},
        {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    if (c < 0x80)
        return c < 0x20 || c == 0x7f;
    size_t i = 0;
    while (i < sizeof ranges / sizeof *ranges && ranges[i].last < c)
        i++;
    return i < sizeof ranges / sizeof *ranges && ranges[i].first <= c;
}

bool utf8_modifies(uint32_t c)
{
    return c == 0x34f || (c >= 0x17b4 && c <= 0x17b5) || (c >= 0x180b && c <= 0x180d) ||
           c == 0x180f || (c >= 0xfe00 && c <= 0xfe0f);
}
