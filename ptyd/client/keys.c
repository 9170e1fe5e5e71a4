#include "ptyd/client/keys.h"

#include <errno.h>
#include <string.h>

#include "ptyd/core/detach_key.h"

#define ESC           0x1b
#define CSI_BYTE      0x9b /* ESC [ in one, where no character goes on */
#define SEQUENCE_MOST 64   /* bytes of a key; what is longer is none */

/* Bits of kitty's modifiers, which xterm shares as far as it has them. */
#define WITH_CTRL  4
#define LOCKS      (64 | 128)
#define NUMBERS    8
#define MODIFIERS  57441 /* the first and the last key that is a modifier alone */
#define MODIFIERS_ 57454

/* ---- which keys ---- */

int keys_init(struct keys *k, const char *text)
{
    char prefix, leave;
    if (!detach_key_parse(text, &prefix, &leave))
        return -EINVAL;
    *k = (struct keys){.prefix = prefix, .leave = leave};
    return 0;
}

void keys_init_twice(struct keys *k, char letter)
{
    *k = (struct keys){.prefix = letter, .twice = true};
}

void keys_finish(struct keys *k)
{
    bytes_finish(&k->held);
}

/* ---- one key ---- */

enum token {
    TOKEN_CUT, /* more belongs to it */
    TOKEN_KEY,
    TOKEN_PREFIX,
    TOKEN_LEAVE,
    TOKEN_GRANT,
    TOKEN_RELEASE, /* of any key; or one that is a modifier alone: it decides nothing */
    TOKEN_REPORT,  /* no key */
    TOKEN_PASTE,
    TOKEN_PASTE_END,
};

/* A sequence's numbers, `sub` the places behind colons: alternate keys, the event. */
struct numbers {
    int value[NUMBERS][3];
    int count;
};

static struct numbers numbers_of(const char *text, size_t len)
{
    struct numbers n = {.count = 1};
    int sub = 0;
    for (size_t i = 0; i < len; i++) {
        int *value = &n.value[n.count - 1][sub < 3 ? sub : 2];
        if (text[i] >= '0' && text[i] <= '9' && *value < 10000000)
            *value = *value * 10 + (text[i] - '0');
        else if (text[i] == ':')
            sub++;
        else if (text[i] == ';' && n.count < NUMBERS)
            n.count += 1, sub = 0;
    }
    return n;
}

static bool is_one(const int code[3], char character)
{
    return character && (code[0] == character || code[1] == character || code[2] == character);
}

static enum token token_of_code(const struct keys *k, const int code[3], int modifiers, int event)
{
    int with = (modifiers ? modifiers - 1 : 0) & ~LOCKS;
    if (event == 3 || (code[0] >= MODIFIERS && code[0] <= MODIFIERS_))
        return TOKEN_RELEASE;
    if (with == WITH_CTRL && is_one(code, k->prefix))
        return event == 2 ? TOKEN_RELEASE : TOKEN_PREFIX; /* held down it is pressed once */
    return with != 0                ? TOKEN_KEY
           : is_one(code, k->leave) ? TOKEN_LEAVE
           : is_one(code, k->grant) ? TOKEN_GRANT
                                    : TOKEN_KEY;
}

/* `virtual key; scan code; character; pressed; modifiers; times`. */
static enum token token_of_windows(const struct keys *k, const struct numbers *n)
{
    static const uint8_t modifiers[] = {16,  17,  18,  20,  91,  92,  144,
                                        145, 160, 161, 162, 163, 164, 165};
    int key = n->value[0][0], character = n->value[2][0];
    if (!n->value[3][0] || (key < 256 && memchr(modifiers, key, sizeof modifiers)))
        return TOKEN_RELEASE;
    return !character                          ? TOKEN_KEY
           : character == (k->prefix & 0x1f)   ? TOKEN_PREFIX
           : character == k->leave             ? TOKEN_LEAVE
           : k->grant && character == k->grant ? TOKEN_GRANT
                                               : TOKEN_KEY;
}

/* `CSI body final`. */
static enum token token_of_csi(const struct keys *k, const char *body, size_t len, char final)
{
    struct numbers n = numbers_of(body, len);
    if (len && strchr("<?>=", *body))
        return TOKEN_REPORT;
    if (!len && (final == 'I' || final == 'O' || final == 'M'))
        return TOKEN_REPORT;
    if (final == '~' && n.count == 1 && (n.value[0][0] == 200 || n.value[0][0] == 201))
        return n.value[0][0] == 200 ? TOKEN_PASTE : TOKEN_PASTE_END;
    if (final == 'u')
        return token_of_code(k, n.value[0], n.value[1][0], n.value[1][1]);
    if (final == '_')
        return token_of_windows(k, &n);
    if (final == '~' && n.count == 3 && n.value[0][0] == 27)
        return token_of_code(k, n.value[2], n.value[1][0], 0);
    return n.value[1][1] == 3 ? TOKEN_RELEASE : TOKEN_KEY;
}

/* `head`: what it begins with, of two bytes or one. */
static enum token read_csi(const struct keys *k, const char *text, size_t len, size_t head,
                           size_t *ret_len)
{
    size_t at = head;
    while (at < len && text[at] >= 0x20 && text[at] < 0x40)
        at++;
    if (at == len && len < SEQUENCE_MOST)
        return TOKEN_CUT;
    if (at == len || text[at] < 0x40 || text[at] > 0x7e)
        return TOKEN_KEY; /* its first byte alone: what follows is looked at anew */
    *ret_len = at + 1;
    if (at == head && text[at] == 'M') /* a mouse report of the first kind has three bytes more */
        *ret_len = head + 4;
    return *ret_len > len ? TOKEN_CUT : token_of_csi(k, text + head, at - head, text[at]);
}

/* The key that `text` begins with. */
static enum token read_token(const struct keys *k, const char *text, size_t len, size_t *ret_len)
{
    char prefix = (char)(k->prefix & 0x1f);
    *ret_len = 1;
    if ((unsigned char)*text == CSI_BYTE)
        return read_csi(k, text, len, 1, ret_len);
    if (*text != ESC)
        return *text == prefix                 ? TOKEN_PREFIX
               : *text == k->leave             ? TOKEN_LEAVE
               : k->grant && *text == k->grant ? TOKEN_GRANT
                                               : TOKEN_KEY;
    if (len == 1)
        return TOKEN_CUT;
    if (text[1] == '[')
        return read_csi(k, text, len, 2, ret_len);
    if (text[1] == 'O' && len == 2)
        return TOKEN_CUT;
    bool single = text[1] == ESC || text[1] == prefix; /* ESC, and then that */
    *ret_len = single ? 1 : text[1] == 'O' && text[2] != ESC && text[2] != prefix ? 3 : 2;
    return TOKEN_KEY;
}

/* How many bytes a character of UTF-8 has yet behind this one, of those that it had before it. */
static int left_of_character(int left, char c)
{
    unsigned char byte = (unsigned char)c;
    if (byte >= 0x80 && byte < 0xc0)
        return left > 0 ? left - 1 : 0;
    return byte >= 0xf5 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
}

/* What no hand types: the head of a sequence, and a digit. */
static bool is_in_csi(const char *text, size_t len)
{
    size_t head = (unsigned char)*text == CSI_BYTE ? 1 : 2;
    return len > head && (head == 1 || text[1] == '[') && text[head] >= '0' && text[head] <= '9';
}

/* ---- what is held ---- */

static void pass(struct keys *k, size_t len, struct bytes *out)
{
    for (size_t i = len > 3 ? len - 3 : 0; i < len; i++)
        k->character =
            left_of_character(len > 3 && i == len - 3 ? 0 : k->character, k->held.data[i]);
    bytes_append(out, k->held.data, len);
    bytes_consume(&k->held, len);
    k->decided = 0;
    k->pressed = false;
}

static void drop(struct keys *k, size_t at, size_t len)
{
    memmove(k->held.data + at, k->held.data + at + len, k->held.len - at - len);
    k->held.len -= len;
}

/* Who leaves types nothing more: neither the keys for it, nor what stands behind them. */
static void forget(struct keys *k)
{
    k->held.len = k->decided = 0;
    k->pressed = false;
    k->due = 0;
}

/* Whole keys that are none of ours: up to the next byte that may begin one. */
static size_t plain_run(const struct keys *k, const char *text, size_t len)
{
    size_t run = 0;
    int left = k->character;
    while (run < len && text[run] != ESC && (k->pasting || text[run] != (k->prefix & 0x1f)) &&
           (left || (unsigned char)text[run] != CSI_BYTE))
        left = left_of_character(left, text[run++]);
    return run;
}

/* A key behind the prefix, `len` bytes at `decided`. True when it leaves. */
static bool decide(struct keys *k, enum token token, size_t len, struct bytes *out)
{
    if (token == TOKEN_LEAVE)
        return true;
    if (token == TOKEN_RELEASE) {
        k->decided += len;
    } else if (token == TOKEN_REPORT) {
        bytes_append(out, k->held.data + k->decided, len);
        drop(k, k->decided, len);
    } else if (token == TOKEN_PREFIX) {
        drop(k, 0, k->decided);
        pass(k, len, out);
    } else if (token == TOKEN_GRANT) {
        drop(k, 0, k->decided + len);
        k->decided = 0;
        k->pressed = false;
        k->granted++;
    } else {
        pass(k, k->decided + len, out);
    }
    return false;
}

/* The prefix, where it leaves when it is pressed twice. */
static bool press(struct keys *k, size_t len, int64_t now, struct bytes *out)
{
    bool leaves = k->pressed_ms && now - k->pressed_ms <= KEYS_TWICE_MS;
    k->pressed_ms = now;
    if (!leaves)
        pass(k, len, out);
    return leaves;
}

static bool take_token(struct keys *k, enum token token, size_t len, int64_t now, struct bytes *out)
{
    if (k->pasting || token == TOKEN_PASTE) {
        k->pasting = token != TOKEN_PASTE_END;
        pass(k, k->decided + len, out);
        return false;
    }
    if (k->pressed)
        return decide(k, token, len, out);
    if (token != TOKEN_PREFIX) {
        pass(k, len, out);
        return false;
    }
    if (k->twice)
        return press(k, len, now, out);
    k->pressed = true;
    k->prefix_due = now + KEYS_PREFIX_MS;
    k->decided = len;
    return false;
}

/* ---- the way through ---- */

/* How long what is cut waits for its rest. */
static int rest_ms(const struct keys *k)
{
    bool in_csi = is_in_csi(k->held.data + k->decided, k->held.len - k->decided);
    return k->pasting || in_csi ? KEYS_PREFIX_MS : KEYS_SEQUENCE_MS;
}

static int64_t due_of(const struct keys *k, int64_t now)
{
    int64_t due = k->held.len > k->decided ? now + rest_ms(k) : k->prefix_due;
    return !k->held.len ? 0 : k->pressed && k->prefix_due < due ? k->prefix_due : due;
}

bool keys_take(struct keys *k, const char *bytes, size_t len, int64_t now, struct bytes *out)
{
    if (!k->prefix) {
        bytes_append(out, bytes, len);
        return false;
    }
    bytes_append(&k->held, bytes, len);
    while (k->held.len > k->decided) {
        size_t run = k->pressed ? 0 : plain_run(k, k->held.data, k->held.len), token_len;
        if (run) {
            pass(k, run, out);
            continue;
        }
        const char *at = k->held.data + k->decided;
        enum token token = read_token(k, at, k->held.len - k->decided, &token_len);
        if (token == TOKEN_CUT)
            break;
        if (take_token(k, token, token_len, now, out)) {
            forget(k);
            return true;
        }
    }
    k->due = due_of(k, now);
    return false;
}

bool keys_rest(const struct keys *k, char *ret_special)
{
    *ret_special = k->prefix ? (char)(k->prefix & 0x1f) : ESC;
    return !k->held.len && !k->pressed && !k->pasting && !k->twice;
}

int64_t keys_due(const struct keys *k)
{
    return k->due;
}

void keys_wait_over(struct keys *k, int64_t now, struct bytes *out)
{
    if (!k->due || now < k->due)
        return;
    pass(k, k->held.len, out);
    k->due = 0;
}
