/* redact_shapes.h - the table of what secrets look like that need no name. */
#ifndef ENVELOPE_REDACT_SHAPES_H
#define ENVELOPE_REDACT_SHAPES_H

#include "envelope/redact_private.h"

/* A shape: text, and between < and > what may stand there: a letter for the set of characters and
 * how many of them, `<a36>` or `<a36-255>`.
 *
 *   d digits            h lower-case hexadecimal     H hexadecimal
 *   u A-Z               U A-Z and digits             l a-z and digits
 *   a letters, digits   w those and _ -              W those, _ - and .
 *   b base64            B base64 of both alphabets   p those and .%
 *   k a-z, 0-9, -
 *
 * Of the type REDACT_PREFIXED it has to look random behind its first part: many texts are like it.
 */
#define REDACT_PREFIXED "prefixed-key"
struct redact_shape {
    char type[24], form[72];
    bool inside; /* may stand behind a letter: the text it begins with is like no other */
};

extern const struct redact_shape redact_shapes[];
extern const int redact_shape_count;

#endif
