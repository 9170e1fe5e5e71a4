/* tally.h - at which places of a session the worker has died, and how often.
 *
 * Deaths at other places in between change nothing; only the few latest places are remembered.
 */
#ifndef PTYD_KEEPER_TALLY_H
#define PTYD_KEEPER_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

/* Zeroed: it never died. */
struct tally {
    struct {
        uint32_t step;
        uint64_t at;
        int deaths;
    } places[LIMIT_TALLY_PLACES];
    int next; /* to be forgotten */
};

/* It died of itself there. Returns whether that was the LIMIT_DEATHSth time. */
bool tally_add(struct tally *tally, uint32_t step, uint64_t at);

#endif
