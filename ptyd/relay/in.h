/* in.h - blocks of other hosts on their way from the hub to the daemon.
 *
 * One at a time: the next is asked for when the daemon has this one on disk, or has it already, and
 * the hub keeps what was not acknowledged. So none is lost or overtaken whoever dies, and the
 * daemon decides what is new. While no daemon runs this one waits.
 */
#ifndef PTYD_RELAY_IN_H
#define PTYD_RELAY_IN_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/relay/hub.h"
#include "ptyd/relay/out.h"
#include "ptyd/relay/setup.h"

struct in {
    struct hub *hub;
    const struct setup *settings;
    const char *user; /* as a token */
    const struct identity *identity;
    struct out *out;             /* where what goes wrong is said */
    struct hub_message *message; /* that is not handed over yet; NULL */
    uint64_t asks;               /* each has a number of its own */
    int64_t asked_until;         /* monotonic: an answer is due by then; 0: nothing is asked for */
    int64_t hold_until;          /* monotonic: not before */
    bool waits;                  /* for a daemon */
    uint64_t taken, known, clashes, refused; /* blocks: new ones, others, and what was none */
    json_t *hosts;                           /* HOSTID: {host, at_ms, blocks} */
};

void in_begin(struct in *in);
void in_finish(struct in *in);

/* Hands over, asks. Returns as out_step() does. */
int64_t in_step(struct in *in);

/* What the hub delivers, which is taken; and the answer to "g.N", which is none. */
void in_take(struct in *in, struct hub_message *message);
void in_answer(struct in *in, const struct hub_message *message);

/* The connection is gone. */
void in_lost(struct in *in);

#endif
