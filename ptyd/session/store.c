#define _GNU_SOURCE
#include "ptyd/session/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/owed.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_files.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/block_mend.h"
#include "ptyd/session/block_reader.h"
#include "ptyd/session/damage.h"
#include "ptyd/session/held.h"
#include "ptyd/session/snapshots.h"

#define DELTA_MS    100 /* between deltas */
#define SWEEP_EVERY 100 /* blocks between two looks at blocks/ */

static void failed(struct store *s, const char *what, int error)
{
    free(s->error);
    s->error = text_format("%s: %s", what, strerror(-error));
    s->failure = error;
}

/* ---- files of lines ---- */

static char *path_of(const struct store *s, const char *name)
{
    return text_format("%s/%s", s->directory, name);
}

static void append_line(struct store *s, const char *name, json_t *value)
{
    char *path = path_of(s, name), *text = json_dumps(value, JSON_COMPACT);
    if (text)
        owed_append(s->owed, path, text, LIMIT_JSONL_BYTES);
    json_decref(value);
    free(text);
    free(path);
}

static void replace_named(struct store *s, const char *name, json_t *value)
{
    char *path = path_of(s, name), *text = json_dumps(value, JSON_COMPACT);
    if (text)
        owed_replace(s->owed, path, text, strlen(text));
    json_decref(value);
    free(text);
    free(path);
}

/* ---- blocks.jsonl ---- */

static json_t *json_of(const struct store *s, const struct block *block, bool internal)
{
    json_t *json = block_to_json(block);
    if (internal)
        block_add_internal(block, json);
    if (s->redacts)
        block_redact_json(json, s->secrets);
    return json;
}

static void append_event(struct store *s, const char *type, const struct block *block)
{
    append_line(s, "events.jsonl",
                json_pack("{s:s, s:s, s:o}", "type", type, "conversation_id",
                          block->conversation_id, "block", json_of(s, block, false)));
}

/* What a former worker stored and did not come to tell. */
static void tell_untold(struct store *s, const struct block *block)
{
    bool ended = block->status != BLOCK_RUNNING;
    if (s->tells && !ended && block->seq > s->told_begun)
        append_event(s, "agent_block_begin", block);
    if (s->tells && ended && block->seq > s->told_ended)
        append_event(s, "agent_block_end", block);
}

static void note_known(void *user, json_t *json)
{
    struct store *s = user;
    struct block *block = block_from_json(json);
    if (!block)
        return;
    tell_untold(s, block);
    block_unref(s->running);
    s->running = NULL;
    if (block->status == BLOCK_RUNNING) {
        s->running = block;
        return;
    }
    s->last_ended = block->seq > s->last_ended ? block->seq : s->last_ended;
    block_unref(block);
}

/* ---- what the files hold, and what waits for them ---- */

json_t *store_blocks(const struct store *s, size_t last, bool with_keys)
{
    json_t *blocks = block_reader_all(s->directory, last, with_keys);
    held_add(s->owed, s->directory, 0, with_keys, blocks);
    while (last && json_array_size(blocks) > last)
        json_array_remove(blocks, 0);
    return blocks;
}

json_t *store_blocks_after(const struct store *s, uint64_t after)
{
    bool all;
    json_t *blocks = block_lines_after(s->directory, after, LIMIT_BLOCKS_PAGE_BYTES, &all);
    if (all)
        held_add(s->owed, s->directory, after, false, blocks);
    return blocks;
}

uint64_t store_oldest(const struct store *s)
{
    bool all;
    json_t *blocks = block_lines_after(s->directory, 0, 1, &all);
    uint64_t seq = (uint64_t)json_number(json_array_get(blocks, 0), "seq", 0);
    json_decref(blocks);
    return seq;
}

struct block_reader *store_reader(const struct store *s, size_t last)
{
    return block_reader_open(s->directory, last, false);
}

json_t *store_block(const struct store *s, uint64_t seq)
{
    uint64_t bytes_read = 0;
    json_t *found = held_block(s->owed, s->directory, seq);
    return found ? found : block_lines_find(s->directory, seq, &bytes_read);
}

static void append_block(struct store *s, const struct block *block)
{
    json_t *json = json_of(s, block, true);
    char *text = seal_dump(json);
    if (text)
        block_files_append(s->owed, s->directory, text, s->same);
    free(text);
    json_decref(json);
}

/* ---- life ---- */

/* A worker that is killed while it writes leaves what was written so far. (The blocks' files are
 * mended by each other.) */
static void cut_half_lines(struct store *s)
{
    static const char *const names[] = {"events.jsonl", "screen.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_of(s, names[i]);
        file_cut_half_line(path);
        free(path);
    }
}

/* Nobody wrote them since they were compared, but those may who do not ask. */
static int mend(struct store *s, struct block_mended *ahead)
{
    if (ahead)
        aside_take(&s->aside, &ahead->aside);
    if (ahead && ahead->result < 0 && ahead->became == block_files_sum(s->directory))
        return ahead->result;
    if (ahead && ahead->result == 0)
        *s->same = ahead->became;
    return block_mend(s->directory, s->same, &s->aside);
}

/* What a former worker could not write is in the files, where that works, before they are read. */
static void prepare_files(struct store *s, const struct store_host *host)
{
    char *blocks = path_of(s, "blocks");
    int aside = damage_set_aside(s->directory, &s->aside);
    int made = file_make_private_directory(blocks);
    owed_outlive(s->owed, host->slate, host->keep);
    cut_half_lines(s);
    int mended = mend(s, host->mended);
    if (aside < 0 || made < 0 || mended < 0)
        failed(s, s->directory, made < 0 ? made : aside < 0 ? aside : mended);
    free(blocks);
}

/* It is newer than what the files hold. */
static void take_owed_meta(struct store *s)
{
    for (int i = 0; i < 2; i++) {
        size_t len = 0;
        const char *text = owed_whole(s->owed, s->meta_file.paths[i], &len);
        json_t *meta = text ? seal_load(text, len) : NULL;
        uint64_t number = (uint64_t)json_number(meta, "number", 0);
        if (meta && number >= s->meta_file.number) {
            s->meta_file.number = number;
            json_decref(s->meta);
            s->meta = json_incref(meta);
        }
        json_decref(meta);
    }
}

static void open_meta(struct store *s, bool empty)
{
    bool lost;
    s->meta = empty ? json_object() : pair_open(&s->meta_file, LIMIT_META_BYTES, &s->aside, &lost);
    take_owed_meta(s);
}

static void note_owed_event(void *user, const char *line)
{
    block_lines_note_told(user, line);
}

/* Of those that wait nothing is told again either. */
static void read_told(struct store *s)
{
    struct block_lines_told told = {0};
    char *path = path_of(s, "events.jsonl");
    block_lines_told(s->directory, &told);
    owed_each(s->owed, path, note_owed_event, &told);
    s->tells = told.begun != 0;
    s->told_begun = told.begun;
    s->told_ended = told.ended < told.begun ? told.begun - 1 : told.begun;
    free(path);
}

static void note_owed_block(void *user, const char *line)
{
    json_t *block = seal_load(line, strlen(line));
    if (block)
        note_known(user, block);
    json_decref(block);
}

/* What is older than the last one that ended, and was told, says nothing that is not known. */
static void read_known(struct store *s)
{
    char *path = path_of(s, "blocks.jsonl");
    uint64_t ended = block_lines_ended(s->directory), after = ended ? ended - 1 : 0;
    after = s->tells && s->told_ended < after ? s->told_ended : after;
    block_lines_behind(s->directory, after, note_known, s);
    owed_each(s->owed, path, note_owed_block, s);
    free(path);
}

static void note_aside(struct store *s)
{
    char *above = paths_parent(s->directory);
    aside_bound(&s->aside, above);
    aside_bound(&s->aside, s->directory);
    aside_list(&s->aside, above);
    aside_list(&s->aside, s->directory);
    free(above);
}

static void open_empty(struct store *s, const struct store_host *host)
{
    owed_outlive(s->owed, host->slate, host->keep);
    *s->same = block_files_sum(s->directory);
    open_meta(s, true);
}

static void open_files(struct store *s, const struct store_host *host)
{
    prepare_files(s, host);
    open_meta(s, false);
    read_told(s);
    read_known(s);
    uint64_t kept = (uint64_t)json_number(s->meta, "seq", 0);
    s->known_seq = kept > s->last_ended ? kept : s->last_ended;
    note_aside(s);
}

struct store *store_open(const char *state, const char *name, const struct store_host *host)
{
    struct store *s = memory_new(sizeof *s);
    char *meta = text_format("%s/conversations/%s/meta.json", state, name);
    s->owed = owed_create(host->owing, host->user);
    s->owing = host->owing;
    s->user = host->user;
    s->redacts = host->redacts;
    s->same = host->same ? host->same : &s->own_same;
    s->directory = text_format("%s/conversations/%s/agent_pty", state, name);
    s->output = output_create();
    pair_init(&s->meta_file, meta);
    free(meta);
    if (host->empty)
        open_empty(s, host);
    else
        open_files(s, host);
    return s;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    output_destroy(s->output, s->owed);
    size_t lost = owed_destroy(s->owed);
    if (lost)
        say("%s: %zu writes failed to the last and are lost", s->directory, lost);
    block_unref(s->running);
    bytes_finish(&s->delta);
    aside_finish(&s->aside);
    json_decref(s->meta);
    pair_finish(&s->meta_file);
    free(s->directory);
    free(s->error);
    free(s);
}

const char *store_directory(const struct store *s)
{
    return s->directory;
}

const char *store_error(const struct store *s)
{
    return s->error;
}

int store_failure(const struct store *s)
{
    return s->failure;
}

struct aside *store_aside(struct store *s)
{
    return &s->aside;
}

uint64_t store_last_ended(const struct store *s)
{
    return s->last_ended;
}

uint64_t store_known_seq(const struct store *s)
{
    return s->known_seq;
}

uint64_t store_highest_seq(const struct store *s)
{
    uint64_t named = block_files_named_seq(s->directory);
    uint64_t known = s->known_seq > s->last_ended ? s->known_seq : s->last_ended;
    return named > known ? named : known;
}

struct block *store_running(const struct store *s)
{
    return s->running ? block_ref(s->running) : NULL;
}

/* ---- a block's life ---- */

static void open_output(struct store *s, struct block *block, int64_t written)
{
    free(block->output_path);
    block->output_path = text_format("blocks/%llu_%lld.out", (unsigned long long)block->seq,
                                     (long long)block->ts_begin);
    char *path = path_of(s, block->output_path);
    aside_check(&s->aside, path, O_NOFOLLOW); /* a former worker's */
    output_begin(s->output, s->owed, path, written);
    s->delta.len = 0;
    free(path);
}

void store_begin(struct store *s, struct block *block)
{
    bool known = s->running && s->running->seq == block->seq;
    open_output(s, block, 0);
    if (known)
        return; /* a former worker has told it */
    append_block(s, block);
    append_event(s, "agent_block_begin", block);
    block_unref(s->running);
    s->running = block_ref(block);
}

int64_t store_written(const struct store *s)
{
    return output_written(s->output);
}

void store_resume(struct store *s, struct block *block, int64_t written)
{
    open_output(s, block, written);
    block_unref(s->running);
    s->running = block_ref(block);
}

void store_output(struct store *s, const char *text, size_t len)
{
    output_add(s->output, text, len);
    if (s->redacts)
        return; /* a piece may have half of a secret */
    bytes_append(&s->delta, text, len);
    if (s->delta.len > 2 * LIMIT_DELTA_BYTES)
        bytes_consume(&s->delta,
                      utf8_ceil(s->delta.data, s->delta.len, s->delta.len - LIMIT_DELTA_BYTES));
}

static void tell_delta(struct store *s, struct block *block)
{
    char *id = block_id(block);
    append_line(s, "events.jsonl",
                json_pack("{s:s, s:s, s:s, s:s#}", "type", "agent_block_delta", "conversation_id",
                          block->conversation_id, "block_id", id, "delta", s->delta.data,
                          (int)s->delta.len));
    s->delta.len = 0;
    free(id);
}

void store_flush(struct store *s, struct block *block, int64_t monotonic_ms)
{
    if (!output_flush(s->output))
        s->owing(s->user);
    bool due = monotonic_ms - s->delta_ms >= DELTA_MS && !owed_state(s->owed).count;
    if (block && s->delta.len && due) {
        s->delta_ms = monotonic_ms;
        tell_delta(s, block);
    }
}

void store_set_secrets(struct store *s, const struct redact_secrets *secrets)
{
    s->secrets = secrets;
}

void store_set_snapshot_from(struct store *s, uint64_t line)
{
    s->snapshot_from = line;
}

void store_end(struct store *s, struct block *block, const struct terminal *terminal)
{
    store_flush(s, NULL, 0);
    if (s->delta.len)
        tell_delta(s, block);
    output_end(s->output, s->owed);
    if (terminal)
        snapshots_replace(&(struct snapshots){.owed = s->owed,
                                              .directory = s->directory,
                                              .terminal = terminal,
                                              .from = s->snapshot_from,
                                              .redacts = s->redacts,
                                              .secrets = s->secrets},
                          block);
    append_block(s, block);
    append_event(s, "agent_block_end", block);
    s->last_ended = block->seq;
    block_unref(s->running);
    s->running = NULL;
    if (block->seq % SWEEP_EVERY == 0)
        block_files_sweep(s->directory, block->seq);
}

void store_end_unseen(struct store *s, const struct terminal *terminal)
{
    struct block *orphan = store_running(s);
    if (!orphan)
        return;
    orphan->status = BLOCK_ABANDONED;
    orphan->ts_end = orphan->ts_begin;
    store_end(s, orphan, terminal);
    block_unref(orphan);
}

void store_screen_delta(struct store *s, json_t *delta)
{
    append_line(s, "screen.jsonl", delta);
}

/* ---- meta and small files ---- */

json_t *store_meta(struct store *s)
{
    return s->meta;
}

void store_save_meta(struct store *s)
{
    json_object_set_new(s->meta, "seq", json_integer((json_int_t)s->last_ended));
    char *text = pair_text(&s->meta_file, s->meta);
    for (int i = 0; text && i < 2; i++)
        owed_replace(s->owed, s->meta_file.paths[i], text, strlen(text));
    free(text);
}

void store_shell(struct store *s, const char *shell_id)
{
    char *path = path_of(s, "shell_id.txt");
    owed_replace(s->owed, path, shell_id, strlen(shell_id));
    free(path);
}

void store_size(struct store *s, int cols, int rows, int64_t now_ms)
{
    replace_named(
        s, "screen_size.json",
        json_pack("{s:i, s:i, s:I}", "cols", cols, "rows", rows, "ts", (json_int_t)now_ms));
}
