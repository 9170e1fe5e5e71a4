/* What a session shows and did, and what is typed into it. */
#include "ptyd/worker/look.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/closed.h"
#include "ptyd/worker/listing.h"
#include "ptyd/worker/worker.h"

/* An agent reads through its tools: not while capture is paused, and without secrets. */
static bool may_read(struct client *client, const json_t *id, const json_t *params,
                     const struct session *s)
{
    bool agent = json_flag(params, "agent");
    if (s && agent && session_paused(s))
        client_fail(client, id, RPC_FAILED, "the user has paused capture in session %s",
                    session_name(s));
    return s && !(agent && session_paused(s));
}

static json_t *redact_rows(json_t *value, const json_t *params, const struct session *s)
{
    json_t *lines = json_object_get(value, "rows"), *line;
    size_t i;
    int count = 0;
    if (!json_flag(params, "agent"))
        return value;
    json_array_foreach(lines, i, line) {
        struct bytes out = {0};
        int found = redact_text(json_string_value(line), json_string_length(line),
                                session_secrets(s), &out);
        if (found)
            json_array_set_new(lines, i, json_stringn(out.data, out.len));
        count += found;
        bytes_finish(&out);
    }
    if (count)
        json_object_set_new(value, "redacted", json_integer(count));
    return value;
}

void look_screen_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_shown_session(client, id, params);
    if (!may_read(client, id, params, s))
        return;
    struct board_place before = worker_looks_at(s);
    client_reply(client, id, redact_rows(screen_json(session_terminal(s)), params, s));
    board_leave(&before);
}

static size_t size_of(const json_t *params, const char *key)
{
    json_int_t value = json_number(params, key, 0);
    return value > 0 ? (size_t)value : 0;
}

void look_scrollback_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_shown_session(client, id, params);
    if (!may_read(client, id, params, s))
        return;
    struct board_place before = worker_looks_at(s);
    listing_scrollback(client, id, s, size_of(params, "skip"), size_of(params, "limit"),
                       json_flag(params, "agent"));
    board_leave(&before);
}

void look_resize_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_session(client, id, params);
    struct session_size size;
    if (!s)
        return;
    if (!worker_read_size(params, &size)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "size is {cols, rows}");
        return;
    }
    session_resize(s, size);
    client_reply(client, id,
                 json_pack("{s:i, s:i}", "cols", terminal_cols(session_terminal(s)), "rows",
                           terminal_rows(session_terminal(s))));
}

/* ---- blocks ---- */

/* Of those behind a number. The running one may be the last. */
static json_t *part_after(const struct session *s, uint64_t after)
{
    json_t *blocks = store_blocks_after(session_store(s), after);
    size_t count = json_array_size(blocks);
    if (count) {
        json_t *last = json_incref(json_array_get(blocks, count - 1));
        json_array_set_new(blocks, count - 1, listing_refresh(s, last));
    }
    return blocks;
}

void look_blocks_call(struct client *client, const json_t *id, const json_t *params)
{
    char *closed = closed_directory(client_worker(client), json_text(params, "name", ""));
    if (closed) {
        closed_blocks(client, id, params, closed);
        free(closed);
        return;
    }
    struct session *s = worker_shown_session(client, id, params);
    if (!s)
        return;
    if (json_object_get(params, "after"))
        client_reply(client, id, part_after(s, size_of(params, "after")));
    else
        listing_blocks(client, id, s, size_of(params, "last"));
}

/* A session's name has no colon. */
uint64_t look_seq_of(const char *wanted)
{
    const char *colon = strchr(wanted, ':');
    return strtoull(colon ? colon + 1 : wanted, NULL, 10);
}

bool look_is_block(const json_t *block, const char *wanted)
{
    char *number = text_format("%llu", (unsigned long long)look_seq_of(wanted));
    bool is = !strcmp(wanted, number) || !strcmp(wanted, json_text(block, "block_id", ""));
    free(number);
    return is;
}

/* A block by its id or its seq. */
static json_t *find_block(struct session *s, const char *wanted)
{
    json_t *block = store_block(session_store(s), look_seq_of(wanted));
    if (block)
        block = listing_refresh(s, block);
    if (!block || look_is_block(block, wanted))
        return block;
    json_decref(block);
    return NULL;
}

/* What was and is kept no more is another thing than what never was. */
static void fail_without_block(struct client *client, const json_t *id, const struct session *s,
                               const char *wanted)
{
    uint64_t seq = look_seq_of(wanted), oldest = store_oldest(session_store(s));
    if (seq > 0 && seq < oldest)
        client_fail(client, id, RPC_FAILED,
                    "block %llu of session %s is kept no more: the oldest is %llu",
                    (unsigned long long)seq, session_name(s), (unsigned long long)oldest);
    else
        client_fail(client, id, RPC_FAILED,
                    "session %s has no such block; `ptyd blocks -s %s` lists them", session_name(s),
                    session_name(s));
}

void look_block_call(struct client *client, const json_t *id, const json_t *params)
{
    char *closed = closed_directory(client_worker(client), json_text(params, "name", ""));
    if (closed) {
        closed_block(client, id, params, closed);
        free(closed);
        return;
    }
    struct session *s = worker_shown_session(client, id, params);
    json_t *block = s ? find_block(s, json_text(params, "block", "")) : NULL;
    if (!s)
        return;
    if (!block) {
        fail_without_block(client, id, s, json_text(params, "block", ""));
        return;
    }
    client_reply(
        client, id,
        json_pack("{s:o, s:s}", "block", block, "directory", store_directory(session_store(s))));
}
