/* upgrade.h - another program takes the keeper's place, in the same process: every shell, terminal
 * and byte stays.
 *
 * The new file is tried as a child (trial.h). Then the worker is ended, all that there is goes into
 * a table (table.h), and the file is executed with the descriptors. It starts a worker of its own;
 * until that is ready the program before is the way back (guard.h).
 */
#ifndef PTYD_KEEPER_UPGRADE_H
#define PTYD_KEEPER_UPGRADE_H

#include <stdbool.h>

#include "ptyd/keeper/keeper.h"
#include "ptyd/keeper/outcome.h"
#include "ptyd/keeper/shells.h"
#include "ptyd/keeper/trial.h"

enum upgrade_phase {
    UPGRADE_IDLE,
    UPGRADE_TRYING,   /* the file runs as a child */
    UPGRADE_RENEWING, /* the worker alone is replaced: the next one is waited for */
    UPGRADE_PROVING,  /* we are the new program: our first worker is waited for */
};

struct upgrade {
    const struct keeper_start *start;
    enum upgrade_phase phase;
    struct outcome outcome; /* of the last one, or of the one under way */
    int own;                /* the file of this program, open: the way back */
    int program;            /* the file that is tried; -1 for none */
    int vault;              /* core/vault.h: the former program's, or made; -1 for none */
    struct trial trial;
    int workers; /* that ended while we were proving */
};

/* Begins, or goes on where the program before left off, with its shells. */
void upgrade_init(struct upgrade *upgrade, const struct keeper_start *start, struct shells *shells);

/* Somebody asks for one; `program` is the file, which is taken over, or -1 for the worker alone:
 * the caller ends it then. What does not come about at once is in the outcome. Ignored while one is
 * under way. */
void upgrade_ask(struct upgrade *upgrade, const struct shells *shells, uint64_t token, int program,
                 long long now);

/* One that was asked for cannot begin. Ignored while one is under way. */
void upgrade_refuse(struct upgrade *upgrade, uint64_t token, const char *why);

/* Where something is to be read of the trial; -1 for nowhere. */
int upgrade_poll_fd(const struct upgrade *upgrade);

/* Looks at the trial; `status` when it was reaped, else NULL. True when the file is to be executed.
 */
bool upgrade_look(struct upgrade *upgrade, const int *status, long long now);

/* Executes the file; the worker must have been ended. Returns only where that fails, which the
 * outcome says. */
void upgrade_execute(struct upgrade *upgrade, const struct shells *shells);

/* It does not come about. */
void upgrade_fail(struct upgrade *upgrade, const char *why);

/* A worker is ready: what was waiting for that is done. */
void upgrade_worker_ready(struct upgrade *upgrade, const struct shells *shells);

/* A worker ended before it was ready: may be that leads back. */
void upgrade_worker_ended(struct upgrade *upgrade);

#endif
