#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/client/inside.h"
#include "ptyd/client/request.h"
#include "ptyd/client/run_view.h"
#include "ptyd/command/elsewhere.h"
#include "ptyd/command/patience.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd run [-s NAME] [--timeout SECONDS] [--no-start] [--json] -- COMMAND\n\n"
    "Waits for a prompt of the session, types COMMAND there, shows its output and ends with its\n"
    "status. One argument is typed as it is, several are quoted for the shell. Starts daemon and\n"
    "session when they do not run; of a session that -s names it says so.\n\n"
    "  --timeout SECONDS    124 when it is not done by then; it goes on running\n"
    "  --no-start           fail (125) where no daemon runs, rather than start one\n"
    "  --json               print the command's block instead of its output\n\n"
    "In a terminal keys, Ctrl-C and colours pass both ways while it runs; Ctrl-C twice leaves,\n"
    "and it goes on. Elsewhere, and in the background, its output is rendered as text; where "
    "nobody\n"
    "reads that any more, as behind head(1), this ends, and it goes on.\n\n"
    "Several at once on one session take turns, and wait while a line is half typed there; what\n"
    "is waited for is said after a moment. When the daemon's worker is replaced it goes "
    "on.\n\n"
    "status: the command's own; 124 time is over; 125 ptyd failed, nothing was typed, or the\n"
    "status stayed unknown: what it is, it says\n\n"
    "examples:\n"
    "  ptyd run -s work -- make -j4\n"
    "  ptyd run -s work -- sudo apt upgrade\n"
    "  ptyd run -s work --timeout 60 -- ./check | tee log\n"
    "  ptyd run -s devbox:work -- make      there, by ssh\n"
    "  ptyd run -- 'cd src && ls | wc -l'\n";

#define SAY_WAIT_MS  500
#define SAY_TYPED_MS 2000 /* a shell runs what was typed sooner */

enum { TIMEOUT = CLI_FIRST_OWN };

/* A command that is run, over the deaths of workers. */
struct run {
    const struct cli *cli;
    const char *command;
    double timeout;       /* seconds; 0 for none */
    int64_t until;        /* monotonic ms; -1 for ever */
    json_int_t token;     /* by which it is known */
    json_int_t streamed;  /* bytes of its output that came */
    bool typed;           /* the daemon said so */
    bool on_terminal;     /* its bytes are shown as they are, and keys go to it */
    char *awaits;         /* what is waited for before it is typed, as the daemon says; "" */
    int64_t say_at;       /* monotonic ms: when that is said; -1: it was, or there is nothing */
    int64_t unread_until; /* monotonic ms: nobody reads the output, and so long the end is waited
                             for; 0 while somebody does */
    struct patience patience; /* until a worker that took over has said something */
    char *shell_id;
    struct run_view *view; /* on a terminal; NULL: the rendered output comes with the answer */
};

/* What is waited for is said behind a moment, for mostly it is over by then. */
static void take_state(struct run *r, const json_t *state)
{
    const char *awaits = json_text(state, "awaits", "");
    bool other = strcmp(awaits, r->awaits) != 0, begun = json_flag(state, "begun");
    r->typed = json_flag(state, "typed");
    if (r->view && begun)
        run_view_begin(r->view);
    if (other && *awaits)
        r->say_at = clock_monotonic_ms() + SAY_WAIT_MS;
    else if (!*awaits)
        r->say_at = r->typed && !begun ? clock_monotonic_ms() + SAY_TYPED_MS : -1;
    if (other) {
        free(r->awaits);
        r->awaits = text_copy(awaits);
    }
}

static void say_waits(struct run *r)
{
    static const char *const reasons[][2] = {
        {"line", "a line is half typed at its prompt; Enter or Ctrl-C there lets this go on"},
        {"command", "a command runs there"},
        {"turn", "another `ptyd run` is served before"},
        {"prompt", "no prompt stands there yet"},
    };
    r->say_at = -1;
    if (!*r->awaits)
        say("it was typed, and no command began: the shell waits for the rest of it, as behind an "
            "open quote, or took it for none. `ptyd screen -s %s` shows it, `ptyd send -s %s --key "
            "C-c` gives it up",
            r->cli->session, r->cli->session);
    if (!strcmp(r->awaits, "command") && !strcmp(inside_session(), r->cli->session)) {
        say("waits for session %s: the command that this is part of runs there; Ctrl-C, then `ptyd "
            "run ... &`, or another session with -s",
            r->cli->session);
        return;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (!strcmp(r->awaits, reasons[i][0]))
            say("waits for session %s: %s", r->cli->session, reasons[i][1]);
}

static void take_notification(struct run *r, const json_t *message)
{
    const char *method = json_text(message, "method", "");
    const json_t *text = json_at(message, "params", "text");
    if (!strcmp(method, "run.state"))
        take_state(r, json_object_get(message, "params"));
    if (strcmp(method, "run.output") || !json_is_string(text))
        return;
    size_t len = json_string_length(text);
    bool written = fwrite(json_string_value(text), 1, len, stdout) == len && fflush(stdout) == 0;
    if (!written && errno == EPIPE && !r->unread_until)
        r->unread_until = clock_monotonic_ms() + LIMIT_LAST_ANSWER_MS;
    r->streamed += (json_int_t)len;
}

/* The output that came faster than it was read here: the block's file has it. */
static void print_rest(const json_t *result, const json_t *block)
{
    json_int_t streamed = json_number(result, "streamed", 0);
    json_int_t total = json_number(block, "output_bytes", 0);
    const char *directory = json_text(result, "directory", NULL);
    const char *name = json_text(block, "output_path", NULL);
    if (streamed >= total || !directory || !name)
        return;
    char *path = text_format("%s/%s", directory, name);
    char chunk[1 << 16];
    FILE *file = fopen(path, "re");
    size_t n;
    if (file && fseek(file, (long)streamed, SEEK_SET) == 0)
        while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
            streamed += (json_int_t)fwrite(chunk, 1, n, stdout);
    else
        say("%s cannot be read: the rest of the output is missing", path);
    if (file && streamed < total)
        say("%s holds no more: %lld bytes of the output are missing", path,
            (long long)(total - streamed));
    if (file)
        fclose(file);
    free(path);
}

static int say_late(const struct run *r, const json_t *result)
{
    const char *name = r->cli->session;
    if (!result && r->typed)
        return say_fail(EXIT_TIMEOUT,
                        "not done after %g s; it goes on as far as the daemon, which is slow to "
                        "answer, has said. `ptyd screen -s %s` shows the terminal",
                        r->timeout, name);
    if (!result)
        return say_fail(
            EXIT_TIMEOUT,
            "not done after %g s, and the daemon does not say how it stands: whether it "
            "was typed is not known",
            r->timeout);
    if (json_flag(result, "typed") && json_is_null(json_object_get(result, "block")))
        return say_fail(EXIT_TIMEOUT,
                        "no command began within %g s; `ptyd screen -s %s` shows what became of it",
                        r->timeout, name);
    if (json_flag(result, "typed"))
        return say_fail(EXIT_TIMEOUT,
                        "not done after %g s; it goes on. Stop it with `ptyd attach %s` and Ctrl-C",
                        r->timeout, name);
    return say_fail(EXIT_TIMEOUT,
                    "no prompt after %g s; nothing was typed. `ptyd screen -s %s` shows why",
                    r->timeout, name);
}

static int report(const struct run *r, const json_t *result)
{
    const char *name = r->cli->session;
    json_t *block = json_object_get(result, "block");
    const json_t *exit_code = json_object_get(block, "exit_code");
    if (r->cli->json && json_is_object(block))
        cli_print_json(json_incref(block));
    else if (json_flag(result, "completed") && !r->on_terminal)
        print_rest(result, block);
    if (json_flag(result, "timed_out"))
        return say_late(r, result);
    if (json_flag(result, "doubtful"))
        return say_fail(EXIT_PTYD,
                        "whether it was typed is not known: the daemon's worker died while it "
                        "typed. `ptyd screen -s %s` shows the terminal",
                        name);
    if (!strcmp(json_text(block, "status", ""), "stopped"))
        say("stopped (Ctrl-Z); `ptyd run -s %s fg` goes on with it", name);
    if (json_is_integer(exit_code) && json_flag(result, "completed"))
        return (int)json_integer_value(exit_code);
    if (!json_flag(result, "typed"))
        return say_fail(EXIT_PTYD,
                        "nothing was typed: something that is no prompt waits for input. "
                        "`ptyd screen -s %s` shows it",
                        name);
    return say_fail(EXIT_PTYD,
                    "it was typed, its status is not known; `ptyd screen -s %s` shows the terminal",
                    name);
}

/* Milliseconds that are left of the time-out, at most `most`. */
static int left_ms(const struct run *r, int most)
{
    int64_t left = r->until < 0 ? most : r->until - clock_monotonic_ms();
    return left < 0 ? 0 : left < most ? (int)left : most;
}

static json_t *run_params(const struct run *r)
{
    json_t *params = json_pack("{s:s, s:s, s:b, s:I, s:s, s:I}", "name", r->cli->session, "command",
                               r->command, "stream", !r->cli->json && !r->view, "token", r->token,
                               "shell_id", r->shell_id, "streamed", r->streamed);
    if (r->until >= 0) {
        json_int_t left = r->until - clock_monotonic_ms();
        json_object_set_new(params, "timeout_ms", json_integer(left > 0 ? left : 1));
    }
    return params;
}

/* What is waited for longest, monotonic ms; -1 for ever. A worker that took over says at once that
 * it knows of the command; the command takes its time. */
static int64_t wait_until(const struct run *r)
{
    int64_t until = r->until < 0 ? -1 : r->until + LIMIT_RUN_GRACE_MS;
    if (r->unread_until && (until < 0 || r->unread_until < until))
        until = r->unread_until;
    int64_t look = patience_until(&r->patience);
    return patience_waits(&r->patience) && (until < 0 || look < until) ? look : until;
}

/* Whether it was only time to look at the daemon. */
static bool waits_on(struct run *r)
{
    bool late = r->until >= 0 && clock_monotonic_ms() >= r->until + LIMIT_RUN_GRACE_MS;
    return !late && patience_waits(&r->patience) && patience_lasts(&r->patience);
}

/* The next message; meanwhile it may be time to say what is waited for. */
static enum rpc_wait wait_for(struct run *r, struct rpc *rpc, int64_t until, json_t **ret_message)
{
    return r->view ? run_view_wait(r->view, rpc, until, ret_message)
                   : rpc_wait(rpc, until, ret_message);
}

static enum rpc_wait wait(struct run *r, struct rpc *rpc, json_t **ret_message)
{
    enum rpc_wait end;
    int64_t until = wait_until(r);
    if (r->say_at >= 0 && (until < 0 || r->say_at < until)) {
        end = wait_for(r, rpc, r->say_at, ret_message);
        if (end != RPC_LATE || (r->view && run_view_left(r->view)))
            return end;
        say_waits(r);
    }
    while ((end = wait_for(r, rpc, wait_until(r), ret_message)) == RPC_LATE &&
           !(r->view && run_view_left(r->view)) && waits_on(r))
        ;
    return end;
}

/* Asks and shows the output that comes; the answer is the one that is no notification. */
static enum rpc_wait ask(struct run *r, struct rpc *rpc, json_t **ret_answer)
{
    int64_t until = r->until < 0 ? clock_monotonic_ms() + LIMIT_ANSWER_MS : wait_until(r);
    json_int_t id = rpc_send(rpc, "session.run", run_params(r), until);
    enum rpc_wait end = id < 0 ? RPC_LOST : RPC_CAME;
    while (end == RPC_CAME && (end = wait(r, rpc, ret_answer)) == RPC_CAME) {
        patience_end(&r->patience);
        if (rpc_is_answer(*ret_answer, id))
            break;
        take_notification(r, *ret_answer);
        json_decref(*ret_answer);
        if (r->unread_until && clock_monotonic_ms() >= r->unread_until) /* it may print for ever */
            return RPC_LATE;
    }
    return end;
}

static int conclude(const struct run *r, const json_t *answer, bool again)
{
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    if (!error)
        return report(r, json_object_get(answer, "result"));
    return say_fail(EXIT_PTYD, "%s%s", error,
                    again
                        ? "; the daemon was replaced meanwhile, and what became of the command is "
                          "not known"
                        : "");
}

static int say_away(const struct run *r)
{
    return say_fail(EXIT_PTYD, "the daemon did not come back within %d s: %s",
                    patience_seconds(&r->patience),
                    r->typed ? "the command was typed, how it ended is not known"
                             : "whether the command was typed, and how it ended, is not known");
}

static int say_left(const struct run *r)
{
    const char *name = r->cli->session;
    if (!r->typed)
        return say_fail(EXIT_PTYD, "left; nothing was typed");
    return say_fail(EXIT_PTYD,
                    "%s; the command goes on in session %s. `ptyd attach %s` shows it, "
                    "`ptyd send -s %s --key C-c` stops it",
                    r->unread_until ? "nobody reads its output any more" : "left", name, name,
                    name);
}

/* What is said next is said in the terminal as it was. */
static void close_view(struct run *r, bool completed)
{
    if (!r->view)
        return;
    bool whole = !completed || run_view_rest(r->view);
    run_view_destroy(r->view);
    r->view = NULL;
    if (!whole)
        say("the end of the output is not shown here; `ptyd screen -s %s` has it", r->cli->session);
}

/* Asked again, the daemon knows by the token how far it got. */
static int follow(struct run *r, struct rpc *rpc)
{
    json_t *answer = NULL;
    enum rpc_wait end;
    bool again = false; /* a worker that is gone may have heard it */
    while ((end = ask(r, rpc, &answer)) == RPC_LOST) {
        again = again || !rpc->unread;
        patience_begin(&r->patience);
        while (rpc_reconnect(rpc, wait_until(r)) < 0 && waits_on(r))
            ;
        if (rpc->fd < 0)
            break;
    }
    bool left = r->view && run_view_left(r->view);
    close_view(r, end == RPC_CAME && json_flag(json_object_get(answer, "result"), "completed"));
    if ((left || r->unread_until) && end != RPC_CAME)
        return say_left(r);
    if (end != RPC_CAME)
        return r->until >= 0 && clock_monotonic_ms() >= r->until ? say_late(r, NULL) : say_away(r);
    int status = conclude(r, answer, again);
    json_decref(answer);
    return status;
}

/* Nothing was typed yet. */
static int fail_to_open(const struct run *r)
{
    bool late = r->until >= 0 && clock_monotonic_ms() >= r->until;
    return late ? say_fail(EXIT_TIMEOUT, "nothing was typed after %g s", r->timeout) : EXIT_PTYD;
}

/* A name that was mistyped opens a session, too. */
static void say_opened(const struct run *r, struct rpc *rpc, int wait_ms)
{
    const char *name = r->cli->session;
    struct text_nearest nearest = text_nearest_begin(name);
    char *error = NULL;
    size_t i;
    json_t *sessions = rpc_ask(rpc, "session.list", json_object(), wait_ms, &error), *session;
    json_array_foreach(sessions, i, session) {
        const char *other = json_text(session, "name", "");
        if (strcmp(other, name) != 0)
            text_nearest_offer(&nearest, other);
    }
    if (nearest.found)
        say("session %s is new; did you mean %s? `ptyd close %s` ends it", name, nearest.found,
            name);
    else
        say("session %s is new", name);
    json_decref(sessions);
    free(error);
}

static int run(struct run *r)
{
    struct rpc rpc;
    if (rpc_connect(&rpc, !r->cli->no_start, left_ms(r, LIMIT_START_MS)) < 0)
        return fail_to_open(r);
    json_t *open = request_open_params(r->cli->session);
    json_object_set_new(open, "size", request_size_json(request_terminal_size()));
    json_t *opened = rpc_call(&rpc, "session.open", open, left_ms(r, LIMIT_ANSWER_MS));
    r->shell_id = text_copy(json_text(json_object_get(opened, "session"), "shell_id", ""));
    if (json_flag(opened, "created") && r->cli->session_given)
        say_opened(r, &rpc, left_ms(r, LIMIT_ANSWER_MS));
    if (opened && run_view_is_possible() && !r->cli->json)
        r->view = run_view_create(r->cli->session, r->token, left_ms(r, LIMIT_ANSWER_MS));
    r->on_terminal = r->view != NULL;
    int status = opened ? follow(r, &rpc) : fail_to_open(r);
    json_decref(opened);
    free(r->shell_id);
    rpc_close(&rpc);
    return status;
}

int command_run(int argc, char **argv)
{
    static const struct option options[] = {
        {"timeout", required_argument, NULL, TIMEOUT}, CLI_LONG, {0}};
    elsewhere_go(argc, argv, false, "--timeout");
    struct cli cli = cli_begin(help);
    double timeout = 0;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT, options)) != -1)
        if (cli_option(&cli, option))
            timeout = cli_seconds(optarg);
    if (optind >= argc)
        cli_usage("which COMMAND?");
    char *text = request_command(argv + optind);
    struct run r = {.cli = &cli,
                    .command = text,
                    .timeout = timeout,
                    .token = request_new_token(),
                    .awaits = text_copy(""),
                    .say_at = -1};
    r.until = timeout > 0 ? clock_monotonic_ms() + (int64_t)(timeout * 1000) : -1;
    int status = run(&r);
    free(r.awaits);
    free(text);
    return fflush(stdout) || ferror(stdout) ? EXIT_PTYD : status; /* which main() says */
}
