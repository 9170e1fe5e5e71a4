#include "ptyd/client/request.h"

static const char help[] =
    "usage: ptyd resize [-s NAME] COLSxROWS\n\n"
    "Gives the session's terminal another size, 2x2 to 1000x1000. Whoever is attached and types\n"
    "gives it the size of that terminal again.\n\nexample:\n  ptyd resize -s work 120x40\n";

int command_resize(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    if (optind == argc)
        cli_usage("which size? COLSxROWS, like 80x24");
    json_t *size = request_size_of(argv[optind++]);
    cli_no_more(&cli, argc, argv);
    json_t *result = request_once(&cli, false, "session.resize",
                                  json_pack("{s:s, s:o}", "name", cli.session, "size", size));
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    json_decref(result);
    return EXIT_OK;
}
