/* blot_private.h - what the files of blot.h share. */
#ifndef VTERM_SNAPSHOT_BLOT_PRIVATE_H
#define VTERM_SNAPSHOT_BLOT_PRIVATE_H

#include <stdbool.h>

#include "vterm_snapshot/blot.h"
#include "vterm_snapshot/transcript.h"

#define BLOT_KEPT (64 << 10) /* bytes of text that are held at most, but for the line at hand */

/* Covers these characters. */
void blot_cover(char *at, size_t len);

/* A part of a log that begins at `offset` of the stream. */
struct blot_part {
    char *bytes;
    size_t len;
    uint64_t offset;
    const struct blot_width *widths; /* in order */
    size_t width_count;
};

/* How wide the terminal was where it begins. */
int blot_cols(const struct blot_part *part);

/* Feeds it to a transcript that stands at its begin, in pieces; calls `behind` after each, which
 * says whether it goes on. */
void blot_read(const struct blot_part *part, struct transcript *shown, bool (*behind)(void *user),
               void *user);

/* Covers the bytes of it that the shown text's [i, i + len) stand for: all of them or none. */
void blot_cover_shown(struct transcript *shown, const char *text, size_t i, size_t len,
                      const struct blot_part *part);

/* How many bytes the character at `at` has with the marks that join it. */
size_t blot_cluster(const char *at, size_t len);

/* The next of our marks at or behind `at`, and its length; `end` and 0 for none. */
char *blot_next_mark(char *at, char *end, size_t *ret_len);

/* 'C' and the like; '\0' where it says none. */
char blot_mark_kind(const char *mark, size_t len);

/* What a field of a mark says that may be text. */
struct blot_value {
    char *at;
    size_t len;
    bool encoded, stays; /* it is no command's */
};

/* Calls `each` for the fields of a mark of so many bytes. */
void blot_each_value(char *mark, size_t len,
                     void (*each)(void *user, const struct blot_value *value), void *user);

/* The byte that stands at `i`, and how many bytes say it. */
char blot_decode(const struct blot_value *value, size_t i, size_t *ret_len);

/* Behind the string that begins at `at`, or `end`. */
char *blot_string_end(char *at, char *end);

#endif
