#define _GNU_SOURCE
#include "ptyd/client/matcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/transcript.h"

struct matcher {
    const char *wanted;
    struct regex *regex;
    uint64_t cursor;
    int cols;
    struct transcript *transcript;
    struct bytes pending; /* was not taken yet */
    uint64_t expected;    /* behind what came */
    size_t searched;      /* in front of that no match begins */
    enum matcher_state state;
    char *found;
    uint64_t place;
};

static void on_changes(void *user);

static void start_at(struct matcher *m, uint64_t offset)
{
    transcript_destroy(m->transcript);
    m->transcript = transcript_create(offset, m->cols, on_changes, m);
    if (!m->transcript)
        memory_end();
    m->pending.len = m->searched = 0;
    m->expected = offset;
}

struct matcher *matcher_create(const char *text, struct regex *regex, uint64_t cursor, int cols)
{
    struct matcher *m = memory_new(sizeof *m);
    *m = (struct matcher){.wanted = text, .regex = regex, .cursor = cursor, .cols = cols};
    return m;
}

void matcher_destroy(struct matcher *m)
{
    if (!m)
        return;
    transcript_destroy(m->transcript);
    bytes_finish(&m->pending);
    free(m->found);
    free(m);
}

void matcher_set_cols(struct matcher *m, int cols)
{
    m->cols = cols;
    if (m->transcript)
        transcript_set_cols(m->transcript, cols);
}

/* ---- searching ---- */

/* The first from `start` on. PART: where one may begin that goes on later. */
static enum regex_result look(const char *wanted, struct regex *regex, const char *text, size_t len,
                              size_t start, bool may_go_on, size_t *ret_from, size_t *ret_to)
{
    if (regex)
        return regex_search(regex, text, len, start, may_go_on, ret_from, ret_to);
    size_t size = strlen(wanted);
    const char *at = len > start ? memmem(text + start, len - start, wanted, size) : NULL;
    if (at) {
        *ret_from = (size_t)(at - text);
        *ret_to = *ret_from + size;
        return REGEX_FOUND;
    }
    *ret_from = len - start >= size ? utf8_ceil(text, len, len - size + 1) : start;
    return REGEX_PART;
}

/* All of it came behind the cursor, and there is something. */
static bool is_new(struct matcher *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (transcript_place(m->transcript, i, i + 1) <= m->cursor)
            return false;
    return to > from;
}

static void take_match(struct matcher *m, const char *text, size_t from, size_t to)
{
    m->state = MATCHER_FOUND;
    m->found = text_clean(text + from, to - from, to - from);
    m->place = transcript_place(m->transcript, from, to);
}

/* What was changed is gone through again: a match may begin as far in front as a text is long. */
static void step_back(struct matcher *m)
{
    size_t changed = transcript_changed_from(m->transcript);
    size_t back = m->regex ? 0 : strlen(m->wanted);
    size_t from = changed > back ? changed - back : 0;
    m->searched = from < m->searched ? from : m->searched;
}

/* Text of which no match can be a part is forgotten, and what is longer than may be. */
static void forget(struct matcher *m, size_t len)
{
    size_t behind = m->regex ? regex_looks_behind(m->regex) : 0;
    size_t keep = m->searched > behind ? m->searched - behind : 0;
    if (len - keep > LIMIT_MATCH_BYTES)
        keep = len - LIMIT_MATCH_BYTES / 2;
    if (keep < LIMIT_MATCH_BYTES / 8)
        return;
    size_t gone = transcript_forget(m->transcript, keep);
    m->searched = m->searched > gone ? m->searched - gone : 0;
}

/* Where a match may begin yet that is none so far. A pattern's `$` may be a line's end that has not
 * come: what stands near the text's end is looked at again. */
static size_t next_start(const struct matcher *m, size_t len)
{
    size_t again = len > LIMIT_REGEX_AGAIN_BYTES ? len - LIMIT_REGEX_AGAIN_BYTES : 0;
    return again > m->searched ? again : m->searched;
}

static void search(struct matcher *m)
{
    size_t len, from = 0, to = 0;
    const char *text = transcript_text(m->transcript, &len);
    step_back(m);
    m->searched = utf8_ceil(text, len, m->searched < len ? m->searched : len);
    while (m->state == MATCHER_SEARCHES) {
        enum regex_result result =
            look(m->wanted, m->regex, text, len, m->searched, true, &from, &to);
        if (result == REGEX_LIMIT)
            m->state = MATCHER_LIMIT;
        else if (result == REGEX_FOUND && is_new(m, from, to))
            take_match(m, text, from, to);
        else if (result == REGEX_FOUND && from < len)
            m->searched = utf8_ceil(text, len, from + 1);
        else {
            m->searched = result == REGEX_PART ? from : next_start(m, len);
            break;
        }
    }
}

static void on_changes(void *user)
{
    struct matcher *m = user;
    if (m->state == MATCHER_SEARCHES && m->expected > m->cursor)
        search(m);
}

/* ---- what comes ---- */

static void write_part(struct matcher *m, size_t len)
{
    size_t taken = transcript_write(m->transcript, m->pending.data, len);
    bytes_consume(&m->pending, taken);
}

/* What stands in front of the cursor only says where in a line it is. */
static void pass_cursor(struct matcher *m)
{
    size_t front = (size_t)(m->cursor - (m->expected - m->pending.len));
    size_t len;
    write_part(m, front);
    transcript_leave_sequence(m->transcript);
    transcript_text(m->transcript, &len);
    transcript_changed_from(m->transcript);
    m->searched = len;
}

enum matcher_state matcher_take(struct matcher *m, uint64_t offset, const char *bytes, size_t len)
{
    if (m->state != MATCHER_SEARCHES || !len)
        return m->state;
    if (!m->transcript || offset != m->expected)
        start_at(m, offset);
    bool passes = offset < m->cursor;
    bytes_append(&m->pending, bytes, len);
    m->expected += len;
    if (passes && m->expected >= m->cursor)
        pass_cursor(m);
    if (m->pending.len)
        write_part(m, m->pending.len);
    if (m->state == MATCHER_SEARCHES && m->expected > m->cursor) {
        search(m);
        transcript_text(m->transcript, &len);
        forget(m, len);
    }
    return m->state;
}

const char *matcher_text(const struct matcher *m, uint64_t *ret_cursor)
{
    *ret_cursor = m->place;
    return m->found;
}

enum matcher_state matcher_search(const char *text, struct regex *regex, const char *in, size_t len,
                                  char **ret_found)
{
    size_t from = 0, to = 0, start = 0;
    enum regex_result result;
    do {
        result = look(text, regex, in, len, start, false, &from, &to);
        start = utf8_ceil(in, len, from + 1);
    } while (result == REGEX_FOUND && from == to && start < len);
    if (result == REGEX_FOUND && to > from) {
        *ret_found = text_clean(in + from, to - from, to - from);
        return MATCHER_FOUND;
    }
    return result == REGEX_LIMIT ? MATCHER_LIMIT : MATCHER_SEARCHES;
}
