/* blot.h - text is covered where it stands, and nothing else moves.
 *
 * Each character becomes another one of as many bytes and columns, `x` for most: offsets into a log
 * stay true, lines wrap where they did, marks keep their lengths. Controls and sequences stay, so
 * that a terminal comes to the same state. Pure.
 */
#ifndef VTERM_SNAPSHOT_BLOT_H
#define VTERM_SNAPSHOT_BLOT_H

#include <stddef.h>
#include <stdint.h>

/* Covers `wanted` wherever it stands in a text. Returns how often that was. */
size_t blot_text(char *text, size_t len, const char *wanted);

/* From `offset` of the stream on the terminal was so wide. */
struct blot_width {
    uint64_t offset;
    int cols;
};

/* Covers `wanted` in a part of a log that begins at `offset` of the stream, between two sequences:
 * where its bytes stand together, in strings, too; where it is to be read whatever colours, wraps
 * and corrections come in between; and in what our marks say. `widths` are in order; `moves`, or
 * NULL, is called now and then. Returns in how many places something was covered. */
size_t blot_stream(char *bytes, size_t len, uint64_t offset, const struct blot_width *widths,
                   size_t width_count, const char *wanted, void (*moves)(void));

/* Covers all text of such a part, and the texts of commands in our marks, but no directory; strings
 * (titles, links, the clipboard) become NULs, which show nothing. */
void blot_command(char *bytes, size_t len);

/* How long a mark of ours is that begins there; 0 for none. */
size_t blot_mark(const char *bytes, size_t len);

#endif
