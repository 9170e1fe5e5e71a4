/* Rows lie one behind the other in blocks, oldest first, each behind its head; a ring says where
 * each begins. A block goes when the last of its rows went, and whoever holds it for what was there
 * at some moment. What stands in a block does not change but for its runs' numbers. So nothing is
 * allocated for a row, and a line that never ends costs no more than the rows of it that are held.
 */
#include "vterm_snapshot/scrollback.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK_BYTES (8192 - 64) /* of rows in a block; one that a larger row needs is as large */

/* A row's head; its runs and its text follow. */
struct piece {
    uint16_t len, runs, continuation, clusters;
    struct row_run run[];
};

struct block {
    struct block *next; /* the younger one */
    size_t size, used;  /* bytes of `rows` */
    size_t count;       /* rows in it that are held */
    size_t users;       /* the scrollback, while it has it, and holds */
    bool gone;          /* the scrollback has it no more */
    _Alignas(struct piece) char rows[];
};

struct scrollback {
    size_t limit;
    struct piece **rows; /* a ring that grows to `limit` */
    size_t capacity;
    size_t first, count;
    struct block *oldest, *newest;
    uint64_t total;
    struct scrollback_place oldest_place, last; /* of the oldest row held, of the last one pushed */
};

static void let_go(struct block *block)
{
    if (!--block->users)
        free(block);
}

static void drop_block(struct block *block)
{
    block->gone = true;
    let_go(block);
}

struct scrollback *scrollback_create(size_t limit)
{
    struct scrollback *s = memory_try(sizeof *s);
    if (s)
        s->limit = limit ? limit : 1;
    return s;
}

void scrollback_clear(struct scrollback *s)
{
    for (struct block *next; s->oldest; s->oldest = next) {
        next = s->oldest->next;
        drop_block(s->oldest);
    }
    s->newest = NULL;
    s->first = s->count = 0;
}

void scrollback_destroy(struct scrollback *s)
{
    if (!s)
        return;
    scrollback_clear(s);
    free(s->rows);
    free(s);
}

/* ---- rows ---- */

/* Of the i-th row held. */
static size_t slot(const struct scrollback *s, size_t i)
{
    return s->first + i < s->capacity ? s->first + i : s->first + i - s->capacity;
}

static bool grow(struct scrollback *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    capacity = capacity < s->limit ? capacity : s->limit;
    struct piece **rows = memory_try(capacity * sizeof(struct piece *));
    if (!rows)
        return false;
    for (size_t i = 0; i < s->count; i++)
        rows[i] = s->rows[slot(s, i)];
    free(s->rows);
    s->rows = rows;
    s->capacity = capacity;
    s->first = 0;
    return true;
}

/* The place of a row of number `number` behind one at `before`. */
static struct scrollback_place next_place(struct scrollback_place before, uint64_t number,
                                          int continuation)
{
    if (!continuation)
        return (struct scrollback_place){.line = number};
    return (struct scrollback_place){before.line, before.offset + (uint64_t)continuation};
}

static void drop_oldest(struct scrollback *s)
{
    struct block *block = s->oldest;
    s->oldest_place = scrollback_place(s, 1);
    s->first = slot(s, 1);
    s->count--;
    if (--block->count)
        return;
    s->oldest = block->next;
    drop_block(block);
}

static bool add_block(struct scrollback *s, size_t size)
{
    size = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct block *block = memory_try_grow(NULL, sizeof *block + size);
    if (!block)
        return false;
    *block = (struct block){.size = size, .users = 1};
    *(s->newest ? &s->newest->next : &s->oldest) = block;
    s->newest = block;
    return true;
}

/* Room for one more row; NULL without memory. */
static struct piece *reserve(struct scrollback *s, size_t size)
{
    if (s->count == s->capacity && s->capacity < s->limit && !grow(s))
        return NULL;
    if ((!s->newest || s->newest->size - s->newest->used < size) && !add_block(s, size))
        return NULL;
    struct block *block = s->newest;
    struct piece *p = (struct piece *)(block->rows + block->used);
    block->used += size;
    block->count++;
    if (s->count == s->limit)
        drop_oldest(s);
    if (!s->count)
        s->oldest_place = s->last;
    s->rows[slot(s, s->count++)] = p;
    return p;
}

static size_t size_of(size_t runs, size_t len)
{
    return sizeof(struct piece) + runs * sizeof(struct row_run) + len;
}

/* In a block. */
static size_t space_of(size_t runs, size_t len)
{
    size_t unit = _Alignof(struct piece);
    return (size_of(runs, len) + unit - 1) & ~(unit - 1);
}

static void add(struct scrollback *s, const struct scrollback_row *row)
{
    size_t runs = row->runs * sizeof(struct row_run);
    struct piece *p = reserve(s, space_of(row->runs, row->len));
    if (!p)
        return;
    *p = (struct piece){.len = row->len,
                        .runs = row->runs,
                        .continuation = row->continuation,
                        .clusters = row->clusters};
    if (runs)
        memcpy(p->run, row->run, runs);
    if (row->len)
        memcpy((char *)p->run + runs, row->text, row->len);
}

struct scrollback_place scrollback_next(const struct scrollback *s, int continuation)
{
    return next_place(s->last, s->total, continuation);
}

void scrollback_push(struct scrollback *s, const struct scrollback_row *row)
{
    s->last = scrollback_next(s, row->continuation);
    add(s, row);
    s->total++;
}

size_t scrollback_count(const struct scrollback *s)
{
    return s->count;
}

uint64_t scrollback_total(const struct scrollback *s)
{
    return s->total;
}

static struct scrollback_row row_at(const struct piece *p)
{
    return (struct scrollback_row){
        .len = p->len,
        .runs = p->runs,
        .continuation = p->continuation,
        .clusters = p->clusters,
        .run = p->run,
        .text = (const char *)(p->run + p->runs),
    };
}

struct scrollback_row scrollback_get(const struct scrollback *s, size_t i)
{
    return row_at(s->rows[slot(s, i)]);
}

struct scrollback_place scrollback_place(const struct scrollback *s, size_t i)
{
    struct scrollback_place place = s->oldest_place;
    size_t from = i;
    while (from && s->rows[slot(s, from)]->continuation)
        from--;
    uint64_t number = s->total - s->count + from;
    if (from)
        place = (struct scrollback_place){.line = number};
    while (from++ < i)
        place = next_place(place, 0, s->rows[slot(s, from)]->continuation);
    return place;
}

struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count)
{
    struct piece *p = s->rows[slot(s, i)];
    *ret_count = p->runs;
    return p->run;
}

/* ---- as they were ---- */

struct scrollback_hold {
    struct block **blocks;    /* of its rows, oldest first */
    size_t at, count;         /* the one at hand, and the end */
    const struct piece *next; /* the first row, then the last that was handed out */
    size_t rows;              /* that are still to come */
    bool begun;               /* one was handed out */
};

/* Those of rows up to `to`, where row `from` stands in the first. */
static void hold_blocks(struct scrollback_hold *h, struct block *block, size_t before, size_t to)
{
    for (; block && before < to; block = block->next) {
        block->users++;
        h->blocks[h->count++] = block;
        before += block->count;
    }
}

struct scrollback_hold *scrollback_hold(const struct scrollback *s, size_t from, size_t to)
{
    struct scrollback_hold *h = memory_try(sizeof *h);
    struct block *first = s->oldest;
    size_t before = 0, count = 0;
    for (; first && before + first->count <= from; first = first->next)
        before += first->count;
    size_t end = before;
    for (const struct block *b = first; b && end < to; b = b->next, count++)
        end += b->count;
    struct block **blocks = h ? memory_try((count + 1) * sizeof(struct block *)) : NULL;
    if (!blocks) {
        free(h);
        return NULL;
    }
    *h = (struct scrollback_hold){.blocks = blocks, .rows = from < to ? to - from : 0};
    h->next = h->rows ? s->rows[slot(s, from)] : NULL;
    hold_blocks(h, first, before, to);
    return h;
}

void scrollback_release(struct scrollback_hold *h)
{
    if (!h)
        return;
    while (h->at < h->count)
        let_go(h->blocks[h->at++]);
    free(h->blocks);
    free(h);
}

/* To the row behind the last that was handed out. Its block may have got further ones since. */
static void hold_advance(struct scrollback_hold *h)
{
    const struct block *block = h->blocks[h->at];
    const char *end = (const char *)h->next + space_of(h->next->runs, h->next->len);
    h->next = (const struct piece *)end;
    if (end < block->rows + block->used)
        return;
    let_go(h->blocks[h->at++]);
    h->next = (const struct piece *)h->blocks[h->at]->rows;
}

bool scrollback_hold_next(struct scrollback_hold *h, struct scrollback_row *ret_row)
{
    if (!h->rows)
        return false;
    if (h->begun)
        hold_advance(h);
    h->begun = true;
    h->rows--;
    *ret_row = row_at(h->next);
    return true;
}

/* Blocks go oldest first. Of several holds each counts for a part of what they share. */
size_t scrollback_hold_bytes(const struct scrollback_hold *h)
{
    size_t gone = h->at, end = h->count;
    while (gone < end) {
        size_t middle = gone + (end - gone) / 2;
        if (h->blocks[middle]->gone)
            gone = middle + 1;
        else
            end = middle;
    }
    size_t alone = gone > h->at ? (gone - h->at) * BLOCK_BYTES / h->blocks[h->at]->users : 0;
    return sizeof *h + h->count * sizeof(struct block *) + alone;
}

/* Its rows, which begin with the i-th held, are in the copy from now on. */
static void move_rows(struct scrollback *s, size_t i, const struct block *from, struct block *to)
{
    for (size_t k = 0; k < from->count; k++) {
        struct piece **row = &s->rows[slot(s, i + k)];
        *row = (struct piece *)(to->rows + ((const char *)*row - from->rows));
    }
}

bool scrollback_own(struct scrollback *s)
{
    size_t i = 0;
    for (struct block **at = &s->oldest; *at; i += (*at)->count, at = &(*at)->next) {
        struct block *shared = *at;
        if (shared->users == 1)
            continue;
        struct block *own = memory_try_grow(NULL, sizeof *own + shared->size);
        if (!own)
            return false;
        memcpy(own, shared, sizeof *own + shared->used);
        own->users = 1;
        move_rows(s, i, shared, own);
        *at = own;
        s->newest = s->newest == shared ? own : s->newest;
        drop_block(shared);
    }
    return true;
}

/* ---- into bytes and back ---- */

void scrollback_save_head(const struct scrollback *s, struct bytes *out)
{
    uint64_t count = s->count;
    bytes_append(out, &s->total, sizeof s->total);
    bytes_append(out, &s->oldest_place, sizeof s->oldest_place);
    bytes_append(out, &s->last, sizeof s->last);
    bytes_append(out, &count, sizeof count);
}

bool scrollback_save_rows(const struct scrollback *s, size_t *row, size_t bytes, struct bytes *out)
{
    for (size_t start = out->len; *row < s->count && out->len - start < bytes; ++*row) {
        const struct piece *p = s->rows[slot(s, *row)];
        bytes_append(out, p, size_of(p->runs, p->len));
        if (out->failed)
            return false;
    }
    return *row < s->count;
}

void scrollback_save(const struct scrollback *s, struct bytes *out)
{
    size_t row = 0;
    scrollback_save_head(s, out);
    scrollback_save_rows(s, &row, SIZE_MAX, out);
}

static bool load_head(struct unpack *in, struct row_run runs[LIMIT_SIZE_MAX],
                      struct scrollback_row *ret_row)
{
    struct piece head;
    if (in->at == in->end || !unpack_value(in, &head, sizeof head))
        return false;
    const char *run = unpack_bytes(in, head.runs * sizeof(struct row_run));
    const char *text = unpack_bytes(in, head.len);
    if (!text || head.runs > LIMIT_SIZE_MAX)
        return false;
    memcpy(runs, run, head.runs * sizeof(struct row_run));
    *ret_row = (struct scrollback_row){.len = head.len,
                                       .runs = head.runs,
                                       .continuation = head.continuation,
                                       .clusters = head.clusters,
                                       .run = runs,
                                       .text = text};
    return true;
}

static bool load_row(struct scrollback *s, struct unpack *in)
{
    struct row_run runs[LIMIT_SIZE_MAX];
    struct scrollback_row row;
    bool is_one = load_head(in, runs, &row);
    if (is_one)
        add(s, &row);
    else
        in->failed = true;
    return is_one;
}

struct scrollback *scrollback_load(size_t limit, struct unpack *in)
{
    uint64_t count;
    struct scrollback_place oldest;
    struct scrollback *s = scrollback_create(limit);
    if (!s)
        return NULL;
    unpack_value(in, &s->total, sizeof s->total);
    unpack_value(in, &oldest, sizeof oldest);
    unpack_value(in, &s->last, sizeof s->last);
    unpack_value(in, &count, sizeof count);
    while (count && load_row(s, in))
        count--;
    s->oldest_place = oldest;
    if (!in->failed)
        return s;
    scrollback_destroy(s);
    return NULL;
}
