/* Lines that are scrolled away before anybody sees them go straight into scrollback and capture, no
 * cell is drawn: text with its colours becomes what row_pack() would have made of the row. This is
 * done for a long run of lines, but for the last screenful, which is drawn. Where a line holds
 * anything else, or a mode or background would show, the lines up to there are drawn, too. The
 * result is what libvterm would have made of them, cell for cell (tests/unit/test_bypass.c). */
#include <string.h>

#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/screen_private.h"
#include "vterm_snapshot/sgr.h"
#include "vterm_snapshot/width.h"

/* One row that leaves; there are many. */
struct leaving_row {
    uint32_t text;      /* where in the input; IN_SCRATCH: behind that of the row before there */
    uint32_t end;       /* of the line in the input; 0 where the line goes on */
    uint16_t len;       /* bytes of text */
    uint16_t runs, pen; /* of the row; the pen behind the line */
    bool continuation;
};

#define IN_SCRATCH UINT32_MAX

/* What leaves, until it is clear how much of it does. */
struct leaving {
    struct screen *screen;
    struct parser *parser;
    const char *input;
    struct bytes text, runs, rows; /* scratch: arrays of char, row_run, leaving_row */
    uint32_t row_count, run_count;

    struct pen pen;
    uint16_t pen_number;

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

/* Without a call where there is room, as there mostly is. */
static inline void append(struct bytes *b, const void *data, size_t len)
{
    if (b->capacity - b->len <= len) {
        bytes_append(b, data, len);
        return;
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

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
    struct leaving_row row = {.text = IN_SCRATCH,
                              .len = (uint16_t)(l->text.len - l->text_start),
                              .end = end,
                              .runs = (uint16_t)(l->run_count - l->run_start),
                              .pen = l->pen_number,
                              .continuation = l->continuation};
    append(&l->rows, &row, sizeof row);
    l->row_count++;
}

static void begin_run(struct leaving *l, int col, uint16_t pen)
{
    struct row_run run = {.column = (uint16_t)col, .pen = pen};
    if (pen == l->run_pen)
        return;
    append(&l->runs, &run, sizeof run);
    l->run_count++;
    l->run_pen = pen;
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

static bool put_text(struct leaving *l, const char *text, size_t len)
{
    int cols = l->screen->primary.cols;
    while (len) {
        if (l->col == cols && !wrap(l))
            return false;
        size_t room = (size_t)(cols - l->col), n = len < room ? len : room;
        if (!reach(l, (int)n))
            return false;
        append(&l->text, text, n);
        text += n;
        len -= n;
    }
    return true;
}

/* Characters that are not ASCII and stand together, the first of them in `op`, as far as they fit
 * into the row. False where the line must be drawn, as for a mark. */
static bool put_characters(struct leaving *l, struct op *op)
{
    const char *text = op->raw, *end = text;
    int cols = l->screen->primary.cols, width = 0;
    do {
        enum width kind = width_of(op->code);
        int columns = kind == WIDTH_TWO ? 2 : 1;
        if (kind == WIDTH_MARK || (width && l->col + width + columns > cols))
            break;
        width += columns;
        end = l->parser->at;
    } while (end < l->parser->ready && (unsigned char)*end >= 0x80 &&
             parser_character(l->parser, op));
    l->parser->at = (char *)end;
    if (!width || (l->col + width > cols && (l->written < l->col || !wrap(l))) || !reach(l, width))
        return false;
    append(&l->text, text, (size_t)(end - text));
    return true;
}

/* Not where the cursor waits at the edge: there it may still move. */
static bool tab(struct leaving *l)
{
    if (l->col == l->screen->primary.cols)
        return false;
    l->col = screen_tab(l->col, l->screen->primary.cols);
    return true;
}

/* EL, where nothing stands to be erased. */
static bool erase(struct leaving *l, const struct csi *csi)
{
    bool to_end = csi->count == 1 && csi_value(csi, 0, 0) == 0 && !l->pen.background;
    if (!to_end || l->col == l->screen->primary.cols || (l->col == 0 && l->continuation) ||
        (l->written != l->col && l->stale))
        return false;
    l->stale = 0;
    return true;
}

static bool put_csi(struct leaving *l, const struct csi *csi)
{
    if (csi_is_sgr(csi))
        sgr_apply(l->screen->pens, csi, &l->pen, &l->pen_number);
    if (csi_is_sgr(csi))
        return l->pen_number || pen_is_default(&l->pen);
    return csi_plain(csi) == 'K' && erase(l, csi);
}

/* A carriage return within a line: what is printed next must cover what stands there. */
static void put_return(struct leaving *l)
{
    l->stale = l->written > l->stale ? l->written : l->stale;
    l->text.len = l->text_start;
    l->run_count = l->run_start;
    l->runs.len = l->run_count * sizeof(struct row_run);
    l->col = l->written = 0;
    l->run_pen = 0;
}

/* False where the line must be drawn. */
static bool put(struct leaving *l, struct op *op)
{
    switch (op->kind) {
    case OP_TEXT:
        return put_text(l, op->raw, op->raw_len);
    case OP_CHARACTER:
        return put_characters(l, op);
    case OP_CSI:
        return put_csi(l, &op->csi);
    default:
        return op->kind == OP_CONTROL && op->code == '\t' && tab(l);
    }
}

static uint32_t at(const struct leaving *l)
{
    return (uint32_t)(l->parser->at - l->input);
}

/* The next line; false where it must be drawn or is not whole. One or more carriage returns and a
 * line feed end it. */
static bool take_line(struct leaving *l)
{
    struct op op;
    bool returned = false;
    begin_row(l, false);
    while (parser_simple(l->parser, &op)) {
        uint32_t control = op.kind == OP_CONTROL ? op.code : 0;
        if (control == '\n' && returned)
            break;
        if (returned && control != '\r')
            put_return(l);
        returned = control == '\r';
        if (!returned && !put(l, &op))
            return false;
    }
    if (!returned || l->parser->at[-1] != '\n' || l->pen.background || l->written < l->stale)
        return false;
    end_row(l, at(l));
    return true;
}

/* A line that is printable ASCII and fits a row stays where it is. */
static bool take_plain_line(struct leaving *l)
{
    struct op op;
    if (l->pen_number || !parser_plain_line(l->parser, (size_t)l->screen->primary.cols, &op))
        return false;
    size_t len = op.raw_len - 2;
    while (len && op.raw[len - 1] == ' ')
        len--;
    struct leaving_row row = {
        .text = (uint32_t)(op.raw - l->input), .len = (uint16_t)len, .end = at(l)};
    append(&l->rows, &row, sizeof row);
    l->row_count++;
    return true;
}

static void take_lines(struct leaving *l)
{
    while (take_plain_line(l) || take_line(l))
        ;
}

/* ---- away ---- */

static void push_rows(struct leaving *l, uint32_t count)
{
    struct screen *s = l->screen;
    const struct leaving_row *row = (const struct leaving_row *)l->rows.data;
    struct row_run *run = (struct row_run *)l->runs.data;
    const char *scratch = l->text.data;
    uint16_t cols = (uint16_t)s->primary.cols;
    struct styles styles = screen_styles(s);
    for (; count; count--, row++) {
        bool in_scratch = row->text == IN_SCRATCH;
        const char *text = in_scratch ? scratch : l->input + row->text;
        struct scrollback_row leaving = {.text = text,
                                         .len = row->len,
                                         .run = run,
                                         .runs = row->runs,
                                         .continuation = row->continuation ? cols : 0};
        capture_text_leaves(&s->capture, &leaving, &styles);
        scrollback_push(s->scrollback, &leaving);
        scratch += in_scratch ? row->len : 0;
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
static void push_screen(struct screen *s)
{
    struct grid *grid = &s->primary;
    for (int i = 0; i + 1 < grid->rows; i++)
        screen_push_row(s, i);
    grid_scroll(grid, 0, grid->rows, grid->rows, 0);
    s->cursor = (struct place){0, 0};
    s->ahead |= AHEAD_CURSOR;
    screen_part(s);
}

/* The cursor is in a row at the bottom that nothing was written to, and that no capture began
 * inside of. */
static bool at_fresh_bottom(const struct screen *s)
{
    const struct row *row = s->primary.row[s->primary.rows - 1];
    bool begun = s->capture.active && anchor_col(s->capture.anchor) &&
                 anchor_row(s->capture.anchor) == screen_top(s) + (uint64_t)s->cursor.row;
    return s->cursor.row == s->primary.rows - 1 && s->cursor.col == 0 && row_used(row) == 0 &&
           !row->continuation && !begun;
}

/* The lines of the first `count` rows leave; returns where the next one begins in the input. */
static size_t push_lines(struct leaving *l, uint32_t count)
{
    struct screen *s = l->screen;
    const struct leaving_row *last = (const struct leaving_row *)l->rows.data + count - 1;
    push_screen(s);
    push_rows(l, count);
    s->pen = *pen_lookup(s->pens, last->pen);
    s->pen_number = last->pen;
    s->pen_known = true;
    s->printed = 0; /* a line end came behind it */
    return last->end;
}

static bool may_skim(struct screen *s)
{
    screen_know_pen(s);
    return !modes_get(&s->modes, MODE_REGION) && s->shown == &s->primary && s->edge == EDGE_FREE &&
           at_fresh_bottom(s) && !s->pen.background && (s->pen_number || pen_is_default(&s->pen));
}

bool skim(struct screen *s, struct parser *p)
{
    uint32_t kept = (uint32_t)s->primary.rows - 1;
    size_t taken = 0;
    if (!may_skim(s))
        return false;
    struct leaving l = {
        .screen = s, .parser = p, .input = p->at, .pen = s->pen, .pen_number = s->pen_number};
    if (!bytes_reserve(&l.text, (size_t)(p->end - p->at)) ||
        !bytes_reserve(&l.runs, sizeof(struct row_run))) {
        bytes_finish(&l.text);
        return false;
    }
    take_lines(&l);
    bool failed = l.text.failed || l.runs.failed || l.rows.failed;
    uint32_t whole = failed ? 0 : whole_rows(&l, l.row_count);
    uint32_t leaves = whole > 2 * kept ? whole_rows(&l, whole - kept) : 0;
    if (leaves)
        taken = push_lines(&l, leaves);
    p->at = (char *)l.input + taken;
    bytes_finish(&l.text);
    bytes_finish(&l.runs);
    bytes_finish(&l.rows);
    return taken > 0;
}
