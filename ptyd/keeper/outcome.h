/* outcome.h - what came of the last upgrade: the keeper tells each worker, and the program after
 * it.
 */
#ifndef PTYD_KEEPER_OUTCOME_H
#define PTYD_KEEPER_OUTCOME_H

#include <stdint.h>

enum outcome_state {
    OUTCOME_NONE,
    OUTCOME_UNDER_WAY, /* the file is tried, or executed and not proven yet */
    OUTCOME_DONE,
    OUTCOME_FAILED, /* `error` says why; the old program goes on with every shell */
};

struct outcome {
    uint64_t token; /* who asked for it */
    int32_t state;  /* enum outcome_state */
    int32_t shells; /* that were kept */
    int32_t worker; /* 1: the worker alone was replaced */
    char from[32];  /* version */
    char to[32];    /* version; "" while it is not known */
    char error[512];
};

/* A new memfd that holds it; the caller's. Or -errno. */
int outcome_write(const struct outcome *outcome);

/* Reads it; the descriptor stays the caller's. Returns 0 or -errno. */
int outcome_read(int fd, struct outcome *ret_outcome);

#endif
