#include "vterm_snapshot/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/answer.h"
#include "vterm_snapshot/colours.h"
#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/left.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/redraw.h"
#include "vterm_snapshot/screen.h"
#include "vterm_snapshot/sgr.h"

struct terminal {
    struct terminal_options options;
    struct parser parser;
    struct screen *screen;
    struct colours *colours;
    struct answer_facts facts;
    char title[LIMIT_TITLE_BYTES + 1];
    bool line_expected;
    bool watched; /* terminal_watch() */
    bool stopped; /* terminal_stop() */
    int returns;  /* carriage returns drawn last, while a line is expected */
    bool shown;   /* somebody wants what an attached terminal may see */
};

/* ---- what the parser finds ---- */

static void set_title(struct terminal *t, const char *text, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        int step = utf8_decode(text + i, len - i, &code);
        bool shown = step > 0 && (!utf8_hidden(code) || utf8_modifies(code));
        if (shown && used + 4 <= LIMIT_TITLE_BYTES)
            used += utf8_encode(code, t->title + used);
        i += step > 0 ? (size_t)step : 1;
    }
    t->title[used] = '\0';
}

static bool is_foreign_mark(long number)
{
    return number == 133 || number == 633 || number == 1337 || number == 7;
}

static void take_osc(struct terminal *t, const char *payload, size_t len)
{
    const struct terminal_events *events = t->options.events;
    char *end;
    long number = strtol(payload, &end, 10);
    if (end == payload || number < 0 || number > LIMIT_CSI_VALUE)
        return;
    colours_take(&t->colours, (int)number, *end == ';' ? end + 1 : end);
    if (*end != ';')
        return;
    const char *value = end + 1;
    size_t value_len = len - (size_t)(value - payload);
    if (number == 0 || number == 2)
        set_title(t, value, value_len);
    else if (number == 8)
        screen_set_link(t->screen, value, value_len);
    else if (is_foreign_mark(number) && events->foreign_mark)
        events->foreign_mark(t->options.user, (int)number, value, value_len);
}

static void take_mark(struct terminal *t, struct mark *mark)
{
    if (t->options.events->mark)
        t->options.events->mark(t->options.user, mark);
    mark_finish(mark);
}

/* The line feed that is waited for; then whoever waits. A line editor that wraps prints CR LF
 * itself, which the tty makes CR CR LF: its line goes on. */
static void expect_line(struct terminal *t, const struct op *op)
{
    bool is_feed = op->kind == OP_CONTROL && op->code == '\n', wraps = t->returns >= 2;
    if (!t->line_expected)
        return;
    t->returns = op->kind == OP_CONTROL && op->code == '\r' ? t->returns + 1 : 0;
    if (!is_feed || wraps)
        return;
    t->line_expected = false;
    parser_pass(&t->parser);
    if (t->options.events->line)
        t->options.events->line(t->options.user);
}

/* Behind its bytes. Whoever was shown them may answer; else it is done here. */
static void on_query(void *user, const struct query *query)
{
    struct terminal *t = user;
    bool (*asked)(void *, const struct query *) = t->options.events->query;
    parser_pass(&t->parser);
    if (!asked || !asked(t->options.user, query))
        terminal_answer(t, query);
}

static void take(struct terminal *t, const struct op *op);

static void repeat(struct terminal *t, const struct op *op)
{
    char text[4];
    struct op again;
    for (int count = screen_repetitions(t->screen, op, text, &again); count; count--)
        take(t, &again);
    screen_apply(t->screen, op);
}

static void draw(struct terminal *t, const struct op *op)
{
    if (op->kind == OP_ESCAPE && op->csi.final == 'c' && !op->csi.inter[0])
        colours_reset(t->colours);
    screen_apply(t->screen, op);
    expect_line(t, op);
    if (t->watched && t->options.events->drawn)
        t->options.events->drawn(t->options.user, op);
}

static void take(struct terminal *t, const struct op *op)
{
    if (op->kind == OP_MARK) {
        take_mark(t, op->mark);
    } else if (op->kind == OP_MALFORMED) {
        if (t->options.events->malformed)
            t->options.events->malformed(t->options.user);
    } else if (op->kind == OP_OSC) {
        take_osc(t, op->string, op->string_len);
        query_find(op, on_query, t);
    } else if (op->kind == OP_DCS || op->kind == OP_APC) {
        query_find(op, on_query, t);
    } else if (query_find(op, on_query, t)) {
        return;
    } else if (op->kind == OP_CSI && op->csi.final == 'b') {
        repeat(t, op);
    } else {
        draw(t, op);
    }
}

size_t terminal_write(struct terminal *t, char *bytes, size_t len)
{
    struct op op;
    struct parser *p = &t->parser;
    parser_give(p, bytes, len);
    t->stopped = false;
    while (!t->stopped && ((!t->line_expected && !t->watched && screen_draw(t->screen, p, &op)) ||
                           parser_next(p, &op)))
        take(t, &op);
    parser_pass(p);
    return parser_taken(p);
}

void terminal_watch(struct terminal *t, bool watched)
{
    t->watched = watched;
}

void terminal_stop(struct terminal *t)
{
    t->stopped = true;
}

static void on_pass(void *user, const char *bytes, size_t len, uint64_t offset)
{
    struct terminal *t = user;
    if (t->shown)
        t->options.events->display(t->options.user, bytes, len, offset);
}

/* Sequences of our own at this point of the stream, for the terminal and whoever sees it. */
static void insert(struct terminal *t, char *sequences, size_t len)
{
    struct parser p = {0};
    struct op op;
    parser_pass(&t->parser);
    on_pass(t, sequences, len, parser_offset(&t->parser));
    parser_give(&p, sequences, len);
    while (parser_next(&p, &op))
        take(t, &op);
    parser_finish(&p);
}

static enum mark_record on_recorded(void *user, uint64_t offset)
{
    const struct terminal *t = user;
    return t->options.events->recorded(t->options.user, offset);
}

/* ---- life ---- */

static int size_or(int value, int fallback)
{
    return value ? limit_size(value) : fallback;
}

static struct screen_options screen_options(struct terminal *t)
{
    const struct terminal_options *options = &t->options;
    return (struct screen_options){
        .cols = size_or(options->cols, LIMIT_COLS_DEFAULT),
        .rows = size_or(options->rows, LIMIT_ROWS_DEFAULT),
        .scrollback = options->scrollback ? options->scrollback : LIMIT_SCROLLBACK_LINES,
        .no_bypass = options->no_bypass,
    };
}

/* All but its screen. */
static struct terminal *create_empty(const struct terminal_options *options)
{
    struct terminal *t = memory_try(sizeof *t);
    if (!t)
        return NULL;
    t->options = *options;
    t->parser.recorded = options->events->recorded ? on_recorded : NULL;
    t->parser.pass = options->events->display ? on_pass : NULL;
    t->parser.user = t;
    t->shown = options->events->display != NULL;
    return t;
}

void terminal_prepare(void)
{
    engine_prepare();
}

struct terminal *terminal_create(const struct terminal_options *options)
{
    struct terminal *t = create_empty(options);
    if (!t)
        return NULL;
    struct screen_options of_screen = screen_options(t);
    t->screen = screen_create(&of_screen);
    if (!t->screen) {
        terminal_destroy(t);
        return NULL;
    }
    return t;
}

void terminal_destroy(struct terminal *t)
{
    if (!t)
        return;
    parser_finish(&t->parser);
    colours_destroy(t->colours);
    screen_destroy(t->screen);
    free(t);
}

/* What a terminal knows besides its parts. */
struct point {
    int returns;
    bool line_expected;
    char title[LIMIT_TITLE_BYTES + 1];
};

bool terminal_save_begin(const struct terminal *t, struct bytes *out)
{
    size_t start = out->len;
    struct point point;
    memset(&point, 0, sizeof point);
    point.returns = t->returns;
    point.line_expected = t->line_expected;
    memcpy(point.title, t->title, sizeof point.title);
    bytes_append(out, &point, sizeof point);
    if (!out->failed && parser_save(&t->parser, out) && screen_save_begin(t->screen, out))
        return true;
    out->len = start;
    return false;
}

bool terminal_save_more(const struct terminal *t, size_t *row, size_t bytes, struct bytes *out)
{
    if (screen_save_rows(t->screen, row, bytes, out))
        return true;
    colours_save(t->colours, out);
    return false;
}

bool terminal_save(const struct terminal *t, struct bytes *out)
{
    size_t start = out->len, row = 0;
    if (terminal_save_begin(t, out)) {
        terminal_save_more(t, &row, SIZE_MAX, out);
        if (!out->failed)
            return true;
    }
    out->len = start;
    return false;
}

struct terminal *terminal_load(const struct terminal_options *options, struct unpack *in)
{
    struct point point;
    struct terminal *t = create_empty(options);
    if (!t)
        return NULL;
    struct screen_options of_screen = screen_options(t);
    bool is_one = unpack_value(in, &point, sizeof point) && parser_load(&t->parser, in);
    t->screen = is_one ? screen_load(&of_screen, in) : NULL;
    if (!t->screen || !colours_load(&t->colours, in)) {
        terminal_destroy(t);
        return NULL;
    }
    t->returns = point.returns;
    t->line_expected = point.line_expected;
    memcpy(t->title, point.title, sizeof t->title);
    t->title[LIMIT_TITLE_BYTES] = '\0';
    return t;
}

uint64_t terminal_offset(const struct terminal *t)
{
    return parser_offset(&t->parser);
}

void terminal_set_offset(struct terminal *t, uint64_t offset)
{
    parser_set_offset(&t->parser, offset);
}

uint64_t terminal_shown_offset(const struct terminal *t)
{
    return parser_passed(&t->parser);
}

bool terminal_open_mark(const struct terminal *t, uint64_t *ret_offset)
{
    return parser_open_mark(&t->parser, ret_offset);
}

bool terminal_is_inside(const struct terminal *t)
{
    return parser_is_inside(&t->parser);
}

uint64_t terminal_sequence_start(const struct terminal *t)
{
    return parser_sequence_start(&t->parser);
}

void terminal_leave_sequence(struct terminal *t)
{
    parser_leave(&t->parser);
}

void terminal_set_nonce(struct terminal *t, const char *nonce)
{
    parser_set_nonce(&t->parser, nonce);
}

void terminal_trust_first_mark(struct terminal *t)
{
    t->parser.trust = PARSER_TRUST_FIRST;
}

void terminal_resize(struct terminal *t, int cols, int rows)
{
    screen_resize(t->screen, cols, rows);
}

/* ---- reading ---- */

int terminal_cols(const struct terminal *t)
{
    return screen_grid(t->screen)->cols;
}

int terminal_rows(const struct terminal *t)
{
    return screen_grid(t->screen)->rows;
}

void terminal_row_text(const struct terminal *t, int row, struct bytes *out)
{
    const struct row *r = screen_grid(t->screen)->row[row];
    int used = row_used(r), cols = terminal_cols(t);
    row_text_trimmed(r, 0, used < cols ? used : cols, screen_clusters(t->screen), out);
}

void terminal_row_styled(const struct terminal *t, int row, struct bytes *out)
{
    struct styles styles = screen_styles(t->screen);
    styled_cells(screen_grid(t->screen)->row[row], 0, terminal_cols(t), true, &styles, out);
}

struct terminal_cursor terminal_cursor(const struct terminal *t)
{
    struct screen_cursor cursor = screen_cursor(t->screen);
    return (struct terminal_cursor){cursor.row, cursor.col, cursor.visible};
}

bool terminal_alt_screen(const struct terminal *t)
{
    return screen_alt_screen(t->screen);
}

const char *terminal_title(const struct terminal *t)
{
    return t->title;
}

bool terminal_alt_screen_seen(struct terminal *t, bool reset)
{
    return screen_alt_screen_seen(t->screen, reset);
}

/* Region, origin, insert, wrap, cursor, mouse, pen; then the screen, with the cursor where it was.
 */
const char terminal_farewell[] = "\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b[?25h\x1b[?1000l\x1b[?1002l"
                                 "\x1b[?1003l\x1b[?1006l\x1b[m\x1b[?1049l";

void terminal_leave_alt_screen(struct terminal *t)
{
    if (!screen_alt_screen(t->screen))
        return;
    char farewell[sizeof terminal_farewell];
    memcpy(farewell, terminal_farewell, sizeof farewell);
    if (t->options.events->left)
        t->options.events->left(t->options.user, parser_offset(&t->parser));
    insert(t, farewell, sizeof farewell - 1);
}

bool terminal_cursor_keys(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_CURSOR_KEYS);
}

bool terminal_reports_focus(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_FOCUS);
}

bool terminal_bracketed_paste(const struct terminal *t)
{
    return modes_get(screen_modes(t->screen), MODE_BRACKETED_PASTE);
}

size_t terminal_scrollback_count(const struct terminal *t)
{
    return scrollback_count(screen_scrollback(t->screen));
}

uint64_t terminal_scrollback_total(const struct terminal *t)
{
    return scrollback_total(screen_scrollback(t->screen));
}

uint64_t terminal_scrollback_oldest(const struct terminal *t)
{
    return terminal_scrollback_total(t) - scrollback_pieces(screen_scrollback(t->screen));
}

size_t terminal_scrollback_since(const struct terminal *t, uint64_t from)
{
    return scrollback_since(screen_scrollback(t->screen), from);
}

void terminal_scrollback_numbers(const struct terminal *t, size_t i, uint64_t *ret_first,
                                 uint64_t *ret_last)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    *ret_first = row.first;
    *ret_last = row.last;
}

void terminal_scrollback_text(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    size_t len = row.len;
    while (len && row.text[len - 1] == ' ')
        len--;
    bytes_append(out, row.text, len);
}

struct left *terminal_copy_scrollback(const struct terminal *t, size_t from, size_t to)
{
    return left_create(screen_scrollback(t->screen), screen_pens(t->screen), from, to);
}

void terminal_scrollback_pens(const struct terminal *t, size_t i, struct bytes *out)
{
    struct scrollback_row row = scrollback_get(screen_scrollback(t->screen), i);
    bytes_append_text(out, row.continuation ? "+" : "");
    for (int run = 0; run < row.runs; run++) {
        bytes_printf(out, "%d", row.run[run].column);
        sgr_append(pen_lookup(screen_pens(t->screen), row.run[run].pen), out);
    }
}

bool terminal_scrollback_goes_on(const struct terminal *t, size_t i)
{
    return scrollback_get(screen_scrollback(t->screen), i).continuation > 0;
}

struct terminal_anchor terminal_scrollback_anchor(const struct terminal *t, size_t i)
{
    struct scrollback_place place = scrollback_place(screen_scrollback(t->screen), i);
    return (struct terminal_anchor){.line = place.line, .offset = place.offset};
}

struct terminal_anchor terminal_anchor(const struct terminal *t)
{
    struct screen_cursor cursor = screen_cursor(t->screen);
    return anchor_at(screen_primary(t->screen), screen_scrollback(t->screen), cursor.row,
                     cursor.col);
}

bool terminal_row_goes_on(const struct terminal *t, int row)
{
    return screen_grid(t->screen)->row[row]->continuation > 0;
}

struct terminal_anchor terminal_follow(const struct terminal *t, struct terminal_anchor at)
{
    return screen_follow(t->screen, at);
}

uint64_t terminal_follow_row(const struct terminal *t, uint64_t number, bool end)
{
    struct terminal_anchor row = {.line = number, .cols = 1}, at = screen_follow(t->screen, row);
    return anchor_row(at) + (end && anchor_col(at) > 0);
}

void terminal_text_since(const struct terminal *t, struct terminal_anchor from, struct bytes *out)
{
    const struct grid *grid = screen_primary(t->screen);
    uint64_t top = screen_top(t->screen), begin = anchor_row(from);
    int last = screen_cursor(t->screen).row;
    int first = begin > top ? (int)(begin - top) : 0;
    for (int i = first; i <= last && i < grid->rows; i++) {
        int col = top + (uint64_t)i == begin ? anchor_col(from) : 0;
        int used = row_used(grid->row[i]);
        bool wrapped = i < last && grid->row[i + 1]->continuation;
        if (wrapped || used == grid->cols)
            row_text(grid->row[i], col, used, screen_clusters(t->screen), out);
        else
            row_text_trimmed(grid->row[i], col, used, screen_clusters(t->screen), out);
        if (i < last && !wrapped)
            bytes_append_char(out, '\n');
    }
}

void terminal_capture_begin(struct terminal *t, terminal_output *output, void *user)
{
    screen_capture_begin(t->screen, output, user);
}

void terminal_capture_styled(struct terminal *t)
{
    screen_capture_styled(t->screen);
}

void terminal_capture_resume(struct terminal *t, terminal_output *output, void *user)
{
    screen_capture_resume(t->screen, output, user);
}

void terminal_capture_end(struct terminal *t)
{
    screen_capture_end(t->screen);
}

uint64_t terminal_capture_peek(const struct terminal *t, uint64_t most, terminal_output *output,
                               void *user)
{
    return screen_capture_peek(t->screen, most, output, user);
}

static void append_title(const struct terminal *t, struct bytes *out)
{
    if (t->title[0])
        bytes_printf(out, "\x1b]2;%s\x1b\\", t->title);
}

void terminal_redraw(const struct terminal *t, struct bytes *out)
{
    redraw_screen(t->screen, out);
    colours_append_set(t->colours, out);
    append_title(t, out);
}

void terminal_redraw_part(const struct terminal *t, int cols, int rows, struct bytes *out)
{
    redraw_part(t->screen, cols, rows, out);
    append_title(t, out);
}

void terminal_redraw_end(const struct terminal *t, struct bytes *out)
{
    redraw_end(t->screen, out);
}

void terminal_set_shown(struct terminal *t, bool shown)
{
    t->shown = shown && t->options.events->display;
}

void terminal_expect_line(struct terminal *t)
{
    t->line_expected = true;
}

/* ---- answers ---- */

void terminal_answer(struct terminal *t, const struct query *query)
{
    struct bytes out = {0};
    answer_append(query, t->screen, t->colours, &t->facts, &out);
    if (out.len && !out.failed && t->options.events->reply)
        t->options.events->reply(t->options.user, out.data, out.len);
    bytes_finish(&out);
}

void terminal_hear(struct terminal *t, const char *answer, size_t len)
{
    char payload[TERMINAL_HEARD_BYTES + 1], *end;
    if (len < 4 || len > TERMINAL_HEARD_BYTES || memcmp(answer, "\x1b]", 2))
        return;
    len -= answer[len - 1] == '\\' ? 4 : 3; /* `ESC ]`, and ST or BEL */
    memcpy(payload, answer + 2, len);
    payload[len] = '\0';
    long number = strtol(payload, &end, 10);
    if (end > payload && *end == ';' && number >= 0 && number <= LIMIT_CSI_VALUE)
        colours_hear(&t->colours, (int)number, end + 1);
}

/* Nothing else may be in an answer. */
static void set_name(char *name, size_t size, const char *value)
{
    size_t len = 0;
    for (; value && *value && len + 1 < size; value++)
        if (*value >= 0x20 && *value < 0x7f)
            name[len++] = *value;
    name[len] = '\0';
}

void terminal_set_names(struct terminal *t, const char *version, const char *name)
{
    set_name(t->facts.version, sizeof t->facts.version, version);
    set_name(t->facts.name, sizeof t->facts.name, name);
}

void terminal_set_pixels(struct terminal *t, int x_pixels, int y_pixels)
{
    t->facts.x_pixels = x_pixels;
    t->facts.y_pixels = y_pixels;
}

void terminal_answer_checksums(struct terminal *t)
{
    t->facts.checksums = true;
}
