/* block_reader.h - the newest blocks of a session, oldest first, in steps that cost little each.
 *
 * Reads no more of the ends of blocks.jsonl and blocks.jsonl.1 than holds them, as they were when
 * it was opened, and holds one block at a time.
 */
#ifndef PTYD_SESSION_BLOCK_READER_H
#define PTYD_SESSION_BLOCK_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/core/json_walk.h"

struct block_reader;

/* For the newest `last` blocks (0: all) of the files in `directory`; files that are not there are
 * empty. `with_keys`: with what is our own files' alone. A block whose lines are both damaged is
 * left out. */
struct block_reader *block_reader_open(const char *directory, size_t last, bool with_keys);
void block_reader_close(struct block_reader *reader);

/* One step: looks at a line, or reads a few kilobytes. Returns 1 with a block, a new reference; 0
 * when it has none yet; -1 at the end. */
int block_reader_next(struct block_reader *reader, json_t **ret_block);

/* The same with a block's lines as they stand there, sealed (core/seal.h): the later one, which
 * counts where it is whole, and the earlier one, empty where there is none. Good until the next
 * step. */
int block_reader_next_lines(struct block_reader *reader, struct json_piece ret_lines[2]);

/* All of them at once; new reference. */
json_t *block_reader_all(const char *directory, size_t last, bool with_keys);

/* Bytes of memory that it has at present. */
size_t block_reader_holds(const struct block_reader *reader);

/* How many bytes were gone through. */
uint64_t block_reader_passed(const struct block_reader *reader);

#endif
