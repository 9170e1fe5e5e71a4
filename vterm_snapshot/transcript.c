#include "vterm_snapshot/transcript.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/width.h"

#define TAB_COLS 8

/* One column. A character two wide is followed by a cell without one. */
struct cell {
    uint32_t code, mark; /* 0 for none; of the marks that join it the last one is kept */
    uint64_t place;
    bool breaks; /* a line feed stood in front of it */
};

struct transcript {
    struct parser parser;
    transcript_changes *changes;
    void *user;
    int cols;

    struct bytes text, places; /* uint64_t for each byte of the text */
    size_t committed;          /* bytes of it that are not of the line at hand */
    size_t changed;            /* transcript_changed_from() */
    bool stale;                /* the line is other than the text's end */

    bool joins;              /* full rows */
    struct bytes breaks;     /* size_t each: transcript_breaks() */
    size_t committed_breaks; /* those in front of the line at hand */

    struct cell *cells; /* the line at hand, all its rows in one */
    size_t count, capacity;
    size_t written; /* so many of them are the text's end */
    size_t at;      /* the cell that is written next; it may stand behind `count` */
    bool broke;     /* a line feed came behind a full row: what is appended next has it in front */
    bool wraps;     /* the row's last cell was written: the cursor stands on it yet */
    bool inserts;   /* IRM */
    uint64_t place; /* of the operation at hand */
    uint32_t last;  /* character, for REP */
};

static enum mark_record on_recorded(void *user, uint64_t offset)
{
    (void)user;
    (void)offset;
    return MARK_RECORDED;
}

struct transcript *transcript_create(uint64_t offset, int cols, transcript_changes *changes,
                                     void *user)
{
    struct transcript *t = memory_try(sizeof *t);
    if (!t)
        return NULL;
    *t = (struct transcript){.changes = changes, .user = user};
    t->parser.recorded = on_recorded;
    parser_set_offset(&t->parser, offset);
    transcript_set_cols(t, cols);
    return t;
}

void transcript_destroy(struct transcript *t)
{
    if (!t)
        return;
    parser_finish(&t->parser);
    bytes_finish(&t->text);
    bytes_finish(&t->places);
    bytes_finish(&t->breaks);
    free(t->cells);
    free(t);
}

void transcript_set_cols(struct transcript *t, int cols)
{
    t->cols = limit_size(cols);
}

void transcript_join_full(struct transcript *t)
{
    t->joins = true;
}

/* ---- the text ---- */

static void append_character(struct transcript *t, uint32_t code, uint64_t place)
{
    char form[4];
    size_t n = utf8_encode(code, form);
    bytes_append(&t->text, form, n);
    while (n--)
        bytes_append(&t->places, &place, sizeof place);
}

/* Makes the line at hand the text's end. */
static void refresh(struct transcript *t)
{
    if (!t->stale)
        return;
    t->stale = false;
    if (!t->written) {
        t->text.len = t->committed;
        t->places.len = t->committed * sizeof(uint64_t);
        t->breaks.len = t->committed_breaks * sizeof(size_t);
    }
    for (; t->written < t->count; t->written++) {
        const struct cell *c = &t->cells[t->written];
        if (c->breaks)
            bytes_append(&t->breaks, &t->text.len, sizeof t->text.len);
        if (c->code)
            append_character(t, c->code, c->place);
        if (c->mark)
            append_character(t, c->mark, c->place);
    }
}

/* The line at hand changes, from its begin on or (`appends`) behind its end. */
static void touch(struct transcript *t, bool appends)
{
    size_t from = appends && !t->stale ? t->text.len : appends ? t->changed : t->committed;
    t->changed = from < t->changed ? from : t->changed;
    t->stale = true;
    t->written = appends ? t->written : 0;
}

/* What stands there will be other than it is. */
static void will_change(struct transcript *t)
{
    if (t->changes)
        t->changes(t->user);
    touch(t, false);
}

/* The line at hand is over, with a line feed or (too long) without. */
static void commit(struct transcript *t, bool feeds)
{
    refresh(t);
    if (feeds) {
        touch(t, true);
        append_character(t, '\n', t->place);
        t->stale = false;
    }
    t->committed = t->text.len;
    t->committed_breaks = t->breaks.len / sizeof(size_t);
    t->count = t->written = 0;
    t->broke = false;
}

/* ---- cells ---- */

static bool make_room(struct transcript *t, size_t count)
{
    size_t capacity = t->capacity ? t->capacity : 128;
    while (capacity < count)
        capacity *= 2;
    struct cell *cells =
        capacity == t->capacity ? t->cells : memory_try_grow(t->cells, capacity * sizeof *cells);
    if (!cells)
        return false;
    t->cells = cells;
    t->capacity = capacity;
    return true;
}

static void append_cell(struct transcript *t, uint32_t code)
{
    if (!make_room(t, t->count + 1))
        return;
    touch(t, true);
    t->cells[t->count++] = (struct cell){.code = code, .place = t->place, .breaks = t->broke};
    t->broke = false;
}

static void insert_cells(struct transcript *t, size_t at, size_t count)
{
    if (at >= t->count || !make_room(t, t->count + count))
        return;
    will_change(t);
    memmove(t->cells + at + count, t->cells + at, (t->count - at) * sizeof *t->cells);
    for (size_t i = 0; i < count; i++)
        t->cells[at + i] = (struct cell){.code = ' ', .place = t->place};
    t->count += count;
}

static void put_cell(struct transcript *t, uint32_t code)
{
    if (t->inserts)
        insert_cells(t, t->at, 1);
    while (t->count < t->at)
        append_cell(t, ' ');
    if (t->at == t->count) {
        append_cell(t, code);
    } else {
        will_change(t);
        t->cells[t->at] = (struct cell){.code = code, .place = t->place};
    }
    t->at++;
}

static void join_mark(struct transcript *t, uint32_t code)
{
    size_t i = t->at;
    while (i > 0 && i <= t->count && !t->cells[i - 1].code)
        i--;
    if (i == 0 || i > t->count)
        return;
    touch(t, false);
    t->cells[i - 1].mark = code;
    t->cells[i - 1].place = t->place;
}

static void put_character(struct transcript *t, uint32_t code)
{
    bool hidden = utf8_hidden(code) && !utf8_modifies(code);
    enum width width = hidden ? WIDTH_MARK : width_of(code);
    if (width == WIDTH_MARK) {
        if (!hidden)
            join_mark(t, code);
        return;
    }
    if (t->count >= LIMIT_TRANSCRIPT_CELLS) {
        t->at = 0;
        commit(t, false);
    }
    size_t cols = (size_t)t->cols;
    if (width == WIDTH_TWO && t->at % cols == cols - 1)
        put_cell(t, 0); /* it does not fit into the row */
    put_cell(t, code);
    if (width == WIDTH_TWO)
        put_cell(t, 0);
    t->wraps = t->at % cols == 0;
    t->last = code;
}

static void erase(struct transcript *t, size_t from, size_t to)
{
    to = to < t->count ? to : t->count;
    if (from >= to)
        return;
    will_change(t);
    for (size_t i = from; i < to; i++)
        t->cells[i] = (struct cell){.code = ' ', .place = t->place};
    if (to == t->count)
        t->count = from;
}

static void delete_cells(struct transcript *t, size_t at, size_t count)
{
    if (at >= t->count)
        return;
    count = count < t->count - at ? count : t->count - at;
    will_change(t);
    memmove(t->cells + at, t->cells + at + count, (t->count - at - count) * sizeof *t->cells);
    t->count -= count;
}

/* ---- the cursor ---- */

static size_t cursor(const struct transcript *t)
{
    return t->at - (t->wraps && t->at > 0);
}

static size_t row_of(const struct transcript *t)
{
    return cursor(t) / (size_t)t->cols;
}

static void move(struct transcript *t, size_t row, size_t col)
{
    size_t cols = (size_t)t->cols;
    t->at = row * cols + (col < cols ? col : cols - 1);
    t->wraps = false;
}

/* To another line, of which nothing is known. */
static void leave_line(struct transcript *t, size_t col)
{
    if (t->count)
        commit(t, true);
    move(t, 0, col);
}

static void move_up(struct transcript *t, size_t rows, size_t col)
{
    if (row_of(t) >= rows)
        move(t, row_of(t) - rows, col);
    else
        leave_line(t, col);
}

static void move_down(struct transcript *t, size_t rows, size_t col)
{
    size_t last = t->count ? (t->count - 1) / (size_t)t->cols : 0;
    if (row_of(t) + rows <= last)
        move(t, row_of(t) + rows, col);
    else
        leave_line(t, col);
}

static void feed_line(struct transcript *t, size_t col)
{
    size_t cols = (size_t)t->cols, last = t->count ? (t->count - 1) / cols : 0;
    bool full = t->count && t->count % cols == 0 && row_of(t) == last;
    if (row_of(t) < last || (t->joins && full)) {
        t->broke = row_of(t) == last;
        move(t, row_of(t) + 1, col);
        return;
    }
    commit(t, true);
    move(t, 0, col);
}

/* ---- operations ---- */

static void apply_control(struct transcript *t, uint32_t code)
{
    size_t col = cursor(t) % (size_t)t->cols;
    switch (code) {
    case '\b':
        move(t, row_of(t), col ? col - 1 : 0);
        break;
    case '\t':
        move(t, row_of(t), (col / TAB_COLS + 1) * TAB_COLS);
        break;
    case '\n':
    case '\v':
    case '\f':
        feed_line(t, col);
        break;
    case '\r':
        move(t, row_of(t), 0);
        break;
    }
}

static void apply_escape(struct transcript *t, const struct csi *csi)
{
    size_t col = cursor(t) % (size_t)t->cols;
    if (csi->inter[0])
        return;
    switch (csi->final) {
    case 'D':
        feed_line(t, col);
        break;
    case 'E':
        feed_line(t, 0);
        break;
    case 'M':
        move_up(t, 1, col);
        break;
    case '8':
    case 'c':
        leave_line(t, 0);
        break;
    }
}

static void erase_in_line(struct transcript *t, int which)
{
    size_t at = cursor(t), row = at - at % (size_t)t->cols;
    erase(t, which == 0 ? at : row, which == 1 ? at + 1 : row + (size_t)t->cols);
}

static void erase_in_screen(struct transcript *t, int which)
{
    erase(t, which == 0 ? cursor(t) : 0, which == 1 ? cursor(t) + 1 : t->count);
}

/* `n`: its value, at least 1. */
static void apply_move(struct transcript *t, const struct csi *csi, size_t n)
{
    size_t col = cursor(t) % (size_t)t->cols, row = row_of(t);
    switch (csi->final) {
    case 'A':
        move_up(t, n, col);
        break;
    case 'B':
    case 'e':
        move_down(t, n, col);
        break;
    case 'C':
    case 'a':
        move(t, row, col + n);
        break;
    case 'D':
        move(t, row, col > n ? col - n : 0);
        break;
    case 'E':
        move_down(t, n, 0);
        break;
    case 'F':
        move_up(t, n, 0);
        break;
    case 'G':
    case '`':
        move(t, row, n - 1);
        break;
    case 'H':
    case 'f': {
        int to = csi_value(csi, 1, 1);
        leave_line(t, to > 0 ? (size_t)to - 1 : 0);
        break;
    }
    case 'd':
        leave_line(t, col);
        break;
    case 'u':
        leave_line(t, 0);
        break;
    }
}

static void apply_plain(struct transcript *t, const struct csi *csi)
{
    int value = csi_value(csi, 0, 0);
    size_t n = value > 0 ? (size_t)value : 1, cols = (size_t)t->cols;
    size_t most = n < cols ? n : cols;
    switch (csi->final) {
    case 'J':
        erase_in_screen(t, value);
        break;
    case 'K':
        erase_in_line(t, value);
        break;
    case 'X':
        erase(t, cursor(t), cursor(t) + most);
        break;
    case '@':
        insert_cells(t, cursor(t), most);
        break;
    case 'P':
        delete_cells(t, cursor(t), most);
        break;
    case 'b':
        for (size_t i = 0; t->last && i < most; i++)
            put_character(t, t->last);
        break;
    case 'h':
    case 'l':
        if (value == 4)
            t->inserts = csi->final == 'h';
        break;
    default:
        apply_move(t, csi, n);
    }
}

static bool changes_screen(const struct csi *csi)
{
    for (int i = 0; csi->leader == '?' && i < csi->count; i++)
        if (csi->value[i] == 47 || csi->value[i] == 1047 || csi->value[i] == 1049)
            return csi->final == 'h' || csi->final == 'l';
    return false;
}

static void apply(struct transcript *t, const struct op *op)
{
    uint64_t behind = parser_offset(&t->parser);
    t->place = behind;
    switch (op->kind) {
    case OP_TEXT:
        for (size_t i = 0; i < op->raw_len; i++) {
            t->place = behind - op->raw_len + i + 1;
            put_character(t, (unsigned char)op->raw[i]);
        }
        break;
    case OP_CHARACTER:
        put_character(t, op->code);
        break;
    case OP_CONTROL:
        apply_control(t, op->code);
        break;
    case OP_ESCAPE:
        apply_escape(t, &op->csi);
        break;
    case OP_CSI:
        if (csi_plain(&op->csi))
            apply_plain(t, &op->csi);
        else if (changes_screen(&op->csi))
            leave_line(t, 0);
        break;
    case OP_MARK:
        mark_finish(op->mark);
        break;
    default: /* no other shows anything */
        break;
    }
}

size_t transcript_write(struct transcript *t, char *bytes, size_t len)
{
    struct op op;
    parser_give(&t->parser, bytes, len);
    while (parser_next(&t->parser, &op))
        apply(t, &op);
    parser_pass(&t->parser);
    return parser_taken(&t->parser);
}

uint64_t transcript_offset(const struct transcript *t)
{
    return parser_is_inside(&t->parser) ? parser_sequence_start(&t->parser)
                                        : parser_offset(&t->parser);
}

void transcript_leave_sequence(struct transcript *t)
{
    if (parser_is_inside(&t->parser))
        parser_leave(&t->parser);
}

/* ---- for whoever looks ---- */

const char *transcript_text(struct transcript *t, size_t *ret_len)
{
    refresh(t);
    *ret_len = t->text.len;
    return t->text.data ? t->text.data : "";
}

size_t transcript_changed_from(struct transcript *t)
{
    size_t from = t->changed;
    refresh(t);
    t->changed = t->text.len;
    return from < t->text.len ? from : t->text.len;
}

const size_t *transcript_breaks(struct transcript *t, size_t *ret_count)
{
    refresh(t);
    *ret_count = t->breaks.len / sizeof(size_t);
    return (const size_t *)(const void *)t->breaks.data;
}

uint64_t transcript_place(struct transcript *t, size_t from, size_t to)
{
    uint64_t last = 0;
    refresh(t);
    const uint64_t *places = (const uint64_t *)t->places.data;
    for (size_t i = from; i < to && i < t->text.len; i++)
        last = places[i] > last ? places[i] : last;
    return last;
}

static void forget_breaks(struct transcript *t, size_t n)
{
    size_t gone = 0, count = t->breaks.len / sizeof(size_t);
    size_t *breaks = (size_t *)(void *)t->breaks.data;
    for (size_t i = 0; i < count; i++)
        if (breaks[i] < n)
            gone++;
        else
            breaks[i] -= n;
    bytes_consume(&t->breaks, gone * sizeof *breaks);
    t->committed_breaks -= gone;
}

size_t transcript_forget(struct transcript *t, size_t keep)
{
    size_t n = keep < t->committed ? keep : t->committed;
    bytes_consume(&t->text, n);
    bytes_consume(&t->places, n * sizeof(uint64_t));
    forget_breaks(t, n);
    t->committed -= n;
    t->changed -= n < t->changed ? n : t->changed;
    return n;
}
