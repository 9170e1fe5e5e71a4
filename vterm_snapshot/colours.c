#include "vterm_snapshot/colours.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PALETTE     256
#define FIRST       10 /* of the colours that are set by an OSC of their own */
#define LAST        19
#define PLACES      (PALETTE + LAST - FIRST + 1)
#define PALETTE_OSC 4

enum source {
    NOWHERE,
    OWN,     /* the terminal's */
    SET,     /* a program's */
    STRANGE, /* a program's, in words that are not read here */
};

struct colours {
    struct {
        struct colour own, set;
        uint8_t source, has_own;
    } place[PLACES];
};

void colours_destroy(struct colours *c)
{
    free(c);
}

/* Where it is kept; -1 for nowhere. */
static int place_of(int number, long index)
{
    if (number == PALETTE_OSC)
        return index >= 0 && index < PALETTE ? (int)index : -1;
    return number >= FIRST && number <= LAST ? PALETTE + number - FIRST : -1;
}

/* ---- words ---- */

/* Up to four hexadecimal digits, as a share of all that `digits` can say. */
static bool read_share(const char **at, size_t most, uint16_t *ret_share)
{
    char digits[5] = {0}, *end;
    size_t len = strspn(*at, "0123456789abcdefABCDEF");
    len = len < most ? len : most;
    if (!len || len > 4)
        return false;
    memcpy(digits, *at, len);
    unsigned long value = strtoul(digits, &end, 16);
    *ret_share = (uint16_t)(value * 0xffff / ((1ul << 4 * len) - 1));
    *at += len;
    return true;
}

/* `rgb:r/g/b`, `rgba:r/g/b/a`, `#rgb` with one to four digits each, up to `;` or the end. */
static bool read_colour(const char *text, struct colour *ret_colour)
{
    struct colour c;
    const char *at = text;
    if (*at == '#') {
        size_t each = strspn(++at, "0123456789abcdefABCDEF") / 3;
        bool is_one = each && read_share(&at, each, &c.red) && read_share(&at, each, &c.green) &&
                      read_share(&at, each, &c.blue) && (!*at || *at == ';');
        *ret_colour = is_one ? c : *ret_colour;
        return is_one;
    }
    if (strncmp(at, "rgb", 3))
        return false;
    at += 3 + (at[3] == 'a');
    if (*at++ != ':' || !read_share(&at, 4, &c.red) || *at++ != '/' ||
        !read_share(&at, 4, &c.green) || *at++ != '/' || !read_share(&at, 4, &c.blue))
        return false;
    *ret_colour = c;
    return true;
}

/* The next field that `;` ends; NULL when there is none. */
static const char *next(const char **at)
{
    const char *field = *at;
    if (field)
        *at = strchr(field, ';');
    if (*at)
        ++*at;
    return field;
}

/* ---- what programs do ---- */

static bool have(struct colours **c)
{
    if (!*c)
        *c = memory_try(sizeof **c);
    return *c != NULL;
}

static void set(struct colours **c, int place, const char *value)
{
    struct colour colour = {0};
    if (place < 0 || *value == '?' || !have(c))
        return;
    bool read = read_colour(value, &colour);
    (*c)->place[place].source = read ? SET : STRANGE;
    (*c)->place[place].set = colour;
}

static void reset_place(struct colours *c, int place)
{
    if (c && place >= 0)
        c->place[place].source = c->place[place].has_own ? OWN : NOWHERE;
}

static void reset_palette(struct colours *c, const char *payload)
{
    const char *at = *payload ? payload : NULL, *index;
    for (int i = 0; !at && i < PALETTE; i++)
        reset_place(c, i);
    while ((index = next(&at)))
        reset_place(c, place_of(PALETTE_OSC, strtol(index, NULL, 10)));
}

void colours_take(struct colours **c, int number, const char *payload)
{
    const char *at = payload, *index, *value;
    if (number == PALETTE_OSC)
        while ((index = next(&at)) && (value = next(&at)))
            set(c, place_of(PALETTE_OSC, strtol(index, NULL, 10)), value);
    else if (number >= FIRST && number <= LAST)
        for (; (value = next(&at)); number++)
            set(c, place_of(number, 0), value);
    else if (number == 104)
        reset_palette(*c, payload);
    else if (number >= 100 + FIRST && number <= 100 + LAST)
        reset_place(*c, place_of(number - 100, 0));
}

void colours_reset(struct colours *c)
{
    for (int i = 0; c && i < PLACES; i++)
        reset_place(c, i);
}

/* ---- what terminals say ---- */

void colours_hear(struct colours **c, int number, const char *payload)
{
    struct colour colour;
    const char *value = number == PALETTE_OSC ? strchr(payload, ';') : payload;
    int place = place_of(number, strtol(payload, NULL, 10));
    value = value && number == PALETTE_OSC ? value + 1 : value;
    if (place < 0 || !value || !read_colour(value, &colour) || !have(c))
        return;
    if ((*c)->place[place].source == SET || (*c)->place[place].source == STRANGE)
        return;
    (*c)->place[place].own = colour;
    (*c)->place[place].has_own = 1;
    (*c)->place[place].source = OWN;
}

bool colours_get(const struct colours *c, int number, int index, struct colour *ret_colour)
{
    int place = place_of(number, index);
    if (!c || place < 0 || (c->place[place].source != OWN && c->place[place].source != SET))
        return false;
    *ret_colour = c->place[place].source == SET ? c->place[place].set : c->place[place].own;
    return true;
}

void colours_append(const struct colours *c, int number, int index, struct bytes *out)
{
    struct colour is;
    if (!colours_get(c, number, index, &is))
        return;
    bytes_printf(out, "\x1b]%d;", number);
    if (number == PALETTE_OSC)
        bytes_printf(out, "%d;", index);
    bytes_printf(out, "rgb:%04x/%04x/%04x\x1b\\", is.red, is.green, is.blue);
}

void colours_append_set(const struct colours *c, struct bytes *out)
{
    for (int i = 0; c && i < PLACES; i++)
        if (c->place[i].source == SET)
            colours_append(c, i < PALETTE ? PALETTE_OSC : i - PALETTE + FIRST, i, out);
}

/* ---- kept ---- */

void colours_save(const struct colours *c, struct bytes *out)
{
    pack_run(out, c, c ? sizeof *c : 0);
}

bool colours_load(struct colours **ret_colours, struct unpack *in)
{
    size_t len;
    const char *bytes = unpack_run(in, &len);
    if (!bytes || (len && len != sizeof **ret_colours))
        return false;
    if (len && have(ret_colours))
        memcpy(*ret_colours, bytes, len);
    return !len || *ret_colours;
}
