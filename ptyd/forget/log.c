#define _GNU_SOURCE
#include "ptyd/forget/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/overlay.h"
#include "ptyd/forget/wish.h"
#include "ptyd/session/rawlog.h"
#include "vterm_snapshot/blot.h"
#include "vterm_snapshot/mark.h"

struct log {
    struct forget *forget;
    char *bytes; /* of output.raw; holes are zeros */
    size_t len, base;
    struct rawlog_record *records;
    size_t count;
    struct blot_width *widths;
    size_t width_count;
};

void forget_failed(struct forget *f, const char *path, int result)
{
    if (result >= 0 || f->error)
        return;
    f->error = result;
    f->error_path = text_copy(path);
}

bool forget_begins(struct forget *f)
{
    if (!f->looks && !f->changed) {
        f->changed = true;
        f->before(f);
    }
    return !f->looks;
}

/* ---- the index ---- */

static void read_index(struct log *log)
{
    char *path = text_format("%s/output.idx", log->forget->directory);
    struct bytes file = {0};
    size_t kept = 0;
    file_read_regular(path, 4 * LIMIT_INDEX_BYTES, &file);
    log->records = (struct rawlog_record *)(void *)file.data;
    log->count = file.len / sizeof *log->records;
    for (size_t i = 0; i < log->count; i++)
        if (rawlog_is_record(&log->records[i]))
            log->records[kept++] = log->records[i];
    log->count = kept;
    log->widths = memory_new((kept + 1) * sizeof *log->widths);
    for (size_t i = 0; i < kept; i++)
        if (log->records[i].kind == RAWLOG_RESIZE)
            log->widths[log->width_count++] = (struct blot_width){
                .offset = log->records[i].offset, .cols = (int)(log->records[i].value >> 16)};
    free(path);
}

static bool is_mark(const struct rawlog_record *r)
{
    return r->kind == RAWLOG_MARK || r->kind == RAWLOG_FOREIGN;
}

/* Where in the wish a command is that begins at this record; negative for none. */
static ptrdiff_t place_of(const struct log *log, const struct rawlog_record *r)
{
    bool begins = is_mark(r) || r->kind == RAWLOG_LINE || r->kind == RAWLOG_RUNS;
    return begins ? wish_place(log->forget->seqs, r->value) : -1;
}

/* Where its prompt began to take input: behind the end of what came before. */
static uint64_t find_input(const struct log *log, size_t begin)
{
    size_t i = begin;
    uint64_t from = log->base;
    for (; i > 0 && from == log->base; i--) {
        const struct rawlog_record *r = &log->records[i - 1];
        bool ends = (is_mark(r) && (r->detail == MARK_DONE || r->detail == MARK_COMMAND)) ||
                    r->kind == RAWLOG_SHELL || r->kind == RAWLOG_LINE || r->kind == RAWLOG_RUNS;
        from = ends ? r->offset : from;
    }
    for (; i < begin; i++) /* the first of a prompt that is drawn again */
        if (is_mark(&log->records[i]) && log->records[i].detail == MARK_INPUT)
            return log->records[i].offset;
    return from;
}

/* Behind the mark that ends it, in which the shell may say its text once more. */
static uint64_t find_end(const struct log *log, size_t begin)
{
    const uint64_t from = log->records[begin].offset;
    for (size_t i = begin + 1; i < log->count; i++) {
        const struct rawlog_record *r = &log->records[i];
        bool ends = is_mark(r) && r->offset > from &&
                    (r->detail == MARK_DONE || r->detail == MARK_PROMPT || r->detail == MARK_INPUT);
        if (ends && r->offset < log->len && r->detail == MARK_DONE)
            return r->offset + blot_mark(log->bytes + r->offset, log->len - r->offset);
        if (ends || r->kind == RAWLOG_SHELL || r->kind == RAWLOG_LOST)
            return r->offset;
    }
    return log->len;
}

/* ---- covering ---- */

/* What no record speaks of may be anybody's. */
static void cover_unknown(struct log *log)
{
    uint64_t until = log->count ? log->records[0].offset : log->len;
    if (until > log->base && until <= log->len)
        blot_command(log->bytes + log->base, (size_t)(until - log->base));
}

static void cover_block(struct log *log, size_t begin)
{
    uint64_t from = find_input(log, begin), to = find_end(log, begin);
    from = from > log->base ? from : log->base;
    to = to < log->len ? to : log->len;
    if (from < to)
        blot_command(log->bytes + from, (size_t)(to - from));
}

/* Each begins at the first record that has its number. */
static void cover_blocks(struct log *log)
{
    const struct forget *f = log->forget;
    size_t count = json_array_size(f->seqs), known = 0;
    bool *is_known = memory_new(count * sizeof *is_known);
    for (size_t i = 0; i < log->count; i++) {
        ptrdiff_t place = place_of(log, &log->records[i]);
        if (place < 0 || is_known[place])
            continue;
        is_known[place] = true;
        known++;
        cover_block(log, i);
        if (f->moves)
            f->moves();
    }
    if (known < count)
        cover_unknown(log);
    free(is_known);
}

static void cover(struct log *log)
{
    struct forget *f = log->forget;
    if (f->finder)
        f->places += blot_found(log->bytes + log->base, log->len - log->base, log->base,
                                log->widths, log->width_count, f->finder, f->moves);
    if (json_array_size(f->seqs) && forget_begins(f))
        cover_blocks(log);
    if (f->text)
        f->places += blot_stream(log->bytes + log->base, log->len - log->base, log->base,
                                 log->widths, log->width_count, f->text, f->moves);
}

/* A command is found again by its number, whatever was covered of it: that needs no note. */
static int write_changes(const struct log *log, int fd, const char *path)
{
    const struct forget *f = log->forget;
    return overlay_write(&(struct overlay){.directory = f->text || f->finder ? f->directory : NULL,
                                           .path = path,
                                           .fd = fd,
                                           .bytes = log->bytes,
                                           .from = log->base,
                                           .len = log->len});
}

/* Whether it is worth a change is found out in a copy of the pages that it concerns. */
static void cover_file(struct forget *f, int fd, const char *path, size_t len, bool has_index)
{
    off_t data = lseek(fd, 0, SEEK_DATA);
    struct log log = {.forget = f, .len = len, .base = data > 0 ? (size_t)data : 0};
    log.base = f->from > log.base ? f->from : log.base;
    if (log.base >= len)
        return;
    log.bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (log.bytes == MAP_FAILED) {
        forget_failed(f, path, -errno);
        return;
    }
    size_t before = f->places;
    if (has_index)
        read_index(&log);
    cover(&log);
    bool gave_up = f->finder && f->finder->gives_up && f->finder->gives_up(f->finder->user);
    if (!gave_up && (f->places > before || json_array_size(f->seqs)) && forget_begins(f))
        forget_failed(f, path, write_changes(&log, fd, path));
    free(log.records);
    free(log.widths);
    munmap(log.bytes, len);
}

static void open_and_cover(struct forget *f, const char *path, bool has_index)
{
    struct stat st;
    int fd = open(path, (f->looks ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT)
        forget_failed(f, path, -errno);
    size_t len = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    len = f->until && f->until < len ? (size_t)f->until : len;
    if (len)
        cover_file(f, fd, path, len, has_index);
    if (fd >= 0)
        close(fd);
}

/* Where one ended first at or behind `least`, else the last. */
static uint64_t find_ended(const struct log *log, uint64_t least)
{
    uint64_t ended = 0;
    for (size_t i = 0; i < log->count && ended < least; i++) {
        const struct rawlog_record *r = &log->records[i];
        bool at_prompt = is_mark(r) && (r->detail == MARK_DONE || r->detail == MARK_PROMPT);
        if ((at_prompt || r->kind == RAWLOG_SHELL) && r->offset <= log->len)
            ended = r->offset;
    }
    return ended;
}

uint64_t forget_log_ended(struct forget *f, uint64_t bytes)
{
    struct stat st;
    struct log log = {.forget = f};
    char *path = text_format("%s/output.raw", f->directory);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    log.len = fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
    off_t data = fd >= 0 ? lseek(fd, 0, SEEK_DATA) : -1;
    uint64_t from = data > 0 && (uint64_t)data > f->from ? (uint64_t)data : f->from;
    read_index(&log);
    uint64_t ended = find_ended(&log, bytes < UINT64_MAX - from ? from + bytes : UINT64_MAX);
    free(log.records);
    free(log.widths);
    free(path);
    if (fd >= 0)
        close(fd);
    return ended;
}

void forget_in_log(struct forget *f)
{
    char *path = text_format("%s/output.raw", f->directory);
    open_and_cover(f, path, true);
    free(path);
}

void forget_in_stream(struct forget *f, const char *path)
{
    if (f->text || f->finder)
        open_and_cover(f, path, false);
}
