#include "vterm_snapshot/sgr.h"

#include <stddef.h>

#include "base/limits.h"

/* 38 or 48 and what follows; returns how many values, 0 for a form that is not known here. */
static int extended_colour(const uint16_t *value, int left, uint32_t *colour)
{
    if (left >= 3 && value[1] == 5 && value[2] < 256) {
        *colour = PEN_INDEXED | value[2];
        return 3;
    }
    if (left < 5 || value[1] != 2 || value[2] > 255 || value[3] > 255 || value[4] > 255)
        return 0;
    *colour = PEN_RGB | (uint32_t)value[2] << 16 | (uint32_t)value[3] << 8 | value[4];
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

static bool set_all(struct pen *pen, const struct csi *sgr)
{
    for (int i = 0; i < sgr->count; i++) {
        int value = csi_value(sgr, i, 0);
        if (value == 38 || value == 48) {
            int used = extended_colour(sgr->value + i, sgr->count - i,
                                       value == 38 ? &pen->foreground : &pen->background);
            if (!used)
                return false;
            i += used - 1;
        } else if (!set(pen, value)) {
            return false;
        }
    }
    return !sgr->sub;
}

/* What a short one makes of a pen that has a number is remembered. */
bool sgr_apply(struct pen_table *pens, const struct csi *sgr, struct pen *pen, uint16_t *number)
{
    uint16_t from = *number, to;
    bool numbered = from || pen_is_default(pen);
    if (sgr->brief && numbered && pen_recall(pens, sgr->brief, from, &to)) {
        *pen = *pen_lookup(pens, to);
        *number = to;
        return true;
    }
    struct pen next = *pen;
    if (!set_all(&next, sgr))
        return false;
    *pen = next;
    *number = pen_intern(pens, &next);
    if (sgr->brief && numbered && (*number || pen_is_default(&next)))
        pen_remember(pens, sgr->brief, from, *number);
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
