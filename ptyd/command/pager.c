#define _GNU_SOURCE
#include "ptyd/command/pager.h"
#include "ptyd/core/cores.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"

/* The shell's status for a program that cannot be executed, and for one that is not there. */
#define NO_PROGRAM 126
#define NO_PAGER   127

struct pager pager_begin(bool wanted)
{
    struct pager pager = {.terminal = -1};
    if (!wanted || !isatty(STDOUT_FILENO) || fflush(stdout) != 0)
        return pager;
    int held = memfd_create("output", MFD_CLOEXEC);
    pager.terminal = held >= 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    if (pager.terminal >= 0 && dup2(held, STDOUT_FILENO) < 0) {
        close(pager.terminal);
        pager.terminal = -1;
    }
    if (held >= 0)
        close(held);
    return pager;
}

/* More lines than the terminal has rows; long lines take several. Sequences are counted as text:
 * that errs towards a pager, which shows what fits as it is. */
static bool is_long(int held, int terminal)
{
    struct winsize size = {0};
    char chunk[1 << 14];
    ssize_t n;
    size_t rows = 0, col = 0;
    if (ioctl(terminal, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
        size = (struct winsize){.ws_row = LIMIT_ROWS_DEFAULT, .ws_col = LIMIT_COLS_DEFAULT};
    for (off_t at = 0; rows < size.ws_row && (n = pread(held, chunk, sizeof chunk, at)) > 0;
         at += n)
        for (ssize_t i = 0; i < n; i++) {
            bool ends = chunk[i] == '\n';
            col = ends ? 0 : col + 1;
            rows += ends || (col > 1 && col % size.ws_col == 1);
        }
    return rows >= size.ws_row;
}

static void copy(int held, int terminal)
{
    char chunk[1 << 16];
    ssize_t n;
    for (off_t at = 0; (n = pread(held, chunk, sizeof chunk, at)) > 0; at += n)
        for (ssize_t done = 0, step; done < n; done += step)
            if ((step = write(terminal, chunk + done, (size_t)(n - done))) <= 0)
                return;
}

/* Where nobody chose one and there is no less(1), nothing is missing. */
static _Noreturn void become(const char *command, int held)
{
    lseek(held, 0, SEEK_SET);
    dup2(held, STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    cores_give_back();
    if (command)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    else
        execlp("less", "less", "-FRX", (char *)NULL);
    _exit(NO_PAGER);
}

/* `command`: NULL for less(1). Whether one was there. The keys that interrupt are the pager's. */
static bool page(const char *command, int held)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        become(command, held);
    if (pid < 0)
        return false;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGINT, &ignore, &before);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &before, NULL);
    return !(WIFEXITED(status) &&
             (WEXITSTATUS(status) == NO_PAGER || WEXITSTATUS(status) == NO_PROGRAM));
}

void pager_end(struct pager *pager)
{
    if (pager->terminal < 0)
        return;
    fflush(stdout);
    int held = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(pager->terminal, STDOUT_FILENO);
    const char *command = getenv("PAGER");
    bool none = command && (!*command || !strcmp(command, "cat"));
    bool pages = held >= 0 && !none && is_long(held, pager->terminal);
    if (held >= 0 && !(pages && page(command, held)))
        copy(held, pager->terminal);
    if (held >= 0)
        close(held);
    close(pager->terminal);
    pager->terminal = -1;
}
