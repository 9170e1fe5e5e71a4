/* shapes.h - the table of what secrets look like that need no name. */
#ifndef ENVELOPE_REDACT_SHAPES_H
#define ENVELOPE_REDACT_SHAPES_H

#include "envelope/redact/rules.h"

/* A shape: text, and between < and > what may stand there: a letter for the set of characters and
 * how many of them, `<a36>` or `<a36-255>`.
 *
 *   d digits            h lower-case hexadecimal     H hexadecimal
 *   u A-Z               U A-Z and digits             l a-z and digits
 *   a letters, digits   w those and _ -              W those, _ - and .
 *   b base64            B base64 of both alphabets   p those and .%
 *   k a-z, 0-9, -       j W and b
 *
 * A ^ stands where what is secret of it begins, another one where that ends.
 *
 * Of the type REDACT_PREFIXED it has to look random behind its first part: many texts are like it.
 */
#define REDACT_PREFIXED "prefixed-key"
struct redact_shape {
    char type[24], form[72];
    bool inside; /* may stand behind a letter: the text it begins with is like no other */
};

/* Those that who issues tokens publishes (shapes.c; shapes_later.c), and those of
 * programs' own forms, of addresses and of no one (shapes_any.c). */
extern const struct redact_shape redact_issued_shapes[], redact_later_shapes[], redact_any_shapes[];
extern const int redact_issued_shape_count, redact_later_shape_count, redact_any_shape_count;

/* All of them, the issued ones first. */
static inline int redact_shape_count(void)
{
    return redact_issued_shape_count + redact_later_shape_count + redact_any_shape_count;
}

static inline const struct redact_shape *redact_shape(int i)
{
    int later = i - redact_issued_shape_count, any = later - redact_later_shape_count;
    return later < 0 ? &redact_issued_shapes[i]
           : any < 0 ? &redact_later_shapes[later]
                     : &redact_any_shapes[any];
}

#endif
