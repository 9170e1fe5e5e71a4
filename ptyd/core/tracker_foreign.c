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
    free(f->held);
    free(f->title);
}

static bool mark_as(struct tracker *t, enum mark_kind kind, uint64_t seq, struct moment now)
{
    return tracker_mark(t, &(struct mark){.seal = MARK_FOREIGN, .kind = kind, .seq = seq}, now);
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

/* ---- prompts ---- */

static void forget_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    f->further = f->right = f->passing = f->has_right = f->jumped = false;
    f->lines.len = 0;
    tracker_set_text(&f->line, NULL);
    f->by_cursor = f->returned = f->cleared = f->kept = f->moved = false;
    f->given_up = f->shows = f->doubtful = false;
    f->fed = f->in_line = f->redrawn = f->written = false;
    tracker_set_text(&f->held, NULL);
    tracker_set_text(&f->title, NULL);
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
    if (t->foreign.in_line)
        tracker_foreign_begin(t, now);
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
    foreign_trim(&text);
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
    bool taken = line && !foreign_is_blank(line) && mark_as(t, MARK_INPUT, t->last_seq + 1, f->at);
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
        foreign_append_input(t, &f->lines);
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
    f->kept = f->moved = f->given_up = f->shows = f->fed = f->redrawn = f->written = false;
    tracker_set_text(&f->held, NULL);
    bool goes_on = f->right || (f->further && t->stage == STAGE_INPUT);
    if (f->further && !f->right)
        t->input = terminal_anchor(t->options.terminal);
    if (!f->right)
        f->further = f->has_right = f->jumped = f->by_cursor = false;
    f->right = false;
    /* the same number again is a prompt that is drawn again */
    uint64_t seq = t->stage == STAGE_INPUT ? t->last_seq : t->last_seq + 1;
    bool taken = goes_on || mark_as(t, MARK_INPUT, seq, now);
    if (taken && !f->has_right)
        foreign_see_right_prompt(t);
    return taken;
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

/* Others printed in front of it. */
static bool is_last_row(const char *told, const char *line)
{
    const char *row = strrchr(line, '\n');
    return row && !strcmp(row + 1, told);
}

/* Where the shell's word is its history's newest entry, and the line did not enter that
 * (HISTCONTROL), it is the word of the command before: then what is seen is right. */
static void doubt_told(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    char *line = t->has_input ? tracker_foreign_line(t) : line_behind_prompt(t);
    bool stale = f->last && !strcmp(t->announced, f->last) && line && !foreign_is_blank(line) &&
                 !begins_with(line, t->announced) && !is_last_row(t->announced, line) &&
                 !strchr(t->announced, '\n');
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

/* What is typed ahead is seen behind the line that runs, which is a whole one. base64(1) makes rows
 * of 57 bytes, of which one comes. */
static bool is_cut(const char *text, const char *line)
{
    size_t len = strlen(text);
    bool whole = len < 57 && begins_with(line, text) && line[len] == '\n';
    return begins_with(line, text) && (!whole || foreign_is_open(text, len));
}

/* What WezTerm says behind C it had from echo and base64(1): no signs and no length are sure. So it
 * counts where other output came into the line, as it is seen. */
static bool take_late(struct tracker *t, const struct foreign_mark *mark)
{
    if (tracker_state(t) != TRACKER_RUNNING || !mark->text.len || t->foreign.lines.len)
        return false;
    char *text = text_clean(mark->text.data, mark->text.len, LIMIT_COMMAND_BYTES);
    bool counts =
        strchr(t->block->cmd, '\n') && !strchr(text, '\n') && !is_cut(text, t->block->cmd);
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
    line_keys_taken(&t->keys, false);
    terminal_watch(t->options.terminal, false);
    return true;
}

bool tracker_foreign_begin(struct tracker *t, struct moment now)
{
    t->foreign.in_line = false;
    terminal_watch(t->options.terminal, false);
    return mark_as(t, MARK_COMMAND, t->last_seq + 1, now);
}

/* zsh goes to a new row behind a line that was given up, too; iTerm2's says C, then. Of what runs
 * there is nothing untold. */
static bool is_given_up(const struct tracker *t)
{
    const struct terminal *terminal = t->options.terminal;
    return t->has_input && !terminal_cursor(terminal).col &&
           t->foreign.swept >= terminal_cols(terminal) - 2;
}

/* A line of which the shell tells nothing until it is done, with its output behind it. `status`: as
 * far as it is told, else 0, as Ghostty's says of what is given up, too. */
static bool begin_unseen(struct tracker *t, int status, struct moment now)
{
    struct foreign *f = &t->foreign;
    struct foreign_line seen = foreign_see(t);
    bool interrupted = status == 130 || (status == 0 && !f->doubtful);
    bool whole = !f->further && (seen.further || !foreign_is_open(seen.text, seen.len));
    bool ran = t->has_input && !f->given_up &&
               !(interrupted && foreign_may_be_given_up(t, &seen)) &&
               (f->doubtful || (f->by_done && !foreign_is_blank(seen.text)) ||
                (foreign_is_unseen(seen.text) && whole && !is_given_up(t)));
    f->doubtful = false;
    if (ran) {
        tracker_set_text(&t->announced, NULL);
        tracker_set_text(&f->line, text_clean(seen.text, seen.len, SIZE_MAX));
        ran = tracker_foreign_begin(t, now);
        if (ran && seen.output[0])
            tracker_output(t, seen.output, strlen(seen.output));
    }
    free(seen.text);
    return ran;
}

/* Nothing stands behind the prompt. */
static bool is_empty(const struct tracker *t)
{
    char *line = tracker_foreign_line(t);
    bool empty = t->has_input && foreign_is_blank(line);
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
    foreign_trim(&text);
    while (known && strchr(" \n", prompt[known - 1]))
        known--;
    bool alone = !t->has_input && known && text.len == known && !memcmp(text.data, prompt, known);
    bytes_finish(&text);
    return alone;
}

/* Where bash did not show whether a line that ends so is given up, D tells. */
static bool doubt_line(struct tracker *t)
{
    struct foreign_line seen = foreign_see(t);
    t->foreign.doubtful = t->has_input && !t->announced && foreign_may_be_given_up(t, &seen);
    free(seen.text);
    return t->foreign.doubtful;
}

/* A line whose prompt was drawn anew: what stands behind that, if the prompt is the one of before
 * and the line is, or goes on from, what it was then. */
static char *line_drawn_anew(struct tracker *t)
{
    char *line = line_behind_prompt(t);
    if (line && begins_with(line, t->foreign.held))
        return line;
    free(line);
    return text_copy(t->foreign.held);
}

/* What is seen of the line, where the shell says nothing. Where others printed into it, or nothing
 * is to be seen, what the title says by now. */
static void see_line(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    char *line = t->has_input ? tracker_foreign_line(t)
                 : f->redrawn ? line_drawn_anew(t)
                              : line_behind_prompt(t);
    const char *end = line ? strchr(line, '\n') : NULL;
    bool mixed = end && !f->lines.len && !foreign_is_open(line, (size_t)(end - line)) && f->title &&
                 foreign_is_within(f->title, line);
    bool unseen = !line || foreign_is_blank(line);
    if (f->title && *f->title && (mixed || unseen))
        tracker_set_text(&f->line, text_copy(f->title));
    else if (!t->has_input)
        tracker_set_text(&f->line, text_copy(line));
    free(line);
}

/* The cursor is yet in the line that was typed: the command's output begins behind it. */
static bool await_line_end(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    if (t->stage != STAGE_INPUT || f->fed || !terminal_cursor(t->options.terminal).col)
        return false;
    tracker_set_text(&f->line, f->line ? text_copy(f->line) : tracker_foreign_line(t));
    f->in_line = true;
    return true;
}

static bool take_command(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    if (tracker_state(t) == TRACKER_RUNNING || t->foreign.passing || t->foreign.in_line)
        return false;
    if (mark->has_text)
        take_text(t, mark);
    bool whole = t->announced && !foreign_is_blank(t->announced);
    if (t->stage == STAGE_START && (!whole || !take_prompt(t, now)))
        return false;
    t->foreign.by_done = false;
    if (t->announced && foreign_is_blank(t->announced))
        return begin_unseen(t, 0, now) || pass(t);
    if (!t->announced &&
        (is_empty(t) || is_prompt_alone(t) || is_given_up(t) || t->foreign.given_up))
        return pass(t);
    if (!t->announced && begin_unseen(t, 0, now))
        return true;
    if (doubt_line(t))
        return true;
    if (t->announced)
        doubt_told(t);
    else
        see_line(t);
    return await_line_end(t) || tracker_foreign_begin(t, now);
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
    foreign_trim(&row);
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
    foreign_trim(&text);
    text.len -= partial_mark(&text);
    foreign_trim(&text);
    if (text.len)
        tracker_output(t, text.data, text.len);
    bytes_finish(&text);
    t->stage = STAGE_ENDED;
}

static bool take_done(struct tracker *t, const struct foreign_mark *mark, struct moment now)
{
    bool passed = t->foreign.passing;
    t->foreign.passing = false;
    if (t->foreign.in_line)
        tracker_foreign_begin(t, now);
    bool may_have_run = !passed && (mark->has_status || t->foreign.doubtful);
    if (tracker_state(t) != TRACKER_RUNNING &&
        (!may_have_run || !begin_unseen(t, mark->status, now)))
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

static bool take_title(struct tracker *t, const struct foreign_mark *mark)
{
    bool at_prompt = t->stage == STAGE_INPUT || t->stage == STAGE_PROMPT;
    if (!t->foreign.heard || !at_prompt)
        return false;
    tracker_set_text(&t->foreign.title, text_clean(mark->text.data ? mark->text.data : "",
                                                   mark->text.len, LIMIT_COMMAND_BYTES));
    return true;
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
    case FOREIGN_WINDOWS:
        t->foreign.by_done = true;
        return take_directory(t, mark);
    case FOREIGN_TITLE:
        return take_title(t, mark);
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
