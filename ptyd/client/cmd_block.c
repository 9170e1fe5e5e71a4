/* ptyd block, ptyd last: commands with their whole output. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/chosen.h"
#include "ptyd/client/render.h"
#include "ptyd/client/sight.h"
#include "ptyd/command/paint.h"
#include "ptyd/core/block.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static const char block_help[] =
    "usage: ptyd block ID [-s NAME] [--lines FROM:TO] [--search TEXT] [--ansi|--plain|--html]\n"
    "                  [--no-pager] [--json]\n\n"
    "One command and its whole output, also of a session that is closed, in its colours on a\n"
    "terminal as long as the session's log has them. ID is a block_id or its number;\n"
    "NAME:NUMBER, as `ptyd search` says it, names the session, too.\n\n"
    "  --lines FROM:TO   these lines of the output alone, 1 the first\n"
    "  --search TEXT     the lines that hold TEXT, with their numbers\n" SIGHT_HELP "\nexamples:\n"
    "  ptyd block 12 -s work\n"
    "  ptyd block work:12\n"
    "  ptyd block 12 --lines 1:50\n"
    "  ptyd block 12 --search error\n"
    "  ptyd block 12 --html >build.html\n";

static const char last_help[] =
    "usage: ptyd last [N] [-s NAME] [--ansi|--plain|--html] [--no-pager] [--json]\n\n"
    "The newest command (the newest N) with its whole output, in its colours on a terminal. Those\n"
    "that are `ptyd` itself do not count, nor does the one within which this runs.\n\n" SIGHT_HELP
    "\nexamples:\n"
    "  ptyd last -s work\n"
    "  ptyd last 3 --plain\n";

enum { LINES = CLI_FIRST_OWN, SEARCH };

struct selection {
    long from, to;      /* lines, 1 the first */
    const char *search; /* only lines that hold it; NULL for all */
};

static const struct selection everything = {.from = 1, .to = 0x7fffffff};

/* ---- showing ---- */

static bool holds(const char *line, size_t len, const char *search, struct bytes *scratch)
{
    if (!search)
        return true;
    scratch->len = 0;
    paint_strip(line, len, scratch);
    bytes_append_char(scratch, '\0');
    return strstr(scratch->data, search) != NULL;
}

static void show_selected(struct sight *sight, const struct bytes *lines,
                          const struct selection *selection)
{
    struct bytes text = {0};
    long number = 0;
    for (size_t at = 0; at < lines->len && number < selection->to;) {
        const char *line = lines->data + at, *end = memchr(line, '\n', lines->len - at);
        size_t len = end ? (size_t)(end - line) : lines->len - at;
        char label[32] = "";
        if (selection->search)
            snprintf(label, sizeof label, "%ld: ", number + 1);
        if (++number >= selection->from && holds(line, len, selection->search, &text))
            sight_line(sight, label, line, len);
        at += len + 1;
    }
    bytes_finish(&text);
}

/* Of one that runs the file has only what left the screen; its log has all. */
static void read_output(const struct sight *sight, const json_t *result, struct bytes *text,
                        struct bytes *painted)
{
    const json_t *block = json_object_get(result, "block");
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    bool rendered = (runs || sight_shows_colour(sight)) && render_block(result, painted);
    if (!runs || !rendered)
        chosen_output(result, text);
    else if (painted->len)
        paint_strip(painted->data, painted->len, text);
}

/* A command and what of its output is selected. */
static void show_block_of(struct sight *sight, const json_t *result,
                          const struct selection *selection)
{
    const json_t *block = json_object_get(result, "block");
    struct bytes text = {0}, painted = {0}, lines = {0};
    int widths[LIMIT_BLOCK_WIDTHS + 1];
    read_output(sight, result, &text, &painted);
    block_widths(block, widths);
    sight_paint(sight, &text, widths, &painted, &lines);
    if (selection->from == 1 && !selection->search) {
        char *heading = text_format("$ %s", json_text(block, "cmd", ""));
        sight_heading(sight, heading);
        free(heading);
    }
    show_selected(sight, &lines, selection);
    bytes_finish(&text);
    bytes_finish(&painted);
    bytes_finish(&lines);
}

static struct sight *begin(const struct sight_options *options, const char *session,
                           const char *what)
{
    char *title = text_format("%s: %s", session, what);
    struct sight *sight = sight_begin(options, session, title);
    free(title);
    return sight;
}

/* ---- ptyd block ---- */

static void parse_lines(const char *text, struct selection *selection)
{
    int used = 0;
    if (sscanf(text, "%ld:%ld%n", &selection->from, &selection->to, &used) < 2 || text[used] ||
        selection->from < 1 || selection->to < selection->from)
        cli_usage("lines '%s' are not FROM:TO, like 1:50", text);
}

static int show_one(const struct cli *cli, const char *id, const struct sight_options *options,
                    const struct selection *selection)
{
    json_t *result = chosen_block(cli, id, !cli->json);
    if (!result)
        return EXIT_FAILED;
    int status;
    if (cli->json) {
        status = cli_print_json(json_incref(json_object_get(result, "block")));
    } else {
        struct sight *sight = begin(options, cli->session, "block");
        show_block_of(sight, result, selection);
        status = sight_end(sight);
    }
    json_decref(result);
    return status;
}

int command_block(int argc, char **argv)
{
    static const struct option options[] = {{"lines", required_argument, NULL, LINES},
                                            {"search", required_argument, NULL, SEARCH},
                                            SIGHT_LONG,
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(block_help);
    struct selection selection = everything;
    struct sight_options sight = {0};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (!cli_option(&cli, option) || sight_option(&sight, option))
            continue;
        else if (option == LINES)
            parse_lines(optarg, &selection);
        else
            selection.search = cli_text("TEXT", optarg);
    if (optind >= argc)
        cli_usage("which block? `ptyd blocks` lists them");
    const char *id = chosen_id(&cli, argv[optind++]);
    cli_no_more(&cli, argc, argv);
    return show_one(&cli, id, &sight, &selection);
}

/* ---- ptyd last ---- */

static int show_newest(const struct cli *cli, const struct sight_options *options,
                       const json_t *blocks)
{
    struct sight *sight = begin(options, cli->session, "last");
    size_t i;
    json_t *block;
    bool all = true;
    json_array_foreach(blocks, i, block) {
        json_t *result = chosen_block(cli, json_text(block, "block_id", ""), true);
        if (i)
            sight_line(sight, "", "", 0);
        if (result)
            show_block_of(sight, result, &everything);
        all = all && result;
        json_decref(result);
    }
    int status = sight_end(sight);
    return all ? status : EXIT_FAILED;
}

int command_last(int argc, char **argv)
{
    static const struct option options[] = {SIGHT_LONG, CLI_LONG, {0}};
    struct cli cli = cli_begin(last_help);
    struct sight_options sight = {0};
    long count = 1;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            sight_option(&sight, option);
    if (optind < argc && !text_parse_number(argv[optind++], 1, LIMIT_ASKED, &count))
        cli_usage("'%s' is not a number from 1 to %d", argv[optind - 1], LIMIT_ASKED);
    cli_no_more(&cli, argc, argv);
    json_t *blocks = chosen_newest(&cli, (size_t)count);
    if (!blocks)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(blocks);
    int status = show_newest(&cli, &sight, blocks);
    json_decref(blocks);
    return status;
}
