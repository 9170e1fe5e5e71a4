#include "ptyd/core/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/board.h"
#include "ptyd/core/file.h"

#define PIECE_BYTES (1 << 16) /* of a file, read at once */

void lines_finish(struct lines *l)
{
    bytes_finish(&l->buffer);
}

/* Kept for the next lines. */
#define REST_BYTES 512

void lines_rest(struct lines *l)
{
    if (l->at < l->buffer.len)
        return;
    l->at = l->scanned = l->buffer.len = 0;
    if (l->buffer.capacity > REST_BYTES)
        bytes_finish(&l->buffer);
}

size_t lines_held(const struct lines *l)
{
    return l->buffer.len - l->at;
}

bool lines_wait(struct lines *l)
{
    size_t rest = l->buffer.len - l->scanned;
    const char *newline = rest ? memchr(l->buffer.data + l->scanned, '\n', rest) : NULL;
    l->scanned = newline ? (size_t)(newline - l->buffer.data) : l->buffer.len;
    if (l->skipping && !newline)
        l->at = l->buffer.len;
    return newline || lines_held(l) > l->limit;
}

void lines_add(struct lines *l, const char *bytes, size_t len)
{
    if (l->at) {
        bytes_consume(&l->buffer, l->at);
        l->scanned -= l->at;
        l->at = 0;
    }
    bytes_append(&l->buffer, bytes, len);
}

static int take(struct lines *l, size_t end, char **ret_line, size_t *ret_len)
{
    char *line = l->buffer.data + l->at;
    size_t len = end - l->at;
    l->at = l->scanned = end + 1;
    board_moved();
    if (l->skipping) {
        l->skipping = false;
        return 0;
    }
    if (len > l->limit)
        return -EFBIG;
    len -= len && line[len - 1] == '\r';
    line[len] = '\0';
    *ret_line = line;
    *ret_len = len;
    return 1;
}

int lines_next(struct lines *l, char **ret_line, size_t *ret_len)
{
    for (;;) {
        const char *from = l->buffer.data + l->scanned;
        const char *newline =
            l->buffer.len > l->scanned ? memchr(from, '\n', l->buffer.len - l->scanned) : NULL;
        if (!newline) {
            l->scanned = l->buffer.len;
            if (l->buffer.len - l->at <= l->limit)
                return 0;
            l->at = l->buffer.len; /* forget what cannot become a line */
            if (l->skipping)
                return 0;
            l->skipping = true;
            return -EFBIG;
        }
        int result = take(l, (size_t)(newline - l->buffer.data), ret_line, ret_len);
        if (result)
            return result;
    }
}

/* ---- a file ---- */

static void hand_out(struct lines *l, lines_each_line *each, void *user)
{
    char *line;
    size_t len;
    int found;
    while ((found = lines_next(l, &line, &len)) != 0)
        each(user, found > 0 ? line : NULL, found > 0 ? len : 0, true);
}

int lines_each(int fd, size_t limit, lines_each_line *each, void *user)
{
    struct lines l = {.limit = limit};
    char piece[PIECE_BYTES];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)) {
        lines_add(&l, piece, n > 0 ? (size_t)n : 0);
        hand_out(&l, each, user);
    }
    int result = n < 0 ? -errno : 0;
    if (result == 0 && !l.skipping && l.buffer.len > l.at)
        each(user, l.buffer.data + l.at, l.buffer.len - l.at, false);
    else if (result == 0 && l.skipping)
        each(user, NULL, 0, false);
    lines_finish(&l);
    return result;
}

int lines_each_of(const char *path, size_t limit, lines_each_line *each, void *user)
{
    int fd = file_open_regular(path);
    int result = fd < 0 ? fd : lines_each(fd, limit, each, user);
    if (fd >= 0)
        close(fd);
    return result;
}
