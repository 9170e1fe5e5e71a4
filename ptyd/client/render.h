/* render.h - a command's output with its colours, made of the bytes that the session's log has. */
#ifndef PTYD_CLIENT_RENDER_H
#define PTYD_CLIENT_RENDER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"

/* Appends the output of the block that session.block answered with its `bytes`, as text with SGR
 * (command/paint.h): what a terminal of that size makes of them that shows nothing else. False
 * where the log does not have them any more; where it has their end alone, that is made, and it is
 * said on stderr. What the command drew over earlier lines is missing,
 * and where capture was paused: blocks/N.out has the last word (paint_match()). */
bool render_block(const json_t *result, struct bytes *out);

#endif
