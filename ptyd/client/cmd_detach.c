#include <stdio.h>

#include "ptyd/client/inside.h"
#include "ptyd/client/request.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd detach [NAME] [--json]\n\n"
    "The terminals that show session NAME leave it, and it goes on, also one that a terminal "
    "owns.\n"
    "In a session, without NAME: the terminal that you type in leaves this one.\n\n"
    "examples:\n"
    "  ptyd detach\n"
    "  ptyd detach work && ptyd attach work\n";

static int show(const char *name, bool own, const json_t *result)
{
    long long count = json_number(result, "detached", 0);
    if (!count)
        return say_fail(EXIT_FAILED, "no terminal shows session %s", name);
    if (!own)
        printf("%lld terminal%s left session %s; `ptyd attach %s` comes back.\n", count,
               count == 1 ? "" : "s", name, name);
    return EXIT_OK;
}

int command_detach(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    const char *here = inside_session();
    bool own = !cli.session_given && *here;
    if (!own && !cli.session_given)
        cli_usage("this is no session's terminal; which session? `ptyd list` shows them");
    const char *name = own ? here : cli.session;
    json_t *result = request_once(&cli, false, "session.detach",
                                  json_pack("{s:s, s:b}", "name", name, "leading", own));
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    int status = show(name, own, result);
    json_decref(result);
    return status;
}
