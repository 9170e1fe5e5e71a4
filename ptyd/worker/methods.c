/* The methods that answer at once, and the table of all of them (ptyd-rpc(7)). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/file.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/run.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/open.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/worker.h"

static const char *text_of(const json_t *params, const char *key)
{
    return json_string_value(json_object_get(params, key));
}

/* The session of params.name; answers the request when there is none. */
static struct session *session_of(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = text_of(params, "name");
    struct session *session = name ? worker_find(client_worker(client), name) : NULL;
    if (!session)
        client_fail(client, id, RPC_NO_SESSION,
                    "there is no session %s; `ptyd open %s` starts it, `ptyd list` shows all",
                    name ? name : "", name ? name : "NAME");
    return session;
}

/* ---- sessions ---- */

static json_t *all_sessions(struct worker *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->session_count; i++)
        json_array_append_new(list, session_json(w->sessions[i]));
    return list;
}

static void list_call(struct client *client, const json_t *id, const json_t *params)
{
    (void)params;
    client_reply(client, id, all_sessions(client_worker(client)));
}

static bool is_degraded(const struct session *s)
{
    return store_error(session_store(s)) || (!session_integrated(s) && !session_exited(s));
}

static void status_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    json_t *warnings = json_array();
    json_int_t spoofed = 0;
    (void)params;
    if (!context_injects(w->context, NULL))
        json_array_append_new(warnings,
                              json_string("agents are told nothing; `ptyd context on` undoes it"));
    for (int i = 0; i < w->session_count; i++) {
        spoofed += (json_int_t)session_spoofed_marks(w->sessions[i]);
        session_add_warnings(w->sessions[i], warnings);
    }
    client_reply(client, id,
                 json_pack("{s:s, s:i, s:i, s:I, s:o, s:I, s:o, s:I, s:b, s:I}", "version",
                           PTYD_VERSION, "keeper_pid", (int)getppid(), "worker_pid", (int)getpid(),
                           "uptime_ms", (json_int_t)(clock_now().monotonic_ms - w->started_ms),
                           "sessions", all_sessions(w), "spoofed_marks", spoofed, "warnings",
                           warnings, "pending", (json_int_t)context_pending(w->context, NULL),
                           "injection", context_injects(w->context, NULL), "maybe_repeated",
                           context_unseen(w->context)));
}

/* For a status line, asked for every few seconds. */
static void status_short_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    const char *name = text_of(params, "name");
    bool paused = false, degraded = false;
    for (int i = 0; i < w->session_count; i++) {
        const struct session *s = w->sessions[i];
        if (name && strcmp(session_name(s), name))
            continue;
        paused = paused || session_paused(s);
        degraded = degraded || is_degraded(s);
    }
    client_reply(client, id,
                 json_pack("{s:I, s:b, s:b, s:b}", "pending",
                           (json_int_t)context_pending(w->context, name), "paused", paused,
                           "injection", context_injects(w->context, NULL), "degraded", degraded));
}

/* An agent reads through its tools: not while capture is paused, and without secrets. */
static bool may_read(struct client *client, const json_t *id, const json_t *params,
                     const struct session *s)
{
    bool agent = json_is_true(json_object_get(params, "agent"));
    if (s && agent && session_paused(s))
        client_fail(client, id, RPC_FAILED, "the user has paused capture in session %s",
                    session_name(s));
    return s && !(agent && session_paused(s));
}

static json_t *redact_lines(json_t *value, const char *key, const json_t *params,
                            const struct session *s)
{
    json_t *lines = json_object_get(value, key), *line;
    size_t i;
    int count = 0;
    if (!json_is_true(json_object_get(params, "agent")))
        return value;
    json_array_foreach(lines, i, line)
    {
        struct bytes out = {0};
        int found = redact_text(json_string_value(line), json_string_length(line),
                                session_secrets(s), NULL, NULL, &out);
        if (found)
            json_array_set_new(lines, i, json_stringn(out.data, out.len));
        count += found;
        bytes_finish(&out);
    }
    if (count)
        json_object_set_new(value, "redacted", json_integer(count));
    return value;
}

static void screen_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    if (may_read(client, id, params, s))
        client_reply(client, id, redact_lines(screen_json(session_terminal(s)), "rows", params, s));
}

static size_t size_of(const json_t *params, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(params, key));
    return value > 0 ? (size_t)value : 0;
}

static void scrollback_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    if (may_read(client, id, params, s))
        client_reply(
            client, id,
            redact_lines(screen_scrollback_json(session_terminal(s), size_of(params, "skip"),
                                                size_of(params, "limit")),
                         "lines", params, s));
}

static void input_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    const json_t *data = json_object_get(params, "data");
    struct bytes bytes = {0};
    if (!s)
        return;
    if (!json_is_string(data) ||
        base64_decode(json_string_value(data), json_string_length(data), &bytes) < 0) {
        client_fail(client, id, RPC_INVALID_PARAMS, "data is bytes in base64");
    } else {
        view_answer_input(client, id, s, session_input(s, bytes.data, bytes.len));
    }
    bytes_finish(&bytes);
}

static void resize_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    int cols, rows;
    if (!s)
        return;
    if (!view_read_size(params, &cols, &rows)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "size is {cols, rows}");
        return;
    }
    session_resize(s, cols, rows);
    client_reply(client, id,
                 json_pack("{s:i, s:i}", "cols", terminal_cols(session_terminal(s)), "rows",
                           terminal_rows(session_terminal(s))));
}

/* ---- blocks ---- */

/* The running block with its preview as it is now, in place of what the file says of it. */
static void refresh_running(struct session *s, json_t *blocks)
{
    struct block *running = tracker_running(session_tracker(s));
    size_t count = json_array_size(blocks);
    const json_t *last = count ? json_array_get(blocks, count - 1) : NULL;
    if (!running)
        return;
    tracker_peek(session_tracker(s), LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES);
    if (last && json_integer_value(json_object_get(last, "seq")) == (json_int_t)running->seq)
        json_array_set_new(blocks, count - 1, block_to_json(running));
}

static void blocks_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    if (!s)
        return;
    json_t *blocks = store_blocks(session_store(s), size_of(params, "last"), false);
    refresh_running(s, blocks);
    client_reply(client, id, blocks);
}

/* The number in `7` or `default:7:1795207146949`; a session's name has no colon. */
static uint64_t seq_of(const char *wanted)
{
    const char *colon = strchr(wanted, ':');
    return strtoull(colon ? colon + 1 : wanted, NULL, 10);
}

/* A block by its id or its seq. */
static json_t *find_block(struct session *s, const json_t *wanted)
{
    const char *text = json_is_string(wanted) ? json_string_value(wanted) : "";
    uint64_t seq = seq_of(text);
    json_t *found = json_array(), *block = store_block(session_store(s), seq);
    if (block)
        json_array_append_new(found, block);
    refresh_running(s, found);
    block = json_incref(json_array_get(found, 0));
    json_decref(found);
    char *number = text_format("%llu", (unsigned long long)seq);
    const char *id = text_of(block, "block_id");
    if (block && strcmp(text, number) && (!id || strcmp(text, id))) {
        json_decref(block);
        block = NULL;
    }
    free(number);
    return block;
}

static void block_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = session_of(client, id, params);
    json_t *block = s ? find_block(s, json_object_get(params, "block")) : NULL;
    if (!s)
        return;
    if (!block) {
        client_fail(client, id, RPC_FAILED,
                    "session %s has no such block; `ptyd blocks -s %s` lists "
                    "them",
                    session_name(s), session_name(s));
        return;
    }
    client_reply(
        client, id,
        json_pack("{s:o, s:s}", "block", block, "directory", store_directory(session_store(s))));
}

/* ---- context ---- */

static enum context_format format_of(const json_t *params)
{
    const char *format = text_of(params, "format");
    return format && !strcmp(format, "text")       ? CONTEXT_TEXT
           : format && !strcmp(format, "envelope") ? CONTEXT_SEED
                                                   : CONTEXT_ENTRIES;
}

static void take_call(struct client *client, const json_t *id, const json_t *params, bool peek)
{
    const char *consumer = text_of(params, "consumer");
    bool expires = json_is_true(json_object_get(params, "expires"));
    json_t *result = context_take(client_worker(client)->context,
                                  &(struct context_request){
                                      .consumer = consumer ? consumer : "cli",
                                      .session = text_of(params, "session"),
                                      .thread = text_of(params, "thread"),
                                      .roots = json_object_get(params, "roots"),
                                      .taken = json_object_get(params, "taken_keys"),
                                      .format = format_of(params),
                                      .peek = peek,
                                      .expires = expires,
                                      .owner = expires ? NULL : client,
                                      .pid = expires ? 0 : client_pid(client),
                                  });
    if (result)
        client_reply(client, id, result);
    else
        client_fail(client, id, RPC_BUSY, "%d leases are out; commit or release one", LIMIT_LEASES);
}

static void context_take_call(struct client *client, const json_t *id, const json_t *params)
{
    take_call(client, id, params, false);
}

static void context_show_call(struct client *client, const json_t *id, const json_t *params)
{
    take_call(client, id, params, true);
}

static void settled(struct client *client, const json_t *id, bool known)
{
    if (known)
        client_reply(client, id, json_object());
    else
        client_fail(client, id, RPC_FAILED, "no such lease: it was settled or has expired");
}

static void context_commit_call(struct client *client, const json_t *id, const json_t *params)
{
    settled(client, id,
            context_commit(client_worker(client)->context,
                           json_integer_value(json_object_get(params, "lease")),
                           json_object_get(params, "receipt"), text_of(params, "turn_id")));
}

static void context_release_call(struct client *client, const json_t *id, const json_t *params)
{
    settled(client, id,
            context_release(client_worker(client)->context,
                            json_integer_value(json_object_get(params, "lease")),
                            json_is_true(json_object_get(params, "unseen"))));
}

static void context_inherit_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *from = text_of(params, "from"), *to = text_of(params, "to");
    if (!from || !to) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which consumers? from and to");
        return;
    }
    context_inherit(client_worker(client)->context, from, to, text_of(params, "last_turn"),
                    text_of(params, "before_turn"));
    client_reply(client, id, json_object());
}

/* `on` may name a thread. */
static void context_inject_call(struct client *client, const json_t *id, const json_t *params)
{
    const json_t *on = json_object_get(params, "on");
    if (!json_is_boolean(on)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "on is true or false");
        return;
    }
    context_set_injection(client_worker(client)->context, text_of(params, "thread"),
                          json_is_true(on));
    client_reply(client, id, json_object());
}

/* One session, or all. */
static void context_pause_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    bool all = !text_of(params, "name");
    bool paused = json_is_true(json_object_get(params, "paused"));
    struct session *one = all ? NULL : session_of(client, id, params);
    if (!all && !one)
        return;
    for (int i = 0; i < w->session_count; i++)
        if (all || w->sessions[i] == one)
            session_set_paused(w->sessions[i], paused);
    client_reply(client, id, json_pack("{s:i}", "sessions", all ? w->session_count : 1));
}

static void context_clear_call(struct client *client, const json_t *id, const json_t *params)
{
    size_t count = context_clear(client_worker(client)->context, text_of(params, "name"));
    client_reply(client, id, json_pack("{s:I}", "cleared", (json_int_t)count));
}

/* ---- MCP ---- */

/* A connection of a `ptyd mcp`: while it lives, the header names its tools. */
struct mcp_errand {
    struct errand errand;
    struct context *context;
    char *conversation;
};

static void mcp_cancel(struct errand *errand)
{
    struct mcp_errand *m = (struct mcp_errand *)errand;
    context_mcp(m->context, m->conversation, -1);
    free(m->conversation);
    free(m);
}

static void mcp_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = text_of(params, "name");
    if (!name || !text_is_name(name)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which conversation?");
        return;
    }
    struct mcp_errand *m = memory_new(sizeof *m);
    *m = (struct mcp_errand){.errand = {.cancel = mcp_cancel},
                             .context = client_worker(client)->context,
                             .conversation = text_copy(name)};
    client_add_errand(client, &m->errand);
    context_mcp(m->context, name, 1);
    client_reply(client, id, json_object());
}

/* ---- the table ---- */

static const struct method {
    const char *name;
    void (*call)(struct client *client, const json_t *id, const json_t *params);
} methods[] = {
    {"context.clear", context_clear_call},
    {"context.commit", context_commit_call},
    {"context.inherit", context_inherit_call},
    {"context.inject", context_inject_call},
    {"context.pause", context_pause_call},
    {"context.release", context_release_call},
    {"context.show", context_show_call},
    {"context.take", context_take_call},
    {"events.follow", follow_call},
    {"mcp.serve", mcp_call},
    {"session.attach", view_attach_call},
    {"session.block", block_call},
    {"session.blocks", blocks_call},
    {"session.close", close_call},
    {"session.input", input_call},
    {"session.list", list_call},
    {"session.open", open_call},
    {"session.resize", resize_call},
    {"session.run", command_call},
    {"session.screen", screen_call},
    {"session.scrollback", scrollback_call},
    {"status", status_call},
    {"status.short", status_short_call},
    {"view.input", view_input_call},
    {"view.leave", view_leave_call},
    {"view.resize", view_resize_call},
};

void method_call(struct client *client, const char *name, const json_t *id, const json_t *params)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, name)) {
            methods[i].call(client, id, params);
            return;
        }
    client_fail(client, id, RPC_METHOD_NOT_FOUND, "there is no method %s", name);
}

void method_client_gone(struct client *client)
{
    context_release_owner(client_worker(client)->context, client);
}
