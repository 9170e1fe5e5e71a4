#include "ptyd/core/base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const char *bytes, size_t len, struct bytes *out)
{
    const unsigned char *b = (const unsigned char *)bytes;
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t v =
            (uint32_t)b[i] << 16 | (n > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (n > 2 ? b[i + 2] : 0u);
        char four[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63],
                        n > 1 ? alphabet[v >> 6 & 63] : '=', n > 2 ? alphabet[v & 63] : '='};
        bytes_append(out, four, 4);
    }
}

static int value_of(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

int base64_decode(const char *text, size_t len, struct bytes *out)
{
    if (len % 4)
        return -1;
    for (size_t i = 0; i < len; i += 4) {
        int padding = i + 4 == len ? (text[i + 3] == '=') + (text[i + 2] == '=') : 0;
        uint32_t v = 0;
        for (int k = 0; k < 4; k++) {
            int digit = k >= 4 - padding ? 0 : value_of(text[i + (size_t)k]);
            if (digit < 0)
                return -1;
            v = v << 6 | (uint32_t)digit;
        }
        char three[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};
        bytes_append(out, three, 3 - (size_t)padding);
    }
    return 0;
}
