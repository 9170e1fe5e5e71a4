#include "ptyd/core/detach_key.h"

#include <string.h>

bool detach_key_parse(const char *text, char *ret_prefix, char *ret_leave)
{
    bool none = !strcmp(text, "none");
    bool given = strlen(text) == 5 && text[0] == 'C' && text[1] == '-' && text[3] == ' ';
    bool with_ctrl =
        given && ((text[2] >= '@' && text[2] <= '_') || (text[2] >= 'a' && text[2] <= 'z'));
    bool is_escape = with_ctrl && (text[2] & 0x1f) == 0x1b;
    if (!none && (!with_ctrl || is_escape || text[4] <= ' ' || text[4] > '~'))
        return false;
    bool letter = !none && text[2] >= 'A' && text[2] <= 'Z';
    *ret_prefix = none ? '\0' : letter ? (char)(text[2] | 0x20) : text[2];
    *ret_leave = none ? '\0' : text[4];
    return true;
}
