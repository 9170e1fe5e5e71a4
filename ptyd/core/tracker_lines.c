/* Shells without C (`line=1`). Such a shell echoes the command line behind B; the line feed that
 * ends it starts the command. Four things look like that and are not: an empty line or a comment; a
 * line given up with Ctrl-C, which ends in ^C and comes to nothing with status 130; output of a
 * line that was typed before the prompt came, which is not echoed again: then nothing was typed
 * since B; and what a job in the background prints, as long as Enter was not typed. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

#define CTRL_C '\x03'

/* What edits a line before the shell reads it, by a terminal's defaults (termios(3)). */
#define ERASE     '\x7f'
#define KILL_LINE '\x15'
#define KILL_WORD '\x17'

static void start_capture(struct tracker *t)
{
    t->held.len = 0;
    terminal_capture_begin(t->options.terminal, tracker_output, t);
}

/* What was printed since the capture began goes to `held`, to no block. */
static void hold_capture(struct tracker *t)
{
    t->held.len = 0;
    t->discards = true;
    terminal_capture_end(t->options.terminal);
    t->discards = false;
}

static void drop_capture(struct tracker *t)
{
    hold_capture(t);
    t->held.len = 0;
}

/* Types into the line that the shell reads; returns how many of the bytes. One that edits lines
 * takes Ctrl-C for itself: the line is given up, a new prompt comes. */
static size_t type_line(struct tracker *t, const char *bytes, size_t len)
{
    size_t used = 0;
    while (used < len && bytes[used] != '\r' && bytes[used] != '\n' &&
           !(t->edits && bytes[used] == CTRL_C))
        used++;
    if (used == len)
        return len;
    t->entered = true;
    if (bytes[used] == CTRL_C)
        t->state = TRACKER_PROMPT;
    return used + 1;
}

static void drop_ahead(struct tracker *t, size_t len)
{
    bytes_consume(&t->ahead, len);
    t->shared -= len < t->shared ? len : t->shared;
}

/* A shell that edits lines reads what was typed before its prompt came, and echoes it. What a
 * command may have read instead gives nothing up. */
static void read_typed(struct tracker *t)
{
    bool shared = t->shared;
    size_t used = type_line(t, t->ahead.data, t->ahead.len);
    drop_ahead(t, used);
    t->state = shared ? TRACKER_INPUT : t->state;
}

void tracker_await_line(struct tracker *t)
{
    t->typed = t->entered = t->fed = false;
    if (t->edits)
        read_typed(t);
    t->interrupted = false;
    start_capture(t);
    terminal_expect_line(t->options.terminal);
}

static void erase(struct bytes *line)
{
    while (line->len && ((unsigned char)line->data[--line->len] & 0xc0) == 0x80)
        ;
}

static void erase_word(struct bytes *line)
{
    while (line->len && line->data[line->len - 1] == ' ')
        line->len--;
    while (line->len && line->data[line->len - 1] != ' ')
        line->len--;
}

/* What the terminal makes of a line's keys; new string. */
static char *cook(const char *keys, size_t len)
{
    struct bytes line = {0};
    for (size_t i = 0; i < len; i++) {
        if (keys[i] == ERASE)
            erase(&line);
        else if (keys[i] == KILL_WORD)
            erase_word(&line);
        else if (keys[i] == KILL_LINE)
            line.len = 0;
        else
            bytes_append_char(&line, keys[i]);
    }
    char *text = text_clean(line.data ? line.data : "", line.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&line);
    return text;
}

/* The first whole line that was typed ahead; NULL for none. */
static char *take_ahead(struct tracker *t)
{
    size_t len = 0;
    while (len < t->ahead.len && t->ahead.data[len] != '\r' && t->ahead.data[len] != '\n')
        len++;
    if (len == t->ahead.len)
        return NULL;
    char *line = cook(t->ahead.data, len);
    drop_ahead(t, len + 1);
    return line;
}

/* A block begins whose first output is held already. */
static void begin_held(struct tracker *t, const struct mark *mark, struct moment when)
{
    struct bytes held = t->held;
    t->held = (struct bytes){0};
    tracker_start_block(t, mark, when);
    t->state = TRACKER_RUNNING;
    if (held.len)
        tracker_output(t, held.data, held.len);
    bytes_finish(&held);
}

static bool is_command(const char *line)
{
    line += strspn(line, " \t\n");
    return *line && *line != '#';
}

static void begin_line(struct tracker *t, struct moment now)
{
    tracker_begin(t, &(struct mark){.kind = MARK_COMMAND}, now);
}

/* A line typed ahead ran: its output began at B, unless what stands there is its `echo`: then B
 * came before it and was not seen yet. An empty line came to nothing. What was typed since B is
 * read behind it, as long as no line feed came. */
static bool begin_ahead(struct tracker *t, const char *echo, struct moment now)
{
    char *line = t->edits || (t->typed && t->fed) ? NULL : take_ahead(t);
    if (!line || !is_command(line)) {
        bool empty = line;
        free(line);
        return empty;
    }
    if (!strcmp(line, echo)) {
        free(line);
        drop_capture(t);
        begin_line(t, now);
        return true;
    }
    struct mark mark = {.kind = MARK_COMMAND, .has_cmd = true};
    bytes_append_text(&mark.cmd, line);
    begin_held(t, &mark, now);
    t->block->cmd_source = BLOCK_FROM_ECHO;
    mark_finish(&mark);
    free(line);
    return true;
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
    tracker_set_command(t->block, whole, strlen(whole), BLOCK_FROM_ECHO, t->block->cmd_truncated);
    free(whole);
    free(line);
    terminal_capture_begin(t->options.terminal, tracker_output, t);
}

/* Whole lines between a line and the sign that it goes on were typed with it, echoed already. */
static void read_ahead(struct tracker *t)
{
    hold_capture(t);
    while (t->held.len && t->held.data[t->held.len - 1] != '\n')
        t->held.len--;
    if (t->held.len)
        bytes_append(&t->ahead, t->held.data, t->held.len);
    t->held.len = 0;
}

void tracker_await_more(struct tracker *t)
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
    t->more = true;
    t->input = terminal_anchor(t->options.terminal);
    terminal_expect_line(t->options.terminal);
}

/* A job in the background spoke: the line that is typed goes on behind it. */
static void pass_by(struct tracker *t)
{
    drop_capture(t);
    start_capture(t);
    t->input = terminal_anchor(t->options.terminal);
    terminal_expect_line(t->options.terminal);
}

/* A line that was typed since B runs: what was typed before it is read. (A shell that edits lines
 * takes one at each prompt.) */
static void settle_ahead(struct tracker *t)
{
    if (!t->edits)
        drop_ahead(t, t->shared);
    t->unknown = false;
}

/* A line feed behind this line. */
static void take_line(struct tracker *t, const char *line, struct moment now)
{
    drop_capture(t);
    t->interrupted = is_given_up(line);
    if (t->interrupted) {
        t->line_at = now;
        start_capture(t);
    } else if (is_command(line)) {
        if (t->entered)
            settle_ahead(t);
        begin_line(t, now);
    }
}

void tracker_line(struct tracker *t, struct moment now)
{
    if (t->block && t->more) {
        t->more = false;
        extend_line(t, tracker_echoed_line(t));
    }
    if (t->state != TRACKER_INPUT)
        return;
    t->fed = true;
    char *line = tracker_echoed_line(t);
    if (!begin_ahead(t, line, now)) {
        if (t->hears && !t->unknown && !t->entered)
            pass_by(t);
        else
            take_line(t, line, now);
    }
    free(line);
}

void tracker_runs(struct tracker *t, struct moment now)
{
    if (t->by_line && t->state == TRACKER_INPUT)
        begin_ahead(t, "", now);
}

/* D came: what of it was open in a shell without C. */
void tracker_end_line(struct tracker *t, const struct mark *mark, struct moment now)
{
    bool ahead = !t->block && t->state == TRACKER_INPUT && begin_ahead(t, "", now);
    if (t->block || t->state != TRACKER_INPUT)
        return;
    terminal_capture_end(t->options.terminal);
    t->interrupted = t->interrupted && !ahead;
    bool ran = t->interrupted && !(mark->status == 130 && t->held.len == 0);
    if (ran) {
        begin_held(t, &(struct mark){.kind = MARK_COMMAND}, t->line_at);
        t->output_ended = true;
    }
    t->held.len = 0;
}

const char *tracker_ahead(const struct tracker *t, size_t *ret_len)
{
    *ret_len = t->by_line ? t->ahead.len : 0;
    return t->ahead.data;
}

void tracker_set_ahead(struct tracker *t, const char *bytes, size_t len)
{
    t->ahead.len = 0;
    bytes_append(&t->ahead, bytes, len);
    t->shared = len;
    t->unknown = true; /* the last of it may not be there */
}

void tracker_typed(struct tracker *t, const char *bytes, size_t len)
{
    size_t used = 0;
    if (!t->by_line && t->state != TRACKER_START)
        return;
    t->hears = true;
    if (t->state == TRACKER_INPUT && !t->typed) {
        t->typed = true;
        if (t->ahead.len && !t->edits) { /* did a command read it? */
            t->unknown = true;
            t->shared = t->ahead.len;
        }
    }
    if (t->state == TRACKER_INPUT && !t->entered)
        used = type_line(t, bytes, len);
    if (t->ahead.len + len - used < LIMIT_COMMAND_BYTES)
        bytes_append(&t->ahead, bytes + used, len - used);
    else
        t->unknown = true;
    if (t->state == TRACKER_RUNNING)
        t->shared = t->ahead.len;
}
