/* Rows lie one behind the other in blocks, oldest first, each behind its head; a ring says where
 * each begins. A block goes when the last of its rows went, and whoever holds it for what was there
 * at some moment. What stands in a block does not change but for its runs' numbers. So nothing is
 * allocated for a row, and a line that never ends costs no more than the rows of it that are held.
 */
#include "vterm_snapshot/scrollback_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void scrollback_let_go(struct block *block)
{
    if (!--block->users)
        free(block);
}

static void drop_block(struct block *block)
{
    block->gone = true;
    scrollback_let_go(block);
}

struct scrollback *scrollback_create(size_t limit)
{
    struct scrollback *s = memory_try(sizeof *s);
    if (!s)
        return NULL;
    s->limit = limit ? limit : 1;
    s->rows_read = memory_try(sizeof *s->rows_read);
    if (s->rows_read)
        return s;
    free(s);
    return NULL;
}

void scrollback_set_cols(struct scrollback *s, int cols)
{
    if (s->cols && s->cols != cols)
        s->seam = s->total;
    s->rows_read->known = s->rows_read->known && s->cols == cols;
    s->cols = cols;
}

void scrollback_clear(struct scrollback *s)
{
    for (struct block *next; s->oldest; s->oldest = next) {
        next = s->oldest->next;
        drop_block(s->oldest);
    }
    s->newest = NULL;
    s->first = s->count = 0;
    s->rows_read->known = false;
}

void scrollback_destroy(struct scrollback *s)
{
    if (!s)
        return;
    scrollback_clear(s);
    wrap_finish(&s->rows_read->wrap);
    free(s->rows_read->places);
    free(s->rows_read);
    free(s->rows);
    free(s);
}

/* ---- rows ---- */

static bool grow(struct scrollback *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    capacity = capacity < s->limit ? capacity : s->limit;
    struct piece **rows = memory_try(capacity * sizeof(struct piece *));
    if (!rows)
        return false;
    for (size_t i = 0; i < s->count; i++)
        rows[i] = s->rows[scrollback_slot(s, i)];
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

/* Of a piece. */
static struct scrollback_place place_of(const struct scrollback *s, size_t i)
{
    struct scrollback_place place = s->oldest_place;
    size_t from = i;
    while (from && s->rows[scrollback_slot(s, from)]->continuation)
        from--;
    if (from)
        place = (struct scrollback_place){.line = scrollback_oldest(s) + from};
    while (from++ < i)
        place = next_place(place, 0, s->rows[scrollback_slot(s, from)]->continuation);
    return place;
}

static void drop_oldest(struct scrollback *s)
{
    struct block *block = s->oldest;
    s->oldest_place = place_of(s, 1);
    s->first = scrollback_slot(s, 1);
    s->count--;
    if (--block->count)
        return;
    s->oldest = block->next;
    s->oldest->before = NULL;
    drop_block(block);
}

static bool add_block(struct scrollback *s, size_t size)
{
    size = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct block *block = memory_try_grow(NULL, sizeof *block + size);
    if (!block)
        return false;
    *block = (struct block){.before = s->newest, .size = size, .users = 1};
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
    s->rows[scrollback_slot(s, s->count++)] = p;
    return p;
}

static size_t size_of(size_t runs, size_t len)
{
    return sizeof(struct piece) + runs * sizeof(struct row_run) + len;
}

static void add(struct scrollback *s, const struct scrollback_row *row)
{
    size_t runs = row->runs * sizeof(struct row_run);
    struct piece *p = reserve(s, scrollback_space(row->runs, row->len));
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

/* What does not fit is wrapped when it is read. */
void scrollback_push(struct scrollback *s, const struct scrollback_row *row)
{
    bool misfit = row->wider || (row->continuation && row->continuation != s->cols);
    s->last = scrollback_next(s, row->continuation);
    add(s, row);
    s->total++;
    if (misfit && s->cols) {
        s->seam = s->total;
        s->rows_read->known = false;
    }
}

size_t scrollback_pieces(const struct scrollback *s)
{
    return s->count;
}

uint64_t scrollback_total(const struct scrollback *s)
{
    return s->total;
}

uint64_t scrollback_seam(const struct scrollback *s)
{
    return s->seam;
}

struct scrollback_row scrollback_read(const struct piece *p, uint64_t number)
{
    return (struct scrollback_row){
        .len = p->len,
        .runs = p->runs,
        .continuation = p->continuation,
        .clusters = p->clusters,
        .run = p->run,
        .text = (const char *)(p->run + p->runs),
        .first = number,
        .last = number,
    };
}

struct scrollback_row scrollback_piece(const struct scrollback *s, size_t i)
{
    return scrollback_read(s->rows[scrollback_slot(s, i)], scrollback_oldest(s) + i);
}

struct scrollback_place scrollback_place(const struct scrollback *s, size_t i)
{
    size_t wrapped = scrollback_wrapped(s), rows = scrollback_count(s);
    if (i >= wrapped)
        return place_of(s, s->count - (rows - i));
    const struct wrap_place *at = scrollback_wrapped_place(s, i);
    uint64_t number = s->rows_read->base + at->piece;
    struct scrollback_place place = place_of(s, (size_t)(number - scrollback_oldest(s)));
    place.offset += at->col;
    return place;
}

struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count)
{
    struct piece *p = s->rows[scrollback_slot(s, i)];
    *ret_count = p->runs;
    return p->run;
}

/* ---- blocks that holds share ---- */

/* Its rows, which begin with the i-th held, are in the copy from now on. */
static void move_rows(struct scrollback *s, size_t i, const struct block *from, struct block *to)
{
    for (size_t k = 0; k < from->count; k++) {
        struct piece **row = &s->rows[scrollback_slot(s, i + k)];
        *row = (struct piece *)(to->rows + ((const char *)*row - from->rows));
    }
}

/* A copy in the place of a block, whose first row is the i-th held, where others share it. */
static bool own(struct scrollback *s, struct block **at, size_t i)
{
    struct block *shared = *at;
    if (shared->users == 1)
        return true;
    struct block *copy = memory_try_grow(NULL, sizeof *copy + shared->size);
    if (!copy)
        return false;
    memcpy(copy, shared, sizeof *copy + shared->used);
    copy->users = 1;
    move_rows(s, i, shared, copy);
    *at = copy;
    if (copy->next)
        copy->next->before = copy;
    s->newest = s->newest == shared ? copy : s->newest;
    drop_block(shared);
    return true;
}

bool scrollback_own(struct scrollback *s)
{
    size_t i = 0;
    for (struct block **at = &s->oldest; *at; i += (*at)->count, at = &(*at)->next)
        if (!own(s, at, i))
            return false;
    return true;
}

/* ---- the last piece goes ---- */

/* Who holds the block reads it to its end. */
static void shorten(struct scrollback *s)
{
    const struct piece *p = s->rows[scrollback_slot(s, s->count - 1)];
    struct block *before = s->newest->before, **at = before ? &before->next : &s->oldest;
    if ((*at)->count > 1 && !own(s, at, s->count - (*at)->count))
        memory_end();
    struct block *block = *at;
    if (--block->count) {
        block->used -= scrollback_space(p->runs, p->len);
        return;
    }
    *at = NULL;
    s->newest = before;
    drop_block(block);
}

/* Behind the piece at `last` that went. */
static struct scrollback_place place_before(const struct scrollback *s, int continuation)
{
    if (continuation)
        return (struct scrollback_place){s->last.line, s->last.offset - (uint64_t)continuation};
    return s->count ? place_of(s, s->count - 1) : (struct scrollback_place){.line = s->total - 1};
}

void scrollback_pop(struct scrollback *s)
{
    int continuation = s->rows[scrollback_slot(s, s->count - 1)]->continuation;
    shorten(s);
    s->count--;
    s->total--;
    s->last = place_before(s, continuation);
    s->seam = s->seam < s->total ? s->seam : s->total;
    s->rows_read->known = false;
}

/* ---- into bytes and back ---- */

void scrollback_save_head(const struct scrollback *s, struct bytes *out)
{
    uint64_t count = s->count;
    bytes_append(out, &s->total, sizeof s->total);
    bytes_append(out, &s->oldest_place, sizeof s->oldest_place);
    bytes_append(out, &s->last, sizeof s->last);
    bytes_append(out, &count, sizeof count);
    bytes_append(out, &s->seam, sizeof s->seam);
}

bool scrollback_save_rows(const struct scrollback *s, size_t *row, size_t bytes, struct bytes *out)
{
    for (size_t start = out->len; *row < s->count && out->len - start < bytes; ++*row) {
        const struct piece *p = s->rows[scrollback_slot(s, *row)];
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
    unpack_value(in, &s->seam, sizeof s->seam);
    while (count && load_row(s, in))
        count--;
    s->oldest_place = oldest;
    if (!in->failed)
        return s;
    scrollback_destroy(s);
    return NULL;
}
