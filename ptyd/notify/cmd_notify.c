/* The event is of one command, whose block is known before it is waited for: the one that runs, one
 * that the daemon types for us or, in the session's own terminal, the line that this is on. There
 * COMMAND takes our place, and what waits is a process of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/dialog.h"
#include "ptyd/client/inside.h"
#include "ptyd/client/notice.h"
#include "ptyd/client/request.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/notify/event.h"
#include "ptyd/notify/wake.h"

static const char help[] =
    "usage: ptyd notify codex [-s NAME] [--thread T] [--on exit|fail|/PATTERN/] [--timeout S]\n"
    "                         [--connect URL] [--json] [-- COMMAND]\n\n"
    "Waits, and then codex gets a turn of yours that tells it of the command: at once, or behind "
    "the\n"
    "turn that runs; never within one, once, and not if you say something yourself before.\n\n"
    "Which command: COMMAND, run at session NAME's prompt as `ptyd run` does, without its output, "
    "or\n"
    "in the session's own terminal as if you had typed it alone; without COMMAND the one that runs "
    "in\n"
    "session NAME.\n\n"
    "  --on WHAT       exit: it ends (the default); fail: not with 0; /PATTERN/: it prints a line\n"
    "                  that matches (Perl's), what it has printed already included\n"
    "  --thread T      which of codex's threads (default: one open where the session is, else the\n"
    "                  one in which something was said last)\n"
    "  --connect URL   codex's app-server, as for `ptyd proxy` (default: where `codex` looks)\n"
    "  --timeout S     not longer\n"
    "  --json          {on, block, line, thread, turn, said}: turn is begun, known (codex has "
    "heard "
    "of\n"
    "                  it), cancelled (by your own), unshown, late, failed, or null: it was not "
    "so\n\n"
    "Where no client of codex's would show the turn, that is said, and you alone are notified.\n\n"
    "status: 0 the turn has begun, or none was due; 1 you alone were notified, or it failed; 124\n"
    "time is over; in the session's own terminal COMMAND's\n\n"
    "examples:\n"
    "  ptyd notify codex --on fail -- make test\n"
    "  ptyd notify codex -s web --on '/ERROR|Traceback/'\n";

enum { THREAD = CLI_FIRST_OWN, ON, CONNECT, TIMEOUT };

struct notify {
    struct cli cli;
    struct dialog dialog;
    struct event event;
    const char *on; /* as it was given */
    struct wake wake;
    char **command; /* NULL for none */
    int64_t until;  /* monotonic ms; -1 for ever */
    int terminal;   /* where the user is notified; -1 for nowhere */
};

/* ---- saying it ---- */

static void notify_user(const struct notify *n, const struct event_met *met)
{
    struct bytes out = {0};
    if (n->terminal < 0)
        return;
    notice_append(n->cli.session, json_number(met->block, "duration_ms", 0), met->block,
                  notice_form(), &out);
    if (write(n->terminal, out.data, out.len) < 0)
        say("the terminal takes no notification");
    bytes_finish(&out);
}

static const char *outcome_text(enum wake_end end)
{
    static const char *const texts[] = {
        [WAKE_BEGUN] = "codex has a turn that tells it",
        [WAKE_KNOWN] = "codex has heard of it already, or is not to: no turn",
        [WAKE_CANCELLED] = "your own turn came first: no other",
        [WAKE_UNSHOWN] = "you alone are notified",
        [WAKE_LATE] = "codex was at work all the time: no turn",
        [WAKE_FAILED] = "you alone are notified",
    };
    return texts[end];
}

static void print(const struct notify *n, const struct event_met *met, const char *turn,
                  const char *said)
{
    if (n->cli.json)
        cli_print_json(json_pack("{s:s, s:O?, s:s?, s:s?, s:s?, s:s}", "on", n->on, "block",
                                 met->block, "line", met->line, "thread", n->wake.thread, "turn",
                                 turn, "said", said));
    else
        printf("%s\n", said);
}

static int conclude(struct notify *n, const struct event_met *met)
{
    enum wake_end end = wake_begin(&n->wake, met);
    char *text = wake_text(&n->wake, met), *said = text_format("%s: %s", text, outcome_text(end));
    if (end == WAKE_UNSHOWN || end == WAKE_FAILED || end == WAKE_LATE)
        notify_user(n, met);
    print(n, met, wake_end_name(end), said);
    free(said);
    free(text);
    return end == WAKE_LATE                            ? EXIT_TIMEOUT
           : end == WAKE_UNSHOWN || end == WAKE_FAILED ? EXIT_FAILED
                                                       : EXIT_OK;
}

/* ---- one command ---- */

static int wait_for(struct notify *n, uint64_t seq)
{
    struct event_met met;
    int status = EXIT_FAILED;
    say("waits for block %" PRIu64 " of session %s%s%s", seq, n->cli.session,
        n->wake.thread ? "; then a turn for codex's thread " : "",
        n->wake.thread ? n->wake.thread : "");
    switch (event_wait(&n->dialog, &n->event, seq, n->until, &met)) {
    case EVENT_MET:
        status = conclude(n, &met);
        break;
    case EVENT_NEVER:
        print(n, &met, NULL, "the command has ended, and it was not so: no turn");
        status = EXIT_OK;
        break;
    case EVENT_LATE:
        status = say_fail(EXIT_TIMEOUT, "not so in time: codex gets no turn");
        break;
    case EVENT_LOST:
        break;
    }
    event_met_finish(&met);
    return status;
}

static int of_running(struct notify *n)
{
    bool failed;
    uint64_t seq = event_running(&n->dialog, &failed);
    if (failed)
        return EXIT_FAILED;
    if (!seq)
        return say_fail(EXIT_FAILED, "no command runs in session %s; name one behind --",
                        n->cli.session);
    return wait_for(n, seq);
}

/* ---- one that is run for us ---- */

static json_t *run_params(const struct notify *n, const char *command, json_int_t token)
{
    return json_pack("{s:s, s:s, s:b, s:I}", "name", n->cli.session, "command", command, "stream",
                     0, "token", token);
}

/* The block that has begun or, where it was over sooner, ended; 0 for not yet. */
static uint64_t begun_block(struct notify *n, const json_t *message)
{
    const json_t *result = json_object_get(message, "result");
    bool failed;
    if (result)
        return (uint64_t)json_number(json_object_get(result, "block"), "seq", 0);
    return json_flag(json_object_get(message, "params"), "begun")
               ? event_running(&n->dialog, &failed)
               : 0;
}

/* Waits until the command has begun. 0 after a message. The daemon knows it by the token: a worker
 * that takes over types nothing twice. */
static uint64_t begin_command(struct notify *n, struct rpc *rpc, const char *command)
{
    json_int_t token = request_new_token(), id = -1;
    uint64_t seq = 0;
    bool over = false;
    while (!seq && !over) {
        json_t *message = NULL;
        if (id < 0)
            id = rpc_send(rpc, "session.run", run_params(n, command, token),
                          clock_monotonic_ms() + LIMIT_ANSWER_MS);
        enum rpc_wait end = id < 0 ? RPC_LOST : rpc_wait(rpc, n->until, &message);
        if (end == RPC_LOST)
            id = -1;
        if (end == RPC_LATE ||
            (id < 0 && rpc_reconnect(rpc, clock_monotonic_ms() + LIMIT_RECONNECT_MS) < 0))
            break;
        const char *error = json_text(json_object_get(message, "error"), "message", NULL);
        if (error)
            say("%s", error);
        seq = begun_block(n, message);
        over = error || json_object_get(message, "result");
        json_decref(message);
    }
    if (!seq && !over)
        say("the command did not begin in time: `ptyd screen -s %s` shows the terminal",
            n->cli.session);
    else if (!seq)
        say("no command began: `ptyd screen -s %s` shows the terminal", n->cli.session);
    return seq;
}

static int of_command(struct notify *n)
{
    struct rpc rpc;
    if (rpc_connect(&rpc, false, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    char *command = request_command(n->command);
    uint64_t seq = begin_command(n, &rpc, command);
    int status = seq ? wait_for(n, seq) : EXIT_FAILED;
    free(command);
    rpc_close(&rpc);
    return status;
}

/* ---- in the session's own terminal ---- */

/* A word alone is a line for the shell, as for `ptyd run`. */
static _Noreturn void become_command(char **command)
{
    const char *shell = getenv("SHELL");
    char *line[] = {(char *)(shell && *shell ? shell : "/bin/sh"), (char *)"-c", command[0], NULL};
    char **words = command[1] ? command : line;
    cores_give_back();
    execvp(words[0], words);
    say("%s cannot be run: %s", words[0], strerror(errno));
    exit(errno == ENOENT ? 127 : 126);
}

/* Behind the shell's back: no job of its, and nothing of it is read or shown here but the
 * notification. */
static _Noreturn void wait_behind(struct notify *n, uint64_t seq)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fork() != 0)
        _exit(0);
    setsid();
    for (int fd = 0; fd <= STDERR_FILENO && nowhere >= 0; fd++)
        dup2(nowhere, fd);
    exit(wait_for(n, seq));
}

/* The block of the line that this is on. What says that it has begun comes through the terminal,
 * and may still be under way there. 0 for none, or after a message. */
static uint64_t this_line(struct notify *n, bool *ret_failed)
{
    int64_t until = clock_monotonic_ms() + LIMIT_NOTIFY_LINE_MS;
    uint64_t seq;
    while (!(seq = event_running(&n->dialog, ret_failed)) && !*ret_failed &&
           clock_monotonic_ms() < until)
        poll(NULL, 0, LIMIT_EVENT_LOOK_MS);
    return seq;
}

static int of_this_line(struct notify *n)
{
    bool failed;
    uint64_t seq = this_line(n, &failed);
    if (!seq)
        return failed ? EXIT_FAILED
                      : say_fail(EXIT_FAILED,
                                 "session %s does not know which line this is: its "
                                 "shell gives no marks",
                                 n->cli.session);
    pid_t behind = fork();
    if (behind == 0)
        wait_behind(n, seq);
    if (behind < 0)
        return say_fail(EXIT_FAILED, "no further process can be started");
    while (waitpid(behind, NULL, 0) < 0 && errno == EINTR)
        ;
    dialog_close(&n->dialog); /* it is that one's */
    become_command(n->command);
}

/* ---- reading what is wanted ---- */

static void read_words(struct notify *n, int argc, char **argv)
{
    if (optind >= argc)
        cli_usage("which agent? For example: ptyd notify codex --on fail -- make test");
    if (strcmp(argv[optind], "codex") != 0)
        cli_usage("'%s' takes no turn from outside; codex does", argv[optind]);
    n->command = argv[optind + 1] ? argv + optind + 1 : NULL;
}

static struct notify read_options(int argc, char **argv)
{
    static const struct option options[] = {{"thread", required_argument, NULL, THREAD},
                                            {"on", required_argument, NULL, ON},
                                            {"connect", required_argument, NULL, CONNECT},
                                            {"timeout", required_argument, NULL, TIMEOUT},
                                            CLI_LONG,
                                            {0}};
    struct notify n = {.cli = cli_begin(help), .on = "exit", .until = -1};
    int option;
    n.wake.url = "codex";
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1) {
        if (!cli_option(&n.cli, option))
            continue;
        if (option == TIMEOUT)
            n.until = clock_monotonic_ms() + (int64_t)(cli_seconds(optarg) * 1000);
        else if (option == THREAD)
            cli_text("T", n.wake.thread = optarg);
        else
            *(option == ON ? &n.on : &n.wake.url) = optarg;
    }
    read_words(&n, argc, argv);
    char *wrong = event_parse(n.on, &n.event);
    if (wrong)
        cli_usage("%s", wrong);
    n.wake.session = n.cli.session;
    n.wake.thread = n.wake.thread ? text_copy(n.wake.thread) : NULL;
    n.wake.until = n.until;
    return n;
}

/* Whether this is a line of that session's own shell. */
static bool is_own_line(const struct notify *n)
{
    const char *own = inside_session();
    return *own && !strcmp(own, n->cli.session);
}

static int serve(struct notify *n)
{
    bool own = is_own_line(n);
    char *here = realpath(".", NULL);
    if (own && !n->command)
        cli_usage("in the session's own terminal: which COMMAND? Or ask from another terminal");
    n->terminal = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    if (wake_look(&n->wake, here ? here : "") != WAKE_BEGUN)
        say("as it is now, you alone will be notified");
    free(here);
    return own ? of_this_line(n) : n->command ? of_command(n) : of_running(n);
}

int command_notify(int argc, char **argv)
{
    struct notify n = read_options(argc, argv);
    int status = EXIT_FAILED;
    if (dialog_open(&n.dialog, &n.cli, LIMIT_START_MS) == 0)
        status = dialog_look(&n.dialog) == 0 ? serve(&n) : EXIT_FAILED;
    dialog_close(&n.dialog);
    event_finish(&n.event);
    free(n.wake.thread);
    return status;
}
