#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/program.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/guard.h"
#include "ptyd/keeper/keeper.h"
#include "ptyd/keeper/table.h"
#include "ptyd/keeper/trial.h"
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

/* The last four are a keeper's, for the program that is to take its place (keeper/upgrade.h); every
 * version knows them. */
enum { AUTO = CLI_FIRST_OWN, KEEP_DAYS, KEEP_BYTES, TRY_TABLE, RESUME, PREVIOUS, RETURNED };

struct serve {
    struct listener listener;
    struct worker_options worker;
    struct table table;
    int try_table, resume, previous; /* descriptors, -1 for none */
    const char *returned;
};

static int number_of(const char *text)
{
    long number;
    if (!text_parse_number(text, 3, INT_MAX, &number))
        cli_usage("'%s' is no descriptor", text);
    return (int)number;
}

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

static void take_option(struct serve *serve, int option)
{
    switch (option) {
    case AUTO:
        serve->worker.auto_ended = true;
        break;
    case KEEP_DAYS:
        serve->worker.keep_days = parse_days(optarg);
        break;
    case KEEP_BYTES:
        serve->worker.keep_bytes = parse_bytes(optarg);
        break;
    case TRY_TABLE:
        serve->try_table = number_of(optarg);
        break;
    case RESUME:
        serve->resume = number_of(optarg);
        break;
    case PREVIOUS:
        serve->previous = number_of(optarg);
        break;
    case RETURNED:
        serve->returned = optarg;
        break;
    }
}

/* A new daemon. */
static int begin(struct serve *serve, char **ret_message)
{
    char *socket = paths_socket();
    serve->worker.state = paths_state();
    serve->worker.path = program_path(-1);
    /* The original umask and resource limits go to the shells: the umask stays as it is, and the
     * keeper gives them the limits. */
    int result = listener_open(socket, serve->worker.state, &serve->listener, ret_message);
    free(socket);
    return result;
}

/* One that goes on in the place of another program, or again in its own. */
static int resume(struct serve *serve, char **ret_message)
{
    if (serve->previous >= 0 && !serve->returned)
        guard_arm(serve->previous, serve->resume);
    if (table_read(serve->resume, &serve->table, ret_message) < 0)
        return -1;
    if (!guard_is_armed()) {
        close(serve->resume);
        close(serve->previous);
    }
    const struct table *t = &serve->table;
    serve->worker.auto_ended = t->auto_ended;
    serve->worker.keep_days = t->keep.days;
    serve->worker.keep_bytes = t->keep.bytes;
    serve->worker.state = text_copy(t->state);
    serve->worker.path = text_copy(serve->returned ? t->previous_path : t->path);
    serve->listener = (struct listener){.fd = t->listener,
                                        .lock = t->lock,
                                        .state_lock = t->state_lock,
                                        .path = text_copy(t->socket),
                                        .inherited = t->inherited};
    return 0;
}

static int serve_all(struct serve *serve)
{
    bool resumed = serve->resume >= 0;
    char *message = NULL;
    if ((resumed ? resume(serve, &message) : begin(serve, &message)) < 0) {
        int status = say_fail(EXIT_FAILED, "%s", message);
        free(message);
        return status;
    }
    worker_prepare();
    char *beside = paths_parent(serve->listener.path);
    serve->worker.runtime = text_format("%s/shells", beside);
    struct keeper_start start = {.listener = &serve->listener,
                                 .state = serve->worker.state,
                                 .path = serve->worker.path,
                                 .auto_ended = serve->worker.auto_ended,
                                 .keep = {serve->worker.keep_days, serve->worker.keep_bytes},
                                 .table = resumed ? &serve->table : NULL,
                                 .returned = serve->returned};
    int status = keeper_run(&start, worker_main, &serve->worker);
    guard_go_back("it ended at its start"); /* with the listener still open, and its file */
    listener_close(&serve->listener);
    free(beside);
    return status;
}

int command_serve(int argc, char **argv)
{
    static const struct option options[] = {{"auto", no_argument, NULL, AUTO},
                                            {"keep-days", required_argument, NULL, KEEP_DAYS},
                                            {"keep-bytes", required_argument, NULL, KEEP_BYTES},
                                            {"try-table", required_argument, NULL, TRY_TABLE},
                                            {"resume", required_argument, NULL, RESUME},
                                            {"previous", required_argument, NULL, PREVIOUS},
                                            {"returned", required_argument, NULL, RETURNED},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct serve serve = {.worker = {.keep_days = LIMIT_KEEP_DAYS, .keep_bytes = LIMIT_KEEP_BYTES},
                          .try_table = -1,
                          .resume = -1,
                          .previous = -1};
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (cli_option(&cli, option))
            take_option(&serve, option);
    cli_no_more(&cli, argc, argv);
    if (serve.try_table >= 0) {
        worker_prepare(); /* what lacks a library gives no answer */
        return trial_answer(serve.try_table);
    }
    int status = serve_all(&serve);
    free(serve.worker.state);
    free(serve.worker.path);
    free(serve.worker.runtime);
    table_finish(&serve.table);
    return status;
}
