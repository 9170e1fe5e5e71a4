/* index.h - search.db: what every block on disk holds, to be found at once.
 *
 * It is derived from the files under `conversations/` and may be removed at any time. Whoever
 * searches brings it up to date (fill.h), one at a time; the others read what is there. Each page
 * of it has a sum (sums.h). What fails is noted, and what is done behind that does nothing.
 *
 *   sessions   a row each, with what blocks.jsonl was when it was read, and the running block
 *   blocks     what stands in a result's head; the rowid is index_block()
 *   sheets     text of one session's blocks, some LIMIT_SEARCH_SHEET_BYTES, whose it is (sheet.h),
 *              and hashes: index_directory_hash() of every directory at or above a block's own,
 *              INDEX_FAILED where a block of it did
 *   groups, slices, words    which sheets may hold what (groups.h)
 */
#ifndef PTYD_SEARCH_INDEX_H
#define PTYD_SEARCH_INDEX_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

struct index;

/* Opens `<state>/search.db`, makes it where it is not there or another version's, and keeps those
 * who would remove it away until index_close(). Never NULL: index_failure(). */
struct index *index_open(const char *state);
void index_close(struct index *index);

/* What failed, for people; NULL while nothing did. Borrowed. */
const char *index_failure(const struct index *index);
/* Whether that was the file's content, so that it helps to make it again. */
bool index_is_damaged(const struct index *index);
/* Whether the disk is full. */
bool index_lacks_room(const struct index *index);

/* Closes it, waits for those who read it, removes it unless another did meanwhile, and opens it
 * anew, empty. */
void index_make_again(struct index *index);

/* Becomes the one that writes, where nobody else is within `wait_ms`. */
bool index_begin_writing(struct index *index, int wait_ms);
void index_end_writing(struct index *index);

/* Undoes what is not committed, and forgets what failed. */
void index_go_back(struct index *index);

/* Runs statements that give no rows. */
void index_run(struct index *index, const char *sql);

/* Prepares a statement, NULL when it fails; and takes a step of it: true with a row. At the end, or
 * where it failed, it is reset. NULL is no row. */
sqlite3_stmt *index_prepare(struct index *index, const char *sql);
bool index_step(struct index *index, sqlite3_stmt *statement);
int64_t index_last_rowid(const struct index *index);
/* Whether the last statement that changes rows changed some. */
bool index_changes(const struct index *index);

/* The rowid of a block: of session `id` the one with number `seq`; and back. */
int64_t index_block(int64_t session, int64_t seq);
int64_t index_block_session(int64_t block);
int64_t index_block_seq(int64_t block);

/* What stands in a sheet's hashes for all that lies in or below a directory; and for failure. */
uint64_t index_directory_hash(const char *directory, size_t len);
#define INDEX_FAILED UINT64_C(1)

#endif
