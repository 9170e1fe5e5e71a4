#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/conf.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/program.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/guard.h"
#include "ptyd/keeper/keeper.h"
#include "ptyd/keeper/table.h"
#include "ptyd/keeper/trial.h"
#include "ptyd/worker/worker.h"

static const char help_head[] =
    "usage: ptyd serve [--socket PATH] [--state-dir DIR] [SETTINGS]\n\n"
    "The daemon in the foreground, until SIGTERM or SIGINT. Commands start one by themselves; a\n"
    "service manager runs this. Takes a socket that systemd passes (LISTEN_FDS).\n\n"
    "  --socket PATH       default: $XDG_RUNTIME_DIR/ptyd/ptyd.sock\n"
    "  --state-dir DIR     default: $XDG_STATE_HOME/ptyd\n\n"
    "Settings, which ptyd.conf(5) has by the same names, and explains:\n\n";
static const char help_end[] = "\nexamples:\n"
                               "  ptyd serve\n"
                               "  ptyd serve --keep-days 365 --keep-bytes 20G\n"
                               "  systemctl --user enable --now ptyd.socket\n";

/* The last four are a keeper's, for the program that is to take its place (keeper/upgrade.h); every
 * version knows them. */
enum { AUTO = CLI_FIRST_OWN, TRY_TABLE, RESUME, PREVIOUS, RETURNED, FIRST_SETTING };

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

static void take_setting(struct serve *serve, int option)
{
    char *why = NULL;
    if (conf_option(serve->worker.conf, CONF_OF_SERVE, FIRST_SETTING, option, optarg, &why) < 0)
        cli_usage("%s", why);
}

static void take_option(struct serve *serve, int option)
{
    switch (option) {
    case AUTO:
        serve->worker.auto_ended = true;
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
    default:
        take_setting(serve, option);
        break;
    }
}

/* A new daemon. */
static int begin(struct serve *serve, char **ret_message)
{
    char *socket = paths_socket();
    serve->worker.state = paths_state();
    serve->worker.path = program_path(-1);
    if (!utf8_valid(serve->worker.state, strlen(serve->worker.state))) { /* clients are told it */
        *ret_message = text_format("the name of the state directory, %s, is not UTF-8; set "
                                   "PTYD_STATE_DIR to another place",
                                   serve->worker.state);
        free(socket);
        return -1;
    }
    /* The keeper gives shells the original resource limits. */
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
    conf_set_all(serve->worker.conf, t->options ? t->options : "");
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
    say_without_waiting();
    umask(0077); /* a session has its client's; with 0777 nobody could open again what is made */
    if ((resumed ? resume(serve, &message) : begin(serve, &message)) < 0) {
        int status = say_fail(EXIT_FAILED, "%s", message);
        free(message);
        return status;
    }
    worker_prepare();
    if (conf_now(serve->worker.conf)->confinement)
        cores_hide();
    char *beside = paths_parent(serve->listener.path);
    serve->worker.runtime = text_format("%s/shells", beside);
    char *options = conf_all_set(serve->worker.conf);
    struct keeper_start start = {.listener = &serve->listener,
                                 .state = serve->worker.state,
                                 .path = serve->worker.path,
                                 .auto_ended = serve->worker.auto_ended,
                                 .options = options,
                                 .table = resumed ? &serve->table : NULL,
                                 .returned = serve->returned};
    int status = keeper_run(&start, worker_main, &serve->worker);
    guard_go_back("it ended at its start"); /* with the listener still open, and its file */
    listener_close(&serve->listener);
    free(options);
    free(beside);
    return status;
}

int command_serve(int argc, char **argv)
{
    static const struct option own[] = {{"auto", no_argument, NULL, AUTO},
                                        {"try-table", required_argument, NULL, TRY_TABLE},
                                        {"resume", required_argument, NULL, RESUME},
                                        {"previous", required_argument, NULL, PREVIOUS},
                                        {"returned", required_argument, NULL, RETURNED},
                                        CLI_LONG,
                                        {0}};
    struct option options[CONF_OPTIONS];
    char *help = conf_help_between(help_head, CONF_OF_SERVE, help_end);
    struct cli cli = cli_begin(help);
    struct serve serve = {
        .worker = {.conf = conf_open()}, .try_table = -1, .resume = -1, .previous = -1};
    int option;
    conf_options(CONF_OF_SERVE, FIRST_SETTING, own, options);
    while ((option = cli_next(argc, argv, CLI_SHORT, options)) != -1)
        if (cli_option(&cli, option))
            take_option(&serve, option);
    cli_no_more(&cli, argc, argv);
    free(help);
    if (serve.try_table >= 0)
        worker_prepare(); /* what lacks a library gives no answer */
    int status = serve.try_table < 0 ? serve_all(&serve) : trial_answer(serve.try_table);
    conf_close(serve.worker.conf);
    free(serve.worker.state);
    free(serve.worker.path);
    free(serve.worker.runtime);
    table_finish(&serve.table);
    return status;
}
