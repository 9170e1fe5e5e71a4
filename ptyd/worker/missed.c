#include "ptyd/worker/missed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptyd/session/session.h"
#include "vterm_snapshot/passage.h"
#include "vterm_snapshot/terminal.h"

#define READ_BYTES (64 << 10)
#define READ_LEAST 256 /* more than is ever held back */

struct missed {
    struct passage *passage;
    struct session *session;
    uint64_t viewer;
    struct bytes *out; /* while it reads */
};

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)offset;
    bytes_append(((struct missed *)user)->out, bytes, len);
}

static void on_query(void *user, const struct query *query, uint64_t offset)
{
    const struct missed *m = user;
    session_shown_again(m->session, m->viewer, query, offset);
}

static uint64_t on_left(void *user, uint64_t offset)
{
    return session_left_behind(((struct missed *)user)->session, offset);
}

struct missed *missed_create(struct session *s, uint64_t viewer, uint64_t from)
{
    static const struct passage_events events = {
        .display = on_display, .query = on_query, .left = on_left};
    struct missed *m = memory_new(sizeof *m);
    *m = (struct missed){.session = s, .viewer = viewer};
    m->passage = passage_create(from, &events, m);
    if (!m->passage)
        memory_end();
    return m;
}

void missed_destroy(struct missed *m)
{
    if (m)
        passage_destroy(m->passage);
    free(m);
}

/* What is held back stands at the end of the log, where the session's terminal knows that it begins
 * nothing: that began earlier. Where the log lacks any of it, it does not stand there. */
static int read_rest(struct missed *m, char *bytes, uint64_t end)
{
    uint64_t from = passage_shown(m->passage);
    if (from >= end)
        return 0;
    ssize_t n = end - from <= READ_BYTES
                    ? session_read(m->session, from, bytes, (size_t)(end - from))
                    : -EIO;
    if (n < 0 || (uint64_t)n < end - from)
        return n < 0 ? (int)n : -EIO;
    bytes_append(m->out, bytes, (size_t)n);
    return 0;
}

int missed_read(struct missed *m, size_t most, struct bytes *out, uint64_t *ret_place)
{
    char bytes[READ_BYTES];
    most = most < READ_LEAST ? READ_LEAST : most < sizeof bytes ? most : sizeof bytes;
    ssize_t n = session_read(m->session, passage_offset(m->passage), bytes, most);
    if (n < 0)
        return (int)n;
    m->out = out;
    size_t taken = passage_write(m->passage, bytes, (size_t)n);
    uint64_t end = terminal_shown_offset(session_terminal(m->session));
    int result = taken ? 0 : read_rest(m, bytes, end);
    if (result == 0)
        *ret_place = taken ? passage_shown(m->passage) : end;
    return result;
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
