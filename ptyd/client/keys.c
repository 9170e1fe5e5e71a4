#include "ptyd/client/keys.h"

#define LEAVE_KEY 0x1c /* Ctrl-\ */

bool keys_take(struct keys *k, const char *bytes, size_t len, struct bytes *out)
{
    for (size_t i = 0; i < len; i++) {
        bool pressed = k->pressed;
        k->pressed = !pressed && bytes[i] == LEAVE_KEY;
        if (k->pressed)
            continue;
        if (pressed && bytes[i] == 'd')
            return true;
        if (pressed && bytes[i] != LEAVE_KEY)
            bytes_append_char(out, LEAVE_KEY);
        bytes_append_char(out, bytes[i]);
    }
    return false;
}
