#include "ptyd/client/keystrokes.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

#define WAYS 4

static struct key_modes modes_of(int way)
{
    return (struct key_modes){.cursor_keys = way & 1, .bracketed_paste = way & 2};
}

void keystrokes_finish(struct keystrokes *k)
{
    for (int i = 0; i < WAYS; i++)
        bytes_finish(&k->ways[i]);
}

void keystrokes_add_text(struct keystrokes *k, const char *text, size_t len)
{
    for (int i = 0; i < WAYS; i++)
        bytes_append(&k->ways[i], text, len);
}

void keystrokes_add_paste(struct keystrokes *k, const char *text)
{
    for (int i = 0; i < WAYS; i++) {
        struct key_modes modes = modes_of(i);
        key_names_paste(text, &modes, &k->ways[i]);
    }
}

char *keystrokes_add_key(struct keystrokes *k, const char *name)
{
    for (int i = 0; i < WAYS; i++) {
        struct key_modes modes = modes_of(i);
        if (key_names_encode(name, &modes, &k->ways[i]) == 0)
            continue;
        const char *near = key_names_near(name);
        return near ? text_format("there is no key '%s'; did you mean %s?", name, near)
                    : text_format("there is no key '%s'; C-c, M-x, S-F5, Up, PageDown, BTab are "
                                  "some",
                                  name);
    }
    return NULL;
}

char *keystrokes_add_hex(struct keystrokes *k, const char *digits)
{
    size_t len = strlen(digits);
    if (len % 2 || strspn(digits, "0123456789abcdefABCDEF") != len)
        return text_format("'%s' is not bytes in hexadecimal", digits);
    for (; *digits; digits += 2) {
        char two[3] = {digits[0], digits[1], 0};
        char byte = (char)strtol(two, NULL, 16);
        keystrokes_add_text(k, &byte, 1);
    }
    return NULL;
}

bool keystrokes_empty(const struct keystrokes *k)
{
    return !k->ways[0].len;
}

bool keystrokes_ask_modes(const struct keystrokes *k)
{
    for (int i = 1; i < WAYS; i++)
        if (k->ways[i].len != k->ways[0].len ||
            memcmp(k->ways[i].data, k->ways[0].data, k->ways[0].len))
            return true;
    return false;
}

const struct bytes *keystrokes_bytes(const struct keystrokes *k, const struct key_modes *modes)
{
    return &k->ways[modes->cursor_keys | modes->bracketed_paste << 1];
}
