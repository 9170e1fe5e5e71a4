#include "envelope/splice.h"

#include <errno.h>
#include <stdlib.h>

/* Edits are kept in the order of their places. */
struct bytes *splice_replace(struct splice *s, struct span place)
{
    size_t i = s->count++;
    if (i == SPLICE_PLACES)
        abort();
    for (; i > 0 && s->edits[i - 1].place.at > place.at; i--)
        s->edits[i] = s->edits[i - 1];
    s->edits[i].place = place;
    s->edits[i].text = (struct bytes){0};
    return &s->edits[i].text;
}

struct bytes *splice_insert(struct splice *s, struct span value)
{
    return splice_replace(s, (struct span){.at = value.at + 1});
}

void splice_end_insert(struct bytes *text, struct span value)
{
    if (!span_is_empty(value))
        bytes_append_char(text, ',');
}

int splice_apply(const struct splice *s, struct span line, struct bytes *out)
{
    const char *at = line.at;
    bytes_reserve(out, line.len);
    for (size_t i = 0; i < s->count; i++) {
        const struct span place = s->edits[i].place;
        bytes_append(out, at, (size_t)(place.at - at));
        bytes_append(out, s->edits[i].text.data, s->edits[i].text.len);
        out->failed = out->failed || s->edits[i].text.failed;
        at = place.at + place.len;
    }
    bytes_append(out, at, (size_t)(line.at + line.len - at));
    return out->failed ? -ENOMEM : 0;
}

void splice_finish(struct splice *s)
{
    for (size_t i = 0; i < s->count; i++)
        bytes_finish(&s->edits[i].text);
    s->count = 0;
}
