/* ptyd blocks: the commands of a session, as a table. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/client/sight.h"
#include "ptyd/command/pager.h"
#include "ptyd/command/since.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define FEW  256    /* blocks that are asked for first */
#define MORE 16     /* times as many then */
#define MOST 100000 /* and no more at once: part after part, then */

static const char help[] =
    "usage: ptyd blocks [-s NAME | --host HOST] [--last N] [--failed] [--since TIME] [--no-pager]\n"
    "                   [--json]\n\n"
    "The commands of a session, also of one that is closed, the newest last. On a terminal as "
    "wide\n"
    "as that and in a pager where it is long; elsewhere nothing is cut.\n\n"
    "  --host HOST    what ran on another host, by its name or id, as far as it came here\n"
    "  --last N       the newest N of them\n"
    "  --failed       those that ended with another status than 0\n"
    "  --since TIME   those that began since: 90s, 30m, 2h, 2d, 1w ago, 14:30, today, yesterday,\n"
    "                 2026-11-20, '2026-11-20 14:30'\n"
    "  --no-pager     all at once\n\n"
    "examples:\n"
    "  ptyd blocks -s work --last 3\n"
    "  ptyd blocks --failed --since 2h      then `ptyd block ID` shows one of them\n"
    "  ptyd blocks --json | jq -r '.[].cmd'\n";

enum { LAST = CLI_FIRST_OWN, FAILED, SINCE, HOST };

struct listing {
    struct cli cli;
    const char *host; /* another one, whose blocks came here; or NULL */
    long last;        /* 0: all */
    int64_t since_ms; /* 0: whenever */
    bool failed;
    struct sight_options sight;
    struct table_look look;
    long shown;
};

/* ---- one block ---- */

static bool is_wanted(const struct listing *l, const json_t *block)
{
    const json_t *code = json_object_get(block, "exit_code");
    return json_number(block, "ts_begin", 0) >= l->since_ms &&
           (!l->failed || (json_is_integer(code) && json_integer_value(code)));
}

static void print(struct listing *l, const json_t *block)
{
    struct bytes line = {0};
    if (l->cli.json) {
        putchar(l->shown ? ',' : '[');
        json_dumpf(block, stdout, JSON_COMPACT);
    } else {
        if (!l->shown)
            table_heading(&l->look, &line);
        table_block(&l->look, block, &line);
        fwrite(line.data, 1, line.len, stdout);
    }
    l->shown++;
    bytes_finish(&line);
}

static void print_end(const struct listing *l)
{
    if (l->cli.json)
        puts(l->shown ? "]" : "[]");
    else if (!l->shown)
        puts(l->failed || l->since_ms ? "No such commands." : "No commands yet.");
}

/* ---- the newest ones ---- */

/* Those that are wanted, at most `last`. *ret_all: no earlier one is, or as many are there. */
static json_t *select_wanted(const struct listing *l, const json_t *blocks, bool whole,
                             bool *ret_all)
{
    json_t *wanted = json_array();
    size_t i = json_array_size(blocks);
    *ret_all = whole;
    while (i-- && !(l->last && json_array_size(wanted) == (size_t)l->last)) {
        json_t *block = json_array_get(blocks, i);
        *ret_all = *ret_all || json_number(block, "ts_begin", 0) < l->since_ms;
        if (is_wanted(l, block))
            json_array_append(wanted, block);
    }
    *ret_all = *ret_all || (l->last && json_array_size(wanted) == (size_t)l->last);
    return wanted;
}

/* Newest first; the array is ours. Returns 1; 0 where not all of them are among the newest MOST; -1
 * after a message. */
static int ask_newest(const struct listing *l, json_t **ret_wanted)
{
    bool all = false;
    bool filters = l->failed || l->since_ms;
    for (long count = filters ? FEW : l->last; !all; count *= MORE) {
        if (count > MOST && filters)
            return 0;
        json_t *blocks =
            request_look("session.blocks", json_pack("{s:s, s:I}", "name", l->cli.session, "last",
                                                     (json_int_t)count));
        if (!blocks)
            return -1;
        json_t *wanted = select_wanted(l, blocks, (long)json_array_size(blocks) < count, &all);
        json_decref(blocks);
        if (all)
            *ret_wanted = wanted;
        else
            json_decref(wanted);
    }
    return 1;
}

static int list_newest(struct listing *l)
{
    json_t *wanted = NULL;
    int found = ask_newest(l, &wanted);
    for (size_t i = json_array_size(wanted); i--;)
        print(l, json_array_get(wanted, i));
    json_decref(wanted);
    return found;
}

/* ---- all ---- */

/* The newest `last` of them are kept back until the end. */
static void take(struct listing *l, json_t *held, json_t *block)
{
    if (!is_wanted(l, block))
        return;
    if (!l->last) {
        print(l, block);
        return;
    }
    json_array_append(held, block);
    if (json_array_size(held) > (size_t)l->last)
        json_array_remove(held, 0);
}

/* Part after part: a session may hold a million. */
static bool list_all(struct listing *l)
{
    struct rpc rpc;
    json_int_t after = 0;
    json_t *part = NULL, *held = json_array(), *block;
    size_t i, count = 0;
    if (request_connect_to_look(&rpc) < 0)
        return false;
    do {
        json_decref(part);
        part = rpc_call(&rpc, "session.blocks",
                        json_pack("{s:s, s:I}", "name", l->cli.session, "after", after),
                        LIMIT_ANSWER_MS);
        count = json_array_size(part);
        json_array_foreach(part, i, block)
            take(l, held, block);
        after = json_number(json_array_get(part, count - 1), "seq", 0);
    } while (count);
    json_array_foreach(held, i, block)
        print(l, block);
    bool done = part != NULL;
    json_decref(held);
    json_decref(part);
    rpc_close(&rpc);
    return done;
}

/* ---- of another host ---- */

/* They are in a file, bounded, which needs no daemon. */
static bool list_heard(struct listing *l)
{
    char *state = paths_state(), *directory = heard_directory(state);
    json_t *blocks = heard_blocks(directory, l->host, 0), *held = json_array(), *block;
    bool known = json_array_size(blocks) > 0;
    size_t i;
    json_array_foreach(blocks, i, block)
        take(l, held, block);
    json_array_foreach(held, i, block)
        print(l, block);
    if (!known)
        say("nothing came here of a host %s; `ptyd hosts` lists them", l->host);
    json_decref(held);
    json_decref(blocks);
    free(directory);
    free(state);
    return known;
}

/* ---- the command ---- */

static int list(struct listing *l)
{
    l->look = sight_table_look();
    struct pager pager = pager_begin(!l->cli.json && !l->sight.no_pager);
    bool bounded = l->last || l->since_ms || l->failed;
    int found = !l->host && bounded ? list_newest(l) : 0;
    bool done = l->host ? list_heard(l) : found > 0 || (found == 0 && list_all(l));
    if (done)
        print_end(l);
    done = fflush(stdout) == 0 && !ferror(stdout) && done;
    pager_end(&pager);
    return done ? EXIT_OK : EXIT_FAILED;
}

static void take_option(struct listing *l, int option)
{
    if (option == FAILED)
        l->failed = true;
    else if (option == HOST)
        l->host = optarg;
    else if (option == SINCE)
        l->since_ms = since_option(optarg);
    else if (option == LAST && !text_parse_number(optarg, 1, LIMIT_ASKED, &l->last))
        cli_usage("'%s' is not a number from 1 to %d", optarg, LIMIT_ASKED);
}

int command_blocks(int argc, char **argv)
{
    static const struct option options[] = {{"last", required_argument, NULL, LAST},
                                            {"failed", no_argument, NULL, FAILED},
                                            {"since", required_argument, NULL, SINCE},
                                            {"host", required_argument, NULL, HOST},
                                            {"no-pager", no_argument, NULL, SIGHT_NO_PAGER},
                                            CLI_LONG,
                                            {0}};
    struct listing l = {.cli = cli_begin(help)};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&l.cli, option) && !sight_option(&l.sight, option))
            take_option(&l, option);
    cli_no_more(&l.cli, argc, argv);
    if (l.host && l.cli.session_given)
        cli_usage("--host names another host, -s a session of this one: say one of them");
    return list(&l);
}
