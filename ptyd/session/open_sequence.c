/* A sequence, a mark say, that is cut where the log does not have its first part: while capture is
 * paused, or while the log cannot be written. That part is noted beside what could not be written
 * (store_note()), with zeros for the nonce as in the log. */
#include "ptyd/session/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

/* What is noted: of each sequence this, and its bytes. */
struct part {
    uint64_t at, len;
};

static bool log_lacks(const struct session *s)
{
    int64_t since;
    return s->paused || rawlog_error(s->log, &since) != 0;
}

/* What came before [start, start + len) of the sequence is there, or in the log, or nowhere. */
static bool collect(struct session *s, uint64_t start, const char *bytes, size_t len)
{
    uint64_t have = s->open_at + s->open.len;
    if (have < start) {
        size_t lacks = (size_t)(start - have);
        char *to = lacks <= LIMIT_SLATE_WHOLE_BYTES ? bytes_reserve(&s->open, lacks) : NULL;
        if (!to || rawlog_read(s->log, have, to, lacks) != (ssize_t)lacks)
            return false;
        s->open.len += lacks;
        have = start;
    }
    if (have > start + len || s->open.len + len > LIMIT_SLATE_WHOLE_BYTES)
        return false;
    bytes_append(&s->open, bytes + (have - start), (size_t)(start + len - have));
    return true;
}

/* The one before stays until these bytes are let go of: until then whoever dies stood in it. */
static void note(struct session *s)
{
    struct bytes text = {0};
    bytes_append(&text, s->open_before.data, s->open_before.len);
    bytes_append(&text, &(struct part){s->open_at, s->open.len}, sizeof(struct part));
    bytes_append(&text, s->open.data, s->open.len);
    store_note(s->store, OWED_SEQUENCE, text.data, text.len);
    bytes_finish(&text);
    s->open_noted = true;
}

static void begin_another(struct session *s, uint64_t at)
{
    s->open_before.len = 0;
    if (s->open_noted && s->open.len) {
        bytes_append(&s->open_before, &(struct part){s->open_at, s->open.len}, sizeof(struct part));
        bytes_append(&s->open_before, s->open.data, s->open.len);
    }
    s->open.len = 0;
    s->open_at = at;
}

void session_keep_open(struct session *s, uint64_t start, const char *bytes, size_t len)
{
    if (!terminal_is_inside(s->terminal))
        return;
    uint64_t at = terminal_sequence_start(s->terminal);
    if (at != s->open_at || !s->open.len)
        begin_another(s, at);
    if (collect(s, start, bytes, len) && log_lacks(s))
        note(s);
}

void session_let_go_of_open(struct session *s)
{
    s->open_before.len = 0;
    if (terminal_is_inside(s->terminal))
        return;
    s->open.len = 0;
    if (s->open_noted)
        store_note(s->store, OWED_SEQUENCE, NULL, 0);
    s->open_noted = false;
}

/* The part that was being taken in at `start`; NULL for none. */
static const char *find_part(const struct session *s, uint64_t start, struct part *ret_part)
{
    size_t len;
    const char *at = store_noted(s->store, OWED_SEQUENCE, &len), *end = at + len;
    while (at && (size_t)(end - at) > sizeof *ret_part) {
        memcpy(ret_part, at, sizeof *ret_part);
        at += sizeof *ret_part;
        if (ret_part->len > (size_t)(end - at))
            return NULL;
        if (ret_part->at < start && start - ret_part->at <= ret_part->len)
            return at;
        at += ret_part->len;
    }
    return NULL;
}

void session_reenter(struct session *s, uint64_t start)
{
    struct part part;
    const char *bytes = find_part(s, start, &part);
    struct bytes again = {0};
    size_t len;
    store_noted(s->store, OWED_SEQUENCE, &len);
    s->open_noted = len > 0;
    if (!bytes)
        return;
    s->open_at = part.at;
    bytes_append(&s->open, bytes, (size_t)(start - part.at));
    bytes_append(&again, s->open.data, s->open.len);
    terminal_leave_sequence(s->terminal); /* the log may have led into it */
    terminal_set_offset(s->terminal, part.at);
    s->kept = true;
    terminal_write(s->terminal, again.data, again.len);
    s->kept = false;
    terminal_set_offset(s->terminal, start);
    bytes_finish(&again);
}
