/* A tracker into bytes and back, a field at a time. One walk does both, so that what is read is
 * what was written: without `in` it appends each value to `out`, with it it replaces the value by
 * what was read. */
#include "ptyd/core/tracker_private.h"

#include <limits.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/echo.h"
#include "ptyd/core/text.h"

/* Of the fields and their order; another one is not read. What is noted of a command's output is
 * all that there is of it: it has its own, so that an older program's is read while it can be. */
#define VERSION         12
#define PRINTED_VERSION 8

struct walk {
    struct bytes *out;
    struct unpack *in; /* NULL while saving; fails latched */
};

/* A number up to `max`: the one given, or the one read. */
static uint64_t number(struct walk *w, uint64_t value, uint64_t max)
{
    if (!w->in) {
        bytes_append(w->out, &value, sizeof value);
        return value;
    }
    unpack_value(w->in, &value, sizeof value);
    w->in->failed = w->in->failed || value > max;
    return w->in->failed ? 0 : value;
}

static bool flag(struct walk *w, bool value)
{
    return number(w, value, 1);
}

static void run(struct walk *w, struct bytes *value)
{
    size_t len;
    if (!w->in) {
        pack_run(w->out, value->data, value->len);
        return;
    }
    const char *data = unpack_run(w->in, &len);
    *value = (struct bytes){0};
    if (data)
        bytes_append(value, data, len);
}

/* A string that may be NULL. */
static void text(struct walk *w, char **value)
{
    struct bytes copy = {.data = *value, .len = *value ? strlen(*value) : 0};
    bool is_there = flag(w, *value != NULL);
    run(w, &copy);
    if (!w->in)
        return;
    *value = is_there ? text_clean(copy.data ? copy.data : "", copy.len, copy.len) : NULL;
    bytes_finish(&copy);
}

static void moment(struct walk *w, struct moment *value)
{
    value->wall_ms = (int64_t)number(w, (uint64_t)value->wall_ms, UINT64_MAX);
    value->monotonic_ms = (int64_t)number(w, (uint64_t)value->monotonic_ms, UINT64_MAX);
}

static void anchor(struct walk *w, struct terminal_anchor *value)
{
    value->line = number(w, value->line, UINT64_MAX);
    value->offset = number(w, value->offset, UINT64_MAX);
    value->cols = (int)number(w, (uint64_t)value->cols, LIMIT_SIZE_MAX);
}

static void typed(struct walk *w, struct typed *value)
{
    value->editor = (enum typed_editor)number(w, value->editor, EDITOR_SHELL);
    value->line = (enum typed_line)number(w, value->line, ENTERED);
    value->feed = (enum typed_feed)number(w, value->feed, GIVEN_UP);
    value->trust = (enum typed_trust)number(w, value->trust, UNSURE);
    run(w, &value->keys);
    value->shared = number(w, value->shared, value->keys.len);
    value->loose_from = number(w, value->loose_from, value->keys.len);
    value->loose = number(w, value->loose, value->keys.len - value->loose_from);
    value->in_doubt = flag(w, value->in_doubt);
    value->echoed = number(w, value->echoed, value->keys.len);
    value->piece = number(w, value->piece, value->keys.len);
    value->matched = number(w, value->matched, ECHO_BYTES);
    value->doubt_from = number(w, value->doubt_from, value->keys.len);
    value->doubted = number(w, value->doubted, value->keys.len);
    value->doubt_matched = number(w, value->doubt_matched, ECHO_BYTES);
}

static void preview(struct walk *w, struct preview *value)
{
    struct bytes tail = {.data = value->tail, .len = value->len};
    run(w, &tail);
    if (w->in) {
        w->in->failed = w->in->failed || tail.len > sizeof value->tail;
        value->len = w->in->failed ? 0 : tail.len;
        memcpy(value->tail, value->len ? tail.data : "", value->len);
        bytes_finish(&tail);
    }
    value->bytes = number(w, value->bytes, UINT64_MAX);
    value->newlines = number(w, value->newlines, UINT64_MAX);
    value->cut = flag(w, value->cut);
    value->open = flag(w, value->open);
}

static void foreign(struct walk *w, struct foreign *value)
{
    value->heard = flag(w, value->heard);
    value->further = flag(w, value->further);
    value->right = flag(w, value->right);
    value->passing = flag(w, value->passing);
    value->by_cursor = flag(w, value->by_cursor);
    value->returned = flag(w, value->returned);
    value->cleared = flag(w, value->cleared);
    value->bare = flag(w, value->bare);
    value->kept = flag(w, value->kept);
    value->aside_too = flag(w, value->aside_too);
    value->moved = flag(w, value->moved);
    value->given_up = flag(w, value->given_up);
    value->shows = flag(w, value->shows);
    value->doubtful = flag(w, value->doubtful);
    value->fed = flag(w, value->fed);
    value->written = flag(w, value->written);
    value->in_line = flag(w, value->in_line);
    value->by_done = flag(w, value->by_done);
    value->redrawn = flag(w, value->redrawn);
    for (size_t i = 0; i < sizeof value->drawn; i++)
        value->drawn[i] = (char)number(w, (unsigned char)value->drawn[i], UCHAR_MAX);
    value->returns = (int)number(w, (uint64_t)value->returns, 3);
    value->swept = (int)number(w, (uint64_t)value->swept, LIMIT_SIZE_MAX);
    anchor(w, &value->kept_at);
    value->begins = (int)number(w, (uint64_t)value->begins, LIMIT_SIZE_MAX);
    value->column = (int)number(w, (uint64_t)value->column, LIMIT_SIZE_MAX);
    anchor(w, &value->start);
    run(w, &value->lines);
    text(w, &value->line);
    text(w, &value->last);
    text(w, &value->prompt);
    text(w, &value->seen);
    text(w, &value->sign);
    text(w, &value->row);
    text(w, &value->held);
    text(w, &value->title);
    moment(w, &value->at);
    value->has_right = flag(w, value->has_right);
    anchor(w, &value->right_at);
    run(w, &value->beside);
    value->jumped = flag(w, value->jumped);
    anchor(w, &value->beyond);
    run(w, &value->aside);
    value->edge = (int)number(w, (uint64_t)value->edge, LIMIT_SIZE_MAX);
}

static void parts(struct walk *w, struct parts *value)
{
    run(w, &value->text);
    value->count = number(w, value->count, LIMIT_MARK_PARTS);
    value->last = number(w, value->last, UINT64_MAX);
}

static void keys(struct walk *w, struct line_keys *value)
{
    value->told = flag(w, value->told);
    value->ahead = flag(w, value->ahead);
    value->shared = flag(w, value->shared);
    value->here = flag(w, value->here);
    value->anew = flag(w, value->anew);
    value->edits = flag(w, value->edits);
    value->behind = flag(w, value->behind);
    value->blank = flag(w, value->blank);
    value->inside = flag(w, value->inside);
    value->escape = (enum line_keys_escape)number(w, value->escape, ESCAPE_SEQUENCE);
    value->enters = number(w, value->enters, UINT64_MAX);
    run(w, &value->text);
}

static void block(struct walk *w, struct block **value)
{
    if (w->in)
        *value = block_load(w->in);
    else
        block_save(*value, w->out);
}

static void fields(struct walk *w, struct tracker *t)
{
    t->stage = (enum stage)number(w, t->stage, STAGE_ENDED);
    t->marked = flag(w, t->marked);
    t->loss = (enum loss)number(w, t->loss, LOSS_TOLD);
    text(w, &t->lost);
    t->last_seq = number(w, t->last_seq, UINT64_MAX);
    t->last_kind = (enum mark_kind)number(w, t->last_kind, MARK_TEXT);
    t->uncounted = number(w, t->uncounted, UINT64_MAX);
    t->seals = flag(w, t->seals);
    parts(w, &t->cmd_parts);
    parts(w, &t->cwd_parts);
    t->seq = number(w, t->seq, UINT64_MAX);
    text(w, &t->cwd);
    t->ignore_space = flag(w, t->ignore_space);
    t->next_type = (enum block_type)number(w, t->next_type, BLOCK_AGENT_CMD);
    t->has_input = flag(w, t->has_input);
    anchor(w, &t->input);
    anchor(w, &t->prompt_at);
    t->prompt_late = flag(w, t->prompt_late);
    anchor(w, &t->keyed_at);
    t->moved = flag(w, t->moved);
    t->moved_to = number(w, t->moved_to, UINT64_MAX);
    text(w, &t->announced);
    keys(w, &t->keys);
    t->keeps = (enum mark_keeps)number(w, t->keeps, MARK_KEEPS_BLANKS);
    t->blank = flag(w, t->blank);
    text(w, &t->keyed);
    text(w, &t->echoed);
    typed(w, &t->typed);
    run(w, &t->held);
    moment(w, &t->line_at);
    block(w, &t->block);
    preview(w, &t->preview);
    t->began_ms = (int64_t)number(w, (uint64_t)t->began_ms, UINT64_MAX);
    t->interrupted_ms = (int64_t)number(w, (uint64_t)t->interrupted_ms, UINT64_MAX);
    t->prompt_shown = flag(w, t->prompt_shown);
    foreign(w, &t->foreign);
}

void tracker_save(const struct tracker *t, struct bytes *out)
{
    struct tracker copy = *t; /* the walk writes back what it was given */
    struct walk walk = {.out = out};
    number(&walk, VERSION, VERSION);
    fields(&walk, &copy);
}

struct tracker *tracker_load(const struct tracker_options *options, struct unpack *in)
{
    struct tracker *t = memory_new(sizeof *t);
    struct walk walk = {.in = in};
    t->options = *options;
    in->failed = number(&walk, 0, VERSION) != VERSION || in->failed;
    fields(&walk, t);
    if (in->failed || (t->stage >= STAGE_OUTPUT) != (t->block != NULL) || !t->lost || !t->cwd) {
        tracker_destroy(t);
        return NULL;
    }
    terminal_watch(options->terminal, t->foreign.heard && !t->block && !t->foreign.passing);
    terminal_capture_resume(options->terminal, t->block ? tracker_output : tracker_hold, t);
    return t;
}

static void append_printed(void *out, const char *text, size_t len)
{
    bytes_append(out, text, len);
}

/* Of what stands on the screen yet the newest: of blank lines without end no more are made. */
static void append_screen(const struct tracker *t, struct bytes *out)
{
    uint64_t ends = t->stage == STAGE_ENDED
                        ? 0
                        : terminal_capture_peek(t->options.terminal, LIMIT_OWED_OUTPUT_BYTES,
                                                append_printed, out);
    while (ends--)
        bytes_append_char(out, '\n');
    if (out->len > LIMIT_OWED_OUTPUT_BYTES)
        bytes_consume(out, utf8_ceil(out->data, out->len, out->len - LIMIT_OWED_OUTPUT_BYTES));
}

void tracker_save_printed(const struct tracker *t, struct bytes *out)
{
    struct preview copy = t->preview;
    struct walk walk = {.out = out};
    struct bytes screen = {0};
    append_screen(t, &screen);
    number(&walk, PRINTED_VERSION, PRINTED_VERSION);
    preview(&walk, &copy);
    run(&walk, &screen);
    bytes_finish(&screen);
}

static bool read_printed(const char *bytes, size_t len, struct preview *ret_preview,
                         struct bytes *screen)
{
    struct unpack in = {.at = bytes, .end = bytes + len};
    struct walk walk = {.in = &in};
    in.failed = number(&walk, 0, PRINTED_VERSION) != PRINTED_VERSION || in.failed;
    preview(&walk, ret_preview);
    run(&walk, screen);
    return !in.failed;
}

bool tracker_is_printed(const char *bytes, size_t len)
{
    struct preview copy = {0};
    struct bytes screen = {0};
    bool is_printed = read_printed(bytes, len, &copy, &screen);
    bytes_finish(&screen);
    return is_printed;
}

bool tracker_load_printed(struct tracker *t, const char *bytes, size_t len)
{
    struct preview copy = {0};
    struct bytes screen = {0};
    bool fits = read_printed(bytes, len, &copy, &screen) && t->block;
    if (fits) {
        if (t->stage == STAGE_OUTPUT)
            terminal_capture_begin(t->options.terminal, tracker_output, t);
        t->preview = copy;
        if (screen.len)
            tracker_output(t, screen.data, screen.len);
    }
    bytes_finish(&screen);
    return fits;
}

struct tracker_point tracker_point(const struct tracker *t)
{
    return (struct tracker_point){.seq = t->seq,
                                  .state = (uint8_t)tracker_state(t),
                                  .editor = (uint8_t)t->typed.editor,
                                  .ignore_space = t->ignore_space};
}

/* A command that runs is the caller's to resume: without its block the next prompt is waited for.
 */
void tracker_set_point(struct tracker *t, const struct tracker_point *point, struct moment now)
{
    tracker_abandon(t, now, false, 0);
    t->seq = point->seq;
    t->marked = point->state != TRACKER_START;
    t->stage = t->marked ? STAGE_PROMPT : STAGE_START;
    t->ignore_space = point->ignore_space;
    typed_begin(&t->typed, (enum typed_editor)point->editor);
    t->input = terminal_anchor(t->options.terminal);
    t->has_input = point->state == TRACKER_INPUT;
    if (!t->has_input)
        return;
    t->stage = STAGE_INPUT;
    if (t->typed.editor != EDITOR_UNASKED)
        tracker_await_line(t);
}
