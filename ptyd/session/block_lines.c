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
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

#define TAIL_BYTES  (8 << 10) /* looked at first for what is newest */
#define PROBE_BYTES 4096      /* read at once where a line is looked for */

static const char *const newest_first[] = {"blocks.jsonl", "blocks.jsonl.1"};

static char *path_of(const char *directory, int age)
{
    return text_format("%s/%s", directory, newest_first[age]);
}

/* ---- one after the other ---- */

struct reading {
    block_line *each;
    void *user;
    bool cut; /* what comes next is a part of a line */
};

static void take_line(void *user, char *line, size_t len, bool is_whole)
{
    struct reading *r = user;
    json_t *block = line && is_whole && !r->cut ? seal_load(line, len) : NULL;
    if (block)
        r->each(r->user, block);
    json_decref(block);
    r->cut = false;
}

/* The lines of a file's last `tail` bytes (all of it with SIZE_MAX), but for one that is cut.
 * Returns whether that was the whole file. */
static bool read_lines(const char *path, size_t tail, block_line *each, void *user)
{
    int fd = file_open_regular(path);
    struct stat st;
    bool cut = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size > tail;
    struct reading reading = {.each = each, .user = user, .cut = cut};
    if (cut)
        lseek(fd, -(off_t)tail, SEEK_END);
    if (fd >= 0) {
        lines_each(fd, LIMIT_JSONL_LINE_BYTES, take_line, &reading);
        close(fd);
    }
    return !cut;
}

struct collection {
    json_t *blocks;
    bool apart; /* a block's begin stays where its end comes */
    bool with_keys;
};

void block_lines_add(json_t *blocks, json_t *block, bool with_keys)
{
    size_t count = json_array_size(blocks);
    json_int_t seq = json_number(block, "seq", 0);
    const json_t *last = json_array_get(blocks, count - 1);
    if (!with_keys)
        block_remove_internal(block);
    if (count && json_number(last, "seq", 0) == seq)
        json_array_set(blocks, count - 1, block);
    else
        json_array_append(blocks, block);
}

static void collect(struct collection *c, json_t *block)
{
    if (!c->apart) {
        block_lines_add(c->blocks, block, c->with_keys);
        return;
    }
    block_remove_internal(block);
    json_array_append(c->blocks, block);
}

/* ---- those that events.jsonl tells ---- */

static void note_told(void *user, json_t *event)
{
    struct block_lines_told *told = user;
    const char *type = json_text(event, "type", "");
    uint64_t seq = (uint64_t)json_number(json_at(event, "block"), "seq", 0);
    if (!strcmp(type, "agent_block_end") && seq > told->ended)
        told->ended = seq;
    if (seq > told->begun)
        told->begun = seq;
}

/* A tail of deltas alone says nothing. */
static bool read_told(const char *directory, const char *name, struct block_lines_told *told)
{
    char *path = text_format("%s/%s", directory, name);
    bool whole = false;
    for (size_t tail = TAIL_BYTES; !whole && !told->begun; tail *= 4)
        whole = read_lines(path, tail, note_told, told);
    free(path);
    return told->begun;
}

void block_lines_told(const char *directory, struct block_lines_told *told)
{
    if (!read_told(directory, "events.jsonl", told))
        read_told(directory, "events.jsonl.1", told);
}

void block_lines_note_told(struct block_lines_told *told, const char *line)
{
    json_t *event = seal_load(line, strlen(line));
    if (event)
        note_told(told, event);
    json_decref(event);
}

/* ---- one of them ---- */

/* A file that is searched; the line that was looked at last. */
struct search {
    int fd;
    char chunk[PROBE_BYTES]; /* what was read last, */
    uint64_t chunk_at;       /* from here on */
    size_t chunk_len;
    struct bytes line;
    uint64_t start, next; /* where it begins, and where the one behind it does */
    uint64_t seq;
    uint64_t bytes_read;
};

/* The bytes of the file from `at` on, as many as one read gives. NULL at its end. */
static const char *bytes_at(struct search *s, uint64_t at, size_t *ret_len)
{
    ssize_t n = 0;
    if (at < s->chunk_at || at >= s->chunk_at + s->chunk_len) {
        while ((n = pread(s->fd, s->chunk, sizeof s->chunk, (off_t)at)) < 0 && errno == EINTR)
            ;
        s->chunk_at = at;
        s->chunk_len = n > 0 ? (size_t)n : 0;
        s->bytes_read += s->chunk_len;
    }
    *ret_len = s->chunk_len - (size_t)(at - s->chunk_at);
    return *ret_len ? s->chunk + (at - s->chunk_at) : NULL;
}

/* Reads the bytes from `at` to the next line feed into `line`. False at the end of the file. */
static bool read_line(struct search *s, uint64_t at)
{
    s->line.len = 0;
    for (uint64_t from = at;;) {
        size_t len;
        const char *bytes = bytes_at(s, from, &len);
        if (!bytes)
            return false;
        const char *end = memchr(bytes, '\n', len);
        len = end ? (size_t)(end - bytes) : len;
        if (s->line.len <= LIMIT_JSONL_LINE_BYTES)
            bytes_append(&s->line, bytes, len);
        from += len;
        s->start = at;
        s->next = from + 1;
        if (end)
            return true;
    }
}

/* The line as a block, new reference, or NULL; `seq` is 0 where it says none. */
static json_t *read_block(struct search *s)
{
    json_t *block =
        s->line.len <= LIMIT_JSONL_LINE_BYTES ? seal_load(s->line.data, s->line.len) : NULL;
    s->seq = (uint64_t)json_number(block, "seq", 0);
    return block;
}

static bool read_seq(struct search *s)
{
    json_decref(read_block(s));
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

/* Where the first line begins that is behind all those of `seq` and lower numbers; the last one of
 * `seq` itself begins at `ret_last` (SIZE_MAX: there is none). */
static uint64_t bisect(struct search *s, uint64_t seq, uint64_t size, uint64_t *ret_last)
{
    uint64_t low = 0;
    *ret_last = UINT64_MAX;
    for (uint64_t high = size; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (!look(s, middle, high) || s->seq > seq) {
            high = middle;
            continue;
        }
        low = s->next;
        *ret_last = s->seq == seq ? s->start : UINT64_MAX;
    }
    return low;
}

/* Opens a file to be searched; false when there is none. */
static bool search_begin(struct search *s, const char *directory, int age, uint64_t *ret_size)
{
    char *path = path_of(directory, age);
    struct stat st;
    *s = (struct search){.fd = file_open_regular(path)};
    *ret_size = s->fd >= 0 && fstat(s->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    free(path);
    return s->fd >= 0;
}

static void search_end(struct search *s)
{
    if (s->fd >= 0)
        close(s->fd);
    bytes_finish(&s->line);
}

json_t *block_lines_find(const char *directory, uint64_t seq, uint64_t *bytes_read)
{
    json_t *found = NULL;
    for (int age = 0; age < 2 && !found; age++) {
        struct search s;
        uint64_t size, last = UINT64_MAX;
        if (search_begin(&s, directory, age, &size))
            bisect(&s, seq, size, &last);
        if (last != UINT64_MAX && read_line(&s, last))
            found = read_block(&s);
        *bytes_read += s.bytes_read;
        search_end(&s);
    }
    if (found)
        block_remove_internal(found);
    return found;
}

/* ---- a page of them ---- */

/* Collects the lines from `at` on until they are more than `most` bytes; a block's second line
 * comes with its first. Returns how many bytes are left of `most`. */
static size_t collect_from(struct search *s, uint64_t at, size_t most, struct collection *c)
{
    for (; read_line(s, at); at = s->next) {
        size_t count = json_array_size(c->blocks);
        json_int_t last = json_number(json_array_get(c->blocks, count - 1), "seq", 0);
        json_t *block = read_block(s);
        bool ends = s->seq && count && !most && (json_int_t)s->seq != last;
        if (s->seq && !ends) {
            collect(c, block);
            most -= s->line.len < most ? s->line.len : most;
        }
        json_decref(block);
        if (ends)
            break;
    }
    return most;
}

static json_t *lines_after(const char *directory, uint64_t after, size_t most, struct collection c,
                           bool *ret_all)
{
    c.blocks = json_array();
    for (int age = 1; age >= 0; age--) {
        struct search s;
        uint64_t size, last;
        if (search_begin(&s, directory, age, &size))
            most = collect_from(&s, bisect(&s, after, size, &last), most, &c);
        search_end(&s);
    }
    *ret_all = most > 0;
    return c.blocks;
}

json_t *block_lines_after(const char *directory, uint64_t after, size_t most, bool *ret_all)
{
    return lines_after(directory, after, most, (struct collection){0}, ret_all);
}

json_t *block_lines_kept_after(const char *directory, uint64_t after, size_t most, bool *ret_all)
{
    return lines_after(directory, after, most, (struct collection){.with_keys = true}, ret_all);
}

json_t *block_lines_apart(const char *directory, uint64_t after, size_t most, bool *ret_all)
{
    return lines_after(directory, after, most, (struct collection){.apart = true}, ret_all);
}

/* Calls for each line from `at` on. */
static void each_from(struct search *s, uint64_t at, block_line *each, void *user)
{
    for (; read_line(s, at); at = s->next) {
        json_t *block = read_block(s);
        if (s->seq)
            each(user, block);
        json_decref(block);
    }
}

void block_lines_behind(const char *directory, uint64_t after, block_line *each, void *user)
{
    for (int age = 1; age >= 0; age--) {
        struct search s;
        uint64_t size, last;
        if (search_begin(&s, directory, age, &size))
            each_from(&s, bisect(&s, after, size, &last), each, user);
        search_end(&s);
    }
}

/* The newest of those that ended. */
static void note_ended(void *user, json_t *block)
{
    uint64_t *ended = user, seq = (uint64_t)json_number(block, "seq", 0);
    if (strcmp(json_text(block, "status", ""), "running") && seq > *ended)
        *ended = seq;
}

static void note_highest(void *user, json_t *block)
{
    uint64_t *highest = user, seq = (uint64_t)json_number(block, "seq", 0);
    *highest = seq > *highest ? seq : *highest;
}

/* Looks at the ends of the files, as far back as there is nothing found. */
static uint64_t find_newest(const char *directory, block_line *note)
{
    uint64_t seq = 0;
    for (int age = 0; age < 2 && !seq; age++) {
        char *path = path_of(directory, age);
        bool whole = false;
        for (size_t tail = TAIL_BYTES; !whole && !seq; tail *= 4)
            whole = read_lines(path, tail, note, &seq);
        free(path);
    }
    return seq;
}

uint64_t block_lines_highest(const char *directory)
{
    return find_newest(directory, note_highest);
}

uint64_t block_lines_ended(const char *directory)
{
    return find_newest(directory, note_ended);
}
