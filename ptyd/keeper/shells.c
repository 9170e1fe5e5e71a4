#define _GNU_SOURCE
#include "ptyd/keeper/shells.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/keeper/spawn.h"

struct shell *shells_find(struct shells *shells, const char *name)
{
    for (int i = 0; i < shells->count; i++)
        if (!strcmp(shells->all[i].name, name))
            return &shells->all[i];
    return NULL;
}

/* Those that are over stand in nobody's way. */
static void make_room(struct shells *shells, const char *name)
{
    struct shell *shell = shells_find(shells, name);
    for (int i = 0; !shell && shells->count == LIMIT_SESSIONS && i < shells->count; i++)
        if (shells->all[i].over)
            shell = &shells->all[i];
    if (shell && shell->over)
        shells_forget(shells, shell);
}

int shells_start(struct shells *shells, const char name[72], int request, int intake)
{
    struct shell shell = {.intake = intake, .slate = -1, .news = SHELL_IS_NEW};
    memcpy(shell.name, name, sizeof shell.name);
    make_room(shells, name);
    int result = shells_find(shells, name)         ? -EEXIST
                 : shells->count == LIMIT_SESSIONS ? -EMFILE
                                                   : spawn_run(request, &shell.pid, &shell.master);
    close(request);
    if (result == 0)
        shells->all[shells->count++] = shell;
    else
        close(intake);
    return result;
}

/* CONT, so that stopped ones hear it. */
void shells_hang_up(struct shell *shell, long long now)
{
    if (shell->kill_at || !shell->pid)
        return;
    pid_t foreground = tcgetpgrp(shell->master);
    if (foreground > 0 && foreground != shell->pid) {
        kill(-foreground, SIGHUP);
        kill(-foreground, SIGCONT);
    }
    kill(-shell->pid, SIGHUP);
    kill(-shell->pid, SIGCONT);
    shell->kill_at = now + LIMIT_HANGUP_MS;
}

static void kill_both(const struct shell *shell)
{
    pid_t foreground = tcgetpgrp(shell->master);
    if (foreground > 0)
        kill(-foreground, SIGKILL);
    kill(-shell->pid, SIGKILL);
}

long long shells_step(struct shells *shells, long long now)
{
    long long next = -1;
    for (int i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->all[i];
        if (!shell->kill_at || !shell->pid)
            continue;
        if (now >= shell->kill_at) {
            kill_both(shell);
            shell->kill_at = now + LIMIT_HANGUP_MS;
        }
        next = next < 0 || shell->kill_at < next ? shell->kill_at : next;
    }
    return next;
}

void shells_reaped(struct shells *shells, pid_t pid, int status)
{
    for (int i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->all[i];
        if (shell->pid != pid)
            continue;
        shell->pid = 0;
        shell->status = status;
        if (shell->news == SHELL_NO_NEWS)
            shell->news = SHELL_HAS_EXITED;
    }
}

const struct shell *shells_died_at(struct shells *shells, const struct board_place *place)
{
    struct shell *shell = shells_find(shells, place->session);
    if (place->step == BOARD_NOTHING || !shell || !tally_add(&shell->tally, place->step, place->at))
        return NULL;
    shell->deadly_step = place->step;
    shell->deadly_at = place->at;
    return shell;
}

void shells_reset(struct shell *shell)
{
    shell->tally = (struct tally){0};
    shell->deadly_step = BOARD_NOTHING;
}

bool shells_run(const struct shells *shells)
{
    for (int i = 0; i < shells->count; i++)
        if (shells->all[i].pid)
            return true;
    return false;
}

void shells_all_are_new(struct shells *shells)
{
    for (int i = 0; i < shells->count; i++) {
        shells->all[i].news = SHELL_IS_NEW;
        shells->all[i].slate_untold = false;
    }
}

static void close_one(int fd)
{
    if (fd >= 0)
        close(fd);
}

void shells_keep_slate(struct shell *shell, int slate)
{
    close_one(shell->slate);
    shell->slate = slate;
    shell->slate_lost = shell->slate_untold = false;
}

/* The one before holds what waited before the worker began another. */
bool shells_lose_slate(struct shell *shell)
{
    bool is_new = !shell->slate_lost;
    shell->slate_lost = shell->slate_untold = true;
    return is_new;
}

void shells_set_over(struct shell *shell)
{
    close_one(shell->master);
    shell->master = -1;
    shell->over = true;
}

static void close_all(const struct shell *shell)
{
    close_one(shell->master);
    close_one(shell->intake);
    close_one(shell->slate);
}

void shells_forget(struct shells *shells, struct shell *shell)
{
    close_all(shell);
    *shell = shells->all[--shells->count];
}

void shells_close_descriptors(const struct shells *shells)
{
    for (int i = 0; i < shells->count; i++)
        close_all(&shells->all[i]);
}
