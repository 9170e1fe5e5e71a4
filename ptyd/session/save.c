/* A session's terminal and tracker on disk, now and then, so that a worker that takes over need not
 * go through the whole log: one file, replaced each time, and a record in the index at the point
 * it speaks of. It is made in pieces, which others have turns between: the session takes in nothing
 * until it is made, and where something else changes it, it is begun anew. */
#include "ptyd/session/private.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

#define AGAIN_MS 500                   /* behind one that could not be written */
#define TIMES    4                     /* as many bytes cost what one of output does */
#define MAGIC    0x7074796463686b65ull /* of what it holds and how; another one is not read */

struct checkpoint {
    uint64_t magic;
    uint64_t offset; /* of the stream */
    uint64_t sum;    /* of the file, with 0 here */
    int64_t written; /* of the running block's output */
    char shell_id[64];
};

/* One that is being made. */
struct saving {
    struct bytes out;
    struct bytes tracker; /* as it was when that began; it goes to the end */
    bool saved;           /* all of it is in `out` */
    size_t row;           /* of the scrollback */
    size_t summed, written;
    uint64_t sum;
    struct file_new file;
};

static char *path_of(const struct session *s)
{
    return text_format("%s/checkpoint", store_directory(s->store));
}

/* Goes on from the length of it all; `len` is a multiple of 8 but at its end. */
static uint64_t sum_more(uint64_t sum, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += sizeof sum) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, len - i < sizeof word ? len - i : sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
        sum ^= sum >> 29;
    }
    return sum;
}

static uint64_t sum_of(const char *bytes, size_t len)
{
    return sum_more(len, bytes, len);
}

bool session_is_checkpoint(int fd)
{
    char piece[1 << 16];
    struct checkpoint head;
    off_t size = lseek(fd, 0, SEEK_END);
    uint64_t sum = (uint64_t)size;
    ssize_t n;
    if (file_read_at(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
        return false;
    for (off_t at = 0; (n = file_read_at(fd, piece, sizeof piece, at)) > 0; at += n) {
        if (at == 0)
            memset(piece + offsetof(struct checkpoint, sum), 0, sizeof head.sum);
        sum = sum_more(sum, piece, (size_t)n);
    }
    return sum == head.sum;
}

/* A checkpoint holds screen and scrollback: it waits until nothing of what they showed while
 * capture was paused is left in them. And it says how long the output's file is: until that has all
 * that came before. */
static bool may_be_written(const struct session *s)
{
    struct output_rest rest = store_unwritten(s->store);
    uint64_t held = terminal_scrollback_oldest(s->terminal);
    int64_t since;
    return !s->paused && rawlog_error(s->log, &since) == 0 && !rest.len && !rest.missing &&
           (!s->unrecorded_until ||
            (held >= s->unrecorded_until && !terminal_alt_screen(s->terminal)));
}

static void drop(struct session *s)
{
    file_new_end(&s->saving->file, false);
    bytes_finish(&s->saving->out);
    bytes_finish(&s->saving->tracker);
    free(s->saving);
    s->saving = NULL;
}

void session_leave_checkpoint(struct session *s)
{
    if (!s->saving)
        return;
    drop(s);
    if (s->checkpoint_due)
        session_owes(s); /* nothing else may come that begins it anew */
}

static void fail(struct session *s)
{
    session_leave_checkpoint(s);
    s->checkpoint_failed = s->now.monotonic_ms;
    session_owes(s);
}

/* Returns whether there is more. */
static bool save_some(const struct session *s, struct saving *saving, size_t bytes)
{
    if (saving->saved)
        return false;
    saving->saved = !terminal_save_more(s->terminal, &saving->row, bytes, &saving->out);
    if (!saving->saved)
        return true;
    bytes_append(&saving->out, saving->tracker.data, saving->tracker.len);
    saving->sum = saving->out.len;
    return true;
}

/* The head says it: it is zero there as yet. */
static bool sum_some(struct saving *saving, size_t bytes)
{
    size_t left = saving->out.len - saving->summed, len = bytes < left ? bytes & ~(size_t)7 : left;
    saving->sum = sum_more(saving->sum, saving->out.data + saving->summed, len);
    saving->summed += len;
    return len;
}

/* Returns 1 when there is more, 0, or -errno. */
static int write_some(const struct session *s, struct saving *saving, size_t bytes)
{
    size_t left = saving->out.len - saving->written, len = bytes < left ? bytes : left;
    int result = 0;
    if (!saving->file.path) {
        char *path = path_of(s);
        ((struct checkpoint *)saving->out.data)->sum = saving->sum;
        result = file_new_begin(&saving->file, path);
        free(path);
    }
    if (result == 0)
        result = file_new_write(&saving->file, saving->out.data + saving->written, len);
    saving->written += len;
    return result < 0 ? result : saving->written < saving->out.len;
}

static void end(struct session *s)
{
    uint64_t offset = terminal_offset(s->terminal);
    rawlog_record(s->log, RAWLOG_CHECKPOINT, offset, s->now, 0, 0);
    if (rawlog_flush(s->log) < 0 || file_new_end(&s->saving->file, true) < 0) {
        fail(s);
        return;
    }
    s->checkpoint_at = offset;
    s->checkpoint_failed = 0;
    s->checkpoint_due = false;
    session_leave_checkpoint(s);
}

void session_save_piece(struct session *s, size_t bytes)
{
    struct saving *saving = s->saving;
    bytes *= TIMES;
    if (save_some(s, saving, bytes) || sum_some(saving, bytes))
        return;
    int more = saving->out.failed ? -ENOMEM : write_some(s, saving, bytes);
    if (more < 0)
        fail(s);
    else if (!more)
        end(s);
}

static bool begin(struct session *s)
{
    struct saving *saving = memory_new(sizeof *saving);
    struct checkpoint head = {
        .magic = MAGIC, .offset = terminal_offset(s->terminal), .written = store_written(s->store)};
    *saving = (struct saving){0};
    strncpy(head.shell_id, s->shell_id, sizeof head.shell_id - 1);
    bytes_append(&saving->out, &head, sizeof head);
    s->saving = saving;
    bool begun = terminal_save_begin(s->terminal, &saving->out);
    if (begun)
        tracker_save(s->tracker, &saving->tracker);
    if (!begun || saving->out.failed || saving->tracker.failed)
        drop(s); /* within a sequence: more comes */
    return s->saving;
}

void session_checkpoint(struct session *s)
{
    bool due = s->checkpoint_due || rawlog_wants_checkpoint(s->log) ||
               terminal_offset(s->terminal) - s->checkpoint_at >= LIMIT_CHECKPOINT_BYTES;
    if (s->host->redacts) /* what it holds has all that was shown */
        return;
    bool failed = s->checkpoint_failed && s->now.monotonic_ms - s->checkpoint_failed < AGAIN_MS;
    if (s->saving || !due || failed || !may_be_written(s))
        return;
    if (begin(s))
        turns_add(s->host->turns, &s->turn, false);
}

void session_checkpoint_now(struct session *s)
{
    session_checkpoint(s);
    while (s->saving)
        session_save_piece(s, SIZE_MAX / TIMES);
}

void session_drop_checkpoint(const struct session *s)
{
    char *path = path_of(s);
    unlink(path);
    free(path);
}

/* Where the index goes on behind the checkpoint; false when it does not know of it. */
static bool find_record(struct session *s, uint64_t offset)
{
    for (size_t i = s->record_count; i > 0; i--)
        if (s->records[i - 1].kind == RAWLOG_CHECKPOINT && s->records[i - 1].offset == offset) {
            s->record_at = i;
            return true;
        }
    return false;
}

static bool replace_parts(struct session *s, const struct checkpoint *head, struct unpack *in)
{
    struct terminal_options of_terminal = session_terminal_options(s);
    struct terminal *terminal = terminal_load(&of_terminal, in);
    struct tracker_options of_tracker = session_tracker_options(s, terminal);
    struct tracker *tracker = terminal ? tracker_load(&of_tracker, in) : NULL;
    if (!tracker) {
        terminal_destroy(terminal);
        return false;
    }
    tracker_deafen(tracker); /* it was told keys; the log behind it has none */
    tracker_destroy(s->tracker);
    terminal_destroy(s->terminal);
    s->terminal = terminal;
    s->tracker = tracker;
    session_prepare_terminal(s);
    struct block *running = tracker_running(tracker);
    if (running && running->seq > store_last_ended(s->store))
        store_resume(s->store, running, head->written);
    s->checkpoint_at = head->offset;
    return true;
}

/* A whole one's head, whose sum is taken out of it. */
static bool read_head(struct bytes *file, struct checkpoint *ret_head)
{
    const size_t at = offsetof(struct checkpoint, sum);
    if (file->len < sizeof *ret_head)
        return false;
    memcpy(ret_head, file->data, sizeof *ret_head);
    memset(file->data + at, 0, sizeof ret_head->sum);
    return sum_of(file->data, file->len) == ret_head->sum;
}

bool session_load_checkpoint(struct session *s, uint64_t from, uint64_t to)
{
    struct checkpoint head;
    struct bytes file = {0};
    char *path = path_of(s);
    int result = file_read_regular(path, LIMIT_CHECKPOINT_FILE_BYTES, &file);
    bool is_whole = result == 0 && read_head(&file, &head);
    if (result == 0 && !is_whole)
        aside_move(store_aside(s->store), path, "is damaged");
    free(path);
    struct unpack in = {.at = file.data + sizeof head, .end = file.data + file.len};
    bool fits = is_whole && head.magic == MAGIC &&
                !strncmp(head.shell_id, s->shell_id, sizeof head.shell_id) && head.offset >= from &&
                head.offset <= to && head.written >= 0 && head.written <= LIMIT_OUTPUT_FILE_BYTES &&
                find_record(s, head.offset);
    bool taken = fits && replace_parts(s, &head, &in);
    bytes_finish(&file);
    return taken;
}
