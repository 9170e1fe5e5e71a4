/* The Agent Client Protocol (agentclientprotocol.com): a prompt is a list of content blocks, and
 * what is pending becomes one more, behind the user's own: a resource where the agent shows
 * these to its model, else a text.
 *
 * The agent's answer comes when the turn is over, with a reason. A refused prompt is in no history,
 * by the protocol's own word. Whether one that was cancelled or failed is kept each agent decides
 * for itself and none says: it is told again, and counted as unseen. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/edit.h"
#include "ptyd/command/resource.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/gate_private.h"

static const char *const session_methods[] = {"session/new", "session/load", "session/resume",
                                              "session/fork", NULL};

static bool is_about_session(struct span method)
{
    const char *const *at = session_methods;
    while (*at && !span_is_string(method, *at))
        at++;
    return *at;
}

bool acp_is_of_interest(struct span method)
{
    return span_is_string(method, "session/prompt") || span_is_string(method, "initialize") ||
           is_about_session(method);
}

/* ---- what comes back ---- */

bool acp_may_echo(const char *line, size_t len)
{
    static const char lead[] = "Commands from the user's own terminal since their last message";
    return memmem(line, len, RESOURCE_URI, strlen(RESOURCE_URI)) ||
           memmem(line, len, lead, strlen(lead));
}

bool acp_echoes(const char *line, size_t len)
{
    json_t *json = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    const json_t *update = json_at(json, "params", "update");
    const json_t *content = json_object_get(update, "content");
    const char *uri = json_text(json_object_get(content, "resource"), "uri", "");
    const char *text = json_text(content, "text", "");
    bool ours = !strcmp(json_text(update, "sessionUpdate", ""), "user_message_chunk") &&
                (!strncmp(uri, RESOURCE_URI, strlen(RESOURCE_URI)) ||
                 !strncmp(text, DELIVER_TEXT_LEAD, strlen(DELIVER_TEXT_LEAD)));
    json_decref(json);
    return ours;
}

/* ---- prompts ---- */

/* Whether its first text is a command for the agent itself: with more in it it would be none, or
 * what is more would reach no model. */
static bool is_command(const struct message *prompt)
{
    json_t *blocks = json_loadb(prompt->prompt.at, prompt->prompt.len, JSON_ALLOW_NUL, NULL),
           *block;
    const char *text = NULL;
    size_t i;
    json_array_foreach(blocks, i, block)
        text = text ? text : json_text(block, "text", NULL);
    bool command = text && text[strspn(text, " \t\r\n")] == '/';
    json_decref(blocks);
    return command;
}

/* The block to add, as JSON; new string. */
static char *block_of(const struct gate *g, const json_t *taken)
{
    json_t *block = g->embeds ? resource_block(taken)
                              : json_pack("{s:s, s:s*}", "type", "text", "text",
                                          json_text(taken, "text", NULL));
    char *text = json_dumps(block, JSON_COMPACT);
    json_decref(block);
    return text;
}

/* Sends the prompt with what was taken; false as gate_send_taken() says it. */
static bool send_with(struct gate *g, const struct message *prompt, json_t *taken,
                      struct messages *to_server)
{
    const char *why = "there is no text of it";
    char *block = json_text(taken, "text", NULL) ? block_of(g, taken) : NULL;
    int result = block ? edit_add_prompt(prompt, block, &to_server->text, &why) : -1;
    free(block);
    return gate_send_taken(g, prompt, taken, result < 0 ? why : NULL, to_server);
}

static bool send_context(struct gate *g, const struct message *prompt, const char *session,
                         struct messages *to_server)
{
    json_t *id = gate_id(prompt);
    bool can = id && span_is_array(prompt->prompt) && !is_command(prompt);
    const json_t *roots = json_at(g->threads, session, "roots");
    json_t *taken = can ? leases_take(g->leases, session, roots, NULL, false, "text") : NULL;
    json_decref(id);
    if (!taken || send_with(g, prompt, taken, to_server))
        return taken;
    leases_release(g->leases, taken, false);
    json_decref(taken);
    return false;
}

/* ---- from the client ---- */

static void send_about_session(struct gate *g, const struct message *m, struct messages *to_server)
{
    struct request *r = gate_remember(g, REQUEST_THREAD, gate_id(m));
    json_t *params = r ? json_loadb(m->params.at, m->params.len, JSON_ALLOW_NUL, NULL) : NULL;
    const char *cwd = json_text(params, "cwd", NULL);
    if (r) {
        r->thread = gate_text(m->session_id);
        r->forks = span_is_string(m->method, "session/fork");
        r->cwd = cwd ? text_copy(cwd) : NULL;
    }
    json_decref(params);
    gate_pass(m, to_server);
}

void acp_client_line(struct gate *g, const struct message *m, struct messages *to_server)
{
    if (is_about_session(m->method)) {
        send_about_session(g, m, to_server);
        return;
    }
    bool prompt = span_is_string(m->method, "session/prompt");
    char *session = prompt ? gate_text(m->session_id) : NULL;
    if (!prompt)
        gate_remember(g, REQUEST_INITIALIZE, gate_id(m));
    if (!session || !send_context(g, m, session, to_server))
        gate_pass(m, to_server);
    free(session);
}

/* ---- answers ---- */

/* Whether a resource reaches the model: the agent takes them, and is none that keeps one as a file
 * of which the model hears the name alone (Copilot CLI 1.0.102, by its own name for itself). */
static bool shows_resources(const json_t *initialized)
{
    return json_flag(json_at(initialized, "agentCapabilities", "promptCapabilities"),
                     "embeddedContext") &&
           strcmp(json_text(json_object_get(initialized, "agentInfo"), "name", ""), "Copilot") != 0;
}

/* The session is the one asked for, or the one that was made. */
static void learn_session(struct gate *g, const struct request *r, const json_t *result)
{
    const char *made = json_text(result, "sessionId", NULL), *session = made ? made : r->thread;
    if (!result || !session)
        return;
    if (json_object_size(g->threads) >= LIMIT_THREADS)
        json_object_clear(g->threads); /* then any capturing session feeds them */
    if (r->cwd)
        json_object_set_new(g->threads, session, json_pack("{s:[s]}", "roots", r->cwd));
    if (r->forks && made && r->thread)
        leases_inherit(g->leases, r->thread, made, NULL, NULL);
}

static void settle_prompt(struct gate *g, const struct request *r, const json_t *result)
{
    const char *reason = json_text(result, "stopReason", "");
    bool refused = !strcmp(reason, "refusal");
    if (result && !refused && strcmp(reason, "cancelled") != 0)
        leases_commit(g->leases, r->taken, NULL);
    else
        leases_release(g->leases, r->taken, !refused);
}

void acp_settle(struct gate *g, struct request *r, const struct message *answer)
{
    json_t *result = json_loadb(answer->result.at ? answer->result.at : "", answer->result.len,
                                JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    if (r->kind == REQUEST_TURN)
        settle_prompt(g, r, result);
    else if (r->kind == REQUEST_THREAD)
        learn_session(g, r, result);
    else
        g->embeds = shows_resources(result);
    json_decref(result);
}
