#include "vterm_snapshot/sgr.h"

#include <stddef.h>

#include "base/limits.h"

static unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

const char *sgr_parse(const char *at, const char *end, int params[SGR_PARAMS], int *ret_count)
{
    int count = 0;
    for (; at < end; at++) {
        int value = digit_of(*at) < 10 ? 0 : -1;
        for (; at < end && digit_of(*at) < 10; at++)
            if ((value = value * 10 + (int)digit_of(*at)) > LIMIT_CSI_VALUE)
                return NULL;
        if (at == end)
            break;
        params[count++] = value;
        if (*at != ';')
            break;
        if (count == SGR_PARAMS)
            return NULL;
    }
    *ret_count = count;
    return at;
}

/* 38 or 48 and what follows; returns how many parameters, 0 for a form that is not known here. */
static int extended_colour(const int *params, int left, uint32_t *colour)
{
    if (left >= 3 && params[1] == 5 && params[2] >= 0 && params[2] < 256) {
        *colour = PEN_INDEXED | (uint32_t)params[2];
        return 3;
    }
    if (left < 5 || params[1] != 2)
        return 0;
    for (int i = 2; i < 5; i++)
        if (params[i] < 0 || params[i] > 255)
            return 0;
    *colour = PEN_RGB | (uint32_t)params[2] << 16 | (uint32_t)params[3] << 8 | (uint32_t)params[4];
    return 5;
}

static bool set_attribute(struct pen *pen, int param)
{
    static const uint32_t on[] = {[1] = PEN_BOLD,  [3] = PEN_ITALIC,  [4] = PEN_UNDERLINE,
                                  [5] = PEN_BLINK, [7] = PEN_REVERSE, [9] = PEN_STRIKE};
    static const uint32_t off[] = {
        [2] = PEN_BOLD,  [3] = PEN_ITALIC,  [4] = PEN_UNDERLINE | PEN_UNDERLINE_DOUBLE,
        [5] = PEN_BLINK, [7] = PEN_REVERSE, [9] = PEN_STRIKE};
    if (param > 0 && param < 10 && on[param]) {
        pen->attributes &= param == 4 ? ~(uint32_t)PEN_UNDERLINE_DOUBLE : ~0u;
        pen->attributes |= on[param];
    } else if (param > 20 && param < 30 && off[param - 20]) {
        pen->attributes &= ~off[param - 20];
    } else {
        return false;
    }
    return true;
}

static bool set_colour(struct pen *pen, int param)
{
    unsigned digit = (unsigned)param % 10, tens = (unsigned)param / 10;
    bool bright = tens >= 9;
    uint32_t *colour = tens == 3 || tens == 9 ? &pen->foreground : &pen->background;
    if ((tens != 3 && tens != 4 && tens != 9 && tens != 10) || digit == 8 || (digit == 9 && bright))
        return false;
    *colour = digit == 9 ? 0 : PEN_INDEXED | (digit + (bright ? 8 : 0));
    return true;
}

static bool set(struct pen *pen, int param)
{
    if (param == 0)
        *pen = (struct pen){0};
    return param == 0 || (param < 30 ? set_attribute(pen, param) : set_colour(pen, param));
}

bool sgr_apply(struct pen *pen, const int *params, int count)
{
    if (count == 1)
        return set(pen, params[0] < 0 ? 0 : params[0]);
    struct pen next = *pen;
    for (int i = 0; i < count; i++) {
        int param = params[i] < 0 ? 0 : params[i];
        if (param == 38 || param == 48) {
            int used = extended_colour(params + i, count - i,
                                       param == 38 ? &next.foreground : &next.background);
            if (!used)
                return false;
            i += used - 1;
        } else if (!set(&next, param)) {
            return false;
        }
    }
    *pen = next;
    return true;
}

/* One that was not seen yet with this pen. */
static bool apply_new(struct pen_table *pens, const struct csi_short *sgr, struct pen *pen,
                      uint16_t *number)
{
    char text[CSI_SHORT];
    int params[SGR_PARAMS], count;
    struct pen next = *pen;
    for (unsigned i = 0; i <= sgr->len; i++)
        text[i] = (char)((sgr->values >> 8 * i & 0xff) ^ '0');
    if (!sgr_parse(text, text + sgr->len + 1, params, &count) || !sgr_apply(&next, params, count))
        return false;
    uint16_t interned = pen_intern(pens, &next);
    if (!interned && !pen_is_default(&next))
        return false;
    *pen = next;
    *number = interned;
    return true;
}

bool sgr_apply_short(struct pen_table *pens, const struct csi_short *sgr, struct pen *pen,
                     uint16_t *number)
{
    uint64_t change = sgr->values & csi_short_mine(sgr), length = (uint64_t)(sgr->len + 1) << 56;
    uint16_t from = *number;
    if (!from && !pen_is_default(pen)) /* it has none */
        return false;
    if (pen_recall(pens, change | length, from, number)) {
        *pen = *pen_lookup(pens, *number);
        return true;
    }
    *number = from;
    if (!apply_new(pens, sgr, pen, number))
        return false;
    pen_remember(pens, change | length, from, *number);
    return true;
}

static void append_param(struct bytes *out, unsigned number)
{
    bytes_append_char(out, ';');
    bytes_append_number(out, number);
}

static void append_colour(struct bytes *out, uint32_t colour, unsigned base)
{
    if (!colour)
        return;
    append_param(out, base + 8);
    if (colour & PEN_INDEXED) {
        append_param(out, 5);
        append_param(out, colour & 0xff);
        return;
    }
    append_param(out, 2);
    for (int shift = 16; shift >= 0; shift -= 8)
        append_param(out, colour >> shift & 0xff);
}

static const char *underline_of(uint32_t attributes)
{
    bool single = attributes & PEN_UNDERLINE, twice = attributes & PEN_UNDERLINE_DOUBLE;
    return single && twice ? ";4:3" : twice ? ";21" : single ? ";4" : "";
}

void sgr_append(const struct pen *pen, struct bytes *out)
{
    uint32_t on = pen->attributes;
    bytes_append_text(out, "\x1b[0");
    bytes_append_text(out, on & PEN_BOLD ? ";1" : "");
    bytes_append_text(out, on & PEN_ITALIC ? ";3" : "");
    bytes_append_text(out, underline_of(on));
    bytes_append_text(out, on & PEN_BLINK ? ";5" : "");
    bytes_append_text(out, on & PEN_REVERSE ? ";7" : "");
    bytes_append_text(out, on & PEN_STRIKE ? ";9" : "");
    append_colour(out, pen->foreground, 30);
    append_colour(out, pen->background, 40);
    bytes_append_char(out, 'm');
}
