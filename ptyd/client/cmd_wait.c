/* `wait` and `expect`: until something is printed, shown, ready or over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/dialog.h"
#include "ptyd/client/keystrokes.h"
#include "ptyd/client/waiting.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define WHAT                                                                                       \
    "  TEXT            it is printed: letter by letter, also across pieces and wrapped lines\n"    \
    "  --regex PATTERN it matches the pattern (Perl's)\n"                                          \
    "  --screen        with either: it stands on the screen, now or later; a row is a line\n"      \
    "  --prompt        the shell takes a line\n"                                                   \
    "  --exit          the command that runs ends; its status is this one's (124, 125: also "      \
    "ptyd's\n"                                                                                     \
    "                  own; it says so then)\n"                                                    \
    "  --idle MS       nothing was printed for MS milliseconds\n"                                  \
    "  --change        the screen shows something else\n"                                          \
    "  --settled MS    the screen shows the same for MS milliseconds\n"                            \
    "  --timeout S     124 when it is not so after S seconds (else it waits for ever)\n"           \
    "  --json          {for, met, why, matched, cursor, block}: what it was, and the cursor "      \
    "behind\n"                                                                                     \
    "                  it\n"

static const char wait_help[] =
    "usage: ptyd wait [-s NAME] [--from CURSOR] [--timeout S] [--json] TEXT | --regex PATTERN |\n"
    "       --screen TEXT | --prompt | --exit | --idle MS | --change | --settled MS\n\n"
    "Waits until it is so, from now on, or behind CURSOR: what came since then is found at once, "
    "and\n"
    "nothing is found twice. What you type is printed, too: the shell echoes it.\n\n" WHAT
    "  --from CURSOR   go on behind it: as `--json` of an earlier wait, expect or send gave it; a\n"
    "                  screen, and what is idle or settled, is looked at as it is now\n\n"
    "status: 0 when it is so; 1 when the session ended before, or a pattern met its bound; 124 "
    "time\n"
    "is over; with --exit the command's own, 125 when that is not known or nothing runs\n\n"
    "examples:\n"
    "  ptyd wait -s work --exit && ptyd send -s work 'make install' --key Enter\n"
    "  ptyd wait -s web --timeout 30 'Listening on'\n"
    "  ptyd wait -s work --settled 300; ptyd screen -s work\n";

static const char expect_help[] =
    "usage: ptyd expect [-s NAME] [--timeout S] [--json] TEXT | --regex PATTERN | --prompt | ...\n"
    "       [--send TEXT] [--key KEY] [--paste TEXT] [--hex BYTES]...\n\n"
    "Types, and waits for what comes of it: the place from which on it looks is taken before the\n"
    "first key is typed, so that no answer comes too early. Options as those of `ptyd send`, typed "
    "in\n"
    "the order given. Without any it is `ptyd wait`.\n\n" WHAT "\n"
    "examples:\n"
    "  ptyd expect -s work 'Password:' --send 'sudo -k true' --key Enter --timeout 5\n"
    "  ptyd expect -s work --prompt --send make --key Enter\n"
    "  ptyd expect -s work --exit --send 'make test' --key Enter\n";

enum {
    REGEX = CLI_FIRST_OWN,
    SCREEN,
    PROMPT,
    EXITS,
    IDLE,
    CHANGE,
    SETTLED,
    FROM,
    TIMEOUT,
    SEND,
    KEY,
    PASTE,
    HEX,
};

#define WAIT_LONG                                                                                  \
    {"regex", required_argument, NULL, REGEX}, {"screen", no_argument, NULL, SCREEN},              \
        {"prompt", no_argument, NULL, PROMPT}, {"exit", no_argument, NULL, EXITS},                 \
        {"idle", required_argument, NULL, IDLE}, {"change", no_argument, NULL, CHANGE},            \
        {"settled", required_argument, NULL, SETTLED},                                             \
    {                                                                                              \
        "timeout", required_argument, NULL, TIMEOUT                                                \
    }

/* What a command line asks for. */
struct request {
    struct cli cli;
    struct waiting_for what;
    bool screen;
    double timeout;  /* seconds; 0 for none */
    bool from_given; /* `cursor` is --from */
    uint64_t cursor;
    struct keystrokes keys;
};

static void refuse(char *error)
{
    if (error)
        cli_usage("%s", error);
}

static void choose(struct request *r, enum waiting_kind kind)
{
    if (r->what.kind != WAIT_NONE)
        cli_usage("one thing to wait for: a TEXT, --regex, --prompt, --exit, --idle, --change or "
                  "--settled");
    r->what.kind = kind;
}

static void choose_text(struct request *r, const char *text, bool is_regex)
{
    choose(r, WAIT_TEXT);
    if (!*text)
        cli_usage("an empty text is there always: which one?");
    r->what.text = cli_text("TEXT", text);
    r->what.is_regex = is_regex;
    char *error = waiting_prepare(&r->what);
    if (error)
        cli_usage("'%s' is no pattern: %s", text, error);
}

static void choose_ms(struct request *r, enum waiting_kind kind, const char *ms)
{
    choose(r, kind);
    if (!text_parse_number(ms, 1, LIMIT_WAIT_MS, &r->what.ms))
        cli_usage("'%s' is not a number of milliseconds", ms);
}

static void read_cursor(struct request *r, const char *text)
{
    long cursor;
    if (!text_parse_number(text, 0, INT64_MAX, &cursor))
        cli_usage("'%s' is no cursor: `--json` prints them", text);
    r->from_given = true;
    r->cursor = (uint64_t)cursor;
}

static void take_option(struct request *r, int option)
{
    static const enum waiting_kind kinds[] = {[PROMPT - REGEX] = WAIT_PROMPT,
                                              [EXITS - REGEX] = WAIT_EXIT,
                                              [CHANGE - REGEX] = WAIT_CHANGE,
                                              [IDLE - REGEX] = WAIT_IDLE,
                                              [SETTLED - REGEX] = WAIT_SETTLED};
    switch (option) {
    case REGEX:
        choose_text(r, optarg, true);
        break;
    case SCREEN:
        r->screen = true;
        break;
    case PROMPT:
    case EXITS:
    case CHANGE:
        choose(r, kinds[option - REGEX]);
        break;
    case IDLE:
    case SETTLED:
        choose_ms(r, kinds[option - REGEX], optarg);
        break;
    case FROM:
        read_cursor(r, optarg);
        break;
    case TIMEOUT:
        r->timeout = cli_seconds(optarg);
        break;
    case SEND:
        keystrokes_add_text(&r->keys, optarg, strlen(optarg));
        break;
    case KEY:
        refuse(keystrokes_add_key(&r->keys, optarg));
        break;
    case PASTE:
        keystrokes_add_paste(&r->keys, optarg);
        break;
    default:
        refuse(keystrokes_add_hex(&r->keys, optarg));
    }
}

static struct request read_request(int argc, char **argv, const char *help,
                                   const struct option *options)
{
    struct request r = {.cli = cli_begin(help)};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&r.cli, option))
            take_option(&r, option);
    if (optind < argc)
        choose_text(&r, argv[optind++], false);
    cli_no_more(&r.cli, argc, argv);
    if (r.what.kind == WAIT_NONE)
        cli_usage("what to wait for? A TEXT, --regex, --prompt, --exit, --idle, --change or "
                  "--settled");
    if (r.screen && r.what.kind != WAIT_TEXT)
        cli_usage("--screen takes a TEXT or --regex");
    if (r.screen)
        r.what.kind = WAIT_SCREEN;
    return r;
}

/* ---- how it ended ---- */

static int print_result(const struct request *r, const struct waiting_result *result)
{
    bool met = result->end == WAITING_MET;
    json_t *json =
        json_pack("{s:s, s:b, s:o, s:s?, s:I, s:O?}", "for", waiting_name(&r->what), "met", met,
                  "why", met ? json_null() : json_string(waiting_end_name(result->end)), "matched",
                  result->matched, "cursor", (json_int_t)result->cursor, "block", result->block);
    return cli_print_json(json);
}

static int say_end(const struct request *r, const struct waiting_result *result)
{
    const char *name = r->cli.session;
    int failed = r->what.kind == WAIT_EXIT ? EXIT_PTYD : EXIT_FAILED;
    switch (result->end) {
    case WAITING_LATE:
        return say_fail(EXIT_TIMEOUT, "not so after %g s; `ptyd screen -s %s` shows the terminal",
                        r->timeout, name);
    case WAITING_OVER:
        return say_fail(failed, "session %s has ended before; `ptyd open %s` starts it again", name,
                        name);
    case WAITING_LIMIT:
        return say_fail(EXIT_FAILED,
                        "the pattern takes too long on what was printed: nobody knows whether it "
                        "is there. One without repetitions in repetitions does not");
    case WAITING_NOTHING:
        return say_fail(EXIT_PTYD,
                        "no command runs in session %s; `ptyd blocks -s %s --last 1` "
                        "shows the last one",
                        name, name);
    default:
        return failed;
    }
}

static int conclude(const struct request *r, const struct waiting_result *result)
{
    if (r->cli.json)
        print_result(r, result);
    if (result->end != WAITING_MET)
        return say_end(r, result);
    if (r->what.kind != WAIT_EXIT)
        return EXIT_OK;
    int status = waiting_status(result);
    if (status == EXIT_PTYD && json_is_null(json_object_get(result->block, "exit_code")))
        say("it ended, its status is not known");
    return status;
}

/* ---- doing it ---- */

static int type_first(struct request *r, struct dialog *d)
{
    return dialog_type(d, keystrokes_bytes(&r->keys, &d->modes), r->timeout, &r->cursor);
}

/* A text is looked for from somewhat before the cursor, and some waits do not look at it: the
 * daemon would refuse one of another session now and then, and the others wait for what never
 * comes. */
static bool is_of_another(const struct request *r, const struct dialog *d)
{
    if (!r->from_given || r->cursor <= d->end)
        return false;
    say("cursor %" PRIu64 " lies behind all that session %s printed (%" PRIu64
        "): it is another session's",
        r->cursor, r->cli.session, d->end);
    if (r->cli.json)
        print_result(r, &(struct waiting_result){.end = WAITING_LOST, .cursor = r->cursor});
    return true;
}

static int wait_in(struct request *r, struct dialog *d)
{
    bool failed = dialog_look(d) < 0 || is_of_another(r, d), types = !keystrokes_empty(&r->keys);
    json_t *before = failed ? NULL : waiting_begin(d, &r->what, &failed);
    int status = failed ? EXIT_FAILED : EXIT_OK;
    if (!r->from_given && r->what.kind != WAIT_PROMPT) /* one that stands is one */
        r->cursor = d->now;
    if (!failed && types)
        status = type_first(r, d);
    if (status == EXIT_OK) {
        struct waiting_result result = waiting_wait(d, &r->what, r->cursor, before, d->until);
        status = conclude(r, &result);
        waiting_result_finish(&result);
    } else if (r->what.kind == WAIT_EXIT && status == EXIT_FAILED) {
        status = EXIT_PTYD;
    }
    json_decref(before);
    return d->late ? EXIT_TIMEOUT : status;
}

/* A daemon that does not answer has no more time than one that does. */
static int serve(struct request *r)
{
    struct dialog d;
    int64_t until = r->timeout > 0 ? clock_monotonic_ms() + (int64_t)(r->timeout * 1000) : -1;
    int status = r->what.kind == WAIT_EXIT ? EXIT_PTYD : EXIT_FAILED;
    if (dialog_open(&d, &r->cli, LIMIT_START_MS) == 0) {
        d.until = until;
        status = wait_in(r, &d);
    }
    dialog_close(&d);
    waiting_finish(&r->what);
    keystrokes_finish(&r->keys);
    return status;
}

int command_wait(int argc, char **argv)
{
    static const struct option options[] = {
        WAIT_LONG, {"from", required_argument, NULL, FROM}, CLI_LONG, {0}};
    struct request r = read_request(argc, argv, wait_help, options);
    return serve(&r);
}

int command_expect(int argc, char **argv)
{
    static const struct option options[] = {WAIT_LONG,
                                            {"send", required_argument, NULL, SEND},
                                            {"key", required_argument, NULL, KEY},
                                            {"paste", required_argument, NULL, PASTE},
                                            {"hex", required_argument, NULL, HEX},
                                            CLI_LONG,
                                            {0}};
    struct request r = read_request(argc, argv, expect_help, options);
    return serve(&r);
}
