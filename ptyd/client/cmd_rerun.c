/* ptyd rerun: a command once more, as `ptyd run` runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/client/chosen.h"
#include "ptyd/client/inside.h"
#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd rerun [ID] [-s NAME] [--timeout SECONDS] [--json]\n\n"
    "Runs the newest command of the session, or the one named (ID as of `ptyd block`), once more,\n"
    "in the directory where its shell is now. Says what it runs, then does as `ptyd run` does,\n"
    "and ends with the same statuses. Those that are `ptyd` itself do not count.\n\n"
    "  --timeout SECONDS    124 when it is not done by then; it goes on running\n"
    "  --json               print the command's new block instead of its output\n\n"
    "examples:\n"
    "  ptyd rerun -s work\n"
    "  ptyd rerun work:12 && ptyd diff -s work\n";

enum { TIMEOUT = CLI_FIRST_OWN };

/* What is run is seen, with all that it hides. */
static void say_what(const char *cmd)
{
    struct bytes clean = {0};
    show_clean(cmd, strlen(cmd), &clean);
    say("again: %s", clean.data);
    bytes_finish(&clean);
}

/* Whether the session's shell waits for this very process, and reads no other line before. */
static bool is_waited_for(const struct cli *cli)
{
    bool in_front = tcgetpgrp(STDERR_FILENO) == getpgrp() || tcgetpgrp(STDIN_FILENO) == getpgrp();
    return !strcmp(inside_session(), cli->session) && in_front;
}

static int run_again(const struct cli *cli, const json_t *block, char *timeout)
{
    const char *cmd = json_text(block, "cmd", "");
    char *argv[16];
    int argc = 0;
    if (json_flag(block, "cmd_truncated") || !*cmd)
        return say_fail(EXIT_PTYD, "only a part of what was typed is known: nothing was run");
    if (!strcmp(json_text(block, "cmd_source", ""), "unknown"))
        return say_fail(EXIT_PTYD, "it is not known for sure what was typed: nothing was run");
    if (strstr(cmd, "[redacted:")) /* by redact_disk */
        return say_fail(EXIT_PTYD, "secrets were taken out of what was typed: nothing was run");
    if (is_waited_for(cli))
        return say_fail(EXIT_PTYD,
                        "this session's shell waits for this command: nothing was run. Do it from "
                        "elsewhere, or in the background (&)");
    say_what(cmd);
    argv[argc++] = "run";
    argv[argc++] = "-s";
    argv[argc++] = (char *)cli->session;
    if (timeout) {
        argv[argc++] = "--timeout";
        argv[argc++] = timeout;
    }
    if (cli->json)
        argv[argc++] = "--json";
    argv[argc++] = "--";
    argv[argc++] = (char *)cmd;
    argv[argc] = NULL;
    return command_run(argc, argv);
}

int command_rerun(int argc, char **argv)
{
    static const struct option options[] = {
        {"timeout", required_argument, NULL, TIMEOUT}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    char *timeout = NULL;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            timeout = optarg;
    if (timeout)
        cli_seconds(timeout);
    const char *id = optind < argc ? chosen_id(&cli, argv[optind++]) : NULL;
    cli_no_more(&cli, argc, argv);
    json_t *result = chosen_block(&cli, id, false);
    int status = result ? run_again(&cli, json_object_get(result, "block"), timeout) : EXIT_PTYD;
    json_decref(result);
    return status;
}
