/* Shells without C (`line=1`). Such a shell echoes the command line behind B; the line feed that
 * ends it starts the command. Four things look like that and are not: an empty line or a comment; a
 * line given up with Ctrl-C, which ends in ^C and comes to nothing with status 130; output of a
 * line that was typed before the prompt came, which is not echoed again; and what a job in the
 * background prints before the line's echo. Which it is says typed.h; of a log, its index. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

/* ---- what was printed since B ---- */

void tracker_hold(void *user, const char *text, size_t len)
{
    struct tracker *t = user;
    if (t->held.len >= LIMIT_HELD_BYTES)
        return;
    bytes_append(&t->held, text, len);
    if (t->held.len >= LIMIT_HELD_BYTES)
        bytes_append_text(&t->held, "\n[ptyd: bytes are missing here: they came too fast]\n");
}

static bool is_overdue(const struct tracker *t)
{
    return t->held.len >= LIMIT_OVERDUE_BYTES;
}

static void start_capture(struct tracker *t)
{
    t->held.len = 0;
    terminal_capture_begin(t->options.terminal, tracker_hold, t);
}

/* What was printed since the capture began goes to `held`, to no block. */
static void hold_capture(struct tracker *t)
{
    t->held.len = 0;
    terminal_capture_resume(t->options.terminal, tracker_hold, t);
    terminal_capture_end(t->options.terminal);
}

static void drop_capture(struct tracker *t)
{
    hold_capture(t);
    t->held.len = 0;
}

/* ---- what begins ---- */

/* A block begins whose first output is held already. */
static void begin_held(struct tracker *t, const struct mark *mark, struct moment when)
{
    struct bytes held = t->held;
    t->held = (struct bytes){0};
    tracker_start_block(t, mark, when);
    t->stage = STAGE_OUTPUT;
    terminal_capture_resume(t->options.terminal, tracker_output, t);
    if (held.len)
        tracker_output(t, held.data, held.len);
    bytes_finish(&held);
}

/* The same for a line that was typed ahead, which it frees. */
static void begin_ahead(struct tracker *t, char *line, struct moment now)
{
    struct mark mark = {.kind = MARK_COMMAND, .by_line = true, .has_cmd = true};
    bytes_append_text(&mark.cmd, line);
    begin_held(t, &mark, now);
    mark_finish(&mark);
    free(line);
}

/* Behind its echo, which is `line` or what the screen shows. */
static void begin_line(struct tracker *t, const char *line, struct moment now)
{
    struct mark mark = {.kind = MARK_COMMAND, .by_line = true, .has_cmd = line != NULL};
    bytes_append_text(&mark.cmd, line ? line : "");
    drop_capture(t);
    tracker_begin(t, &mark, now);
    mark_finish(&mark);
}

/* It ends in ^C; whether it is a command shows at D. */
static void doubt_line(struct tracker *t, struct moment now)
{
    drop_capture(t);
    start_capture(t);
    t->line_at = now;
}

/* A job in the background spoke: the line that is typed goes on behind it. What it said is held: if
 * the echo was lost, it was output. */
static void pass_by(struct tracker *t)
{
    t->input = terminal_anchor(t->options.terminal);
    terminal_expect_line(t->options.terminal);
}

/* One more line, which it frees, of a command that goes on. */
static void extend_line(struct tracker *t, char *line)
{
    char *whole = text_format("%s\n%s", t->block->cmd, line);
    bool known = t->block->cmd_source == BLOCK_FROM_ECHO && !t->typed.doubtful;
    tracker_set_command(t->block, whole, strlen(whole),
                        known ? BLOCK_FROM_ECHO : BLOCK_FROM_UNKNOWN, t->block->cmd_truncated);
    free(whole);
    free(line);
    t->stage = STAGE_OUTPUT;
    terminal_capture_begin(t->options.terminal, tracker_output, t);
}

/* ---- the four moments ---- */

/* The line is given up; a new prompt comes, whose line has other keys. */
static void give_up_line(struct tracker *t)
{
    t->stage = STAGE_PROMPT;
    line_keys_taken(&t->keys, false);
}

void tracker_await_line(struct tracker *t)
{
    t->stage = STAGE_INPUT;
    t->moved = false;
    if (!typed_await(&t->typed))
        give_up_line(t);
    start_capture(t);
    terminal_expect_line(t->options.terminal);
}

/* The prompt of a further line was passed: the shell read it, though its echo never came whole. */
static void pass_more(struct tracker *t)
{
    char *line = t->stage == STAGE_MORE ? typed_read(&t->typed) : NULL;
    if (line)
        extend_line(t, line);
}

void tracker_await_more(struct tracker *t)
{
    pass_more(t);
    hold_capture(t);
    char *line = typed_more(&t->typed, t->held.data, t->held.len);
    t->held.len = 0;
    t->preview = (struct preview){0};
    if (line) { /* its echo came before */
        extend_line(t, line);
        return;
    }
    t->stage = STAGE_MORE;
    t->input = terminal_anchor(t->options.terminal);
    terminal_expect_line(t->options.terminal);
}

/* At B's line feed; `line` is taken over. */
static void answer_input(struct tracker *t, enum typed_answer answer, char *line, struct moment now)
{
    switch (answer) {
    case LINE_IS_NONE:
        drop_capture(t);
        break;
    case LINE_WAS_EMPTY:
        break;
    case LINE_IS_GIVEN_UP:
        doubt_line(t, now);
        break;
    case LINE_IS_OTHERS:
        pass_by(t);
        break;
    case LINE_RUNS:
        begin_line(t, line, now);
        break;
    case LINE_RAN_AHEAD:
        begin_ahead(t, line ? line : text_copy(""), now);
        return;
    }
    free(line);
}

/* The same at a further line's. */
static void answer_more(struct tracker *t, enum typed_answer answer, char *line)
{
    if (answer == LINE_IS_OTHERS) {
        pass_by(t);
        free(line);
    } else {
        line_keys_taken(&t->keys, true);
        extend_line(t, line ? line : tracker_echoed_line(t));
    }
}

static void answer_line(struct tracker *t, enum typed_answer answer, char *line, struct moment now)
{
    if (t->stage == STAGE_MORE)
        answer_more(t, answer, line);
    else
        answer_input(t, answer, line, now);
}

void tracker_hear(struct tracker *t)
{
    uint64_t to = terminal_offset(t->options.terminal);
    size_t heard = t->heard, len = t->piece ? (size_t)(to - t->piece_at) : 0;
    if (len <= heard)
        return;
    t->heard = len;
    typed_hear(&t->typed, t->piece + heard, len - heard);
}

size_t tracker_write(struct tracker *t, char *bytes, size_t len)
{
    t->piece = typed_listens(&t->typed) ? bytes : NULL;
    t->piece_at = terminal_offset(t->options.terminal);
    t->heard = 0;
    size_t taken = terminal_write(t->options.terminal, bytes, len);
    tracker_hear(t);
    t->piece = NULL;
    return taken;
}

void tracker_resize(struct tracker *t, int cols, int rows)
{
    struct terminal_anchor *kept[] = {&t->input,         &t->prompt_at,        &t->keyed_at,
                                      &t->foreign.start, &t->foreign.right_at, &t->foreign.beyond};
    terminal_resize(t->options.terminal, cols, rows);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        *kept[i] = terminal_follow(t->options.terminal, *kept[i]);
    t->moved_to = terminal_follow_row(t->options.terminal, t->moved_to, false);
    if (t->block)
        block_add_width(t->block, terminal_cols(t->options.terminal));
}

/* What stands behind the prompt: as it was typed, where that is certain, for others can draw over
 * it. Of a line that is not an editor's the tty's echo has to be found. */
static char *line_seen(const struct tracker *t)
{
    char *echo = tracker_echoed_line(t);
    char *line = t->typed.editor == EDITOR_SHELL ? line_keys_text(&t->keys, echo) : NULL;
    if (!line)
        return echo;
    free(echo);
    return line;
}

bool tracker_line(struct tracker *t, struct moment now, enum typed_answer *ret_answer)
{
    char *line = NULL;
    if (t->stage != STAGE_MORE && t->stage != STAGE_INPUT)
        return false;
    tracker_hear(t);
    char *echo = line_seen(t);
    *ret_answer = typed_line_ends(&t->typed, echo, is_overdue(t), &line);
    free(echo);
    answer_line(t, *ret_answer, line, now);
    return true;
}

void tracker_line_was(struct tracker *t, enum typed_answer answer, struct moment now)
{
    bool ahead = answer == LINE_RAN_AHEAD;
    if (t->stage == STAGE_MORE || t->stage == STAGE_INPUT)
        answer_line(t, answer, ahead ? typed_ahead(&t->typed) : NULL, now);
}

/* D came: what of a line was open in a shell without C. */
void tracker_end_line(struct tracker *t, const struct mark *mark, struct moment now)
{
    char *line = NULL;
    pass_more(t);
    if (t->stage != STAGE_INPUT)
        return;
    enum typed_answer answer = typed_done(&t->typed, &line);
    if (answer == LINE_RAN_AHEAD) {
        begin_ahead(t, line, now);
        return;
    }
    terminal_capture_end(t->options.terminal);
    if (answer == LINE_IS_GIVEN_UP && (mark->status != 130 || t->held.len)) {
        begin_held(t, &(struct mark){.kind = MARK_COMMAND}, t->line_at);
        t->stage = STAGE_ENDED;
    }
    t->held.len = 0;
}

/* ---- marks that were lost ---- */

uint64_t tracker_count_lost(const struct tracker *t, const struct mark *mark)
{
    bool begins = mark->kind == MARK_DONE || mark->kind == MARK_PROPERTY;
    bool counted = t->last_seq > MARK_UNCOUNTED && !t->uncounted && t->typed.editor == EDITOR_TTY;
    uint64_t prompt = mark->seq / 10, last = t->last_seq / 10;
    return counted && prompt > last ? prompt - last - begins : 0;
}

/* The line of the prompt before ran: its D is gone, and how it ended. */
static void end_unsaid(struct tracker *t, struct moment now)
{
    tracker_end_line(t, &(struct mark){.kind = MARK_DONE}, now);
    tracker_abandon(t, now, false, 0);
}

/* Prompts at which a command went on, or some at which others ran: what was typed ahead of them is
 * taken for lines of its own. */
static void extend_unsaid(struct tracker *t, uint64_t prompts, struct moment now)
{
    tracker_runs(t, now);
    for (; t->block && prompts && typed_waits(&t->typed); prompts--) {
        tracker_await_more(t);
        t->block->cmd_source = BLOCK_FROM_UNKNOWN;
    }
}

/* The prompt that stands awaits its line: B is gone. */
static void await_unsaid(struct tracker *t)
{
    if (t->stage == STAGE_PROMPT && t->last_kind == MARK_PROMPT && t->typed.editor == EDITOR_TTY)
        t->stage = STAGE_INPUT;
}

void tracker_pass_lost(struct tracker *t, const struct mark *mark, struct moment now)
{
    uint64_t lost = tracker_count_lost(t, mark);
    if (mark->kind == MARK_DONE || mark->more || lost)
        await_unsaid(t);
    if (!lost)
        return;
    bool ended = mark->kind == MARK_PROMPT || mark->kind == MARK_INPUT;
    extend_unsaid(t, ended ? lost - 1 : lost, now);
    if (ended)
        end_unsaid(t, now);
}

/* ---- what is typed ---- */

bool tracker_runs(struct tracker *t, struct moment now)
{
    bool awaited = t->typed.editor != EDITOR_UNASKED && t->stage == STAGE_INPUT;
    char *line = awaited ? typed_ahead(&t->typed) : NULL;
    if (line)
        begin_ahead(t, line, now);
    return line;
}

bool tracker_overdue(const struct tracker *t)
{
    return is_overdue(t) && tracker_waits(t);
}

bool tracker_half_line(const struct tracker *t, bool *ret_half)
{
    *ret_half = typed_half(&t->typed);
    return t->typed.editor == EDITOR_TTY;
}

void tracker_lose_keys(struct tracker *t)
{
    line_keys_lose(&t->keys);
}

bool tracker_doubts(const struct tracker *t)
{
    return t->stage == STAGE_INPUT && line_keys_doubtful(&t->keys);
}

void tracker_dispel(struct tracker *t)
{
    if (t->stage == STAGE_INPUT)
        line_keys_settle(&t->keys);
}

bool tracker_waits(const struct tracker *t)
{
    return t->stage == STAGE_INPUT && typed_waits(&t->typed);
}

bool tracker_gave_up(const struct tracker *t)
{
    return t->stage == STAGE_PROMPT && t->typed.editor == EDITOR_TTY && t->has_input;
}

void tracker_read_on(struct tracker *t)
{
    if (!tracker_gave_up(t))
        return;
    if (t->options.events->dropped)
        t->options.events->dropped(t->options.user);
    t->input = terminal_anchor(t->options.terminal);
    tracker_await_line(t);
    if (t->options.events->prompt)
        t->options.events->prompt(t->options.user);
}

bool tracker_unsure(const struct tracker *t)
{
    return t->stage == STAGE_INPUT && typed_unsure(&t->typed);
}

bool tracker_due(const struct tracker *t)
{
    return t->stage == STAGE_INPUT && typed_due(&t->typed);
}

void tracker_settle(struct tracker *t, bool all)
{
    if (t->stage == STAGE_INPUT)
        typed_settle(&t->typed, all);
}

/* A shell that edits lines reads a further one of a command as it reads the first. */
static bool edits_more(const struct tracker *t)
{
    return t->stage == STAGE_MORE && t->typed.editor == EDITOR_SHELL;
}

/* Whether what is typed matters: to a shell without C, or that has not said anything yet. */
static bool listens(const struct tracker *t)
{
    return t->typed.editor != EDITOR_UNASKED || t->stage == STAGE_START;
}

static enum line_keys_time key_time(const struct tracker *t)
{
    return t->stage == STAGE_INPUT    ? KEYS_HERE
           : t->stage == STAGE_PROMPT ? KEYS_EARLY
                                      : KEYS_SHARED;
}

void tracker_replied(struct tracker *t, const char *bytes, size_t len, bool echoes)
{
    if (t->typed.editor != EDITOR_SHELL) /* busybox asks at each prompt where it is */
        line_keys_hear(&t->keys, bytes, len, key_time(t));
    if (listens(t))
        typed_reply(&t->typed, bytes, len, tracker_state(t) == TRACKER_RUNNING, echoes);
}

/* Of what came before the prompt an editor shows what it was given: the rest a command read. */
static void dispel_unseen(struct tracker *t)
{
    char *line = tracker_doubts(t) ? tracker_echoed_line(t) : NULL;
    if (line && !line[strspn(line, " \n")])
        tracker_dispel(t);
    free(line);
}

static void hear_keys(struct tracker *t, const char *bytes, size_t len)
{
    if (len && t->stage == STAGE_INPUT && !t->keys.here)
        t->keyed_at = terminal_anchor(t->options.terminal);
    tracker_note_place(t);
    line_keys_hear(&t->keys, bytes, len, key_time(t));
}

void tracker_edited(struct tracker *t, const char *bytes, size_t len)
{
    if (t->typed.editor == EDITOR_TTY)
        return;
    dispel_unseen(t);
    hear_keys(t, bytes, len);
}

void tracker_typed(struct tracker *t, const char *bytes, size_t len, bool echoes)
{
    bool waits = true;
    hear_keys(t, bytes, len);
    if (!listens(t))
        return;
    if (t->stage == STAGE_INPUT)
        waits = typed_here(&t->typed, bytes, len, echoes);
    else if (edits_more(t))
        typed_here(&t->typed, bytes, len, echoes);
    else
        typed_early(&t->typed, bytes, len, tracker_state(t) == TRACKER_RUNNING, echoes);
    if (!waits)
        give_up_line(t);
}

void tracker_change_keys(struct tracker *t, size_t len)
{
    typed_change(&t->typed, len);
}

bool tracker_holds_keys(const struct tracker *t)
{
    return t->typed.editor == EDITOR_TTY && t->typed.keys.len;
}

void tracker_account(struct tracker *t, size_t bytes)
{
    if (t->stage == STAGE_INPUT)
        typed_account(&t->typed, bytes);
}

void tracker_deafen(struct tracker *t)
{
    typed_deafen(&t->typed);
    line_keys_deafen(&t->keys);
}

struct typed_keys tracker_keys(const struct tracker *t)
{
    struct typed_keys keys = typed_keys(&t->typed);
    keys.len = t->typed.editor != EDITOR_UNASKED ? keys.len : 0;
    return keys;
}

void tracker_recall(struct tracker *t, const struct typed_keys *keys)
{
    typed_recall(&t->typed, keys);
}
