/* wire.h - messages between keeper and worker: one datagram each, descriptors beside it. */
#ifndef PTYD_KEEPER_WIRE_H
#define PTYD_KEEPER_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum wire_type {
    /* keeper to worker */
    WIRE_LISTENER = 1, /* descriptors: the listening socket, the board, the vault */
    /* A shell that runs or ran; descriptors: master (none of one that is over), intake, slate (none
     * while nothing waits to be written). */
    WIRE_SESSION,
    WIRE_SPAWN_FAILED, /* error: errno */
    WIRE_HANDED_OVER,  /* every session there is has been told */
    WIRE_EXITED,       /* pid, status as waitpid gives it */
    WIRE_STOPPING,     /* the daemon ends: sessions get their last words */
    WIRE_UPGRADED,     /* descriptor: what came of the last upgrade (outcome.h), or comes of it */
    /* worker to keeper */
    WIRE_READY,  /* the socket is served */
    WIRE_SPAWN,  /* descriptors: a memfd with a spawn request, intake */
    WIRE_CLOSE,  /* HUP, then KILL, the session's processes */
    WIRE_OVER,   /* the session is: its terminal is needed no more, what it said stays readable */
    WIRE_FORGET, /* nobody wants it: close its descriptors */
    WIRE_SLATE,  /* descriptor: what the session could not write is there (core/slate.h) */
    WIRE_STOP,   /* end the daemon */
    /* Go on as another program: token; descriptor: its file; none: replace the worker alone. */
    WIRE_UPGRADE,
    WIRE_RESET, /* the session is quarantined no more */
    /* keeper to worker again: there was no descriptor left for the session's slate. */
    WIRE_SLATE_LOST,
};

struct wire_message {
    uint32_t type;
    int32_t pid;
    int32_t status; /* WIRE_EXITED, and WIRE_SESSION when `exited` */
    int32_t exited; /* WIRE_SESSION: the shell is gone already, */
    int32_t over;   /* and so is its terminal */
    int32_t error;
    uint64_t token; /* WIRE_UPGRADE: whose it is */
    char name[72];  /* of the session */
    /* WIRE_SESSION: it is quarantined because the worker died there (board.h); step 0: it is not */
    uint32_t deadly_step;
    uint64_t deadly_at;
    uint32_t fds; /* which descriptors were sent, a bit for each; wire_send()'s */
};

#define WIRE_FDS_MAX 3

/* Sends with `count` descriptors, of which one that is negative is none. Returns 0 or -errno. */
int wire_send(int socket, const struct wire_message *message, const int *fds, int count);

/* Receives one message; descriptors are CLOEXEC, -1 where none came. Returns 1, 0 at the end,
 * -errno otherwise: then none came; behind what is no message (-EPROTO) the next one stands. */
int wire_receive(int socket, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX]);

/* Whether a descriptor was sent that did not come: there was no room left for it. */
bool wire_lost(const struct wire_message *message, const int fds[WIRE_FDS_MAX]);

#endif
