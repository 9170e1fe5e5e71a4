/* Bare ptyd: this terminal becomes a session. It must never stand between a person and a shell, so
 * that whatever goes wrong, and whatever takes longer than LIMIT_BARE_MS, ends in a plain one. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/client/attach.h"
#include "ptyd/client/inside.h"
#include "ptyd/client/plain_shell.h"
#include "ptyd/client/request.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* ---- keys that would end us while we wait ---- */

static sigset_t keys, mask_before;

static void hold_keys(void)
{
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    sigaddset(&keys, SIGTSTP);
    sigprocmask(SIG_BLOCK, &keys, &mask_before);
}

static bool key_was_hit(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGQUIT);
}

/* What was hit is over. */
static void release_keys(void)
{
    while (sigtimedwait(&keys, NULL, &(struct timespec){0}) > 0)
        ;
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* ---- the way out ---- */

static bool login;

static int plain_shell(void)
{
    release_keys();
    return plain_shell_become(login);
}

static void without_memory(void)
{
    plain_shell();
}

/* Whether a login shell was here before us, or would be: what profiles say behind the line that
 * starts us is then read by the session's shell. sshd starts no other on the terminal it makes. */
static bool is_login(const char *name)
{
    const char *of_ssh = getenv("SSH_TTY"), *here = of_ssh ? ttyname(STDIN_FILENO) : NULL;
    return name[0] == '-' || (here && !strcmp(here, of_ssh) && getsid(0) == getpid());
}

/* Emacs's shells and whatever logs in from a program: escape sequences would reach its reader. */
static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

/* ---- the session ---- */

static int left_ms(int64_t until)
{
    int64_t left = until - clock_monotonic_ms();
    return left > 0 ? (int)left : 0;
}

/* It is shown from its first byte on: what its profile says and asks, and while it starts. So the
 * daemon attaches us with its answer. Returns that, a new reference; NULL after a word why not. */
static json_t *open_own(struct rpc *rpc, const struct view_opened *opened, int64_t until)
{
    json_t *params = request_open_params(NULL);
    json_object_set_new(params, "size", request_size_json(opened->size));
    json_object_set_new(params, "prompt_ms", json_integer(0));
    json_object_set_new(params, "login", json_boolean(login));
    json_object_set_new(params, "owns", json_true());
    json_object_set_new(params, "attach", json_true());
    json_object_set_new(params, "last", json_true());
    json_object_set_new(params, "token", json_integer(opened->token));
    json_object_set_new(params, "lends", json_integer(opened->lends));
    json_t *answer = rpc_call(rpc, "session.open", params, left_ms(until));
    if (!answer || json_text(json_at(answer, "session"), "name", NULL))
        return answer;
    say("the daemon opened no session; it is another version: `ptyd upgrade` replaces it");
    json_decref(answer);
    return NULL;
}

static int show_opened(struct rpc *rpc, const struct view_opened *opened, int64_t until)
{
    memory_before_end(NULL); /* from here on the terminal is not as the shell needs it */
    struct conf_file *conf = conf_open();
    int status = attach_run(
        rpc,
        &(struct attach_options){.name = json_text(json_at(opened->answer, "session"), "name", ""),
                                 .owns = true,
                                 .opened = opened,
                                 .wait_ms = left_ms(until),
                                 .conf = conf});
    conf_close(conf);
    return status;
}

/* Returns the exit status, ATTACH_FAILED when this terminal has no session. */
static int show_own(struct rpc *rpc, int64_t until)
{
    struct view_opened opened = {.size = request_terminal_size(),
                                 .token = request_new_token(),
                                 .lends = request_new_token()};
    json_t *answer = open_own(rpc, &opened, until);
    opened.answer = answer;
    int status = answer && !key_was_hit() ? show_opened(rpc, &opened, until) : ATTACH_FAILED;
    json_decref(answer);
    return status;
}

int command_default(int argc, char **argv)
{
    int64_t until = clock_monotonic_ms() + LIMIT_BARE_MS;
    struct rpc rpc;
    (void)argc;
    if (inside() == INSIDE_YES)
        return say_fail(EXIT_FAILED,
                        "this terminal is %s%s already; `ptyd --help` lists the commands",
                        *inside_session() ? "session " : "a session", inside_session());
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        cli_usage("without a terminal, say which command");
    login = is_login(argv[0]);
    plain_shell_correct();
    memory_before_end(without_memory);
    hold_keys();
    if (is_dumb()) {
        say("this terminal shows plain text alone (TERM is dumb)");
        return plain_shell();
    }
    if (rpc_connect(&rpc, true, left_ms(until)) < 0)
        return plain_shell();
    int status = show_own(&rpc, until);
    rpc_close(&rpc);
    return status == ATTACH_FAILED ? plain_shell() : status;
}
