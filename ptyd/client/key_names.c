#include "ptyd/client/key_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "ptyd/core/text.h"

/* Bits of xterm's modifiers: the parameter is one more. */
enum { SHIFT = 1, ALT = 2, CTRL = 4 };

/* How a key is encoded. */
enum form {
    PLAIN,  /* `code` itself */
    CURSOR, /* CSI code, ESC O code in that mode; CSI 1 ; modifiers code */
    PF,     /* ESC O code; CSI 1 ; modifiers code */
    TILDE,  /* CSI code ~; CSI code ; modifiers ~ */
};

static const struct key {
    const char *name;
    enum form form;
    int code;
} keys[] = {
    {"Enter", PLAIN, '\r'}, {"Return", PLAIN, '\r'}, {"Tab", PLAIN, '\t'},
    {"BTab", CURSOR, 'Z'},  {"Escape", PLAIN, 0x1b}, {"Esc", PLAIN, 0x1b},
    {"Space", PLAIN, ' '},  {"BSpace", PLAIN, 0x7f}, {"Backspace", PLAIN, 0x7f},
    {"Up", CURSOR, 'A'},    {"Down", CURSOR, 'B'},   {"Right", CURSOR, 'C'},
    {"Left", CURSOR, 'D'},  {"Home", CURSOR, 'H'},   {"End", CURSOR, 'F'},
    {"Insert", TILDE, 2},   {"IC", TILDE, 2},        {"Delete", TILDE, 3},
    {"DC", TILDE, 3},       {"PageUp", TILDE, 5},    {"PgUp", TILDE, 5},
    {"PPage", TILDE, 5},    {"PageDown", TILDE, 6},  {"PgDn", TILDE, 6},
    {"NPage", TILDE, 6},    {"F1", PF, 'P'},         {"F2", PF, 'Q'},
    {"F3", PF, 'R'},        {"F4", PF, 'S'},         {"F5", TILDE, 15},
    {"F6", TILDE, 17},      {"F7", TILDE, 18},       {"F8", TILDE, 19},
    {"F9", TILDE, 20},      {"F10", TILDE, 21},      {"F11", TILDE, 23},
    {"F12", TILDE, 24},     {"F13", TILDE, 25},      {"F14", TILDE, 26},
    {"F15", TILDE, 28},     {"F16", TILDE, 29},      {"F17", TILDE, 31},
    {"F18", TILDE, 32},     {"F19", TILDE, 33},      {"F20", TILDE, 34},
    {"F21", TILDE, 42},     {"F22", TILDE, 43},      {"F23", TILDE, 44},
    {"F24", TILDE, 45},
};

#define KEY_COUNT (sizeof keys / sizeof *keys)

/* Takes `C-`, `M-` and `S-` from the front; what remains is the key. */
static const char *read_modifiers(const char *name, int *ret_modifiers)
{
    *ret_modifiers = 0;
    while (name[0] && name[1] == '-' && name[2]) {
        int c = toupper((unsigned char)name[0]);
        int bit = c == 'S' ? SHIFT : c == 'M' || c == 'A' ? ALT : c == 'C' ? CTRL : 0;
        if (!bit)
            break;
        *ret_modifiers |= bit;
        name += 2;
    }
    return name;
}

static const struct key *find(const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!strcasecmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

/* With Ctrl; -1 where xterm has no byte for it. */
static int control(int c)
{
    int upper = toupper(c);
    if (c == ' ' || c == '2')
        return 0;
    if (c == '?' || c == '8')
        return 0x7f;
    if (c >= '3' && c <= '7')
        return 0x1b + c - '3';
    if (c == '/')
        return 0x1f;
    return upper >= '@' && upper <= '_' ? upper & 0x1f : -1;
}

static int encode_character(const char *text, int modifiers, struct bytes *out)
{
    int c = (unsigned char)*text;
    bool ascii = c < 0x80 && !text[1];
    if ((modifiers & CTRL) && (c = ascii ? control(c) : -1) < 0)
        return -EINVAL;
    if ((modifiers & SHIFT) && !(modifiers & CTRL)) { /* the character itself says it */
        if (!ascii || !isalpha(c))
            return -EINVAL;
        c = toupper(c);
    }
    if (modifiers & ALT)
        bytes_append_char(out, 0x1b);
    if (ascii)
        bytes_append_char(out, (char)c);
    else
        bytes_append_text(out, text);
    return 0;
}

static int encode_plain(const struct key *key, int modifiers, struct bytes *out)
{
    int code = key->code;
    if (code == '\t' && (modifiers & SHIFT)) {
        bytes_append_text(out, modifiers & ALT ? "\x1b\x1b[Z" : "\x1b[Z");
        return 0;
    }
    if (modifiers & CTRL) /* of these alone Space and BSpace have others */
        code = code == ' ' ? 0 : code == 0x7f ? '\b' : code;
    if (modifiers & ALT)
        bytes_append_char(out, 0x1b);
    bytes_append_char(out, (char)code);
    return 0;
}

static int encode_key(const struct key *key, int modifiers, const struct key_modes *modes,
                      struct bytes *out)
{
    if (key->form == PLAIN)
        return encode_plain(key, modifiers, out);
    if (key->form == TILDE && modifiers)
        bytes_printf(out, "\x1b[%d;%d~", key->code, modifiers + 1);
    else if (key->form == TILDE)
        bytes_printf(out, "\x1b[%d~", key->code);
    else if (key->code == 'Z') /* Shift is in it already */
        bytes_append_text(out, "\x1b[Z");
    else if (modifiers)
        bytes_printf(out, "\x1b[1;%d%c", modifiers + 1, key->code);
    else
        bytes_printf(out, "\x1b%c%c", key->form == PF || modes->cursor_keys ? 'O' : '[', key->code);
    return 0;
}

int key_names_encode(const char *name, const struct key_modes *modes, struct bytes *out)
{
    int modifiers;
    uint32_t code;
    const char *rest = read_modifiers(name, &modifiers);
    const struct key *key = find(rest);
    size_t len = strlen(rest);
    if (key)
        return encode_key(key, modifiers, modes, out);
    int step = len ? utf8_decode(rest, len, &code) : 0;
    if (step <= 0 || (size_t)step != len || code < 0x20 || code == 0x7f)
        return -EINVAL;
    return encode_character(rest, modifiers, out);
}

const char *key_names_near(const char *name)
{
    static const char *const words[][2] = {
        {"ctrl", "C-c"}, {"control", "C-c"}, {"alt", "M-x"}, {"meta", "M-x"}, {"shift", "S-Up"}};
    int modifiers;
    const char *rest = read_modifiers(name, &modifiers);
    struct text_nearest nearest = text_nearest_begin(rest);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i][0]);
        if (!strncasecmp(name, words[i][0], len) && strchr("-+", name[len]))
            return words[i][1];
    }
    if (rest[0] == '^' && rest[1] && !rest[2])
        return "C-c";
    for (size_t i = 0; i < KEY_COUNT; i++)
        text_nearest_offer(&nearest, keys[i].name);
    return nearest.found;
}

void key_names_paste(const char *text, const struct key_modes *modes, struct bytes *out)
{
    bytes_append_text(out, modes->bracketed_paste ? "\x1b[200~" : "");
    for (const char *at = text; *at; at++)
        if (*at == '\n')
            bytes_append_char(out, '\r');
        else if (*at == '\t' || *at == '\r' || ((unsigned char)*at >= 0x20 && *at != 0x7f))
            bytes_append_char(out, *at);
    bytes_append_text(out, modes->bracketed_paste ? "\x1b[201~" : "");
}
