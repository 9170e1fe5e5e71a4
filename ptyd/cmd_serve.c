#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/keeper.h"
#include "ptyd/worker/worker.h"

static const char help[] =
    "usage: ptyd serve [--socket PATH] [--state-dir DIR] [--keep-days N] [--keep-bytes N]\n\n"
    "The daemon in the foreground, until SIGTERM or SIGINT. Commands start one by themselves; a\n"
    "service manager runs this. Takes a socket that systemd passes (LISTEN_FDS).\n\n"
    "  --socket PATH        default: $XDG_RUNTIME_DIR/ptyd/ptyd.sock\n"
    "  --state-dir DIR      default: $XDG_STATE_HOME/ptyd\n"
    "  --keep-days N        what closed sessions leave is removed after N days without use (90)\n"
    "  --keep-bytes N       and the oldest of it when all is larger, as 500M or 4G (4G)\n\n"
    "examples:\n"
    "  ptyd serve\n"
    "  ptyd serve --keep-days 365 --keep-bytes 20G\n"
    "  systemctl --user enable --now ptyd.socket\n";

enum { AUTO = CLI_FIRST_OWN, KEEP_DAYS, KEEP_BYTES };

static int64_t parse_days(const char *text)
{
    long days;
    if (!text_parse_number(text, 0, LIMIT_KEEP_DAYS_MOST, &days))
        cli_usage("'%s' is not a number of days from 0 to %d", text, LIMIT_KEEP_DAYS_MOST);
    return days;
}

static int64_t parse_bytes(const char *text)
{
    int64_t bytes;
    if (!text_parse_bytes(text, LIMIT_KEEP_BYTES_MOST, &bytes))
        cli_usage("'%s' is not a number of bytes, like 500M or 4G", text);
    return bytes;
}

int command_serve(int argc, char **argv)
{
    static const struct option options[] = {{"auto", no_argument, NULL, AUTO},
                                            {"keep-days", required_argument, NULL, KEEP_DAYS},
                                            {"keep-bytes", required_argument, NULL, KEEP_BYTES},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct worker_options worker = {.keep_days = LIMIT_KEEP_DAYS, .keep_bytes = LIMIT_KEEP_BYTES};
    struct listener listener;
    char *message = NULL;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (!cli_option(&cli, option))
            continue;
        else if (option == KEEP_DAYS)
            worker.keep_days = parse_days(optarg);
        else if (option == KEEP_BYTES)
            worker.keep_bytes = parse_bytes(optarg);
        else
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
