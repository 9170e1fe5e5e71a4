#include "vterm_snapshot/plain.h"

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
