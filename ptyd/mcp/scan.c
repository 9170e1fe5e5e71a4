/* Lines have numbers with the daemon, cursors count bytes: where lines were found to begin is kept,
 * so that who reads on does not begin at the first. */
#include "ptyd/mcp/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

#define CURSOR_BYTES (1LL << 28) /* more than a command's file has (LIMIT_OUTPUT_FILE_BYTES) */

static struct scan *scan_of(struct call *c)
{
    return c->state;
}

long long cursor_of(long long seq, long long byte)
{
    return seq * CURSOR_BYTES + (byte < CURSOR_BYTES ? byte : CURSOR_BYTES - 1);
}

/* ---- where lines begin ---- */

static struct place {
    char *session, *id;
    long long seq, line, byte;
} places[LIMIT_MCP_PLACES];

static void remember(const char *session, const struct scan *s, long long line, long long byte)
{
    static size_t oldest;
    struct place *p = NULL;
    for (size_t i = 0; i < LIMIT_MCP_PLACES && !p; i++)
        if (places[i].id && !strcmp(places[i].id, s->id) && places[i].line == line)
            p = &places[i];
    if (!p)
        p = &places[oldest++ % LIMIT_MCP_PLACES];
    free(p->session);
    free(p->id);
    *p = (struct place){.session = text_copy(session),
                        .id = text_copy(s->id),
                        .seq = s->seq,
                        .line = line,
                        .byte = byte};
}

/* Begins at the last line that is known to begin in front of the cursor. */
static void find_place(const char *session, struct scan *s)
{
    const struct place *best = NULL;
    for (size_t i = 0; i < LIMIT_MCP_PLACES; i++) {
        const struct place *p = &places[i];
        if (p->id && p->seq == s->seq && p->byte <= s->byte && !strcmp(p->session, session) &&
            (!best || p->byte > best->byte))
            best = p;
    }
    free(s->id);
    s->id = best ? text_copy(best->id) : NULL;
    s->line = best ? best->line : 0;
    s->base = best ? best->byte : 0;
}

/* ---- one command's ---- */

static void on_lines(struct call *c, const json_t *output);

static void ask_lines(struct call *c)
{
    const struct scan *s = scan_of(c);
    call_ask(c, "session.output",
             json_pack("{s:s, s:I, s:i}", "block", s->block, "offset", (json_int_t)s->line, "limit",
                       LIMIT_MCP_LINES),
             on_lines);
}

static void take_lines(struct scan *s, const json_t *output)
{
    const json_t *lines = json_object_get(output, "lines");
    size_t i, count = json_array_size(lines);
    json_t *line;
    s->read.len = 0;
    json_array_foreach(lines, i, line) {
        bytes_append(&s->read, json_string_value(line), json_string_length(line));
        if (i + 1 < count || !s->runs || s->next >= 0)
            bytes_append_char(&s->read, '\n');
    }
    json_decref(s->numbers);
    s->numbers = json_incref(json_object_get(output, "numbers"));
}

static long long number_at(const struct scan *s, size_t i)
{
    return json_integer_value(json_array_get(s->numbers, i));
}

/* The line's index among those that were read, and where it begins. */
static size_t index_at(const struct scan *s, size_t byte, size_t *ret_begin)
{
    size_t index = 0, begin = 0;
    for (size_t at = 0; at < byte && at < s->read.len; at++)
        if (s->read.data[at] == '\n' && at + 1 < s->read.len) {
            index++;
            begin = at + 1;
        }
    *ret_begin = begin;
    return index;
}

static void on_lines(struct call *c, const json_t *output)
{
    struct scan *s = scan_of(c);
    const char *id = json_text(output, "block_id", "");
    if (s->id && strcmp(s->id, id) != 0) { /* another session's, of the same name */
        free(s->id);
        s->id = NULL;
        s->line = s->base = 0;
        ask_lines(c);
        return;
    }
    free(s->id);
    s->id = text_copy(id);
    s->runs = !strcmp(json_text(output, "status", ""), "running");
    s->next = json_number(output, "next", -1);
    take_lines(s, output);
    if (json_array_size(s->numbers)) {
        size_t begin, i = index_at(s, s->read.len, &begin);
        remember(c->session, s, number_at(s, i) - 1, s->base + (long long)begin);
    }
    s->text(c);
}

static void begin_block(struct call *c)
{
    find_place(c->session, scan_of(c));
    ask_lines(c);
}

void scan_block(struct call *c, const char *block, long long byte)
{
    struct scan *s = scan_of(c);
    const char *colon = strchr(block, ':');
    bool pair = colon && !strchr(colon + 1, ':'); /* NAME:NUMBER */
    s->one = true;
    s->seq = strtoll(colon ? colon + 1 : block, NULL, 10);
    s->byte = byte;
    free(s->block);
    s->block = text_copy(pair ? colon + 1 : block);
    begin_block(c);
}

/* ---- all of them ---- */

static void on_list(struct call *c, const json_t *blocks);

static void ask_list(struct call *c, long long after)
{
    call_ask(c, "session.blocks", json_pack("{s:I}", "after", (json_int_t)(after > 0 ? after : 0)),
             on_list);
}

/* Those that are private are passed over. */
static void next_block(struct call *c)
{
    struct scan *s = scan_of(c);
    const json_t *block;
    while ((block = json_array_get(s->blocks, s->at)) && json_flag(block, "private"))
        s->at++;
    if (!block) {
        size_t count = json_array_size(s->blocks);
        block = count ? json_array_get(s->blocks, count - 1) : NULL;
        if (block)
            ask_list(c, json_number(block, "seq", 0));
        else
            s->over(c);
        return;
    }
    long long seq = json_number(block, "seq", 0);
    s->byte = seq == s->seq ? s->byte : 0;
    s->seq = seq;
    free(s->block);
    s->block = text_format("%lld", seq);
    begin_block(c);
}

static void on_list(struct call *c, const json_t *blocks)
{
    struct scan *s = scan_of(c);
    json_decref(s->blocks);
    s->blocks = json_deep_copy(blocks);
    s->at = 0;
    next_block(c);
}

void scan_begin(struct call *c, long long cursor)
{
    struct scan *s = scan_of(c);
    s->one = false;
    s->seq = cursor / CURSOR_BYTES;
    s->byte = cursor % CURSOR_BYTES;
    ask_list(c, s->seq - 1);
}

/* ---- reading on ---- */

const char *scan_text(const struct scan *s, size_t *ret_len, size_t *ret_from)
{
    long long from = s->byte > s->base ? s->byte - s->base : 0;
    *ret_len = s->read.len;
    *ret_from = from < (long long)s->read.len ? (size_t)from : s->read.len;
    return s->read.data ? s->read.data : "";
}

bool scan_goes_on(const struct scan *s)
{
    return s->runs || s->next >= 0;
}

void scan_take(struct scan *s, size_t len)
{
    long long byte = s->base + (long long)len;
    s->byte = byte > s->byte ? byte : s->byte;
}

size_t scan_settled(const struct scan *s)
{
    size_t begin;
    index_at(s, s->read.len, &begin);
    return s->runs && s->next < 0 ? begin : s->read.len;
}

void scan_next(struct call *c, size_t keep)
{
    struct scan *s = scan_of(c);
    size_t begin = 0, index = keep < s->read.len ? index_at(s, keep, &begin) : 0;
    if (s->next >= 0) {
        s->line = index ? number_at(s, index) - 1 : s->next;
        s->base += (long long)(index ? begin : s->read.len);
        ask_lines(c);
    } else if (!s->one && !s->runs) {
        s->at++;
        next_block(c);
    } else {
        s->over(c);
    }
}

void scan_finish(struct scan *s)
{
    free(s->block);
    free(s->id);
    json_decref(s->blocks);
    json_decref(s->numbers);
    bytes_finish(&s->read);
}
