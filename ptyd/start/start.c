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
#include "ptyd/core/vault.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/start/environment.h"
#include "ptyd/start/plan.h"

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
                .env = q->env,
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

/* The shell may have ended before anybody can ask the kernel, and what it printed is there. There
 * is room for all at once: what grows leaves copies behind that nobody wipes. */
static void keep_environment(const char *shell_id, char *const *env)
{
    struct bytes all = {0};
    size_t len = 0;
    for (size_t i = 0; env[i]; i++)
        len += strlen(env[i]) + 1;
    bytes_reserve(&all, len);
    for (; *env; env++)
        bytes_append(&all, *env, strlen(*env) + 1);
    if (!all.failed)
        vault_put(shell_id, all.data, all.len);
    if (all.data)
        explicit_bzero(all.data, all.len);
    bytes_finish(&all);
}

int start_prepare(const struct start_request *q, int ret_fds[2], char **ret_file)
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
    char **env = environment_make(q->env, q->name, plan.variable, q->terminal);
    if (result == 0 && environment_size(env) > LIMIT_ENVIRONMENT_BYTES)
        result = -E2BIG;
    if (result == 0)
        result = ret_fds[0] = spawn_pack(&(struct spawn_request){
            .cols = q->cols,
            .rows = q->rows,
            .x_pixels = q->x_pixels,
            .y_pixels = q->y_pixels,
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
    if (result >= 0)
        keep_environment(facts.shell_id, env);
    environment_free(env);
    *ret_file = result < 0 ? NULL : plan.file;
    plan.file = result < 0 ? plan.file : NULL;
    plan_finish(&plan);
    return result < 0 ? result : 0;
}

void start_finish(char *file)
{
    if (file)
        plan_make_file(file);
    free(file);
}
