#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

/* A command the user interrupted counts as killed by the user if it ends this soon. */
#define INTERRUPT_MS 5000

struct tracker *tracker_create(const struct tracker_options *options)
{
    struct tracker *t = memory_new(sizeof *t);
    t->options = *options;
    t->seq = options->seq;
    t->cwd = text_copy(options->cwd);
    t->lost = text_copy("");
    t->interrupted_ms = -1;
    return t;
}

void tracker_destroy(struct tracker *t)
{
    if (!t)
        return;
    block_unref(t->block);
    free(t->cwd);
    free(t->lost);
    free(t->announced);
    free(t->keyed);
    free(t->echoed);
    line_keys_finish(&t->keys);
    typed_finish(&t->typed);
    bytes_finish(&t->held);
    foreign_finish(&t->foreign);
    bytes_finish(&t->cmd_parts.text);
    bytes_finish(&t->cwd_parts.text);
    free(t);
}

void tracker_set_text(char **place, char *text)
{
    free(*place);
    *place = text;
}

/* ---- a block's life ---- */

void tracker_output(void *user, const char *text, size_t len)
{
    struct tracker *t = user;
    preview_append(&t->preview, text, len);
    if (t->options.events->output)
        t->options.events->output(t->options.user, t->block, text, len);
}

static void remove_newlines(struct bytes *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != '\n')
            text->data[kept++] = text->data[i];
    text->len = kept;
}

/* The line as it was typed, from the screen. */
char *tracker_echoed_line(const struct tracker *t)
{
    if (t->foreign.heard)
        return tracker_foreign_line(t);
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == ' '))
        text.len--;
    if (t->typed.editor == EDITOR_SHELL) /* it breaks a long line by itself */
        remove_newlines(&text);
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    return line;
}

void tracker_set_command(struct block *b, const char *text, size_t len, enum block_source source,
                         bool truncated)
{
    while (len && text[len - 1] == '\n')
        len--;
    tracker_set_text(&b->cmd, text_clean(text, len, LIMIT_COMMAND_BYTES));
    b->cmd_truncated = truncated || len > LIMIT_COMMAND_BYTES;
    b->cmd_source = source;
}

static void capture(struct tracker *t)
{
    t->stage = STAGE_OUTPUT;
    terminal_alt_screen_seen(t->options.terminal, true);
    terminal_capture_begin(t->options.terminal, tracker_output, t);
}

/* Where the shell did not say its text: the keys do, or the echo, into which others can print.
 * Where the marks are another terminal's anybody can print these, too. */
static void take_line(struct tracker *t, struct block *b)
{
    bool told = t->typed.editor == EDITOR_TTY ? t->typed.trust != DEAF : t->keys.told;
    bool doubtful = t->typed.in_doubt || (told && !t->foreign.heard);
    enum block_source seen = doubtful ? BLOCK_FROM_UNKNOWN : BLOCK_FROM_ECHO;
    if (t->keyed)
        tracker_set_command(b, t->keyed, strlen(t->keyed), BLOCK_FROM_ECHO, false);
    else
        tracker_set_command(b, t->echoed, strlen(t->echoed), seen, false);
}

/* What is known of the line that runs now, besides what its shell says. */
static void note_line(struct tracker *t)
{
    bool by_tty = t->typed.editor == EDITOR_TTY;
    tracker_note_place(t);
    tracker_set_text(&t->echoed, tracker_echoed_line(t));
    char *keyed = t->foreign.heard ? tracker_foreign_keyed(t, t->echoed)
                  : !by_tty        ? line_keys_text(&t->keys, t->echoed)
                                   : NULL;
    tracker_set_text(&t->keyed, keyed);
    t->blank = t->keyed ? t->keyed[0] == ' ' : t->keys.blank || t->echoed[0] == ' ';
    line_keys_taken(&t->keys, true);
}

/* All of a block's beginning but the capture of its output. */
void tracker_start_block(struct tracker *t, const struct mark *mark, struct moment now)
{
    struct block *b = block_create();
    note_line(t);
    t->block = b;
    tracker_set_text(&b->conversation_id, text_copy(t->options.conversation_id));
    tracker_set_text(&b->shell_id, text_copy(t->options.shell_id));
    tracker_set_text(&b->cwd, text_copy(t->cwd));
    tracker_set_text(&b->cwd_after, text_copy(t->cwd));
    t->prompt_shown = false;
    b->seq = ++t->seq;
    b->type = t->next_type;
    b->ts_begin = now.wall_ms;
    block_add_width(b, terminal_cols(t->options.terminal));
    t->next_type = BLOCK_USER_CMD;
    if (mark->has_cmd)
        tracker_set_command(b, mark->cmd.data ? mark->cmd.data : "", mark->cmd.len,
                            !mark->by_line                           ? BLOCK_FROM_SHELL
                            : t->typed.in_doubt || t->typed.doubtful ? BLOCK_FROM_UNKNOWN
                                                                     : BLOCK_FROM_ECHO,
                            mark->truncated);
    else if (t->announced)
        tracker_set_command(b, t->announced, strlen(t->announced), BLOCK_FROM_SHELL, false);
    else
        take_line(t, b);
    b->spaced = b->cmd[0] == ' ' || (b->cmd_source != BLOCK_FROM_SHELL && t->blank);
    b->private = t->ignore_space && b->spaced;
    b->nested = block_command_nests(b->cmd);
    tracker_set_text(&t->announced, NULL);
    t->preview = (struct preview){0};
    t->began_ms = now.monotonic_ms;
    t->interrupted_ms = -1;
    typed_share(&t->typed);
    if (t->options.events->begin) {
        int64_t known = t->options.events->begin(t->options.user, b);
        b->ts_begin = known ? known : b->ts_begin;
    }
}

void tracker_begin(struct tracker *t, const struct mark *mark, struct moment now)
{
    tracker_start_block(t, mark, now);
    capture(t);
}

void tracker_resume(struct tracker *t, struct block *block, struct moment began)
{
    t->block = block_ref(block);
    block_add_width(block, terminal_cols(t->options.terminal));
    t->began_ms = began.monotonic_ms;
    t->marked = true;
    if (t->options.events->begin)
        t->options.events->begin(t->options.user, block);
    capture(t);
}

static void end_output(struct tracker *t)
{
    if (t->stage == STAGE_ENDED)
        return;
    t->stage = STAGE_ENDED;
    terminal_capture_end(t->options.terminal);
    if (t->options.events->output_end)
        t->options.events->output_end(t->options.user, t->block);
}

static void fill_preview(struct tracker *t, const struct preview *preview, int lines, size_t bytes)
{
    struct preview_result result;
    if (preview_finish(preview, lines, bytes, &result) < 0)
        memory_end();
    tracker_set_text(&t->block->preview, result.text);
    t->block->truncated = result.truncated;
    t->block->omitted_lines = (int64_t)result.omitted;
    t->block->output_lines = (int64_t)result.output_lines;
    t->block->output_bytes = (int64_t)result.output_bytes;
}

static void finish(struct tracker *t, struct moment now)
{
    struct block *b = t->block;
    end_output(t);
    if (t->preview.open && t->options.events->output)
        t->options.events->output(t->options.user, b, "\n", 1);
    fill_preview(t, &t->preview, LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES);
    b->alt_screen = terminal_alt_screen_seen(t->options.terminal, true);
    terminal_leave_alt_screen(t->options.terminal); /* who died there left it to us */
    b->duration_ms = now.monotonic_ms - t->began_ms;
    b->duration_ms = b->duration_ms > 0 ? b->duration_ms : 0;
    b->ts_end = now.wall_ms > b->ts_begin ? now.wall_ms : b->ts_begin;
    if (b->type == BLOCK_USER_CMD && t->interrupted_ms >= 0 &&
        now.monotonic_ms - t->interrupted_ms <= INTERRUPT_MS)
        b->type = BLOCK_USER_KILL;
    tracker_set_text(&b->cwd_after, text_copy(t->cwd));
    t->block = NULL;
    t->stage = STAGE_PROMPT;
    if (t->options.events->end)
        t->options.events->end(t->options.user, b);
    block_unref(b);
}

void tracker_abandon(struct tracker *t, struct moment now, bool exit_known, int exit_status)
{
    if (!t->block)
        return;
    if (exit_known)
        block_set_exit(t->block, exit_status);
    else
        t->block->status = BLOCK_ABANDONED;
    finish(t, now);
}

void tracker_withdraw(struct tracker *t)
{
    end_output(t);
    block_unref(t->block);
    t->block = NULL;
    t->stage = STAGE_PROMPT;
    t->seq--;
}

static void done(struct tracker *t, const struct mark *mark, struct moment now)
{
    if ((mark->has_raw && !mark_has_raw_directory(mark)) || mark->has_cmd)
        tracker_take_history(t, mark, mark->has_raw ? &mark->raw : &mark->cmd);
    if (mark->has_status)
        block_set_exit(t->block, mark->status);
    else
        t->block->status = BLOCK_COMPLETED;
    finish(t, now);
}

/* ---- marks ---- */

static bool is_by_line(const struct tracker *t)
{
    return t->typed.editor != EDITOR_UNASKED;
}

/* Whether A has the number of the last prompt, whose command ran: D, which says that it is none of
 * its own, was lost. (A shell that edits lines draws a prompt again.) */
static bool is_numbered_again(const struct tracker *t, const struct mark *mark)
{
    return mark->kind == MARK_PROMPT && mark->seal == MARK_SEALED && mark->by_line &&
           !mark->edits && tracker_state(t) == TRACKER_RUNNING && mark->seq < t->last_seq &&
           mark->seq / 10 == t->last_seq / 10;
}

/* A shell without hooks cannot count under `set -a` without exporting what it counts with: it says
 * so in D, and A and B have the numbers of an earlier prompt. */
static bool is_counted(const struct tracker *t, const struct mark *mark)
{
    bool zero = mark->seq == (mark->seal == MARK_SEALED ? MARK_UNCOUNTED : 0);
    bool same = t->uncounted && (mark->kind == MARK_PROMPT || mark->kind == MARK_INPUT);
    return !(zero || same || is_numbered_again(t, mark)) || !(is_by_line(t) || mark->by_line);
}

/* What the next one's number is to be like. */
static void note_number(struct tracker *t, const struct mark *mark)
{
    bool counted = is_counted(t, mark);
    if (counted)
        t->last_seq = mark->seq;
    if (mark->kind == MARK_DONE || (mark->kind == MARK_PROMPT && !counted))
        t->uncounted = counted ? 0 : mark->seq;
    t->last_kind = mark->kind;
}

/* Somebody found that its hooks say nothing: no prompt was begun since. */
static bool is_orphaned(const struct tracker *t)
{
    return t->loss == LOSS_FOUND;
}

static bool is_legal(const struct tracker *t, const struct mark *mark)
{
    bool counted = is_counted(t, mark);
    bool repeated_input = mark->kind == MARK_INPUT && t->last_kind == MARK_INPUT &&
                          (mark->seq == t->last_seq || !counted) && t->stage == STAGE_INPUT;
    if (counted && mark->seq <= t->last_seq && t->marked && !repeated_input)
        return false;
    bool running = tracker_state(t) == TRACKER_RUNNING;
    bool lost = t->last_kind == MARK_DONE || tracker_count_lost(t, mark); /* A is */
    bool another = t->stage == STAGE_INPUT && counted && (lost || !is_by_line(t));
    switch (mark->kind) {
    case MARK_PROMPT:
    case MARK_PROPERTY:
    case MARK_TEXT:
        return true;
    case MARK_INPUT:
        return t->stage == STAGE_PROMPT || repeated_input || another ||
               (running && lost && is_by_line(t));
    case MARK_COMMAND:
        return (t->stage == STAGE_PROMPT || t->stage == STAGE_INPUT) && !is_orphaned(t);
    case MARK_OUTPUT_END:
        return running;
    case MARK_DONE: /* a shell without C says it at each prompt */
        return running || is_by_line(t) || mark->by_line ||
               (mark->seal == MARK_SEALED && t->stage == STAGE_INPUT);
    }
    return false;
}

void tracker_drop_line(struct tracker *t)
{
    if (t->has_input && t->options.events->dropped)
        t->options.events->dropped(t->options.user);
    line_keys_taken(&t->keys, false);
}

static bool is_same_place(struct terminal_anchor a, struct terminal_anchor b)
{
    return a.line == b.line && a.offset == b.offset;
}

/* In the midst of a line another number is another line's: that one was given up, and zsh drew its
 * prompt without a call of its hooks (TRAPINT). */
static void take_input(struct tracker *t, bool another)
{
    bool redrawn = t->stage == STAGE_INPUT && !another;
    if (t->stage == STAGE_INPUT && another)
        tracker_drop_line(t);
    t->input = terminal_anchor(t->options.terminal);
    t->has_input = true;
    t->moved = false;
    t->prompt_late = !redrawn && is_same_place(t->input, t->prompt_at);
    t->stage = STAGE_INPUT;
    t->interrupted_ms = redrawn ? t->interrupted_ms : -1;
    if (is_by_line(t) && !redrawn)
        tracker_await_line(t);
    if (!redrawn && t->stage == STAGE_INPUT && t->options.events->prompt)
        t->options.events->prompt(t->options.user);
}

static void take_directory(struct tracker *t, const struct bytes *cwd)
{
    tracker_set_text(&t->cwd, text_clean(cwd->data ? cwd->data : "", cwd->len, LIMIT_CWD_BYTES));
}

static void take_loss(struct tracker *t, const struct mark *mark)
{
    tracker_set_text(&t->lost, text_clean(mark->lost.data ? mark->lost.data : "", mark->lost.len,
                                          LIMIT_TITLE_BYTES));
    t->loss = *t->lost ? LOSS_TOLD : LOSS_NONE;
}

/* A command that goes on may be a line typed ahead, of which no line feed told. */
static void take_property(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (mark->has_lost)
        take_loss(t, mark);
    if (mark->more)
        tracker_runs(t, now);
    if (mark->more && is_by_line(t) && tracker_state(t) == TRACKER_RUNNING)
        tracker_await_more(t);
}

/* What the shell does with lines that it does not record. */
static void take_habits(struct tracker *t, const struct mark *mark)
{
    t->ignore_space = mark->ignore_space;
    t->keeps = mark->keeps;
}

static void take_prompt(struct tracker *t, const struct mark *mark, struct moment now)
{
    tracker_abandon(t, now, false, 0);
    if (t->stage == STAGE_INPUT) /* an empty line, or one given up */
        tracker_drop_line(t);
    t->prompt_at = terminal_anchor(t->options.terminal);
    if (t->loss == LOSS_FOUND) { /* here they are */
        tracker_set_text(&t->lost, text_copy(""));
        t->loss = LOSS_NONE;
    }
    take_habits(t, mark);
    enum typed_editor by_line = mark->edits ? EDITOR_SHELL : EDITOR_TTY;
    typed_begin(&t->typed, mark->by_line ? by_line : EDITOR_UNASKED);
    t->has_input = false;
    tracker_foreign_leave(t);
    t->stage = STAGE_PROMPT;
}

/* The shell says that a command is done of whose start nothing came: it could not parse the line,
 * or its mark was lost. */
static void begin_unsaid(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (mark->refused) {
        tracker_begin_refused(t, mark, now);
        return;
    }
    tracker_begin(t, &(struct mark){.kind = MARK_COMMAND}, now);
    t->block->cmd_source = BLOCK_FROM_UNKNOWN;
}

static void take_done(struct tracker *t, const struct mark *mark, struct moment now)
{
    bool stays = mark->refused && !mark->has_status;
    if (is_by_line(t))
        tracker_end_line(t, mark, now);
    if (t->block)
        done(t, mark, now);
    else if (t->has_input && t->options.events->dropped) /* A takes its keys */
        t->options.events->dropped(t->options.user);
    if (mark->has_habits)
        take_habits(t, mark);
    if (stays) { /* the line does, at the prompt that stood: it is drawn behind this */
        t->input = terminal_anchor(t->options.terminal);
        t->moved = false;
        t->stage = STAGE_INPUT;
    }
}

static void take(struct tracker *t, const struct mark *mark, bool another, struct moment now)
{
    if (mark->kind == MARK_DONE && t->stage == STAGE_INPUT && !is_by_line(t) && !mark->by_line)
        begin_unsaid(t, mark, now);
    if (mark->has_cwd && mark->kind != MARK_TEXT && (mark->cwd.len || mark->cwds))
        take_directory(t, &mark->cwd);
    if (mark_has_raw_directory(mark) && mark->raw.len) /* without PWD it is where it was */
        take_directory(t, &mark->raw);
    switch (mark->kind) {
    case MARK_PROMPT:
        take_prompt(t, mark, now);
        break;
    case MARK_INPUT:
        take_input(t, another);
        break;
    case MARK_COMMAND:
        tracker_begin(t, mark, now);
        break;
    case MARK_OUTPUT_END:
        end_output(t);
        break;
    case MARK_DONE:
        take_done(t, mark, now);
        break;
    case MARK_PROPERTY:
        take_property(t, mark, now);
        break;
    case MARK_TEXT:
        tracker_take_parts(t, mark);
        break;
    }
}

/* While a prompt stands its shell prints an older mark once more: an editor draws a prompt again,
 * or zsh the sign for a missing newline, in which the last command's O stands until the next one.
 */
static bool is_said_again(const struct tracker *t, const struct mark *mark)
{
    return t->stage == STAGE_INPUT && mark->seq < t->last_seq && strchr("ABDO", mark->kind) &&
           is_counted(t, mark);
}

bool tracker_mark(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (is_said_again(t, mark))
        return true;
    if (!tracker_is_whole(t, mark))
        return false; /* somebody printed in the middle of it */
    tracker_hear(t);
    if (mark->kind == MARK_INPUT && t->block)
        t->prompt_shown = true;
    if (!is_legal(t, mark))
        return false;
    struct mark whole;
    tracker_make_whole(t, mark, &whole);
    t->marked = true;
    t->seals = t->seals || mark->seal == MARK_SEALED;
    bool another = is_counted(t, mark) && mark->seq > t->last_seq;
    tracker_pass_lost(t, mark, now);
    note_number(t, mark);
    take(t, &whole, another, now);
    tracker_finish_whole(mark, &whole);
    return true;
}

/* ---- others ---- */

void tracker_interrupt(struct tracker *t, struct moment now)
{
    typed_discard(&t->typed);
    if (t->stage == STAGE_INPUT && is_by_line(t)) {
        t->stage = STAGE_PROMPT; /* the line is given up; a new prompt comes, with other keys */
        line_keys_taken(&t->keys, false);
    } else if (t->stage == STAGE_INPUT || tracker_state(t) == TRACKER_RUNNING) {
        t->interrupted_ms = now.monotonic_ms;
        if (t->stage == STAGE_INPUT)
            line_keys_give_up(&t->keys);
    }
}

void tracker_set_actor(struct tracker *t, enum block_type type)
{
    t->next_type = type;
}

enum tracker_state tracker_state(const struct tracker *t)
{
    static const enum tracker_state states[] = {
        [STAGE_START] = TRACKER_START,  [STAGE_PROMPT] = TRACKER_PROMPT,
        [STAGE_INPUT] = TRACKER_INPUT,  [STAGE_OUTPUT] = TRACKER_RUNNING,
        [STAGE_MORE] = TRACKER_RUNNING, [STAGE_ENDED] = TRACKER_RUNNING,
    };
    return states[t->stage];
}

bool tracker_marked(const struct tracker *t)
{
    return t->marked && t->loss == LOSS_NONE;
}

bool tracker_between(const struct tracker *t)
{
    return t->stage == STAGE_ENDED || t->stage == STAGE_PROMPT;
}

bool tracker_prompt_shown(const struct tracker *t)
{
    return tracker_state(t) == TRACKER_RUNNING && t->prompt_shown;
}

const char *tracker_lost(const struct tracker *t)
{
    return t->lost;
}

void tracker_set_lost(struct tracker *t, const char *why)
{
    tracker_set_text(&t->lost, text_copy(why));
    t->loss = t->loss == LOSS_NONE ? LOSS_FOUND : t->loss;
}

struct block *tracker_running(struct tracker *t)
{
    return t->block;
}

static void peek_output(void *user, const char *text, size_t len)
{
    preview_append(user, text, len);
}

void tracker_peek(struct tracker *t, int max_lines, size_t max_bytes)
{
    if (!t->block)
        return;
    struct preview copy = t->preview;
    if (t->stage != STAGE_ENDED)
        terminal_capture_peek(t->options.terminal, UINT64_MAX, peek_output, &copy);
    fill_preview(t, &copy, max_lines, max_bytes);
}

const char *tracker_cwd(const struct tracker *t)
{
    return t->cwd;
}

uint64_t tracker_seq(const struct tracker *t)
{
    return t->seq;
}

void tracker_set_seq(struct tracker *t, uint64_t seq)
{
    t->seq = seq;
}
