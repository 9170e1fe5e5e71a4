#include "vterm_snapshot/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

void row_destroy(struct row *row)
{
    if (row)
        free(row->cells);
    free(row);
}

struct row *row_create(int cols)
{
    struct row *row = memory_try(sizeof *row);
    if (!row)
        return NULL;
    *row = (struct row){.extent = cols, .capacity = cols};
    row->cells = memory_try((size_t)cols * sizeof *row->cells);
    if (row->cells)
        return row;
    free(row);
    return NULL;
}

int row_widen(struct row *row, int cols)
{
    if (cols > row->capacity) {
        struct cell *cells = memory_try_grow(row->cells, (size_t)cols * sizeof *cells);
        if (!cells)
            return -ENOMEM;
        row->cells = cells;
        row->capacity = cols;
    }
    if (cols > row->extent) {
        memset(row->cells + row->extent, 0, (size_t)(cols - row->extent) * sizeof(struct cell));
        row->extent = cols;
    }
    return 0;
}

static void fill(struct row *row, int from, int to, uint16_t pen)
{
    if (!pen) {
        memset(row->cells + from, 0, (size_t)(to - from) * sizeof(struct cell));
        return;
    }
    for (int i = from; i < to; i++)
        row->cells[i] = (struct cell){.pen = pen};
}

/* A change forgets what a narrower screen hides of the row. */
static struct row *touch(struct grid *grid, int row)
{
    struct row *r = grid->row[row];
    r->stamp = grid->stamp;
    r->extent = grid->cols;
    return r;
}

int grid_init(struct grid *grid, int cols, int rows)
{
    *grid = (struct grid){.cols = cols, .rows = rows};
    grid->row = memory_try((size_t)rows * sizeof(struct row *));
    for (int i = 0; grid->row && i < rows; i++)
        if (!(grid->row[i] = row_create(cols)))
            break;
    if (grid->row && grid->row[rows - 1])
        return 0;
    grid_finish(grid);
    return -ENOMEM;
}

void grid_finish(struct grid *grid)
{
    for (int i = 0; grid->row && i < grid->rows; i++)
        row_destroy(grid->row[i]);
    free(grid->row);
    *grid = (struct grid){0};
}

void grid_put(struct grid *grid, int row, int col, uint32_t character, int width, uint16_t pen)
{
    if (row < 0 || row >= grid->rows || col < 0 || col >= grid->cols)
        return;
    struct row *r = touch(grid, row);
    struct cell *cell = r->cells + col;
    row_part(r, col);
    row_part(r, col + (width > 1 ? 2 : 1));
    *cell = (struct cell){.character = character, .pen = pen, .wide = width > 1};
    if (width > 1 && col + 1 < grid->cols)
        cell[1] = (struct cell){.character = CELL_COVERED, .pen = pen};
}

void grid_protect(struct grid *grid, int row, int col)
{
    if (row < 0 || row >= grid->rows || col < 0 || col >= grid->cols)
        return;
    struct cell *cell = grid->row[row]->cells + col;
    cell[0].protected = 1;
    if (cell[0].wide && col + 1 < grid->cols)
        cell[1].protected = 1;
}

void row_mend(struct row *row, int col)
{
    struct cell *behind = row->cells + col, *front = behind - 1;
    bool wide = col > 0 && front->wide;
    bool covered = col < row->extent && behind->character == CELL_COVERED;
    if (wide && !covered)
        *front = (struct cell){.character = ' ', .pen = front->pen};
    if (covered && !wide)
        *behind = (struct cell){.character = ' ', .pen = behind->pen};
}

static int clip(int value, int limit)
{
    return value < 0 ? 0 : value > limit ? limit : value;
}

void grid_erase(struct grid *grid, int start_row, int end_row, int start_col, int end_col,
                uint16_t pen)
{
    start_col = clip(start_col, grid->cols);
    end_col = clip(end_col, grid->cols);
    for (int i = clip(start_row, grid->rows); i < end_row && i < grid->rows; i++) {
        if (start_col >= end_col)
            break;
        struct row *row = touch(grid, i);
        row_part(row, start_col);
        row_part(row, end_col);
        fill(row, start_col, end_col, pen);
        if (start_col == 0)
            row->continuation = 0;
        if (start_col == 0 && end_col == grid->cols)
            row->clusters = false;
        if (end_col == grid->cols && i + 1 < grid->rows)
            grid->row[i + 1]->continuation = 0;
    }
}

void grid_erase_selectively(struct grid *grid, int start_row, int end_row, int start_col,
                            int end_col, uint16_t pen)
{
    end_col = clip(end_col, grid->cols);
    for (int i = clip(start_row, grid->rows); i < end_row && i < grid->rows; i++) {
        const struct cell *cell = grid->row[i]->cells;
        for (int col = clip(start_col, grid->cols), from; col < end_col; col++) {
            for (from = col; col < end_col && !cell[col].protected; col++)
                ;
            grid_erase(grid, i, i + 1, from, col, pen);
        }
    }
}

void grid_scroll(struct grid *grid, int top, int bottom, int count, uint16_t pen)
{
    int height = bottom - top;
    int shift = count < 0 ? -count : count;
    if (height <= 0)
        return;
    shift = shift < height ? shift : height;
    struct row *gone[shift ? shift : 1];
    struct row **base = grid->row + top;
    if (count > 0) {
        memcpy(gone, base, (size_t)shift * sizeof *gone);
        memmove(base, base + shift, (size_t)(height - shift) * sizeof *gone);
        memcpy(base + height - shift, gone, (size_t)shift * sizeof *gone);
    } else {
        memcpy(gone, base + height - shift, (size_t)shift * sizeof *gone);
        memmove(base + shift, base, (size_t)(height - shift) * sizeof *gone);
        memcpy(base, gone, (size_t)shift * sizeof *gone);
    }
    for (int i = 0; i < shift; i++) {
        gone[i]->extent = grid->cols;
        gone[i]->stamp = grid->stamp;
        gone[i]->continuation = 0;
        gone[i]->clusters = false;
        fill(gone[i], 0, grid->cols, pen);
    }
}

void grid_move(struct grid *grid, int to_row, int to_col, int from_row, int from_col, int height,
               int width)
{
    bool upward = to_row <= from_row;
    for (int n = 0; n < height; n++) {
        int i = upward ? n : height - 1 - n;
        struct row *to = touch(grid, to_row + i), *from = grid->row[from_row + i];
        if (to != from || to_col < from_col) /* the other half of another one may come there */
            row_part(to, to_col);
        to->clusters = to->clusters || from->clusters;
        memmove(to->cells + to_col, from->cells + from_col, (size_t)width * sizeof(struct cell));
        row_mend(to, to_col);
        row_mend(to, to_col + width);
    }
}

int grid_resize(struct grid *grid, int cols, int rows, int drop_top)
{
    struct row **row = memory_try((size_t)rows * sizeof(struct row *));
    if (!row)
        return -ENOMEM;
    int kept = grid->rows - drop_top < rows ? grid->rows - drop_top : rows;
    for (int i = 0; i < kept; i++)
        if (row_widen(grid->row[drop_top + i], cols) < 0)
            goto no_memory;
    for (int i = kept; i < rows; i++)
        if (!(row[i] = row_create(cols)))
            goto no_memory;
    for (int i = 0; i < grid->rows; i++)
        if (i < drop_top || i >= drop_top + kept)
            row_destroy(grid->row[i]);
        else
            row[i - drop_top] = grid->row[i];
    free(grid->row);
    grid->row = row;
    grid->cols = cols;
    grid->rows = rows;
    return 0;

no_memory:
    for (int i = kept; i < rows; i++)
        row_destroy(row[i]);
    free(row);
    return -ENOMEM;
}

void grid_clear_stale(struct grid *grid)
{
    for (int i = 0; i < grid->rows; i++)
        for (int col = 0; col < grid->row[i]->extent; col++)
            grid->row[i]->cells[col].stale = 0;
}

static bool set_row_stale(struct row *row, int col)
{
    bool any = false;
    for (int i = 0; i < row->extent; i++) {
        row->cells[i].stale = i < col || row->cells[i].character;
        any = any || row->cells[i].stale;
    }
    return any;
}

bool grid_set_stale(struct grid *grid, int row, int col)
{
    bool any = false;
    for (int i = row; i < grid->rows; i++)
        any = set_row_stale(grid->row[i], i == row ? col : 0) || any;
    return any;
}

/* A row as it is packed; its cells follow, but for empty ones at the end. */
struct packed_row {
    int32_t extent, cells;
    uint32_t stamp;
    uint16_t continuation, clusters;
};

static void save_row(const struct row *row, struct bytes *out)
{
    static const struct cell empty;
    int cells = row->extent;
    while (cells && !memcmp(&row->cells[cells - 1], &empty, sizeof empty))
        cells--;
    struct packed_row head = {row->extent, cells, row->stamp, row->continuation, row->clusters};
    bytes_append(out, &head, sizeof head);
    bytes_append(out, row->cells, (size_t)cells * sizeof *row->cells);
}

void grid_save(const struct grid *grid, struct bytes *out)
{
    int32_t size[] = {grid->cols, grid->rows};
    bytes_append(out, size, sizeof size);
    bytes_append(out, &grid->stamp, sizeof grid->stamp);
    for (int i = 0; i < grid->rows; i++)
        save_row(grid->row[i], out);
}

static int load_row(struct row *row, struct unpack *in)
{
    struct packed_row head;
    unpack_value(in, &head, sizeof head);
    if (head.extent > LIMIT_SIZE_MAX || head.cells < 0 || head.cells > head.extent)
        return -EINVAL;
    const char *cells = unpack_bytes(in, (size_t)head.cells * sizeof *row->cells);
    if (!cells)
        return -EINVAL;
    if (row_widen(row, head.extent) < 0)
        return -ENOMEM;
    memcpy(row->cells, cells, (size_t)head.cells * sizeof *row->cells);
    row->stamp = head.stamp;
    row->continuation = head.continuation;
    row->clusters = head.clusters;
    return 0;
}

static bool is_size(int32_t value)
{
    return value >= LIMIT_SIZE_MIN && value <= LIMIT_SIZE_MAX;
}

int grid_load(struct grid *grid, struct unpack *in)
{
    int32_t size[2];
    uint32_t stamp;
    unpack_value(in, size, sizeof size);
    unpack_value(in, &stamp, sizeof stamp);
    if (!is_size(size[0]) || !is_size(size[1]))
        return -EINVAL;
    int result = grid_init(grid, size[0], size[1]);
    grid->stamp = stamp;
    for (int i = 0; result == 0 && i < grid->rows; i++)
        result = load_row(grid->row[i], in);
    return result;
}

int row_used(const struct row *row)
{
    int used = row->extent;
    while (used > 0 && row->cells[used - 1].character == 0)
        used--;
    return used;
}

/* The one way from cells to text: to `to`, which has room for 4 * CLUSTER_MAX bytes a cell. Returns
 * where it ends. */
static char *encode_cells(const struct cell *cell, const struct cell *end,
                          const struct cluster_table *clusters, char *to)
{
    for (; cell < end; cell++) {
        uint32_t c = cell->character;
        if (c - 1 < 0x7f)
            *to++ = (char)c;
        else if (c != CELL_COVERED)
            to += cluster_encode(clusters, c ? c : ' ', to);
    }
    return to;
}

void row_text(const struct row *row, int from, int to, const struct cluster_table *clusters,
              struct bytes *out)
{
    to = to < row->extent ? to : row->extent;
    char *at = from < to ? bytes_reserve(out, (size_t)(to - from) * 4 * CLUSTER_MAX) : NULL;
    if (!at)
        return;
    out->len += (size_t)(encode_cells(row->cells + from, row->cells + to, clusters, at) - at);
    out->data[out->len] = '\0';
}

static void trim(struct bytes *text, size_t start)
{
    while (text->len > start && text->data[text->len - 1] == ' ')
        text->data[--text->len] = '\0';
}

void row_text_trimmed(const struct row *row, int from, int to, const struct cluster_table *clusters,
                      struct bytes *out)
{
    size_t start = out->len;
    row_text(row, from, to, clusters, out);
    trim(out, start);
}

int row_same_pen(const struct row *row, int from, int to)
{
    int col = from + 1;
    while (col < to && row->cells[col].pen == row->cells[from].pen)
        col++;
    return col;
}

uint16_t row_pack(const struct row *row, bool trimmed, const struct cluster_table *clusters,
                  struct bytes *text, struct row_run *runs)
{
    int used = row_used(row);
    uint16_t pen = 0, count = 0;
    size_t start = text->len;
    for (int col = 0; col < used; col = row_same_pen(row, col, used)) {
        if (row->cells[col].pen != pen)
            runs[count++] = (struct row_run){.column = (uint16_t)col, .pen = row->cells[col].pen};
        pen = row->cells[col].pen;
    }
    row_text(row, 0, used, clusters, text);
    if (trimmed)
        trim(text, start);
    return count;
}

bool row_is_blank(const struct row *row)
{
    for (int i = 0; i < row->extent; i++)
        if (row->cells[i].character && row->cells[i].character != ' ')
            return false;
    return true;
}
