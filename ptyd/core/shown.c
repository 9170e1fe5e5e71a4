#include "ptyd/core/shown.h"

#include "base/bytes.h"
#include "base/memory.h"

struct looking {
    size_t from;          /* of the text: where what is looked at begins */
    const size_t *breaks; /* where a line end stands there that the text has not */
    size_t count;
    redact_found *found;
    void *user;
};

/* Where a place in what is looked at is in the text. */
static size_t place_of(const struct looking *l, size_t at)
{
    size_t before = 0;
    while (before < l->count && l->breaks[before] - l->from + before < at)
        before++;
    return l->from + at - before;
}

static void on_found(void *user, size_t from, size_t to, const char *type)
{
    const struct looking *l = user;
    l->found(l->user, place_of(l, from), place_of(l, to), type);
}

void shown_secrets(struct transcript *t, size_t from, const struct redact_secrets *secrets,
                   redact_found *found, void *user)
{
    struct looking l = {.from = from, .found = found, .user = user};
    struct redact_ends ends = {0};
    struct bytes rows = {0};
    size_t len, at = from;
    const char *text = transcript_text(t, &len);
    l.breaks = transcript_breaks(t, &l.count);
    for (; l.count && *l.breaks <= from; l.breaks++)
        l.count--;
    for (size_t i = 0; i < l.count; at = l.breaks[i++]) {
        bytes_append(&rows, text + at, l.breaks[i] - at);
        redact_ends_add(&ends, rows.len);
        bytes_append_char(&rows, '\n');
    }
    bytes_append(&rows, text + at, len - at);
    if (rows.failed)
        memory_end(); /* what is not found would be shown */
    redact_find(rows.data ? rows.data : "", rows.len, secrets, on_found, &l);
    if (ends.count)
        redact_find_joined(rows.data, rows.len, &ends, secrets, on_found, &l);
    redact_ends_finish(&ends);
    bytes_finish(&rows);
}
