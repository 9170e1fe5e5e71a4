#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/attach.h"
#include "ptyd/client/request.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd attach [NAME] [--view]\n\n"
    "Shows session NAME in this terminal and types into it. Starts it when it does not run.\n\n"
    "  Ctrl-\\ d            leave; the session goes on\n"
    "  Ctrl-\\ Ctrl-\\       type one Ctrl-\\\n"
    "  --view              look, do not type\n\n"
    "example:\n  ptyd attach work\n";

enum { VIEW = CLI_FIRST_OWN };

static json_t *open_params(const char *name)
{
    int cols, rows;
    json_t *params = request_open_params(name);
    request_terminal_size(&cols, &rows);
    json_object_set_new(params, "size", request_size_json(cols, rows));
    return params;
}

static int open_session(struct rpc *rpc, json_t *params, int wait_ms)
{
    json_t *opened = rpc_call(rpc, "session.open", params, wait_ms);
    json_decref(opened);
    return opened ? 0 : -1;
}

int command_attach(int argc, char **argv)
{
    static const struct option options[] = {{"view", no_argument, NULL, VIEW}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct attach_options attach = {0};
    struct rpc rpc;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option))
            attach.looks = true;
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    const char *inside = getenv("PTYD_SESSION");
    if (inside && !strcmp(inside, cli.session))
        return say_fail(EXIT_FAILED, "this is session %s; it cannot show itself", inside);
    attach.name = cli.session;
    if (rpc_connect(&rpc, !cli.no_start, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    int status = open_session(&rpc, open_params(cli.session), LIMIT_ANSWER_MS) < 0
                     ? EXIT_FAILED
                     : attach_run(&rpc, &attach);
    rpc_close(&rpc);
    return status;
}

/* ---- bare ptyd ---- */

/* `term-N` with the lowest N that no session has. New string. */
static char *free_name(struct rpc *rpc, int wait_ms)
{
    json_t *list = rpc_call(rpc, "session.list", json_object(), wait_ms);
    char *name = NULL;
    for (int n = 1; list && !name; n++) {
        size_t i;
        json_t *session;
        name = text_format("term-%d", n);
        json_array_foreach(list, i, session)
            if (!strcmp(json_text(session, "name", ""), name)) {
                free(name);
                name = NULL;
                break;
            }
    }
    json_decref(list);
    return name;
}

/* ptyd must never stand between a person and a shell. */
static int plain_shell(void)
{
    const char *shell = getenv("SHELL");
    shell = shell && *shell ? shell : "/bin/sh";
    say("starting %s without it", shell);
    setenv("PTYD_SESSION", "", 1);
    execl(shell, shell, (char *)NULL);
    return say_fail(EXIT_FAILED, "cannot start %s either", shell);
}

/* The session that this terminal becomes, by `until` (monotonic ms); NULL after a word why not. A
 * shell that is slow to its first prompt is shown without one. New string. */
static char *open_own(struct rpc *rpc, int64_t until)
{
    char *name = free_name(rpc, (int)(until - clock_monotonic_ms()));
    if (!name)
        return NULL;
    int left = (int)(until - clock_monotonic_ms());
    json_t *params = open_params(name);
    json_object_set_new(params, "prompt_ms", json_integer(left > 0 ? left / 2 : 0));
    json_object_set_new(params, "owns", json_true());
    if (open_session(rpc, params, left) == 0)
        return name;
    free(name);
    return NULL;
}

int command_default(int argc, char **argv)
{
    int64_t until = clock_monotonic_ms() + LIMIT_BARE_MS;
    const char *inside = getenv("PTYD_SESSION");
    struct rpc rpc;
    (void)argc;
    (void)argv;
    if (inside && *inside)
        return say_fail(EXIT_FAILED,
                        "this terminal is session %s already; `ptyd --help` lists the "
                        "commands",
                        inside);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        cli_usage("without a terminal, say which command");
    if (rpc_connect(&rpc, true, LIMIT_BARE_MS) < 0)
        return plain_shell();
    char *name = open_own(&rpc, until);
    if (!name) {
        rpc_close(&rpc);
        return plain_shell();
    }
    int status = attach_run(&rpc, &(struct attach_options){.name = name, .owns = true});
    rpc_close(&rpc);
    free(name);
    return status;
}
