#define _GNU_SOURCE
#include "ptyd/worker/shells.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/worker/scripts.h"
#include "ptyd/worker/worker.h"

/* ---- the environment ---- */

static bool has_prefix(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

/* Variables that speak of the client's own terminal or of our service manager, and ours. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"TMUX",          "TMUX_PANE", "STY",         "WINDOW",
                                        "NOTIFY_SOCKET", "TERM",      "COLORTERM",   "LINES",
                                        "COLUMNS",       "TERMCAP",   "PTYD_SESSION"};
    static const char *const prefixes[] = {"TERM_PROGRAM", "VTE_", "VSCODE_", "LISTEN_",
                                           "WATCHDOG_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (has_prefix(name, prefixes[i]))
            return true;
    return false;
}

/* NULL-terminated list of NAME=VALUE; owned. */
static char **make_environment(const struct shell_request *q)
{
    char **env = memory_new((json_object_size(q->env) + 4) * sizeof *env);
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)q->env, name, value) if (json_is_string(value) && *name &&
                                                           !strchr(name, '=') && !is_left_out(name))
        env[count++] = text_format("%s=%s", name, json_string_value(value));
    env[count++] = text_copy("TERM=xterm-256color");
    env[count++] = text_copy("COLORTERM=truecolor");
    env[count++] = text_format("PTYD_SESSION=%s", q->name);
    return env;
}

static size_t list_size(char *const *list)
{
    size_t size = 0;
    for (; *list; list++)
        size += strlen(*list) + 1;
    return size;
}

static void list_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* ---- the shell ---- */

static const char *choose_shell(const struct shell_request *q)
{
    const char *shell = q->shell ? q->shell : json_string_value(json_object_get(q->env, "SHELL"));
    if (shell && *shell)
        return shell;
    const struct passwd *user = getpwuid(geteuid());
    return user && user->pw_shell && *user->pw_shell ? user->pw_shell : "/bin/sh";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void make_nonce(char nonce[MARK_NONCE_LEN + 1])
{
    unsigned char random[MARK_NONCE_LEN / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(nonce + 2 * i, 3, "%02x", random[i]);
}

static void make_shell_id(char *id, size_t size)
{
    unsigned char random[4];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    snprintf(id, size, "shell_%02x%02x%02x%02x", random[0], random[1], random[2], random[3]);
}

/* What runs: program, arguments, script for descriptor 3. */
struct plan {
    const char *program;
    char **argv;
    struct bytes script;
};

static char **list_of(const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **list = memory_new((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = text_copy(words[i]);
    return list;
}

static void plan_command(const struct shell_request *q, struct plan *plan)
{
    size_t i;
    json_t *word;
    plan->argv = memory_new((json_array_size(q->argv) + 1) * sizeof *plan->argv);
    json_array_foreach(q->argv, i, word) plan->argv[i] = text_copy(json_string_value(word));
    plan->program = plan->argv[0];
}

/* bash reads its rc file from descriptor 3: script and nonce are nowhere else. */
static void plan_bash(const struct shell_request *q, const char *shell, struct plan *plan,
                      char nonce[MARK_NONCE_LEN + 1])
{
    make_nonce(nonce);
    plan->program = shell;
    plan->argv = list_of((const char *const[]){"bash", "--rcfile", "/dev/fd/3", NULL});
    bytes_printf(&plan->script, "__ptyd_v=(%s); __ptyd_v[5]=%d\n", nonce, q->login);
    bytes_append(&plan->script, script_bash, script_bash_len);
}

static void plan_other(const struct shell_request *q, const char *shell, struct plan *plan)
{
    char *name = text_format("%s%s", q->login ? "-" : "", base_name(shell));
    plan->program = shell;
    plan->argv = list_of((const char *const[]){name, NULL});
    free(name);
}

static void make_plan(const struct shell_request *q, struct plan *plan, struct intake_facts *facts)
{
    *plan = (struct plan){0};
    bytes_append_text(&plan->script, "");
    const char *shell = choose_shell(q);
    if (json_array_size(q->argv)) {
        plan_command(q, plan);
        shell = plan->program;
    } else if (!strcmp(base_name(shell), "bash")) {
        plan_bash(q, shell, plan, facts->nonce);
    } else {
        plan_other(q, shell, plan);
    }
    snprintf(facts->shell, sizeof facts->shell, "%.60s", base_name(shell));
}

int shells_prepare(const struct shell_request *q, int ret_fds[2])
{
    struct intake_facts facts = {
        .cols = q->cols, .rows = q->rows, .opened_ms = worker_now().wall_ms};
    struct plan plan;
    snprintf(facts.name, sizeof facts.name, "%s", q->name);
    make_shell_id(facts.shell_id, sizeof facts.shell_id);
    make_plan(q, &plan, &facts);
    char **env = make_environment(q);
    int result = list_size(env) > LIMIT_ENVIRONMENT_BYTES ? -E2BIG : 0;
    if (result == 0)
        result = ret_fds[0] = spawn_pack(&(struct spawn_request){
            .cols = q->cols,
            .rows = q->rows,
            .umask = q->umask,
            .cwd = q->cwd ? q->cwd : "/",
            .program = plan.program,
            .argv = plan.argv,
            .env = env,
            .script = plan.script.data,
        });
    if (result >= 0) {
        result = ret_fds[1] = intake_create_fd(&facts);
        if (result < 0)
            close(ret_fds[0]);
    }
    list_free(env);
    list_free(plan.argv);
    bytes_finish(&plan.script);
    return result < 0 ? result : 0;
}
