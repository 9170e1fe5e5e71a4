#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/attach.h"
#include "ptyd/client/inside.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/elsewhere.h"
#include "ptyd/core/say.h"

static const char help_head[] =
    "usage: ptyd attach [[HOST:]NAME] [--view] [--verbose] [SETTINGS]\n\n"
    "Shows session NAME in this terminal and types into it; `ptyd open NAME` makes one. One of\n"
    "another HOST is shown by ssh.\n\n"
    "  Ctrl-\\ d            leave; the session goes on\n"
    "  Ctrl-\\ Ctrl-\\       type one Ctrl-\\\n"
    "  --view              look, do not type\n"
    "  --verbose           say in a line which session this is\n\n"
    "Settings, which ptyd.conf(5) has by the same names, and explains:\n\n";
static const char help_end[] = "\nexample:\n  ptyd attach work\n";

enum { VIEW = CLI_FIRST_OWN, VERBOSE, FIRST_SETTING };

static void take_option(struct attach_options *attach, int option)
{
    char *why = NULL;
    attach->looks = attach->looks || option == VIEW;
    attach->verbose = attach->verbose || option == VERBOSE;
    if (conf_option(attach->conf, CONF_OF_ATTACH, FIRST_SETTING, option, optarg, &why) < 0)
        cli_usage("%s", why);
}

int command_attach(int argc, char **argv)
{
    static const struct option own_options[] = {
        {"view", no_argument, NULL, VIEW}, {"verbose", no_argument, NULL, VERBOSE}, CLI_LONG, {0}};
    struct option options[CONF_OPTIONS];
    char *help = conf_help_between(help_head, CONF_OF_ATTACH, help_end);
    elsewhere_go(argc, argv, true, NULL);
    struct cli cli = cli_begin(help);
    struct attach_options attach = {.wait_ms = LIMIT_ANSWER_MS, .conf = conf_open()};
    struct rpc rpc;
    int option;
    conf_options(CONF_OF_ATTACH, FIRST_SETTING, own_options, options);
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            take_option(&attach, option);
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_JSON);
    /* Elsewhere PTYD_SESSION was left behind, by a tmux that was started in it, say. */
    const char *own = inside_session();
    attach.name = cli.session_given ? cli.session : *own ? own : "default";
    attach.within = own;
    if (rpc_connect(&rpc, false, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    int status = attach_run(&rpc, &attach);
    rpc_close(&rpc);
    conf_close(attach.conf);
    free(help);
    return status == ATTACH_FAILED ? EXIT_FAILED : status;
}
