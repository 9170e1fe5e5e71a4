#include "vterm_snapshot/pen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

#define STEPS 256 /* remembered, one for each hash */

struct pen_step {
    uint64_t change; /* 0 for none */
    uint16_t from, to;
};

struct pen_table {
    struct pen *pens;
    uint32_t count, capacity;
    uint16_t *slots; /* open addressing: number, 0 for free (pen 0 is never looked up) */
    uint32_t slot_count;
    struct pen_step steps[STEPS];
};

static uint32_t hash(const struct pen *pen)
{
    return (uint32_t)((pen->foreground * 0x9e3779b97f4a7c15ull ^
                       pen->background * 0xbf58476d1ce4e5b9ull ^
                       pen->attributes * 0x94d049bb133111ebull ^
                       (pen->underline ^ (uint32_t)pen->link << 8) * 0xd6e8feb86659fd93ull) >>
                      32);
}

static bool same(const struct pen *a, const struct pen *b)
{
    return a->foreground == b->foreground && a->background == b->background &&
           a->underline == b->underline && a->attributes == b->attributes && a->link == b->link;
}

static void place(struct pen_table *t, uint16_t number)
{
    uint32_t i = hash(&t->pens[number]) & (t->slot_count - 1);
    while (t->slots[i])
        i = (i + 1) & (t->slot_count - 1);
    t->slots[i] = number;
}

static bool grow(struct pen_table *t)
{
    uint32_t capacity = t->capacity ? t->capacity * 4 : 16;
    struct pen *pens = memory_try_grow(t->pens, capacity * sizeof *pens);
    if (!pens)
        return false;
    t->pens = pens;
    uint16_t *slots = memory_try(capacity * 2 * sizeof *slots);
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = capacity * 2;
    t->capacity = capacity;
    for (uint32_t i = 1; i < t->count; i++)
        place(t, (uint16_t)i);
    return true;
}

struct pen_table *pen_table_create(void)
{
    struct pen_table *t = memory_try(sizeof *t);
    if (!t || !grow(t)) {
        pen_table_destroy(t);
        return NULL;
    }
    t->pens[t->count++] = (struct pen){0};
    return t;
}

void pen_table_destroy(struct pen_table *t)
{
    if (!t)
        return;
    free(t->pens);
    free(t->slots);
    free(t);
}

uint16_t pen_intern(struct pen_table *t, const struct pen *pen)
{
    if (pen_is_default(pen))
        return 0;
    for (uint32_t i = hash(pen) & (t->slot_count - 1); t->slots[i];
         i = (i + 1) & (t->slot_count - 1))
        if (same(&t->pens[t->slots[i]], pen))
            return t->slots[i];
    if (t->count >= LIMIT_PENS || (t->count == t->capacity && !grow(t)))
        return 0;
    t->pens[t->count] = *pen;
    place(t, (uint16_t)t->count);
    return (uint16_t)t->count++;
}

static uint32_t step_of(uint64_t change, uint16_t from)
{
    return (uint32_t)((change ^ from) * 0x9e3779b97f4a7c15ull >> 56);
}

bool pen_recall(const struct pen_table *t, uint64_t change, uint16_t from, uint16_t *ret_to)
{
    const struct pen_step *step = &t->steps[step_of(change, from)];
    *ret_to = step->to;
    return step->change == change && step->from == from;
}

void pen_remember(struct pen_table *t, uint64_t change, uint16_t from, uint16_t to)
{
    t->steps[step_of(change, from)] = (struct pen_step){.change = change, .from = from, .to = to};
}

uint32_t pen_table_count(const struct pen_table *t)
{
    return t->count;
}

const struct pen *pen_lookup(const struct pen_table *t, uint16_t number)
{
    return &t->pens[number];
}

void pen_table_save(const struct pen_table *t, struct bytes *out)
{
    pack_run(out, t->pens + 1, (t->count - 1) * sizeof *t->pens);
}

struct pen_table *pen_table_load(struct unpack *in)
{
    size_t len;
    const char *pens = unpack_run(in, &len);
    struct pen_table *t = pens ? pen_table_create() : NULL;
    for (size_t at = 0; t && at + sizeof(struct pen) <= len; at += sizeof(struct pen)) {
        struct pen pen;
        memcpy(&pen, pens + at, sizeof pen);
        pen_intern(t, &pen);
    }
    return t;
}
