#include "vterm_snapshot/redraw.h"

#include "vterm_snapshot/sgr.h"

static void append_row(const struct screen *s, const struct row *row, int cols, struct bytes *out)
{
    uint16_t pen = 0;
    int used = cols;
    while (used > 0 && !row->cells[used - 1].character && !row->cells[used - 1].pen)
        used--;
    for (int col = 0, end; col < used; col = end) {
        end = row_same_pen(row, col, used);
        if (row->cells[col].pen != pen)
            sgr_append(pen_lookup(screen_pens(s), row->cells[col].pen), out);
        pen = row->cells[col].pen;
        row_text(row, col, end, screen_clusters(s), out);
    }
    if (pen)
        bytes_append_text(out, "\x1b[m");
}

void redraw_screen(const struct screen *s, struct bytes *out)
{
    const struct grid *grid = screen_grid(s);
    struct screen_cursor cursor = screen_cursor(s);
    bytes_append_text(out, screen_alt_screen(s) ? "\x1b[?1049h" : "\x1b[?1049l");
    bytes_append_text(out, "\x1b[?25l\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x0f\x1b[m");
    for (int row = 0; row < grid->rows; row++) {
        bytes_printf(out, "\x1b[%d;1H\x1b[2K", row + 1);
        append_row(s, grid->row[row], grid->cols, out);
    }
    bytes_printf(out, "\x1b[%d;%dH", cursor.row + 1, cursor.col + 1);
}

void redraw_restore(struct bytes *out)
{
    bytes_append_text(out, "\x1b[?1049l\x1b[r\x1b[?1;1000;1002;1003;1004;1005;1006;2004l"
                           "\x1b[?6l\x1b[?7h\x1b[4l\x1b>\x1b(B\x0f\x1b[m\x1b[?25h");
}
