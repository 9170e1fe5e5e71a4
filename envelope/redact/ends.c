/* What stands on both sides of a line end that is none of the text's. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "envelope/redact/redact.h"

void redact_ends_add(struct redact_ends *ends, size_t at)
{
    if (!(ends->count & (ends->count - 1)))
        ends->at = memory_grow(ends->at, (ends->count ? 2 * ends->count : 1) * sizeof *ends->at);
    ends->at[ends->count++] = at;
}

void redact_ends_finish(struct redact_ends *ends)
{
    free(ends->at);
    *ends = (struct redact_ends){0};
}

/* ---- without the line ends ---- */

struct joined {
    const struct redact_ends *ends;
    size_t passed; /* of them */
    redact_found *found;
    void *user;
};

/* Of a byte without them; asked in order. */
static size_t place_of(struct joined *j, size_t at)
{
    while (j->passed < j->ends->count && j->ends->at[j->passed] - j->passed <= at)
        j->passed++;
    return at + j->passed;
}

static void found_joined(void *user, size_t from, size_t to, const char *type)
{
    struct joined *j = user;
    size_t begin = place_of(j, from), before = j->passed;
    size_t end = place_of(j, to - 1) + 1;
    j->passed = before; /* the next may begin where this one does */
    j->found(j->user, begin, end, type);
}

void redact_find_joined(const char *text, size_t len, const struct redact_ends *ends,
                        const struct redact_secrets *secrets, redact_found *found, void *user)
{
    struct bytes joined = {0};
    size_t at = 0;
    for (size_t i = 0; i < ends->count; at = ends->at[i++] + 1)
        bytes_append(&joined, text + at, ends->at[i] - at);
    bytes_append(&joined, text + at, len - at);
    if (joined.failed)
        memory_end(); /* what is not found would be told */
    redact_find(joined.data ? joined.data : "", joined.len, secrets, found_joined,
                &(struct joined){.ends = ends, .found = found, .user = user});
    bytes_finish(&joined);
}

/* ---- both ---- */

void redact_find_over(const char *text, size_t len, const struct redact_ends *ends,
                      const struct redact_secrets *secrets, redact_found *found, void *user)
{
    redact_find_over_both(text, len, ends, ends, secrets, found, user);
}

void redact_find_over_both(const char *text, size_t len, const struct redact_ends *ends,
                           const struct redact_ends *more, const struct redact_secrets *secrets,
                           redact_found *found, void *user)
{
    struct redact_matches matches = {0};
    if (!more->count) {
        redact_find(text, len, secrets, found, user);
        return;
    }
    redact_find(text, len, secrets, redact_matches_note, &matches);
    if (ends->count)
        redact_find_joined(text, len, ends, secrets, redact_matches_note, &matches);
    if (more->count > ends->count)
        redact_find_joined(text, len, more, secrets, redact_matches_note, &matches);
    redact_matches_tell(&matches, found, user);
    redact_matches_finish(&matches);
}
