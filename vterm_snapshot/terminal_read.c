/* What a terminal shows and captures, for those who read it. */
#include "vterm_snapshot/terminal_private.h"

#include "vterm_snapshot/left.h"
#include "vterm_snapshot/redraw.h"
#include "vterm_snapshot/sgr.h"

int terminal_cols(const struct terminal *t)
{
    return screen_grid(t->screen)->cols;
}

int terminal_rows(const struct terminal *t)
{
    return screen_grid(t->screen)->rows;
}

void terminal_row_text(const struct terminal *t, int row, struct bytes *out)
{
    const struct row *r = screen_grid(t->screen)->row[row];
    int used = row_used(r), cols = terminal_cols(t);
    row_text_trimmed(r, 0, used < cols ? used : cols, screen_clusters(t->screen), out);
}

void terminal_row_styled(const struct terminal *t, int row, struct bytes *out)
{
    struct styles styles = screen_styles(t->screen);
    styled_cells(screen_grid(t->screen)->row[row], 0, terminal_cols(t), true, &styles, out);
}

struct terminal_cursor terminal_cursor(const struct terminal *t)
{
    struct screen_cursor cursor = screen_cursor(t->screen);
    return (struct terminal_cursor){cursor.row, cursor.col, cursor.visible};
}

bool terminal_alt_screen(const struct terminal *t)
{
    return screen_alt_screen(t->screen);
}

const char *terminal_title(const struct terminal *t)
{
    return t->titles.now;
}

/* Region, origin, insert, wrap, cursor, mouse, pen; then the screen, with the cursor where it was.
 */

bool terminal_cursor_keys(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_CURSOR_KEYS);
}

bool terminal_reports_focus(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_FOCUS);
}

bool terminal_mouse_pixels(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_MOUSE_PIXELS);
}

bool terminal_mouse_wide(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_MOUSE_UTF8);
}

bool terminal_bracketed_paste(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_BRACKETED_PASTE);
}

size_t terminal_scrollback_count(const struct terminal *t)
{
    return scrollback_count(screen_scrollback(t->screen));
}

uint64_t terminal_scrollback_total(const struct terminal *t)
{
    return scrollback_total(screen_scrollback(t->screen));
}

uint64_t terminal_scrollback_oldest(const struct terminal *t)
{
    return terminal_scrollback_total(t) - scrollback_pieces(screen_scrollback(t->screen));
}

size_t terminal_scrollback_since(const struct terminal *t, uint64_t from)
{
    return scrollback_since(screen_scrollback(t->screen), from);
}

void terminal_scrollback_numbers(const struct terminal *t, size_t i, uint64_t *ret_first,
                                 uint64_t *ret_last)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    *ret_first = row.first;
    *ret_last = row.last;
}

uint64_t terminal_lasting(const struct terminal *t, uint64_t number)
{
    return screen_lasting(t->screen, number);
}

uint64_t terminal_lasting_row(const struct terminal *t, uint64_t lasting)
{
    return screen_lasting_row(t->screen, lasting);
}

void terminal_scrollback_text(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    size_t len = row.len;
    while (len && row.text[len - 1] == ' ')
        len--;
    bytes_append(out, row.text, len);
}

struct left *terminal_copy_scrollback(const struct terminal *t, size_t from, size_t to)
{
    return left_create(screen_scrollback(t->screen), screen_pens(t->screen), from, to);
}

void terminal_scrollback_pens(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    bytes_append_text(out, row.continuation ? "+" : "");
    for (int run = 0; run < row.runs; run++) {
        bytes_printf(out, "%d", row.run[run].column);
        sgr_append(pen_lookup(screen_pens(t->screen), row.run[run].pen), out);
    }
}

bool terminal_scrollback_goes_on(const struct terminal *t, size_t i)
{
    return scrollback_get(screen_scrollback(t->screen), i).continuation > 0;
}

struct terminal_anchor terminal_scrollback_anchor(const struct terminal *t, size_t i)
{
    struct scrollback_place place = scrollback_place(screen_scrollback(t->screen), i);
    return (struct terminal_anchor){.line = place.line, .offset = place.offset};
}

struct terminal_anchor terminal_anchor(const struct terminal *t)
{
    struct screen_cursor cursor = screen_cursor(t->screen);
    return anchor_at(screen_primary(t->screen), screen_scrollback(t->screen), cursor.row,
                     cursor.col);
}

bool terminal_row_goes_on(const struct terminal *t, int row)
{
    return screen_grid(t->screen)->row[row]->continuation > 0;
}

struct terminal_anchor terminal_follow(const struct terminal *t, struct terminal_anchor at)
{
    return screen_follow(t->screen, at);
}

uint64_t terminal_follow_row(const struct terminal *t, uint64_t number, bool end)
{
    struct terminal_anchor row = {.line = number, .cols = 1}, at = screen_follow(t->screen, row);
    return anchor_row(at) + (end && anchor_col(at) > 0);
}

void terminal_text_since(const struct terminal *t, struct terminal_anchor from, struct bytes *out)
{
    const struct grid *grid = screen_primary(t->screen);
    uint64_t top = screen_top(t->screen), begin = anchor_row(from);
    int last = screen_cursor(t->screen).row;
    int first = begin > top ? (int)(begin - top) : 0;
    for (int i = first; i <= last && i < grid->rows; i++) {
        int col = top + (uint64_t)i == begin ? anchor_col(from) : 0;
        int used = row_used(grid->row[i]);
        bool wrapped = i < last && grid->row[i + 1]->continuation;
        if (wrapped || used == grid->cols)
            row_text(grid->row[i], col, used, screen_clusters(t->screen), out);
        else
            row_text_trimmed(grid->row[i], col, used, screen_clusters(t->screen), out);
        if (i < last && !wrapped)
            bytes_append_char(out, '\n');
    }
}

void terminal_capture_begin(struct terminal *t, terminal_output *output, void *user)
{
    screen_capture_begin(t->screen, output, user);
}

void terminal_capture_styled(struct terminal *t)
{
    screen_capture_styled(t->screen);
}

void terminal_capture_resume(struct terminal *t, terminal_output *output, void *user)
{
    screen_capture_resume(t->screen, output, user);
}

void terminal_capture_end(struct terminal *t)
{
    screen_capture_end(t->screen);
}

uint64_t terminal_capture_peek(const struct terminal *t, uint64_t most, terminal_output *output,
                               void *user)
{
    return screen_capture_peek(t->screen, most, output, user);
}

void terminal_redraw(const struct terminal *t, struct bytes *out)
{
    redraw_screen(t->screen, out);
    colours_append_set(t->colours, out);
    titles_append(&t->titles, true, out);
}

void terminal_redraw_larger(const struct terminal *t, struct bytes *out)
{
    redraw_screen_larger(t->screen, out);
    colours_append_set(t->colours, out);
    titles_append(&t->titles, true, out);
}

void terminal_redraw_part(const struct terminal *t, int cols, int rows, struct bytes *out)
{
    redraw_part(t->screen, cols, rows, out);
    titles_append(&t->titles, false, out);
}

void terminal_part_origin(const struct terminal *t, int cols, int rows, int *ret_top, int *ret_left)
{
    redraw_part_origin(t->screen, cols, rows, ret_top, ret_left);
}

void terminal_redraw_end(const struct terminal *t, struct bytes *out)
{
    redraw_end(t->screen, out);
}
