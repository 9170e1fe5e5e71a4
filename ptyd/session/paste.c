#include "ptyd/session/paste.h"

#include <string.h>

#define NUMBER_AT 4 /* where the two brackets differ */

/* Of the brackets `ESC [ 200 ~` and `ESC [ 201 ~`. */
static void take(struct paste *p, const void *of, char c)
{
    bool number = p->at == NUMBER_AT && (c == '0' || c == '1');
    if (number)
        p->ends = c == '1';
    p->at = number || c == PASTE_END[p->at] ? p->at + 1 : c == *PASTE_END;
    if (p->at < sizeof PASTE_END - 1)
        return;
    p->at = 0;
    p->open = !p->ends;
    p->of = of;
}

void paste_typed(struct paste *p, const void *of, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    while (bytes && bytes < end) {
        if (!p->at)
            bytes = memchr(bytes, *PASTE_END, (size_t)(end - bytes));
        if (bytes)
            take(p, of, *bytes++);
    }
}

void paste_forget(struct paste *p, const void *of)
{
    p->of = p->of == of ? NULL : p->of;
}

bool paste_leave(struct paste *p, const void *of)
{
    bool open = p->open && p->of == of;
    p->open = p->open && !open;
    return open;
}
