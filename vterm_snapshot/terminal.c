#include "vterm_snapshot/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "vterm_snapshot/emulator.h"
#include "vterm_snapshot/guard.h"
#include "vterm_snapshot/redraw.h"
#include "vterm_snapshot/sgr.h"

struct terminal {
    struct terminal_options options;
    struct guard *guard;
    struct emulator *emulator;
    char title[LIMIT_TITLE_BYTES + 1];
    bool line_expected;
    int returns; /* carriage returns fed last, up to the next other byte */
};

/* ---- what the guard finds ---- */

/* Up to and with the line feed that is waited for; then whoever waits. A line editor that wraps
 * prints CR LF itself, which the tty makes CR CR LF: its line goes on. */
static size_t feed_line(struct terminal *t, const char *bytes, size_t len)
{
    size_t used = 0;
    if (!t->line_expected)
        return 0;
    for (; used < len && bytes[used] != '\n'; used++)
        t->returns = bytes[used] == '\r' ? t->returns + 1 : 0;
    bool wraps = t->returns >= 2;
    emulator_feed(t->emulator, bytes, used < len ? used + 1 : len);
    if (used == len)
        return len;
    t->returns = 0;
    if (!wraps) {
        t->line_expected = false;
        if (t->options.events->line)
            t->options.events->line(t->options.user);
    }
    return used + 1;
}

static void on_feed(void *user, const char *bytes, size_t len)
{
    struct terminal *t = user;
    size_t used;
    if (len == 4 && !memcmp(bytes, "\x1b[3J", 4))
        emulator_clear_scrollback(t->emulator);
    while (len && (used = feed_line(t, bytes, len))) {
        bytes += used;
        len -= used;
    }
    if (len)
        emulator_feed(t->emulator, bytes, len);
}

static void set_title(struct terminal *t, const char *text, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        int step = utf8_decode(text + i, len - i, &code);
        if (step > 0 && !utf8_hidden(code) && used + 4 <= LIMIT_TITLE_BYTES)
            used += utf8_encode(code, t->title + used);
        i += step > 0 ? (size_t)step : 1;
    }
    t->title[used] = '\0';
}

static void on_osc(void *user, const char *payload, size_t len)
{
    struct terminal *t = user;
    const struct terminal_events *events = t->options.events;
    char *end;
    long number = strtol(payload, &end, 10);
    if (end == payload || *end != ';')
        return;
    const char *value = end + 1;
    size_t value_len = len - (size_t)(value - payload);
    if (number == 0 || number == 2)
        set_title(t, value, value_len);
    else if (number == 7 && events->directory)
        events->directory(t->options.user, value, value_len);
    else if ((number == 133 || number == 633) && events->foreign_mark)
        events->foreign_mark(t->options.user, (int)number, value, value_len);
}

static void on_mark(void *user, const struct mark *mark)
{
    struct terminal *t = user;
    if (t->options.events->mark)
        t->options.events->mark(t->options.user, mark);
}

static void on_malformed(void *user)
{
    struct terminal *t = user;
    if (t->options.events->malformed)
        t->options.events->malformed(t->options.user);
}

static void on_restored(void *user)
{
    struct terminal *t = user;
    emulator_mend_cursor(t->emulator);
}

static void on_display(void *user, const char *bytes, size_t len)
{
    struct terminal *t = user;
    if (t->options.events->display)
        t->options.events->display(t->options.user, bytes, len);
}

static void on_reply(void *user, const char *bytes, size_t len)
{
    struct terminal *t = user;
    if (t->options.events->reply)
        t->options.events->reply(t->options.user, bytes, len);
}

static bool on_recorded(void *user, uint64_t offset)
{
    const struct terminal *t = user;
    return t->options.events->recorded && t->options.events->recorded(t->options.user, offset);
}

static const struct guard_events guard_events = {
    .recorded = on_recorded,
    .feed = on_feed,
    .osc = on_osc,
    .mark = on_mark,
    .malformed = on_malformed,
    .restored = on_restored,
    .display = on_display,
};

/* ---- life ---- */

static int size_or(int value, int fallback)
{
    return value ? limit_size(value) : fallback;
}

static struct emulator_options emulator_options(struct terminal *t)
{
    const struct terminal_options *options = &t->options;
    return (struct emulator_options){
        .cols = size_or(options->cols, LIMIT_COLS_DEFAULT),
        .rows = size_or(options->rows, LIMIT_ROWS_DEFAULT),
        .scrollback = options->scrollback ? options->scrollback : LIMIT_SCROLLBACK_LINES,
        .no_bypass = options->no_bypass,
        .reply = on_reply,
        .user = t,
    };
}

/* All but its emulator. */
static struct terminal *create_guarded(const struct terminal_options *options)
{
    struct terminal *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->options = *options;
    t->guard = guard_create(&guard_events, t);
    if (t->guard)
        return t;
    free(t);
    return NULL;
}

struct terminal *terminal_create(const struct terminal_options *options)
{
    struct terminal *t = create_guarded(options);
    if (!t)
        return NULL;
    struct emulator_options of_emulator = emulator_options(t);
    t->emulator = emulator_create(&of_emulator);
    if (!t->emulator) {
        terminal_destroy(t);
        return NULL;
    }
    guard_set_columns(t->guard, terminal_cols(t));
    return t;
}

void terminal_destroy(struct terminal *t)
{
    if (!t)
        return;
    guard_destroy(t->guard);
    emulator_destroy(t->emulator);
    free(t);
}

/* What a terminal knows besides its parts. */
struct point {
    int returns;
    bool line_expected;
    char title[LIMIT_TITLE_BYTES + 1];
};

bool terminal_save(const struct terminal *t, struct bytes *out)
{
    size_t start = out->len;
    struct point point;
    memset(&point, 0, sizeof point);
    point.returns = t->returns;
    point.line_expected = t->line_expected;
    memcpy(point.title, t->title, sizeof point.title);
    bytes_append(out, &point, sizeof point);
    if (!out->failed && guard_save(t->guard, out) && emulator_save(t->emulator, out))
        return true;
    out->len = start;
    return false;
}

struct terminal *terminal_load(const struct terminal_options *options, struct unpack *in)
{
    struct point point;
    struct terminal *t = create_guarded(options);
    if (!t)
        return NULL;
    struct emulator_options of_emulator = emulator_options(t);
    bool is_one = unpack_value(in, &point, sizeof point) && guard_load(t->guard, in);
    t->emulator = is_one ? emulator_load(&of_emulator, in) : NULL;
    if (!t->emulator) {
        terminal_destroy(t);
        return NULL;
    }
    t->returns = point.returns;
    t->line_expected = point.line_expected;
    memcpy(t->title, point.title, sizeof t->title);
    t->title[LIMIT_TITLE_BYTES] = '\0';
    guard_set_columns(t->guard, terminal_cols(t));
    return t;
}

size_t terminal_write(struct terminal *t, char *bytes, size_t len)
{
    return guard_write(t->guard, bytes, len);
}

uint64_t terminal_offset(const struct terminal *t)
{
    return guard_offset(t->guard);
}

void terminal_set_offset(struct terminal *t, uint64_t offset)
{
    guard_set_offset(t->guard, offset);
}

void terminal_set_nonce(struct terminal *t, const char *nonce)
{
    guard_set_nonce(t->guard, nonce);
}

void terminal_trust_first_mark(struct terminal *t)
{
    guard_set_trust(t->guard, GUARD_TRUST_FIRST);
}

void terminal_resize(struct terminal *t, int cols, int rows)
{
    emulator_resize(t->emulator, cols, rows);
    guard_set_columns(t->guard, terminal_cols(t));
}

/* ---- reading ---- */

int terminal_cols(const struct terminal *t)
{
    return emulator_grid(t->emulator)->cols;
}

int terminal_rows(const struct terminal *t)
{
    return emulator_grid(t->emulator)->rows;
}

/* A row's text within the columns of the screen. */
static void visible_text(const struct terminal *t, const struct row *row, struct bytes *out)
{
    size_t start = out->len;
    int used = row_used(row);
    row_text(row, 0, used < terminal_cols(t) ? used : terminal_cols(t),
             emulator_clusters(t->emulator), out);
    while (out->len > start && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

void terminal_row_text(const struct terminal *t, int row, struct bytes *out)
{
    visible_text(t, emulator_grid(t->emulator)->row[row], out);
}

struct terminal_cursor terminal_cursor(const struct terminal *t)
{
    struct emulator_cursor cursor = emulator_cursor(t->emulator);
    return (struct terminal_cursor){cursor.row, cursor.col, cursor.visible};
}

bool terminal_alt_screen(const struct terminal *t)
{
    return emulator_alt_screen(t->emulator);
}

const char *terminal_title(const struct terminal *t)
{
    return t->title;
}

bool terminal_alt_screen_seen(struct terminal *t, bool reset)
{
    return emulator_alt_screen_seen(t->emulator, reset);
}

/* Region, origin, insert, wrap, cursor, mouse, pen; then the screen, with the cursor where it was.
 */
#define FAREWELL                                                                                   \
    "\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b["      \
    "m\x1b[?1049l"

void terminal_leave_alt_screen(struct terminal *t)
{
    if (!emulator_alt_screen(t->emulator))
        return;
    guard_insert(t->guard, FAREWELL);
    emulator_mend_cursor(t->emulator);
}

bool terminal_bracketed_paste(const struct terminal *t)
{
    return settings_get(emulator_settings(t->emulator), SETTING_BRACKETED_PASTE);
}

size_t terminal_scrollback_count(const struct terminal *t)
{
    return scrollback_count(emulator_scrollback(t->emulator));
}

uint64_t terminal_scrollback_total(const struct terminal *t)
{
    return scrollback_total(emulator_scrollback(t->emulator));
}

void terminal_scrollback_text(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_line line = scrollback_get(emulator_scrollback(t->emulator), i);
    size_t len = line.len;
    while (len && line.text[len - 1] == ' ')
        len--;
    bytes_append(out, line.text, len);
}

void terminal_scrollback_pens(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_line line = scrollback_get(emulator_scrollback(t->emulator), i);
    bytes_append_text(out, line.continuation ? "+" : "");
    for (int run = 0; run < line.runs; run++) {
        bytes_printf(out, "%d", line.run[run].column);
        sgr_append(pen_lookup(emulator_pens(t->emulator), line.run[run].pen), out);
    }
}

struct terminal_anchor terminal_anchor(const struct terminal *t)
{
    struct emulator_cursor cursor = emulator_cursor(t->emulator);
    return (struct terminal_anchor){emulator_top(t->emulator) + (uint64_t)cursor.row, cursor.col};
}

void terminal_text_since(const struct terminal *t, struct terminal_anchor from, struct bytes *out)
{
    const struct grid *grid = emulator_primary(t->emulator);
    uint64_t top = emulator_top(t->emulator);
    int last = emulator_cursor(t->emulator).row;
    int first = from.row > top ? (int)(from.row - top) : 0;
    for (int i = first; i <= last && i < grid->rows; i++) {
        int col = top + (uint64_t)i == from.row ? from.col : 0;
        int used = row_used(grid->row[i]);
        bool wrapped = i < last && grid->row[i + 1]->continuation;
        if (wrapped || used == grid->cols)
            row_text(grid->row[i], col, used, emulator_clusters(t->emulator), out);
        else
            row_text_trimmed(grid->row[i], col, emulator_clusters(t->emulator), out);
        if (i < last && !wrapped)
            bytes_append_char(out, '\n');
    }
}

void terminal_capture_begin(struct terminal *t, terminal_output *output, void *user)
{
    emulator_capture_begin(t->emulator, output, user);
}

void terminal_capture_resume(struct terminal *t, terminal_output *output, void *user)
{
    emulator_capture_resume(t->emulator, output, user);
}

void terminal_capture_end(struct terminal *t)
{
    emulator_capture_end(t->emulator);
}

void terminal_capture_peek(const struct terminal *t, terminal_output *output, void *user)
{
    emulator_capture_peek(t->emulator, output, user);
}

void terminal_redraw(const struct terminal *t, struct bytes *out)
{
    redraw_screen(t->emulator, out);
    settings_append_input_modes(emulator_settings(t->emulator), out);
    if (t->title[0])
        bytes_printf(out, "\x1b]2;%s\x1b\\", t->title);
}

void terminal_restore_sequence(struct bytes *out)
{
    redraw_restore(out);
}

void terminal_set_shown(struct terminal *t, bool shown)
{
    guard_set_shown(t->guard, shown);
}

void terminal_expect_line(struct terminal *t)
{
    t->line_expected = true;
}
