/* What a session shows and did, and what is typed into it. */
#include "ptyd/worker/look.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/session/block_bytes.h"
#include "ptyd/worker/agent.h"
#include "ptyd/worker/closed.h"
#include "ptyd/worker/listing.h"
#include "ptyd/worker/told.h"
#include "ptyd/worker/worker.h"

bool look_agents_are_told(struct client *client, const json_t *id, const json_t *params)
{
    bool told = ledger_injects(client_worker(client)->ledger, json_text(params, "consumer", NULL),
                               json_text(params, "thread", NULL));
    if (!told)
        client_fail(client, id, RPC_FAILED,
                    "the user has switched off what agents are told: `ptyd context on` resumes it");
    return told;
}

/* An agent reads through its tools: not while capture is paused, and without secrets, which have to
 * be known for that. */
bool look_may_read(struct client *client, const json_t *id, const json_t *params,
                   const struct session *s)
{
    if (!s || !json_flag(params, "agent"))
        return s != NULL;
    if (session_paused(s))
        client_fail(client, id, RPC_FAILED, "the user has paused capture in session %s",
                    session_called(s));
    else if (!session_knows_secrets(s))
        client_fail(client, id, RPC_FAILED,
                    "session %s is told to no agent any more: its shell has ended, and what of its "
                    "environment is secret is not known since another worker serves it",
                    session_called(s));
    else
        return look_agents_are_told(client, id, params);
    return false;
}

/* The screen as an agent is told it. */
static json_t *agents_screen(const struct session *s)
{
    struct bytes title = {0};
    struct told told = told_gather_screen(s);
    size_t from = told.count - (size_t)terminal_rows(session_terminal(s));
    int found = 0;
    json_t *screen = screen_json(session_terminal(s));
    json_t *rows = told_json(&told, from, told.count, session_secrets(s), &found);
    if (session_withheld_from(s) == UINT64_MAX)
        found += told_text(terminal_title(session_terminal(s)), session_secrets(s), &title);
    json_object_set_new(screen, "rows", rows);
    json_object_set_new(screen, "title", json_stringn(title.data ? title.data : "", title.len));
    if (found)
        json_object_set_new(screen, "redacted", json_integer(found));
    bytes_finish(&title);
    told_rows_finish(told.rows, told.count);
    return screen;
}

void look_screen_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_shown_session(client, id, params);
    if (!look_may_read(client, id, params, s))
        return;
    struct board_place before = worker_looks_at(s);
    json_t *screen =
        json_flag(params, "agent") ? agents_screen(s) : screen_json(session_terminal(s));
    if (json_flag(params, "styled") && !json_flag(params, "agent"))
        json_object_set_new(screen, "rows", screen_styled_rows(session_terminal(s)));
    client_reply(client, id, screen);
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
    if (!look_may_read(client, id, params, s))
        return;
    bool agent = json_flag(params, "agent"), styled = json_flag(params, "styled");
    struct board_place before = worker_looks_at(s);
    listing_scrollback(client, id, s,
                       &(struct listing_part){.skip = size_of(params, "skip"),
                                              .limit = size_of(params, "limit"),
                                              .numbered = json_object_get(params, "from"),
                                              .from = size_of(params, "from"),
                                              .form = agent    ? LISTING_REDACTED
                                                      : styled ? LISTING_STYLED
                                                               : LISTING_PLAIN,
                                              .screen = !agent && json_flag(params, "screen")});
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
    session_resize(s, size, 0);
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

/* Capture was paused while it ran: no agent is told of it, neither while it runs on. */
static json_t *hide_unrecorded(const struct session *s, json_t *block)
{
    const struct block *running = tracker_running(session_tracker(s));
    if (block && running && running->unrecorded &&
        json_number(block, "seq", 0) == (long long)running->seq)
        json_object_set_new(block, "private", json_true());
    return block;
}

/* An agent asks for few at once: it is shown no more than a part of them. */
static json_t *newest_for_agent(const struct session *s, size_t last)
{
    if (!last || last > LIMIT_AGENT_BLOCKS)
        last = LIMIT_AGENT_BLOCKS;
    json_t *blocks = store_blocks(session_store(s), last, false);
    size_t count = json_array_size(blocks);
    if (count)
        json_array_set_new(blocks, count - 1,
                           listing_refresh(s, json_incref(json_array_get(blocks, count - 1))));
    return blocks;
}

/* What was closed has its secrets in nobody's environment any more: agents do not read it. */
static bool may_read_closed(struct client *client, const json_t *id, const json_t *params)
{
    if (!json_flag(params, "agent"))
        return true;
    client_fail(client, id, RPC_NO_SESSION,
                "session %s is closed; agents look at sessions that are open",
                json_text(params, "name", ""));
    return false;
}

void look_blocks_call(struct client *client, const json_t *id, const json_t *params)
{
    char *closed = closed_directory(client_worker(client), json_text(params, "name", ""));
    if (closed) {
        if (may_read_closed(client, id, params))
            closed_blocks(client, id, params, closed);
        free(closed);
        return;
    }
    struct session *s = worker_shown_session(client, id, params);
    if (!s)
        return;
    bool agent = json_flag(params, "agent");
    if (!look_may_read(client, id, params, s))
        return;
    json_t *part = json_object_get(params, "after") ? part_after(s, size_of(params, "after"))
                   : agent                          ? newest_for_agent(s, size_of(params, "last"))
                                                    : NULL;
    if (part && agent)
        hide_unrecorded(s, json_array_get(part, json_array_size(part) - 1));
    if (part)
        client_reply(client, id, agent ? agent_blocks(part, session_secrets(s)) : part);
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
void look_fail_without_block(struct client *client, const json_t *id, const struct block_choice *c)
{
    uint64_t seq = look_seq_of(c->wanted);
    if (!c->newest)
        client_fail(client, id, RPC_FAILED, "session %s has no blocks yet", c->session);
    else if (!seq)
        client_fail(client, id, RPC_FAILED,
                    "'%.100s' is no block: say its number (%llu is the newest) or its block_id",
                    c->wanted, (unsigned long long)c->newest);
    else if (seq < c->oldest)
        client_fail(client, id, RPC_FAILED,
                    "block %llu of session %s is kept no more: the oldest is %llu",
                    (unsigned long long)seq, c->session, (unsigned long long)c->oldest);
    else if (seq > c->newest)
        client_fail(client, id, RPC_FAILED,
                    "session %s has no block %llu: the newest is %llu; `ptyd blocks -s %s "
                    "--last 10` shows more",
                    c->session, (unsigned long long)seq, (unsigned long long)c->newest, c->session);
    else
        client_fail(client, id, RPC_FAILED,
                    "session %s has no block '%.100s'; block %llu is another one: `ptyd block %llu "
                    "-s %s` shows it",
                    c->session, c->wanted, (unsigned long long)seq, (unsigned long long)seq,
                    c->session);
}

json_t *look_block_json(const json_t *params, json_t *block, const char *directory)
{
    json_t *result = json_pack("{s:o, s:s}", "block", block, "directory", directory);
    struct block_bytes bytes;
    if (!json_flag(params, "bytes"))
        return result;
    bool found = block_bytes_find(directory, (uint64_t)json_number(block, "seq", 0), &bytes);
    json_object_set_new(result, "bytes",
                        found ? json_pack("{s:I, s:I, s:i, s:i}", "from", (json_int_t)bytes.from,
                                          "to", (json_int_t)bytes.to, "cols", bytes.cols, "rows",
                                          bytes.rows)
                              : json_null());
    return result;
}

json_t *look_agent_block(struct client *client, const json_t *id, const json_t *params,
                         struct session *s)
{
    const char *wanted = json_text(params, "block", "");
    bool agent = json_flag(params, "agent");
    if (!look_may_read(client, id, params, s))
        return NULL;
    json_t *block = find_block(s, wanted);
    if (block && agent) {
        block = agent_block(hide_unrecorded(s, block), session_secrets(s));
        if (!block) {
            client_fail(client, id, RPC_FAILED, "block %s is private: agents are not told of it",
                        wanted);
            return NULL;
        }
    }
    if (!block)
        look_fail_without_block(client, id,
                                &(struct block_choice){.session = session_called(s),
                                                       .wanted = wanted,
                                                       .oldest = store_oldest(session_store(s)),
                                                       .newest = tracker_seq(session_tracker(s))});
    return block;
}

void look_block_call(struct client *client, const json_t *id, const json_t *params)
{
    char *closed = closed_directory(client_worker(client), json_text(params, "name", ""));
    if (closed) {
        if (may_read_closed(client, id, params))
            closed_block(client, id, params, closed);
        free(closed);
        return;
    }
    struct session *s = worker_shown_session(client, id, params);
    json_t *block = look_agent_block(client, id, params, s);
    if (block)
        client_reply(client, id, look_block_json(params, block, store_directory(session_store(s))));
}
