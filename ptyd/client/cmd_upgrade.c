/* The connection ends with the worker that it was made to, so the request is sent again to the next
 * one until it is answered: its token says that it is the same one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/program.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd upgrade [--binary FILE] [--worker] [--json]\n\n"
    "The daemon goes on as the program that is on disk now, in the same process: every shell, its\n"
    "output, and what agents were told stay. The file is tried first; where it will not do, or "
    "its\n"
    "worker is not ready within 5 s, the old program goes on.\n\n"
    "  --binary FILE    this program, not the file that the daemon was started from\n"
    "  --worker         end the worker alone, and start another of the program that runs\n\n"
    "examples:\n"
    "  ptyd upgrade\n"
    "  systemctl --user reload ptyd        the same\n";

enum { BINARY = CLI_FIRST_OWN, WORKER };

/* Asks, and waits for the answer to that. */
static enum rpc_wait ask_once(struct rpc *rpc, json_t *params, struct progress *p, int64_t until,
                              json_t **ret_answer)
{
    json_int_t id = rpc_send(rpc, "daemon.upgrade", json_incref(params), until);
    enum rpc_wait end = id > 0 ? RPC_CAME : RPC_LOST;
    while (end == RPC_CAME && (end = rpc_wait_telling(rpc, p, until, ret_answer)) == RPC_CAME) {
        if (rpc_is_answer(*ret_answer, id))
            return RPC_CAME;
        json_decref(*ret_answer);
    }
    *ret_answer = NULL;
    return end;
}

/* Asks until it is answered, of whichever worker: the token says that it is the same request. The
 * answer is a new reference; NULL after a message. */
static json_t *ask(json_t *params)
{
    int64_t until = clock_monotonic_ms() + LIMIT_UPGRADE_WAIT_MS;
    json_t *answer = NULL;
    struct progress progress = progress_begin("upgrading");
    struct rpc rpc;
    if (rpc_connect(&rpc, false, LIMIT_START_MS) < 0)
        return NULL;
    while (ask_once(&rpc, params, &progress, until, &answer) == RPC_LOST &&
           rpc_reconnect(&rpc, until) == 0)
        ;
    progress_clear(&progress);
    rpc_close(&rpc);
    if (!answer)
        say("the daemon did not say what came of it; `ptyd status` shows its version");
    return answer;
}

static void show(const json_t *result)
{
    const char *to = json_text(result, "to", "");
    long long shells = json_number(result, "shells", 0);
    const char *kept = shells == 1 ? "shell" : "shells";
    if (json_flag(result, "worker"))
        printf("ptyd %s: a new worker, %lld %s kept\n", to, shells, kept);
    else
        printf("ptyd %s → %s, %lld %s kept\n", json_text(result, "from", ""), to, shells, kept);
}

static int finish(const struct cli *cli, json_t *result)
{
    const char *error = json_text(result, "error", NULL);
    int status = error ? EXIT_FAILED : EXIT_OK;
    if (error)
        say("ptyd %s goes on with every shell: %s; mend the file, or name another with --binary",
            json_text(result, "from", ""), error);
    if (cli->json)
        return cli_print_json(result) == EXIT_OK ? status : EXIT_FAILED;
    if (!error)
        show(result);
    json_decref(result);
    return status;
}

static json_t *path_of(const char *file)
{
    char *path = realpath(file, NULL);
    if (!path)
        cli_usage("there is no file %s", file);
    json_t *value = json_string(cli_text("FILE", path));
    free(path);
    return value;
}

int command_upgrade(int argc, char **argv)
{
    static const struct option options[] = {{"binary", required_argument, NULL, BINARY},
                                            {"worker", no_argument, NULL, WORKER},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    json_t *params = json_pack("{s:I}", "token", request_new_token());
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (!cli_option(&cli, option))
            continue;
        else if (option == BINARY)
            json_object_set_new(params, "binary", path_of(optarg));
        else
            json_object_set_new(params, "worker", json_true());
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    if (json_object_get(params, "binary") && json_flag(params, "worker"))
        cli_usage("--worker keeps the program: it goes without --binary");
    json_t *answer = ask(params);
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    json_t *result = json_incref(json_object_get(answer, "result"));
    if (error)
        say("%s", error);
    json_decref(answer);
    json_decref(params);
    return result ? finish(&cli, result) : EXIT_FAILED;
}
