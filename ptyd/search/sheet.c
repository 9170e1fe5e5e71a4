#include "ptyd/search/sheet.h"

#include <string.h>

void sheet_finish(struct sheet *p)
{
    bytes_finish(&p->text);
    bytes_finish(&p->parts);
}

size_t sheet_count(const struct sheet *p)
{
    return p->parts.len / sizeof(struct sheet_part);
}

const struct sheet_part *sheet_part(const struct sheet *p, size_t index)
{
    return (const struct sheet_part *)p->parts.data + index;
}

void sheet_add(struct sheet *p, struct sheet_part part, const char *text, size_t len)
{
    part.at = (uint32_t)p->text.len;
    bytes_append(&p->text, text, len);
    if (!len || text[len - 1] != '\n')
        bytes_append_char(&p->text, '\n');
    part.len = (uint32_t)(p->text.len - part.at);
    bytes_append_char(&p->text, '\0');
    bytes_append(&p->parts, &part, sizeof part);
}

bool sheet_load(struct sheet *p, const void *text, size_t text_len, const void *parts,
                size_t parts_len)
{
    p->text.len = p->parts.len = 0;
    bytes_append(&p->text, text, text_len);
    bytes_append(&p->parts, parts, parts_len - parts_len % sizeof(struct sheet_part));
    uint64_t end = 0;
    for (size_t i = 0; i < sheet_count(p); i++) {
        const struct sheet_part *part = sheet_part(p, i);
        if (part->at != end || (uint64_t)part->at + part->len >= text_len)
            break;
        end = (uint64_t)part->at + part->len + 1;
    }
    if (end == text_len)
        return true;
    p->text.len = p->parts.len = 0;
    return false;
}
