#define _GNU_SOURCE
#include "ptyd/start/start.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/start/plan.h"

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

/* Whether `variable`, NAME=VALUE or NULL, is the one of this name. */
static bool is_assigned(const char *variable, const char *name)
{
    return variable && has_prefix(variable, name) && variable[strlen(name)] == '=';
}

/* NULL-terminated list of NAME=VALUE, `variable` among them; owned. */
static char **make_environment(const struct start_request *q, const char *variable)
{
    char **env = memory_new((json_object_size(q->env) + 5) * sizeof *env);
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)q->env, name, value)
        if (json_is_string(value) && *name && !strchr(name, '=') && !is_left_out(name) &&
            !is_assigned(variable, name))
            env[count++] = text_format("%s=%s", name, json_string_value(value));
    env[count++] = text_copy("TERM=xterm-256color");
    env[count++] = text_copy("COLORTERM=truecolor");
    env[count++] = text_format("PTYD_SESSION=%s", q->name);
    if (variable)
        env[count++] = text_copy(variable);
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

static const char *choose_shell(const struct start_request *q)
{
    const char *shell = q->shell ? q->shell : json_text(q->env, "SHELL", NULL);
    if (shell && *shell)
        return shell;
    const struct passwd *user = getpwuid(geteuid());
    return user && user->pw_shell && *user->pw_shell ? user->pw_shell : "/bin/sh";
}

static void make_shell_id(char *id, size_t size)
{
    unsigned char random[4];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    snprintf(id, size, "shell_%02x%02x%02x%02x", random[0], random[1], random[2], random[3]);
}

/* The client's own value of a variable, NULL when it has none. */
static const char *variable_of(const struct start_request *q, const char *name)
{
    return name ? json_text(q->env, name, NULL) : NULL;
}

static int make_plan(const struct start_request *q, struct intake_facts *facts, struct plan *plan)
{
    int result = 0;
    if (json_array_size(q->argv)) {
        plan_command(q->argv, plan);
    } else {
        const char *shell = choose_shell(q);
        result = plan_shell(
            &(struct plan_request){
                .shell = shell,
                .environment = variable_of(q, plan_variable(shell)),
                .runtime = q->runtime,
                .shell_id = facts->shell_id,
                .login = q->login,
            },
            plan);
    }
    snprintf(facts->nonce, sizeof facts->nonce, "%s", plan->nonce);
    snprintf(facts->shell, sizeof facts->shell, "%.60s", plan_base_name(plan->program));
    return result;
}

int start_prepare(const struct start_request *q, int ret_fds[2])
{
    struct intake_facts facts = {.cols = q->cols,
                                 .rows = q->rows,
                                 .owner = q->terminal ? INTAKE_TERMINAL : INTAKE_NOBODYS,
                                 .x_pixels = q->x_pixels,
                                 .y_pixels = q->y_pixels};
    struct plan plan;
    snprintf(facts.name, sizeof facts.name, "%s", q->name);
    make_shell_id(facts.shell_id, sizeof facts.shell_id);
    int result = make_plan(q, &facts, &plan);
    char **env = make_environment(q, plan.variable);
    if (result == 0 && list_size(env) > LIMIT_ENVIRONMENT_BYTES)
        result = -E2BIG;
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
    plan_finish(&plan);
    return result < 0 ? result : 0;
}
