/* The prompt-submit hook of agents without an app-server. Whatever goes wrong, the user's prompt
 * goes on: exit 0 and nothing on stdout but the JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/agents/above.h"
#include "ptyd/agents/held.h"
#include "ptyd/agents/transcript.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/agent.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/rpc_error.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help_format[] =
    "usage: ptyd hook %s [-s NAME]\n\n"
    "Run by an agent when its user sends a prompt: reads the event on stdin, prints what the\n"
    "user did in the terminal as additional context. `ptyd enable AGENT` sets it up. It never\n"
    "fails: without a daemon, or with nothing to tell, it prints nothing and exits 0.\n\n"
    "example:\n"
    "  echo '{\"session_id\":\"1\",\"cwd\":\"/tmp\"}' | ptyd hook claude\n";
static char *help;

/* The event, at most LIMIT_REQUEST_BYTES of it; NULL for anything else. */
static json_t *read_event(void)
{
    struct bytes text = {0};
    char chunk[1 << 16];
    ssize_t n;
    while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && text.len <= LIMIT_REQUEST_BYTES)
            bytes_append(&text, chunk, (size_t)n);
    json_t *event = text.data && text.len <= LIMIT_REQUEST_BYTES
                        ? json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL)
                        : NULL;
    bytes_finish(&text);
    return event;
}

/* Where the agent works: the directory of its last command, which may be deep in its project, and
 * that project's. */
static json_t *roots_of(const struct agent *agent, const json_t *event)
{
    const char *cwd = json_text(event, "cwd", NULL);
    const char *project = agent->project ? getenv(agent->project) : NULL;
    json_t *roots = cwd ? json_pack("[s]", cwd) : NULL;
    json_t *root = roots && project && *project == '/' ? json_string(project) : NULL;
    if (root)
        json_array_append_new(roots, root);
    return roots;
}

static json_t *take_params(const struct cli *cli, const struct agent *agent, const json_t *event)
{
    const char *id = json_text(event, "session_id", NULL);
    json_t *roots = id ? roots_of(agent, event) : NULL;
    if (!id)
        return NULL;
    json_t *params =
        json_pack("{s:o, s:s, s:s, s:b}", "consumer", json_sprintf("%s:%s", agent->name, id),
                  "thread", id, "format", "text", "tagged", 1); /* agents put tags around it */
    if (!params) {
        json_decref(roots);
        return NULL;
    }
    if (cli->session_given)
        json_object_set_new(params, "session", json_string(cli->session));
    if (roots)
        json_object_set_new(params, "roots", roots);
    return params;
}

/* Prints the context; true when all of it was written. What was not is no failure of the hook's. */
static bool print_context(const struct agent *agent, const char *text)
{
    json_t *output = agent->flat
                         ? json_pack("{s:s}", "additionalContext", text)
                         : json_pack("{s:{s:s, s:s}}", "hookSpecificOutput", "hookEventName",
                                     agent->event, "additionalContext", text);
    char *json = json_dumps(output, JSON_COMPACT);
    char *line = json ? text_format("%s\n", json) : NULL;
    bool written = line && file_write_all(STDOUT_FILENO, line, strlen(line), -1) == 0;
    free(line);
    free(json);
    json_decref(output);
    return written;
}

/* How a turn ended: the agent keeps it, it does not, or nobody saw which. */
enum end { KEPT, DROPPED, UNSEEN };

/* `turn`: what the agent calls it, or NULL where it does not say. */
static void settle(struct rpc *rpc, const json_t *taken, enum end end, const char *turn)
{
    json_decref(rpc_call(
        rpc, end == KEPT ? "context.commit" : "context.release",
        json_pack("{s:O, s:O*, s:s*, s:b}", "lease", json_object_get(taken, "lease"), "receipt",
                  json_object_get(taken, "receipt"), "turn_id", turn, "unseen", end == UNSEEN),
        LIMIT_HOOK_WAIT_MS));
}

/* Asks what a worker older than this, as behind a package's update, may not know: that is said to
 * nobody at each prompt. Returns whether it knows it. */
static bool ask_newer(struct rpc *rpc, const char *method, json_t *params)
{
    char *error = NULL;
    json_decref(rpc_ask(rpc, method, params, LIMIT_HOOK_WAIT_MS, &error));
    bool known = rpc->refusal != RPC_METHOD_NOT_FOUND && rpc->refusal != RPC_INVALID_PARAMS;
    if (error && known)
        say("%s", error);
    free(error);
    return known;
}

/* What is taken is this process's until it is held, and comes back with its end, whoever dies
 * first: who asks next has to know of it. A worker that does not know this holds it at once. */
static void want_held(json_t *params)
{
    json_object_set_new(params, "until_held", json_true());
    json_object_set_new(params, "expires", json_true());
    json_object_set_new(params, "lasts", json_integer(LIMIT_HELD_S));
}

static void hold(struct rpc *rpc, const json_t *taken)
{
    ask_newer(
        rpc, "context.hold",
        json_pack("{s:O, s:i}", "lease", json_object_get(taken, "lease"), "lasts", LIMIT_HELD_S));
}

/* What the conversation's last turn took, if that is open still. Where the agent has written that
 * the conversation went on from there, it has it, whatever the end. */
static void settle_held(struct rpc *rpc, const char *consumer, const char *transcript, enum end end)
{
    json_t *held = held_let_go(consumer);
    const char *prompt = json_text(held, "prompt", NULL);
    if (end == UNSEEN && prompt && transcript && transcript_goes_on(transcript, prompt))
        end = KEPT;
    if (held)
        settle(rpc, held, end, prompt);
    json_decref(held);
}

/* Whether what this turn takes is settled by what comes behind it: by the event there, or by what
 * the agent writes, which has to name the prompt. */
static bool is_held(const struct agent *agent, const json_t *event)
{
    return agent->after && !strcmp(json_text(event, "hook_event_name", ""), agent->event) &&
           (agent->no_answer || json_text(event, "prompt_id", NULL));
}

/* The hook is set up twice, for the user and for the project, and the other one was first. */
static bool is_told(const struct agent *agent, const json_t *params, const json_t *event)
{
    const char *prompt = json_text(event, "prompt_id", NULL);
    return prompt && is_held(agent, event) && held_is_of(json_text(params, "consumer", ""), prompt);
}

static void deliver(struct rpc *rpc, const struct agent *agent, json_t *params, const json_t *event)
{
    char *consumer = text_copy(json_text(params, "consumer", ""));
    const char *prompt = json_text(event, "prompt_id", NULL);
    bool holds = is_held(agent, event);
    if (holds) {
        settle_held(rpc, consumer, json_text(event, "transcript_path", NULL), UNSEEN);
        want_held(params);
    }
    json_t *taken = rpc_call(rpc, "context.take", params, LIMIT_HOOK_WAIT_MS);
    const char *text = json_text(taken, "text", NULL);
    if (text && json_object_get(taken, "lease")) {
        bool printed = print_context(agent, text);
        if (printed && holds && held_keep(consumer, taken, prompt) == 0)
            hold(rpc, taken);
        else
            settle(rpc, taken, printed ? KEPT : DROPPED, json_text(event, "turn_id", NULL));
    }
    json_decref(taken);
    free(consumer);
}

/* `turns`, an array of ids, and `turn`, an id: either may be NULL. */
static bool revert_these(struct rpc *rpc, const char *consumer, json_t *turns, json_t *turn)
{
    return ask_newer(
        rpc, "context.revert",
        json_pack("{s:s, s:O*, s:O*}", "consumer", consumer, "turns", turns, "turn", turn));
}

/* Steals `turns`, an array of ids, or NULL. An older worker knows them one by one. */
static void revert(struct rpc *rpc, const char *consumer, json_t *turns)
{
    size_t count = json_array_size(turns), i;
    json_t *one = count == 1 ? json_array_get(turns, 0) : NULL, *turn;
    if (count && !revert_these(rpc, consumer, turns, one) && !one)
        json_array_foreach(turns, i, turn)
            revert_these(rpc, consumer, NULL, turn);
    json_decref(turns);
}

/* Prompts that this one was put in the place of are in no history any more. When it was sent
 * nothing said so. */
static void hear_taken_back(struct rpc *rpc, const char *consumer, const json_t *event)
{
    const char *prompt = json_text(event, "prompt_id", NULL);
    const char *transcript = json_text(event, "transcript_path", NULL);
    if (prompt && transcript)
        revert(rpc, consumer, transcript_taken_back(transcript, prompt));
}

/* The turn is over: `prompt_response` is what the agent answered. */
static void hear_end(struct rpc *rpc, const struct agent *agent, json_t *params,
                     const json_t *event)
{
    const char *answer = json_text(event, "prompt_response", "");
    bool none = agent->no_answer && (!*answer || !strcmp(answer, agent->no_answer));
    const char *consumer = json_text(params, "consumer", "");
    settle_held(rpc, consumer, NULL, none ? DROPPED : KEPT);
    hear_taken_back(rpc, consumer, event);
    json_decref(params);
}

/* The conversation was forked from another one of the agent's, and has its history up to the turn
 * `last`, or (NULL) all of it. */
static void inherit(struct rpc *rpc, const struct agent *agent, const json_t *params,
                    const char *parent, const char *last)
{
    json_decref(
        rpc_call(rpc, "context.inherit",
                 json_pack("{s:o, s:O, s:s*}", "from", json_sprintf("%s:%s", agent->name, parent),
                           "to", json_object_get(params, "consumer"), "last_turn", last),
                 LIMIT_HOOK_WAIT_MS));
}

/* A conversation begins. One that was forked has the history of another: it is told what comes
 * after; where that one is not known, all again. */
static void hear_begin(struct rpc *rpc, const struct agent *agent, json_t *params,
                       const json_t *event)
{
    char *parent = strcmp(json_text(event, "source", ""), "fork") ? NULL : transcript_parent(event);
    if (parent)
        inherit(rpc, agent, params, parent, NULL);
    free(parent);
    json_decref(params);
}

/* What is in its history already, of a fork that begins with this turn. */
static void hear_fork(struct rpc *rpc, const struct agent *agent, const json_t *params,
                      const json_t *event)
{
    const json_t *from = json_object_get(event, "forked_from");
    const char *parent = json_text(from, "session_id", NULL);
    const char *last = json_text(from, "turn_id", NULL);
    if (parent && last)
        inherit(rpc, agent, params, parent, last);
}

/* A turn is no more in the conversation's history. */
static void hear_removed(struct rpc *rpc, json_t *params, const json_t *event)
{
    const char *turn = json_text(event, "turn_id", "");
    if (*turn)
        revert(rpc, json_text(params, "consumer", ""), json_pack("[s]", turn));
    json_decref(params);
}

static void handle(const struct agent *agent, json_t *params, const json_t *event)
{
    struct rpc rpc;
    const char *name = json_text(event, "hook_event_name", "");
    if (rpc_connect(&rpc, false, LIMIT_HOOK_WAIT_MS) < 0) {
        json_decref(params);
        return;
    }
    if (agent->after && !strcmp(name, agent->after))
        hear_end(&rpc, agent, params, event);
    else if (agent->begins && !strcmp(name, agent->begins))
        hear_begin(&rpc, agent, params, event);
    else if (agent->removes && !strcmp(name, agent->removes))
        hear_removed(&rpc, params, event);
    else if (is_told(agent, params, event))
        json_decref(params);
    else {
        hear_fork(&rpc, agent, params, event);
        deliver(&rpc, agent, params, event);
    }
    rpc_close(&rpc);
}

static char *make_help(void)
{
    char *names = agent_names("|", "|", false), *text = text_format(help_format, names);
    free(names);
    return text;
}

/* Some agents block the prompt on exit 2: a hook that is set up wrongly says so and passes. */
static int say_which(bool by_agent)
{
    char *names =
        by_agent ? agent_names("`, `", "` or `", false) : agent_names(", ", " or ", false);
    if (!by_agent)
        cli_usage("which agent? %s", names);
    say("which agent? `ptyd hook %s`", names);
    free(names);
    return EXIT_OK;
}

int command_hook(int argc, char **argv)
{
    static const struct option options[] = {CLI_LONG, {0}};
    struct cli cli = cli_begin(help = make_help());
    bool by_agent = !isatty(STDIN_FILENO);
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (option == '?' && by_agent)
            return EXIT_OK;
        else
            cli_option(&cli, option);
    const char *name = optind < argc ? argv[optind++] : "";
    const struct agent *agent = agent_find(name, strlen(name));
    if (!agent)
        return say_which(by_agent);
    cores_hide();
    json_t *event = read_event();
    json_t *params = take_params(&cli, agent, event);
    if (params && above_is_acp()) /* the agent is told already */
        json_decref(params);
    else if (params)
        handle(agent, params, event);
    else
        say("the event on stdin is no JSON object with a session_id: no context this time");
    json_decref(event);
    return EXIT_OK;
}
