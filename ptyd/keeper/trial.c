/* The answer is a line, `ptyd-table ok CHECKSUM VERSION` or `ptyd-table no REASON`: nothing else
 * that is executed by mistake says so, for the checksum is in the table alone. */
#define _GNU_SOURCE
#include "ptyd/keeper/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/intake.h"
#include "ptyd/core/text.h"
#include "ptyd/keeper/table.h"

extern char **environ;

/* ---- the child, up to exec ---- */

static _Noreturn void child(int program, int table, int hold, int answer, pid_t keeper)
{
    char number[16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper || dup2(hold, STDIN_FILENO) < 0 || dup2(answer, STDOUT_FILENO) < 0)
        _exit(127);
    fcntl(program, F_SETFD, 0); /* a script's interpreter opens it */
    fcntl(table, F_SETFD, 0);
    snprintf(number, sizeof number, "%d", table);
    char *argv[] = {"ptyd", "serve", "--try-table", number, NULL};
    cores_give_back();
    fexecve(program, argv, environ);
    dprintf(STDOUT_FILENO, "ptyd-table no it cannot be executed: %s\n", strerror(errno));
    _exit(127);
}

/* A session whose shared memory this program does not understand; NULL for none. */
static const char *unserved(const struct table *t)
{
    for (int i = 0; i < t->count; i++)
        if (!t->shells[i].over && t->shells[i].layout && !intake_knows(t->shells[i].layout))
            return t->shells[i].name;
    return NULL;
}

int trial_answer(int table)
{
    struct table t;
    char *message = NULL, c;
    if (table_read(table, &t, &message) == 0) {
        const char *name = unserved(&t);
        if (name)
            message = text_format("it cannot serve session %s", name);
        table_finish(&t);
    }
    if (message)
        printf("ptyd-table no %s\n", message);
    else
        printf("ptyd-table ok %llx %s\n", (unsigned long long)table_checksum(table), PTYD_VERSION);
    fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) < 0 && errno == EINTR)
        ;
    free(message);
    return 0;
}

/* ---- the keeper ---- */

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int trial_begin(struct trial *trial, int program, int table, long long now)
{
    int fds[4] = {-1, -1, -1, -1}; /* what is said, from and to; what holds it, from and to */
    pid_t self = getpid();
    if (pipe2(fds, O_CLOEXEC) < 0 || pipe2(fds + 2, O_CLOEXEC) < 0 ||
        fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
        int error = -errno;
        close_all(fds, 4);
        return error;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(program, table, fds[2], fds[1], self);
    int error = -errno;
    close_all(fds + 1, 2);
    if (pid < 0) {
        close_all((int[]){fds[0], fds[3]}, 2);
        return error;
    }
    *trial = (struct trial){.pid = pid,
                            .answer = fds[0],
                            .hold = fds[3],
                            .checksum = table_checksum(table),
                            .deadline = now + LIMIT_UPGRADE_TRY_MS};
    return 0;
}

static void listen(struct trial *trial)
{
    ssize_t n = 1;
    size_t room;
    while ((room = sizeof trial->said - 1 - trial->len) &&
           ((n = read(trial->answer, trial->said + trial->len, room)) > 0 ||
            (n < 0 && errno == EINTR)))
        trial->len += n > 0 ? (size_t)n : 0;
    trial->said[trial->len] = '\0';
    trial->silent = trial->silent || n == 0 || !room;
}

static enum trial_state ended(int status, char why[256])
{
    if (WIFSIGNALED(status))
        snprintf(why, 256, "it was ended by signal %d before it could be used", WTERMSIG(status));
    else
        snprintf(why, 256,
                 "it ended with status %d and gave no answer: it is no ptyd that can go "
                 "on here",
                 WEXITSTATUS(status));
    return TRIAL_FAILED;
}

/* Whether its line says that it has read this table. */
static bool agrees(const struct trial *trial, char version[32])
{
    unsigned long long checksum;
    return sscanf(trial->said, "ptyd-table ok %llx %31s", &checksum, version) == 2 &&
           checksum == trial->checksum;
}

enum trial_state trial_look(struct trial *trial, const int *status, long long now, char version[32],
                            char why[256])
{
    listen(trial);
    if (!strchr(trial->said, '\n')) {
        if (status)
            return ended(*status, why);
        if (now < trial->deadline)
            return TRIAL_GOES_ON;
        snprintf(why, 256, "it gave no answer within %d s", LIMIT_UPGRADE_TRY_MS / 1000);
        return TRIAL_FAILED;
    }
    if (sscanf(trial->said, "ptyd-table no %255[^\n]", why) == 1)
        return TRIAL_FAILED;
    if (agrees(trial, version))
        return status ? ended(*status, why) : TRIAL_WORKS;
    snprintf(why, 256, "what it answers is not what a ptyd says");
    return TRIAL_FAILED;
}

void trial_end(struct trial *trial)
{
    if (!trial->pid)
        return;
    kill(-trial->pid, SIGKILL);
    kill(trial->pid, SIGKILL);
    close(trial->answer);
    close(trial->hold);
    *trial = (struct trial){0};
}
