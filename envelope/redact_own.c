#include <stdlib.h>

#include "envelope/redact_private.h"

static const struct redact_rules *rules;

void redact_use(const struct redact_rules *own)
{
    rules = own;
}

bool redact_own_begin(struct redact_own *own, size_t len)
{
    if (rules)
        rules->find(own->text, len, redact_own_found, own);
    return rules != NULL;
}

void redact_own_found(void *user, size_t from, size_t to, const char *type)
{
    struct redact_own *own = user;
    struct redact_match match = {from, to, type};
    if (from < to && !rules->keeps(own->text + from, to - from))
        bytes_append(&own->matches, &match, sizeof match);
}

static int by_place(const void *a, const void *b)
{
    const struct redact_match *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to;
}

/* Where several overlap they are one: no end of any stays. */
static void tell(const struct redact_own *own, redact_found *found, void *user)
{
    struct redact_match *all = (struct redact_match *)(void *)own->matches.data;
    size_t count = own->matches.len / sizeof *all;
    if (count)
        qsort(all, count, sizeof *all, by_place);
    for (size_t i = 0, next; i < count; i = next) {
        size_t to = all[i].to;
        for (next = i + 1; next < count && all[next].from < to; next++)
            to = all[next].to > to ? all[next].to : to;
        found(user, all[i].from, to, all[i].type);
    }
}

void redact_own_tell(struct redact_own *own, size_t len, redact_found *found, void *user)
{
    if (!own->matches.failed)
        tell(own, found, user);
    else if (len)
        found(user, 0, len, "unknown"); /* what cannot be known is not told */
    bytes_finish(&own->matches);
}
