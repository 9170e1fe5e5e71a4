#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/chosen.h"
#include "ptyd/client/request.h"
#include "ptyd/command/progress.h"
#include "ptyd/command/show.h"
#include "ptyd/command/since.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/names.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/find.h"
#include "ptyd/forget/sent.h"
#include "ptyd/forget/wish.h"

static const char help[] =
    "usage: ptyd forget BLOCK... [--dry-run] [--yes] [--no-start] [--json]\n"
    "       ptyd forget --since T | --matching TEXT | --matching -\n\n"
    "Takes commands, or a text, out of all that ptyd keeps: logs, screens, checkpoints, the lists "
    "of\n"
    "commands and their outputs, what waits for agents, the search index (it is made again), and "
    "the\n"
    "daemon's memory. Shells, what runs in them and who looks at them go on. Text is covered with "
    "`x`\n"
    "where it stood; a command keeps its number and its time.\n\n"
    "Which conversations have heard of it already is said, with turn and time, and what the relay "
    "sent\n"
    "to your other hosts: that cannot be undone from here. The shell's own history, and "
    "recordings, are\n"
    "yours.\n\n"
    "  BLOCK            a command's number, NAME:NUMBER or block_id\n"
    "  --since T        all commands that ran at T or later: 30m, 2h, 14:30, yesterday\n"
    "  --matching TEXT  this text, wherever it stands; `-` reads it from stdin, unseen, so that\n"
    "                   it gets into no history\n"
    "  -s NAME          of this session; --since and --matching: of all without it\n"
    "  --dry-run        only says what would be forgotten, and who heard of it\n"
    "  --yes            does not ask first; where stdin is no terminal it has to be given\n"
    "  --no-start       fail where no daemon runs, rather than start one\n\n"
    "examples:\n"
    "  ptyd forget 12\n"
    "  ptyd forget --since 10m -s work\n"
    "  ptyd forget --matching -\n";

enum { MATCHING = CLI_FIRST_OWN, SINCE, DRY_RUN, YES };

struct forgetter {
    struct cli cli;
    char *state, *text;
    const char *session; /* of which alone; NULL for all */
    bool since, dry_run, yes;
    int64_t since_ms;
    struct wish wish;
    json_t *commands, *heard; /* what there is, and who heard of it */
    json_t *sent;             /* what other hosts were sent of it; NULL: nothing */
    struct forgotten looked;
};

/* ---- the text ---- */

static struct termios shown; /* the terminal as it was, */
static void (*stopped)(int); /* and what Ctrl-Z did */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void on_end(int signal)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &shown);
    raise(signal); /* which ends us now */
}

/* Who ends it while it asks leaves no terminal without an echo; Ctrl-Z waits for that. */
static void guard_terminal(void)
{
    struct sigaction before;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(
                ends[i],
                &(struct sigaction){.sa_handler = on_end, .sa_flags = SA_RESETHAND | SA_NODEFER},
                NULL);
    stopped = signal(SIGTSTP, SIG_IGN);
}

static void release_terminal(void)
{
    struct sigaction before;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &shown);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == on_end)
            signal(ends[i], SIG_DFL);
    signal(SIGTSTP, stopped);
}

/* Of a terminal it is not shown: its echo is off before it is asked for. */
static char *read_text(void)
{
    char line[LIMIT_FORGET_TEXT_BYTES + 2] = "";
    bool asks = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &shown) == 0;
    if (asks) {
        struct termios hidden = shown;
        guard_terminal();
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
        fputs("text to forget: ", stderr);
    }
    char *read = fgets(line, sizeof line, stdin);
    if (asks) {
        release_terminal();
        fputc('\n', stderr);
    }
    line[strcspn(line, "\n")] = '\0';
    return text_copy(read ? line : "");
}

static void take_text(struct forgetter *f, const char *text)
{
    free(f->text);
    f->text = strcmp(text, "-") ? text_copy(text) : read_text();
    if (!wish_is_text(f->text))
        cli_usage("TEXT is one line of %d to %d bytes, and not of `x` alone",
                  LIMIT_FORGET_TEXT_LEAST, LIMIT_FORGET_TEXT_BYTES);
}

/* ---- what there is ---- */

static bool add_block(struct forgetter *f, const char *named)
{
    struct cli cli = f->cli;
    const char *id = chosen_id(&cli, named);
    json_t *answer =
        request_look("session.block", json_pack("{s:s, s:s}", "name", cli.session, "block", id));
    if (answer)
        json_array_append_new(f->commands, find_command(json_object_get(answer, "block")));
    json_decref(answer);
    return answer != NULL;
}

static bool find(struct forgetter *f, char **blocks)
{
    bool named = *blocks;
    f->commands = named ? json_array() : find_commands(f->state, f->session, f->text, f->since_ms);
    for (; *blocks; blocks++)
        if (!add_block(f, *blocks))
            return false;
    f->heard = find_heard(f->state, f->commands);
    f->sent = sent_of(f->state, f->commands);
    return true;
}

static void look(void *user, const char *name)
{
    struct forgetter *f = user;
    forget_in_session(f->state, name, &f->wish, true, &f->looked);
}

/* {session: [seq, ...]}. */
static json_t *by_session(const json_t *commands)
{
    json_t *all = json_object(), *command;
    size_t i;
    json_array_foreach((json_t *)commands, i, command) {
        const char *session = json_text(command, "session", "");
        if (!json_object_get(all, session))
            json_object_set_new(all, session, json_array());
        json_array_append(json_object_get(all, session), json_object_get(command, "seq"));
    }
    return all;
}

/* Whether there is anything. A text may stand where no command is known of. */
static bool make_wish(struct forgetter *f)
{
    f->wish = (struct wish){.token = (uint64_t)request_new_token(),
                            .text = f->text ? text_copy(f->text) : NULL,
                            .session = f->text && f->session ? text_copy(f->session) : NULL,
                            .blocks = f->text ? json_object() : by_session(f->commands)};
    if (f->text) {
        forget_each_session(f->state, look, f);
        forget_in_state(f->state, NULL, &f->wish, true, &f->looked);
    }
    return json_array_size(f->commands) || f->looked.sessions || f->looked.elsewhere;
}

/* ---- said ---- */

static void print_clean(const char *text)
{
    struct bytes clean = {0};
    show_clean(text, strlen(text), &clean);
    fwrite(clean.data, 1, clean.len, stdout);
    bytes_finish(&clean);
}

static void print_command(const json_t *command)
{
    char when[CLOCK_TEXT_SIZE];
    printf("%s  ", clock_text(json_number(command, "ts", 0), when));
    print_clean(json_text(command, "block_id", ""));
    putchar('\n');
}

/* Strings, each behind a space. */
static void print_list(const json_t *strings, const char *comma)
{
    json_t *one;
    size_t i;
    json_array_foreach((json_t *)strings, i, one) {
        fputs(i ? comma : "", stdout);
        putchar(' ');
        print_clean(json_string_value(one));
    }
}

static void print_heard(const json_t *heard)
{
    char when[CLOCK_TEXT_SIZE];
    const char *turn = json_text(heard, "turn", NULL);
    fputs("heard by: ", stdout);
    print_clean(json_text(heard, "consumer", ""));
    fputs(" turn ", stdout);
    print_clean(turn ? turn : "(without a name)");
    printf(" at %s:", clock_text(json_number(heard, "ts", 0), when));
    print_list(json_object_get(heard, "blocks"), "");
    putchar('\n');
}

static void print_sent(const json_t *sent)
{
    const json_t *hosts = json_object_get(sent, "hosts");
    fputs("sent to other hosts through ", stdout);
    print_clean(json_text(sent, "hub", "the hub"));
    putchar(':');
    print_list(json_object_get(sent, "blocks"), "");
    fputs("\nWhat was sent is with the hub until its limits drop it, and with your other hosts",
          stdout);
    if (json_array_size(hosts)) {
        fputs(" (of these were heard:", stdout);
        print_list(hosts, ",");
        putchar(')');
    }
    puts(": there `ptyd forget --matching TEXT` takes it.");
}

static void print_found(const struct forgetter *f)
{
    json_t *one;
    size_t i;
    json_array_foreach(f->commands, i, one)
        print_command(one);
    json_array_foreach(f->looked.sessions, i, one)
        printf("the text stands in session %s\n", json_string_value(one));
    json_array_foreach(f->heard, i, one)
        print_heard(one);
    if (json_array_size(f->heard))
        puts("What was told stays told: it cannot be taken back.");
    if (f->sent)
        print_sent(f->sent);
}

/* Wherever the messages go, it is asked where the answer is typed. */
static bool ask_user(void)
{
    char line[16] = "";
    FILE *terminal = fopen("/dev/tty", "we");
    fflush(stdout);
    fputs("Forget that? It cannot be undone. [y/N] ", terminal ? terminal : stderr);
    if (terminal)
        fclose(terminal);
    return fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
}

/* EXIT_USAGE where nobody can be asked. */
static int is_wanted(const struct forgetter *f, bool *ret_wanted)
{
    bool asks = !f->yes && !f->dry_run;
    if (asks && !isatty(STDIN_FILENO)) {
        say("nothing was forgotten: it cannot be undone, and nobody can be asked here; --yes says "
            "that it is meant");
        return EXIT_USAGE;
    }
    *ret_wanted = asks ? ask_user() : f->yes && !f->dry_run;
    return EXIT_OK;
}

/* ---- done ---- */

static json_t *params_of(const struct wish *wish)
{
    return json_pack("{s:I, s:O, s:s*, s:s*}", "token", (json_int_t)wish->token, "blocks",
                     wish->blocks, "text", wish->text, "session", wish->session);
}

/* It is answered by another worker than it is asked of; the token says that it is the same. */
static json_t *ask(const struct forgetter *f)
{
    int64_t until = clock_monotonic_ms() + LIMIT_FORGET_WAIT_MS;
    struct progress progress = progress_begin("forgetting");
    json_t *answer = NULL;
    struct rpc rpc;
    if (rpc_connect(&rpc, !f->cli.no_start, LIMIT_START_MS) < 0)
        return NULL;
    for (bool lost = true; lost && !answer;) {
        json_int_t id = rpc_send(&rpc, "forget", params_of(&f->wish), until);
        enum rpc_wait end = id > 0 ? RPC_CAME : RPC_LOST;
        while (end == RPC_CAME && !answer) {
            json_t *came = NULL;
            end = rpc_wait_telling(&rpc, &progress, until, &came);
            answer = end == RPC_CAME && rpc_is_answer(came, id) ? json_incref(came) : NULL;
            json_decref(came);
        }
        lost = !answer && end == RPC_LOST && rpc_reconnect(&rpc, until) == 0;
    }
    progress_clear(&progress);
    rpc_close(&rpc);
    if (!answer)
        say("the daemon did not say what came of it; what it has begun it will finish: ask again");
    return answer;
}

static int forget(struct forgetter *f, json_t **ret_result)
{
    json_t *answer = ask(f);
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    *ret_result = json_incref(json_object_get(answer, "result"));
    const char *failed = json_text(*ret_result, "error", NULL);
    if (error)
        say("%s", error);
    if (failed)
        say("not all of it is gone: %s; the daemon's next worker tries again", failed);
    json_decref(answer);
    return *ret_result && !failed ? EXIT_OK : EXIT_FAILED;
}

/* New reference. */
static json_t *sessions_of(const struct forgetter *f, const json_t *result)
{
    json_t *done = json_object_get(result, "sessions");
    return done                 ? json_incref(done)
           : f->looked.sessions ? json_incref(f->looked.sessions)
                                : json_array();
}

static int tell(const struct forgetter *f, const json_t *result, int status)
{
    bool done = result && status == EXIT_OK;
    if (!f->cli.json && done)
        puts("Forgotten.");
    if (!f->cli.json)
        return status;
    json_t *value = json_pack("{s:b, s:O, s:o, s:O, s:o}", "forgotten", done, "blocks", f->commands,
                              "sessions", sessions_of(f, result), "heard", f->heard, "sent",
                              f->sent ? json_incref(f->sent) : json_null());
    return cli_print_json(value) == EXIT_OK ? status : EXIT_FAILED;
}

static int run(struct forgetter *f, char **blocks)
{
    json_t *result = NULL;
    if (!find(f, blocks))
        return EXIT_FAILED;
    bool there = make_wish(f);
    if (!there)
        say("nothing of that is kept");
    if (!f->cli.json)
        print_found(f);
    bool wanted = false;
    int status = there ? is_wanted(f, &wanted) : EXIT_FAILED;
    if (wanted)
        status = forget(f, &result);
    status = tell(f, result, status);
    json_decref(result);
    return status;
}

static void take_option(struct forgetter *f, int option)
{
    if (option == MATCHING) {
        take_text(f, optarg);
    } else if (option == SINCE) {
        f->since = true;
        f->since_ms = since_option(optarg);
    }
    f->dry_run = f->dry_run || option == DRY_RUN;
    f->yes = f->yes || option == YES;
}

static void finish(struct forgetter *f)
{
    wish_finish(&f->wish);
    forgotten_finish(&f->looked);
    json_decref(f->commands);
    json_decref(f->heard);
    json_decref(f->sent);
    free(f->state);
    free(f->text);
}

int command_forget(int argc, char **argv)
{
    static const struct option options[] = {{"matching", required_argument, NULL, MATCHING},
                                            {"since", required_argument, NULL, SINCE},
                                            {"dry-run", no_argument, NULL, DRY_RUN},
                                            {"yes", no_argument, NULL, YES},
                                            CLI_LONG,
                                            {0}};
    struct forgetter f = {.cli = cli_begin(help)};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&f.cli, option))
            take_option(&f, option);
    int ways = (optind < argc) + (f.text != NULL) + f.since;
    if (ways != 1)
        cli_usage(ways ? "BLOCKs, --since or --matching: which of them?"
                       : "what is to be forgotten? BLOCK, --since T or --matching TEXT");
    f.state = paths_state();
    struct names *names = names_open(f.state, false);
    f.session = f.cli.session_given ? names_own(names, f.cli.session) : NULL;
    int status = run(&f, argv + optind);
    names_close(names);
    finish(&f);
    return status;
}
