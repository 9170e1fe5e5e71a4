#include <stdio.h>

#include "ptyd/client/request.h"
#include "ptyd/core/json.h"

static const char help[] =
    "usage: ptyd grant [NAME] [--once | --command | --session | --no]\n\n"
    "An agent that asks to type in session NAME may: `ptyd mcp --drive` lets it ask, your terminal "
    "and\n"
    "`ptyd status` show it. Any key of yours takes it back. Without NAME the one that asked "
    "first.\n"
    "In a terminal that shows the session Ctrl-\\ g is the same as --once.\n\n"
    "  --once      one command, or what it types at once (the default)\n"
    "  --command   that, and what it types until the command has ended\n"
    "  --session   until you type, or it gives it back\n"
    "  --no        it may not; one that may, may no more\n\n"
    "examples:\n"
    "  ptyd grant\n"
    "  ptyd grant work --command\n";

enum { ONCE = CLI_FIRST_OWN, COMMAND, SESSION, NO };

static const struct option options[] = {{"once", no_argument, NULL, ONCE},
                                        {"command", no_argument, NULL, COMMAND},
                                        {"session", no_argument, NULL, SESSION},
                                        {"no", no_argument, NULL, NO},
                                        CLI_LONG,
                                        {0}};

static void show(const json_t *result, bool no)
{
    const char *agent = json_text(result, "agent", ""), *scope = json_text(result, "scope", "");
    const char *name = json_text(result, "conversation_id", "");
    if (no)
        printf("%s types nothing in session %s.\n", agent, name);
    else
        printf("%s may type in session %s (%s): any key of yours there takes it back.\n", agent,
               name, scope);
}

int command_grant(int argc, char **argv)
{
    static const char *const scopes[] = {"once", "command", "session", "no"};
    struct cli cli = cli_begin(help);
    int option, scope = ONCE;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            scope = option;
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    json_t *params = json_pack("{s:s}", "scope", scopes[scope - ONCE]);
    if (cli.session_given)
        json_object_set_new(params, "name", json_string(cli.session));
    json_t *result = request_once(&cli, false, "baton.grant", params);
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    show(result, scope == NO);
    json_decref(result);
    return EXIT_OK;
}
