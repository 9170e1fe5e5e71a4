#include "vterm_snapshot/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

struct cluster {
    uint32_t codes[CLUSTER_MAX]; /* zero behind the last */
};

struct cluster_table {
    struct cluster *clusters;
    uint32_t count, capacity;
    uint32_t *slots; /* open addressing: number + 1, 0 for free */
    uint32_t slot_count;
};

struct cluster_table *cluster_table_create(void)
{
    return memory_try(sizeof(struct cluster_table));
}

void cluster_table_destroy(struct cluster_table *t)
{
    if (!t)
        return;
    free(t->clusters);
    free(t->slots);
    free(t);
}

static uint32_t hash(const struct cluster *c)
{
    uint64_t h = 0;
    for (int i = 0; i < CLUSTER_MAX && c->codes[i]; i++)
        h = (h ^ c->codes[i]) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

static void place(struct cluster_table *t, uint32_t number)
{
    uint32_t i = hash(&t->clusters[number]) & (t->slot_count - 1);
    while (t->slots[i])
        i = (i + 1) & (t->slot_count - 1);
    t->slots[i] = number + 1;
}

static int grow(struct cluster_table *t)
{
    uint32_t capacity = t->capacity ? t->capacity * 2 : 64;
    struct cluster *clusters = memory_try_grow(t->clusters, capacity * sizeof *clusters);
    if (!clusters)
        return -1;
    t->clusters = clusters;
    uint32_t *slots = memory_try(capacity * 2 * sizeof *slots);
    if (!slots)
        return -1;
    free(t->slots);
    t->slots = slots;
    t->slot_count = capacity * 2;
    t->capacity = capacity;
    for (uint32_t i = 0; i < t->count; i++)
        place(t, i);
    return 0;
}

uint32_t cluster_intern(struct cluster_table *t, const uint32_t *codes, size_t count)
{
    if (count < 2)
        return codes[0];
    struct cluster c = {{0}};
    memcpy(c.codes, codes, (count < CLUSTER_MAX ? count : CLUSTER_MAX) * sizeof *codes);
    if (t->slot_count)
        for (uint32_t i = hash(&c) & (t->slot_count - 1); t->slots[i];
             i = (i + 1) & (t->slot_count - 1))
            if (!memcmp(&t->clusters[t->slots[i] - 1], &c, sizeof c))
                return (t->slots[i] - 1) | CLUSTER_FLAG;
    if (t->count >= LIMIT_CLUSTERS || (t->count == t->capacity && grow(t)))
        return codes[0];
    t->clusters[t->count] = c;
    place(t, t->count);
    return t->count++ | CLUSTER_FLAG;
}

size_t cluster_codes(const struct cluster_table *t, uint32_t character, uint32_t codes[CLUSTER_MAX])
{
    size_t count = 1;
    codes[0] = character;
    if (character & CLUSTER_FLAG)
        memcpy(codes, t->clusters[character & ~CLUSTER_FLAG].codes, CLUSTER_MAX * sizeof *codes);
    while ((character & CLUSTER_FLAG) && count < CLUSTER_MAX && codes[count])
        count++;
    return count;
}

uint32_t cluster_join(struct cluster_table *t, uint32_t character, uint32_t mark)
{
    uint32_t codes[CLUSTER_MAX + 1];
    size_t count = cluster_codes(t, character, codes);
    codes[count] = mark;
    uint32_t joined = count < CLUSTER_MAX ? cluster_intern(t, codes, count + 1) : character;
    return joined & CLUSTER_FLAG ? joined : character;
}

uint32_t cluster_copy(struct cluster_table *t, const struct cluster_table *from, uint32_t character)
{
    if (!(character & CLUSTER_FLAG))
        return character;
    return cluster_intern(t, from->clusters[character & ~CLUSTER_FLAG].codes, CLUSTER_MAX);
}

uint32_t cluster_table_count(const struct cluster_table *t)
{
    return t->count;
}

size_t cluster_encode(const struct cluster_table *t, uint32_t character, char *out)
{
    if (!(character & CLUSTER_FLAG))
        return utf8_encode(character, out);
    const struct cluster *c = &t->clusters[character & ~CLUSTER_FLAG];
    size_t len = 0;
    for (int i = 0; i < CLUSTER_MAX && c->codes[i]; i++)
        len += utf8_encode(c->codes[i], out + len);
    return len;
}

void cluster_table_save(const struct cluster_table *t, struct bytes *out)
{
    pack_run(out, t->clusters, t->count * sizeof *t->clusters);
}

struct cluster_table *cluster_table_load(struct unpack *in)
{
    size_t len;
    const char *clusters = unpack_run(in, &len);
    struct cluster_table *t = clusters ? cluster_table_create() : NULL;
    for (size_t at = 0; t && at + sizeof(struct cluster) <= len; at += sizeof(struct cluster)) {
        struct cluster c;
        memcpy(&c, clusters + at, sizeof c);
        cluster_intern(t, c.codes, CLUSTER_MAX);
    }
    return t;
}
