#include "vterm_snapshot/modes.h"

#include <stdlib.h>
#include <string.h>

static const int numbers[MODE_COUNT] = {
    [MODE_CURSOR_KEYS] = 1,   [MODE_MOUSE_CLICK] = 1000,     [MODE_MOUSE_DRAG] = 1002,
    [MODE_MOUSE_MOVE] = 1003, [MODE_FOCUS] = 1004,           [MODE_MOUSE_UTF8] = 1005,
    [MODE_MOUSE_SGR] = 1006,  [MODE_BRACKETED_PASTE] = 2004,
};

static void set_number(struct modes *modes, long number, bool on)
{
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i] == number && number)
            modes->on[i] = on;
}

/* One run may hold several sequences: the guard splits long ones. */
static void observe_private(struct modes *modes, const char *bytes, size_t len)
{
    char copy[512];
    if (len >= sizeof copy)
        return;
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    for (char *at = copy; (at = strstr(at, "\x1b[?"));) {
        at += 3;
        size_t params = strspn(at, "0123456789;");
        char final = at[params];
        while (final == 'h' || final == 'l') {
            set_number(modes, strtol(at, &at, 10), final == 'h');
            if (*at != ';')
                break;
            at++;
        }
    }
}

void modes_observe(struct modes *modes, const char *bytes, size_t len)
{
    if (len < 2 || bytes[0] != 0x1b)
        return;
    if (bytes[1] == 'c')
        *modes = (struct modes){0};
    else if (len == 2 && (bytes[1] == '=' || bytes[1] == '>'))
        modes->on[MODE_KEYPAD] = bytes[1] == '=';
    else if (len > 3 && bytes[1] == '[' && bytes[2] == '?')
        observe_private(modes, bytes, len);
    else if (len == 4 && !memcmp(bytes, "\x1b[!p", 4))
        modes->on[MODE_CURSOR_KEYS] = modes->on[MODE_KEYPAD] = false;
}

bool modes_get(const struct modes *modes, enum mode mode)
{
    return modes->on[mode];
}

void modes_append(const struct modes *modes, struct bytes *out)
{
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i])
            bytes_printf(out, "\x1b[?%d%c", numbers[i], modes->on[i] ? 'h' : 'l');
    bytes_append_text(out, modes->on[MODE_KEYPAD] ? "\x1b=" : "\x1b>");
}
