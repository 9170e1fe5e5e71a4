#define _GNU_SOURCE
#include "ptyd/session/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/damage.h"

#define DELTA_MS    100 /* between deltas */
#define SWEEP_EVERY 100 /* blocks between two looks at blocks/ */

struct store {
    char *directory; /* .../agent_pty */
    char *meta_path;
    json_t *meta;
    char *error;
    struct bytes damaged; /* what was set aside */
    uint64_t last_ended;
    struct block *running;

    int output;             /* of the running block, -1 without */
    int64_t output_written; /* bytes */
    struct bytes text;      /* not written yet */
    struct bytes delta;     /* not told yet */
    int64_t delta_ms;
    uint64_t snapshot_from; /* earlier scrollback lines are in no snapshot */
};

static void failed(struct store *s, const char *what, int error)
{
    free(s->error);
    s->error = text_format("%s: %s", what, strerror(error < 0 ? -error : error));
}

/* ---- files of lines ---- */

static char *path_of(const struct store *s, const char *name)
{
    return text_format("%s/%s", s->directory, name);
}

/* At its quota the file becomes NAME.1. */
static void append_line(struct store *s, const char *name, json_t *value)
{
    char *path = path_of(s, name), *text = json_dumps(value, JSON_COMPACT);
    long long size = text ? file_append_line(path, text) : -ENOMEM;
    if (size < 0)
        failed(s, name, (int)size);
    if (size > LIMIT_JSONL_BYTES) {
        char *old = text_format("%s.1", path);
        rename(path, old);
        free(old);
    }
    free(text);
    free(path);
    json_decref(value);
}

static void replace_json(struct store *s, const char *path, json_t *value)
{
    int result = json_replace_file(path, value);
    if (result < 0)
        failed(s, path, result);
    json_decref(value);
}

static void replace_named(struct store *s, const char *name, json_t *value)
{
    char *path = path_of(s, name);
    replace_json(s, path, value);
    free(path);
}

/* ---- blocks.jsonl ---- */

static void note_known(void *user, json_t *json)
{
    struct store *s = user;
    struct block *block = block_from_json(json);
    if (!block)
        return;
    block_unref(s->running);
    s->running = NULL;
    if (block->status == BLOCK_RUNNING) {
        s->running = block;
        return;
    }
    s->last_ended = block->seq > s->last_ended ? block->seq : s->last_ended;
    block_unref(block);
}

json_t *store_blocks(const struct store *s, size_t last, bool with_keys)
{
    return block_lines_last(s->directory, last, with_keys);
}

json_t *store_blocks_after(const struct store *s, uint64_t after)
{
    return block_lines_after(s->directory, after, LIMIT_BLOCKS_PAGE_BYTES);
}

json_t *store_block(const struct store *s, uint64_t seq)
{
    uint64_t bytes_read = 0;
    return block_lines_find(s->directory, seq, &bytes_read);
}

static void append_block(struct store *s, const struct block *block)
{
    json_t *json = block_to_json(block);
    block_add_internal(block, json);
    append_line(s, "blocks.jsonl", json);
}

static void append_event(struct store *s, const char *type, const struct block *block)
{
    append_line(s, "events.jsonl",
                json_pack("{s:s, s:s, s:o}", "type", type, "conversation_id",
                          block->conversation_id, "block", block_to_json(block)));
}

/* ---- life ---- */

static void prepare_files(struct store *s)
{
    char *blocks = path_of(s, "blocks");
    int aside = damage_set_aside(s->directory, &s->damaged);
    int made = file_make_private_directory(blocks);
    if (aside < 0 || made < 0)
        failed(s, s->directory, made < 0 ? made : aside);
    free(blocks);
}

struct store *store_open(const char *state, const char *name)
{
    struct store *s = memory_new(sizeof *s);
    s->directory = text_format("%s/conversations/%s/agent_pty", state, name);
    s->meta_path = text_format("%s/conversations/%s/meta.json", state, name);
    s->output = -1;
    prepare_files(s);
    s->meta = json_read_object(s->meta_path, LIMIT_META_BYTES);
    block_lines_each(s->directory, note_known, s);
    return s;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->output >= 0)
        close(s->output);
    block_unref(s->running);
    bytes_finish(&s->text);
    bytes_finish(&s->delta);
    bytes_finish(&s->damaged);
    json_decref(s->meta);
    free(s->directory);
    free(s->meta_path);
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

const char *store_damaged(const struct store *s)
{
    return s->damaged.data;
}

uint64_t store_last_ended(const struct store *s)
{
    return s->last_ended;
}

struct block *store_running(const struct store *s)
{
    return s->running ? block_ref(s->running) : NULL;
}

/* ---- a block's life ---- */

/* Opens the block's file and cuts it to the first `written` bytes. */
static void open_output(struct store *s, struct block *block, int64_t written)
{
    free(block->output_path);
    block->output_path = text_format("blocks/%llu_%lld.out", (unsigned long long)block->seq,
                                     (long long)block->ts_begin);
    char *path = path_of(s, block->output_path);
    s->output = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->output < 0 || ftruncate(s->output, written) < 0 || lseek(s->output, 0, SEEK_END) < 0)
        failed(s, block->output_path, errno);
    s->output_written = written;
    s->text.len = s->delta.len = 0;
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
    return s->output_written;
}

void store_resume(struct store *s, struct block *block, int64_t written)
{
    open_output(s, block, written);
    block_unref(s->running);
    s->running = block_ref(block);
}

static void write_text(struct store *s)
{
    int64_t room = LIMIT_OUTPUT_FILE_BYTES - s->output_written;
    size_t len = (int64_t)s->text.len < room ? s->text.len : room > 0 ? (size_t)room : 0;
    int result = s->output < 0 ? 0 : file_write_all(s->output, s->text.data, len, -1);
    if (result < 0)
        failed(s, "blocks", result);
    s->output_written += (int64_t)len;
    s->text.len = 0;
}

void store_output(struct store *s, const char *text, size_t len)
{
    bytes_append(&s->text, text, len);
    bytes_append(&s->delta, text, len);
    if (s->delta.len > 2 * LIMIT_DELTA_BYTES)
        bytes_consume(&s->delta,
                      utf8_ceil(s->delta.data, s->delta.len, s->delta.len - LIMIT_DELTA_BYTES));
    if (s->text.len > 1 << 16)
        write_text(s);
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
    if (s->text.len)
        write_text(s);
    if (block && s->delta.len && monotonic_ms - s->delta_ms >= DELTA_MS) {
        s->delta_ms = monotonic_ms;
        tell_delta(s, block);
    }
}

/* Removes the output files of all but the newest blocks. */
static void sweep(struct store *s, uint64_t seq)
{
    char *path = path_of(s, "blocks");
    DIR *directory = seq > LIMIT_BLOCK_FILES ? opendir(path) : NULL;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        unsigned long long number = strtoull(entry->d_name, NULL, 10);
        if (number && number + LIMIT_BLOCK_FILES <= seq)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
    free(path);
}

/* Lines from before capture was resumed stay out. */
static size_t snapshot_lines(const struct store *s, const struct terminal *terminal)
{
    uint64_t total = terminal_scrollback_total(terminal);
    uint64_t since = total > s->snapshot_from ? total - s->snapshot_from : 0;
    return since < LIMIT_SNAPSHOT_LINES ? (size_t)since : LIMIT_SNAPSHOT_LINES;
}

void store_set_snapshot_from(struct store *s, uint64_t line)
{
    s->snapshot_from = line;
}

static void write_snapshots(struct store *s, const struct block *block,
                            const struct terminal *terminal)
{
    char *id = block_id(block);
    json_t *screen = screen_json_without(terminal, s->snapshot_from);
    json_object_set_new(screen, "block_id", json_string(id));
    json_object_set_new(screen, "ts", json_integer(block->ts_end));
    replace_named(s, "screen.snapshot.json", screen);
    size_t lines = snapshot_lines(s, terminal);
    json_t *scrollback = screen_scrollback_json(terminal, lines ? 0 : SIZE_MAX, lines);
    json_object_set(scrollback, "scrollback_total", json_object_get(scrollback, "total"));
    json_object_set_new(scrollback, "block_id", json_string(id));
    json_object_set_new(scrollback, "ts", json_integer(block->ts_end));
    replace_named(s, "scrollback.snapshot.json", scrollback);
    free(id);
}

void store_end(struct store *s, struct block *block, const struct terminal *terminal)
{
    store_flush(s, NULL, 0);
    if (s->delta.len)
        tell_delta(s, block);
    if (s->output >= 0)
        close(s->output);
    s->output = -1;
    if (terminal)
        write_snapshots(s, block, terminal);
    append_block(s, block);
    append_event(s, "agent_block_end", block);
    s->last_ended = block->seq;
    block_unref(s->running);
    s->running = NULL;
    if (block->seq % SWEEP_EVERY == 0)
        sweep(s, block->seq);
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
    replace_json(s, s->meta_path, json_incref(s->meta));
}

void store_shell(struct store *s, const char *shell_id)
{
    char *path = path_of(s, "shell_id.txt");
    int result = file_replace(path, shell_id, strlen(shell_id));
    if (result < 0)
        failed(s, "shell_id.txt", result);
    free(path);
}

void store_size(struct store *s, int cols, int rows, int64_t now_ms)
{
    replace_named(
        s, "screen_size.json",
        json_pack("{s:i, s:i, s:I}", "cols", cols, "rows", rows, "ts", (json_int_t)now_ms));
}
