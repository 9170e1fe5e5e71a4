/* store.h - a conversation's files: events, blocks, snapshots, meta.
 *
 * Everything lies under `<state>/conversations/<name>/`; 0700 and 0600. What cannot be written
 * waits (core/owed.h) until store_pay() writes it; the session goes on.
 */
#ifndef PTYD_SESSION_STORE_H
#define PTYD_SESSION_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/aside.h"
#include "ptyd/core/block.h"
#include "ptyd/core/owed.h"
#include "ptyd/session/output.h"
#include "vterm_snapshot/terminal.h"

struct block_mended;
struct block_reader;
struct store;

/* What becomes of what could not be written. */
struct store_host {
    /* Something waits: store_pay() is to be called after a moment. */
    void (*owing)(void *user);
    /* It is kept in that memory, too (core/slate.h), which is borrowed, for the next worker's
     * store_open(); false: nobody does, and it is tried again. NULL: nobody ever does. */
    bool (*keep)(void *user, int slate);
    void *user;
    int slate; /* that a former worker's was kept in; the caller's. -1 for none */
    /* What it writes has no secrets (store_set_secrets()); what runs is told of with its end. */
    bool redacts;
    /* Its directory is there, and has nothing in it to be read (spare.h). */
    bool empty;
    /* When the files of its blocks were alike (block_mend.h), kept for the next worker; borrowed
     * until store_close(). NULL: not. */
    uint64_t *same;
    /* Its blocks' files were compared already; what was found there is taken over. NULL: not. */
    struct block_mended *mended;
};

/* Makes the directories and reads the files. What cannot be opened (a directory where a file should
 * be, a link), output.raw and the like too, and what is damaged is set aside: store_aside(). Of
 * what is kept twice (meta.json, blocks.jsonl) one that is damaged costs nothing. What fails
 * besides is a store_error(); what is there is served. */
struct store *store_open(const char *state, const char *name, const struct store_host *host);
/* What cannot even now be written is lost, and said on stderr. */
void store_close(struct store *store);

/* Writes what waits, where that works. Returns after how many ms to try again; 0 for all written.
 */
int store_pay(struct store *store);
/* Nobody keeps it after all: the same. */
void store_slate_lost(struct store *store);
/* How much waits, why, and since when; and of how many blocks the listing has some only in memory.
 */
struct owed_state store_owed(const struct store *store);

/* Appends a line to a file that is none of the session's, as owed_append() does: where there is no
 * room it waits with the session's own. Calls `each` for those of the file that wait, oldest first.
 */
void store_append_other(struct store *store, const char *path, const char *line, long long most);
void store_each_waiting(const struct store *store, const char *path,
                        void (*each)(void *user, const char *line), void *user);
/* The same, and they wait with it no more. */
void store_take_waiting(struct store *store, const char *path,
                        void (*each)(void *user, const char *line), void *user);
size_t store_held_blocks(const struct store *store);

/* `<state>/conversations/<name>/agent_pty`, absolute. */
const char *store_directory(const struct store *store);

/* Why it could not be opened, NULL when it could. */
const char *store_error(const struct store *store);
int store_failure(const struct store *store); /* the same as -errno; 0 */

/* What of the session's files is not whole; whoever finds more of it adds to that. */
struct aside *store_aside(struct store *store);

/* What a former worker knew: seq of the last block that ended, and the block that was running
 * after it (a new reference) or NULL. The third function is the last that it had ended, as
 * meta.json has it, too: above the first where lines of blocks.jsonl are lost. The last one looks
 * at the names in blocks/ besides: no file knows of a higher seq. */
uint64_t store_last_ended(const struct store *store);
uint64_t store_known_seq(const struct store *store);
uint64_t store_highest_seq(const struct store *store);
struct block *store_running(const struct store *store);

/* Bytes that outlive the worker and are in no file, as owed_note() has them. */
void store_note(struct store *store, enum owed_note which, const char *data, size_t len);
const char *store_noted(const struct store *store, enum owed_note which, size_t *ret_len);

/* What is secret besides; borrowed, NULL for none. */
void store_set_secrets(struct store *store, const struct redact_secrets *secrets);

/* A block began: event, line, output file. */
void store_begin(struct store *store, struct block *block);
/* How much of a running block's output is in its file. */
int64_t store_written(const struct store *store);
/* Goes on with a block that began before, its file as it was when so much was written. */
void store_resume(struct store *store, struct block *block, int64_t written);
/* Its output as it is in its file, and what is to follow there; borrowed until it goes on. */
struct output_rest store_unwritten(const struct store *store);
/* A former worker's file is right as far as it goes: while this is true output that comes is not
 * written. Then the one that runs goes on behind it. */
void store_hold_output(struct store *store, bool hold);
void store_restore_output(struct store *store, const struct output_rest *rest);
/* Its rendered output goes on. */
void store_output(struct store *store, const char *text, size_t len);
/* Writes the output that is held back; of the running `block` (or NULL) an event tells it, too, at
 * most ten times a second, and not while lines wait: then the newest of it goes with the block. */
void store_flush(struct store *store, struct block *block, int64_t monotonic_ms);
/* It ended: snapshots first (not without `terminal`), then line and event. */
void store_end(struct store *store, struct block *block, const struct terminal *terminal);
/* The one that runs, if any, has ended unseen. */
void store_end_unseen(struct store *store, const struct terminal *terminal);

/* Blocks on disk, and those that wait to be, as JSON (without the running one's preview), oldest
 * first; at most the newest `last` (0: all); `with_keys`: with the agents' keys too. New reference.
 */
json_t *store_blocks(const struct store *store, size_t last, bool with_keys);
/* The same without the agents' keys, one by one; the caller's. */
struct block_reader *store_reader(const struct store *store, size_t last);

/* The same, the oldest ones behind number `after`: as many as LIMIT_BLOCKS_PAGE_BYTES of lines
 * hold, without the agents' keys; none is the end. */
json_t *store_blocks_after(const struct store *store, uint64_t after);

/* Adds those that wait for their file to an array of what the files hold, oldest first: what a line
 * says of the last one there counts. Without the agents' keys. */
void store_add_owed(const struct store *store, json_t *blocks);

/* The lines of those that wait, a block's begin and its end apart, of numbers above `after`: new
 * reference. */
json_t *store_owed_lines(const struct store *store, uint64_t after);

/* The number of the oldest block on disk; 0 when there is none. */
uint64_t store_oldest(const struct store *store);

/* One block by its number, without the agents' keys, after a bounded number of bytes was read; new
 * reference or NULL. */
json_t *store_block(const struct store *store, uint64_t seq);

/* The meta.json object; borrowed. Change it, then store_save_meta(). */
json_t *store_meta(struct store *store);
void store_save_meta(struct store *store);

/* Adds a line to screen.jsonl; steals the reference. */
void store_screen_delta(struct store *store, json_t *delta);

/* Lines before this absolute number are kept out of snapshots from now on. */
void store_set_snapshot_from(struct store *store, uint64_t line);

/* Replace shell_id.txt and screen_size.json. */
void store_shell(struct store *store, const char *shell_id);
void store_size(struct store *store, int cols, int rows, int64_t now_ms);

#endif
