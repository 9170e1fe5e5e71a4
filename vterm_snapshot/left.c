#include "vterm_snapshot/left.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"
#include "vterm_snapshot/styled.h"

struct left {
    struct scrollback_hold *rows;
    struct pen_table *pens;
    bool goes_on;         /* the row that came last */
    uint64_t first, last; /* of it */
};

static struct pen_table *copy_pens(const struct pen_table *pens)
{
    struct bytes saved = {0};
    pen_table_save(pens, &saved);
    struct unpack in = {.at = saved.data, .end = saved.data + saved.len};
    struct pen_table *copy = saved.failed ? NULL : pen_table_load(&in);
    bytes_finish(&saved);
    return copy;
}

struct left *left_create(const struct scrollback *s, const struct pen_table *pens, size_t from,
                         size_t to)
{
    struct left *left = memory_try(sizeof *left);
    if (!left)
        return NULL;
    left->rows = scrollback_hold(s, from, to);
    left->pens = copy_pens(pens);
    if (left->rows && left->pens)
        return left;
    left_destroy(left);
    return NULL;
}

void left_destroy(struct left *left)
{
    if (!left)
        return;
    scrollback_release(left->rows);
    pen_table_destroy(left->pens);
    free(left);
}

static bool next_row(struct left *left, struct scrollback_row *ret_row)
{
    if (!scrollback_hold_next(left->rows, ret_row))
        return false;
    left->goes_on = ret_row->continuation;
    left->first = ret_row->first;
    left->last = ret_row->last;
    return true;
}

bool left_text(struct left *left, struct bytes *out)
{
    struct scrollback_row row;
    if (!next_row(left, &row))
        return false;
    while (row.len && row.text[row.len - 1] == ' ')
        row.len--;
    bytes_append(out, row.text, row.len);
    return true;
}

bool left_styled(struct left *left, struct bytes *out)
{
    struct scrollback_row row;
    struct styles styles = {.pens = left->pens};
    if (!next_row(left, &row))
        return false;
    styled_left(&row, &styles, out);
    return true;
}

bool left_goes_on(const struct left *left)
{
    return left->goes_on;
}

void left_numbers(const struct left *left, uint64_t *ret_first, uint64_t *ret_last)
{
    *ret_first = left->first;
    *ret_last = left->last;
}

size_t left_bytes(const struct left *left)
{
    return sizeof *left + scrollback_hold_bytes(left->rows) +
           pen_table_count(left->pens) * sizeof(struct pen);
}
