#include "vterm_snapshot/plain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum reason {
    REGION = 1 << 0,  /* DECSTBM */
    INSERT = 1 << 1,  /* IRM */
    NEWLINE = 1 << 2, /* LNM */
    ORIGIN = 1 << 3,  /* DECOM */
    NO_WRAP = 1 << 4, /* DECAWM off */
    MARGINS = 1 << 5, /* DECLRMM */
    CHARSET = 1 << 6, /* G0 is not ASCII */
    SHIFT = 1 << 7,   /* another set than G0 is invoked */
    TABS = 1 << 8,    /* tab stops were changed */
};

static void set(struct plain *p, enum reason reason, bool on)
{
    p->exotic = on ? p->exotic | reason : p->exotic & ~(unsigned)reason;
}

static void observe_mode(struct plain *p, bool private, long mode, bool on)
{
    if (private && mode == 6)
        set(p, ORIGIN, on);
    else if (private && mode == 7)
        set(p, NO_WRAP, !on);
    else if (private && mode == 69)
        set(p, MARGINS, on);
    else if (!private && mode == 4)
        set(p, INSERT, on);
    else if (!private && mode == 20)
        set(p, NEWLINE, on);
}

/* `body` begins behind ESC [; returns the final's place. A soft reset (CSI ! p) is not believed:
 * versions of libvterm differ in what it resets. */
static const char *observe_csi(struct plain *p, const char *body, const char *end)
{
    const char *final = body;
    while (final < end && ((unsigned char)*final < 0x40 || (unsigned char)*final > 0x7e))
        final++;
    if (final == end)
        return end;
    if (*final == 'r') {
        set(p, REGION, final > body);
    } else if (*final == 'g') {
        set(p, TABS, true);
    } else if (*final == 'h' || *final == 'l') {
        bool private = *body == '?';
        for (const char *at = body + private; at < final;) {
            char *next;
            observe_mode(p, private, strtol(at, &next, 10), *final == 'h');
            at = next + 1;
        }
    }
    return final;
}

static void observe_escape(struct plain *p, const char *at, const char *end)
{
    char c = at < end ? *at : 0;
    if (c == 'c')
        p->exotic &= CHARSET | SHIFT;
    else if (c == 'H')
        set(p, TABS, true);
    else if (c == '(' && at + 1 < end)
        set(p, CHARSET, at[1] != 'B');
    else if (c && strchr("nNoO", c))
        set(p, SHIFT, true);
}

void plain_observe(struct plain *p, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    if (bytes[0] == 0x1b) {
        for (const char *at = bytes; at && at + 1 < end; at = memchr(at, 0x1b, (size_t)(end - at)))
            if (at[1] == '[')
                at = observe_csi(p, at + 2, end);
            else
                observe_escape(p, ++at, end);
        return;
    }
    const char *out = memchr(bytes, 0x0e, len);
    const char *in = memchr(bytes, 0x0f, len);
    if (out || in)
        set(p, SHIFT, out && (!in || out > in || memchr(in, 0x0e, (size_t)(end - in))));
}

bool plain_repeats(const struct plain *p)
{
    return !(p->exotic & (ORIGIN | MARGINS | CHARSET | SHIFT));
}

/* Whether all eight bytes are from 0x20 to 0x7e. */
static bool eight_printable(uint64_t v)
{
    uint64_t high = 0x8080808080808080ull, ones = 0x0101010101010101ull;
    uint64_t below = (v - ones * 0x20) & ~v; /* the high bit of a byte under 0x20 */
    uint64_t delete = (v + ones) & high;     /* of 0x7f */
    return !((v | below | delete) & high);
}

static bool is_plain(const char *line, size_t len, bool *ret_tabs)
{
    size_t i = 0;
    *ret_tabs = false;
    while (i < len) {
        uint64_t eight;
        if (i + 8 <= len) {
            memcpy(&eight, line + i, 8);
            if (eight_printable(eight)) {
                i += 8;
                continue;
            }
        }
        size_t stop = i + 8 < len ? i + 8 : len;
        for (; i < stop; i++) {
            if (line[i] == '\t')
                *ret_tabs = true;
            else if (line[i] < 0x20 || line[i] > 0x7e)
                return false;
        }
    }
    return true;
}

size_t plain_width(const char *line, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width = line[i] == '\t' ? (width | 7) + 1 : width + 1;
    return width;
}

size_t plain_lines(const char *bytes, size_t len, int columns, size_t *ret_lines)
{
    size_t at = 0;
    while (at < len) {
        const char *line = bytes + at;
        const char *newline = memchr(line, '\n', len - at);
        bool tabs;
        if (!newline || newline == line || newline[-1] != '\r')
            break;
        size_t text = (size_t)(newline - line) - 1;
        if (!is_plain(line, text, &tabs) || (tabs && plain_width(line, text) >= (size_t)columns))
            break;
        at += text + 2;
        ++*ret_lines;
    }
    return at;
}
