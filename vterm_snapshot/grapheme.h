/* grapheme.h - grapheme clusters: what is seen as one character (UAX #29, extended).
 *
 * Under mode 2027 a cluster is what a cell holds: it is as wide as the widest of its characters,
 * and two columns where U+FE0F makes an emoji of it or two letters make a flag. U+FE0E changes
 * nothing.
 */
#ifndef VTERM_SNAPSHOT_GRAPHEME_H
#define VTERM_SNAPSHOT_GRAPHEME_H

#include <stdbool.h>
#include <stdint.h>

/* A text so far; zeroed, in front of its first character. */
struct grapheme {
    uint8_t kind;     /* of its last character */
    uint8_t emoji;    /* 1: behind a pictograph and what extends it; 2: and U+200D behind that */
    uint8_t conjunct; /* 1: behind a consonant and what extends it; 2: a virama is among that */
    bool flag;        /* the cluster is one letter of a flag */
    bool begun;
    uint32_t last;
    int width; /* columns of the last cluster */
};

/* The next character; returns whether it belongs to the cluster of those before it. */
bool grapheme_add(struct grapheme *text, uint32_t code);

#endif
