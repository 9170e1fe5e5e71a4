#include "vterm_snapshot/link.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

#define SLOTS (4 * LIMIT_LINKS) /* by hash, taken when there is a link at all */

struct link {
    uint32_t start, len; /* in `text` */
};

struct link_table {
    struct bytes text; /* of all, one behind the other */
    struct link *links;
    uint16_t *slots; /* open addressing: number, 0 for free */
    uint32_t count;
};

struct link_table *link_table_create(void)
{
    return memory_try(sizeof(struct link_table));
}

void link_table_destroy(struct link_table *t)
{
    if (!t)
        return;
    bytes_finish(&t->text);
    free(t->links);
    free(t->slots);
    free(t);
}

static bool make_room(struct link_table *t)
{
    t->links = t->links ? t->links : memory_try((LIMIT_LINKS + 1) * sizeof *t->links);
    t->slots = t->slots ? t->slots : memory_try(SLOTS * sizeof *t->slots);
    return t->links && t->slots;
}

static uint32_t hash(const char *text, size_t len)
{
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < len; i++)
        value = (value ^ (unsigned char)text[i]) * 16777619u;
    return value;
}

/* Where it is, or would be. */
static uint16_t *slot_of(const struct link_table *t, const char *text, size_t len)
{
    uint32_t at = hash(text, len) % SLOTS;
    for (; t->slots[at]; at = (at + 1) % SLOTS) {
        const struct link *l = &t->links[t->slots[at]];
        if (l->len == len && !memcmp(t->text.data + l->start, text, len))
            break;
    }
    return &t->slots[at];
}

static bool begins_one(const char *text, size_t len)
{
    const char *uri = memchr(text, ';', len);
    return uri && (size_t)(uri + 1 - text) < len && len <= LIMIT_LINK_BYTES;
}

uint16_t link_intern(struct link_table *t, const char *text, size_t len)
{
    if (!begins_one(text, len) || !make_room(t))
        return 0;
    uint16_t *slot = slot_of(t, text, len);
    size_t start = t->text.len;
    if (*slot)
        return *slot;
    if (t->count == LIMIT_LINKS || !bytes_reserve(&t->text, len))
        return 0;
    bytes_append(&t->text, text, len);
    t->links[++t->count] = (struct link){.start = (uint32_t)start, .len = (uint32_t)len};
    *slot = (uint16_t)t->count;
    return *slot;
}

uint16_t link_copy(struct link_table *t, const struct link_table *from, uint16_t number)
{
    if (!number)
        return 0;
    const struct link *l = &from->links[number];
    return link_intern(t, from->text.data + l->start, l->len);
}

uint32_t link_table_count(const struct link_table *t)
{
    return t->count;
}

void link_append(const struct link_table *t, uint16_t number, struct bytes *out)
{
    bytes_append_text(out, "\x1b]8;");
    if (number)
        bytes_append(out, t->text.data + t->links[number].start, t->links[number].len);
    else
        bytes_append_char(out, ';');
    bytes_append_text(out, "\x1b\\");
}

void link_table_save(const struct link_table *t, struct bytes *out)
{
    uint32_t count = t->count;
    bytes_append(out, &count, sizeof count);
    for (uint32_t i = 1; i <= count; i++)
        pack_run(out, t->text.data + t->links[i].start, t->links[i].len);
}

struct link_table *link_table_load(struct unpack *in)
{
    uint32_t count = 0;
    struct link_table *t = unpack_value(in, &count, sizeof count) ? link_table_create() : NULL;
    for (uint32_t i = 1; t && i <= count; i++) {
        size_t len;
        const char *text = unpack_run(in, &len);
        if (text && link_intern(t, text, len) == i)
            continue;
        link_table_destroy(t);
        return NULL;
    }
    return t;
}
