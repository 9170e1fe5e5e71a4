/* A program that passes its trial and is sick in the keeper's place, in the way that its file is
 * called: linked with everything that ptyd is linked with, around these two functions. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ptyd/core/board.h"
#include "ptyd/core/program.h"
#include "ptyd/keeper/keeper.h"

int __real_keeper_run(const struct keeper_start *start, keeper_worker *worker, void *user);
int __wrap_keeper_run(const struct keeper_start *start, keeper_worker *worker, void *user);
int __real_worker_main(int socket, void *user);
int __wrap_worker_main(int socket, void *user);

static bool is_called(const char *name)
{
    char *path = program_path(-1);
    const char *slash = strrchr(path, '/');
    bool is = slash && !strcmp(slash + 1, name);
    free(path);
    return is;
}

static int overflow(volatile char *before)
{
    volatile char here[4096];
    here[0] = here[1] = before ? before[0] : 0;
    return here[1] ? 0 : overflow(here) + here[0];
}

int __wrap_keeper_run(const struct keeper_start *start, keeper_worker *worker, void *user)
{
    int *volatile nowhere = NULL;
    if (is_called("crashes"))
        *nowhere = 1;
    if (is_called("overflows"))
        return overflow(NULL);
    if (is_called("aborts"))
        abort();
    if (is_called("exits"))
        return 0;
    while (is_called("hangs"))
        pause();
    return __real_keeper_run(start, worker, user);
}

int __wrap_worker_main(int socket, void *user)
{
    for (int i = 0; is_called("slow") && i < 140; i++) { /* 7 s, as with very many sessions */
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        board_moved();
    }
    if (is_called("slow"))
        return __real_worker_main(socket, user);
    while (is_called("waits"))
        pause();
    return 1;
}
