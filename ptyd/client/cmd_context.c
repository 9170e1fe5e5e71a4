#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/client/context_view.h"
#include "ptyd/client/request.h"
#include "ptyd/client/sight.h"
#include "ptyd/command/resource.h"
#include "ptyd/command/pager.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd context [show|take] [-s NAME] [--format FORMAT] [--consumer ID] [--json]\n"
    "       ptyd context commit|release LEASE\n"
    "       ptyd context off|on [--thread ID]\n"
    "       ptyd context pause|resume|clear [-s NAME]\n\n"
    "What an agent will be told with the user's next message.\n\n"
    "  show      what somebody who was told nothing would be told, as a table; changes nothing\n"
    "  take      hand it out: it is not offered again unless released, or not committed\n"
    "            within 60 s\n"
    "  commit    the agent has it          release   it never got there\n"
    "  off, on   stop and resume telling agents; what is pending waits\n"
    "  pause, resume   stop and resume recording, of session NAME or of all\n"
    "  clear     drop what is pending, of session NAME or of all\n\n"
    "  --format FORMAT   codex (entries of additionalContext; the default), text, envelope\n"
    "                    (the legacy CODEX_META prefix), acp (a resource block)\n"
    "  --consumer ID     who takes (default: cli); each is told everything once\n"
    "  --thread ID       only this thread of an agent, as the agent or `ptyd explain` calls it;\n"
    "                    off holds for forks that are made of it then, too\n\n"
    "examples:\n"
    "  ptyd context show -s work\n"
    "  ptyd context take --format text --json | jq -r .text\n"
    "  ptyd context off                  nothing reaches agents until `ptyd context on`\n";

enum { FORMAT = CLI_FIRST_OWN, CONSUMER, THREAD };

struct options {
    struct cli cli;
    const char *format, *consumer, *thread;
    char **args; /* behind the verb */
    int arg_count;
};

/* The session that was named, or that this is; NULL for all. */
static const char *named(const struct cli *cli)
{
    const char *own = getenv("PTYD_SESSION");
    return cli->session_given || (own && *own) ? cli->session : NULL;
}

static json_t *name_params(const struct cli *cli)
{
    json_t *params = json_object();
    if (named(cli))
        json_object_set_new(params, "name", json_string(named(cli)));
    return params;
}

/* ---- showing ---- */

static void show_entries(const json_t *result)
{
    struct bytes text = {0};
    struct table_look look = sight_table_look();
    struct pager pager = pager_begin(true);
    context_view(result, &look, &text);
    fwrite(text.data, 1, text.len, stdout);
    bytes_finish(&text);
    pager_end(&pager);
}

/* What the other formats print; NULL for none. */
static char *other_form(const struct options *o, const json_t *result)
{
    const char *text = json_text(result, "text", NULL);
    const char *envelope = json_text(result, "envelope", NULL);
    if (envelope)
        return text_format("\x1e"
                           "CODEX_META %s\x1f",
                           envelope);
    if (!text || strcmp(o->format, "acp"))
        return text ? text_copy(text) : NULL;
    json_t *block = resource_block(result);
    char *dump = json_dumps(block, JSON_COMPACT);
    json_decref(block);
    return dump;
}

static int print_taken(const struct options *o, json_t *result)
{
    long long lease = json_number(result, "lease", 0);
    char *form = other_form(o, result);
    if (o->cli.json || (lease && !form)) {
        free(form);
        return cli_print_json(result);
    }
    if (form)
        puts(form);
    else
        show_entries(result);
    if (lease)
        say("lease %lld: `ptyd context commit %lld` once the agent has it, or `release`", lease,
            lease);
    free(form);
    json_decref(result);
    return EXIT_OK;
}

static int look(const struct options *o, const char *method, bool take)
{
    json_t *params = json_pack("{s:s, s:s, s:b}", "consumer", o->consumer, "format",
                               strcmp(o->format, "acp") ? o->format : "text", "expires", take);
    if (named(&o->cli))
        json_object_set_new(params, "session", json_string(named(&o->cli)));
    if (o->thread)
        json_object_set_new(params, "thread", json_string(o->thread));
    json_t *result =
        take ? request_once(&o->cli, false, method, params) : request_look(method, params);
    return result ? print_taken(o, result) : EXIT_FAILED;
}

static int show(const struct options *o)
{
    return look(o, "context.show", false);
}

static int take(const struct options *o)
{
    return look(o, "context.take", true);
}

/* ---- settling and switching ---- */

static int ask(const struct options *o, const char *method, json_t *params, const char *said)
{
    json_t *result = request_once(&o->cli, false, method, params);
    if (!result)
        return EXIT_FAILED;
    if (o->cli.json)
        return cli_print_json(result);
    json_decref(result);
    puts(said);
    return EXIT_OK;
}

static json_t *lease_params(const struct options *o)
{
    long lease;
    if (o->arg_count != 1 || !text_parse_number(o->args[0], 1, 0x7fffffffffff, &lease))
        cli_usage("which lease? `ptyd context take` prints its number");
    return json_pack("{s:I}", "lease", (json_int_t)lease);
}

static int commit(const struct options *o)
{
    return ask(o, "context.commit", lease_params(o), "Committed: it is not offered again.");
}

static int release(const struct options *o)
{
    return ask(o, "context.release", lease_params(o), "Released: it is offered again.");
}

static json_t *switch_params(const struct options *o, bool on)
{
    json_t *params = json_pack("{s:b}", "on", on);
    if (o->thread && !*o->thread)
        cli_usage("--thread is empty; without it, it is about all of them");
    if (o->thread)
        json_object_set_new(params, "thread", json_string(o->thread));
    return params;
}

static int off(const struct options *o)
{
    const char *thread = o->thread;
    char *said =
        thread ? text_format("Thread %s is told nothing; `ptyd context on --thread %s` undoes it. "
                             "What is pending waits.",
                             thread, thread)
               : text_copy("Agents are told nothing; `ptyd context on` undoes it. What is pending "
                           "waits.");
    int status = ask(o, "context.inject", switch_params(o, false), said);
    free(said);
    return status;
}

/* One thread is told nothing still while all are. */
static int on(const struct options *o)
{
    json_t *result = request_once(&o->cli, false, "context.inject", switch_params(o, true));
    if (!result)
        return EXIT_FAILED;
    if (o->cli.json)
        return cli_print_json(result);
    bool none = json_is_false(json_object_get(result, "injection"));
    json_decref(result);
    if (none)
        puts("Agents are told nothing still, that thread neither; `ptyd context on` undoes it.");
    else if (o->thread)
        printf("Thread %s is told again.\n", o->thread);
    else
        puts("Agents are told again.");
    return EXIT_OK;
}

static int set_paused(const struct options *o, bool paused, const char *said)
{
    json_t *params = name_params(&o->cli);
    json_object_set_new(params, "paused", json_boolean(paused));
    return ask(o, "context.pause", params, said);
}

static int pause_capture(const struct options *o)
{
    return set_paused(o, true, "Capture is paused; `ptyd context resume` undoes it.");
}

static int resume_capture(const struct options *o)
{
    return set_paused(
        o, false, "Capture goes on. What the screen still shows can be seen; `clear` empties it.");
}

static int clear(const struct options *o)
{
    return ask(o, "context.clear", name_params(&o->cli), "Nothing is pending any more.");
}

/* ---- the verbs ---- */

static const struct verb {
    const char *name;
    int (*run)(const struct options *o);
    bool takes_lease;
} verbs[] = {
    {"show", show, false},
    {"take", take, false},
    {"commit", commit, true},
    {"release", release, true},
    {"off", off, false},
    {"on", on, false},
    {"pause", pause_capture, false},
    {"resume", resume_capture, false},
    {"clear", clear, false},
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(name, verbs[i].name))
            return &verbs[i];
    cli_usage("context has no '%s'; it knows show, take, commit, release, off, on, pause, resume, "
              "clear",
              name);
}

static const char *known_format(const char *format)
{
    static const char *const formats[] = {"codex", "text", "envelope", "acp"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(format, formats[i]))
            return format;
    cli_usage("there is no format '%s'; it is codex, text, envelope or acp", format);
}

int command_context(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, FORMAT},
                                            {"consumer", required_argument, NULL, CONSUMER},
                                            {"thread", required_argument, NULL, THREAD},
                                            CLI_LONG,
                                            {0}};
    struct options o = {.cli = cli_begin(help), .format = "codex", .consumer = "cli"};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (!cli_option(&o.cli, option))
            continue;
        else if (option == FORMAT)
            o.format = known_format(optarg);
        else if (option == CONSUMER)
            o.consumer = cli_text("ID", optarg);
        else
            o.thread = cli_text("ID", optarg);
    const struct verb *verb = find_verb(optind < argc ? argv[optind++] : "show");
    o.args = argv + optind;
    o.arg_count = argc - optind;
    if (!verb->takes_lease)
        cli_no_more(&o.cli, argc, argv);
    return verb->run(&o);
}
