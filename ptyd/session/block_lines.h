/* block_lines.h - the lines of blocks.jsonl, and of blocks.jsonl.1, which holds what came before.
 *
 * A block has two lines, one for its begin and one for its end: the later one counts. Lines are in
 * order of `seq`, each sealed (core/seal.h); one that is no JSON object, or damaged, is passed
 * over.
 */
#ifndef PTYD_SESSION_BLOCK_LINES_H
#define PTYD_SESSION_BLOCK_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void block_line(void *user, json_t *block);

/* Calls `each` for every line of a number above `after` of the files in `directory`, oldest first;
 * it borrows the block. What is older is not read, but for some 25 lines of each file. */
void block_lines_behind(const char *directory, uint64_t after, block_line *each, void *user);

/* The highest `seq` whose begin (or end), and whose end, is told; 0 for none. */
struct block_lines_told {
    uint64_t begun, ended;
};

/* What events.jsonl (or .1, when that is empty) tells at its end; and what a line of it tells
 * besides. */
void block_lines_told(const char *directory, struct block_lines_told *told);
void block_lines_note_told(struct block_lines_told *told, const char *line);

/* Adds what a further line says to an array of blocks: to its last one, or a new one. Borrows the
 * block, and changes it where not `with_keys`. */
void block_lines_add(json_t *blocks, json_t *block, bool with_keys);

/* The oldest blocks with a higher number than `after`, oldest first, without what is our own files'
 * alone: as many as `most` bytes of lines hold, one at least; *ret_all: those were all. New
 * reference, empty when there are none. */
json_t *block_lines_after(const char *directory, uint64_t after, size_t most, bool *ret_all);

/* The same with what is our own files' alone. */
json_t *block_lines_kept_after(const char *directory, uint64_t after, size_t most, bool *ret_all);

/* And as block_lines_after() with a block's begin and its end apart. */
json_t *block_lines_apart(const char *directory, uint64_t after, size_t most, bool *ret_all);

/* The highest number of a block in the files, and of one that ended; 0 for none. The files are read
 * from their end, as far as needed. */
uint64_t block_lines_highest(const char *directory);
uint64_t block_lines_ended(const char *directory);

/* The block `seq` without what is our own files' alone: some 25 lines of each file are looked at,
 * one is parsed. Adds what was read of the files to `bytes_read`. New reference, NULL when there is
 * none. */
json_t *block_lines_find(const char *directory, uint64_t seq, uint64_t *bytes_read);

#endif
