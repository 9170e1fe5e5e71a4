/* Blocks are read from the files as they were when they were asked for; the one that runs comes
 * last, and as it is then. Of scrollback, which goes on meanwhile, the rows are held first, which
 * copies none of them: making text and JSON of them costs most, and taking secrets out of them more
 * than that. */
#include "ptyd/worker/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_reader.h"
#include "ptyd/worker/told.h"
#include "ptyd/worker/worker.h"
#include "vterm_snapshot/left.h"

static int append_json(const char *text, size_t len, void *user)
{
    bytes_append(user, text, len);
    return 0;
}

/* Steals the value. */
static void append(struct bytes *out, bool first, json_t *value)
{
    bytes_append_text(out, first ? "[" : ",");
    json_dump_callback(value, append_json, out, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(value);
}

/* ---- blocks ---- */

struct blocks {
    struct stream stream;
    struct block_reader *reader;
    char *name;     /* of the session, which may go meanwhile */
    json_t *newest; /* of those that were read; it follows */
    bool begun;
};

json_t *listing_refresh(const struct session *s, json_t *block)
{
    struct block *running = tracker_running(session_tracker(s));
    if (!running || json_number(block, "seq", 0) != (json_int_t)running->seq)
        return block;
    struct board_place before = worker_looks_at(s);
    tracker_peek(session_tracker(s), LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES);
    board_leave(&before);
    json_decref(block);
    return block_to_json(running);
}

static void append_newest(struct blocks *b, struct bytes *out)
{
    if (!b->newest)
        return;
    append(out, !b->begun, b->newest);
    b->newest = NULL;
    b->begun = true;
}

static void end_blocks(struct blocks *b, struct bytes *out)
{
    const struct session *s = worker_find(client_worker(b->stream.client), b->name);
    json_t *rest = json_array(), *block;
    size_t i;
    if (b->newest)
        json_array_append_new(rest, b->newest);
    if (s)
        store_add_owed(session_store(s), rest);
    json_array_foreach(rest, i, block) {
        b->newest = json_incref(block);
        if (s && i + 1 == json_array_size(rest))
            b->newest = listing_refresh(s, b->newest);
        append_newest(b, out);
    }
    b->newest = NULL;
    json_decref(rest);
    bytes_append_text(out, b->begun ? "]" : "[]");
}

static bool blocks_piece(struct stream *stream, size_t bytes, struct bytes *out)
{
    struct blocks *b = (struct blocks *)stream;
    uint64_t end = block_reader_passed(b->reader) + bytes;
    while (block_reader_passed(b->reader) < end) {
        json_t *block;
        int found = block_reader_next(b->reader, &block);
        if (found < 0) {
            end_blocks(b, out);
            return false;
        }
        if (!found)
            continue;
        append_newest(b, out);
        b->newest = block;
    }
    return true;
}

static void blocks_finish(struct stream *stream)
{
    struct blocks *b = (struct blocks *)stream;
    block_reader_close(b->reader);
    json_decref(b->newest);
    free(b->name);
    free(b);
}

static size_t blocks_hold(const struct stream *stream)
{
    return sizeof(struct blocks) + block_reader_holds(((const struct blocks *)stream)->reader);
}

/* `name`: of the session that may have more than its files; "" for none. Takes the reader. */
static void stream_blocks(struct client *client, const json_t *id, struct block_reader *reader,
                          const char *name)
{
    struct blocks *b = memory_new(sizeof *b);
    *b = (struct blocks){
        .stream = {.piece = blocks_piece, .finish = blocks_finish, .holds = blocks_hold},
        .reader = reader,
        .name = text_copy(name)};
    client_stream(client, id, &b->stream);
}

void listing_blocks(struct client *client, const json_t *id, const struct session *s, size_t last)
{
    stream_blocks(client, id, store_reader(session_store(s), last), session_name(s));
}

void listing_files(struct client *client, const json_t *id, const char *directory, size_t last)
{
    stream_blocks(client, id, block_reader_open(directory, last, false), "");
}

/* ---- scrollback ---- */

struct scrollback {
    struct stream stream;
    struct left *left;       /* the rows that are to come; or NULL, and */
    struct told_lines *told; /* LISTING_REDACTED: they */
    bool begun;              /* one of them came */
    size_t count;            /* so many came */
    struct bytes goes_on;    /* with the screen: numbers of those that go on, each with a comma */
    bool with_screen;
    int screen_rows;
    bool screen_goes_on[LIMIT_SIZE_MAX];
    uint64_t total;
    enum listing_form form;
    char *name, *shell_id; /* of the session, whose secrets may go with it meanwhile */
    int redacted;          /* secrets */
    json_t *behind;        /* members that come last; or NULL */
};

static const struct session *session_of(const struct scrollback *b)
{
    const struct session *s = worker_find(client_worker(b->stream.client), b->name);
    return s && !strcmp(session_shell_id(s), b->shell_id) ? s : NULL;
}

/* NULL behind the last. */
static json_t *next_line(struct scrollback *b)
{
    struct bytes text = {0};
    bool left = b->form == LISTING_STYLED ? left_styled(b->left, &text) : left_text(b->left, &text);
    if (left && b->with_screen && left_goes_on(b->left))
        bytes_printf(&b->goes_on, "%zu,", b->count);
    b->count += left;
    json_t *line = left ? json_stringn(text.data ? text.data : "", text.len) : NULL;
    bytes_finish(&text);
    return line;
}

/* Without the session it is not known what is secret: the rest is left out. False behind the last.
 */
static bool append_told(struct scrollback *b, const struct session *s, struct bytes *out)
{
    json_t *rows = s ? told_lines_next(b->told, session_secrets(s), &b->redacted) : NULL, *row;
    size_t i;
    json_array_foreach(rows, i, row) {
        append(out, !b->begun, json_incref(row));
        b->begun = true;
    }
    json_decref(rows);
    return rows != NULL;
}

/* Which lines, and behind them rows of the screen, go on from the one before. */
static void append_goes_on(const struct scrollback *b, struct bytes *out)
{
    size_t len = b->goes_on.len;
    bytes_append_text(out, ",\"goes_on\":[");
    bytes_append(out, b->goes_on.data, len ? len - 1 : 0);
    for (int i = 0; i < b->screen_rows; i++)
        if (b->screen_goes_on[i]) {
            bytes_printf(out, "%s%zu", len ? "," : "", b->count + (size_t)i);
            len = 1;
        }
    bytes_append_char(out, ']');
}

static void end_scrollback(const struct scrollback *b, struct bytes *out)
{
    bytes_printf(out, "%s],\"total\":%llu", b->begun ? "" : "[", (unsigned long long)b->total);
    if (b->redacted)
        bytes_printf(out, ",\"redacted\":%d", b->redacted);
    const char *key;
    json_t *value;
    json_object_foreach(b->behind, key, value) {
        bytes_printf(out, ",\"%s\":", key);
        json_dump_callback(value, append_json, out, JSON_COMPACT | JSON_ENCODE_ANY);
    }
    if (b->with_screen)
        append_goes_on(b, out);
    bytes_append_char(out, '}');
}

static bool append_line(struct scrollback *b, struct bytes *out)
{
    json_t *line = next_line(b);
    if (line)
        append(out, !b->begun, line);
    b->begun = b->begun || line;
    return line;
}

static bool piece_of_scrollback(struct stream *stream, size_t bytes, struct bytes *out)
{
    struct scrollback *b = (struct scrollback *)stream;
    const struct session *s = session_of(b);
    size_t end = out->len + bytes;
    bool more;
    bytes_append_text(out, b->begun ? "" : "{\"lines\":");
    do
        more = b->left ? append_line(b, out) : append_told(b, s, out);
    while (more && out->len < end);
    if (!more)
        end_scrollback(b, out);
    return more;
}

static void scrollback_finish(struct stream *stream)
{
    struct scrollback *b = (struct scrollback *)stream;
    left_destroy(b->left);
    told_lines_close(b->told);
    bytes_finish(&b->goes_on);
    json_decref(b->behind);
    free(b->name);
    free(b->shell_id);
    free(b);
}

static size_t scrollback_holds(const struct stream *stream)
{
    const struct scrollback *b = (const struct scrollback *)stream;
    return sizeof *b + b->goes_on.capacity + (b->left ? left_bytes(b->left) : 0) +
           (b->told ? told_lines_bytes(b->told) : 0);
}

/* The screen as it is now; which of its rows go on is said behind which lines do. */
static void add_screen(struct scrollback *b, const struct terminal *t)
{
    b->with_screen = true;
    b->behind = json_pack("{s:o, s:i}", "rows", screen_styled_rows(t), "cols", terminal_cols(t));
    b->screen_rows = terminal_rows(t);
    for (int i = 0; i < b->screen_rows; i++)
        b->screen_goes_on[i] = terminal_row_goes_on(t, i);
}

/* Where `limit` lines from `from` on end, or as many more as a row that left is at this width: what
 * is asked for next, by the number that is returned, begins with line *ret_end. */
static uint64_t end_of_part(const struct terminal *t, size_t from, size_t limit, size_t *ret_end)
{
    size_t count = terminal_scrollback_count(t);
    uint64_t first, last, next, next_last;
    for (size_t end = from + limit; limit && limit < count - from && end < count; end++) {
        *ret_end = end;
        terminal_scrollback_numbers(t, end - 1, &first, &last);
        terminal_scrollback_numbers(t, end, &next, &next_last);
        if (next > last || next_last > last)
            return next > last ? next : last + 1;
    }
    *ret_end = count;
    return terminal_scrollback_total(t);
}

/* Lines [*ret_from, *ret_end), and behind them where they begin and what is asked for next. A row
 * that left may be a part of a line by now, which then comes whole. Rows that the screen took back
 * were read already: they are waited for. */
static json_t *find_numbered(const struct terminal *t, const struct listing_part *part,
                             size_t *ret_from, size_t *ret_end)
{
    size_t count = terminal_scrollback_count(t);
    uint64_t asked = terminal_lasting_row(t, part->from), first, last, next;
    uint64_t total = terminal_scrollback_total(t), bottom = total + (uint64_t)terminal_rows(t);
    size_t from = count - terminal_scrollback_since(t, asked);
    if (from)
        terminal_scrollback_numbers(t, from - 1, &first, &last);
    from -= from && last >= asked;
    next = end_of_part(t, from, part->limit, ret_end);
    first = asked < bottom ? asked : total;
    if (from < count)
        terminal_scrollback_numbers(t, from, &first, &last);
    *ret_from = from;
    first = first <= asked && asked < bottom ? part->from : terminal_lasting(t, first);
    next = from < count ? terminal_lasting(t, next) : first;
    return json_pack("{s:I, s:I}", "first", (json_int_t)first, "next", (json_int_t)next);
}

void listing_scrollback(struct client *client, const json_t *id, const struct session *s,
                        const struct listing_part *part)
{
    const struct terminal *t = session_terminal(s);
    size_t count = terminal_scrollback_count(t), end = part->skip < count ? count - part->skip : 0;
    size_t from = part->limit && part->limit < end ? end - part->limit : 0;
    struct scrollback *b = memory_new(sizeof *b);
    *b = (struct scrollback){.stream = {.piece = piece_of_scrollback,
                                        .finish = scrollback_finish,
                                        .holds = scrollback_holds},
                             .total = terminal_lasting(t, terminal_scrollback_total(t)),
                             .form = part->form,
                             .name = text_copy(session_name(s)),
                             .shell_id = text_copy(session_shell_id(s))};
    if (part->numbered)
        b->behind = find_numbered(t, part, &from, &end);
    else if (part->screen)
        add_screen(b, t);
    if (part->form == LISTING_REDACTED)
        b->told = told_lines_open(s, from, end);
    else if (!(b->left = terminal_copy_scrollback(t, from, end)))
        memory_end();
    client_stream(client, id, &b->stream);
}
