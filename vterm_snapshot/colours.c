#include "vterm_snapshot/colours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
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

struct place {
    struct colour own, set;
    uint8_t source, has_own;
};

struct words {
    char text[LIMIT_COLOUR_WORDS_BYTES + 1];
};

struct colours {
    struct place place[PLACES];
    struct words
        *strange; /* of each place; NULL while there are none, "" where they are not kept */
};

void colours_destroy(struct colours *c)
{
    if (c)
        free(c->strange);
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

/* A name, or a notation that is another's to read: who joins reads it as the others did. */
static void keep_words(struct colours *c, int place, const char *value)
{
    size_t len = strcspn(value, ";");
    if (!c->strange)
        c->strange = memory_try(PLACES * sizeof *c->strange);
    if (!c->strange)
        return;
    bool plain = len < sizeof *c->strange;
    for (size_t i = 0; i < len; i++)
        plain = plain && value[i] >= ' ' && value[i] <= '~';
    snprintf(c->strange[place].text, sizeof *c->strange, "%.*s", plain ? (int)len : 0, value);
}

static void set(struct colours **c, int place, const char *value)
{
    struct colour colour = {0};
    if (place < 0 || *value == '?' || !have(c))
        return;
    bool read = read_colour(value, &colour);
    (*c)->place[place].source = read ? SET : STRANGE;
    (*c)->place[place].set = colour;
    if (!read)
        keep_words(*c, place, value);
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

static void append_head(int number, int index, struct bytes *out)
{
    bytes_printf(out, "\x1b]%d;", number);
    if (number == PALETTE_OSC)
        bytes_printf(out, "%d;", index);
}

void colours_append(const struct colours *c, int number, int index, struct bytes *out)
{
    struct colour is;
    if (!colours_get(c, number, index, &is))
        return;
    append_head(number, index, out);
    bytes_printf(out, "rgb:%04x/%04x/%04x\x1b\\", is.red, is.green, is.blue);
}

void colours_append_set(const struct colours *c, struct bytes *out)
{
    for (int i = 0; c && i < PLACES; i++) {
        int number = i < PALETTE ? PALETTE_OSC : i - PALETTE + FIRST;
        if (c->place[i].source == SET)
            colours_append(c, number, i, out);
        if (c->place[i].source == STRANGE && c->strange && *c->strange[i].text) {
            append_head(number, i, out);
            bytes_printf(out, "%s\x1b\\", c->strange[i].text);
        }
    }
}

/* ---- kept ---- */

void colours_save(const struct colours *c, struct bytes *out)
{
    bool strange = c && c->strange;
    pack_run(out, c ? c->place : NULL, c ? sizeof c->place : 0);
    pack_run(out, strange ? c->strange : NULL, strange ? PLACES * sizeof *c->strange : 0);
}

static bool load_strange(struct colours *c, const char *bytes, size_t len)
{
    c->strange = memory_try(len);
    if (!c->strange)
        return false;
    memcpy(c->strange, bytes, len);
    for (int i = 0; i < PLACES; i++)
        c->strange[i].text[LIMIT_COLOUR_WORDS_BYTES] = '\0';
    return true;
}

bool colours_load(struct colours **ret_colours, struct unpack *in)
{
    size_t len, strange_len;
    const char *bytes = unpack_run(in, &len), *strange = unpack_run(in, &strange_len);
    if (!bytes || !strange || (len && len != sizeof(*ret_colours)->place) ||
        (strange_len && (!len || strange_len != PLACES * sizeof(struct words))))
        return false;
    if (len && have(ret_colours))
        memcpy((*ret_colours)->place, bytes, len);
    if (len && !*ret_colours)
        return false;
    return !strange_len || load_strange(*ret_colours, strange, strange_len);
}
