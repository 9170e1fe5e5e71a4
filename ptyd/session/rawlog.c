#define _GNU_SOURCE
#include "ptyd/session/rawlog.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

#define RECORD ((off_t)sizeof(struct rawlog_record))

struct rawlog {
    int raw, index;   /* -1: not open */
    int error;        /* -errno while it is broken */
    int64_t error_ms; /* when it broke, since the epoch */
    char *directory;
    uint64_t end, base;
    uint64_t hole_end; /* what is missing lies before it */
    uint64_t named_end, named_seq;
    struct bytes pending;     /* records not written yet */
    size_t behind_checkpoint; /* records since one, or since the log was opened */
};

static int open_in(const char *directory, const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(path);
    return fd;
}

static int fail(struct rawlog *log, int error)
{
    log->error_ms = log->error ? log->error_ms : clock_wall_ms();
    return log->error = error;
}

static int open_files(struct rawlog *log)
{
    if (log->raw < 0 && (log->raw = open_in(log->directory, "output.raw")) < 0)
        return fail(log, -errno);
    if (log->index < 0 && (log->index = open_in(log->directory, "output.idx")) < 0)
        return fail(log, -errno);
    return 0;
}

/* ---- the index ---- */

/* The whole index. */
static struct rawlog_record *read_all(const struct rawlog *log, size_t *ret_count)
{
    struct stat st;
    *ret_count = 0;
    if (fstat(log->index, &st) < 0 || !st.st_size)
        return NULL;
    struct rawlog_record *records = memory_new((size_t)st.st_size);
    ssize_t n = file_read_at(log->index, records, (size_t)st.st_size, 0);
    *ret_count = n > 0 ? (size_t)n / sizeof *records : 0;
    return records;
}

/* In one step: whoever dies in it leaves the old index, of which more is there than is needed. */
static void replace_index(struct rawlog *log, const struct rawlog_record *records, size_t count)
{
    char *path = text_format("%s/output.idx", log->directory);
    int result = file_replace(path, (const char *)records, count * sizeof *records);
    free(path);
    if (result < 0) {
        fail(log, result);
        return;
    }
    close(log->index);
    log->index = -1;
    open_files(log);
}

/* ---- what is damaged ---- */

static uint64_t sum_of(const struct rawlog_record *record)
{
    return hash_bytes(HASH_START, record, offsetof(struct rawlog_record, sum));
}

bool rawlog_is_record(const struct rawlog_record *record)
{
    return record->sum == sum_of(record);
}

static void note_hole(struct rawlog *log, uint64_t end)
{
    log->hole_end = end > log->hole_end ? end : log->hole_end;
}

static void note_names(struct rawlog *log, const struct rawlog_record *r)
{
    bool counts =
        r->kind != RAWLOG_TIME && r->kind != RAWLOG_RESIZE && r->kind != RAWLOG_CHECKPOINT;
    log->named_end = r->offset > log->named_end ? r->offset : log->named_end;
    log->named_seq = counts && r->value > log->named_seq ? r->value : log->named_seq;
    if (r->kind == RAWLOG_GAP || r->kind == RAWLOG_LOST)
        note_hole(log, r->offset);
}

/* Keeps the records that are some. One that a full disk or a crash cut short is none, and nobody's
 * fault. */
static void check_index(struct rawlog *log, struct aside *aside)
{
    size_t count, kept = 0;
    struct stat st;
    struct rawlog_record *records = read_all(log, &count);
    for (size_t i = 0; i < count; i++)
        if (rawlog_is_record(&records[i])) {
            note_names(log, &records[i]);
            records[kept++] = records[i];
        }
    if (kept < count) {
        char *path = text_format("%s/output.idx", log->directory);
        aside_move(aside, path, "is damaged");
        free(path);
        replace_index(log, records, kept);
    } else if (fstat(log->index, &st) == 0 && st.st_size % RECORD) {
        if (ftruncate(log->index, (off_t)count * RECORD) < 0)
            fail(log, -errno);
    }
    free(records);
}

/* ---- life ---- */

struct rawlog *rawlog_open(const char *directory, struct aside *aside)
{
    struct rawlog *log = memory_new(sizeof *log);
    struct stat st;
    *log = (struct rawlog){.raw = -1, .index = -1, .directory = text_copy(directory)};
    open_files(log);
    log->end = fstat(log->raw, &st) == 0 ? (uint64_t)st.st_size : 0;
    off_t data = lseek(log->raw, 0, SEEK_DATA); /* behind the holes */
    log->base = data >= 0 ? (uint64_t)data : log->end;
    check_index(log, aside);
    log->behind_checkpoint = fstat(log->index, &st) == 0 ? (size_t)(st.st_size / RECORD) : 0;
    return log;
}

void rawlog_close(struct rawlog *log)
{
    if (!log)
        return;
    if (log->raw >= 0)
        close(log->raw);
    if (log->index >= 0)
        close(log->index);
    bytes_finish(&log->pending);
    free(log->directory);
    free(log);
}

int rawlog_error(const struct rawlog *log, int64_t *ret_since_ms)
{
    *ret_since_ms = log->error_ms;
    return log->error;
}

uint64_t rawlog_end(const struct rawlog *log)
{
    return log->end;
}

uint64_t rawlog_base(const struct rawlog *log)
{
    return log->base;
}

uint64_t rawlog_whole_from(const struct rawlog *log)
{
    if (log->error)
        return UINT64_MAX;
    return log->hole_end > log->base ? log->hole_end : log->base;
}

uint64_t rawlog_named_end(const struct rawlog *log)
{
    return log->named_end;
}

uint64_t rawlog_named_seq(const struct rawlog *log)
{
    return log->named_seq;
}

/* ---- bounds ---- */

/* Of `count` records those that a rebuild from `base` on needs, in place: the newest shell, the
 * last of each kind before it, and what follows. Nobody but a replay looks at times: those before
 * the record `times` go. Returns how many stay. */
static size_t select_needed(struct rawlog_record *records, size_t count, uint64_t base,
                            size_t times)
{
    size_t last[RAWLOG_LOST + 1] = {0}, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind <= RAWLOG_LOST &&
            (records[i].offset < base || records[i].kind == RAWLOG_SHELL))
            last[records[i].kind] = i;
    for (size_t i = 0; i < count; i++) {
        const struct rawlog_record *r = &records[i];
        bool of_bytes = r->kind == RAWLOG_TIME || r->kind == RAWLOG_MARK;
        bool stands = r->kind <= RAWLOG_LOST && last[r->kind] == i && !of_bytes;
        if (stands || (r->offset >= base && (r->kind != RAWLOG_TIME || i >= times)))
            records[kept++] = *r;
    }
    return kept;
}

/* Gives the bytes before `base` back. */
static void give_back(struct rawlog *log, uint64_t base)
{
    base &= ~(uint64_t)4095;
    if (base > log->base &&
        (fallocate(log->raw, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)base) == 0 ||
         errno == EOPNOTSUPP))
        log->base = base;
}

/* Half the limit stays, so that it happens seldom; a quarter of it may be times. */
static void trim_index(struct rawlog *log)
{
    const size_t most = LIMIT_INDEX_BYTES / sizeof(struct rawlog_record) / 2;
    size_t count;
    struct rawlog_record *records = read_all(log, &count);
    size_t times = count > most / 2 ? count - most / 2 : 0;
    size_t kept = select_needed(records, count, log->base, times);
    if (kept > most) {
        give_back(log, records[kept - most].offset);
        kept = select_needed(records, kept, log->base, 0);
    }
    if (kept < count)
        replace_index(log, records, kept);
    free(records);
}

/* Gives back a quarter at once, so that it happens seldom. */
static void trim(struct rawlog *log)
{
    if (log->end - log->base <= LIMIT_RAW_LOG_BYTES)
        return;
    give_back(log, log->end - LIMIT_RAW_LOG_BYTES / 4 * 3);
    trim_index(log);
}

int rawlog_write(struct rawlog *log, uint64_t offset, const char *bytes, size_t len)
{
    int result = log->error ? 0 : file_write_all(log->raw, bytes, len, (long long)offset);
    if (log->error || result < 0)
        return fail(log, log->error ? log->error : result);
    log->end = offset + len > log->end ? offset + len : log->end;
    trim(log);
    return 0;
}

void rawlog_skip(struct rawlog *log, uint64_t end)
{
    if (end <= log->end || log->error)
        return;
    note_hole(log, end);
    if (ftruncate(log->raw, (off_t)end) < 0) {
        fail(log, -errno);
        return;
    }
    log->base = log->base == log->end ? end : log->base;
    log->end = end;
}

ssize_t rawlog_read(const struct rawlog *log, uint64_t offset, char *bytes, size_t len)
{
    return file_read_at(log->raw, bytes, len, (long long)offset);
}

void rawlog_record(struct rawlog *log, enum rawlog_kind kind, uint64_t offset, struct moment now,
                   uint16_t detail, uint32_t value)
{
    struct rawlog_record record = {.offset = offset,
                                   .wall_ms = now.wall_ms,
                                   .monotonic_ms = now.monotonic_ms,
                                   .kind = (uint16_t)kind,
                                   .detail = detail,
                                   .value = value};
    record.sum = sum_of(&record);
    bytes_append(&log->pending, &record, sizeof record);
    log->behind_checkpoint = kind == RAWLOG_CHECKPOINT ? 0 : log->behind_checkpoint + 1;
}

/* Half of what trim_index() leaves: its oldest record is then behind the checkpoint's. */
bool rawlog_wants_checkpoint(const struct rawlog *log)
{
    return log->behind_checkpoint >= LIMIT_INDEX_BYTES / sizeof(struct rawlog_record) / 4;
}

void rawlog_record_lost(struct rawlog *log, uint64_t offset, struct moment now,
                        const struct tracker_point *p)
{
    rawlog_record(log, RAWLOG_LOST, offset, now,
                  (uint16_t)(p->state | p->editor << 8 | p->ignore_space << 10), (uint32_t)p->seq);
}

struct tracker_point rawlog_point(const struct rawlog_record *r)
{
    return (struct tracker_point){.seq = r->value,
                                  .state = r->detail & 0xff,
                                  .editor = r->detail >> 8 & 3,
                                  .ignore_space = r->detail >> 10 & 1};
}

int rawlog_flush(struct rawlog *log)
{
    off_t end = log->pending.len && !log->error ? lseek(log->index, 0, SEEK_END) : 0;
    int result = log->error;
    if (result == 0)
        result = file_write_all(log->index, log->pending.data, log->pending.len, end);
    if (result < 0 && !log->error && ftruncate(log->index, end - end % RECORD) < 0)
        result = -errno;
    bool full = !result && end + (off_t)log->pending.len > LIMIT_INDEX_BYTES;
    log->pending.len = 0;
    if (full)
        trim_index(log);
    return result < 0 ? fail(log, result) : log->error;
}

static bool start_again(struct rawlog *log)
{
    off_t end;
    log->pending.len = 0;
    if (open_files(log) < 0 || (end = lseek(log->index, 0, SEEK_END)) < 0)
        return false;
    log->error = end % RECORD && ftruncate(log->index, end - end % RECORD) < 0 ? -errno : 0;
    return !log->error;
}

bool rawlog_resume(struct rawlog *log, uint64_t offset, const char *bytes, size_t len,
                   struct moment now, const struct tracker_point *point)
{
    int64_t since = log->error_ms;
    if (start_again(log)) {
        rawlog_skip(log, offset);
        rawlog_record_lost(log, offset + len, now, point);
        if (!log->error && rawlog_write(log, offset, bytes, len) == 0)
            rawlog_flush(log);
    }
    log->error_ms = since;
    return !log->error;
}

/* Whether it stays when the bytes from `offset` on come again. */
static bool stays(const struct rawlog_record *record, uint64_t offset)
{
    bool of_bytes = record->kind == RAWLOG_TIME || record->kind == RAWLOG_MARK;
    return record->offset < offset || record->kind == RAWLOG_SHELL ||
           (record->offset == offset && !of_bytes);
}

size_t rawlog_cut(struct rawlog *log, const struct rawlog_record *records, size_t count,
                  uint64_t offset)
{
    size_t kept = count;
    while (kept && !stays(&records[kept - 1], offset))
        kept--;
    off_t end = lseek(log->index, 0, SEEK_END) - (off_t)(count - kept) * RECORD;
    if (kept < count && ftruncate(log->index, end) < 0)
        fail(log, -errno);
    return kept;
}

struct rawlog_record *rawlog_records(const struct rawlog *log, size_t *ret_count)
{
    size_t count, from;
    struct rawlog_record *records = read_all(log, &count);
    for (from = count; from > 0 && records[from - 1].kind != RAWLOG_SHELL; from--)
        ;
    from -= from > 0;
    for (size_t i = from; i < count; i++)
        records[i - from] = records[i];
    *ret_count = count - from;
    return records;
}
