/* The commands that show what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/command/show.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

enum { LAST = CLI_FIRST_OWN, LINES, SEARCH, ALL };

static const char list_help[] =
    "usage: ptyd list [--all] [--json]\n\n"
    "The sessions of the daemon.\n\n"
    "  --all    those that are closed, too: `ptyd blocks -s NAME` and `ptyd block` read them\n\n"
    "examples:\n"
    "  ptyd list\n"
    "  ptyd list --all --json\n";

/* Asks and shows: as JSON, or by `show`. */
static int ask_and_show(const struct cli *cli, const char *method, json_t *params,
                        void (*show)(const json_t *))
{
    json_t *result = request_look(method, params);
    if (!result)
        return EXIT_FAILED;
    if (cli->json)
        return cli_print_json(result);
    show(result);
    json_decref(result);
    return EXIT_OK;
}

int command_list(int argc, char **argv)
{
    static const struct option options[] = {{"all", no_argument, NULL, ALL}, CLI_LONG, {0}};
    struct cli cli = cli_begin(list_help);
    int option;
    bool all = false;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option))
            all = true;
    cli_no_more(&cli, argc, argv);
    return ask_and_show(&cli, "session.list", json_pack("{s:b}", "all", all), show_sessions);
}

int command_screen(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT,
                               "usage: ptyd screen [-s NAME] [--json]\n\nWhat the session's screen "
                               "shows now.\n\nexample:\n  ptyd screen -s work\n");
    cli_no_more(&cli, argc, argv);
    return ask_and_show(&cli, "session.screen", json_pack("{s:s}", "name", cli.session),
                        show_screen);
}

/* Parses the options of a command that has one number of its own. */
static struct cli parse_number(int argc, char **argv, const char *help, const char *name,
                               long *ret_number)
{
    const struct option options[] = {{name, required_argument, NULL, LAST}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (cli_option(&cli, option) && !text_parse_number(optarg, 1, LIMIT_ASKED, ret_number))
            cli_usage("'%s' is not a number from 1 to %d", optarg, LIMIT_ASKED);
    cli_no_more(&cli, argc, argv);
    return cli;
}

static int ask_newest_blocks(const struct cli *cli, long last)
{
    json_t *blocks = request_look(
        "session.blocks", json_pack("{s:s, s:I}", "name", cli->session, "last", (json_int_t)last));
    if (!blocks)
        return EXIT_FAILED;
    if (cli->json)
        return cli_print_json(blocks);
    show_blocks(blocks, false);
    json_decref(blocks);
    return EXIT_OK;
}

/* The elements of an array, one of which stands in front of them when there is `more`. */
static void print_elements(const json_t *blocks, bool more)
{
    size_t i;
    json_t *block;
    json_array_foreach(blocks, i, block) {
        if (i || more)
            putchar(',');
        json_dumpf(block, stdout, JSON_COMPACT);
    }
}

/* Part after part: a session may hold tens of thousands. */
static int ask_all_blocks(const struct cli *cli)
{
    struct rpc rpc;
    json_int_t after = 0;
    size_t count = 0;
    json_t *part = NULL;
    if (request_connect_to_look(&rpc) < 0)
        return EXIT_FAILED;
    do {
        bool more = after > 0;
        json_decref(part);
        part = rpc_call(&rpc, "session.blocks",
                        json_pack("{s:s, s:I}", "name", cli->session, "after", after),
                        LIMIT_ANSWER_MS);
        count = json_array_size(part);
        if (part && cli->json && !more)
            putchar('[');
        if (part && cli->json)
            print_elements(part, more);
        else if (part)
            show_blocks(part, more);
        after = json_number(json_array_get(part, count - 1), "seq", 0);
    } while (count);
    if (part && cli->json)
        puts("]");
    bool done = part && fflush(stdout) == 0 && !ferror(stdout);
    json_decref(part);
    rpc_close(&rpc);
    return done ? EXIT_OK : EXIT_FAILED;
}

int command_blocks(int argc, char **argv)
{
    long last = 0;
    struct cli cli =
        parse_number(argc, argv,
                     "usage: ptyd blocks [-s NAME] [--last N] [--json]\n\nThe commands of "
                     "the session, oldest first, each with the end of its output.\n\n"
                     "example:\n  ptyd blocks -s work --last 3\n",
                     "last", &last);
    return last ? ask_newest_blocks(&cli, last) : ask_all_blocks(&cli);
}

static void show_lines(const json_t *scrollback)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(scrollback, "lines"), i, line) {
        show_text(json_string_value(line));
        putchar('\n');
    }
}

int command_scrollback(int argc, char **argv)
{
    long limit = 0;
    struct cli cli =
        parse_number(argc, argv,
                     "usage: ptyd scrollback [-s NAME] [--limit N] [--json]\n\nThe newest N "
                     "lines above the screen (all of them).\n\n"
                     "example:\n  ptyd scrollback -s work --limit 100\n",
                     "limit", &limit);
    return ask_and_show(&cli, "session.scrollback",
                        json_pack("{s:s, s:I}", "name", cli.session, "limit", (json_int_t)limit),
                        show_lines);
}

/* ---- one block ---- */

static const char block_help[] =
    "usage: ptyd block ID [-s NAME] [--lines FROM:TO] [--search TEXT] [--json]\n\n"
    "One command and its whole output. ID is a block_id or its number.\n\n"
    "examples:\n"
    "  ptyd block 12 -s work\n"
    "  ptyd block 12 --lines 1:50\n"
    "  ptyd block 12 --search error\n";

struct selection {
    long from, to;      /* lines, 1 the first */
    const char *search; /* only lines that hold it; NULL for all */
};

static void show_output(const json_t *result, const struct selection *selection)
{
    const json_t *block = json_object_get(result, "block");
    char *path = text_format("%s/%s", json_text(result, "directory", ""),
                             json_text(block, "output_path", ""));
    struct bytes text = {0};
    long number = 0;
    if (file_read(path, LIMIT_OUTPUT_FILE_BYTES + 1, &text) < 0)
        say("%s cannot be read any more; this is the end of the output", path);
    for (char *at = text.data; at && *at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        number++;
        if (number >= selection->from && number <= selection->to &&
            (!selection->search || strstr(at, selection->search))) {
            if (selection->search)
                printf("%ld: ", number);
            show_text(at);
            putchar('\n');
        }
        at = end ? end + 1 : NULL;
    }
    bytes_finish(&text);
    free(path);
}

static void parse_lines(const char *text, struct selection *selection)
{
    int used = 0;
    if (sscanf(text, "%ld:%ld%n", &selection->from, &selection->to, &used) < 2 || text[used] ||
        selection->from < 1 || selection->to < selection->from)
        cli_usage("lines '%s' are not FROM:TO, like 1:50", text);
}

int command_block(int argc, char **argv)
{
    static const struct option options[] = {{"lines", required_argument, NULL, LINES},
                                            {"search", required_argument, NULL, SEARCH},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(block_help);
    struct selection selection = {.from = 1, .to = 0x7fffffff};
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option) && option == LINES)
            parse_lines(optarg, &selection);
        else if (option == SEARCH)
            selection.search = optarg;
    if (optind >= argc)
        cli_usage("which block? `ptyd blocks` lists them");
    const char *id = argv[optind++];
    cli_no_more(&cli, argc, argv);
    json_t *result =
        request_look("session.block", json_pack("{s:s, s:s}", "name", cli.session, "block", id));
    if (!result)
        return EXIT_FAILED;
    json_t *block = json_object_get(result, "block");
    int status = EXIT_OK;
    if (cli.json) {
        status = cli_print_json(json_incref(block));
    } else {
        if (selection.from == 1 && !selection.search) {
            fputs("$ ", stdout);
            show_text(json_text(block, "cmd", ""));
            putchar('\n');
        }
        show_output(result, &selection);
    }
    json_decref(result);
    return status;
}
