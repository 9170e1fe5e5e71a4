#include "ptyd/proxy/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void messages_finish(struct messages *m)
{
    bytes_finish(&m->text);
    bytes_finish(&m->ends);
}

size_t messages_count(const struct messages *m)
{
    return m->ends.len / sizeof(size_t);
}

/* Where message `index` begins, which is where the one before ends. */
static size_t begin_of(const struct messages *m, size_t index)
{
    size_t at = 0;
    if (index)
        memcpy(&at, m->ends.data + (index - 1) * sizeof at, sizeof at);
    return at;
}

void messages_end(struct messages *m)
{
    size_t end = m->text.len;
    bytes_append(&m->ends, &end, sizeof end);
    if (m->text.failed || m->ends.failed)
        memory_end(); /* half a message would be worse */
}

void messages_add(struct messages *m, const char *text, size_t len)
{
    bytes_append(&m->text, text, len);
    messages_end(m);
}

void messages_drop(struct messages *m)
{
    m->text.len = begin_of(m, messages_count(m));
    m->text.failed = false;
}

const char *messages_get(const struct messages *m, size_t index, size_t *ret_len)
{
    size_t begin = begin_of(m, index);
    *ret_len = begin_of(m, index + 1) - begin;
    return m->text.data + begin;
}

void messages_clear(struct messages *m)
{
    m->text.len = m->ends.len = 0;
}
