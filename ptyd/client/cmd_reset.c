#include <stdio.h>

#include "ptyd/client/request.h"

static const char help[] =
    "usage: ptyd reset NAME\n\n"
    "Goes on with a quarantined session: one at which ptyd's worker died three times at the same\n"
    "place (`ptyd status` names it). What its shell says from now on is read again; the command "
    "that\n"
    "ran has ended unseen, what was printed meanwhile is in output.raw alone. Where the worker "
    "died\n"
    "while it told a block to an agent, what was pending of the session is told no more.\n"
    "`ptyd upgrade` does the same for every such session.\n\n"
    "example:\n  ptyd reset work\n";

int command_reset(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    json_t *result =
        request_once(&cli, false, "session.reset", json_pack("{s:s}", "name", cli.session));
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    printf("Session %s goes on.\n", cli.session);
    json_decref(result);
    return EXIT_OK;
}
