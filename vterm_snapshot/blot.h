/* blot.h - text is covered where it stands, and nothing else moves.
 *
 * Each character becomes another one of as many bytes and columns, `x` for most: offsets into a log
 * stay true, lines wrap where they did, marks keep their lengths. Controls and sequences stay, so
 * that a terminal comes to the same state. Pure.
 */
#ifndef VTERM_SNAPSHOT_BLOT_H
#define VTERM_SNAPSHOT_BLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transcript;

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

/* Calls `place` with the bytes of a text that are to be covered. */
typedef void blot_place(void *user, size_t from, size_t to, const char *what);

/* Who knows what is to be covered, where it is no text that is known. */
struct blot_finder {
    /* In a text: what a mark says, or a string. */
    void (*in_text)(void *user, const char *text, size_t len, blot_place *place, void *place_user);
    /* In what a transcript shows, from `from` on; it joins full rows. */
    void (*in_shown)(void *user, struct transcript *shown, size_t from, blot_place *place,
                     void *place_user);
    /* Or NULL. Asked now and then: with true it is left at what was found so far. */
    bool (*gives_up)(void *user);
    void *user;
};

/* blot_stream() for what is found: in what is shown as it changes, and over many lines; in strings;
 * in the texts of our marks, whose parts are one. */
size_t blot_found(char *bytes, size_t len, uint64_t offset, const struct blot_width *widths,
                  size_t width_count, const struct blot_finder *finder, void (*moves)(void));

/* The same in a text. */
size_t blot_found_text(char *text, size_t len, const struct blot_finder *finder);

/* Covers all text of such a part, and the texts of commands in our marks, but no directory; strings
 * (titles, links, the clipboard) become NULs, which show nothing. */
void blot_command(char *bytes, size_t len);

/* How long a mark of ours is that begins there; 0 for none. */
size_t blot_mark(const char *bytes, size_t len);

#endif
