/* shells.h - every shell there is: its process, its terminal's master, its shared memory. */
#ifndef PTYD_KEEPER_SHELLS_H
#define PTYD_KEEPER_SHELLS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/keeper/tally.h"

/* What the worker has not been told of a shell yet. A state, not a queue: however long a worker
 * does not listen, there is one thing at most to tell it of each. */
enum shell_news { SHELL_NO_NEWS, SHELL_IS_NEW, SHELL_HAS_EXITED };

struct shell {
    char name[72];             /* of its session */
    pid_t pid;                 /* 0 when reaped */
    int status;                /* as waitpid gave it, when reaped */
    int master, intake, slate; /* slate: -1 while nothing waits to be written */
    bool slate_lost;           /* there was no descriptor left for one since; `slate_untold`: */
    bool slate_untold;         /* the worker is to know that */
    bool over;                 /* it has exited, and all it said was taken in: master is -1 */
    long long kill_at;         /* monotonic ms; 0 for not closing */
    enum shell_news news;
    struct tally tally;
    uint32_t deadly_step; /* where the worker died too often: it is quarantined; 0: it is not */
    uint64_t deadly_at;
};

struct shells {
    struct shell all[LIMIT_SESSIONS];
    int count;
};

/* NULL for none. */
struct shell *shells_find(struct shells *shells, const char *name);

/* Starts what `request` (spawn.h) asks for; it is news then. One of its name that is over is
 * forgotten, or any where there is no room. Takes both descriptors. Returns 0 or -errno. */
int shells_start(struct shells *shells, const char name[72], int request, int intake);

/* HUP to the shell and to what runs in the foreground, once; shells_step() kills what stays. */
void shells_hang_up(struct shell *shell, long long now);

/* Kills those whose time is over. Returns when the next one's is, monotonic ms; -1 for none. */
long long shells_step(struct shells *shells, long long now);

/* A process ended: if it was a shell, that is news. */
void shells_reaped(struct shells *shells, pid_t pid, int status);

/* The worker died of itself at that place: if it was once too often, the session is quarantined.
 * Returns it then, else NULL. */
const struct shell *shells_died_at(struct shells *shells, const struct board_place *place);

/* It is quarantined no more, and what was counted is forgotten. */
void shells_reset(struct shell *shell);

/* A session's worker keeps in this memory what it cannot write; takes it over. */
void shells_keep_slate(struct shell *shell, int slate);
/* There was no descriptor left for it: the worker hears that. Returns whether that is new. */
bool shells_lose_slate(struct shell *shell);

/* One that was reaped has nothing more to say: its terminal is closed. */
void shells_set_over(struct shell *shell);

bool shells_run(const struct shells *shells);

/* A new worker knows nothing yet. */
void shells_all_are_new(struct shells *shells);

/* Closes the descriptors; the shell itself has been reaped, or the daemon ends. */
void shells_forget(struct shells *shells, struct shell *shell);

/* For a process that shall not have them. */
void shells_close_descriptors(const struct shells *shells);

#endif
