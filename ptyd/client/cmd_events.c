#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/command/patience.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd events [-f] [-s NAME]\n\n"
    "Prints what happens, one JSON object a line, until it is interrupted: agent_block_begin,\n"
    "agent_block_end, context_pending, context_delivered, context_released, capture_changed.\n"
    "When the daemon's worker was replaced it goes on, with every block event once; where others\n"
    "were lost, events_lost says how many.\n\n"
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

/* Where we are in each session, {NAME: [SEQ, SEQ]}: the last block whose begin, and the last whose
 * end, was printed. */
static void note_block(json_t *places, const json_t *event)
{
    const char *type = json_text(event, "type", ""),
               *name = json_text(event, "conversation_id", "");
    const json_t *block = json_object_get(event, "block");
    bool begins = !strcmp(type, "agent_block_begin");
    if (!block || (!begins && strcmp(type, "agent_block_end")))
        return;
    if (!json_object_get(places, name))
        json_object_set_new(places, name, json_pack("[i, i]", 0, 0));
    json_array_set_new(json_object_get(places, name), begins ? 0 : 1,
                       json_integer(json_number(block, "seq", 0)));
}

/* `joined` is {places, number}: where we are, also among the events that are of no block. */
static void note_place(json_t *joined, const json_t *event)
{
    json_t *number = json_object_get(event, "number");
    note_block(json_object_get(joined, "places"), event);
    if (number)
        json_object_set(joined, "number", number);
}

static int take_event(const struct cli *cli, json_t *joined, const json_t *message)
{
    json_t *event = json_object_get(message, "params");
    if (!event)
        return EXIT_OK;
    note_place(joined, event);
    return is_wanted(cli, event) ? cli_print_json(json_incref(event)) : EXIT_OK;
}

/* What happened behind `before` comes again. Returns where this follows from, as note_place() has
 * it, or NULL: the connection is lost, or the time is over, or (said) the daemon refuses. */
static json_t *join(struct rpc *rpc, const json_t *before, struct patience *patience,
                    bool *ret_refused)
{
    enum rpc_wait end;
    *ret_refused = false;
    json_t *params = json_pack("{s:O*, s:O*}", "after", json_object_get(before, "places"), "number",
                               json_object_get(before, "number")),
           *answer = NULL;
    if (rpc_send(rpc, "events.follow", params, patience_until(patience)) < 0)
        return NULL;
    while ((end = rpc_wait(rpc, patience_until(patience), &answer)) == RPC_LATE &&
           patience_lasts(patience))
        ;
    if (end != RPC_CAME)
        return NULL;
    json_t *result = json_incref(json_object_get(answer, "result"));
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    *ret_refused = error != NULL;
    if (error)
        say("%s", error);
    json_decref(answer);
    return result;
}

static bool join_again(struct rpc *rpc, const json_t *before, struct patience *patience,
                       bool *ret_refused)
{
    patience_begin(patience);
    do {
        json_t *joined = rpc_reconnect(rpc, patience_until(patience)) == 0
                             ? join(rpc, before, patience, ret_refused)
                             : NULL;
        json_decref(joined);
        if (joined || *ret_refused)
            return joined != NULL;
    } while (patience_lasts(patience));
    return false;
}

static int follow(const struct cli *cli, struct rpc *rpc, json_t *joined)
{
    struct patience patience = {0};
    for (;;) {
        json_t *message = NULL;
        if (rpc_wait(rpc, -1, &message) != RPC_CAME) {
            bool refused = false;
            bool again = join_again(rpc, joined, &patience, &refused);
            int waited = patience_seconds(&patience);
            patience_end(&patience);
            if (again)
                continue;
            if (refused)
                return EXIT_FAILED;
            return say_fail(EXIT_FAILED,
                            "the daemon did not come back within %d s; `ptyd open "
                            "NAME` starts one where none runs",
                            waited);
        }
        int status = take_event(cli, joined, message);
        json_decref(message);
        if (status != EXIT_OK)
            return status;
    }
}

int command_events(int argc, char **argv)
{
    static const struct option options[] = {CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct rpc rpc;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED "f", options)) != -1)
        if (option != 'f')
            cli_option(&cli, option);
    cli_no_more(&cli, argc, argv);
    if (rpc_connect(&rpc, false, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    bool refused;
    struct patience patience = {0};
    patience_begin(&patience);
    json_t *joined = join(&rpc, NULL, &patience, &refused);
    int status = EXIT_FAILED;
    if (joined)
        status = follow(&cli, &rpc, joined);
    else if (!refused)
        say_fail(EXIT_FAILED, "the daemon does not answer; `ptyd status` says more");
    json_decref(joined);
    rpc_close(&rpc);
    return status;
}
