/* What commands did and printed, in the members that the original's tools had. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/mcp/all.h"
#include "ptyd/mcp/scan.h"

#define MOST_BYTES (64 << 10) /* where a call does not say */

static bool runs(const json_t *block)
{
    return !strcmp(json_text(block, "status", ""), "running");
}

/* ---- text ---- */

struct text_reader {
    struct scan scan;
    struct bytes out;
    size_t most;
    bool more; /* than there was room for */
    void (*answer)(struct call *c);
};

static void drop_reader(struct call *c)
{
    struct text_reader *r = c->state;
    scan_finish(&r->scan);
    bytes_finish(&r->out);
    free(r);
}

static void on_text(struct call *c)
{
    struct text_reader *r = c->state;
    size_t len, from, room = r->most - r->out.len;
    const char *text = scan_text(&r->scan, &len, &from);
    from = utf8_ceil(text, len, from);
    size_t count = utf8_floor(text + from, len - from, room);
    bytes_append(&r->out, text + from, count);
    size_t settled = scan_settled(&r->scan), to = from + count;
    scan_take(&r->scan, to < settled ? to : settled);
    r->more = to < len;
    if (r->more)
        r->answer(c);
    else
        scan_next(c, len);
}

static struct text_reader *begin_reader(struct call *c, void (*answer)(struct call *c))
{
    struct text_reader *r = memory_new(sizeof *r);
    *r = (struct text_reader){.scan = {.text = on_text, .over = answer},
                              .most = (size_t)call_number(c, "max_bytes", MOST_BYTES),
                              .answer = answer};
    c->state = r;
    c->drop = drop_reader;
    return r;
}

static void answer_spool(struct call *c)
{
    struct text_reader *r = c->state;
    long long from = call_number(c, "from_cursor", 0);
    long long place = cursor_of(r->scan.seq, r->scan.byte);
    call_answer(c, json_pack("{s:b, s:o, s:I, s:I}", "ok", 1, "data",
                             json_stringn(r->out.data ? r->out.data : "", r->out.len), "cursor",
                             (json_int_t)from, "resume_cursor",
                             (json_int_t)(place > from ? place : from)));
}

void all_read_spool(struct call *c)
{
    begin_reader(c, answer_spool);
    scan_begin(c, call_number(c, "from_cursor", 0));
}

static void answer_block(struct call *c)
{
    struct text_reader *r = c->state;
    json_int_t offset = (json_int_t)call_number(c, "offset", 0);
    json_int_t place = (json_int_t)r->scan.byte;
    call_answer(c, json_pack("{s:b, s:I, s:I, s:o, s:b, s:b}", "ok", 1, "offset", offset,
                             "next_offset", place, "data",
                             json_stringn(r->out.data ? r->out.data : "", r->out.len), "running",
                             r->scan.runs, "more", r->more || scan_goes_on(&r->scan)));
}

void all_blocks_read(struct call *c)
{
    begin_reader(c, answer_block);
    scan_block(c, call_text(c, "block_id", ""), call_number(c, "offset", 0));
}

/* ---- blocks ---- */

static void on_newest(struct call *c, const json_t *blocks)
{
    c->typing.then(c, json_array_get(blocks, json_array_size(blocks) - 1));
}

void all_newest(struct call *c, void (*then)(struct call *c, const json_t *newest))
{
    c->typing.then = then;
    call_ask(c, "session.blocks", json_pack("{s:i}", "last", 1), on_newest);
}

/* One that runs is in the answer, and in front of the cursor not before it has ended. */
static void on_since(struct call *c, const json_t *blocks)
{
    json_t *items = json_array(), *block;
    long long cursor = call_number(c, "cursor", 0), next = cursor;
    size_t i, limit = (size_t)call_number(c, "limit", 50);
    json_array_foreach(blocks, i, block) {
        bool ended = json_flag(block, "private") || !runs(block);
        if (json_array_size(items) >= limit)
            break;
        if (!json_flag(block, "private"))
            json_array_append(items, block);
        if (!ended)
            break;
        next = json_number(block, "seq", next);
    }
    call_answer(c, json_pack("{s:b, s:I, s:I, s:o}", "ok", 1, "cursor", (json_int_t)cursor,
                             "next_cursor", (json_int_t)next, "items", items));
}

void all_blocks_since(struct call *c)
{
    call_ask(c, "session.blocks",
             json_pack("{s:I}", "after", (json_int_t)call_number(c, "cursor", 0)), on_since);
}

static const char *block_of(const struct call *c)
{
    const char *id = call_text(c, "block_id", ""), *colon = strchr(id, ':');
    return colon && !strchr(colon + 1, ':') ? colon + 1 : id; /* NAME:NUMBER */
}

static void on_got(struct call *c, const json_t *result)
{
    call_answer(c, json_pack("{s:b, s:O}", "ok", 1, "block", json_object_get(result, "block")));
}

void all_blocks_get(struct call *c)
{
    call_ask(c, "session.block", json_pack("{s:s}", "block", block_of(c)), on_got);
}

static void on_hits(struct call *c, const json_t *output)
{
    json_t *hits = json_array(), *line;
    size_t i;
    json_array_foreach(json_object_get(output, "lines"), i, line)
        json_array_append_new(hits, json_pack("{s:O, s:O}", "line",
                                              json_array_get(json_object_get(output, "numbers"), i),
                                              "text", line));
    call_answer(c, json_pack("{s:b, s:o, s:b}", "ok", 1, "hits", hits, "more",
                             json_is_integer(json_object_get(output, "next"))));
}

void all_blocks_search(struct call *c)
{
    call_ask(c, "session.output",
             json_pack("{s:s, s:s, s:I}", "block", block_of(c), "grep", call_text(c, "query", ""),
                       "limit", (json_int_t)call_number(c, "limit", 50)),
             on_hits);
}

/* ---- how it stands ---- */

struct newest {
    struct scan scan;
    json_t *answer;
    const char *key; /* of the cursor in it */
};

/* The answer is put together while it is asked; the cursor at the end of all that was printed comes
 * last. */
static void drop_newest(struct call *c)
{
    struct newest *n = c->state;
    scan_finish(&n->scan);
    json_decref(n->answer);
    free(n);
}

static void on_passed(struct call *c)
{
    struct newest *n = c->state;
    size_t len, from;
    scan_text(&n->scan, &len, &from);
    scan_take(&n->scan, scan_settled(&n->scan));
    scan_next(c, len);
}

static void on_stands(struct call *c)
{
    struct newest *n = c->state;
    json_t *answer = json_incref(n->answer);
    json_object_set_new(answer, n->key,
                        json_integer((json_int_t)cursor_of(n->scan.seq, n->scan.byte)));
    call_answer(c, answer);
}

static struct newest *begin_state(struct call *c, const char *key)
{
    struct newest *n = memory_new(sizeof *n);
    *n = (struct newest){.scan = {.text = on_passed, .over = on_stands}, .key = key};
    c->state = n;
    c->drop = drop_newest;
    return n;
}

/* Behind what has ended is in front of the next. The end of a program that prints without end is
 * not reached: then it is the cursor that was. */
static void find_end(struct call *c, const json_t *newest)
{
    struct newest *n = c->state;
    long long seq = json_number(newest, "seq", 0);
    if (runs(newest)) {
        call_until(c, clock_monotonic_ms() + LIMIT_MCP_STATUS_MS, on_stands);
        scan_block(c, json_text(newest, "block_id", ""), 0);
        return;
    }
    n->scan.seq = newest ? seq + 1 : 0;
    on_stands(c);
}

static void on_newest_state(struct call *c, const json_t *newest)
{
    struct newest *n = c->state;
    const char *state = json_text(n->answer, "state", "");
    bool running = runs(newest);
    long long seq = json_number(newest, "seq", 0);
    bool ours = running && json_number(c->mcp->interactive, c->session, 0) == seq;
    bool busy = !strcmp(state, "running") || !strcmp(state, "fullscreen");
    bool interactive = ours || !strcmp(state, "fullscreen");
    json_object_set_new(n->answer, "mode",
                        json_string(interactive       ? "interactive"
                                    : busy || running ? "block_running"
                                                      : "idle"));
    json_object_set_new(n->answer, "active_session_id",
                        ours ? json_sprintf("interactive:%lld", json_number(newest, "ts_begin", 0))
                             : json_null());
    json_object_set_new(n->answer, "active_block_id",
                        running ? json_incref(json_object_get(newest, "block_id")) : json_null());
    find_end(c, newest);
}

/* Of all sessions the one that is meant. */
static void on_listed(struct call *c, const json_t *sessions)
{
    struct newest *n = c->state;
    size_t i;
    json_t *one;
    json_array_foreach(sessions, i, one)
        if (!strcmp(json_string_value(json_array_get(one, 0)), c->session) ||
            !strcmp(json_string_value(json_array_get(one, 1)), c->session))
            n->answer = json_pack("{s:b, s:O, s:O}", "ok", 1, "state", json_array_get(one, 2),
                                  "shell_id", json_array_get(one, 3));
    if (n->answer)
        all_newest(c, on_newest_state);
    else
        call_fail(c, "there is no session %s", c->session);
}

void all_status(struct call *c)
{
    begin_state(c, "resume_cursor");
    call_ask(
        c, "session.list",
        json_pack("{s:[s, s, s, s]}", "members", "conversation_id", "name", "state", "shell_id"),
        on_listed);
}

static void on_screen_shown(struct call *c, const json_t *screen)
{
    struct newest *n = c->state;
    json_object_update_new(n->answer, json_pack("{s:O, s:O, s:O, s:O, s:O}", "cursor",
                                                json_object_get(screen, "cursor"), "title",
                                                json_object_get(screen, "title"), "alt_screen",
                                                json_object_get(screen, "alt_screen"), "cols",
                                                json_object_get(screen, "cols"), "rows",
                                                json_object_get(screen, "rows_count")));
    all_newest(c, find_end);
}

static void on_screen_end(struct call *c, const json_t *state)
{
    struct newest *n = c->state;
    n->answer = json_pack("{s:b, s:s, s:O}", "ok", 1, "conversation_id", c->session, "raw_size",
                          json_object_get(state, "end"));
    call_ask(c, "session.screen", json_object(), on_screen_shown);
}

void all_screen_status(struct call *c)
{
    begin_state(c, "spool_size");
    call_ask(c, "session.wait", json_object(), on_screen_end);
}
