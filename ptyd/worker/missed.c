/* A terminal of its own takes the marks out, as the session's did when the bytes came. */
#include "ptyd/worker/missed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptyd/session/session.h"
#include "vterm_snapshot/terminal.h"

#define READ_BYTES (64 << 10)

struct missed {
    struct terminal *terminal;
    uint64_t place;
    struct bytes *out; /* while it reads */
};

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)offset;
    struct missed *m = user;
    bytes_append(m->out, bytes, len);
}

struct missed *missed_create(uint64_t from)
{
    static const struct terminal_events events = {.display = on_display};
    struct missed *m = memory_new(sizeof *m);
    struct terminal_options options = {.events = &events, .user = m, .scrollback = 1};
    *m = (struct missed){.place = from};
    m->terminal = terminal_create(&options);
    if (!m->terminal)
        memory_end();
    return m;
}

void missed_destroy(struct missed *m)
{
    if (m)
        terminal_destroy(m->terminal);
    free(m);
}

uint64_t missed_read(struct missed *m, const struct session *s, uint64_t end, size_t most,
                     struct bytes *out)
{
    char bytes[READ_BYTES];
    size_t left = (size_t)(end - m->place);
    most = most < sizeof bytes ? most : sizeof bytes;
    bool all = left <= most;
    ssize_t n = session_read(s, m->place, bytes, all ? left : most);
    m->out = out;
    size_t taken = n > 0 ? terminal_write(m->terminal, bytes, (size_t)n) : 0;
    /* What stands before `end` was understood without what follows; a log that is shorter than it
     * was has nothing more to give. */
    m->place = n <= 0 || all ? end : m->place + (taken ? taken : (size_t)n);
    return m->place;
}

uint64_t missed_lines(const struct session *s, uint64_t from, uint64_t to)
{
    static char bytes[MISSED_COUNT_BYTES]; /* the loop's */
    size_t want = to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes;
    ssize_t n = session_read(s, from, bytes, want);
    uint64_t lines = 0;
    const char *at = bytes, *end = bytes + (n > 0 ? n : 0);
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}
