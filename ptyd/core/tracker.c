#include "ptyd/core/tracker.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/text.h"
#include "vterm_snapshot/preview.h"

/* A command the user interrupted counts as killed by the user if it ends this soon. */
#define INTERRUPT_MS 5000

struct tracker {
    struct tracker_options options;
    enum tracker_state state;
    bool marked;
    char *lost;        /* "" while marks work */
    bool lost_told;    /* by the shell itself */
    uint64_t last_seq; /* of the last mark accepted */
    enum mark_kind last_kind;
    uint64_t seq; /* of the last block */
    char *cwd;
    bool ignore_space;            /* the shell keeps lines that begin with a space to itself */
    enum block_type next_type;    /* of the next block */
    struct terminal_anchor input; /* where the last B stood */
    bool has_input;
    char *announced; /* command text told before C (OSC 633 E) */

    bool by_line;        /* no C in this shell: see the section on lines */
    bool edits;          /* the shell echoes, also what was typed ahead */
    bool typed, entered; /* since the last B: anything, an Enter */
    struct bytes ahead;  /* typed while a command ran, or behind its Enter */
    struct bytes held;   /* output since B while no block is there */
    bool discards;       /* output that comes now is an echo */
    bool interrupted;    /* the line ends in ^C: whether it is a command shows later */
    struct moment line_at;

    struct block *block; /* running, or NULL */
    struct preview preview;
    int64_t began_ms;       /* monotonic */
    int64_t interrupted_ms; /* monotonic; -1 for never */
    bool output_ended;
};

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
    bytes_finish(&t->ahead);
    bytes_finish(&t->held);
    free(t);
}

static void set_text(char **place, char *text)
{
    free(*place);
    *place = text;
}

/* ---- a block's life ---- */

static void on_output(void *user, const char *text, size_t len)
{
    struct tracker *t = user;
    if (t->discards || !t->block) {
        if (t->held.len < LIMIT_COMMAND_BYTES)
            bytes_append(&t->held, text, len);
        return;
    }
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
static char *echoed_line(const struct tracker *t)
{
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == ' '))
        text.len--;
    if (t->edits) /* it breaks a long line by itself */
        remove_newlines(&text);
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    return line;
}

static void set_command(struct block *b, const char *text, size_t len, enum block_source source,
                        bool truncated)
{
    while (len && text[len - 1] == '\n')
        len--;
    set_text(&b->cmd, text_clean(text, len, LIMIT_COMMAND_BYTES));
    b->cmd_truncated = truncated || len > LIMIT_COMMAND_BYTES;
    b->cmd_source = source;
}

static void capture(struct tracker *t)
{
    t->state = TRACKER_RUNNING;
    t->output_ended = false;
    terminal_alt_screen_seen(t->options.terminal, true);
    terminal_capture_begin(t->options.terminal, on_output, t);
}

/* All of a block's beginning but the capture of its output. */
static void start_block(struct tracker *t, const struct mark *mark, struct moment now)
{
    struct block *b = block_create();
    char *echo = echoed_line(t);
    t->block = b;
    set_text(&b->conversation_id, text_copy(t->options.conversation_id));
    set_text(&b->shell_id, text_copy(t->options.shell_id));
    set_text(&b->cwd, text_copy(t->cwd));
    set_text(&b->cwd_after, text_copy(t->cwd));
    b->seq = ++t->seq;
    b->type = t->next_type;
    b->ts_begin = now.wall_ms;
    t->next_type = BLOCK_USER_CMD;
    if (mark->has_cmd)
        set_command(b, mark->cmd.data ? mark->cmd.data : "", mark->cmd.len, BLOCK_FROM_SHELL,
                    mark->truncated);
    else if (t->announced)
        set_command(b, t->announced, strlen(t->announced), BLOCK_FROM_SHELL, false);
    else
        set_command(b, echo, strlen(echo), BLOCK_FROM_ECHO, false);
    b->private = t->ignore_space && (echo[0] == ' ' || b->cmd[0] == ' ');
    b->nested = block_command_nests(b->cmd);
    free(echo);
    set_text(&t->announced, NULL);
    t->preview = (struct preview){0};
    t->began_ms = now.monotonic_ms;
    t->interrupted_ms = -1;
    if (t->options.events->begin) {
        int64_t known = t->options.events->begin(t->options.user, b);
        b->ts_begin = known ? known : b->ts_begin;
    }
    t->output_ended = false;
}

static void begin(struct tracker *t, const struct mark *mark, struct moment now)
{
    start_block(t, mark, now);
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
    if (t->output_ended)
        return;
    t->output_ended = true;
    terminal_capture_end(t->options.terminal);
}

static void fill_preview(struct tracker *t, const struct preview *preview, int lines, size_t bytes)
{
    struct preview_result result;
    if (preview_finish(preview, lines, bytes, &result) < 0)
        abort();
    set_text(&t->block->preview, result.text);
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
    b->duration_ms = now.monotonic_ms - t->began_ms;
    b->duration_ms = b->duration_ms > 0 ? b->duration_ms : 0;
    b->ts_end = now.wall_ms > b->ts_begin ? now.wall_ms : b->ts_begin;
    if (b->type == BLOCK_USER_CMD && t->interrupted_ms >= 0 &&
        now.monotonic_ms - t->interrupted_ms <= INTERRUPT_MS)
        b->type = BLOCK_USER_KILL;
    set_text(&b->cwd_after, text_copy(t->cwd));
    t->block = NULL;
    t->state = TRACKER_PROMPT;
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

/* bash tells the text afterwards: what entered its history, or the entry before it when the line
 * was not recorded. Then the echo decides: equal text is a repeated line, else the echo is it. */
static void take_history(struct tracker *t, const struct mark *mark)
{
    struct bytes text = {0};
    mark_history_text(mark->raw.data ? mark->raw.data : "", mark->raw.len, &text);
    bool ours =
        !mark->unrecorded || (text.data && !strcmp(text.data, t->block->cmd) && t->block->cmd[0]);
    if (ours && text.len && t->block->cmd_source == BLOCK_FROM_ECHO)
        set_command(t->block, text.data, text.len, BLOCK_FROM_HISTORY, mark->truncated);
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

/* ---- lines ----
 *
 * A shell without C (`line=1`) echoes the command line behind B; the line feed that ends it starts
 * the command. Three things look like that and are not: an empty line or a comment; a line given
 * up with Ctrl-C, which ends in ^C and comes to nothing with status 130; and output of a line that
 * was typed before the prompt came, which is not echoed again: then nothing was typed since B. */

static void start_capture(struct tracker *t)
{
    t->held.len = 0;
    terminal_capture_begin(t->options.terminal, on_output, t);
}

static void drop_capture(struct tracker *t)
{
    t->discards = true;
    terminal_capture_end(t->options.terminal);
    t->discards = false;
    t->held.len = 0;
}

static void await_line(struct tracker *t)
{
    t->typed = t->entered = false;
    t->interrupted = false;
    start_capture(t);
    terminal_expect_line(t->options.terminal);
}

/* The first whole line that was typed ahead, without what edits lines; NULL for none. */
static char *take_ahead(struct tracker *t)
{
    size_t len = 0;
    while (len < t->ahead.len && t->ahead.data[len] != '\r' && t->ahead.data[len] != '\n')
        len++;
    if (len == t->ahead.len)
        return NULL;
    char *line = text_clean(t->ahead.data, len, LIMIT_COMMAND_BYTES);
    bytes_consume(&t->ahead, len + 1);
    return line;
}

/* A line typed ahead ran: its output began at B. */
static bool begin_ahead(struct tracker *t, struct moment now)
{
    char *line = t->typed || t->edits ? NULL : take_ahead(t);
    if (!line)
        return false;
    struct bytes held = t->held;
    t->held = (struct bytes){0};
    struct mark mark = {.kind = MARK_COMMAND, .has_cmd = true};
    bytes_append_text(&mark.cmd, line);
    start_block(t, &mark, now);
    t->state = TRACKER_RUNNING;
    t->block->cmd_source = BLOCK_FROM_ECHO;
    if (held.len)
        on_output(t, held.data, held.len);
    bytes_finish(&held);
    mark_finish(&mark);
    free(line);
    return true;
}

static void begin_line(struct tracker *t, struct moment now)
{
    begin(t, &(struct mark){.kind = MARK_COMMAND}, now);
}

static bool is_command(const char *line)
{
    line += strspn(line, " \t\n");
    return *line && *line != '#';
}

static bool is_given_up(const char *line)
{
    size_t len = strlen(line);
    return len >= 2 && line[len - 2] == '^' && (line[len - 1] == 'C' || line[len - 1] == '\\');
}

/* One more line, which it frees, of a command that goes on. */
static void extend_line(struct tracker *t, char *line)
{
    char *whole = text_format("%s\n%s", t->block->cmd, line);
    set_command(t->block, whole, strlen(whole), BLOCK_FROM_ECHO, t->block->cmd_truncated);
    free(whole);
    free(line);
    terminal_capture_begin(t->options.terminal, on_output, t);
}

/* Whole lines between a line and the sign that it goes on were typed with it, echoed already. */
static void read_ahead(struct tracker *t)
{
    t->held.len = 0;
    t->discards = true;
    terminal_capture_end(t->options.terminal);
    t->discards = false;
    while (t->held.len && t->held.data[t->held.len - 1] != '\n')
        t->held.len--;
    if (t->held.len)
        bytes_append(&t->ahead, t->held.data, t->held.len);
    t->held.len = 0;
}

static void await_more(struct tracker *t)
{
    if (t->ahead.len || t->edits)
        drop_capture(t);
    else
        read_ahead(t);
    t->preview = (struct preview){0};
    char *line = t->edits ? NULL : take_ahead(t);
    if (line) { /* its echo came before */
        extend_line(t, line);
        return;
    }
    t->input = terminal_anchor(t->options.terminal);
    terminal_expect_line(t->options.terminal);
}

void tracker_line(struct tracker *t, struct moment now)
{
    if (t->block) {
        extend_line(t, echoed_line(t));
        return;
    }
    if (t->state != TRACKER_INPUT || begin_ahead(t, now))
        return;
    char *line = echoed_line(t);
    drop_capture(t);
    t->interrupted = is_given_up(line);
    if (t->interrupted) {
        t->line_at = now;
        start_capture(t);
    } else if (is_command(line)) {
        begin_line(t, now);
    }
    free(line);
}

/* D came: what of it was open in a shell without C. */
static void end_line(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (t->block || t->state != TRACKER_INPUT || begin_ahead(t, now))
        return;
    terminal_capture_end(t->options.terminal);
    bool ran = t->interrupted && !(mark->status == 130 && t->held.len == 0);
    if (ran) {
        struct bytes held = t->held;
        t->held = (struct bytes){0};
        start_block(t, &(struct mark){.kind = MARK_COMMAND}, t->line_at);
        t->state = TRACKER_RUNNING;
        if (held.len)
            on_output(t, held.data, held.len);
        t->output_ended = true;
        bytes_finish(&held);
    }
    t->held.len = 0;
}

void tracker_typed(struct tracker *t, const char *bytes, size_t len)
{
    size_t used = 0;
    if (!t->by_line)
        return;
    if (t->state == TRACKER_INPUT && !t->typed) {
        t->typed = true;
        t->ahead.len = 0;
    }
    if (t->state == TRACKER_INPUT && !t->entered) {
        while (used < len && bytes[used] != '\r' && bytes[used] != '\n')
            used++;
        t->entered = used < len;
        used += t->entered;
    }
    if (t->ahead.len + len - used < LIMIT_COMMAND_BYTES)
        bytes_append(&t->ahead, bytes + used, len - used);
}

/* ---- marks ---- */

static bool is_legal(const struct tracker *t, const struct mark *mark)
{
    bool repeated_input = mark->kind == MARK_INPUT && t->last_kind == MARK_INPUT &&
                          mark->seq == t->last_seq && t->state == TRACKER_INPUT;
    if (mark->seq <= t->last_seq && t->marked && !repeated_input)
        return false;
    bool running = t->state == TRACKER_RUNNING;
    switch (mark->kind) {
    case MARK_PROMPT:
    case MARK_PROPERTY:
        return true;
    case MARK_INPUT:
        return t->state == TRACKER_PROMPT || repeated_input;
    case MARK_COMMAND:
        return t->state == TRACKER_PROMPT || t->state == TRACKER_INPUT;
    case MARK_OUTPUT_END:
        return running;
    case MARK_DONE: /* a shell without C says it at each prompt */
        return running || t->by_line || mark->by_line;
    }
    return false;
}

static void take_input(struct tracker *t)
{
    t->input = terminal_anchor(t->options.terminal);
    t->has_input = true;
    bool redrawn = t->state == TRACKER_INPUT;
    t->state = TRACKER_INPUT;
    if (t->by_line && !redrawn)
        await_line(t);
    if (!redrawn && t->options.events->prompt)
        t->options.events->prompt(t->options.user);
}

static void take_directory(struct tracker *t, const struct bytes *cwd)
{
    set_text(&t->cwd, text_clean(cwd->data ? cwd->data : "", cwd->len, LIMIT_CWD_BYTES));
}

static void take_property(struct tracker *t, const struct mark *mark)
{
    if (mark->has_raw)
        take_directory(t, &mark->raw);
    t->lost_told = mark->has_lost ? mark->lost.len > 0 : t->lost_told;
    if (mark->has_lost)
        set_text(&t->lost, text_clean(mark->lost.data ? mark->lost.data : "", mark->lost.len,
                                      LIMIT_TITLE_BYTES));
    if (mark->more && t->by_line && t->state == TRACKER_RUNNING)
        await_more(t);
}

static void take_prompt(struct tracker *t, const struct mark *mark, struct moment now)
{
    tracker_abandon(t, now, false, 0);
    if (!t->lost_told) /* here they are */
        set_text(&t->lost, text_copy(""));
    t->ignore_space = mark->ignore_space;
    t->by_line = mark->by_line;
    t->edits = mark->edits;
    t->has_input = false;
    t->state = TRACKER_PROMPT;
}

bool tracker_mark(struct tracker *t, const struct mark *mark, struct moment now)
{
    if (!is_legal(t, mark))
        return false;
    t->marked = true;
    t->last_seq = mark->seq;
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
        begin(t, mark, now);
        break;
    case MARK_OUTPUT_END:
        end_output(t);
        break;
    case MARK_DONE:
        if (t->by_line)
            end_line(t, mark, now);
        if (t->block)
            done(t, mark, now);
        break;
    case MARK_PROPERTY:
        take_property(t, mark);
        break;
    }
    return true;
}

/* ---- marks of others ---- */

/* VS Code's escaping: `\\` and `\xHH`. */
static char *unescape_633(const char *text, size_t len)
{
    struct bytes out = {0};
    for (size_t i = 0; i < len && text[i] != ';'; i++) {
        char digits[3] = {0};
        if (text[i] == '\\' && i + 3 < len && text[i + 1] == 'x') {
            memcpy(digits, text + i + 2, 2);
            bytes_append_char(&out, (char)strtol(digits, NULL, 16));
            i += 3;
        } else if (text[i] == '\\' && i + 1 < len) {
            bytes_append_char(&out, text[++i]);
        } else {
            bytes_append_char(&out, text[i]);
        }
    }
    char *clean = text_clean(out.data ? out.data : "", out.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&out);
    return clean;
}

static void foreign_done(struct tracker *t, const char *payload, size_t len, struct moment now)
{
    if (t->state != TRACKER_RUNNING)
        return;
    struct mark mark = {.kind = MARK_DONE, .seq = t->last_seq + 1};
    if (len > 2 && payload[1] == ';' && payload[2] >= '0' && payload[2] <= '9') {
        mark.has_status = true;
        mark.status = atoi(payload + 2);
    }
    tracker_mark(t, &mark, now);
}

void tracker_foreign(struct tracker *t, int number, const char *payload, size_t len,
                     struct moment now)
{
    struct mark mark = {.seq = t->last_seq + 1};
    switch (len ? payload[0] : 0) {
    case 'A':
    case 'B':
    case 'C':
        mark.kind = (enum mark_kind)payload[0];
        if (payload[0] == 'B' && t->state == TRACKER_INPUT)
            mark.seq = t->last_seq; /* the prompt is redrawn */
        tracker_mark(t, &mark, now);
        break;
    case 'D':
        foreign_done(t, payload, len, now);
        break;
    case 'E':
        if (number == 633 && len > 2)
            set_text(&t->announced, unescape_633(payload + 2, len - 2));
        break;
    case 'P':
        if (number == 633 && len > 6 && !memcmp(payload, "P;Cwd=", 6))
            set_text(&t->cwd, unescape_633(payload + 6, len - 6));
        break;
    default:
        break;
    }
}

/* ---- others ---- */

void tracker_interrupt(struct tracker *t, struct moment now)
{
    if (t->state == TRACKER_RUNNING)
        t->interrupted_ms = now.monotonic_ms;
    else if (t->state == TRACKER_INPUT && t->by_line)
        t->state = TRACKER_PROMPT; /* the line is given up; a new prompt comes */
}

void tracker_set_actor(struct tracker *t, enum block_type type)
{
    t->next_type = type;
}

enum tracker_state tracker_state(const struct tracker *t)
{
    return t->state;
}

bool tracker_marked(const struct tracker *t)
{
    return t->marked && !*t->lost;
}

const char *tracker_lost(const struct tracker *t)
{
    return t->lost;
}

void tracker_set_lost(struct tracker *t, const char *why)
{
    set_text(&t->lost, text_copy(why));
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
    if (!t->output_ended)
        terminal_capture_peek(t->options.terminal, peek_output, &copy);
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
