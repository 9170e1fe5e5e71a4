#include "ptyd/worker/missed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
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

int missed_read(struct missed *m, size_t most, uint64_t until, struct bytes *out,
                uint64_t *ret_place)
{
    char bytes[READ_BYTES];
    uint64_t at = passage_offset(m->passage), left = until > at ? until - at : 0;
    most = most < READ_LEAST ? READ_LEAST : most < sizeof bytes ? most : sizeof bytes;
    most = most < left ? most : (size_t)left;
    ssize_t n = session_read(m->session, passage_offset(m->passage), bytes, most);
    if (n < 0)
        return (int)n;
    m->out = out;
    size_t taken = passage_write(m->passage, bytes, (size_t)n);
    uint64_t end = terminal_shown_offset(session_terminal(m->session));
    end = end < until ? end : until;
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

/* ---- behind a worker's death ---- */

struct asking {
    struct session *session;
    struct session_asked range;
    uint64_t viewer; /* that was shown them; 0 for none: they are answered here */
};

static void on_asked(void *user, const struct query *query, uint64_t offset)
{
    const struct asking *a = user;
    if (offset < a->range.from || offset > a->range.until || query_is_slow(query))
        return;
    if (a->viewer)
        session_inherit(a->session, a->viewer, offset, query);
    else
        session_answer(a->session, query);
}

static void ignore(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)user;
    (void)bytes;
    (void)len;
    (void)offset;
}

/* What is more than a viewer would be sent is not looked through at once either. */
static void look_through(struct asking *a)
{
    static const struct passage_events events = {.display = ignore, .query = on_asked};
    static char bytes[READ_BYTES]; /* the loop's */
    uint64_t from = a->range.read_from, until = a->range.until;
    struct passage *p = passage_create(from, &events, a);
    if (!p)
        memory_end();
    while (from < until && until - from <= LIMIT_VIEW_BEHIND_BYTES) {
        size_t want = until - from < sizeof bytes ? (size_t)(until - from) : sizeof bytes;
        ssize_t n = session_read(a->session, from, bytes, want);
        size_t taken = n > 0 ? passage_write(p, bytes, (size_t)n) : 0;
        if (!taken)
            break;
        from += taken;
    }
    passage_destroy(p);
}

void missed_answer(struct session *s)
{
    struct asking a = {.session = s};
    if (!session_unanswered(s, &a.range))
        return;
    look_through(&a);
    session_asked_over(s);
}

void missed_inherit(struct session *s, uint64_t viewer, uint64_t offset)
{
    struct asking a = {.session = s, .viewer = viewer};
    if (session_unanswered(s, &a.range)) {
        a.range.until = offset < a.range.until ? offset : a.range.until;
        look_through(&a);
    }
    session_set_heir(s, viewer, offset);
}
