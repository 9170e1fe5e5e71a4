#include "vterm_snapshot/styled.h"

#include "base/utf8.h"
#include "vterm_snapshot/grapheme.h"
#include "vterm_snapshot/sgr.h"

static uint16_t change(uint16_t from, uint16_t to, const struct styles *styles, struct bytes *out)
{
    if (to != from && to)
        sgr_append(pen_lookup(styles->pens, to), out);
    else if (to != from)
        bytes_append_text(out, "\x1b[0m");
    return to;
}

/* ---- cells ---- */

static bool shows(const struct cell *cell, const struct styles *styles)
{
    const struct pen *pen = pen_lookup(styles->pens, cell->pen);
    const unsigned lines = PEN_REVERSE | PEN_UNDERLINE_KIND | PEN_OVERLINE | PEN_STRIKE;
    return (cell->character && cell->character != ' ') || pen->background ||
           pen->attributes & lines;
}

void styled_cells(const struct row *row, int from, int to, bool trimmed,
                  const struct styles *styles, struct bytes *out)
{
    uint16_t pen = 0;
    to = to < row->extent ? to : row->extent;
    while (trimmed && to > from && !shows(&row->cells[to - 1], styles))
        to--;
    for (int col = from, end; col < to; col = end) {
        end = row_same_pen(row, col, to);
        pen = change(pen, row->cells[col].pen, styles, out);
        row_text(row, col, end, styles->clusters, out);
    }
    change(pen, 0, styles, out);
}

/* ---- rows that left ---- */

/* How many columns a character adds to its row. */
static int columns_of(uint32_t code, bool clusters, struct grapheme *text)
{
    int before = text->width;
    if (!clusters)
        return (int)width_of(code);
    return grapheme_add(text, code) ? text->width - before : text->width;
}

void styled_left(const struct scrollback_row *row, const struct styles *styles, struct bytes *out)
{
    uint16_t pen = 0;
    int col = 0, run = 0;
    struct grapheme cluster = {0};
    for (size_t at = 0, step; at < row->len; at += step) {
        uint32_t code = 0;
        int len = utf8_decode(row->text + at, row->len - at, &code);
        int columns = len > 0 ? columns_of(code, row->clusters, &cluster) : 1;
        step = len > 0 ? (size_t)len : 1;
        for (; columns && run < row->runs && row->run[run].column <= col; run++)
            pen = change(pen, row->run[run].pen, styles, out);
        bytes_append(out, row->text + at, step);
        col += columns;
    }
    change(pen, 0, styles, out);
}
