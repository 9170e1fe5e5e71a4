/* The number of the last block stands in each record of a mark, and of a line feed that was waited
 * for: the first with this block's began it. */
#define _GNU_SOURCE
#include "ptyd/session/block_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/session/rawlog.h"

#define PIECE 1024 /* records read at once */

struct search {
    uint64_t seq;
    struct block_bytes found;
    bool begun, ended;
};

static bool is_mark(const struct rawlog_record *r)
{
    return r->kind == RAWLOG_MARK || r->kind == RAWLOG_FOREIGN;
}

static bool begins(const struct search *s, const struct rawlog_record *r)
{
    return r->value == s->seq && (is_mark(r) || r->kind == RAWLOG_LINE || r->kind == RAWLOG_RUNS);
}

static bool ends(const struct search *s, const struct rawlog_record *r)
{
    bool is_end = is_mark(r) && r->offset > s->found.from && r->detail != MARK_COMMAND &&
                  r->detail != MARK_PROPERTY;
    return is_end || r->kind == RAWLOG_SHELL || r->kind == RAWLOG_LOST;
}

static void look(struct search *s, const struct rawlog_record *r)
{
    if (!rawlog_is_record(r))
        return;
    if (!s->begun && r->kind == RAWLOG_RESIZE) {
        s->found.cols = (int)(r->value >> 16);
        s->found.rows = (int)(r->value & 0xffff);
    } else if (!s->begun && begins(s, r)) {
        s->found.from = r->offset;
        s->begun = true;
    } else if (s->begun && ends(s, r)) {
        s->found.to = r->offset;
        s->ended = true;
    }
}

static int open_in(const char *directory, const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(path);
    return fd;
}

/* The one that runs goes on to the end of the log. */
static void end_at_log(struct search *s, const char *directory)
{
    struct stat st;
    int raw = open_in(directory, "output.raw");
    s->found.to = raw >= 0 && fstat(raw, &st) == 0 ? (uint64_t)st.st_size : s->found.from;
    if (raw >= 0)
        close(raw);
}

bool block_bytes_find(const char *directory, uint64_t seq, struct block_bytes *ret_bytes)
{
    struct search s = {.seq = seq};
    struct rawlog_record records[PIECE];
    int fd = open_in(directory, "output.idx");
    ssize_t n = 0;
    for (off_t at = 0; fd >= 0 && !s.ended; at += n) {
        n = file_read_at(fd, records, sizeof records, at);
        n = n > 0 ? n - n % (ssize_t)sizeof *records : 0;
        for (size_t i = 0; i < (size_t)n / sizeof *records && !s.ended; i++)
            look(&s, &records[i]);
        if (!n)
            break;
    }
    if (fd >= 0)
        close(fd);
    if (s.begun && !s.ended)
        end_at_log(&s, directory);
    if (s.begun)
        *ret_bytes = s.found;
    return s.begun;
}
