/* The methods that answer at once, and the table of all of them (ptyd-rpc(7)). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/json.h"
#include "ptyd/core/program.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/worker/agent.h"
#include "ptyd/worker/baton.h"
#include "ptyd/worker/close.h"
#include "ptyd/worker/closed.h"
#include "ptyd/worker/confine.h"
#include "ptyd/worker/context.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/forgetting.h"
#include "ptyd/worker/hosts.h"
#include "ptyd/worker/look.h"
#include "ptyd/worker/methods.h"
#include "ptyd/worker/open.h"
#include "ptyd/worker/redacting.h"
#include "ptyd/worker/rename.h"
#include "ptyd/worker/retention.h"
#include "ptyd/worker/room.h"
#include "ptyd/worker/run.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/type.h"
#include "ptyd/worker/upgrade.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/wait.h"
#include "ptyd/worker/worker.h"

/* ---- sessions ---- */

/* What of its sessions a request asks for: *ret_choice is NULL for all, or in `space`. Where that
 * cannot be it fails. */
static bool read_choice(struct client *client, const json_t *id, const json_t *params,
                        struct session_choice *space, const struct session_choice **ret_choice)
{
    const json_t *names = json_object_get(params, "members");
    if (names && !session_choose(names, space)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "members is an array of a session's members");
        return false;
    }
    *ret_choice = names ? space : NULL;
    return true;
}

/* Steals the session. */
static json_t *members_of(json_t *session, const json_t *names)
{
    json_t *chosen = json_array(), *name;
    size_t i;
    if (!names) {
        json_decref(chosen);
        return session;
    }
    json_array_foreach((json_t *)names, i, name)
        json_array_append(chosen, json_object_get(session, json_string_value(name)));
    json_decref(session);
    return chosen;
}

/* Whether agents may read it, and so may know where it is. */
static bool is_told(const struct session *s)
{
    return !session_paused(s) && session_knows_secrets(s);
}

/* As an agent is told of them. */
static json_t *list_for_agent(const struct worker *w, const json_t *names)
{
    json_t *all = json_array();
    for (int i = 0; i < w->session_count; i++) {
        const struct session *s = w->sessions[i];
        if (worker_lists(s))
            json_array_append_new(
                all,
                members_of(agent_session(session_json(s), is_told(s), session_secrets(s)), names));
    }
    return all;
}

static void list_call(struct client *client, const json_t *id, const json_t *params)
{
    struct bytes list = {0};
    struct session_choice space;
    const struct session_choice *choice;
    if (!read_choice(client, id, params, &space, &choice))
        return;
    if (json_flag(params, "agent") && !look_agents_are_told(client, id, params))
        return;
    if (json_flag(params, "agent")) {
        client_reply(client, id,
                     list_for_agent(client_worker(client), json_object_get(params, "members")));
        return;
    }
    if (json_flag(params, "all")) {
        closed_list(client, id);
        return;
    }
    worker_append_sessions(client_worker(client), NULL, choice, &list);
    client_reply_text(client, id, &list);
}

static bool is_degraded(const struct session *s)
{
    return store_error(session_store(s)) || store_owed(session_store(s)).count ||
           session_quarantined(s) || (!session_integrated(s) && !session_exited(s));
}

/* Steals `others`, the members besides `sessions`. */
static void reply_with_sessions(struct client *client, const json_t *id, const char *name,
                                const struct session_choice *choice, json_t *others)
{
    char *text = json_dumps(others, JSON_COMPACT);
    struct bytes result = {0};
    bytes_append_text(&result, "{\"sessions\":");
    worker_append_sessions(client_worker(client), name, choice, &result);
    bytes_append_char(&result, ',');
    bytes_append_text(&result, text + 1); /* behind its brace */
    client_reply_text(client, id, &result);
    free(text);
    json_decref(others);
}

static void add_warning(void *user, const char *line)
{
    json_array_append_new(user, json_string(line));
}

static void add_conf_warnings(struct worker *w, json_t *warnings)
{
    char *const *lines;
    worker_conf(w);
    redacting_look(w->redacting);
    size_t count = conf_wrong(w->options->conf, &lines);
    for (size_t i = 0; i < count; i++)
        add_warning(warnings, lines[i]);
    conf_rules_met(w->options->conf, add_warning, warnings);
}

static void status_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    json_int_t spoofed = 0;
    struct session_choice space;
    const struct session_choice *choice;
    const char *name = json_text(params, "name", NULL);
    if (!read_choice(client, id, params, &space, &choice) ||
        (name && !worker_session(client, id, params)))
        return;
    json_t *warnings = json_array();
    if (!ledger_injects(w->ledger, NULL, NULL))
        json_array_append_new(warnings,
                              json_string("agents are told nothing; `ptyd context on` undoes it"));
    add_conf_warnings(w, warnings);
    upgrade_add_warning(w, warnings);
    ledger_add_warnings(w->ledger, warnings);
    hosts_add_warnings(w->hosts, warnings);
    for (int i = 0; i < w->session_count; i++) {
        const struct session *s = w->sessions[i];
        if (!worker_means(s, name))
            continue;
        spoofed += (json_int_t)session_spoofed_marks(s);
        session_add_warnings(s, warnings);
    }
    const char *program = w->options->path ? w->options->path : "";
    char *path = text_clean(program, strlen(program), LIMIT_MESSAGE_BYTES);
    reply_with_sessions(
        client, id, name, choice,
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:o, s:I, s:b, s:I, s:o, s:s, s:b, s:o}",
                  "version", PTYD_VERSION, "build", program_build(), "program", path, "keeper_pid",
                  (int)getppid(), "worker_pid", (int)getpid(), "uptime_ms",
                  (json_int_t)(clock_now().monotonic_ms - w->started_ms), "spoofed_marks", spoofed,
                  "warnings", warnings, "pending", (json_int_t)ledger_pending(w->ledger, name),
                  "injection", ledger_injects(w->ledger, NULL, NULL), "maybe_repeated",
                  ledger_unseen(w->ledger) + ledger_repeated(w->ledger), "closed",
                  retention_json(w->retention), "confinement", confine_words(), "redact_disk",
                  redacting_is_on(w->redacting), "batons", baton_json(w)));
    free(path);
}

static void reset_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    struct session *s = worker_session(client, id, params);
    if (!s)
        return;
    if (!session_quarantined(s)) {
        client_fail(client, id, RPC_FAILED, "session %s is not quarantined", session_called(s));
        return;
    }
    worker_tell(w, WIRE_RESET, session_name(s), NULL, 0);
    session_reset(s);
    client_reply(client, id, json_pack("{s:o}", "session", session_json(s)));
}

/* For a status line, asked for every few seconds. */
static void status_short_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    const char *name = json_text(params, "name", NULL);
    bool paused = false, degraded = false;
    if (name && !worker_knows_session(client, id, name))
        return;
    for (int i = 0; i < w->session_count; i++) {
        const struct session *s = w->sessions[i];
        if (!worker_means(s, name))
            continue;
        paused = paused || session_paused(s);
        degraded = degraded || is_degraded(s);
    }
    client_reply(client, id,
                 json_pack("{s:I, s:b, s:b, s:b}", "pending",
                           (json_int_t)ledger_pending(w->ledger, name), "paused", paused,
                           "injection", ledger_injects(w->ledger, NULL, NULL), "degraded",
                           degraded));
}

/* ---- MCP ---- */

/* A connection of a `ptyd mcp`: while it lives, the header names its tools. */
struct mcp_errand {
    struct errand errand;
    struct ledger *ledger;
    char *conversation;
};

static void mcp_cancel(struct errand *errand)
{
    struct mcp_errand *m = (struct mcp_errand *)errand;
    ledger_mcp(m->ledger, m->conversation, -1);
    free(m->conversation);
    free(m);
}

static void mcp_call(struct client *client, const json_t *id, const json_t *params)
{
    const json_t *named = json_object_get(params, "name");
    const char *name = named ? json_string_value(named) : "";
    if (named && (!name || !text_is_name(name))) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which conversation?");
        return;
    }
    struct mcp_errand *m = memory_new(sizeof *m);
    *m = (struct mcp_errand){.errand = {.cancel = mcp_cancel},
                             .ledger = client_worker(client)->ledger,
                             .conversation = text_copy(name)};
    client_add_errand(client, &m->errand);
    ledger_mcp(m->ledger, name, 1);
    client_reply(client, id, json_object());
}

/* ---- the table ---- */

static const struct method {
    const char *name;
    void (*call)(struct client *client, const json_t *id, const json_t *params);
} methods[] = {
    {"baton.ask", baton_ask_call},
    {"baton.grant", baton_grant_call},
    {"baton.return", baton_return_call},
    {"context.clear", context_clear_call},
    {"context.commit", context_commit_call},
    {"context.explain", context_explain_call},
    {"context.hold", context_hold_call},
    {"context.inherit", context_inherit_call},
    {"context.revert", context_revert_call},
    {"context.inject", context_inject_call},
    {"context.pause", context_pause_call},
    {"context.release", context_release_call},
    {"context.show", context_show_call},
    {"context.take", context_take_call},
    {"daemon.upgrade", upgrade_call},
    {"events.follow", follow_call},
    {"forget", forgetting_call},
    {"host.block", hosts_block_call},
    {"host.blocks", hosts_blocks_call},
    {"host.list", hosts_list_call},
    {"mcp.serve", mcp_call},
    {"session.attach", view_attach_call},
    {"session.block", look_block_call},
    {"session.blocks", look_blocks_call},
    {"session.close", close_call},
    {"session.detach", view_detach_call},
    {"session.input", type_call},
    {"session.list", list_call},
    {"session.open", open_call},
    {"session.output", agent_output_call},
    {"session.rename", rename_call},
    {"session.reset", reset_call},
    {"session.resize", look_resize_call},
    {"session.run", run_call},
    {"session.screen", look_screen_call},
    {"session.scrollback", look_scrollback_call},
    {"session.typed", type_typed_call},
    {"session.wait", wait_call},
    {"status", status_call},
    {"status.short", status_short_call},
    {"view.leave", view_leave_call},
};

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names;
}

/* Whether a request keeps something of its connection behind its answer, or waits for what others
 * do. */
static bool keeps(const char *name)
{
    static const char *const keeping[] = {
        "baton.ask",      "events.follow", "forget",       "mcp.serve",
        "session.attach", "session.run",   "session.wait", NULL};
    return is_among(name, keeping);
}

/* So a brief connection is none for it. The lease of a take is its connection's. */
static bool stays(const char *name, const json_t *params)
{
    return keeps(name) || (!strcmp(name, "context.take") && !json_flag(params, "expires")) ||
           (!strcmp(name, "session.open") && json_flag(params, "attach"));
}

/* Whether it may be answered late, and is something that waits until then. */
static bool waits(const char *name)
{
    static const char *const waiting[] = {"daemon.upgrade", "session.close", "session.input",
                                          "session.open", NULL};
    return keeps(name) || is_among(name, waiting);
}

/* The member whose text has a NUL in it, behind which nobody would read on; or NULL. */
static const char *cut_member(const json_t *params)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)params, key, value)
        if (json_is_string(value) && strlen(json_string_value(value)) < json_string_length(value))
            return key;
    return NULL;
}

/* Whether it types, or has others type, or gives a shell. Who only looks types nothing. */
static bool types(const char *name, const json_t *params)
{
    static const char *const typing[] = {
        "baton.ask",   "baton.grant", "daemon.upgrade", "session.input", "session.open",
        "session.run", NULL};
    return is_among(name, typing) ||
           (!strcmp(name, "session.attach") && !json_flag(params, "view"));
}

/* What is typed runs outside of the sandbox that its sender may be in. */
static bool may_call(struct client *client, const char *name, const json_t *id,
                     const json_t *params)
{
    const char *confined = types(name, params) ? client_confinement(client) : NULL;
    if (confined)
        client_fail(client, id, RPC_FAILED,
                    "nothing was typed: who asks is more confined than the daemon (%s), and what "
                    "it typed would run outside of that",
                    confined);
    return !confined;
}

static void call(struct client *client, const char *name, const json_t *id, const json_t *params)
{
    turns_hurry(&client_worker(client)->turns);
    if (client_worker(client)->retention)
        retention_check(client_worker(client)->retention);
    if (client_is_brief(client) && stays(name, params)) {
        client_refuse(client, id, name);
        return;
    }
    if (client_is_laden(client) && waits(name)) {
        client_fail(client, id, RPC_BUSY,
                    "so many requests wait for something that there is no room for %s, which may "
                    "have to; wait for their answers",
                    name);
        return;
    }
    const char *cut = cut_member(params);
    if (cut) {
        client_fail(client, id, RPC_INVALID_PARAMS, "'%.100s' has a NUL in it", cut);
        return;
    }
    rename_resolve(client_worker(client), params);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, name)) {
            if (may_call(client, name, id, params))
                methods[i].call(client, id, params);
            return;
        }
    client_fail(client, id, RPC_METHOD_NOT_FOUND, "there is no method %s", name);
}

const struct server_handler method_handler = {.call = call,
                                              .gone = context_client_gone,
                                              .has_room = room_for_client,
                                              .count_changed = worker_check_idle};
