#include <string.h>

#include "base/limits.h"
#include "ptyd/client/attach.h"
#include "ptyd/client/inside.h"
#include "ptyd/client/keys.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd attach [NAME] [--view] [--detach-key KEYS] [--verbose]\n\n"
    "Shows session NAME in this terminal and types into it; `ptyd open NAME` makes one.\n\n"
    "  Ctrl-\\ d            leave; the session goes on\n"
    "  Ctrl-\\ Ctrl-\\       type one Ctrl-\\\n"
    "  --view              look, do not type\n"
    "  --detach-key KEYS   other keys to leave by: `C-a d', say; `none' for none; also "
    "PTYD_DETACH_KEY\n"
    "  --verbose           say in a line which session this is\n\n"
    "example:\n  ptyd attach work\n";

enum { VIEW = CLI_FIRST_OWN, DETACH_KEY, VERBOSE };

static void take_option(struct attach_options *attach, int option)
{
    struct keys keys;
    attach->looks = attach->looks || option == VIEW;
    attach->verbose = attach->verbose || option == VERBOSE;
    if (option != DETACH_KEY)
        return;
    if (keys_init(&keys, optarg) < 0)
        cli_usage("--detach-key is Ctrl and a character, then a character: `" KEYS_DEFAULT
                  "', or none");
    attach->detach_key = optarg;
}

int command_attach(int argc, char **argv)
{
    static const struct option options[] = {{"view", no_argument, NULL, VIEW},
                                            {"detach-key", required_argument, NULL, DETACH_KEY},
                                            {"verbose", no_argument, NULL, VERBOSE},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct attach_options attach = {.wait_ms = LIMIT_ANSWER_MS};
    struct rpc rpc;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option))
            take_option(&attach, option);
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    /* Elsewhere PTYD_SESSION was left behind, by a tmux that was started in it, say. */
    const char *own = inside_session();
    attach.name = cli.session_given ? cli.session : *own ? own : "default";
    if (!strcmp(own, attach.name))
        return say_fail(EXIT_FAILED, "this is session %s; it cannot show itself", own);
    if (rpc_connect(&rpc, false, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    int status = attach_run(&rpc, &attach);
    rpc_close(&rpc);
    return status == ATTACH_FAILED ? EXIT_FAILED : status;
}
