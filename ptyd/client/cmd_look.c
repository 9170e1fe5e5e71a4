/* What there is: the sessions, and what the terminal of one shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/client/sight.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

enum { ALL = CLI_FIRST_OWN, LIMIT };

static const char list_help[] =
    "usage: ptyd list [--all] [--json]\n\n"
    "The sessions of the daemon.\n\n"
    "  --all    those that are closed, too: `ptyd blocks -s NAME` and `ptyd block` read them\n\n"
    "examples:\n"
    "  ptyd list\n"
    "  ptyd list --all --json\n";

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
    json_t *asked = json_pack("{s:b}", "all", all);
    if (!cli.json)
        json_object_set_new(asked, "members", show_session_members());
    json_t *sessions = request_look("session.list", asked);
    if (!sessions)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(sessions);
    show_sessions(sessions);
    json_decref(sessions);
    return EXIT_OK;
}

/* ---- what the terminal shows ---- */

static const char screen_help[] =
    "usage: ptyd screen [-s NAME] [--ansi|--plain|--html] [--no-pager] [--json]\n\n"
    "What the session's screen shows now, in its colours on a terminal.\n\n" SIGHT_HELP
    "\nexamples:\n"
    "  ptyd screen -s work\n"
    "  ptyd screen -s work --html >screen.html\n";

static const char scrollback_help[] =
    "usage: ptyd scrollback [-s NAME] [--limit N] [--ansi|--plain|--html] [--no-pager] [--json]\n\n"
    "The newest N lines above the screen (all of them), in their colours on a terminal.\n\n"
    "  --limit N    no more lines than that\n" SIGHT_HELP "\nexamples:\n"
    "  ptyd scrollback -s work --limit 100\n"
    "  ptyd scrollback -s work --ansi | less -R\n";

struct look {
    struct cli cli;
    struct sight_options sight;
    long limit; /* lines; 0 for all */
};

static struct look parse(int argc, char **argv, const char *help, bool limited)
{
    static const struct option options[] = {
        SIGHT_LONG, CLI_LONG, {"limit", required_argument, NULL, LIMIT}, {0}};
    static const struct option unlimited[] = {SIGHT_LONG, CLI_LONG, {0}};
    struct look look = {.cli = cli_begin(help)};
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, limited ? options : unlimited,
                                 NULL)) != -1)
        if (cli_option(&look.cli, option) && !sight_option(&look.sight, option) &&
            !text_parse_number(optarg, 1, LIMIT_ASKED, &look.limit))
            cli_usage("'%s' is not a number from 1 to %d", optarg, LIMIT_ASKED);
    cli_no_more(&look.cli, argc, argv);
    return look;
}

/* Blank lines at the end are left out. */
static void join(const json_t *lines, struct bytes *out)
{
    size_t i, kept = 0;
    json_t *line;
    json_array_foreach(lines, i, line) {
        bytes_append(out, json_string_value(line), json_string_length(line));
        bytes_append_char(out, '\n');
        kept = json_string_length(line) ? out->len : kept;
    }
    out->len = kept;
}

/* The daemon says what it says once: the text is what is left of it without colours. */
static int show(const struct look *look, const json_t *lines, const char *title)
{
    struct bytes painted = {0}, text = {0}, shown = {0};
    join(lines, &painted);
    if (painted.len)
        paint_strip(painted.data, painted.len, &text);
    struct sight *sight = sight_begin(&look->sight, look->cli.session, title);
    sight_paint(sight, &text, &painted, &shown);
    sight_lines(sight, &shown);
    bytes_finish(&painted);
    bytes_finish(&text);
    bytes_finish(&shown);
    return sight_end(sight);
}

static int look_at(const struct look *look, const char *method, const char *member)
{
    bool styled = !look->cli.json && sight_wants_colour(&look->sight);
    json_t *result =
        request_look(method, json_pack("{s:s, s:b, s:I}", "name", look->cli.session, "styled",
                                       styled, "limit", (json_int_t)look->limit));
    if (!result)
        return EXIT_FAILED;
    if (look->cli.json)
        return cli_print_json(result);
    char *title = text_format("%s: %s", look->cli.session, method + strlen("session."));
    int status = show(look, json_object_get(result, member), title);
    free(title);
    json_decref(result);
    return status;
}

int command_screen(int argc, char **argv)
{
    struct look look = parse(argc, argv, screen_help, false);
    return look_at(&look, "session.screen", "rows");
}

int command_scrollback(int argc, char **argv)
{
    struct look look = parse(argc, argv, scrollback_help, true);
    return look_at(&look, "session.scrollback", "lines");
}
