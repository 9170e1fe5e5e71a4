/* transcript.h - the text of a stream of bytes, in the order in which it came.
 *
 * For whoever searches what a program printed. A line is as a terminal as wide would show it, but
 * without its right edge: a character that is overwritten or erased is gone, a tab is as many
 * spaces, a line that wraps is one line. Where the cursor goes to another line a new one begins;
 * what was left is not changed any more. Controls, marks and characters that show nothing are left
 * out. Each byte of the text knows where in the stream what it stands for ended. Pure.
 */
#ifndef VTERM_SNAPSHOT_TRANSCRIPT_H
#define VTERM_SNAPSHOT_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

struct transcript;

/* Called during transcript_write(), before text that stands is overwritten or erased: what is to be
 * seen of it can be looked at now, at the latest. */
typedef void transcript_changes(void *user);

/* At `offset` of the stream, `cols` columns wide. `changes` may be NULL. Returns NULL without
 * memory. */
struct transcript *transcript_create(uint64_t offset, int cols, transcript_changes *changes,
                                     void *user);
void transcript_destroy(struct transcript *t);

/* From now on a row that is full is one line with the next, also where a line feed came between: a
 * program that knows the width, a line editor above all, may have gone on there by itself. */
void transcript_join_full(struct transcript *t);

/* From now on it is so wide. */
void transcript_set_cols(struct transcript *t, int cols);

/* Takes bytes of a log, cut anywhere, and may change them. Returns how many: the rest is given
 * again in front of what follows. */
size_t transcript_write(struct transcript *t, char *bytes, size_t len);

/* Behind the bytes that were taken: where another one can begin, which is in front of a sequence
 * that is not there whole. */
uint64_t transcript_offset(const struct transcript *t);

/* Inside a sequence, it waits for its end no more. */
void transcript_leave_sequence(struct transcript *t);

/* The text held, valid UTF-8, the line at hand at its end; until the next call of another function.
 */
const char *transcript_text(struct transcript *t, size_t *ret_len);

/* Where in the text it is other than at the last call of this: in front of that nothing changed. */
size_t transcript_changed_from(struct transcript *t);

/* Where in the text such line feeds were, in front of the bytes at these places, in order; valid as
 * the text is. */
const size_t *transcript_breaks(struct transcript *t, size_t *ret_count);

/* Where in the stream the last of the text's bytes [from, to) came; to > from. */
uint64_t transcript_place(struct transcript *t, size_t from, size_t to);

/* Forgets the text in front of `keep`, as far as it is not of the line at hand; returns how many
 * bytes it was. */
size_t transcript_forget(struct transcript *t, size_t keep);

#endif
