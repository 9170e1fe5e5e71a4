#include "vterm_snapshot/sgr.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"

/* ---- reading ---- */

#define UNDERLINE(kind) ((uint16_t)((kind)*PEN_UNDERLINE))

/* What 1 to 9 set and 21 to 29 end; 21 underlines twice. */
static const struct {
    uint16_t set, ends;
} attributes[10] = {
    [1] = {PEN_BOLD, 0},
    [2] = {PEN_DIM, PEN_BOLD | PEN_DIM},
    [3] = {PEN_ITALIC, PEN_ITALIC},
    [4] = {UNDERLINE(1), PEN_UNDERLINE_KIND},
    [5] = {PEN_BLINK, PEN_BLINK | PEN_BLINK_FAST},
    [6] = {PEN_BLINK_FAST, 0},
    [7] = {PEN_REVERSE, PEN_REVERSE},
    [8] = {PEN_CONCEAL, PEN_CONCEAL},
    [9] = {PEN_STRIKE, PEN_STRIKE},
};

static void set_underline(struct pen *pen, int kind)
{
    if (kind <= 5)
        pen->attributes = (uint16_t)((pen->attributes & ~PEN_UNDERLINE_KIND) | UNDERLINE(kind));
}

static void set_attribute(struct pen *pen, int param)
{
    if (param == 4 || param == 21)
        set_underline(pen, param == 4 ? 1 : 2);
    else if (param < 10)
        pen->attributes |= attributes[param].set;
    else if (param > 20 && param < 30)
        pen->attributes &= (uint16_t)~attributes[param - 20].ends;
}

static void set_colour(struct pen *pen, int param)
{
    unsigned digit = (unsigned)param % 10, tens = (unsigned)param / 10;
    bool bright = tens >= 9;
    uint32_t *colour = tens == 3 || tens == 9 ? &pen->foreground : &pen->background;
    if ((tens != 3 && tens != 4 && tens != 9 && tens != 10) || digit == 8 || (digit == 9 && bright))
        return;
    *colour = digit == 9 ? 0 : PEN_INDEXED | (digit + (bright ? 8 : 0));
}

static void set(struct pen *pen, int param)
{
    if (param == 0)
        *pen = (struct pen){.link = pen->link};
    else if (param == 53 || param == 55)
        pen->attributes = (uint16_t)(param == 53 ? pen->attributes | PEN_OVERLINE
                                                 : pen->attributes & ~PEN_OVERLINE);
    else if (param == 59)
        pen->underline = 0;
    else if (param < 30)
        set_attribute(pen, param);
    else
        set_colour(pen, param);
}

/* The values of an extended colour behind its 38, 48 or 58: `5;n`, `2;r;g;b`, or joined by colons,
 * where a colour space may stand in front of three. Returns 0 for what is none. */
static uint32_t colour_of(const int *value, int count)
{
    const int *rgb = value + (count > 4 ? 2 : 1);
    if (count >= 2 && value[0] == 5 && value[1] < 256)
        return PEN_INDEXED | (uint32_t)value[1];
    if (count < 4 || value[0] != 2 || rgb[0] > 255 || rgb[1] > 255 || rgb[2] > 255)
        return 0;
    return PEN_RGB | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[2];
}

static bool joins(const struct csi *sgr, int at)
{
    return sgr->sub >> at & 1;
}

/* Without colons each part's first value counts. */
static void set_extended(struct pen *pen, const struct csi *sgr, int at, int group)
{
    int value[LIMIT_CSI_PARAMS], count = 0, which = csi_value(sgr, at, 0);
    bool joined = group > 1 && joins(sgr, at + 1);
    for (int i = at + 1; i < at + group; i++)
        if (joined || !joins(sgr, i))
            value[count++] = csi_value(sgr, i, 0);
    uint32_t colour = colour_of(value, count);
    uint32_t *of = which == 38   ? &pen->foreground
                   : which == 48 ? &pen->background
                                 : &pen->underline;
    *of = colour ? colour : *of;
}

static void set_all(struct pen *pen, const struct csi *sgr)
{
    bool missing;
    for (int at = 0, group; at < sgr->count; at += group) {
        int param = csi_value(sgr, at, 0);
        group = csi_group(sgr, at, &missing);
        if (missing)
            continue;
        if (param == 38 || param == 48 || param == 58)
            set_extended(pen, sgr, at, group);
        else if (param == 4 && group > 1)
            set_underline(pen, csi_value(sgr, at + 1, 1));
        else
            set(pen, param);
    }
}

/* What a short one makes of a pen that has a number is remembered. */
void sgr_apply(struct pen_table *pens, const struct csi *sgr, struct pen *pen, uint16_t *number)
{
    uint16_t from = *number, to;
    bool numbered = from || pen_is_default(pen);
    if (sgr->brief && numbered && pen_recall(pens, sgr->brief, from, &to)) {
        *pen = *pen_lookup(pens, to);
        *number = to;
        return;
    }
    set_all(pen, sgr);
    *number = pen_intern(pens, pen);
    if (sgr->brief && numbered && (*number || pen_is_default(pen)))
        pen_remember(pens, sgr->brief, from, *number);
}

/* ---- writing ---- */

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

/* With colons: whoever does not know it passes it over. */
static void append_underline_colour(struct bytes *out, uint32_t colour)
{
    if (colour & PEN_INDEXED)
        bytes_printf(out, ";58:5:%u", colour & 0xff);
    else if (colour)
        bytes_printf(out, ";58:2::%u:%u:%u", colour >> 16 & 0xff, colour >> 8 & 0xff,
                     colour & 0xff);
}

void sgr_append(const struct pen *pen, struct bytes *out)
{
    static const char *const underlines[] = {"", ";4", ";21", ";4:3", ";4:4", ";4:5", "", ""};
    bytes_append_text(out, "\x1b[0");
    for (unsigned i = 1; i < 10; i++)
        if (i != 4 && pen->attributes & attributes[i].set)
            append_param(out, i);
    bytes_append_text(out, underlines[(pen->attributes & PEN_UNDERLINE_KIND) / PEN_UNDERLINE]);
    bytes_append_text(out, pen->attributes & PEN_OVERLINE ? ";53" : "");
    append_colour(out, pen->foreground, 30);
    append_colour(out, pen->background, 40);
    append_underline_colour(out, pen->underline);
    bytes_append_char(out, 'm');
}
