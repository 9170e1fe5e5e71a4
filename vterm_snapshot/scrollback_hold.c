/* Rows as they were at some moment: their blocks are kept, and they are read one behind the other,
 * wrapped anew where they were then. */
#include "vterm_snapshot/scrollback_private.h"

#include <stdlib.h>

#include "base/memory.h"

struct scrollback_hold {
    struct block **blocks;    /* of its pieces, oldest first */
    size_t at, count;         /* the one at hand, and the end */
    const struct piece *next; /* at hand: the first, then the last that was read */
    uint64_t number, end;     /* of that one; behind the last */
    size_t rows;              /* that are still to come */
    bool begun;               /* the piece at hand was handed out as a row */
    size_t wrapped;           /* so many of the rows are made of pieces in front of the seam */
    uint64_t base, seam;
    struct wrap_place place; /* of the next one of them */
    struct wrap wrap;
};

/* Those of pieces up to `to`, where the first that is held stands in the first. */
static void hold_blocks(struct scrollback_hold *h, struct block *block, size_t before, size_t to)
{
    for (; block && before < to; block = block->next) {
        block->users++;
        h->blocks[h->count++] = block;
        before += block->count;
    }
}

/* The piece that row i begins in; behind the last row, the one behind the last. */
static size_t piece_of_row(const struct scrollback *s, size_t i)
{
    if (i >= scrollback_wrapped(s))
        return s->count - (scrollback_count(s) - i);
    uint64_t number = s->rows_read->base + scrollback_wrapped_place(s, i)->piece;
    return (size_t)(number - scrollback_oldest(s));
}

/* Where the pieces of rows up to `to` end. */
static size_t end_of_rows(const struct scrollback *s, size_t to)
{
    size_t piece = piece_of_row(s, to);
    return piece + (to < scrollback_wrapped(s) && scrollback_wrapped_place(s, to)->at);
}

static void hold_wrapped(struct scrollback_hold *h, const struct scrollback *s, size_t from,
                         size_t to)
{
    size_t wrapped = scrollback_wrapped(s);
    if (from >= wrapped || from >= to)
        return;
    h->wrapped = (to < wrapped ? to : wrapped) - from;
    h->base = s->rows_read->base;
    h->place = *scrollback_wrapped_place(s, from);
    h->wrap.cols = s->cols;
}

struct scrollback_hold *scrollback_hold(const struct scrollback *s, size_t from_row, size_t to_row)
{
    struct scrollback_hold *h = memory_try(sizeof *h);
    struct block *first = s->oldest;
    size_t from = piece_of_row(s, from_row), to = end_of_rows(s, to_row);
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
    *h = (struct scrollback_hold){.blocks = blocks,
                                  .rows = from_row < to_row ? to_row - from_row : 0,
                                  .number = scrollback_oldest(s) + from,
                                  .end = scrollback_oldest(s) + to,
                                  .seam = s->seam};
    h->next = h->rows ? s->rows[scrollback_slot(s, from)] : NULL;
    hold_wrapped(h, s, from_row, to_row);
    hold_blocks(h, first, before, to);
    return h;
}

void scrollback_release(struct scrollback_hold *h)
{
    if (!h)
        return;
    while (h->at < h->count)
        scrollback_let_go(h->blocks[h->at++]);
    wrap_finish(&h->wrap);
    free(h->blocks);
    free(h);
}

/* To the piece behind the one at hand. Its block may have got further ones since. */
static void hold_advance(struct scrollback_hold *h)
{
    const struct block *block = h->blocks[h->at];
    const char *end = (const char *)h->next + scrollback_space(h->next->runs, h->next->len);
    h->next = (const struct piece *)end;
    h->number++;
    if (end < block->rows + block->used)
        return;
    scrollback_let_go(h->blocks[h->at++]);
    h->next = (const struct piece *)h->blocks[h->at]->rows;
}

static bool next_piece(void *user, uint32_t number, struct scrollback_row *ret_piece)
{
    struct scrollback_hold *h = user;
    if (h->base + number >= h->end)
        return false;
    hold_advance(h);
    *ret_piece = scrollback_read(h->next, h->number);
    return h->number < h->seam;
}

bool scrollback_hold_next(struct scrollback_hold *h, struct scrollback_row *ret_row)
{
    if (!h->rows)
        return false;
    h->rows--;
    if (h->wrapped) {
        struct scrollback_row piece = scrollback_read(h->next, h->number);
        h->wrapped--;
        *ret_row = wrap_read(&h->wrap, next_piece, h, &piece, &h->place);
        return true;
    }
    if (h->begun)
        hold_advance(h);
    h->begun = true;
    *ret_row = scrollback_read(h->next, h->number);
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
    size_t row = h->wrap.text.capacity + h->wrap.runs.capacity;
    return sizeof *h + h->count * sizeof(struct block *) + alone + row;
}
