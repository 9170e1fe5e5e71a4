#include <stdio.h>
#include <string.h>

#include "ptyd/client/request.h"
#include "ptyd/client/show.h"

static const char help[] =
    "usage: ptyd context [show] [-s NAME] [--json]\n\n"
    "What an agent that has not been told anything yet would be told with the user's next\n"
    "message. Looking changes nothing.\n\n"
    "example:\n  ptyd context show -s work\n";

static int show(const json_t *result)
{
    long long pending = json_integer_value(json_object_get(result, "pending"));
    long long kept = json_integer_value(json_object_get(result, "kept"));
    const json_t *context = json_object_get(result, "additionalContext");
    if (!json_object_size(context))
        puts("Nothing is pending: the agent knows everything.");
    else
        printf("%lld command%s pending, %lld kept:\n", pending, pending == 1 ? "" : "s", kept);
    show_context(context);
    return EXIT_OK;
}

int command_context(int argc, char **argv)
{
    static const struct option options[] = {CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        cli_option(&cli, option);
    if (optind < argc && strcmp(argv[optind], "show"))
        cli_usage("context has no '%s'; it shows what is pending", argv[optind]);
    optind += optind < argc;
    cli_no_more(&cli, argc, argv);
    json_t *params = json_pack("{s:s}", "consumer", "cli");
    if (cli.session_given || strcmp(cli.session, "default"))
        json_object_set_new(params, "session", json_string(cli.session));
    json_t *result = request_once(&cli, false, "context.show", params);
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    int status = show(result);
    json_decref(result);
    return status;
}
