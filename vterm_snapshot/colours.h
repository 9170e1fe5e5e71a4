/* colours.h - the palette and the colours of text, background, cursor and so on: those that a
 * program set (OSC 4, 10 to 19), and those that an attached terminal said are its own.
 *
 * They are drawn nowhere here: they are for who asks, and for who joins.
 */
#ifndef VTERM_SNAPSHOT_COLOURS_H
#define VTERM_SNAPSHOT_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"

struct colour {
    uint16_t red, green, blue;
};

/* NULL while none is known, which costs nothing. */
struct colours;

void colours_destroy(struct colours *colours);

/* A program's OSC, payload behind the number: sets or resets colours, or is none of that (104, 105,
 * 110 to 119 reset). A colour that is set by a name, or by what else is not read here, is
 * not known: its words are kept, LIMIT_COLOUR_WORDS_BYTES at most. Nothing is kept without memory.
 */
void colours_take(struct colours **colours, int number, const char *payload);
/* RIS: all that programs set is gone. */
void colours_reset(struct colours *colours);

/* A terminal's answer, as above: a colour of its own, unless a program set it. */
void colours_hear(struct colours **colours, int number, const char *payload);

/* The colour of that number of an OSC, of index `index` where it is 4. False when it is not known.
 */
bool colours_get(const struct colours *colours, int number, int index, struct colour *ret_colour);
/* Appends the OSC that says or sets it; nothing where it is not known. */
void colours_append(const struct colours *colours, int number, int index, struct bytes *out);
/* Appends what sets all that programs set, on a terminal that has its own. */
void colours_append_set(const struct colours *colours, struct bytes *out);

void colours_save(const struct colours *colours, struct bytes *out);
/* False for what is none. */
bool colours_load(struct colours **ret_colours, struct unpack *in);

#endif
