/* paint.h - text with colours: SGR is read, and no other sequence is let through.
 *
 * What comes is text with SGR (`ESC [ ... m`) in it, as the daemon renders it. Whatever else stands
 * there is shown as show.h shows text of a terminal.
 */
#ifndef PTYD_COMMAND_PAINT_H
#define PTYD_COMMAND_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum paint_attribute {
    PAINT_BOLD = 1 << 0,
    PAINT_DIM = 1 << 1,
    PAINT_ITALIC = 1 << 2,
    PAINT_UNDERLINE = 1 << 3,
    PAINT_REVERSE = 1 << 4,
    PAINT_STRIKE = 1 << 5,
    PAINT_OVERLINE = 1 << 6,
};

/* A colour: 0 is the default, PAINT_INDEXED | n of 256, PAINT_RGB | 0xrrggbb. */
#define PAINT_INDEXED 0x01000000u
#define PAINT_RGB     0x02000000u

struct paint {
    uint32_t foreground, background;
    unsigned attributes; /* of enum paint_attribute; blinking and hidden text is neither */
};

/* Whether stdout is a terminal that shows colours, and NO_COLOR does not forbid them. */
bool paint_is_wanted(void);

/* Calls `each` for every piece of the text that is painted alike; the text between sequences is as
 * it came. */
typedef void paint_piece(void *user, const struct paint *paint, const char *text, size_t len);
void paint_each(const char *text, size_t len, paint_piece *each, void *user);

/* Appends the text alone, as it came but for SGR. */
void paint_strip(const char *text, size_t len, struct bytes *out);

/* Appends it for a terminal: clean text, and SGR that leaves the default behind. */
void paint_terminal(const char *text, size_t len, struct bytes *out);

/* Appends the lines of `text`, each as it stands in `painted` where it does: lines that follow each
 * other there as they do here, up to blanks at their ends. What was appended, stripped, is `text`
 * but for such blanks. */
void paint_match(const char *text, size_t len, const char *painted, size_t painted_len,
                 struct bytes *out);

#endif
