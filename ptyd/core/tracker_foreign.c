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
    free(f->row);
    free(f->seen);
    free(f->sign);
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

/* How long a shell's sign for a line that has no end is, at the end of `text`; 0: none is there. */
static size_t partial_mark(const struct bytes *text)
{
    static const char *const signs[] = {"%", "#", "\xe2\x8f\x8e", "\xc2\xb6"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t len = strlen(signs[i]);
        if (text->len >= len && !memcmp(text->data + text->len - len, signs[i], len))
            return len;
    }
    return 0;
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

int foreign_count(const char *text, size_t len)
{
    int count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Whether `text` fills its rows to the last column, when it begins in the column `col`. */
static bool fills_rows(const char *text, size_t len, int col, int cols)
{
    int cells = foreign_count(text, len);
    return cells && (col + cells) % cols == 0;
}

static int count_blanks(const struct bytes *text, size_t from)
{
    size_t at = from;
    while (at < text->len && text->data[at] == ' ')
        at++;
    return (int)(at - from);
}

/* zsh breaks a line at the edge by itself: it is one line yet. What fish shows behind a line's end
 * begins below its first character. */
static void join_rows(const struct tracker *t, const struct bytes *text, struct bytes *out)
{
    int col = anchor_col(t->input), cols = terminal_cols(t->options.terminal), begins = col;
    for (size_t i = 0; i < text->len;) {
        const char *row = text->data + i, *end = memchr(row, '\n', text->len - i);
        size_t len = end ? (size_t)(end - row) : text->len - i;
        bool joins = fills_rows(row, len, col, cols);
        bytes_append(out, row, len);
        if (end && !joins)
            bytes_append_char(out, '\n');
        i += len + (end != NULL);
        int blanks = count_blanks(text, i);
        if (!joins && (t->foreign.by_cursor || (begins && blanks >= begins)))
            i += (size_t)blanks;
        col = 0;
    }
}

char *foreign_text_since(const struct tracker *t, struct terminal_anchor from)
{
    const struct terminal *terminal = t->options.terminal;
    struct bytes text = {0};
    terminal_text_since(terminal, from, &text);
    size_t row = text.len;
    while (row && text.data[row - 1] != '\n')
        row--;
    int cells = foreign_count(text.data + row, text.len - row) + (row ? 0 : anchor_col(from));
    for (; cells < terminal_cursor(terminal).col; cells++)
        bytes_append_char(&text, ' ');
    char *seen = text_clean(text.data ? text.data : "", text.len, text.len);
    bytes_finish(&text);
    return seen;
}

/* Where the input's own place could not be seen, what stands in front of it is known from before.
 */
static void cut_sign(const struct tracker *t, struct bytes *text)
{
    const struct foreign *f = &t->foreign;
    size_t len = f->sign && !f->moved ? strlen(f->sign) : 0;
    if (len && text->len >= len && !memcmp(text->data, f->sign, len))
        bytes_consume(text, len);
}

static void append_input(const struct tracker *t, struct bytes *out)
{
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    cut_right_prompt(t, &text);
    cut_sign(t, &text);
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

/* Whether it is to be seen, character by character, with anything between them. */
static bool is_within(const char *text, const char *seen)
{
    size_t len = strlen(text);
    while (len && text[len - 1] == ' ')
        len--;
    for (; len && *seen; seen++)
        if (*seen == *text) {
            text++;
            len--;
        }
    return !len;
}

/* What stands in one row is the editor's word: it may have put there what was not typed (an
 * abbreviation's text). Nothing is told that the screen did not show: who prints marks can read a
 * password behind them. */
char *tracker_foreign_keyed(const struct tracker *t, const char *seen)
{
    char *line = strchr(seen, '\n') ? line_keys_text(&t->keys, seen) : NULL;
    if (line && !is_blank(line) && is_within(line, seen))
        return line;
    free(line);
    return NULL;
}

/* ---- prompts ---- */

static void forget_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    f->further = f->right = f->passing = f->has_right = f->jumped = false;
    f->lines.len = 0;
    tracker_set_text(&f->line, NULL);
    f->by_cursor = f->returned = f->cleared = f->kept = f->moved = false;
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

static bool has_head(const struct bytes *text, const char *head)
{
    size_t len = strlen(head);
    return text->len > len && !memcmp(text->data, head, len);
}

/* What stands behind the prompt of a shell that tells no input, if that is the prompt of before; or
 * NULL. */
static char *line_behind_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    struct bytes text = {0};
    char *line = NULL;
    terminal_text_since(t->options.terminal, f->start, &text);
    trim(&text);
    size_t len = t->announced ? strlen(t->announced) : 0;
    const char *prompt = f->prompt ? f->prompt : "", *last = strrchr(prompt, '\n');
    if (last && text.len && !has_head(&text, prompt)) /* drawn again: its last line */
        prompt = last + 1;
    size_t known = strlen(prompt);
    if (known && has_head(&text, prompt))
        line = text_clean(text.data + known, text.len - known, LIMIT_COMMAND_BYTES);
    if (len && text.len > len && !memcmp(text.data + text.len - len, t->announced, len))
        tracker_set_text(&f->prompt, text_clean(text.data, text.len - len, text.len));
    bytes_finish(&text);
    return line;
}

/* A first line in front of which no mark said that the input begins. */
static bool take_first_line(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    char *line = t->stage == STAGE_PROMPT ? line_behind_prompt(t) : NULL;
    bool taken = line && !is_blank(line) && mark_as(t, MARK_INPUT, t->last_seq + 1, f->at);
    if (taken) {
        bytes_append_text(&f->lines, line);
        bytes_append_char(&f->lines, '\n');
        f->further = true;
    }
    free(line);
    return taken;
}

/* The command goes on: what was typed of it so far stands between the prompts. */
static bool take_further(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    f->right = false;
    if (t->stage != STAGE_INPUT)
        return take_first_line(t) || t->stage == STAGE_PROMPT; /* a line of the prompt itself */
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
    if (t->stage == STAGE_PROMPT && !f->right && !f->further)
        tracker_set_text(&f->prompt, foreign_text_since(t, f->start));
    f->kept = f->moved = false;
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

/* What WezTerm says behind C it had from echo and base64(1): no signs and no length are sure. So it
 * counts where other output came into the line, as it is seen. */
static bool take_late(struct tracker *t, const struct foreign_mark *mark)
{
    if (tracker_state(t) != TRACKER_RUNNING || !mark->text.len || t->foreign.lines.len)
        return false;
    char *text = text_clean(mark->text.data, mark->text.len, LIMIT_COMMAND_BYTES);
    bool counts =
        strchr(t->block->cmd, '\n') && !strchr(text, '\n') && !begins_with(t->block->cmd, text);
    counts = counts && take_late_text(t, text, strlen(text));
    free(text);
    return counts;
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

/* The same where no mark said that the input begins. */
static bool is_prompt_alone(struct tracker *t)
{
    struct bytes text = {0};
    const char *prompt = t->foreign.prompt;
    size_t known = prompt ? strlen(prompt) : 0;
    terminal_text_since(t->options.terminal, t->foreign.start, &text);
    trim(&text);
    while (known && strchr(" \n", prompt[known - 1]))
        known--;
    bool alone = !t->has_input && known && text.len == known && !memcmp(text.data, prompt, known);
    bytes_finish(&text);
    return alone;
}

/* zsh goes to a new row behind a line that was given up, too; iTerm2's says C, then. */
static bool is_given_up(const struct tracker *t)
{
    const struct terminal *terminal = t->options.terminal;
    return t->has_input && !terminal_cursor(terminal).col &&
           t->foreign.swept >= terminal_cols(terminal) - 2;
}

/* bash shows a line that is given up with ^C behind it; iTerm2's says C, then. */
static bool ends_given_up(const struct tracker *t)
{
    char *line = tracker_foreign_line(t);
    size_t len = strlen(line);
    bool given_up = t->has_input && len >= 2 && !memcmp(line + len - 2, "^C", 2);
    free(line);
    return given_up;
}

static bool take_command(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    if (tracker_state(t) == TRACKER_RUNNING || t->stage == STAGE_START || t->foreign.passing)
        return false;
    if (mark->has_text)
        take_text(t, mark);
    if (t->announced && is_blank(t->announced))
        return begin_unseen(t, now) || pass(t);
    if (!t->announced && (is_empty(t) || is_prompt_alone(t) || is_given_up(t) || ends_given_up(t)))
        return pass(t);
    if (!t->announced && !t->foreign.lines.len && begin_unseen(t, now))
        return true;
    if (t->announced)
        doubt_told(t);
    else if (!t->has_input)
        tracker_set_text(&t->foreign.line, line_behind_prompt(t));
    return begin(t, now);
}

static void append_output(void *user, const char *text, size_t len)
{
    bytes_append(user, text, len);
}

/* fish erases its new row, which is no part of the one above any more. */
static bool is_below_sign(const struct terminal *terminal)
{
    struct bytes row = {0};
    int above = terminal_cursor(terminal).row - 1;
    if (above >= 0)
        terminal_row_text(terminal, above, &row);
    trim(&row);
    bool below = partial_mark(&row) > 1;
    bytes_finish(&row);
    return below;
}

/* zsh marks output without a line end by `%` or `#`, fish by a sign of a return, and goes to a new
 * row by blanks up to the next and CR, before it says that the command is done. */
static void end_partial_line(struct tracker *t)
{
    struct terminal *terminal = t->options.terminal;
    struct bytes text = {0};
    if (t->stage != STAGE_OUTPUT || terminal_cursor(terminal).col ||
        terminal_alt_screen(terminal) ||
        (!terminal_anchor(terminal).offset && !is_below_sign(terminal)))
        return;
    terminal_capture_resume(terminal, append_output, &text);
    terminal_capture_end(terminal);
    trim(&text);
    text.len -= partial_mark(&text);
    trim(&text);
    if (text.len)
        tracker_output(t, text.data, text.len);
    bytes_finish(&text);
    t->stage = STAGE_ENDED;
}

static bool take_done(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    bool passed = t->foreign.passing;
    t->foreign.passing = false;
    if (tracker_state(t) != TRACKER_RUNNING && (passed || !begin_unseen(t, now)))
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
    case FOREIGN_LATE:
        return take_late(t, mark);
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
    foreign_read(number, payload, len, t->foreign.bare, &mark);
    t->foreign.at = now;
    t->foreign.bare = t->foreign.bare || mark.is_bare;
    bool taken = take(t, &mark, now);
    foreign_mark_finish(&mark);
    return taken;
}
