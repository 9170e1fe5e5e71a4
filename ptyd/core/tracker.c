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
    typed_finish(&t->typed);
    bytes_finish(&t->held);
    foreign_finish(&t->foreign);
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

/* All of a block's beginning but the capture of its output. */
void tracker_start_block(struct tracker *t, const struct mark *mark, struct moment now)
{
    struct block *b = block_create();
    char *echo = tracker_echoed_line(t);
    enum block_source seen = t->typed.in_doubt ? BLOCK_FROM_UNKNOWN : BLOCK_FROM_ECHO;
    t->block = b;
    tracker_set_text(&b->conversation_id, text_copy(t->options.conversation_id));
    tracker_set_text(&b->shell_id, text_copy(t->options.shell_id));
    tracker_set_text(&b->cwd, text_copy(t->cwd));
    tracker_set_text(&b->cwd_after, text_copy(t->cwd));
    t->prompt_shown = false;
    b->seq = ++t->seq;
    b->type = t->next_type;
    b->ts_begin = now.wall_ms;
    t->next_type = BLOCK_USER_CMD;
    if (mark->has_cmd)
        tracker_set_command(b, mark->cmd.data ? mark->cmd.data : "", mark->cmd.len,
                            mark->by_line ? seen : BLOCK_FROM_SHELL, mark->truncated);
    else if (t->announced)
        tracker_set_command(b, t->announced, strlen(t->announced), BLOCK_FROM_SHELL, false);
    else
        tracker_set_command(b, echo, strlen(echo), seen, false);
    b->spaced = b->cmd[0] == ' '; /* fish's echo begins with its prompt */
    b->private = t->ignore_space && b->spaced;
    b->nested = block_command_nests(b->cmd);
    free(echo);
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

/* The line, and behind it what somebody typed while history printed. A command of several lines has
 * several on the screen, too. */
static bool is_echo_and_more(const char *echo, const char *text)
{
    size_t len = strlen(echo);
    return len && !strchr(echo, '\n') && !strncmp(text, echo, len) && text[len] == '\n';
}

/* What a job in the background said while history printed goes, where one spoke in front of the
 * echo, too: the echo's last line is the text's first, and of a command with more lines it is the
 * text's last. */
static void cut_others(const char *echo, struct bytes *text)
{
    const char *end = strrchr(echo, '\n'), *own = end ? end + 1 : echo;
    const char *more = text->data ? strchr(text->data, '\n') : NULL;
    size_t len = more ? (size_t)(more - text->data) : 0;
    if (end && len && strlen(own) == len && !memcmp(text->data, own, len) &&
        strcmp(strrchr(text->data, '\n') + 1, own) != 0)
        text->data[text->len = len] = '\0';
}

/* bash tells the text afterwards: what entered its history, or the entry before it when the line
 * was not recorded. Then the echo decides: equal text is a repeated line, else the echo is it. */
static void take_history(struct tracker *t, const struct mark *mark)
{
    struct bytes text = {0};
    mark_history_text(mark->raw.data ? mark->raw.data : "", mark->raw.len, &text);
    cut_others(t->block->cmd, &text);
    bool ours =
        !mark->unrecorded || (text.data && !strcmp(text.data, t->block->cmd) && t->block->cmd[0]);
    if (ours && is_echo_and_more(t->block->cmd, text.data ? text.data : ""))
        ours = false;
    if (ours && text.len && t->block->cmd_source == BLOCK_FROM_ECHO)
        tracker_set_command(t->block, text.data, text.len, BLOCK_FROM_HISTORY, mark->truncated);
    bytes_finish(&text);
    t->block->nested = block_command_nests(t->block->cmd);
}

static void done(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (mark->has_raw)
        take_history(t, mark);
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

/* A shell without hooks cannot count under `set -a` without exporting what it counts with. */
static bool is_counted(const struct tracker *t, const struct mark *mark)
{
    return mark->seq || !(is_by_line(t) || mark->by_line);
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
    switch (mark->kind) {
    case MARK_PROMPT:
    case MARK_PROPERTY:
        return true;
    case MARK_INPUT:
        return t->stage == STAGE_PROMPT || repeated_input;
    case MARK_COMMAND:
        return (t->stage == STAGE_PROMPT || t->stage == STAGE_INPUT) && !is_orphaned(t);
    case MARK_OUTPUT_END:
        return running;
    case MARK_DONE: /* a shell without C says it at each prompt */
        return running || is_by_line(t) || mark->by_line;
    }
    return false;
}

static void take_input(struct tracker *t)
{
    t->input = terminal_anchor(t->options.terminal);
    t->has_input = true;
    bool redrawn = t->stage == STAGE_INPUT;
    t->stage = STAGE_INPUT;
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

static void take_property(struct tracker *t, const struct mark *mark)
{
    if (mark->has_raw)
        take_directory(t, &mark->raw);
    if (mark->has_lost)
        take_loss(t, mark);
    if (mark->more && is_by_line(t) && tracker_state(t) == TRACKER_RUNNING)
        tracker_await_more(t);
}

static void take_prompt(struct tracker *t, const struct mark *mark, struct moment now)
{
    tracker_abandon(t, now, false, 0);
    if (t->loss == LOSS_FOUND) { /* here they are */
        tracker_set_text(&t->lost, text_copy(""));
        t->loss = LOSS_NONE;
    }
    t->ignore_space = mark->ignore_space;
    enum typed_editor by_line = mark->edits ? EDITOR_SHELL : EDITOR_TTY;
    typed_begin(&t->typed, mark->by_line ? by_line : EDITOR_UNASKED);
    t->has_input = false;
    tracker_foreign_leave(t);
    t->stage = STAGE_PROMPT;
}

bool tracker_mark(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (mark->kind == MARK_INPUT && t->stage == STAGE_INPUT && mark->seq < t->last_seq &&
        is_counted(t, mark))
        return true; /* an editor draws an older prompt again */
    tracker_hear(t);
    if (mark->kind == MARK_INPUT && t->block)
        t->prompt_shown = true;
    if (!is_legal(t, mark))
        return false;
    t->marked = true;
    t->last_seq = is_counted(t, mark) ? mark->seq : t->last_seq;
    t->last_kind = mark->kind;
    if (mark->has_cwd)
        take_directory(t, &mark->cwd);
    switch (mark->kind) {
    case MARK_PROMPT:
        take_prompt(t, mark, now);
        break;
    case MARK_INPUT:
        take_input(t);
        break;
    case MARK_COMMAND:
        tracker_begin(t, mark, now);
        break;
    case MARK_OUTPUT_END:
        end_output(t);
        break;
    case MARK_DONE:
        if (is_by_line(t))
            tracker_end_line(t, mark, now);
        if (t->block)
            done(t, mark, now);
        break;
    case MARK_PROPERTY:
        take_property(t, mark);
        break;
    }
    return true;
}

/* ---- others ---- */

void tracker_interrupt(struct tracker *t, struct moment now)
{
    typed_discard(&t->typed);
    if (tracker_state(t) == TRACKER_RUNNING)
        t->interrupted_ms = now.monotonic_ms;
    else if (t->stage == STAGE_INPUT && is_by_line(t))
        t->stage = STAGE_PROMPT; /* the line is given up; a new prompt comes */
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
