#define _GNU_SOURCE
#include "ptyd/keeper/upgrade.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/intake.h"
#include "ptyd/core/program.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/core/vault.h"
#include "ptyd/keeper/guard.h"
#include "ptyd/keeper/spawn.h"
#include "ptyd/keeper/table.h"

extern char **environ;

static int shells_alive(const struct shells *shells)
{
    int count = 0;
    for (int i = 0; i < shells->count; i++)
        count += shells->all[i].pid != 0;
    return count;
}

static void leave_program(struct upgrade *u)
{
    if (u->program >= 0)
        close(u->program);
    u->program = -1;
}

void upgrade_fail(struct upgrade *u, const char *why)
{
    trial_end(&u->trial);
    leave_program(u);
    u->phase = UPGRADE_IDLE;
    u->outcome.state = OUTCOME_FAILED;
    snprintf(u->outcome.error, sizeof u->outcome.error, "%s", why);
    say("ptyd %s goes on, it was not upgraded: %s", u->outcome.from, u->outcome.error);
}

/* ---- the table ---- */

/* The shells in it are one array for all tables: a keeper asks for no memory that it could lack. */
static struct table make_table(const struct upgrade *u, const struct shells *shells)
{
    static struct table_shell all[LIMIT_SESSIONS];
    const struct listener *l = u->start->listener;
    struct table t = {.listener = l->fd,
                      .lock = l->lock,
                      .state_lock = l->state_lock,
                      .program = u->program,
                      .inherited = l->inherited,
                      .auto_ended = u->start->auto_ended,
                      .options = (char *)u->start->options,
                      .socket = l->path,
                      .state = (char *)u->start->state,
                      .path = program_path(u->program),
                      .previous_path = (char *)u->start->path,
                      .upgrade = u->outcome,
                      .last_event = board_last_event(),
                      .vault = u->vault,
                      .count = shells->count,
                      .shells = all};
    spawn_original_files(&t.files, &t.files_at_most);
    for (int i = 0; i < shells->count; i++) {
        const struct shell *s = &shells->all[i];
        t.shells[i] = (struct table_shell){.pid = s->pid,
                                           .status = s->status,
                                           .master = s->master,
                                           .intake = s->intake,
                                           .kill_at = s->kill_at,
                                           .layout = intake_layout(s->intake),
                                           .slate = s->slate,
                                           .over = s->over};
        memcpy(t.shells[i].name, s->name, sizeof t.shells[i].name);
    }
    return t;
}

static void forget_table(struct table *t)
{
    t->socket = t->state = t->previous_path = t->options = NULL;
    t->shells = NULL;
    table_finish(t);
}

static void take_table(const struct table *t, struct shells *shells)
{
    for (int i = 0; i < t->count; i++) {
        const struct table_shell *s = &t->shells[i];
        struct shell *shell = &shells->all[shells->count++];
        *shell = (struct shell){.pid = s->pid,
                                .status = s->status,
                                .master = s->master,
                                .intake = s->intake,
                                .slate = s->slate,
                                .over = s->over != 0,
                                .kill_at = s->kill_at};
        memcpy(shell->name, s->name, sizeof shell->name);
    }
    spawn_resume_files(t->files, t->files_at_most);
    board_set_last_event(t->last_event);
}

/* ---- the old program ---- */

/* Why the file must not be executed; NULL when it may. */
static const char *objection(int program)
{
    struct stat st;
    if (fstat(program, &st) < 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "it is no regular file";
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return "it belongs to somebody else";
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return "others may write it; take that away with chmod go-w";
    return NULL;
}

static int try_program(struct upgrade *u, const struct shells *shells, long long now)
{
    spawn_close_spare(); /* its descriptors may be the last that the trial can have */
    struct table table = make_table(u, shells);
    int fd = table_write(&table);
    int result = fd < 0 ? fd : trial_begin(&u->trial, u->program, fd, now);
    if (fd >= 0)
        close(fd);
    forget_table(&table);
    return result;
}

void upgrade_ask(struct upgrade *u, const struct shells *shells, uint64_t token, int program,
                 long long now)
{
    if (u->phase != UPGRADE_IDLE) {
        if (program >= 0)
            close(program);
        return;
    }
    u->outcome = (struct outcome){
        .token = token, .state = OUTCOME_UNDER_WAY, .worker = program < 0, .from = PTYD_VERSION};
    u->program = program;
    u->phase = program < 0 ? UPGRADE_RENEWING : UPGRADE_TRYING;
    if (program < 0)
        return;
    const char *why = objection(program);
    int result = why ? 0 : try_program(u, shells, now);
    if (why || result < 0)
        upgrade_fail(u, why ? why : strerror(-result));
}

void upgrade_refuse(struct upgrade *u, uint64_t token, const char *why)
{
    if (u->phase != UPGRADE_IDLE)
        return;
    u->outcome = (struct outcome){.token = token, .from = PTYD_VERSION};
    upgrade_fail(u, why);
}

/* When all is said that it says, its end is waited for. */
int upgrade_poll_fd(const struct upgrade *u)
{
    return u->phase == UPGRADE_TRYING && !u->trial.silent ? u->trial.answer : -1;
}

bool upgrade_look(struct upgrade *u, const int *status, long long now)
{
    char why[256];
    if (u->phase != UPGRADE_TRYING)
        return false;
    enum trial_state state = trial_look(&u->trial, status, now, u->outcome.to, why);
    if (state == TRIAL_FAILED)
        upgrade_fail(u, why);
    return state == TRIAL_WORKS;
}

/* Everything is inherited, the file itself too: a script's interpreter opens it. */
static int execute(const struct upgrade *u, const struct table *table)
{
    char number[16], previous[16];
    int fd = table_write(table);
    if (fd < 0)
        return fd;
    snprintf(number, sizeof number, "%d", fd);
    snprintf(previous, sizeof previous, "%d", u->own);
    char *argv[] = {"ptyd", "serve", "--resume", number, "--previous", previous, NULL};
    fcntl(fd, F_SETFD, 0);
    fcntl(u->own, F_SETFD, 0);
    table_inherit(table, true);
    cores_give_back();
    fexecve(u->program, argv, environ);
    int error = -errno;
    cores_forbid();
    table_inherit(table, false);
    fcntl(u->own, F_SETFD, FD_CLOEXEC);
    close(fd);
    return error;
}

void upgrade_execute(struct upgrade *u, const struct shells *shells)
{
    struct table table = make_table(u, shells);
    int error = execute(u, &table);
    forget_table(&table);
    upgrade_fail(u, strerror(-error));
}

/* ---- the new program ---- */

/* Nothing leads back any more, and no program that a shell starts gets what we inherited. */
static void settle(const struct table *table)
{
    guard_disarm();
    table_inherit(table, false);
    if (table->program >= 0)
        close(table->program);
}

void upgrade_init(struct upgrade *u, const struct keeper_start *start, struct shells *shells)
{
    *u = (struct upgrade){
        .start = start, .program = -1, .own = open("/proc/self/exe", O_PATH | O_CLOEXEC)};
    u->vault = start->table ? start->table->vault : -1;
    if (u->vault < 0)
        u->vault = vault_create_fd();
    if (!start->table)
        return;
    take_table(start->table, shells);
    u->outcome = start->table->upgrade;
    if (guard_is_armed()) {
        u->phase = UPGRADE_PROVING;
        return;
    }
    settle(start->table);
    if (start->returned)
        upgrade_fail(u, start->returned);
}

void upgrade_worker_ready(struct upgrade *u, const struct shells *shells)
{
    if (u->phase == UPGRADE_PROVING)
        settle(u->start->table);
    else if (u->phase != UPGRADE_RENEWING)
        return;
    u->phase = UPGRADE_IDLE;
    u->outcome.state = OUTCOME_DONE;
    u->outcome.shells = shells_alive(shells);
    snprintf(u->outcome.to, sizeof u->outcome.to, "%s", PTYD_VERSION);
    if (!u->outcome.worker)
        say("ptyd %s took over from %s; shells: %d", u->outcome.to, u->outcome.from,
            u->outcome.shells);
}

void upgrade_worker_ended(struct upgrade *u)
{
    if (u->phase == UPGRADE_PROVING && ++u->workers == LIMIT_UPGRADE_WORKERS)
        guard_go_back("its workers ended before they were ready");
}
