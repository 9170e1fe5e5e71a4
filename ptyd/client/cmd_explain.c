#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/command/pager.h"
#include "ptyd/command/show.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd explain [TURN|--last] [--json]\n\n"
    "What an agent was told, and when: of each turn that got something the entries with their "
    "size\n"
    "and SHA-256, which commands they were, and what was cut, taken out as a secret, or dropped.\n"
    "The text itself is not kept; `ptyd block` has what it was made of.\n\n"
    "  TURN      the turn's id, as the agent has it, or the number of the lease it was taken "
    "with;\n"
    "            without it, the latest turns, a line each\n"
    "  --last    the latest one\n\n"
    "examples:\n"
    "  ptyd explain\n"
    "  ptyd explain --last\n"
    "  ptyd explain --last --json | jq -r '.entries[].sha256'\n";

enum { LAST = CLI_FIRST_OWN };

#define TURNS_SHOWN  20
#define LEASES_MOST  100 /* of a turn */
#define HASH_SHOWN   16
#define COMMAND_MOST 60

static const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

/* On one line: agents name their turns. */
static void append_clean(const char *text, struct bytes *out)
{
    size_t from = out->len;
    show_clean(text, strlen(text), out);
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\t')
            out->data[i] = ' ';
}

/* What the turn is called: by the agent, or where that gave it no name by its lease. */
static void append_name(const json_t *receipt, struct bytes *out)
{
    const char *turn = json_text(receipt, "turn", NULL);
    if (turn)
        append_clean(turn, out);
    else
        bytes_printf(out, "%lld", json_number(receipt, "lease", 0));
}

/* ---- the latest turns ---- */

static void append_turn(const json_t *receipt, struct bytes *out)
{
    char when[CLOCK_TEXT_SIZE];
    bytes_printf(out, "%-20s %8lld %8lld %8lld  ", clock_text(json_number(receipt, "ts", 0), when),
                 json_number(receipt, "bytes", 0), json_number(receipt, "kept", 0),
                 json_number(receipt, "dropped", 0));
    append_name(receipt, out);
    bytes_append_text(out, "  ");
    append_clean(json_text(receipt, "consumer", ""), out);
    bytes_append_char(out, '\n');
}

static void append_turns(const json_t *receipts, struct bytes *out)
{
    size_t i;
    json_t *receipt;
    bytes_printf(out, "%-20s %8s %8s %8s  TURN  AGENT\n", "TOLD", "BYTES", "COMMANDS", "DROPPED");
    json_array_foreach(receipts, i, receipt)
        append_turn(receipt, out);
}

/* ---- one turn ---- */

/* Of a session here. The id is NAME:NUMBER:BEGUN. New reference, NULL where there is none. */
static json_t *own_block(struct rpc *rpc, const char *id)
{
    char *error = NULL;
    json_t *answer = rpc_ask(rpc, "session.block",
                             json_pack("{s:s%, s:s}", "name", id, strcspn(id, ":"), "block", id),
                             LIMIT_ANSWER_MS, &error);
    json_t *block = json_incref(json_object_get(answer, "block"));
    json_decref(answer);
    free(error);
    return block;
}

struct wanted {
    const char *id;
    json_t *block;
};

static void take_wanted(void *user, json_t *line)
{
    struct wanted *w = user;
    if (strcmp(json_text(line, "block_id", ""), w->id) != 0)
        return;
    json_decref(w->block);
    w->block = json_incref(line);
}

/* The same of what another host ran, whose id has the host's in front. */
static json_t *heard_block(const char *id)
{
    struct wanted wanted = {.id = id};
    char *state = paths_state(), *directory = heard_directory(state);
    heard_each(directory, take_wanted, &wanted);
    free(directory);
    free(state);
    return wanted.block;
}

static bool is_of_host(const char *id)
{
    size_t colons = 0;
    while (*id)
        colons += *id++ == ':';
    return colons == 3;
}

/* The command of a block, as it is listed; new string, NULL where it is not there any more. */
static char *command_of(struct rpc *rpc, const char *id)
{
    json_t *block = is_of_host(id) ? heard_block(id) : own_block(rpc, id);
    const char *cmd = json_text(block, "cmd", ""), *host = json_text(block, "host", NULL);
    char *command = NULL;
    if (!strcmp(json_text(block, "block_id", ""), id)) {
        char *line = text_clean(cmd, strcspn(cmd, "\n"), COMMAND_MOST);
        command = text_format("%s%s$ %s", host ? "@ " : "", host ? host : "", line);
        free(line);
    }
    json_decref(block);
    return command;
}

static void append_losses(const json_t *block, struct bytes *out)
{
    long long lines = json_number(block, "omitted_lines", 0);
    long long redacted = json_number(block, "redacted", 0);
    const char *comma = "";
    if (lines) {
        bytes_printf(out, "%lld line%s cut", lines, plural(lines));
        comma = ", ";
    } else if (json_flag(block, "output_cut")) {
        bytes_append_text(out, "output cut");
        comma = ", ";
    }
    if (json_flag(block, "command_cut")) {
        bytes_printf(out, "%scommand cut", comma);
        comma = ", ";
    }
    if (redacted) {
        bytes_printf(out, "%s%lld secret%s out", comma, redacted, plural(redacted));
        comma = ", ";
    }
    if (!*comma)
        bytes_append_text(out, "whole");
}

static void append_blocks(struct rpc *rpc, const json_t *receipt, const char *entry,
                          struct bytes *out)
{
    size_t i;
    json_t *block;
    json_array_foreach(json_object_get(receipt, "blocks"), i, block) {
        const char *id = json_text(block, "block_id", "");
        if (strcmp(json_text(block, "entry", ""), entry))
            continue;
        char *command = command_of(rpc, id);
        bytes_append_text(out, "      ");
        append_clean(id, out);
        bytes_append_text(out, "  ");
        append_losses(block, out);
        bytes_append_text(out, "  ");
        append_clean(command ? command : "(not there any more)", out);
        bytes_append_char(out, '\n');
        free(command);
    }
}

static void append_dropped(const json_t *receipt, struct bytes *out)
{
    long long dropped = json_number(receipt, "dropped", 0);
    const json_t *ids = json_object_get(receipt, "dropped_blocks");
    size_t i;
    json_t *id;
    if (!dropped)
        return;
    bytes_printf(out, "dropped: %lld older command%s", dropped, plural(dropped));
    json_array_foreach(ids, i, id) {
        bytes_append_text(out, i ? " " : ": ");
        append_clean(json_string_value(id), out);
    }
    if (dropped > (long long)json_array_size(ids) && json_array_size(ids))
        bytes_append_text(out, " ...");
    bytes_append_char(out, '\n');
}

static void append_entries(struct rpc *rpc, const json_t *receipt, struct bytes *out)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(receipt, "entries"), i, entry) {
        const char *key = json_text(entry, "key", "");
        char *name = text_clean(key, strlen(key), LIMIT_WORD_BYTES);
        char *kind = text_clean(json_text(entry, "kind", ""), strlen(json_text(entry, "kind", "")),
                                LIMIT_WORD_BYTES);
        bytes_printf(out, "%-26s %-12s %6lld  %.*s...\n", name, kind,
                     json_number(entry, "bytes", 0), HASH_SHOWN, json_text(entry, "sha256", ""));
        append_blocks(rpc, receipt, key, out);
        free(name);
        free(kind);
    }
}

/* Of a turn; each of the receipts that it is joined of has its own entries, which may be called the
 * same. */
static void append_receipt(struct rpc *rpc, const json_t *receipt, const json_t *parts,
                           struct bytes *out)
{
    char when[CLOCK_TEXT_SIZE];
    size_t i;
    json_t *part;
    bytes_append_text(out, "turn ");
    append_name(receipt, out);
    bytes_append_text(out, " of ");
    append_clean(json_text(receipt, "consumer", ""), out);
    bytes_printf(out, ", told at %s: %lld of %lld command%s, %lld bytes\n\n",
                 clock_text(json_number(receipt, "ts", 0), when), json_number(receipt, "kept", 0),
                 json_number(receipt, "total_commands_run", 0),
                 plural(json_number(receipt, "total_commands_run", 0)),
                 json_number(receipt, "bytes", 0));
    bytes_printf(out, "%-26s %-12s %6s  SHA-256\n", "ENTRY", "KIND", "BYTES");
    json_array_foreach(parts, i, part)
        append_entries(rpc, part, out);
    if (json_text(receipt, "running", NULL)) {
        bytes_append_text(out, "running then: ");
        append_clean(json_text(receipt, "running", ""), out);
        bytes_append_char(out, '\n');
    }
    append_dropped(receipt, out);
}

/* ---- the command ---- */

static void add_number(json_t *to, const json_t *from, const char *name)
{
    json_object_set_new(to, name,
                        json_integer(json_number(to, name, 0) + json_number(from, name, 0)));
}

/* A turn that was steered got something more than once: it is one. */
static json_t *join(const json_t *receipts)
{
    static const char *const numbers[] = {"bytes", "total_commands_run", "kept", "dropped"};
    static const char *const lists[] = {"entries", "blocks", "dropped_blocks"};
    json_t *whole = json_deep_copy(json_array_get(receipts, 0));
    for (size_t i = 1; i < json_array_size(receipts); i++) {
        const json_t *more = json_array_get(receipts, i);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            add_number(whole, more, numbers[k]);
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            json_array_extend(json_object_get(whole, lists[k]), json_object_get(more, lists[k]));
    }
    return whole;
}

static void show(const struct bytes *text)
{
    struct pager pager = pager_begin(true);
    fwrite(text->data, 1, text->len, stdout);
    pager_end(&pager);
}

static int explain(struct rpc *rpc, const struct cli *cli, const char *turn, bool one,
                   json_t *receipts)
{
    struct bytes text = {0};
    json_t *whole = one ? join(receipts) : NULL;
    if (turn && !whole)
        return say_fail(
            EXIT_FAILED,
            "nothing was told in turn %s, or it is so long ago that it is not known any "
            "more; `ptyd explain` lists the latest",
            turn);
    if (cli->json)
        return cli_print_json(whole ? whole : one ? json_null() : json_incref(receipts));
    if (!json_array_size(receipts))
        bytes_append_text(&text, "No agent was told anything yet.\n");
    else if (one)
        append_receipt(rpc, whole, receipts, &text);
    else
        append_turns(receipts, &text);
    show(&text);
    bytes_finish(&text);
    json_decref(whole);
    return EXIT_OK;
}

int command_explain(int argc, char **argv)
{
    static const struct option options[] = {{"last", no_argument, NULL, LAST}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct rpc rpc;
    char *error = NULL;
    bool last = false;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        last = cli_option(&cli, option) || last;
    const char *turn = optind < argc ? argv[optind++] : NULL;
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    if (turn && !*turn)
        cli_usage("TURN is empty; `ptyd explain` lists the latest");
    if (turn)
        cli_text("TURN", turn);
    if (turn && last)
        cli_usage("TURN or --last: which of them?");
    if (request_connect_to_look(&rpc) < 0)
        return EXIT_FAILED;
    json_t *params = json_pack("{s:i, s:s*}", "last",
                               turn   ? LEASES_MOST
                               : last ? 1
                                      : TURNS_SHOWN,
                               "turn", turn);
    json_t *answer = rpc_ask(&rpc, "context.explain", params, LIMIT_ANSWER_MS, &error);
    int status = answer
                     ? explain(&rpc, &cli, turn, turn || last, json_object_get(answer, "receipts"))
                     : say_fail(EXIT_FAILED, "%s", error);
    json_decref(answer);
    free(error);
    rpc_close(&rpc);
    return status;
}
