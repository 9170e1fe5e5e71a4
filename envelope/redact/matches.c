#include <stdlib.h>

#include "base/memory.h"
#include "envelope/redact/matches.h"
#include "envelope/redact/rules.h"

void redact_matches_note(void *user, size_t from, size_t to, const char *type)
{
    struct redact_matches *m = user;
    if (!(m->count & (m->count - 1)))
        m->list = memory_grow(m->list, (m->count ? 2 * m->count : 1) * sizeof *m->list);
    m->list[m->count++] = (struct redact_match){from, to, type};
}

static int by_place(const void *left, const void *right)
{
    const struct redact_match *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to > b->to ? -1 : a->to < b->to;
}

void redact_matches_tell(struct redact_matches *m, redact_found *found, void *user)
{
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, by_place);
    for (size_t i = 0, next; i < m->count; i = next) {
        size_t to = m->list[i].to;
        for (next = i + 1; next < m->count && m->list[next].from < to; next++)
            to = m->list[next].to > to ? m->list[next].to : to;
        found(user, m->list[i].from, to, m->list[i].type);
    }
}

void redact_matches_finish(struct redact_matches *m)
{
    free(m->list);
    *m = (struct redact_matches){0};
}

int redact_insert(struct redact_match *list, int count, int most, const struct redact_match *match)
{
    bool full = count == most;
    int i = count;
    while (i > 0 && list[i - 1].from > match->from)
        i--;
    if (i > 0 && (full || list[i - 1].to > match->from)) {
        list[i - 1].to = match->to > list[i - 1].to ? match->to : list[i - 1].to;
    } else if (full) {
        list[0].from = match->from;
    } else {
        memmove(list + i + 1, list + i, (size_t)(count - i) * sizeof *list);
        list[i] = *match;
        count++;
    }
    return count;
}
