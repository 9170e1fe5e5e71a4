/* legacy.h - the envelope in front of a user's text, for servers without any other way.
 *
 * `\x1eCODEX_META <one-line JSON>\x1f` goes in front of the first text item of a turn/start, and is
 * taken off again wherever the server's messages repeat the text. A user's own text that begins
 * like an envelope gets an empty one in front, so that what is left is always what the user wrote.
 */
#ifndef ENVELOPE_LEGACY_H
#define ENVELOPE_LEGACY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "envelope/message.h"

/* Appends the turn/start with the envelope of `object` (one JSON object, ASCII) in its first text
 * item, whose text_elements move along; every other byte stays. `object` NULL: only a text that
 * begins like an envelope gets one, an empty one. Returns 1; 0 when nothing had to change (nothing
 * appended); -ENOENT without a text item; -EINVAL when the message cannot be parsed; -ENOMEM. */
int legacy_add(const struct message *turn, const char *object, struct bytes *out);

/* Whether a message may hold an envelope. */
bool legacy_may_hold(const char *line, size_t len);

/* Appends `line` with the envelope taken off every string that begins with one. Returns 1; 0 when
 * there is none (nothing appended); -EINVAL when it is not JSON. */
int legacy_strip(const char *line, size_t len, struct bytes *out);

#endif
