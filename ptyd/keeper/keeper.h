/* keeper.h - the process that must never crash: parent of every shell and of the worker. */
#ifndef PTYD_KEEPER_KEEPER_H
#define PTYD_KEEPER_KEEPER_H

#include "ptyd/keeper/listener.h"
#include "ptyd/keeper/table.h"

/* What the worker process runs: serves until `socket` closes. Returns its exit status. */
typedef int keeper_worker(int socket, void *user);

/* What a daemon begins with. Everything is borrowed. */
struct keeper_start {
    struct listener *listener;
    const char *state;   /* state directory */
    const char *path;    /* of the program on disk */
    bool auto_ended;     /* a command started it */
    const char *options; /* what `ptyd serve` was told, conf_all_set() */
    /* Of a program that goes on in another's place (upgrade.h), else NULL: */
    const struct table *table;
    const char *returned; /* it has been the keeper before, and its successor would not do: why */
};

/* Runs the daemon until a signal or the worker ends it. Returns the exit status. */
int keeper_run(const struct keeper_start *start, keeper_worker *worker, void *user);

#endif
