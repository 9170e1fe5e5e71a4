#include <stdlib.h>

#include "ptyd/command/cli.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/keeper.h"
#include "ptyd/worker/worker.h"

static const char help[] =
    "usage: ptyd serve [--socket PATH] [--state-dir DIR]\n\n"
    "The daemon in the foreground, until SIGTERM or SIGINT. Commands start one by themselves; a\n"
    "service manager runs this. Takes a socket that systemd passes (LISTEN_FDS).\n\n"
    "  --socket PATH        default: $XDG_RUNTIME_DIR/ptyd/ptyd.sock\n"
    "  --state-dir DIR      default: $XDG_STATE_HOME/ptyd\n\n"
    "examples:\n"
    "  ptyd serve\n"
    "  systemctl --user enable --now ptyd.socket\n";

enum { AUTO = CLI_FIRST_OWN };

int command_serve(int argc, char **argv)
{
    static const struct option options[] = {{"auto", no_argument, NULL, AUTO}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct worker_options worker = {0};
    struct listener listener;
    char *message = NULL;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (cli_option(&cli, option))
            worker.auto_ended = true;
    cli_no_more(&cli, argc, argv);
    char *socket = paths_socket();
    char *beside = paths_parent(socket);
    worker.state = paths_state();
    worker.runtime = text_format("%s/shells", beside);
    int status = EXIT_FAILED;
    /* The original umask and resource limits go to the shells: the umask stays as it is, and the
     * keeper gives them the limits. */
    if (listener_open(socket, worker.state, &listener, &message) < 0) {
        say_fail(EXIT_FAILED, "%s", message);
    } else {
        status = keeper_run(&listener, worker_main, &worker);
        listener_close(&listener);
    }
    free(message);
    free(socket);
    free(worker.state);
    free(worker.runtime);
    free(beside);
    return status;
}
