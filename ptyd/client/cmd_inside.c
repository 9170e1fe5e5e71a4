#include "ptyd/client/inside.h"
#include "ptyd/command/cli.h"

static const char help[] =
    "usage: ptyd inside\n\n"
    "Whether this is a session's own terminal: 0 inside, 1 outside, 2 when it cannot be known, as "
    "in\n"
    "some containers. Says nothing, asks no daemon, and does not look at PTYD_SESSION. tmux, an\n"
    "editor's terminal and ssh have terminals of their own: there it is 1, also within a "
    "session.\n\n"
    "example:\n  ptyd inside && echo \"what you do here is recorded\"\n";

int command_inside(int argc, char **argv)
{
    static const int statuses[] = {
        [INSIDE_YES] = EXIT_OK, [INSIDE_NO] = EXIT_FAILED, [INSIDE_UNKNOWN] = EXIT_USAGE};
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    cli_no_more(&cli, argc, argv);
    return statuses[inside()];
}
