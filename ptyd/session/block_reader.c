/* First the tail that holds enough blocks is found: only `seq` is read of its lines, and it is made
 * larger until one block more was seen than asked for, for the oldest may have its first line
 * outside. Then its lines are gone through again. Of a block's two lines the later one is parsed,
 * and the earlier one where that is damaged. */
#define _GNU_SOURCE
#include "ptyd/session/block_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/block.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

#define TAIL_BYTES (64 << 10) /* looked at first */
#define STEP_BYTES (16 << 10) /* read at once */

struct block_reader {
    int fds[2];        /* the older file and the newer one; -1 for none */
    uint64_t sizes[2]; /* when they were opened; one stream for us */
    size_t last;       /* blocks asked for; 0: all */
    bool with_keys;
    bool counted;   /* the tail holds enough */
    uint64_t start; /* of the tail in the stream */
    uint64_t at;    /* of the next byte */
    uint64_t passed;
    struct lines lines;
    bool cut;                    /* the next line may have lost its begin */
    uint64_t seq;                /* of the block at hand */
    size_t seen, skip;           /* blocks of the tail; so many are older than those asked for */
    struct bytes later, earlier; /* lines of the block at hand, */
    struct bytes done[2];        /* and of the one that is over */
};

static int open_file(const char *directory, const char *name, uint64_t *ret_size)
{
    struct stat st;
    char *path = text_format("%s/%s", directory, name);
    int fd = file_open_regular(path);
    *ret_size = fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    free(path);
    return fd;
}

static uint64_t total(const struct block_reader *r)
{
    return r->sizes[0] + r->sizes[1];
}

static void begin_at(struct block_reader *r, uint64_t start)
{
    lines_finish(&r->lines);
    r->lines = (struct lines){.limit = LIMIT_JSONL_LINE_BYTES};
    r->start = r->at = start;
    r->cut = start > 0;
    r->seq = 0;
    r->seen = 0;
}

struct block_reader *block_reader_open(const char *directory, size_t last, bool with_keys)
{
    struct block_reader *r = memory_new(sizeof *r);
    *r = (struct block_reader){.last = last, .with_keys = with_keys, .counted = !last};
    r->fds[0] = open_file(directory, "blocks.jsonl.1", &r->sizes[0]);
    r->fds[1] = open_file(directory, "blocks.jsonl", &r->sizes[1]);
    begin_at(r, last && total(r) > TAIL_BYTES ? total(r) - TAIL_BYTES : 0);
    return r;
}

void block_reader_close(struct block_reader *r)
{
    if (!r)
        return;
    for (int i = 0; i < 2; i++)
        if (r->fds[i] >= 0)
            close(r->fds[i]);
    lines_finish(&r->lines);
    bytes_finish(&r->later);
    bytes_finish(&r->earlier);
    bytes_finish(&r->done[0]);
    bytes_finish(&r->done[1]);
    free(r);
}

size_t block_reader_holds(const struct block_reader *r)
{
    return sizeof *r + r->lines.buffer.capacity + r->later.capacity + r->earlier.capacity +
           r->done[0].capacity + r->done[1].capacity;
}

uint64_t block_reader_passed(const struct block_reader *r)
{
    return r->passed;
}

/* Adds some of the stream to the lines. False at its end. What breaks off at the end of the older
 * file does not go on in the newer one. */
static bool read_some(struct block_reader *r)
{
    char chunk[STEP_BYTES];
    bool newer = r->at >= r->sizes[0];
    uint64_t end = newer ? total(r) : r->sizes[0], from = r->at - (newer ? r->sizes[0] : 0);
    if (r->at >= end)
        return false;
    size_t len = end - r->at < sizeof chunk ? (size_t)(end - r->at) : sizeof chunk;
    ssize_t n;
    while ((n = pread(r->fds[newer], chunk, len, (off_t)from)) < 0 && errno == EINTR)
        ;
    if (newer && !from && r->at)
        lines_add(&r->lines, "\n", 1);
    if (n > 0)
        lines_add(&r->lines, chunk, (size_t)n);
    r->passed += n > 0 ? (uint64_t)n : 0;
    r->at = n > 0 ? r->at + (uint64_t)n : end; /* cut short meanwhile, or not to be read */
    return true;
}

/* What a line says its block's number is; 0 for a line that is none. In a string of JSON the quotes
 * would have backslashes. */
static uint64_t seq_of(const char *line, size_t len)
{
    static const char key[] = "\"seq\":";
    const char *end = line + len;
    const char *at =
        len && *line == '{' && end[-1] == '}' ? memmem(line, len, key, sizeof key - 1) : NULL;
    uint64_t seq = 0;
    at = at ? at + sizeof key - 1 : end;
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        seq = seq * 10 + (uint64_t)(*at - '0');
    return seq;
}

/* The next line of a block; false when none was read yet. */
static bool next_line(struct block_reader *r, char **ret_line, size_t *ret_len, uint64_t *ret_seq)
{
    int found = lines_next(&r->lines, ret_line, ret_len);
    bool whole = found > 0 && !r->cut;
    r->cut = r->cut && !found;
    *ret_seq = whole ? seq_of(*ret_line, *ret_len) : 0;
    return found != 0;
}

/* At the end of the tail: it is enough, or a larger one is looked at. */
static void end_count(struct block_reader *r)
{
    uint64_t tail = total(r) - r->start;
    r->counted = r->seen > r->last || !r->start;
    r->skip = r->seen > r->last ? r->seen - r->last : 0;
    begin_at(r, r->counted ? r->start : total(r) > 4 * tail ? total(r) - 4 * tail : 0);
}

static void count(struct block_reader *r)
{
    char *line;
    size_t len;
    uint64_t seq;
    if (!next_line(r, &line, &len, &seq)) {
        if (!read_some(r))
            end_count(r);
        return;
    }
    r->seen += seq && seq != r->seq;
    r->seq = seq ? seq : r->seq;
}

/* The block at hand is over: whether it has a line. */
static bool end_block(struct block_reader *r)
{
    struct bytes spare[] = {r->done[0], r->done[1]};
    r->done[0] = r->later;
    r->done[1] = r->earlier;
    r->later = spare[0];
    r->earlier = spare[1];
    r->later.len = r->earlier.len = 0;
    return r->done[0].len > 0;
}

static void keep(struct block_reader *r, const char *line, size_t len)
{
    struct bytes before = r->earlier;
    r->earlier = r->later;
    r->later = before;
    r->later.len = 0;
    bytes_append(&r->later, line, len);
}

/* One step: 1 when a block is done, 0, or -1 at the end. */
static int step(struct block_reader *r)
{
    char *line;
    size_t len;
    uint64_t seq;
    bool done = false;
    if (!r->counted) {
        count(r);
        return 0;
    }
    if (!next_line(r, &line, &len, &seq)) {
        if (read_some(r))
            return 0;
        return end_block(r) ? 1 : -1;
    }
    if (seq && seq != r->seq) {
        done = end_block(r);
        r->seq = seq;
        r->seen++;
    }
    if (seq && r->seen > r->skip)
        keep(r, line, len);
    return done;
}

int block_reader_next_lines(struct block_reader *r, struct json_piece ret_lines[2])
{
    int found = step(r);
    for (int i = 0; i < 2 && found > 0; i++)
        ret_lines[i] = (struct json_piece){r->done[i].data, r->done[i].len};
    return found;
}

int block_reader_next(struct block_reader *r, json_t **ret_block)
{
    int found = step(r);
    json_t *block = NULL;
    for (int i = 0; i < 2 && found > 0 && !block; i++)
        block = r->done[i].len ? seal_load(r->done[i].data, r->done[i].len) : NULL;
    if (!block)
        return found < 0 ? -1 : 0;
    if (!r->with_keys)
        block_remove_internal(block);
    *ret_block = block;
    return 1;
}

json_t *block_reader_all(const char *directory, size_t last, bool with_keys)
{
    struct block_reader *r = block_reader_open(directory, last, with_keys);
    json_t *blocks = json_array(), *block;
    for (int found; (found = block_reader_next(r, &block)) >= 0;)
        if (found)
            json_array_append_new(blocks, block);
    block_reader_close(r);
    return blocks;
}
