/* Lines that are scrolled away before anybody sees them go straight into scrollback and capture, no
 * cell is drawn: text with its colours becomes what row_pack() would have made of the row. This is
 * done for a long run of lines, but for the last screenful, which the direct way draws. Where a
 * line holds anything else, or a mode or background would show, the lines up to there are drawn,
 * too. The result is what libvterm would have made of them, cell for cell
 * (tests/unit/test_bypass.c). */
#define _GNU_SOURCE
#include "vterm_snapshot/emulator_private.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "vterm_snapshot/sgr.h"
#include "vterm_snapshot/width.h"

/* One row that leaves. */
struct leaving_row {
    const char *text; /* in the input; NULL: in the scratch, behind that of the row before */
    uint32_t len;
    uint32_t end;       /* of the line in the input; 0 where the line goes on */
    uint16_t runs, pen; /* of the row; the pen behind the line */
    bool continuation;
};

/* What leaves, until it is clear how much of it does. */
struct leaving {
    struct emulator *emulator;
    const char *input;
    struct bytes text, runs, rows; /* scratch: arrays of char, row_run, leaving_row */
    uint32_t row_count, run_count;

    struct pen pen;
    uint16_t pen_number, first_pen;
    bool pen_known;

    /* The row at hand: where its text and its runs begin, the column, the columns that hold
     * something, and the pen of the last of them. */
    size_t text_start;
    uint32_t run_start;
    int col, written;
    int stale; /* columns that hold what stood there before a carriage return */
    uint16_t run_pen;
    bool continuation;
};

/* ---- a row ---- */

static void begin_row(struct leaving *l, bool continuation)
{
    l->text_start = l->text.len;
    l->run_start = l->run_count;
    l->col = l->written = l->stale = 0;
    l->run_pen = 0;
    l->continuation = continuation;
}

static void end_row(struct leaving *l, uint32_t end)
{
    while (end && l->text.len > l->text_start && l->text.data[l->text.len - 1] == ' ')
        l->text.len--;
    struct leaving_row row = {.len = (uint32_t)(l->text.len - l->text_start),
                              .end = end,
                              .runs = (uint16_t)(l->run_count - l->run_start),
                              .pen = l->pen_number,
                              .continuation = l->continuation};
    bytes_append(&l->rows, &row, sizeof row);
    l->row_count++;
}

static void begin_run(struct leaving *l, int col, uint16_t pen)
{
    struct row_run run = {.column = (uint16_t)col, .pen = pen};
    if (pen == l->run_pen)
        return;
    bytes_append(&l->runs, &run, sizeof run);
    l->run_count++;
    l->run_pen = pen;
}

/* Finds the pen's number; false when it has none, as there are too many. */
static bool know_pen(struct leaving *l)
{
    if (!l->pen_known)
        l->pen_number = pen_intern(l->emulator->pens, &l->pen);
    l->pen_known = true;
    return l->pen_number || pen_is_default(&l->pen);
}

/* Characters of `width` columns in all come at the cursor: what a tab left out is blank. False
 * where it is not, because something stood there. */
static bool reach(struct leaving *l, int width)
{
    if (l->written < l->col && l->written < l->stale)
        return false;
    if (l->written < l->col)
        begin_run(l, l->written, 0);
    for (; l->written < l->col; l->written++)
        bytes_append_char(&l->text, ' ');
    begin_run(l, l->col, l->pen_number);
    l->col += width;
    l->written = l->col;
    return true;
}

/* False where the row that comes in would show a background. */
static bool wrap(struct leaving *l)
{
    if (l->pen.background || l->written < l->stale)
        return false;
    end_row(l, 0);
    begin_row(l, true);
    return true;
}

/* ---- a line ---- */

/* Room for the input was made before; blanks for tabs may need more. */
static void append_text(struct leaving *l, const char *text, size_t len)
{
    if (l->text.capacity - l->text.len <= len) {
        bytes_append(&l->text, text, len);
        return;
    }
    memcpy(l->text.data + l->text.len, text, len);
    l->text.len += len;
}

static bool put_ascii(struct leaving *l, const char *text, size_t len)
{
    int cols = l->emulator->primary.cols;
    while (len) {
        if (l->col == cols && !wrap(l))
            return false;
        size_t room = (size_t)(cols - l->col), n = len < room ? len : room;
        if (!reach(l, (int)n))
            return false;
        append_text(l, text, n);
        text += n;
        len -= n;
    }
    return true;
}

/* The characters at the front that are not ASCII and fit into `room` columns, one at least if there
 * is any: their bytes and columns. No mark among them. */
static size_t wide_run(struct leaving *l, const char *bytes, size_t len, int room, int *ret_width)
{
    size_t at = 0;
    int width = 0;
    while (at < len && (unsigned char)bytes[at] >= 0x80) {
        uint32_t code;
        int step = utf8_decode(bytes + at, len - at, &code);
        enum width kind = step > 0 ? width_of(l->emulator->widths, code) : WIDTH_MARK;
        int columns = kind == WIDTH_TWO ? 2 : 1;
        if (kind == WIDTH_MARK || (at && width + columns > room))
            break;
        width += columns;
        at += (size_t)step;
    }
    *ret_width = width;
    return at;
}

/* Characters that are not ASCII; returns their bytes, 0 when the line must be drawn. */
static size_t put_others(struct leaving *l, const char *bytes, size_t len)
{
    int cols = l->emulator->primary.cols, width;
    size_t run = wide_run(l, bytes, len, cols - l->col, &width);
    if (!run)
        return 0;
    if (l->col + width > cols && (l->written < l->col || !wrap(l)))
        return 0;
    if (!reach(l, width))
        return 0;
    append_text(l, bytes, run);
    return run;
}

/* Not where the cursor waits at the edge: there it may still move. */
static bool tab(struct leaving *l)
{
    int last = l->emulator->primary.cols - 1;
    int next = (l->col | 7) + 1;
    if (l->col > last)
        return false;
    l->col = next < last ? next : last;
    return true;
}

/* SGR, and EL where nothing stands to be erased. */
static size_t take_sequence(struct leaving *l, const char *bytes, size_t len)
{
    struct csi_short s;
    int params[SGR_PARAMS], count;
    if (len < 3 || bytes[1] != '[')
        return 0;
    if (len >= 2 + CSI_SHORT && csi_short_read(bytes + 2, &s) && csi_short_final(&s) == 'm' &&
        sgr_apply_short(l->emulator->pens, &s, &l->pen, &l->pen_number))
        return 2 + s.len + 1;
    const char *final = sgr_parse(bytes + 2, bytes + len, params, &count);
    if (!final || final == bytes + len)
        return 0;
    bool erases = *final == 'K' && count == 1 && params[0] <= 0 && !l->pen.background &&
                  l->col < l->emulator->primary.cols && (l->col > 0 || !l->continuation) &&
                  (l->written == l->col || !l->stale);
    if (!erases && !(*final == 'm' && sgr_apply(&l->pen, params, count)))
        return 0;
    l->pen_known = l->pen_known && erases;
    l->stale = erases ? 0 : l->stale;
    return know_pen(l) ? (size_t)(final - bytes) + 1 : 0;
}

/* A carriage return within a line: what is printed next must cover what stands there. */
static void take_return(struct leaving *l)
{
    l->stale = l->written > l->stale ? l->written : l->stale;
    l->text.len = l->text_start;
    l->run_count = l->run_start;
    l->runs.len = l->run_count * sizeof(struct row_run);
    l->col = l->written = 0;
    l->run_pen = 0;
}

/* One character or more, a tab, a sequence: its bytes, 0 when the line must be drawn. */
static size_t take_piece(struct leaving *l, const char *bytes, size_t len)
{
    unsigned char c = (unsigned char)bytes[0];
    size_t run = ascii_printable_run(bytes, len);
    if (run)
        return put_ascii(l, bytes, run) ? run : 0;
    if (c >= 0x80)
        return put_others(l, bytes, len);
    if (c == 0x1b)
        return take_sequence(l, bytes, len);
    if (c == '\t')
        return tab(l);
    if (c == '\r' && len > 1 && bytes[1] != '\r')
        take_return(l);
    return c == '\r' && len > 1;
}

static bool ends_line(const char *bytes, size_t len)
{
    return len >= 2 && bytes[0] == '\r' && bytes[1] == '\n';
}

/* The line at `at`; returns where the next one begins, 0 when it must be drawn or is not whole. */
static size_t take_line(struct leaving *l, size_t at, size_t len)
{
    begin_row(l, false);
    while (at < len && !ends_line(l->input + at, len - at)) {
        size_t taken = take_piece(l, l->input + at, len - at);
        if (!taken)
            return 0;
        at += taken;
    }
    if (at == len || l->pen.background || l->written < l->stale)
        return 0;
    end_row(l, (uint32_t)at + 2);
    return at + 2;
}

/* A line that is printable ASCII and fits a row stays where it is; else 0. */
static size_t take_plain_line(struct leaving *l, size_t at, size_t len)
{
    const char *text = l->input + at;
    size_t run = ascii_printable_run(text, len - at);
    if (l->pen_number || run > (size_t)l->emulator->primary.cols ||
        !ends_line(text + run, len - at - run))
        return 0;
    struct leaving_row row = {.text = text, .len = (uint32_t)run, .end = (uint32_t)(at + run) + 2};
    while (row.len && text[row.len - 1] == ' ')
        row.len--;
    bytes_append(&l->rows, &row, sizeof row);
    l->row_count++;
    return row.end;
}

static void take_lines(struct leaving *l, size_t len)
{
    size_t at = 0, next;
    while ((next = take_plain_line(l, at, len)) || (next = take_line(l, at, len)))
        at = next;
}

/* ---- away ---- */

static void push_rows(struct leaving *l, uint32_t count)
{
    struct emulator *e = l->emulator;
    const struct leaving_row *row = (const struct leaving_row *)l->rows.data;
    struct row_run *run = (struct row_run *)l->runs.data;
    const char *scratch = l->text.data;
    for (; count; count--, row++) {
        const char *text = row->text ? row->text : scratch;
        capture_text_leaves(&e->capture, text, row->len, row->continuation);
        scrollback_push(e->scrollback,
                        &(struct scrollback_line){.text = text,
                                                  .len = row->len,
                                                  .run = run,
                                                  .runs = row->runs,
                                                  .continuation = row->continuation});
        scratch += row->text ? 0 : row->len;
        run += row->runs;
    }
}

/* How many of the first `count` rows are those of whole lines. */
static uint32_t whole_rows(const struct leaving *l, uint32_t count)
{
    const struct leaving_row *row = (const struct leaving_row *)l->rows.data;
    while (count && !row[count - 1].end)
        count--;
    return count;
}

/* The screen is scrolled away as a whole; what follows is drawn from its top. */
static void push_screen(struct emulator *e)
{
    struct grid *grid = &e->primary;
    for (int i = 0; i + 1 < grid->rows; i++)
        emulator_push_row(e, i);
    grid_scroll(grid, 0, grid->rows, grid->rows, 0);
    e->cursor = (VTermPos){0, 0};
    e->glyph_end = -1;
    e->ahead = true;
    e->phantom = false;
}

/* The cursor is in a row at the bottom that nothing was written to, and that no capture began
 * inside of. */
static bool at_fresh_bottom(const struct emulator *e)
{
    const struct row *row = e->primary.row[e->primary.rows - 1];
    bool begun = e->capture.active && e->capture.anchor_col &&
                 e->capture.anchor == emulator_top(e) + (uint64_t)e->cursor.row;
    return e->cursor.row == e->primary.rows - 1 && e->cursor.col == 0 && row_used(row) == 0 &&
           !row->continuation && !begun;
}

/* The lines of the first `count` rows leave; returns where the next one begins in the input. */
static size_t push_lines(struct leaving *l, uint32_t count)
{
    struct emulator *e = l->emulator;
    const struct leaving_row *last = (const struct leaving_row *)l->rows.data + count - 1;
    push_screen(e);
    push_rows(l, count);
    e->pen_ahead = e->pen_ahead || last->pen != l->first_pen;
    e->pen = *pen_lookup(e->pens, last->pen);
    e->pen_known = false;
    return last->end;
}

size_t bypass_lines(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t kept = (uint32_t)e->primary.rows - 1;
    bool pending_wrap = e->ahead ? e->phantom : e->glyph_end >= e->primary.cols;
    struct leaving l = {.emulator = e, .input = bytes, .pen = e->pen};
    size_t taken = 0;
    if (settings_exotic(&e->settings) || settings_get(&e->settings, SETTING_REGION) ||
        e->options.no_bypass || e->shown != &e->primary || pending_wrap || e->edge_unsure ||
        e->pen.background || !at_fresh_bottom(e) || !know_pen(&l))
        return 0;
    l.first_pen = l.pen_number;
    if (!bytes_reserve(&l.text, len) || !bytes_reserve(&l.runs, sizeof(struct row_run))) {
        bytes_finish(&l.text);
        return 0;
    }
    take_lines(&l, len);
    uint32_t whole = whole_rows(&l, l.row_count);
    uint32_t leaves = whole > 2 * kept ? whole_rows(&l, whole - kept) : 0;
    if (leaves && !l.text.failed && !l.runs.failed && !l.rows.failed)
        taken = push_lines(&l, leaves);
    bytes_finish(&l.text);
    bytes_finish(&l.runs);
    bytes_finish(&l.rows);
    return taken;
}
