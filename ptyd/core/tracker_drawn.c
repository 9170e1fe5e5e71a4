/* What is drawn says where the input begins, and a right prompt, where marks do not
 * (tracker_foreign.c). */
#define _GNU_SOURCE
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/op.h"

static bool is_sequence(const struct op *op, char final)
{
    return op->kind == OP_CSI && op->csi.final == final && !op->csi.leader && !op->csi.inter[0];
}

static bool is_escape(const struct op *op, char final)
{
    return op->kind == OP_ESCAPE && op->csi.final == final && !op->csi.inter[0];
}

static bool is_feed(const struct op *op)
{
    return op->kind == OP_CONTROL && op->code == '\n';
}

/* Text goes on elsewhere in its row. */
static bool is_column(const struct op *op)
{
    return is_sequence(op, 'G') || is_sequence(op, '`');
}

/* The cursor's place is kept, and taken again. */
static bool keeps_place(const struct op *op)
{
    return is_escape(op, '7') || is_sequence(op, 's');
}

static bool takes_place(const struct op *op)
{
    return is_escape(op, '8') || is_sequence(op, 'u');
}

static bool is_return(const struct op *op)
{
    return op->kind == OP_CONTROL && op->code == '\r';
}

/* What stands in the cursor's row in front of a column. */
static char *front_of(const struct tracker *t, int col)
{
    struct terminal_cursor cursor = terminal_cursor(t->options.terminal);
    struct bytes row = {0};
    terminal_row_text(t->options.terminal, cursor.row, &row);
    size_t len = 0;
    for (int cells = 0; len < row.len && cells < col; cells++)
        do
            len++;
        while (len < row.len && ((unsigned char)row.data[len] & 0xc0) == 0x80);
    while (len && row.data[len - 1] == ' ')
        len--;
    char *front = text_clean(row.data ? row.data : "", len, len);
    bytes_finish(&row);
    return front;
}

/* What was typed before the screen was cleared stands in front of the cursor by now. */
static void find_input(struct tracker *t, int col)
{
    struct foreign *f = &t->foreign;
    struct mark input = {.seal = MARK_FOREIGN, .kind = MARK_INPUT, .seq = t->last_seq + 1};
    tracker_set_text(&f->row,
                     front_of(t, f->cleared && f->begins && col > f->begins ? f->begins : col));
    f->by_cursor = tracker_mark(t, &input, f->at);
    if (f->by_cursor && f->cleared && col > f->begins)
        t->input.offset -= (uint64_t)(col - f->begins);
    else
        f->begins = col;
    f->cleared = f->fed = f->redrawn = f->written = false;
}

/* Of one that is drawn anew another one may come to stand there, with the line behind it. */
static bool is_same_prompt(const struct tracker *t, int col)
{
    const struct foreign *f = &t->foreign;
    if (!f->redrawn)
        return true;
    char *front = front_of(t, f->begins && col > f->begins ? f->begins : col);
    bool same = f->row && !strcmp(front, f->row);
    free(front);
    return same;
}

/* Whether the prompt is drawn again below, as behind the end of a job: EL where the input begins,
 * and the same in front of it. */
static bool is_drawn_again(const struct tracker *t, int col)
{
    const struct foreign *f = &t->foreign;
    if (col < f->begins || !f->row || !f->row[strspn(f->row, " ")] ||
        terminal_anchor(t->options.terminal).line <= t->input.line)
        return false;
    char *front = front_of(t, f->begins);
    bool same = !strcmp(front, f->row);
    free(front);
    return same;
}

/* Where the input begins has to be found again. */
static void lose_input(struct tracker *t)
{
    t->has_input = false;
    t->stage = STAGE_PROMPT;
    t->foreign.column = 0;
}

/* fish ends its prompt by EL, and comes back to that column by CR and CUF: there the input begins,
 * where no mark says it. Behind a line that was given up it draws the next prompt without a mark:
 * by CR and EL it clears that row. So it does with what is typed where the screen is cleared. */
static void look_for_input(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    bool below = is_sequence(op, 'J') && !csi_value(&op->csi, 0, 0); /* as behind another size */
    bool erases = is_sequence(op, 'K') || (below && t->stage == STAGE_PROMPT),
         returned = f->returned, moves = is_sequence(op, 'C');
    bool found = t->stage == STAGE_INPUT && f->by_cursor;
    int col = terminal_cursor(t->options.terminal).col;
    f->returned = is_return(op) || (returned && moves);
    if (found && erases && returned && terminal_anchor(t->options.terminal).line > t->input.line) {
        lose_input(t);
    } else if (found && erases && is_drawn_again(t, col)) {
        lose_input(t);
        f->cleared = true;
    } else if (found && is_sequence(op, 'J') && op->csi.value[0] == 2) {
        lose_input(t);
        f->cleared = true;
    }
    if (erases || (op->kind == OP_CONTROL && op->code == '\n'))
        f->column = erases && t->stage == STAGE_PROMPT ? col : 0;
    else if (moves && returned && f->column && col == f->column && t->stage == STAGE_PROMPT &&
             is_same_prompt(t, col))
        find_input(t, col);
}

/* reedline draws its indicator behind the mark, keeps the place (DECSC), draws a right prompt
 * elsewhere and comes back. Where there is no room for that the indicator is known from before. */
static void look_for_kept_place(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    if (t->stage != STAGE_INPUT || f->moved)
        return;
    if (keeps_place(op)) {
        f->kept = true;
        f->aside_too = false;
        f->kept_at = terminal_anchor(t->options.terminal);
        if (f->kept_at.line == t->input.line)
            tracker_set_text(&f->seen, foreign_text_since(t, t->input));
    } else if (is_sequence(op, 'H') || is_column(op)) {
        f->aside_too = f->kept;
    } else if (takes_place(op)) {
        f->moved = f->kept && f->aside_too;
        f->kept = f->aside_too = false;
        if (!f->moved)
            return;
        t->input = f->kept_at;
        tracker_set_text(&f->sign, text_copy(f->seen));
    }
}

/* Shells that go to a new row behind what has no end do it by a row of blanks. */
static void count_blanks_drawn(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    if (is_feed(op))
        f->swept = 0;
    for (size_t i = 0; op->kind == OP_TEXT && i < op->raw_len && f->swept < LIMIT_SIZE_MAX; i++)
        f->swept += op->raw[i] == ' ';
}

/* bash's line editor draws ^C behind a line that it gives up, goes to the row's begin to take
 * bracketed paste back, there again to prepare another line, and once more with the line feed. */
static void look_for_given_up(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    if (op->kind == OP_TEXT) {
        for (size_t i = 0; i < op->raw_len; i++) {
            f->drawn[0] = f->drawn[1];
            f->drawn[1] = op->raw[i];
        }
        f->returns = 0;
    } else if (is_return(op)) {
        f->returns += f->returns < 3;
    } else if (op->kind == OP_CONTROL && op->code == '\n') {
        bool shown = f->returns == 3 && f->drawn[0] == '^' && f->drawn[1] == 'C';
        f->given_up = t->stage == STAGE_INPUT && shown;
        f->drawn[0] = f->drawn[1] = 0;
        f->returns = 0;
    } else if (op->kind == OP_CSI && op->csi.final == 'l' && op->csi.leader == '?') {
        f->shows = f->shows || op->csi.value[0] == 2004;
    }
}

/* Whether nothing stands where the cursor is, nor next to it on its left. */
static bool stands_free(const struct terminal *terminal)
{
    struct terminal_cursor cursor = terminal_cursor(terminal);
    struct bytes row = {0};
    terminal_row_text(terminal, cursor.row, &row);
    int cells = foreign_count(row.data, row.len);
    bytes_finish(&row);
    return cells < cursor.col;
}

/* A right prompt is drawn between CUF, past what stands there, and CUB, CUD or CR, up to the edge.
 */
static void look_for_right_prompt(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    const struct terminal *terminal = t->options.terminal;
    bool to_row = is_sequence(op, 'H') && f->aside_too, to_column = is_column(op);
    if (is_sequence(op, 'C') || to_row || (to_column && !(f->jumped && f->aside.len))) {
        f->beyond = terminal_anchor(terminal);
        f->jumped = stands_free(terminal);
        f->aside.len = 0;
    } else if (f->jumped && (is_sequence(op, 'D') || is_sequence(op, 'B') || is_return(op) ||
                             to_column || takes_place(op))) {
        f->jumped = false;
        if (!f->aside.len || f->edge < terminal_cols(terminal) - RIGHT_MARGIN)
            return;
        f->has_right = true;
        f->right_at = f->beyond;
        f->beside.len = 0;
        bytes_append(&f->beside, f->aside.data, f->aside.len);
    } else if (f->jumped) {
        f->aside.len = 0;
        terminal_text_since(terminal, f->beyond, &f->aside);
        f->edge = terminal_cursor(terminal).col;
    }
}

/* ---- prompts that are drawn anew, without marks, above where they stood ---- */

/* What stands in the screen's rows from the input's on, and whether it is above it by now. */
static char *standing_line(const struct tracker *t)
{
    const struct terminal *terminal = t->options.terminal;
    const struct foreign *f = &t->foreign;
    struct bytes text = {0};
    int64_t up = (int64_t)anchor_row(terminal_anchor(terminal)) - (int64_t)anchor_row(t->input);
    int row = terminal_cursor(terminal).row - (int)up, skip = anchor_col(t->input);
    for (; row >= 0 && row < terminal_rows(terminal); row++, skip = 0) {
        size_t before = text.len, cells = 0;
        terminal_row_text(terminal, row, &text);
        if (text.len == before)
            break;
        size_t at = before;
        for (; at < text.len && cells < (size_t)skip; cells++)
            do
                at++;
            while (at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80);
        memmove(text.data + before, text.data + at, text.len - at);
        text.len -= at - before;
        if (f->has_right && text.len - before >= f->beside.len && f->beside.len &&
            !memcmp(text.data + text.len - f->beside.len, f->beside.data, f->beside.len))
            text.len -= f->beside.len;
        if (foreign_count(text.data + before, text.len - before) + skip < terminal_cols(terminal)) {
            foreign_trim(&text);
            bytes_append_char(&text, '\n');
        }
    }
    foreign_trim(&text);
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    return line;
}

static bool is_in_front(struct terminal_anchor at, struct terminal_anchor of)
{
    return at.line < of.line || (at.line == of.line && at.offset < of.offset);
}

#define HELD_TRIES 64 /* characters of double width in front of a line that is drawn again */

/* Whether `text` stands from there on. */
static bool stands_at(const struct tracker *t, struct terminal_anchor from, const char *text)
{
    size_t len = strlen(text);
    struct bytes there = {0};
    terminal_text_since(t->options.terminal, from, &there);
    bool stands = there.len >= len && !memcmp(there.data, text, len);
    bytes_finish(&there);
    return stands;
}

/* How many characters stand between `from` and where `text` does, at or behind it; -1 where it does
 * not. */
static int characters_until(const struct tracker *t, struct terminal_anchor from, const char *text)
{
    struct bytes there = {0};
    terminal_text_since(t->options.terminal, from, &there);
    const char *at = there.len ? memmem(there.data, there.len, text, strlen(text)) : NULL;
    int count = at ? foreign_count(there.data, (size_t)(at - there.data)) : -1;
    bytes_finish(&there);
    return count;
}

/* The line of before stands behind the prompt again, in what the operation drew or up to its end:
 * there the input begins. No more is looked at than can be it, for this is asked wherever something
 * is drawn. */
static void find_held(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    struct terminal_anchor now = terminal_anchor(t->options.terminal), at = now;
    uint64_t most = 2 * (uint64_t)foreign_count(f->held, strlen(f->held)) +
                    (op->kind == OP_TEXT ? op->raw_len : 0); /* cells */
    if (is_in_front(now, f->start))
        return;
    uint64_t from = now.offset - (now.offset < most ? now.offset : most);
    at.offset = from;
    int before = characters_until(t, at, f->held);
    bool found = false;
    for (int wide = 0; before >= 0 && !found && wide <= before && wide < HELD_TRIES; wide++) {
        at.offset = from + (uint64_t)(before + wide); /* so many of them take two cells */
        found = stands_at(t, at, f->held);
    }
    struct mark input = {.seal = MARK_FOREIGN, .kind = MARK_INPUT, .seq = t->last_seq + 1};
    if (!found || !tracker_mark(t, &input, f->at))
        return;
    t->input = at;
    f->redrawn = f->fed = f->has_right = false;
    f->written = true;
}

/* Where the cursor goes above the input and erases what is below, its editor draws the prompt anew,
 * and the line behind it: a shorter one that stays (transient), or on a screen that was cleared. */
static void look_for_another_prompt(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    struct terminal_anchor at = terminal_anchor(t->options.terminal);
    bool moved = is_return(op) || is_sequence(op, 'A') || is_sequence(op, 'H');
    bool erases = is_sequence(op, 'J'), in_front = t->has_input && is_in_front(at, t->input);
    if (moved && t->stage == STAGE_INPUT && in_front && !f->fed && !f->in_line && f->written) {
        tracker_set_text(&f->held, standing_line(t));
    } else if (erases && t->stage == STAGE_INPUT && in_front && f->held && *f->held) {
        lose_input(t);
        f->redrawn = true;
        f->cleared = f->by_cursor;
        f->start = at;
    } else if (erases && t->stage == STAGE_PROMPT && is_in_front(at, f->start)) {
        f->start = at;
    } else if (f->redrawn && t->stage == STAGE_PROMPT) {
        find_held(t, op);
    } else if (op->kind == OP_TEXT && t->stage == STAGE_INPUT && !in_front) {
        f->written = f->written || !f->jumped;
    }
}

/* C came in the line that was typed. */
static void look_for_line_end(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    if (!is_feed(op))
        return;
    f->fed = f->fed ||
             (t->stage == STAGE_INPUT && terminal_anchor(t->options.terminal).line > t->input.line);
    tracker_set_text(&f->title, NULL);
    if (f->in_line)
        tracker_foreign_begin(t, f->at);
}

void tracker_drawn(struct tracker *t, const struct op *op)
{
    if (!t->foreign.heard)
        return;
    look_for_another_prompt(t, op);
    look_for_line_end(t, op);
    if (tracker_state(t) == TRACKER_RUNNING)
        return;
    look_for_kept_place(t, op);
    look_for_right_prompt(t, op);
    count_blanks_drawn(t, op);
    look_for_given_up(t, op);
    look_for_input(t, op);
}
