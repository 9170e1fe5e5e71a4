#define _GNU_SOURCE
#include "ptyd/client/plain_shell.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/say.h"

/* One that is told to be ptyd would begin all over, for ever. */
static bool is_ourselves(const char *path)
{
    struct stat other, own;
    return stat(path, &other) == 0 && stat("/proc/self/exe", &own) == 0 &&
           other.st_dev == own.st_dev && other.st_ino == own.st_ino;
}

void plain_shell_correct(void)
{
    const char *shell = getenv("SHELL");
    if (!shell || !is_ourselves(shell))
        return;
    const struct passwd *user = getpwuid(geteuid());
    bool known = user && user->pw_shell && *user->pw_shell && !is_ourselves(user->pw_shell);
    setenv("SHELL", known ? user->pw_shell : "/bin/sh", 1);
}

/* Returns only where it cannot be started. */
static void try(const char *shell, bool login)
{
    char name[LIMIT_NAME_BYTES + 2];
    const char *slash = shell ? strrchr(shell, '/') : NULL;
    if (!shell || shell[0] != '/' || is_ourselves(shell))
        return;
    snprintf(name, sizeof name, "-%s", slash + 1);
    say("starting %s without it", shell);
    cores_give_back();
    execl(shell, login ? name : shell, (char *)NULL);
    say("cannot start %s: %s", shell, strerror(errno));
}

int plain_shell_become(bool login)
{
    const char *wanted = getenv("SHELL");
    char *variable = "PTYD_SESSION=";
    putenv(variable);
    signal(SIGPIPE, SIG_DFL); /* ignored since rpc_connect(); an exec would leave it so */
    try(wanted, login);
    const struct passwd *user = getpwuid(geteuid());
    if (user && user->pw_shell && (!wanted || strcmp(user->pw_shell, wanted)))
        try(user->pw_shell, login);
    try("/bin/sh", login);
    return EXIT_FAILED;
}
