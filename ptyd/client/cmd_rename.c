#include <stdio.h>

#include "ptyd/client/request.h"
#include "ptyd/core/json.h"

static const char help[] =
    "usage: ptyd rename [NAME] NEW [--json]\n\n"
    "Gives session NAME (else the one of -s, or this one) another name, by which every command "
    "and\n"
    "every agent's settings may name it from now on, also when it is closed. What it was opened as "
    "goes\n"
    "on to name it, and stands in the ids of its blocks and in PTYD_SESSION: nothing that noted "
    "one "
    "is\n"
    "left with a name of nothing. Renamed to that it has its own name again. Names like term-3 are "
    "those\n"
    "of terminals' sessions.\n\n"
    "examples:\n"
    "  ptyd rename deploy           this terminal's session, from within it\n"
    "  ptyd rename work deploy\n";

int command_rename(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    if (argc - optind > 1)
        cli_bare_name(&cli, argc, argv);
    if (optind >= argc)
        cli_usage("what is it to be called?");
    const char *name = cli_text("NEW", argv[optind++]);
    cli_no_more(&cli, argc, argv);
    json_t *result = request_once(&cli, false, "session.rename",
                                  json_pack("{s:s, s:s}", "name", cli.session, "to", name));
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    printf("Session %s is called %s now.\n", cli.session, name);
    json_decref(result);
    return EXIT_OK;
}
