/* What there is: the sessions, and what the terminal of one shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/client/request.h"
#include "ptyd/client/sight.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/core/told_rows.h"

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
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            all = true;
    cli_no_more(&cli, argc, argv);
    if (cli.session_given)
        cli_usage("it lists all sessions; `ptyd status -s %s` shows one", cli.session);
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
    bool screen; /* else scrollback */
    long limit;  /* lines of that; 0 for all */
};

static struct look parse(int argc, char **argv, const char *help, bool screen)
{
    static const struct option options[] = {
        SIGHT_LONG, CLI_LONG, {"limit", required_argument, NULL, LIMIT}, {0}};
    static const struct option unlimited[] = {SIGHT_LONG, CLI_LONG, {0}};
    struct look look = {.cli = cli_begin(help), .screen = screen};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, screen ? unlimited : options)) != -1)
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

/* ---- as a page ---- */

/* A terminal's rows from the top of its scrollback on. */
struct rows {
    json_t *painted; /* each in its colours */
    struct told_row *told;
    size_t count, lines; /* of them scrollback's, which come first */
};

static void read_rows(struct rows *rows, const json_t *result)
{
    const json_t *goes_on = json_object_get(result, "goes_on"), *row, *index;
    size_t i;
    rows->painted = json_copy(json_object_get(result, "lines"));
    rows->lines = json_array_size(rows->painted);
    json_array_extend(rows->painted, json_object_get(result, "rows"));
    rows->count = json_array_size(rows->painted);
    rows->told = memory_new((rows->count + 1) * sizeof *rows->told);
    json_array_foreach(rows->painted, i, row) {
        paint_strip(json_string_value(row), json_string_length(row), &rows->told[i].text);
        told_row_measure(&rows->told[i], (int)json_number(result, "cols", 0));
    }
    json_array_foreach(goes_on, i, index)
        if ((size_t)json_integer_value(index) < rows->count)
            rows->told[json_integer_value(index)].goes_on = true;
}

/* Rows [from, to) without secrets: those that had one are not painted. */
static void clean_rows(struct sight *sight, const struct rows *rows, size_t from, size_t to,
                       struct bytes *out)
{
    struct bytes *clean = memory_new((to - from + 1) * sizeof *clean);
    json_t *lines = json_array();
    sight_clean_rows(sight, rows->told, rows->count, from, to, clean);
    for (size_t i = from; i < to; i++) {
        const struct bytes *text = &rows->told[i].text, *left = &clean[i - from];
        bool same =
            left->len == text->len && !memcmp(left->data, text->data ? text->data : "", text->len);
        if (same)
            json_array_append(lines, json_array_get(rows->painted, i));
        else
            json_array_append_new(lines, json_stringn(left->data, left->len));
        bytes_finish(&clean[i - from]);
    }
    join(lines, out);
    json_decref(lines);
    free(clean);
}

static json_t *ask_rows_around(const struct look *look, size_t around)
{
    long limit = look->screen ? 0 : look->limit;
    json_t *asked =
        json_pack("{s:s, s:b, s:b}", "name", look->cli.session, "styled", true, "screen", true);
    if (look->screen || limit)
        json_object_set_new(asked, "limit", json_integer(limit + (json_int_t)around));
    return request_look("session.scrollback", asked);
}

/* Those around what is shown are asked for, too: a secret may be in both. How many those are, its
 * width says. */
static json_t *ask_rows(const struct look *look)
{
    size_t around = LIMIT_TOLD_AROUND, needed;
    json_t *result = ask_rows_around(look, around);
    if (result && (needed = told_rows_around((int)json_number(result, "cols", 0))) > around) {
        json_decref(result);
        result = ask_rows_around(look, needed);
    }
    if (!result || json_object_get(result, "goes_on"))
        return result;
    say("the daemon is older than this program, and does not say which rows are one line: "
        "`ptyd upgrade` replaces it");
    json_decref(result);
    return NULL;
}

static int show_page(const struct look *look, const char *title)
{
    json_t *result = ask_rows(look);
    struct bytes shown = {0};
    struct rows rows;
    if (!result)
        return EXIT_FAILED;
    read_rows(&rows, result);
    size_t limit = look->limit ? (size_t)look->limit : rows.lines;
    size_t from = look->screen ? rows.lines : rows.lines > limit ? rows.lines - limit : 0;
    struct sight *sight = sight_begin(&look->sight, look->cli.session, title);
    clean_rows(sight, &rows, from, look->screen ? rows.count : rows.lines, &shown);
    sight_lines(sight, &shown);
    bytes_finish(&shown);
    told_rows_finish(rows.told, rows.count);
    json_decref(rows.painted);
    json_decref(result);
    return sight_end(sight);
}

/* ---- as text ---- */

static int show(const struct look *look, const json_t *lines, const char *title)
{
    struct bytes shown = {0};
    join(lines, &shown);
    struct sight *sight = sight_begin(&look->sight, look->cli.session, title);
    sight_lines(sight, &shown);
    bytes_finish(&shown);
    return sight_end(sight);
}

static int show_plain(const struct look *look, const char *title)
{
    const char *method = look->screen ? "session.screen" : "session.scrollback";
    bool styled = !look->cli.json && sight_wants_colour(&look->sight);
    json_t *result =
        request_look(method, json_pack("{s:s, s:b, s:I}", "name", look->cli.session, "styled",
                                       styled, "limit", (json_int_t)look->limit));
    if (!result)
        return EXIT_FAILED;
    if (look->cli.json)
        return cli_print_json(result);
    int status = show(look, json_object_get(result, look->screen ? "rows" : "lines"), title);
    json_decref(result);
    return status;
}

static int look_at(const struct look *look)
{
    char *title = text_format("%s: %s", look->cli.session, look->screen ? "screen" : "scrollback");
    bool page = look->sight.html && !look->cli.json;
    int status = page ? show_page(look, title) : show_plain(look, title);
    free(title);
    return status;
}

int command_screen(int argc, char **argv)
{
    struct look look = parse(argc, argv, screen_help, true);
    return look_at(&look);
}

int command_scrollback(int argc, char **argv)
{
    struct look look = parse(argc, argv, scrollback_help, false);
    return look_at(&look);
}
