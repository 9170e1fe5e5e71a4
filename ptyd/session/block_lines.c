#include "ptyd/session/block_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/block.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/text.h"

#define TAIL_BYTES  (64 << 10) /* looked at first for the newest blocks */
#define PROBE_BYTES 4096       /* read at once where a line is looked for */

static const char *const newest_first[] = {"blocks.jsonl", "blocks.jsonl.1"};

static char *path_of(const char *directory, int age)
{
    return text_format("%s/%s", directory, newest_first[age]);
}

/* ---- one after the other ---- */

/* The lines of a file's last `tail` bytes (all of it with SIZE_MAX), but for one that is cut.
 * Returns whether that was the whole file. */
static bool read_lines(const char *path, size_t tail, block_line *each, void *user)
{
    struct lines lines = {.limit = LIMIT_JSONL_LINE_BYTES};
    char chunk[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    struct stat st;
    bool cut = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size > tail;
    bool whole = !cut;
    if (cut)
        lseek(fd, -(off_t)tail, SEEK_END);
    while (fd >= 0 && ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))) {
        char *line;
        size_t len;
        int found;
        lines_add(&lines, chunk, n > 0 ? (size_t)n : 0);
        while ((found = lines_next(&lines, &line, &len)) != 0) {
            json_t *block = found > 0 && !cut ? json_loadb(line, len, 0, NULL) : NULL;
            if (json_is_object(block))
                each(user, block);
            json_decref(block);
            cut = false;
        }
    }
    if (fd >= 0)
        close(fd);
    lines_finish(&lines);
    return whole;
}

void block_lines_each(const char *directory, block_line *each, void *user)
{
    for (int age = 1; age >= 0; age--) {
        char *path = path_of(directory, age);
        read_lines(path, SIZE_MAX, each, user);
        free(path);
    }
}

struct collection {
    json_t *blocks;
    bool with_keys;
};

static void collect(void *user, json_t *block)
{
    struct collection *c = user;
    size_t count = json_array_size(c->blocks);
    json_int_t seq = json_number(block, "seq", 0);
    const json_t *last = json_array_get(c->blocks, count - 1);
    if (!c->with_keys)
        block_remove_internal(block);
    if (count && json_number(last, "seq", 0) == seq)
        json_array_set(c->blocks, count - 1, block);
    else
        json_array_append(c->blocks, block);
}

/* The lines of the last `tail` bytes of both files as one. Returns whether that was all. */
static bool collect_tail(const char *directory, size_t tail, struct collection *c)
{
    char *now = path_of(directory, 0), *old = path_of(directory, 1);
    struct stat st = {0};
    bool whole = false;
    stat(now, &st);
    if (tail > (uint64_t)st.st_size)
        whole = read_lines(old, tail - (size_t)st.st_size, collect, c);
    read_lines(now, tail, collect, c);
    free(now);
    free(old);
    return whole;
}

/* A tail may hold only the second line of its oldest block: the newest `last` are whole when one
 * more was found. */
json_t *block_lines_last(const char *directory, size_t last, bool with_keys)
{
    struct collection c = {.blocks = json_array(), .with_keys = with_keys};
    bool whole = false;
    for (size_t tail = last ? TAIL_BYTES : SIZE_MAX;
         !whole && (!json_array_size(c.blocks) || json_array_size(c.blocks) <= last); tail *= 4) {
        json_array_clear(c.blocks);
        whole = collect_tail(directory, tail, &c);
    }
    for (size_t i = json_array_size(c.blocks); last && i > last; i--)
        json_array_remove(c.blocks, 0);
    return c.blocks;
}

/* ---- one of them ---- */

/* A file that is searched; the line that was looked at last. */
struct search {
    int fd;
    struct bytes line;
    uint64_t start, next; /* where it begins, and where the one behind it does */
    uint64_t seq;
    uint64_t bytes_read;
};

/* Reads the bytes from `at` to the next line feed into `line`. False at the end of the file. */
static bool read_line(struct search *s, uint64_t at)
{
    s->line.len = 0;
    for (uint64_t from = at;;) {
        char chunk[PROBE_BYTES];
        ssize_t n = pread(s->fd, chunk, sizeof chunk, (off_t)from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        const char *end = memchr(chunk, '\n', (size_t)n);
        size_t len = end ? (size_t)(end - chunk) : (size_t)n;
        if (s->line.len <= LIMIT_JSONL_LINE_BYTES)
            bytes_append(&s->line, chunk, len);
        s->bytes_read += (uint64_t)n;
        from += len;
        s->start = at;
        s->next = from + 1;
        if (end)
            return true;
    }
}

static bool read_seq(struct search *s)
{
    json_t *block = s->line.len <= LIMIT_JSONL_LINE_BYTES
                        ? json_loadb(s->line.data, s->line.len, 0, NULL)
                        : NULL;
    s->seq = (uint64_t)json_number(block, "seq", 0);
    json_decref(block);
    return s->seq > 0;
}

/* The first line that says its seq and begins in [at, end). `at` may be anywhere in a line. */
static bool look(struct search *s, uint64_t at, uint64_t end)
{
    if (at > 0) { /* behind the line feed at or after the byte before */
        if (!read_line(s, at - 1))
            return false;
        at = s->next;
    }
    while (at < end && read_line(s, at)) {
        if (read_seq(s))
            return true;
        at = s->next;
    }
    return false;
}

/* The last line of block `seq`: that before the first one with a higher seq. */
static json_t *bisect(struct search *s, uint64_t seq, uint64_t size)
{
    json_t *found = NULL;
    uint64_t last = 0;
    bool there = false;
    for (uint64_t low = 0, high = size; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (!look(s, middle, high) || s->seq > seq) {
            high = middle;
            continue;
        }
        low = s->next;
        there = s->seq == seq;
        last = s->start;
    }
    if (there && read_line(s, last))
        found = json_loadb(s->line.data, s->line.len, 0, NULL);
    return found;
}

json_t *block_lines_find(const char *directory, uint64_t seq, uint64_t *bytes_read)
{
    json_t *found = NULL;
    for (int age = 0; age < 2 && !found; age++) {
        char *path = path_of(directory, age);
        struct search s = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
        struct stat st;
        if (s.fd >= 0 && fstat(s.fd, &st) == 0)
            found = bisect(&s, seq, (uint64_t)st.st_size);
        if (s.fd >= 0)
            close(s.fd);
        bytes_finish(&s.line);
        free(path);
        *bytes_read += s.bytes_read;
    }
    if (found)
        block_remove_internal(found);
    return found;
}
