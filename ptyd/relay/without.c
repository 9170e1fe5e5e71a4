/* In place of all else here where libnats or libsodium was not there when ptyd was built. */
#ifndef PTYD_RELAY
#include "ptyd/command/cli.h"
#include "ptyd/core/say.h"

#define WITHOUT                                                                                    \
    "this ptyd was built without libnats or libsodium: `apt-get install libnats-dev "              \
    "libsodium-dev`, and build it again"

static const char hosts_help[] =
    "usage: ptyd hosts\n\n"
    "Which of your hosts are there: this ptyd cannot say, for it was built without libnats or\n"
    "libsodium.\n\n"
    "example:\n"
    "  apt-get install libnats-dev libsodium-dev, and build again\n";

static const char exec_help[] = "usage: ptyd exec -- COMMAND\n\n"
                                "A command of which your hosts hear: this ptyd cannot tell them, "
                                "for it was built without libnats\n"
                                "or libsodium.\n\n"
                                "example:\n"
                                "  apt-get install libnats-dev libsodium-dev, and build again\n";

static const char help[] = "usage: ptyd relay\n\n"
                           "The commands of this host told to the agents on your other hosts: this "
                           "ptyd cannot, for it was\n"
                           "built without libnats or libsodium.\n\n"
                           "example:\n"
                           "  apt-get install libnats-dev libsodium-dev, and build again\n";

int command_exec(int argc, char **argv)
{
    cli_plain(argc, argv, CLI_SHORT, exec_help);
    return say_fail(EXIT_PTYD, WITHOUT);
}

int command_hosts(int argc, char **argv)
{
    cli_plain(argc, argv, CLI_SHORT_MIXED, hosts_help);
    return say_fail(EXIT_FAILED, WITHOUT);
}

int command_relay(int argc, char **argv)
{
    cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    return say_fail(EXIT_FAILED, WITHOUT);
}
#endif
