#define _GNU_SOURCE
#include "ptyd/record/tape_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/terminal.h"

#define PIECE           (64 << 10)
#define NEIGHBOURS      8 /* records that one of a mark and what it did may lie apart */
#define CLOCKS_APART_MS 2 /* both are whole milliseconds */

/* ---- the files ---- */

static int open_in(const char *directory, const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int result = fd < 0 ? -errno : fd;
    free(path);
    return result;
}

uint64_t tape_end(const struct tape *t)
{
    struct stat st;
    return fstat(t->raw, &st) == 0 ? (uint64_t)st.st_size : t->at;
}

static uint64_t base(const struct tape *t)
{
    off_t data = lseek(t->raw, 0, SEEK_DATA);
    return data >= 0 ? (uint64_t)data : tape_end(t);
}

/* ---- the index ---- */

/* That the terminal went back from the alternate screen is noted behind the mark that made it do
 * so: a terminal that is shown the mark has to be told in front of it. */
static void move_in_front_of_mark(struct tape *t, size_t i)
{
    struct rawlog_record *left = tape_record(t, i);
    size_t from = i > NEIGHBOURS ? i - NEIGHBOURS : 0;
    size_t to = i + NEIGHBOURS < tape_count(t) ? i + NEIGHBOURS : tape_count(t);
    uint64_t mark = 0;
    for (const struct rawlog_record *r = tape_record(t, from); r < tape_record(t, to); r++)
        if (r->kind == RAWLOG_MARK && r->offset <= left->offset && r->offset > mark)
            mark = r->offset;
    left->offset = mark ? mark : left->offset;
}

/* Puts it in order of offset, behind those that were used. */
static void sort_in(struct tape *t, size_t i)
{
    struct rawlog_record moved = *tape_record(t, i);
    for (; i > t->next && tape_record(t, i - 1)->offset > moved.offset; i--)
        *tape_record(t, i) = *tape_record(t, i - 1);
    *tape_record(t, i) = moved;
}

static void add_records(struct tape *t, const struct rawlog_record *new, size_t n)
{
    size_t before = tape_count(t);
    for (size_t i = 0; i < n; i++)
        if (rawlog_is_record(&new[i]))
            bytes_append(&t->records, &new[i], TAPE_RECORD_SIZE);
    if (t->records.failed)
        memory_end();
    for (size_t i = before; i < tape_count(t); i++)
        if (tape_record(t, i)->kind == RAWLOG_LEFT)
            move_in_front_of_mark(t, i);
        else if (tape_record(t, i)->kind == RAWLOG_LINE)
            tape_record(t, i)->offset--; /* what it says is so with the line feed in front of it */
    for (size_t i = before; i < tape_count(t); i++)
        sort_in(t, i);
}

/* Whether a record at our place was used before the index was read again. */
static bool was_applied(const struct tape *t, const struct rawlog_record *r)
{
    for (size_t at = 0; t->applied_at == t->at && at < t->applied.len; at += sizeof r->sum)
        if (!memcmp(t->applied.data + at, &r->sum, sizeof r->sum))
            return true;
    return false;
}

static void note_applied(struct tape *t, const struct rawlog_record *r)
{
    if (t->applied_at != t->at)
        t->applied.len = 0;
    t->applied_at = t->at;
    bytes_append(&t->applied, &r->sum, sizeof r->sum);
    if (t->applied.failed)
        memory_end();
}

/* What is behind our place counts, and at it what was not used yet. */
static void skip_used(struct tape *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < tape_count(t); i++)
        if (tape_record(t, i)->offset != t->at || !was_applied(t, tape_record(t, i)))
            *tape_record(t, kept++) = *tape_record(t, i);
    t->records.len = kept * TAPE_RECORD_SIZE;
    t->next = 0;
    while (t->next < tape_count(t) && tape_record(t, t->next)->offset < t->at)
        t->next++;
}

/* Whether the file at hand is still the index, with what was read of it: it is replaced when its
 * oldest part goes, and a new worker cuts off what comes again. */
static bool goes_on(const struct tape *t, const struct stat *st)
{
    struct rawlog_record last;
    if (t->index < 0 || st->st_ino != t->inode || st->st_size < t->read)
        return false;
    return !t->read || (file_read_at(t->index, &last, sizeof last, t->read - (off_t)sizeof last) ==
                            (ssize_t)sizeof last &&
                        !memcmp(&last, &t->last, sizeof last));
}

/* Returns 1 where all of it is to be read, 0, or -errno. */
static int reopen_index(struct tape *t)
{
    char *path = text_format("%s/output.idx", t->directory);
    struct stat st;
    int result = stat(path, &st) < 0 ? -errno : 0;
    free(path);
    if (result < 0 || goes_on(t, &st))
        return result;
    int fd = open_in(t->directory, "output.idx");
    if (fd < 0)
        return fd;
    if (t->index >= 0)
        close(t->index);
    t->index = fd;
    t->inode = fstat(fd, &st) == 0 ? st.st_ino : 0;
    t->read = 0;
    t->records.len = 0;
    t->next = 0;
    return 1;
}

static int read_index(struct tape *t)
{
    int result = reopen_index(t);
    ssize_t n = 0;
    if (result < 0)
        return result;
    do {
        n = file_read_at(t->index, t->piece, PIECE - PIECE % TAPE_RECORD_SIZE, t->read);
        n = n > 0 ? n - n % (ssize_t)TAPE_RECORD_SIZE : n;
        if (n > 0) {
            add_records(t, (const struct rawlog_record *)(void *)t->piece,
                        (size_t)n / TAPE_RECORD_SIZE);
            memcpy(&t->last, t->piece + n - TAPE_RECORD_SIZE, TAPE_RECORD_SIZE);
        }
        t->read += n > 0 ? n : 0;
    } while (n > 0);
    if (result)
        skip_used(t);
    return n < 0 ? (int)n : 0;
}

/* ---- life ---- */

struct tape *tape_open(const char *directory, int *ret_error)
{
    struct tape *t = memory_new(sizeof *t);
    *t = (struct tape){.directory = text_copy(directory), .index = -1, .piece = memory_new(PIECE)};
    t->raw = open_in(directory, "output.raw");
    *ret_error = t->raw < 0 ? t->raw : read_index(t);
    if (*ret_error == 0)
        return t;
    tape_close(t);
    return NULL;
}

void tape_close(struct tape *t)
{
    if (!t)
        return;
    if (t->raw >= 0)
        close(t->raw);
    if (t->index >= 0)
        close(t->index);
    bytes_finish(&t->records);
    bytes_finish(&t->applied);
    free(t->piece);
    free(t->directory);
    free(t);
}

/* ---- places ---- */

static struct tape_place place_at(const struct tape *t, uint64_t offset, struct moment moment)
{
    struct tape_place place = {
        .offset = offset, .cols = LIMIT_COLS_DEFAULT, .rows = LIMIT_ROWS_DEFAULT, .moment = moment};
    for (const struct rawlog_record *r = tape_record(t, 0); r < tape_record(t, tape_count(t)); r++)
        if (r->kind == RAWLOG_RESIZE && r->offset <= offset) {
            place.cols = (int)(r->value >> 16);
            place.rows = (int)(r->value & 0xffff);
        }
    return place;
}

static struct tape_place place_of(const struct tape *t, size_t i)
{
    const struct rawlog_record *r = tape_record(t, i);
    return place_at(t, r->offset, (struct moment){r->wall_ms, r->monotonic_ms});
}

/* The prompt that stands where record i begins, with nothing running; i where none does. */
static size_t prompt_before(const struct tape *t, size_t i)
{
    uint64_t seq = 0; /* of the last block that a line feed began since then */
    for (size_t j = i; j-- > 0;) {
        const struct rawlog_record *r = tape_record(t, j);
        bool is_mark = r->kind == RAWLOG_MARK;
        if (r->kind == RAWLOG_SHELL || r->kind == RAWLOG_RUNS || r->kind == RAWLOG_LOST ||
            (is_mark && (r->detail == MARK_COMMAND || r->detail == MARK_DONE)))
            return i;
        if (r->kind == RAWLOG_LINE && r->value > seq)
            seq = r->value;
        if (is_mark && r->detail == MARK_PROMPT)
            return seq > r->value ? i : j;
    }
    return i;
}

static bool begins(const struct rawlog_record *r, uint64_t seq)
{
    bool is_mark = r->kind == RAWLOG_MARK && r->detail == MARK_COMMAND;
    return r->value == seq && (is_mark || r->kind == RAWLOG_LINE || r->kind == RAWLOG_RUNS);
}

static uint64_t next_prompt(const struct tape *t, size_t i)
{
    for (; i < tape_count(t); i++) {
        const struct rawlog_record *r = tape_record(t, i);
        if (r->kind == RAWLOG_SHELL || (r->kind == RAWLOG_MARK && r->detail == MARK_PROMPT))
            return r->offset;
    }
    return tape_end(t);
}

bool tape_find_block(struct tape *t, uint64_t seq, struct tape_place *ret_from, uint64_t *ret_to)
{
    for (size_t i = 0; i < tape_count(t); i++)
        if (begins(tape_record(t, i), seq)) {
            *ret_from = place_of(t, prompt_before(t, i));
            *ret_to = next_prompt(t, i);
            return true;
        }
    return false;
}

void tape_find_time(struct tape *t, int64_t wall_ms, struct tape_place *ret_from)
{
    uint64_t held = base(t);
    for (size_t i = 0; i < tape_count(t); i++)
        if (tape_record(t, i)->wall_ms >= wall_ms && tape_record(t, i)->offset >= held) {
            *ret_from = place_of(t, prompt_before(t, i));
            return;
        }
    tape_find_end(t, ret_from);
}

void tape_find_end(struct tape *t, struct tape_place *ret_from)
{
    size_t i = prompt_before(t, tape_count(t));
    *ret_from = i < tape_count(t) ? place_of(t, i) : place_at(t, tape_end(t), clock_now());
}

/* ---- reading ---- */

void tape_begin(struct tape *t, const struct tape_place *from, struct moment origin)
{
    t->from = t->at = from->offset;
    t->cols = from->cols;
    t->rows = from->rows;
    t->now = t->anchor = (struct tape_time){.moment = origin};
    t->gap = t->behind_hole = t->over = false;
    t->applied.len = 0;
    skip_used(t);
}

static bool agree(const struct tape_time *from, const struct rawlog_record *r)
{
    int64_t wall = r->wall_ms - from->moment.wall_ms;
    int64_t monotonic = r->monotonic_ms - from->moment.monotonic_ms;
    return wall >= 0 && llabs(wall - monotonic) <= CLOCKS_APART_MS;
}

/* What came before the origin came no earlier. While the clocks agree, blocks get their times of
 * day again, counted from one anchor, so that nothing adds up. Where they do not, the other clock
 * counts, which begins anew with the machine: one of them was put right, and what follows agrees
 * with that, or they were read apart, and it agrees with the anchor. */
static void pass_time(struct tape *t, const struct rawlog_record *r)
{
    int64_t monotonic = r->monotonic_ms - t->now.moment.monotonic_ms;
    int64_t wall = r->wall_ms - t->now.moment.wall_ms, ms;
    if (monotonic < 0 && wall <= 0)
        return;
    if (!agree(&t->anchor, r) && agree(&t->now, r))
        t->anchor = t->now;
    if (agree(&t->anchor, r))
        ms = t->anchor.ms + r->wall_ms - t->anchor.moment.wall_ms;
    else
        ms = t->now.ms + (monotonic < 0 ? wall : monotonic);
    t->now.ms = ms > t->now.ms ? ms : t->now.ms;
    t->now.moment = (struct moment){r->wall_ms, r->monotonic_ms};
}

static void give_size(struct tape *t, uint32_t value)
{
    int cols = (int)(value >> 16), rows = (int)(value & 0xffff);
    if (cols == t->cols && rows == t->rows)
        return;
    t->cols = cols;
    t->rows = rows;
    t->events->size(t->user, t->now.ms, cols, rows);
}

static void apply(struct tape *t, const struct rawlog_record *r)
{
    if (r->kind == RAWLOG_SHELL && r->offset > t->from) {
        t->over = true;
        return;
    }
    pass_time(t, r);
    if (r->kind == RAWLOG_RESIZE)
        give_size(t, r->value);
    if (r->kind == RAWLOG_GAP)
        t->gap = r->detail;
    if (r->kind == RAWLOG_LEFT)
        t->events->output(t->user, t->now.ms, terminal_farewell, strlen(terminal_farewell));
}

static void miss(struct tape *t, uint64_t n)
{
    if (n && t->events->missing)
        t->events->missing(t->user, t->now.ms, n);
    t->at += n;
}

/* The zeros beside a hole belong to it: holes are made of whole pages of the disk. */
static void give_bytes(struct tape *t, const char *bytes, size_t len, bool before_hole)
{
    size_t zeros = 0, kept = len;
    while (t->behind_hole && zeros < len && !bytes[zeros])
        zeros++;
    t->behind_hole = t->behind_hole && zeros == len;
    while (before_hole && kept > zeros && !bytes[kept - 1])
        kept--;
    miss(t, zeros);
    if (kept > zeros)
        t->events->output(t->user, t->now.ms, bytes + zeros, kept - zeros);
    t->at += kept - zeros;
    miss(t, len - kept);
}

static int give_piece(struct tape *t, uint64_t to)
{
    off_t data = lseek(t->raw, (off_t)t->at, SEEK_DATA);
    uint64_t begin = data >= 0 ? (uint64_t)data : errno == ENXIO ? to : t->at;
    if (begin > t->at) {
        t->behind_hole = true;
        miss(t, (begin < to ? begin : to) - t->at);
        return 0;
    }
    off_t hole = lseek(t->raw, (off_t)t->at, SEEK_HOLE);
    uint64_t end = hole > (off_t)t->at && (uint64_t)hole < to ? (uint64_t)hole : to;
    size_t want = end - t->at < PIECE ? (size_t)(end - t->at) : PIECE;
    ssize_t n = file_read_at(t->raw, t->piece, want, (off_t)t->at);
    if (n <= 0)
        return n < 0 ? (int)n : -EIO;
    give_bytes(t, t->piece, (size_t)n, t->at + (uint64_t)n == end && end < to);
    return 0;
}

static int give_until(struct tape *t, uint64_t to)
{
    int result = 0;
    if (t->gap)
        miss(t, to - t->at);
    while (result == 0 && t->at < to)
        result = give_piece(t, to);
    return result;
}

/* Where the log ends within a mark, as far as can be seen: in front of that. */
static uint64_t before_open_mark(struct tape *t, uint64_t end)
{
    const size_t head = sizeof MARK_HEAD - 1;
    uint64_t from = end - t->at > TAPE_MARK_BYTES ? end - TAPE_MARK_BYTES : t->at;
    ssize_t n = file_read_at(t->raw, t->piece, (size_t)(end - from), (off_t)from);
    for (const char *c, *at = t->piece + (n > 0 ? n : 0); at > t->piece; at = c) {
        c = memrchr(t->piece, '\033', (size_t)(at - t->piece));
        if (!c)
            break;
        size_t left = (size_t)(t->piece + n - c);
        if (!memcmp(c, MARK_HEAD, left < head ? left : head))
            return memchr(c, '\a', left) ? end : from + (uint64_t)(c - t->piece);
    }
    return end;
}

int tape_read(struct tape *t, uint64_t to, bool all, const struct tape_events *events, void *user)
{
    uint64_t end = tape_end(t); /* first: the index knows all before it */
    int result = read_index(t);
    end = to < end ? to : end;
    if (result == 0 && !all && end > t->at)
        end = before_open_mark(t, end);
    t->events = events;
    t->user = user;
    while (result == 0 && !t->over) {
        while (!t->over && t->next < tape_count(t) && tape_record(t, t->next)->offset <= t->at) {
            note_applied(t, tape_record(t, t->next));
            apply(t, tape_record(t, t->next++));
        }
        if (t->over || t->at >= end)
            break;
        uint64_t next = t->next < tape_count(t) ? tape_record(t, t->next)->offset : end;
        result = give_until(t, next < end ? next : end);
    }
    return result < 0 ? result : t->over;
}

/* ---- the screen ---- */

struct picture {
    struct terminal *terminal;
    struct bytes pending; /* what it did not take yet */
};

static void draw_size(void *user, int64_t ms, int cols, int rows)
{
    (void)ms;
    terminal_resize(((struct picture *)user)->terminal, cols, rows);
}

static void draw(void *user, int64_t ms, const char *bytes, size_t len)
{
    struct picture *p = user;
    (void)ms;
    bytes_append(&p->pending, bytes, len);
    if (p->pending.failed)
        memory_end();
    bytes_consume(&p->pending, terminal_write(p->terminal, p->pending.data, p->pending.len));
}

/* Where the shell began, if that is not too long ago. */
static uint64_t picture_begin(const struct tape *t, uint64_t offset)
{
    uint64_t most = offset > LIMIT_RECORD_PICTURE_BYTES ? offset - LIMIT_RECORD_PICTURE_BYTES : 0;
    uint64_t from = base(t) > most ? base(t) : most;
    for (const struct rawlog_record *r = tape_record(t, 0); r < tape_record(t, tape_count(t)); r++)
        if (r->kind == RAWLOG_SHELL && r->offset > from && r->offset <= offset)
            from = r->offset;
    return from < offset ? from : offset;
}

/* How many bytes in front of its end begin something that goes on behind it. */
static uint64_t open_bytes(const struct picture *p)
{
    uint64_t inside = terminal_is_inside(p->terminal)
                          ? terminal_offset(p->terminal) - terminal_sequence_start(p->terminal)
                          : 0;
    return p->pending.len + inside;
}

void tape_picture(struct tape *t, struct tape_place *place, struct bytes *out)
{
    static const struct tape_events events = {.size = draw_size, .output = draw};
    static const struct terminal_events none;
    uint64_t begin = picture_begin(t, place->offset);
    struct tape_place from = place_at(t, begin, place->moment);
    struct picture p = {0};
    if (begin == place->offset)
        return;
    p.terminal = terminal_create(
        &(struct terminal_options){.cols = from.cols, .rows = from.rows, .events = &none});
    if (!p.terminal)
        memory_end();
    tape_begin(t, &from, from.moment);
    if (tape_read(t, place->offset, true, &events, &p) == 0)
        terminal_redraw(p.terminal, out);
    uint64_t open = open_bytes(&p);
    place->offset -= open < place->offset - begin ? open : 0;
    terminal_destroy(p.terminal);
    bytes_finish(&p.pending);
}
