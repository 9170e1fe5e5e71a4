#include "envelope/redact/matches.h"
#include "envelope/redact/rules.h"

static const struct redact_rules *of_process;
static _Thread_local const struct redact_rules *of_thread;

void redact_use(const struct redact_rules *rules)
{
    of_process = rules;
}

void redact_use_here(const struct redact_rules *rules)
{
    of_thread = rules;
}

static const struct redact_rules *rules_here(void)
{
    return of_thread ? of_thread : of_process;
}

bool redact_own_begin(struct redact_own *own, size_t len)
{
    const struct redact_rules *rules = rules_here();
    if (rules)
        rules->find(own->text, len, redact_own_found, own);
    return rules != NULL;
}

void redact_own_found(void *user, size_t from, size_t to, const char *type)
{
    struct redact_own *own = user;
    struct redact_match match = {from, to, type};
    if (from < to && !rules_here()->keeps(own->text + from, to - from))
        bytes_append(&own->matches, &match, sizeof match);
}

void redact_own_tell(struct redact_own *own, size_t len, redact_found *found, void *user)
{
    struct redact_matches matches = {(struct redact_match *)(void *)own->matches.data,
                                     own->matches.len / sizeof(struct redact_match)};
    if (!own->matches.failed)
        redact_matches_tell(&matches, found, user);
    else if (len)
        found(user, 0, len, "unknown"); /* what cannot be known is not told */
    bytes_finish(&own->matches);
}
