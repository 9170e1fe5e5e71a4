/* What most programs print is drawn here without libvterm: text, carriage return, line feed,
 * backspace, tab, and the sequences for colours (SGR), for erasing to the line's end (EL), for
 * moving the cursor (CUP) and for what scrolls (DECSTBM). libvterm hears of the cursor when
 * something else comes, in one go (engine_sync()), and never of colours. The result is what
 * libvterm would have made of it, quirks at the right edge included; the differential test
 * (tests/unit/test_bypass.c) holds it to that. */
#include "vterm_snapshot/edit.h"
#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/move.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/print.h"
#include "vterm_snapshot/screen_private.h"
#include "vterm_snapshot/sgr.h"
#include "vterm_snapshot/width.h"

/* ---- moving ---- */

/* What the rows do; returns the cursor's. */
static int scroll_line(struct screen *s)
{
    struct grid *grid = s->shown;
    int top, bottom;
    modes_region(&s->modes, grid->rows, &top, &bottom);
    if (s->cursor.row + 1 != bottom)
        return s->cursor.row + (s->cursor.row + 1 < grid->rows);
    if (grid == &s->primary && top == 0)
        screen_push_row(s, 0);
    grid_scroll(grid, top, bottom, 1, screen_blank_pen(s));
    if (s->glyph_row >= top && s->glyph_row < bottom)
        s->glyph_row--;
    return s->cursor.row;
}

static void wrap(struct screen *s)
{
    s->cursor = (struct place){.row = scroll_line(s), .col = 0};
}

static bool draw_control(struct screen *s, uint32_t code)
{
    int row = s->cursor.row, col = s->cursor.col;
    if (code == '\n')
        move_to(s, scroll_line(s), col);
    else if (code == '\r')
        screen_move(s, row, 0);
    else if (code == '\b')
        screen_move(s, row, col - (col > 0));
    else if (code == '\t')
        screen_move(s, row, screen_tab(col, s->shown->cols));
    return code == '\n' || code == '\r' || code == '\b' || code == '\t' || code == '\a';
}

/* ---- characters ---- */

/* A character of `width` columns was put at `col` of the cursor's row. */
static void after_run(struct screen *s, int col, int width, uint32_t character)
{
    screen_after_glyph(s, s->cursor.row, col, width, character);
    bool waits = col + width >= s->shown->cols;
    s->edge = waits ? EDGE_WAITS : EDGE_FREE;
    s->cursor.col = waits ? s->shown->cols - 1 : col + width;
    s->ahead |= AHEAD_CURSOR;
}

static void draw_text(struct screen *s, const char *text, size_t len)
{
    screen_know_pen(s);
    while (len) {
        if (s->edge == EDGE_WAITS)
            wrap(s);
        int col = s->cursor.col;
        size_t room = (size_t)(s->shown->cols - col), n = len < room ? len : room;
        screen_before_glyph(s, s->cursor.row, col);
        grid_put_ascii(s->shown, s->cursor.row, col, text, n, s->pen_number);
        after_run(s, col + (int)n - 1, 1, (unsigned char)text[n - 1]);
        text += n;
        len -= n;
    }
}

/* A mark that joins nothing has a place of its own, of no width. */
static void draw_character(struct screen *s, uint32_t code)
{
    enum width kind = width_of(code);
    if (kind == WIDTH_MARK && screen_follows(s)) {
        screen_join(s, code);
        return;
    }
    if (kind == WIDTH_MARK && screen_join_here(s, code))
        return;
    s->printed = kind == WIDTH_MARK ? s->printed : code;
    int width = (int)kind;
    screen_know_pen(s);
    if (s->edge == EDGE_WAITS || s->cursor.col + width > s->shown->cols)
        wrap(s);
    screen_before_glyph(s, s->cursor.row, s->cursor.col);
    grid_put(s->shown, s->cursor.row, s->cursor.col, code, width, s->pen_number);
    after_run(s, s->cursor.col, width, code);
}

/* ---- sequences ---- */

static void draw_sgr(struct screen *s, const struct csi *csi)
{
    screen_know_pen(s);
    sgr_apply(s->pens, csi, &s->pen, &s->pen_number);
}

/* CUP and HVP, where places count from the corner: full-screen programs send many. */
static void draw_place(struct screen *s, const struct csi *csi)
{
    int row = csi_value(csi, 0, 1), col = csi_value(csi, 1, 1);
    row = row < 1 ? 1 : row < s->shown->rows ? row : s->shown->rows;
    col = col < 1 ? 1 : col < s->shown->cols ? col : s->shown->cols;
    move_to(s, row - 1, col - 1);
}

/* EL to the row's end, as edit.h has it. */
static void draw_erase(struct screen *s)
{
    if (s->edge != EDGE_WAITS)
        grid_erase(s->shown, s->cursor.row, s->cursor.row + 1, s->cursor.col, s->shown->cols,
                   screen_blank_pen(s));
}

static bool draw_csi(struct screen *s, const struct op *op)
{
    const struct csi *csi = &op->csi;
    if (csi_is_sgr(csi))
        draw_sgr(s, csi);
    else if (csi_plain(csi) == 'H')
        draw_place(s, csi);
    else if (csi_plain(csi) == 'K' && csi_value(csi, 0, 0) == 0)
        draw_erase(s);
    else
        return csi->final != 'b' && edit_apply(s, op); /* REP is its caller's */
    return true;
}

/* ---- the way in ---- */

static bool may_draw(const struct screen *s)
{
    return !modes_exotic(&s->modes) && !s->options.no_bypass && s->edge != EDGE_UNKNOWN;
}

/* False for what libvterm must see. What REP repeats is the last character, where nothing but marks
 * came behind it. */
static inline bool draw(struct screen *s, const struct op *op)
{
    switch (op->kind) {
    case OP_TEXT:
        draw_text(s, op->raw, op->raw_len);
        s->printed = (unsigned char)op->raw[op->raw_len - 1];
        return true;
    case OP_CHARACTER:
        draw_character(s, op->code);
        return true;
    case OP_CONTROL:
        s->printed = 0;
        return draw_control(s, op->code);
    case OP_CSI:
        s->printed = op->csi.final == 'b' ? s->printed : 0;
        return draw_csi(s, op);
    default:
        return false;
    }
}

/* What is looked at and not skimmed costs twice, so that it is tried less and less. */
static bool try_skim(struct screen *s, struct parser *p)
{
    size_t least = SKIM_ROW_BYTES * (size_t)s->primary.rows, left = (size_t)(p->end - p->at);
    bool skimmed = left >= least && skim(s, p);
    if (skimmed || s->skim_wait < least)
        s->skim_wait = least;
    else if (left >= least && s->skim_wait < SKIM_WAIT_MOST)
        s->skim_wait *= 2;
    return skimmed;
}

bool screen_draw(struct screen *s, struct parser *p, struct op *ret_op)
{
    const char *from = p->at, *tried = from;
    bool found = false;
    screen_sweep(s);
    if (!may_draw(s))
        return false;
    try_skim(s, p);
    while (!found && parser_simple(p, ret_op)) {
        found = !draw(s, ret_op);
        bool line_ends = ret_op->kind == OP_CONTROL && ret_op->code == '\n';
        if (line_ends && (size_t)(p->at - tried) >= s->skim_wait) {
            try_skim(s, p);
            tried = p->at;
        }
    }
    s->unswept += (size_t)(p->at - from);
    return found;
}

/* The last of what was printed, again; an op's `raw` is in `text`. */
static struct op repetition(const struct screen *s, char text[4])
{
    bool ascii = s->printed < 0x80;
    return (struct op){.kind = ascii ? OP_TEXT : OP_CHARACTER,
                       .code = s->printed,
                       .raw = text,
                       .raw_len = utf8_encode(s->printed, text)};
}

int screen_repetitions(const struct screen *s, const struct op *op, char text[4],
                       struct op *ret_again)
{
    int count = csi_value(&op->csi, 0, 1);
    if (op->kind != OP_CSI || op->csi.final != 'b' || !s->printed)
        return 0;
    *ret_again = repetition(s, text);
    count = count ? count : 1;
    return count < s->shown->cols ? count : s->shown->cols;
}

void screen_apply(struct screen *s, const struct op *op)
{
    const struct csi *csi = &op->csi;
    if (op->kind == OP_TEXT)
        s->printed = (unsigned char)op->raw[op->raw_len - 1];
    else if (op->kind != OP_CHARACTER)
        s->printed = 0;
    else if (width_of(op->code) != WIDTH_MARK)
        s->printed = op->code;
    if (op->kind == OP_CSI && csi_is_sgr(csi)) {
        draw_sgr(s, csi);
        return;
    }
    if (op->kind == OP_CSI && csi->final == 'b')
        return; /* what it repeats was printed; newer versions of libvterm would do it, too */
    if (may_draw(s) && draw(s, op))
        return;
    s->unswept += op->raw_len;
    if (!modal_apply(s, op) && !edit_apply(s, op) && !print_apply(s, op))
        engine_apply(s, op);
}
