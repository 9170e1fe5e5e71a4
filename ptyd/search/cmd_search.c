/* ptyd search: no daemon is asked; who searches brings the index up to date. */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/show.h"
#include "ptyd/command/since.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/names.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/search/abroad.h"
#include "ptyd/search/fill.h"
#include "ptyd/search/find.h"
#include "ptyd/search/fold.h"

enum { FAILED = CLI_FIRST_OWN, SINCE, CWD, REGEX, COMMAND, OUTPUT, LAST, HOST };

static const char *other_host; /* of --host; NULL for this one */

static const char help[] =
    "usage: ptyd search [-s NAME | --host HOST] [--failed] [--since TIME] [--cwd DIR]\n"
    "                   [--command|--output] [--regex] [--last N] [--json] [--] PATTERN\n\n"
    "Finds PATTERN in the commands of all sessions and in their outputs, those of closed sessions\n"
    "included. PATTERN is text as it stands; capital letters are told from small ones only when\n"
    "it has a capital one. The newest 20 are shown, newest last; `ptyd block ID` shows one whole.\n"
    "Needs no daemon. Exit status: 0 found, 1 not found or failed, 2 usage.\n\n"
    "  -s NAME       only in that session\n"
    "  --host HOST   in what came here of another host, by its name or id: its commands and the\n"
    "                ends of their outputs\n"
    "  --failed      only commands whose exit code is not 0\n"
    "  --since TIME  only those that began since then: how long ago (90s, 30m, 2h, 2d, 1w), or "
    "when\n"
    "                (14:30, today, yesterday, 2026-11-20, '2026-11-20 14:30')\n"
    "  --cwd DIR     only those that began in this directory or below\n"
    "  --command     look only at what was typed\n"
    "  --output      look only at what came of it\n"
    "  --regex       PATTERN is a regular expression (pcre2); ^ and $ match at each line's ends\n"
    "  --last N      the newest N\n\n"
    "examples:\n"
    "  ptyd search undeclared --failed --since 2d --cwd .\n"
    "  ptyd search --command 'docker run'\n"
    "  ptyd search --regex 'error: .*\\.c:[0-9]+' --last 100\n"
    "  ptyd search --json -- --no-verify\n";

/* ---- what is asked ---- */

static bool has_capital(const char *text, bool regex)
{
    for (const char *at = text; *at; at++) {
        if (regex && *at == '\\' && at[1]) {
            at++; /* \S is no letter */
            continue;
        }
        size_t len = utf8_ceil(at, strlen(at), 1);
        if (fold_changes(at, len))
            return true;
        at += len - 1;
    }
    return false;
}

static bool same_directory(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Takes the last part of it away. */
static void drop_part(struct bytes *path)
{
    while (path->len && path->data[path->len - 1] != '/')
        path->len--;
    path->len -= path->len > 0;
}

/* From / on, as a shell counts it: without `.`, `..` and further slashes. New string. */
static char *plain_name(const char *path)
{
    struct bytes out = {0};
    for (size_t len; *path; path += len) {
        path += strspn(path, "/");
        len = strcspn(path, "/");
        if (len == 2 && !strncmp(path, "..", 2))
            drop_part(&out);
        else if (len && !(len == 1 && *path == '.'))
            bytes_printf(&out, "/%.*s", (int)len, path);
    }
    char *name = out.len ? text_format("%.*s", (int)out.len, out.data) : text_copy("/");
    bytes_finish(&out);
    return name;
}

/* Its name as shells say it, and the one without links where that is another. One that is no more
 * has the name it had. */
static void name_directory(const char *given, struct find_query *query)
{
    const char *here = getenv("PWD");
    char *real = realpath(given, NULL);
    if (!real && *given != '/')
        cli_usage("there is no directory '%s' here (one that is gone is named from / on)", given);
    bool known = here && *here == '/' && same_directory(here, ".");
    char *whole = text_format("%s/%s", *given != '/' && known ? here : "", given);
    char *name = plain_name(whole);
    if (real && !same_directory(name, real)) { /* `..` behind a link is another's */
        free(name);
        name = text_copy(real);
    }
    free(whole);
    free(query->directories[0]);
    free(query->directories[1]);
    query->directories[0] = name;
    query->directories[1] = real && strcmp(real, name) ? real : NULL;
    if (!query->directories[1])
        free(real);
}

static void make_pattern(struct find_query *query, bool regex)
{
    char *why = NULL;
    size_t len = strlen(query->pattern);
    if (!len)
        cli_usage("the pattern is empty; `ptyd blocks` lists all commands");
    if (len > LIMIT_SEARCH_PATTERN_BYTES)
        cli_usage("the pattern is longer than %d bytes", LIMIT_SEARCH_PATTERN_BYTES);
    if (!utf8_valid(query->pattern, len))
        cli_usage("the pattern is no UTF-8");
    query->ignore_case = !has_capital(query->pattern, regex);
    if (regex)
        query->regex = regex_create(query->pattern, query->ignore_case, &why);
    if (why)
        cli_usage("'%s' is no regular expression: %s", query->pattern, why);
}

static void take_option(int option, struct find_query *query, bool *regex)
{
    long last;
    switch (option) {
    case FAILED:
        query->failed = true;
        break;
    case SINCE:
        query->since_ms = since_option(optarg);
        break;
    case CWD:
        name_directory(optarg, query);
        break;
    case REGEX:
        *regex = true;
        break;
    case COMMAND:
        query->output = false;
        break;
    case OUTPUT:
        query->command = false;
        break;
    case HOST:
        other_host = optarg;
        break;
    case LAST:
        if (!text_parse_number(optarg, 1, LIMIT_ASKED, &last))
            cli_usage("'%s' is not a number from 1 to %d", optarg, LIMIT_ASKED);
        query->last = (size_t)last;
        break;
    }
}

static struct find_query parse(struct cli *cli, int argc, char **argv)
{
    static const struct option options[] = {{"failed", no_argument, NULL, FAILED},
                                            {"since", required_argument, NULL, SINCE},
                                            {"cwd", required_argument, NULL, CWD},
                                            {"regex", no_argument, NULL, REGEX},
                                            {"command", no_argument, NULL, COMMAND},
                                            {"output", no_argument, NULL, OUTPUT},
                                            {"last", required_argument, NULL, LAST},
                                            {"host", required_argument, NULL, HOST},
                                            CLI_LONG,
                                            {0}};
    struct find_query query = {.command = true, .output = true, .last = LIMIT_SEARCH_RESULTS};
    int option;
    bool regex = false;
    *cli = cli_begin(help);
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(cli, option))
            take_option(option, &query, &regex);
    if (optind >= argc)
        cli_usage("what is to be found?");
    query.pattern = argv[optind++];
    if (optind < argc)
        cli_usage("unexpected argument '%s': a pattern with blanks stands in quotes", argv[optind]);
    if (!query.command && !query.output)
        cli_usage("--command and --output are one or the other; both is what is done without");
    query.session = cli->session_given ? cli->session : NULL;
    if (other_host && (query.session || query.directories[0]))
        cli_usage("--host names another host; -s and --cwd are of this one");
    make_pattern(&query, regex);
    return query;
}

/* ---- showing ---- */

static void show_piece(const char *text, size_t len)
{
    char *piece = text_format("%.*s", (int)len, text);
    show_text(piece);
    free(piece);
}

static void show_match(const json_t *match, bool colour)
{
    const char *text = json_text(match, "text", "");
    size_t from = (size_t)json_number(match, "from", 0), to = (size_t)json_number(match, "to", 0);
    fputs(json_flag(match, "cut_before") ? "…" : "", stdout);
    show_piece(text, from);
    fputs(colour ? "\033[1;31m" : "", stdout);
    show_piece(text + from, to - from);
    fputs(colour ? "\033[m" : "", stdout);
    show_text(text + to);
    fputs(json_flag(match, "cut_after") ? "…" : "", stdout);
}

static void show_directory(const char *directory)
{
    const char *home = getenv("HOME");
    size_t len = home ? strlen(home) : 0;
    bool below =
        len > 1 && !strncmp(directory, home, len) && (!directory[len] || directory[len] == '/');
    fputs(below ? "~" : "", stdout);
    show_text(below ? directory + len : directory);
}

static void show_status(const json_t *result)
{
    const json_t *code = json_object_get(result, "exit_code");
    if (json_is_integer(code))
        printf("exit %lld", json_integer_value(code));
    else
        fputs(strcmp(json_text(result, "status", ""), "running") ? "exit ?" : "running", stdout);
}

/* The first line of a command; with the match marked where that is the first of all. */
static bool show_command(const json_t *result, bool colour)
{
    const json_t *first = json_array_get(json_object_get(result, "matches"), 0);
    const char *cmd = json_text(result, "cmd", "");
    size_t len = strcspn(cmd, "\n");
    bool marked =
        !strcmp(json_text(first, "in", ""), "command") && json_number(first, "line", 0) == 1;
    if (marked)
        show_match(first, colour);
    else
        show_piece(cmd, len);
    fputs(cmd[len] && !marked ? " …" : "", stdout);
    putchar('\n');
    return marked;
}

static void show_result(const json_t *result, bool colour)
{
    char when[CLOCK_TEXT_SIZE];
    const json_t *matches = json_object_get(result, "matches");
    long long more = json_number(result, "match_count", 0) - (long long)json_array_size(matches);
    const char *host = json_text(result, "host", "");
    fputs(colour ? "\033[1m" : "", stdout);
    show_text(host);
    printf("%s%s:%lld%s  %s  ", *host ? ":" : "", json_text(result, "conversation_id", ""),
           json_number(result, "seq", 0), colour ? "\033[m" : "",
           clock_text(json_number(result, "ts_begin", 0), when));
    show_status(result);
    fputs("  ", stdout);
    show_directory(json_text(result, "cwd", ""));
    fputs("  $ ", stdout);
    for (size_t i = show_command(result, colour); i < json_array_size(matches); i++) {
        const json_t *match = json_array_get(matches, i);
        bool output = !strcmp(json_text(match, "in", ""), "output");
        printf(output ? "  %lld: " : "  $%lld: ", json_number(match, "line", 0));
        show_match(match, colour);
        putchar('\n');
    }
    if (more)
        printf("  and %lld more line%s\n", more, more == 1 ? "" : "s");
}

/* ---- the search ---- */

static void say_nothing(const char *state, const struct find_query *query,
                        const struct find_answer *answer)
{
    char *gone = query->session && !kept_exists(state, query->session)
                     ? kept_say_gone(state, query->session)
                     : NULL;
    if (gone)
        say("session %s is gone: %s", query->session, gone);
    else if (query->session && !kept_exists(state, query->session))
        say("there is no session %s; `ptyd list --all` lists them", query->session);
    else if (answer->ends && query->output)
        say("nothing matches (of older commands only the end of the output is kept)");
    else
        say("nothing matches");
    free(gone);
}

static int tell(const char *state, const struct cli *cli, const struct find_query *query,
                struct find_answer *answer)
{
    bool found = json_array_size(answer->results) > 0, colour = paint_is_wanted();
    size_t i;
    json_t *result;
    if (cli->json && cli_print_json(json_incref(answer->results)) != 0)
        return EXIT_FAILED;
    json_array_foreach(answer->results, i, result)
        if (!cli->json)
            show_result(result, colour);
    if (fflush(stdout) != 0)
        return EXIT_FAILED;
    if (!found)
        say_nothing(state, query, answer);
    if (answer->more)
        say("these are the newest %zu; --last N shows more", query->last);
    if (answer->unknown)
        say("the pattern took too long on %zu text%s, which may hold more; a simpler one does not",
            answer->unknown, answer->unknown == 1 ? "" : "s");
    return found ? EXIT_OK : EXIT_FAILED;
}

/* What is damaged is made again once. */
static bool search(struct index *index, const char *state, const struct find_query *query,
                   struct find_answer *answer)
{
    for (int attempt = 0;; attempt++) {
        fill_index(index, state);
        find_run(index, state, query, answer);
        if (!index_failure(index))
            return true;
        json_decref(answer->results);
        if (!index_is_damaged(index) || attempt) {
            say("%s/search.db cannot be used: %s%s", state, index_failure(index),
                index_lacks_room(index) ? ": make room" : "; it may be removed");
            return false;
        }
        say("%s/search.db is of no use (%s): it is made again", state, index_failure(index));
        index_make_again(index);
    }
}

/* An index of root's among another user's files would keep that one from searching. */
static bool is_ours(const char *state)
{
    struct stat st;
    bool others = stat(state, &st) == 0 && st.st_uid != geteuid();
    if (others)
        say("the state directory %s belongs to user %u; search as that one", state,
            (unsigned)st.st_uid);
    return !others;
}

/* Here. */
static int search_own(const char *state, const struct cli *cli, const struct find_query *query)
{
    struct find_answer answer;
    struct index *index = index_open(state);
    bool searched = search(index, state, query, &answer);
    index_close(index); /* whoever reads what is told may take long */
    if (!searched)
        return EXIT_FAILED;
    int status = tell(state, cli, query, &answer);
    json_decref(answer.results);
    return status;
}

/* Of another host. */
static int search_abroad(const char *state, const struct cli *cli, const struct find_query *query)
{
    struct find_answer answer;
    int status = EXIT_FAILED;
    if (abroad_find(state, other_host, query, &answer))
        status = tell(state, cli, query, &answer);
    else
        say("nothing came here of a host %s; `ptyd hosts` lists them", other_host);
    json_decref(answer.results);
    return status;
}

int command_search(int argc, char **argv)
{
    struct cli cli;
    struct find_query query = parse(&cli, argc, argv);
    char *state = paths_state(), *conversations = text_format("%s/conversations", state);
    struct names *names = names_open(state, false);
    int status = EXIT_FAILED;
    signal(SIGXFSZ, SIG_IGN); /* an index that may not grow is told of */
    if (query.session)
        query.session = names_own(names, query.session);
    if (other_host) {
        status = search_abroad(state, &cli, &query);
    } else if (access(conversations, F_OK) < 0) {
        say("nothing was recorded yet: there is no %s", conversations);
    } else if (is_ours(state)) {
        status = search_own(state, &cli, &query);
    }
    regex_destroy(query.regex);
    free(query.directories[0]);
    free(query.directories[1]);
    free(conversations);
    names_close(names);
    free(state);
    return status;
}
