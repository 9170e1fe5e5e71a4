/* The tools that type, each as far as the user lets it: asks for the baton, which is answered at
 * once where it is held, then types. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"

static int timeout_of(const struct call *c)
{
    return (int)call_number(c, "timeout_ms", LIMIT_MCP_WAIT_MS);
}

/* How long an answer may take of what the daemon itself ends after `timeout_ms`. */
static int wait_ms_of(const struct call *c)
{
    return timeout_of(c) + LIMIT_ANSWER_MS;
}

/* A number that nobody else chooses. */
static json_int_t new_token(void)
{
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token)
        memory_end();
    return (json_int_t)(token & INT64_MAX) | 1;
}

/* Nobody waits for it any more: neither is the user asked, nor is anything typed for it. What other
 * calls ask for, or were granted, stays. */
static void give_up(struct call *c)
{
    json_t *params = json_pack("{s:s, s:I}", "name", c->session, "token", c->token);
    backend_forget(
        backend_ask(c->mcp->daemon, "baton.return", params, LIMIT_ANSWER_MS, NULL, NULL));
}

/* It answers; there is nothing to be given up. */
static void answer(struct call *c, json_t *value)
{
    c->drop = NULL;
    call_answer(c, value);
}

static void ask_for_baton(struct call *c, const char *purpose,
                          void (*then)(struct call *c, const json_t *granted))
{
    const char *agent = c->mcp->agent ? c->mcp->agent : "an agent";
    c->drop = give_up;
    c->token = new_token();
    call_ask_for(c, "baton.ask",
                 json_pack("{s:s, s:s, s:i, s:I}", "by", agent, "purpose", purpose, "timeout_ms",
                           timeout_of(c), "token", c->token),
                 wait_ms_of(c), then);
}

/* ---- run ---- */

static void on_block(struct call *c, const json_t *result)
{
    const json_t *block = json_object_get(result, "block");
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    answer(c, json_pack("{s:O, s:b, s:b}", "block", block, "running", runs, "timed_out", runs));
}

static void on_ran(struct call *c, const json_t *result)
{
    const char *id = json_text(json_object_get(result, "block"), "block_id", NULL);
    if (id)
        call_ask(c, "session.block", json_pack("{s:s}", "block", id), on_block);
    else
        answer(c, json_pack("{s:n, s:b, s:O}", "block", "running", 0, "timed_out",
                            json_object_get(result, "timed_out")));
}

/* A worker that dies meanwhile is followed by one that knows the command by its token. */
static void on_may_run(struct call *c, const json_t *granted)
{
    (void)granted;
    call_ask_for(c, "session.run",
                 json_pack("{s:s, s:s, s:i, s:I}", "command", call_text(c, "command", ""), "actor",
                           "agent", "timeout_ms", timeout_of(c), "token", new_token()),
                 wait_ms_of(c), on_ran);
}

void tool_run(struct call *c)
{
    ask_for_baton(c, call_text(c, "command", ""), on_may_run);
}

/* ---- send ---- */

static void on_typed(struct call *c, const json_t *result)
{
    answer(c, json_pack("{s:I}", "typed", (json_int_t)json_number(result, "typed", 0)));
}

static void on_may_send(struct call *c, const json_t *granted)
{
    struct bytes keys = {0}, data = {0};
    (void)granted;
    bytes_append_text(&keys, call_text(c, "text", ""));
    bytes_append_text(&keys, json_flag(c->arguments, "enter") ? "\r" : "");
    base64_encode(keys.data, keys.len, &data);
    call_ask_for(c, "session.input",
                 json_pack("{s:s, s:s, s:i}", "data", data.data ? data.data : "", "actor", "agent",
                           "timeout_ms", timeout_of(c)),
                 wait_ms_of(c), on_typed);
    bytes_finish(&keys);
    bytes_finish(&data);
}

void tool_send(struct call *c)
{
    char *purpose = text_format("keys: %s", call_text(c, "text", ""));
    ask_for_baton(c, purpose, on_may_send);
    free(purpose);
}

/* ---- give_back ---- */

static void on_given_back(struct call *c, const json_t *result)
{
    answer(c, json_deep_copy(result));
}

void tool_give_back(struct call *c)
{
    call_ask(c, "baton.return", json_object(), on_given_back);
}
