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
void drive_give_up(struct call *c)
{
    json_t *params = json_pack("{s:s, s:I}", "name", c->session, "token", c->token);
    backend_forget(
        backend_ask(c->mcp->daemon, "baton.return", params, LIMIT_ANSWER_MS, NULL, NULL));
}

void drive_answer(struct call *c, json_t *value)
{
    c->token = 0;
    call_answer(c, value);
}

void drive_ask(struct call *c, const char *purpose,
               void (*then)(struct call *c, const json_t *granted))
{
    const char *agent = c->mcp->agent ? c->mcp->agent : "an agent";
    c->token = new_token();
    call_ask_for(c, "baton.ask",
                 json_pack("{s:s, s:s, s:i, s:I}", "by", agent, "purpose", purpose, "timeout_ms",
                           timeout_of(c), "token", c->token),
                 wait_ms_of(c), then);
}

static void set_typing(struct call *c, const char *text,
                       void (*then)(struct call *c, const json_t *result))
{
    free(c->typing.text);
    c->typing = (struct typing){.text = text_copy(text), .then = then};
}

/* ---- a command ---- */

/* A worker that dies meanwhile is followed by one that knows the command by its token. */
static void on_may_run(struct call *c, const json_t *granted)
{
    (void)granted;
    call_ask_for(c, "session.run",
                 json_pack("{s:s, s:s, s:i, s:I}", "command", c->typing.text, "actor", "agent",
                           "timeout_ms", c->typing.timeout_ms, "token", new_token()),
                 c->typing.timeout_ms + LIMIT_ANSWER_MS, c->typing.then);
}

void drive_run(struct call *c, const char *command, int timeout_ms,
               void (*then)(struct call *c, const json_t *ran))
{
    if (!command[strspn(command, " \t\r\n")]) {
        call_fail(c, "the command is blank: no shell begins one for that. Keys (send, pty_enter) "
                     "type Enter alone");
        return;
    }
    set_typing(c, command, then);
    c->typing.timeout_ms = timeout_ms;
    drive_ask(c, command, on_may_run);
}

static void on_block(struct call *c, const json_t *result)
{
    const json_t *block = json_object_get(result, "block");
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    drive_answer(c,
                 json_pack("{s:O, s:b, s:b}", "block", block, "running", runs, "timed_out", runs));
}

static void on_ran(struct call *c, const json_t *result)
{
    const char *id = json_text(json_object_get(result, "block"), "block_id", NULL);
    if (id)
        call_ask(c, "session.block", json_pack("{s:s}", "block", id), on_block);
    else
        drive_answer(c, json_pack("{s:n, s:b, s:O}", "block", "running", 0, "timed_out",
                                  json_object_get(result, "timed_out")));
}

void tool_run(struct call *c)
{
    drive_run(c, call_text(c, "command", ""), timeout_of(c), on_ran);
}

/* ---- keys ---- */

static void on_may_send(struct call *c, const json_t *granted)
{
    struct bytes data = {0};
    (void)granted;
    base64_encode(c->typing.text, strlen(c->typing.text), &data);
    call_ask_for(c, "session.input",
                 json_pack("{s:s, s:s, s:i}", "data", data.data ? data.data : "", "actor", "agent",
                           "timeout_ms", timeout_of(c)),
                 wait_ms_of(c), c->typing.then);
    bytes_finish(&data);
}

void drive_keys(struct call *c, const char *keys, const char *purpose,
                void (*then)(struct call *c, const json_t *typed))
{
    set_typing(c, keys, then);
    drive_ask(c, purpose, on_may_send);
}

static void on_typed(struct call *c, const json_t *result)
{
    drive_answer(c, json_pack("{s:I}", "typed", (json_int_t)json_number(result, "typed", 0)));
}

void tool_send(struct call *c)
{
    const char *text = call_text(c, "text", "");
    char *purpose = text_format("keys: %s", text);
    char *keys = text_format("%s%s", text, json_flag(c->arguments, "enter") ? "\r" : "");
    drive_keys(c, keys, purpose, on_typed);
    free(keys);
    free(purpose);
}

/* ---- give_back ---- */

static void on_given_back(struct call *c, const json_t *result)
{
    drive_answer(c, json_deep_copy(result));
}

void tool_give_back(struct call *c)
{
    call_ask(c, "baton.return", json_object(), on_given_back);
}
