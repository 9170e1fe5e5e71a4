#include "vterm_snapshot/terminal_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vterm_snapshot/engine.h"

/* ---- what the parser finds ---- */

static bool is_foreign_mark(long number)
{
    return number == 133 || number == 633 || number == 1337 || number == 7 || number == 9 ||
           number == 2;
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
        titles_set(&t->titles, value, value_len);
    else if (number == 8)
        screen_set_link(t->screen, value, value_len);
    if (is_foreign_mark(number) && events->foreign_mark)
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

static bool wants_size(const struct op *op)
{
    const struct csi *csi = &op->csi;
    if (op->kind != OP_CSI || csi->leader != '?' || csi->inter[0] || csi->final != 'h')
        return false;
    for (int i = 0; i < csi->count; i++)
        if (csi->value[i] == 2048)
            return true;
    return false;
}

/* Whoever was shown that may tell it. */
static void tell_size(struct terminal *t)
{
    bool (*sized)(void *) = t->options.events->sized;
    if (!sized || !sized(t->options.user))
        terminal_report_size(t);
}

static void draw(struct terminal *t, const struct op *op)
{
    if (op->kind == OP_CSI)
        titles_apply(&t->titles, &op->csi);
    if (op->kind == OP_ESCAPE && op->csi.final == 'c' && !op->csi.inter[0])
        colours_reset(t->colours);
    screen_apply(t->screen, op);
    expect_line(t, op);
    if (wants_size(op))
        tell_size(t);
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
    titles_finish(&t->titles);
    screen_destroy(t->screen);
    free(t);
}

/* What a terminal knows besides its parts. */
struct point {
    int returns;
    bool line_expected;
};

bool terminal_save_begin(const struct terminal *t, struct bytes *out)
{
    size_t start = out->len;
    struct point point;
    memset(&point, 0, sizeof point);
    point.returns = t->returns;
    point.line_expected = t->line_expected;
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
    titles_save(&t->titles, out);
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
    if (!t->screen || !colours_load(&t->colours, in) || !titles_load(&t->titles, in)) {
        terminal_destroy(t);
        return NULL;
    }
    t->returns = point.returns;
    t->line_expected = point.line_expected;
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

bool terminal_alt_screen_seen(struct terminal *t, bool reset)
{
    return screen_alt_screen_seen(t->screen, reset);
}

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

void terminal_set_shown(struct terminal *t, bool shown)
{
    t->shown = shown && t->options.events->display;
}

void terminal_expect_line(struct terminal *t)
{
    t->line_expected = true;
}

/* ---- answers ---- */

static void reply(const struct terminal *t, struct bytes *out)
{
    if (out->len && !out->failed && t->options.events->reply)
        t->options.events->reply(t->options.user, out->data, out->len);
    bytes_finish(out);
}

void terminal_answer(struct terminal *t, const struct query *query)
{
    struct bytes out = {0};
    answer_append(query, t->screen, t->colours, &t->facts, &out);
    reply(t, &out);
}

void terminal_report_size(struct terminal *t)
{
    struct bytes out = {0};
    if (modes_get(screen_modes(t->screen), MODE_SIZE))
        bytes_printf(&out, "\x1b[48;%d;%d;%d;%dt", terminal_rows(t), terminal_cols(t),
                     t->facts.y_pixels, t->facts.x_pixels);
    reply(t, &out);
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
