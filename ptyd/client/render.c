#define _GNU_SOURCE
#include "ptyd/client/render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/terminal.h"

#define PIECE (256 << 10)

static const struct terminal_events no_events;

static void add(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

static int open_log(const json_t *result)
{
    char *path = text_format("%s/output.raw", json_text(result, "directory", ""));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(path);
    return fd;
}

/* Where the log has something from `at` on: what its bound took of its begin is a hole. */
static long long begin_at(int fd, long long at, long long to)
{
    off_t data = lseek(fd, at, SEEK_DATA);
    long long begin = data >= 0 ? data : errno == ENXIO ? to : at;
    begin = begin < to ? begin : to;
    if (begin > at)
        say("of the %lld bytes that it printed the log has the first %lld no more: what they "
            "showed "
            "is without colours, or missing while it runs",
            to - at, begin - at);
    return begin;
}

/* What a write does not take stands in front of the next one. */
static void write_all(struct terminal *t, int fd, long long at, long long to)
{
    char *piece = memory_new(PIECE);
    size_t held = 0;
    while (at < to) {
        size_t room = PIECE - held, left = (size_t)(to - at);
        ssize_t n = file_read_at(fd, piece + held, left < room ? left : room, at);
        if (n <= 0)
            break;
        at += n;
        held += (size_t)n;
        size_t taken = terminal_write(t, piece, held);
        memmove(piece, piece + taken, held - taken);
        held -= taken;
        if (held == PIECE)
            break;
    }
    free(piece);
}

bool render_block(const json_t *result, struct bytes *out)
{
    const json_t *bytes = json_object_get(result, "bytes");
    int fd = json_is_object(bytes) ? open_log(result) : -1;
    if (fd < 0)
        return false;
    struct terminal_options options = {.cols = (int)json_number(bytes, "cols", 0),
                                       .rows = (int)json_number(bytes, "rows", 0),
                                       .scrollback = 1,
                                       .events = &no_events};
    struct terminal *t = terminal_create(&options);
    if (!t)
        memory_end();
    terminal_capture_styled(t);
    terminal_capture_begin(t, add, out);
    long long to = json_number(bytes, "to", 0);
    write_all(t, fd, begin_at(fd, json_number(bytes, "from", 0), to), to);
    terminal_capture_end(t);
    terminal_destroy(t);
    close(fd);
    return true;
}
