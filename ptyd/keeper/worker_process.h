/* worker_process.h - the worker as its keeper sees it: started, told what there is, replaced.
 *
 * Nothing here waits for it. Its socket does not block; what it was not told is remembered where it
 * happened (struct shell, the fields below), so a worker that never listens costs no memory, and
 * its successor is told everything anew.
 */
#ifndef PTYD_KEEPER_WORKER_PROCESS_H
#define PTYD_KEEPER_WORKER_PROCESS_H

#include "ptyd/keeper/keeper.h"
#include "ptyd/keeper/outcome.h"
#include "ptyd/keeper/shells.h"
#include "ptyd/keeper/wire.h"

struct worker_process {
    keeper_worker *run;
    void *user;
    const struct listener *listener;
    const struct outcome *outcome; /* of the last upgrade */
    int board;                     /* its memory: board.h */
    int vault;                     /* core/vault.h; -1 for none */
    pid_t pid;                     /* 0 while none runs */
    int socket;                    /* to it; -1 while none runs */
    long long since, restart_at, backoff;
    /* Not told yet, besides the shells' news: */
    bool listener_due, end_due;  /* the hand-over's first and last message */
    bool stopping_due;           /* the daemon ends */
    bool outcome_due;            /* an upgrade goes on, or is over */
    struct wire_message failure; /* WIRE_SPAWN_FAILED: requests wait meanwhile; else type 0 */
    bool full;                   /* its socket takes no more now */
    long long again_at;          /* the kernel could not send: try then; 0 for no such time */
};

/* Starts one, which is to hear of everything; `signals` is a descriptor that it shall not have.
 * Where that fails it is due again at `restart_at`. */
void worker_process_start(struct worker_process *worker, struct shells *shells, int signals,
                          long long now);

/* It was reaped: the next one is due at `restart_at`, at once if this one had lived for a while. If
 * it died of itself, that is counted against the session that it was at. */
void worker_process_ended(struct worker_process *worker, struct shells *shells, long long now);

/* Has it end where nothing is half done (board_hold()); LIMIT_BOARD_HELD_MS later wherever it is.
 */
void worker_process_end(const struct worker_process *worker);

/* The same, and waits for its end. What it said before is still to be read from `socket`;
 * worker_process_ended() comes then. */
void worker_process_kill(struct worker_process *worker);

/* Tells it what it does not know yet, as much as its socket takes. */
void worker_process_tell(struct worker_process *worker, struct shells *shells, long long now);

#endif
