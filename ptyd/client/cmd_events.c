#include <string.h>

#include "ptyd/client/request.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd events [-f] [-s NAME]\n\n"
    "Prints what happens, one JSON object a line, until it is interrupted: agent_block_begin,\n"
    "agent_block_end, context_pending, context_delivered, context_released, capture_changed.\n\n"
    "  -f         accepted for those who type it: events are always followed\n"
    "  -s NAME    only events of session NAME, and those that concern all\n\n"
    "example:\n"
    "  ptyd events -f | jq -c 'select(.type == \"context_delivered\")'\n";

/* Events of other sessions are left out when one was named. */
static bool is_wanted(const struct cli *cli, const json_t *event)
{
    const char *name = json_text(event, "conversation_id", NULL);
    return !cli->session_given || !name || !strcmp(name, cli->session);
}

static int follow(const struct cli *cli, struct rpc *rpc)
{
    for (;;) {
        json_t *message = rpc_next(rpc);
        if (!message && !rpc_fill(rpc))
            return say_fail(EXIT_FAILED, "the daemon went away; `ptyd open NAME` starts it");
        const json_t *event = json_object_get(message, "params");
        int failed = event && is_wanted(cli, event) &&
                     cli_print_json(json_incref((json_t *)event)) != EXIT_OK;
        json_decref(message);
        if (failed)
            return EXIT_FAILED;
    }
}

int command_events(int argc, char **argv)
{
    static const struct option options[] = {CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct rpc rpc;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED "f", options, NULL)) != -1)
        if (option != 'f')
            cli_option(&cli, option);
    cli_no_more(&cli, argc, argv);
    if (rpc_connect(&rpc, false) < 0)
        return EXIT_FAILED;
    json_decref(rpc_call(&rpc, "events.follow", json_object(), NULL, NULL));
    int status = follow(&cli, &rpc);
    rpc_close(&rpc);
    return status;
}
