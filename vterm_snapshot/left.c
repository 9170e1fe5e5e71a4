#include "vterm_snapshot/left.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"
#include "vterm_snapshot/styled.h"

struct left {
    struct bytes rows; /* as scrollback_save_rows() has them */
    struct unpack in;
    struct pen_table *pens;
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
    for (size_t row = from; row < to;)
        scrollback_save_rows(s, &row, 1, &left->rows);
    left->in = (struct unpack){.at = left->rows.data, .end = left->rows.data + left->rows.len};
    left->pens = copy_pens(pens);
    if (!left->rows.failed && left->pens)
        return left;
    left_destroy(left);
    return NULL;
}

void left_destroy(struct left *left)
{
    if (!left)
        return;
    bytes_finish(&left->rows);
    pen_table_destroy(left->pens);
    free(left);
}

bool left_text(struct left *left, struct bytes *out)
{
    struct row_run runs[LIMIT_SIZE_MAX];
    struct scrollback_row row;
    if (!scrollback_load_row(&left->in, runs, &row))
        return false;
    while (row.len && row.text[row.len - 1] == ' ')
        row.len--;
    bytes_append(out, row.text, row.len);
    return true;
}

bool left_styled(struct left *left, struct bytes *out)
{
    struct row_run runs[LIMIT_SIZE_MAX];
    struct scrollback_row row;
    struct styles styles = {.pens = left->pens};
    if (!scrollback_load_row(&left->in, runs, &row))
        return false;
    styled_left(&row, &styles, out);
    return true;
}
