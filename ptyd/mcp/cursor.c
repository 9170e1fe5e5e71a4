/* Cursors: who has one can but give it back. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"

char *cursor_make(const char *kind, const char *place)
{
    struct bytes out = {0};
    char *text = text_format("%s/%s", kind, place);
    base64_encode(text, strlen(text), &out);
    free(text);
    return out.data;
}

bool cursor_read(const char *kind, const char *cursor, char **ret_place)
{
    struct bytes text = {0};
    size_t len = strlen(kind);
    bool right = base64_decode(cursor, strlen(cursor), &text) == 0 && text.len > len &&
                 !memcmp(text.data, kind, len) && text.data[len] == '/' &&
                 !memchr(text.data, '\0', text.len);
    if (right)
        *ret_place = text_format("%.*s", (int)(text.len - len - 1), text.data + len + 1);
    bytes_finish(&text);
    return right;
}
