#include "ptyd/worker/looker.h"

#include <string.h>

/* CSI I and CSI O. */
static void hear(struct looker *l, char c)
{
    if (l->matched == 2 && (c == 'I' || c == 'O'))
        l->focus = c == 'I' ? FOCUS_IN : FOCUS_OUT;
    l->matched = c == '\x1b' ? 1 : c == '[' && l->matched == 1 ? 2 : 0;
}

void looker_begins(struct looker *l)
{
    l->typed = false;
}

void looker_hears(struct looker *l, const char *bytes, size_t len, bool keys)
{
    for (const char *at = bytes, *end = bytes + len; at < end; at++) {
        if (!l->matched && !(at = memchr(at, '\x1b', (size_t)(end - at))))
            break;
        hear(l, *at);
    }
    l->typed = l->typed || keys;
}

bool looker_looks(const struct looker *l, bool reports)
{
    return reports && l->focus != FOCUS_UNKNOWN ? l->focus == FOCUS_IN : l->typed;
}
