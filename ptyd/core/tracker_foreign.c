/* Marks of other terminals (foreign.h): the source of blocks in traces that others recorded, and
 * where the user wants them in shells without ours.
 *
 * They are less than ours are. Some shells tell no text, some not where the input begins: then the
 * screen has to say it, and how the line editors of fish and zsh move their cursor. Some tell of
 * lines that ran nothing. What is known of the prompt at hand is struct foreign.
 */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/foreign.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/op.h"

void foreign_finish(struct foreign *f)
{
    bytes_finish(&f->lines);
    bytes_finish(&f->beside);
    bytes_finish(&f->aside);
    free(f->line);
    free(f->last);
    free(f->prompt);
}

static bool mark_as(struct tracker *t, enum mark_kind kind, uint64_t seq, struct moment now)
{
    return tracker_mark(t, &(struct mark){.seal = MARK_FOREIGN, .kind = kind, .seq = seq}, now);
}

/* ---- the line ---- */

static bool is_blank(const char *text)
{
    return !text[strspn(text, " \t\n")];
}

static void trim(struct bytes *text)
{
    while (text->len && strchr(" \n", text->data[text->len - 1]))
        text->len--;
}

/* The right prompt that stands in `text`, what is to be seen since the input began, goes; what
 * follows in further rows stays. */
static void cut_right_prompt(const struct tracker *t, struct bytes *text)
{
    const struct foreign *f = &t->foreign;
    struct bytes tail = {0};
    if (f->has_right)
        terminal_text_since(t->options.terminal, f->right_at, &tail);
    bool stands = tail.len >= f->beside.len && text->len >= tail.len && f->beside.len &&
                  !memcmp(tail.data, f->beside.data, f->beside.len) &&
                  !memcmp(text->data + text->len - tail.len, tail.data, tail.len);
    if (stands) {
        text->len -= tail.len;
        while (text->len && text->data[text->len - 1] == ' ')
            text->len--;
        bytes_append(text, tail.data + f->beside.len, tail.len - f->beside.len);
    }
    bytes_finish(&tail);
}

static int count_characters(const char *text, size_t len)
{
    int count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Whether `text` fills its rows to the last column, when it begins in the column `col`. */
static bool fills_rows(const char *text, size_t len, int col, int cols)
{
    int cells = count_characters(text, len);
    return cells && (col + cells) % cols == 0;
}

/* zsh breaks a line at the edge by itself: it is one line yet. What fish shows behind a line's end
 * begins below its first character. */
static void join_rows(const struct tracker *t, const struct bytes *text, struct bytes *out)
{
    int col = anchor_col(t->input), cols = terminal_cols(t->options.terminal);
    for (size_t i = 0; i < text->len;) {
        const char *row = text->data + i, *end = memchr(row, '\n', text->len - i);
        size_t len = end ? (size_t)(end - row) : text->len - i;
        bool joins = fills_rows(row, len, col, cols);
        bytes_append(out, row, len);
        if (end && !joins)
            bytes_append_char(out, '\n');
        i += len + (end != NULL);
        while (t->foreign.by_cursor && !joins && i < text->len && text->data[i] == ' ')
            i++;
        col = 0;
    }
}

static void append_input(const struct tracker *t, struct bytes *out)
{
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    cut_right_prompt(t, &text);
    trim(&text);
    join_rows(t, &text, out);
    bytes_finish(&text);
}

char *tracker_foreign_line(const struct tracker *t)
{
    const struct foreign *f = &t->foreign;
    struct bytes text = {0};
    if (f->line)
        return text_copy(f->line);
    if (!f->further)
        bytes_append(&text, f->lines.data ? f->lines.data : "", f->lines.len);
    append_input(t, &text);
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    return line;
}

/* ---- what the cursor says ---- */

static bool is_sequence(const struct op *op, char final)
{
    return op->kind == OP_CSI && op->csi.final == final && !op->csi.leader && !op->csi.inter[0];
}

static bool is_return(const struct op *op)
{
    return op->kind == OP_CONTROL && op->code == '\r';
}

/* What was typed before the screen was cleared stands in front of the cursor by now. */
static void find_input(struct tracker *t, int col)
{
    struct foreign *f = &t->foreign;
    f->by_cursor = mark_as(t, MARK_INPUT, t->last_seq + 1, f->at);
    if (f->by_cursor && f->cleared && col > f->begins)
        t->input.offset -= (uint64_t)(col - f->begins);
    else
        f->begins = col;
    f->cleared = false;
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
    bool erases = is_sequence(op, 'K'), returned = f->returned, moves = is_sequence(op, 'C');
    bool found = t->stage == STAGE_INPUT && f->by_cursor;
    int col = terminal_cursor(t->options.terminal).col;
    f->returned = is_return(op) || (returned && moves);
    if (found && erases && returned && terminal_anchor(t->options.terminal).line > t->input.line) {
        lose_input(t);
    } else if (found && is_sequence(op, 'J') && op->csi.value[0] == 2) {
        lose_input(t);
        f->cleared = true;
    }
    if (erases || (op->kind == OP_CONTROL && op->code == '\n'))
        f->column = erases && t->stage == STAGE_PROMPT ? col : 0;
    else if (moves && returned && f->column && col == f->column && t->stage == STAGE_PROMPT)
        find_input(t, col);
}

/* Whether nothing stands where the cursor is, nor next to it on its left. */
static bool stands_free(const struct terminal *terminal)
{
    struct terminal_cursor cursor = terminal_cursor(terminal);
    struct bytes row = {0};
    terminal_row_text(terminal, cursor.row, &row);
    int cells = count_characters(row.data, row.len);
    bytes_finish(&row);
    return cells < cursor.col;
}

/* A right prompt is drawn between CUF, past what stands there, and CUB, CUD or CR, up to the edge.
 */
static void look_for_right_prompt(struct tracker *t, const struct op *op)
{
    struct foreign *f = &t->foreign;
    const struct terminal *terminal = t->options.terminal;
    if (is_sequence(op, 'C')) {
        f->beyond = terminal_anchor(terminal);
        f->jumped = stands_free(terminal);
        f->aside.len = 0;
    } else if (f->jumped && (is_sequence(op, 'D') || is_sequence(op, 'B') || is_return(op))) {
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

void tracker_drawn(struct tracker *t, const struct op *op)
{
    if (!t->foreign.heard)
        return;
    look_for_right_prompt(t, op);
    look_for_input(t, op);
}

/* ---- prompts ---- */

static void forget_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    f->further = f->right = f->passing = f->has_right = f->jumped = false;
    f->lines.len = 0;
    tracker_set_text(&f->line, NULL);
    f->by_cursor = f->returned = f->cleared = false;
    f->column = f->begins = 0;
}

void tracker_foreign_leave(struct tracker *t)
{
    if (!t->foreign.heard)
        return;
    t->foreign.heard = false;
    terminal_watch(t->options.terminal, false);
}

static bool take_prompt(struct tracker *t, struct moment now)
{
    if (!mark_as(t, MARK_PROMPT, t->last_seq + 1, now))
        return false;
    forget_prompt(t);
    t->foreign.heard = true;
    t->foreign.start = terminal_anchor(t->options.terminal);
    terminal_watch(t->options.terminal, true);
    return true;
}

/* The command goes on: what was typed of it so far stands between the prompts. */
static bool take_further(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    f->right = false;
    if (t->stage != STAGE_INPUT)
        return t->stage == STAGE_PROMPT; /* a line of the prompt itself */
    if (!f->further && terminal_anchor(t->options.terminal).line > t->input.line &&
        f->lines.len < LIMIT_COMMAND_BYTES) {
        append_input(t, &f->lines);
        bytes_append_char(&f->lines, '\n');
    }
    f->further = true;
    return true;
}

static bool take_input(struct tracker *t, struct moment now)
{
    struct foreign *f = &t->foreign;
    bool goes_on = f->right || (f->further && t->stage == STAGE_INPUT);
    if (f->further && !f->right)
        t->input = terminal_anchor(t->options.terminal);
    if (!f->right)
        f->further = f->has_right = f->jumped = f->by_cursor = false;
    f->right = false;
    /* the same number again is a prompt that is drawn again */
    uint64_t seq = t->stage == STAGE_INPUT ? t->last_seq : t->last_seq + 1;
    return goes_on || mark_as(t, MARK_INPUT, seq, now);
}

/* ---- texts ---- */

/* What stands behind the prompt of a shell that tells no input, if that is the prompt of before. */
static char *line_behind_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    struct bytes text = {0};
    char *line = NULL;
    terminal_text_since(t->options.terminal, f->start, &text);
    trim(&text);
    size_t len = t->announced ? strlen(t->announced) : 0, known = f->prompt ? strlen(f->prompt) : 0;
    if (known && text.len > known && !memcmp(text.data, f->prompt, known))
        line = text_clean(text.data + known, text.len - known, LIMIT_COMMAND_BYTES);
    if (len && text.len > len && !memcmp(text.data + text.len - len, t->announced, len))
        tracker_set_text(&f->prompt, text_clean(text.data, text.len - len, text.len));
    bytes_finish(&text);
    return line;
}

static bool begins_with(const char *text, const char *head)
{
    return !strncmp(text, head, strlen(head));
}

/* VS Code's bash tells the first simple command alone, where history could not be trusted. */
static bool is_first_of(const char *told, const char *line)
{
    const char *rest = line + strlen(told);
    return begins_with(line, told) && *rest && strchr(";|&<>", rest[*rest == ' ']) &&
           rest[*rest == ' '];
}

/* Where the shell's word is its history's newest entry, and the line did not enter that
 * (HISTCONTROL), it is the word of the command before: then what is seen is right. */
static void doubt_told(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    char *line = t->has_input ? tracker_foreign_line(t) : line_behind_prompt(t);
    bool stale = f->last && !strcmp(t->announced, f->last) && line && !is_blank(line) &&
                 !begins_with(line, t->announced) && !strchr(t->announced, '\n');
    bool part = line && t->has_input && is_first_of(t->announced, line);
    tracker_set_text(&f->last, text_copy(t->announced));
    if (stale || part) {
        tracker_set_text(&t->announced, NULL);
        tracker_set_text(&f->line, line);
        return;
    }
    free(line);
}

/* Some say it behind C. */
static bool take_late_text(struct tracker *t, const char *text, size_t len)
{
    struct block *b = t->block;
    if (b->cmd_source == BLOCK_FROM_SHELL || t->preview.bytes || !len)
        return false;
    tracker_set_command(b, text, len, BLOCK_FROM_SHELL, false);
    b->spaced = b->cmd[0] == ' ';
    b->nested = block_command_nests(b->cmd);
    return true;
}

static bool take_text(struct tracker *t, const struct foreign_mark *mark)
{
    const char *text = mark->text.data ? mark->text.data : "";
    if (tracker_state(t) == TRACKER_RUNNING)
        return take_late_text(t, text, mark->text.len);
    tracker_set_text(&t->announced, text_clean(text, mark->text.len, LIMIT_COMMAND_BYTES));
    return true;
}

/* ---- commands ---- */

/* The line ran nothing. */
static bool pass(struct tracker *t)
{
    forget_prompt(t);
    t->foreign.passing = true;
    t->stage = STAGE_PROMPT;
    t->has_input = false;
    tracker_set_text(&t->announced, NULL);
    line_keys_taken(&t->keys);
    terminal_watch(t->options.terminal, false);
    return true;
}

static bool begin(struct tracker *t, struct moment now)
{
    terminal_watch(t->options.terminal, false);
    return mark_as(t, MARK_COMMAND, t->last_seq + 1, now);
}

/* What bash's DEBUG trap does not see: a subshell, and the definition of a function. */
static bool is_unseen(const char *line)
{
    const char *behind = line + strcspn(line, " (\n");
    return line[0] == '(' || begins_with(line, "function ") ||
           (behind > line && begins_with(behind + strspn(behind, " "), "()"));
}

/* A line of which VS Code's bash tells nothing until it is done, with its output behind it. */
static bool begin_unseen(struct tracker *t, struct moment now)
{
    char *line = tracker_foreign_line(t), *output = strchr(line, '\n');
    output = output ? output : line + strlen(line);
    bool cancelled = output - line >= 2 && !memcmp(output - 2, "^C", 2);
    bool ran = t->has_input && is_unseen(line) && !cancelled;
    if (ran) {
        tracker_set_text(&t->announced, NULL);
        tracker_set_text(&t->foreign.line, text_clean(line, (size_t)(output - line), SIZE_MAX));
        ran = begin(t, now);
        if (ran && output[0] && output[1])
            tracker_output(t, output + 1, strlen(output + 1));
    }
    free(line);
    return ran;
}

/* Nothing stands behind the prompt, and the cursor is below it. */
static bool is_empty(const struct tracker *t)
{
    char *line = tracker_foreign_line(t);
    bool empty =
        t->has_input && is_blank(line) && terminal_anchor(t->options.terminal).line > t->input.line;
    free(line);
    return empty;
}

static bool take_command(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    if (tracker_state(t) == TRACKER_RUNNING || t->stage == STAGE_START || t->foreign.passing)
        return false;
    if (mark->has_text)
        take_text(t, mark);
    if (t->announced && is_blank(t->announced))
        return begin_unseen(t, now) || pass(t);
    if (!t->announced && is_empty(t))
        return pass(t);
    if (t->announced)
        doubt_told(t);
    return begin(t, now);
}

static void append_output(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

/* zsh marks output without a line end by `%` or `#`, and goes to a new row by blanks up to the next
 * and CR, before it says that the command is done. */
static void end_partial_line(struct tracker *t)
{
    struct terminal *terminal = t->options.terminal;
    struct bytes text = {0};
    if (t->stage != STAGE_OUTPUT || terminal_cursor(terminal).col ||
        !terminal_anchor(terminal).offset || terminal_alt_screen(terminal))
        return;
    terminal_capture_resume(terminal, append_output, &text);
    terminal_capture_end(terminal);
    trim(&text);
    if (text.len && strchr("%#", text.data[text.len - 1]))
        text.len--;
    if (text.len)
        tracker_output(t, text.data, text.len);
    bytes_finish(&text);
    t->stage = STAGE_ENDED;
}

static bool take_done(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    bool passed = t->foreign.passing;
    t->foreign.passing = false;
    if (tracker_state(t) != TRACKER_RUNNING)
        return passed;
    end_partial_line(t);
    return tracker_mark(t,
                        &(struct mark){.seal = MARK_FOREIGN,
                                       .kind = MARK_DONE,
                                       .seq = t->last_seq + 1,
                                       .has_status = mark->has_status,
                                       .status = mark->status},
                        now);
}

static bool take_directory(struct tracker *t, const struct foreign_mark *mark)
{
    if (mark->text.len)
        tracker_set_text(&t->cwd, text_clean(mark->text.data, mark->text.len, LIMIT_CWD_BYTES));
    return mark->text.len;
}

static bool take(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    switch (mark->kind) {
    case FOREIGN_PROMPT:
        return take_prompt(t, now);
    case FOREIGN_FURTHER:
        return take_further(t);
    case FOREIGN_RIGHT:
        t->foreign.right = t->stage == STAGE_INPUT;
        return t->foreign.right;
    case FOREIGN_INPUT:
        return take_input(t, now);
    case FOREIGN_TEXT:
        return take_text(t, mark);
    case FOREIGN_COMMAND:
        return take_command(t, mark, now);
    case FOREIGN_DONE:
        return take_done(t, mark, now);
    case FOREIGN_DIRECTORY:
        return take_directory(t, mark);
    case FOREIGN_NOTHING:
        break;
    }
    return false;
}

bool tracker_foreign(struct tracker *t, int number, const char *payload, size_t len,
                     struct moment now)
{
    struct foreign_mark mark;
    foreign_read(number, payload, len, &mark);
    t->foreign.at = now;
    bool taken = take(t, &mark, now);
    foreign_mark_finish(&mark);
    return taken;
}
