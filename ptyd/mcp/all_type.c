/* Typing, as far as the user lets it (drive.c), in the members that the original's tools had. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/all.h"
#include "ptyd/mcp/scan.h"

static bool runs(const json_t *block)
{
    return !strcmp(json_text(block, "status", ""), "running");
}

/* ---- commands ---- */

/* In another directory: as one line, in which neither is read by the shell but as it stands. */
static char *line_of(const struct call *c)
{
    const char *cmd = call_text(c, "cmd", ""), *cwd = call_text(c, "cwd", NULL);
    if (!cwd)
        return text_copy(cmd);
    char *where = text_shell_quote(cwd), *what = text_shell_quote(cmd);
    char *line = text_format("cd -- %s && eval %s", where, what);
    free(where);
    free(what);
    return line;
}

/* NULL after the call has failed. */
static const json_t *block_of(struct call *c, const json_t *ran)
{
    const json_t *block = json_object_get(ran, "block");
    if (json_is_object(block))
        return block;
    if (json_flag(ran, "typed"))
        call_fail(c, "the command was typed and has not begun yet; pty_status says when it does");
    else
        call_fail(c, "nothing was typed: no prompt took a command within %d s",
                  LIMIT_MCP_EXEC_MS / 1000);
    return NULL;
}

static void on_ran(struct call *c, const json_t *ran)
{
    const json_t *block = block_of(c, ran);
    if (!block)
        return;
    drive_answer(
        c, json_pack("{s:b, s:O, s:O, s:O, s:O, s:O}", "ok", 1, "block_id",
                     json_object_get(block, "block_id"), "seq", json_object_get(block, "seq"), "ts",
                     json_object_get(block, "ts_begin"), "status", json_object_get(block, "status"),
                     "exit_code", json_object_get(block, "exit_code")));
}

static void on_ran_interactive(struct call *c, const json_t *ran)
{
    const json_t *block = block_of(c, ran);
    if (!block)
        return;
    long long seq = json_number(block, "seq", 0);
    if (runs(block))
        json_object_set_new(c->mcp->interactive, c->session, json_integer((json_int_t)seq));
    drive_answer(c, json_pack("{s:b, s:o, s:O, s:O, s:I, s:O, s:O}", "ok", 1, "session_id",
                              json_sprintf("interactive:%lld", json_number(block, "ts_begin", 0)),
                              "block_id", json_object_get(block, "block_id"), "ts_begin",
                              json_object_get(block, "ts_begin"), "resume_cursor",
                              (json_int_t)cursor_of(seq, 0), "status",
                              json_object_get(block, "status"), "exit_code",
                              json_object_get(block, "exit_code")));
}

static bool has_control(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return true;
    return false;
}

static void exec(struct call *c, const json_t *newest,
                 void (*then)(struct call *c, const json_t *ran))
{
    if (runs(newest)) {
        const char *cmd = json_text(newest, "cmd", "");
        call_fail(
            c,
            "busy: %s runs already (%.*s). pty_wait_prompt waits for its end, pty_send types to "
            "it, pty_ctrl_c interrupts it",
            json_text(newest, "block_id", ""), (int)utf8_floor(cmd, strlen(cmd), 100), cmd);
        return;
    }
    if (has_control(call_text(c, "cwd", ""))) {
        call_fail(c, "cwd holds a control character: no directory is changed to by such a name");
        return;
    }
    char *line = line_of(c);
    drive_run(c, line, LIMIT_MCP_EXEC_MS, then);
    free(line);
}

static void on_newest_exec(struct call *c, const json_t *newest)
{
    exec(c, newest, on_ran);
}

static void on_newest_interactive(struct call *c, const json_t *newest)
{
    exec(c, newest, on_ran_interactive);
}

void all_exec(struct call *c)
{
    all_newest(c, on_newest_exec);
}

void all_exec_interactive(struct call *c)
{
    all_newest(c, on_newest_interactive);
}

/* ---- keys ---- */

static void on_typed(struct call *c, const json_t *typed)
{
    drive_answer(c, json_pack("{s:b, s:O}", "ok", 1, "typed", json_object_get(typed, "typed")));
}

void all_send(struct call *c)
{
    const char *data = call_text(c, "data", "");
    char *purpose = text_format("keys: %s", data);
    drive_keys(c, data, purpose, on_typed);
    free(purpose);
}

void all_ctrl_c(struct call *c)
{
    drive_keys(c, "\x03", "Ctrl-C", on_typed);
}

void all_ctrl_d(struct call *c)
{
    drive_keys(c, "\x04", "Ctrl-D", on_typed);
}

void all_enter(struct call *c)
{
    drive_keys(c, "\r", "Enter", on_typed);
}

static void on_interrupted(struct call *c, const json_t *typed)
{
    json_object_del(c->mcp->interactive, c->session);
    on_typed(c, typed);
}

static void on_newest_end(struct call *c, const json_t *newest)
{
    const char *wanted = call_text(c, "session_id", NULL);
    char *id = text_format("interactive:%lld", json_number(newest, "ts_begin", 0));
    long long seq = json_number(c->mcp->interactive, c->session, 0);
    if (!runs(newest) || json_number(newest, "seq", 0) != seq)
        call_fail(c,
                  "no interactive session is active: what pty_exec_interactive began has ended, or "
                  "was never begun by this client; pty_ctrl_c interrupts what runs");
    else if (wanted && strcmp(wanted, id) != 0)
        call_fail(c, "session_id does not match: %s is active", id);
    else
        drive_keys(c, "\x03", "Ctrl-C", on_interrupted);
    free(id);
}

void all_end_session(struct call *c)
{
    all_newest(c, on_newest_end);
}

/* ---- what is no key, and the user's to grant all the same ---- */

/* A grant for one thing was for this one. */
static void answer_granted(struct call *c, json_t *value)
{
    if (c->typing.text && !strcmp(c->typing.text, "once"))
        call_answer(c, value);
    else
        drive_answer(c, value);
}

static void note_scope(struct call *c, const json_t *granted)
{
    free(c->typing.text);
    c->typing.text = text_copy(json_text(granted, "scope", "once"));
}

static void on_screen(struct call *c, const json_t *screen)
{
    json_t *value = json_deep_copy(screen);
    json_object_set_new(value, "ok", json_true());
    answer_granted(c, value);
}

static void on_resized(struct call *c, const json_t *size)
{
    (void)size;
    call_ask(c, "session.screen", json_object(), on_screen);
}

static void on_may_resize(struct call *c, const json_t *granted)
{
    note_scope(c, granted);
    call_ask(c, "session.resize",
             json_pack("{s:{s:I, s:I}}", "size", "cols", (json_int_t)call_number(c, "cols", 0),
                       "rows", (json_int_t)call_number(c, "rows", 0)),
             on_resized);
}

void all_resize(struct call *c)
{
    char *purpose = text_format("resize the terminal to %lldx%lld", call_number(c, "cols", 0),
                                call_number(c, "rows", 0));
    drive_ask(c, purpose, on_may_resize);
    free(purpose);
}

static void drop_state(struct call *c)
{
    json_decref(c->state);
}

static void on_closed(struct call *c, const json_t *result)
{
    (void)result;
    drive_answer(c, json_incref(c->state));
}

static void on_may_close(struct call *c, const json_t *granted)
{
    (void)granted;
    call_ask(c, "session.close", json_object(), on_closed);
}

static void on_newest_close(struct call *c, const json_t *newest)
{
    const json_t *force = json_object_get(c->arguments, "force");
    if (json_is_false(force) && runs(newest))
        call_fail(c, "%s runs; with force true the session is closed all the same",
                  json_text(newest, "block_id", ""));
    else
        drive_ask(c, "close the session", on_may_close);
}

static void on_listed(struct call *c, const json_t *sessions)
{
    size_t i;
    json_t *one;
    json_array_foreach(sessions, i, one)
        if (!c->state && (!strcmp(json_string_value(json_array_get(one, 0)), c->session) ||
                          !strcmp(json_string_value(json_array_get(one, 1)), c->session)))
            c->state = json_pack("{s:b, s:O, s:s}", "ok", 1, "shell_id", json_array_get(one, 2),
                                 "result", "closed");
    c->drop = drop_state;
    if (c->state)
        all_newest(c, on_newest_close);
    else
        call_fail(c, "there is no session %s", c->session);
}

void all_close(struct call *c)
{
    call_ask(c, "session.list",
             json_pack("{s:[s, s, s]}", "members", "conversation_id", "name", "shell_id"),
             on_listed);
}
