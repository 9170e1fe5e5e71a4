/* in.h - blocks of other hosts on their way from the hub to the daemon.
 *
 * Some at a time, in the order of the hub's stream; acknowledged when the daemon has them on disk,
 * or had them already. What was not acknowledged the hub gives out again, a little later, and newer
 * ones before: so a connection begins by asking whether something was given out that is not
 * acknowledged (to a process that died, or on a connection that the hub does not know to be gone),
 * and nothing is handed over until all of that is here. So none is lost or overtaken whoever dies,
 * and the daemon decides what is new. While no daemon runs they wait.
 */
#ifndef PTYD_RELAY_IN_H
#define PTYD_RELAY_IN_H

#include <jansson.h>
#include <stdint.h>

#include "ptyd/relay/hub.h"
#include "ptyd/relay/out.h"
#include "ptyd/relay/setup.h"

/* How far it is with what was given out before this connection. */
enum in_way {
    IN_UNSURE, /* not known: nothing is asked for */
    IN_GATHER, /* some was: it is gathered, with what else comes */
    IN_SURE,   /* what is not acknowledged is here */
};

struct in {
    struct hub *hub;
    const struct setup *settings;
    const char *user; /* as a token */
    const struct identity *identity;
    struct out *out; /* where what goes wrong is said */
    enum in_way way;
    int64_t look_at, gather_until; /* monotonic: the next question about that, and its end */
    struct hub_message *last;      /* of them; NULL */
    struct hub_message *first;     /* not handed over yet, in the stream's order; NULL */
    size_t held, bytes;            /* so many, and of what they say */
    size_t at_once;                /* are handed over: one, where a daemon died of several */
    uint64_t asks;                 /* each has a number of its own */
    uint64_t pull;                 /* the last that asked for some */
    size_t due;                    /* messages that the last may still bring */
    int64_t asked_until;           /* monotonic: until then; 0: nothing is asked for */
    int64_t hold_until;            /* monotonic: nothing is asked for before */
    int64_t hand_at;               /* monotonic: nor handed over */
    int64_t next_at;               /* monotonic: nor before, unless there is enough for once */
    int64_t time_at;               /* monotonic: the next question what time it is at the hub */
    int64_t asked_time_ms;         /* by the clock here, as it was asked last; 0 */
    int64_t ahead_ms;              /* that clock, of the hub's */
    bool knows_time;               /* that is so */
    bool waits;                    /* for a daemon */
    uint64_t taken, known, clashes, refused; /* blocks: new ones, others, and what was none */
    uint64_t unsealed, unopened; /* of hosts that do not seal, though we do; with another key */
    json_t *hosts;               /* HOSTID: {host, at_ms, blocks} */
};

void in_begin(struct in *in);
void in_finish(struct in *in);

/* Hands over, asks. Returns as out_step() does. */
int64_t in_step(struct in *in);

/* What the hub delivers, which is taken; the answer to "g.N", which is none; and the one to "i.N",
 * what was given out. */
void in_take(struct in *in, struct hub_message *message);
void in_answer(struct in *in, const struct hub_message *message);
void in_state(struct in *in, const struct hub_message *message);

/* Asks what time it is at the hub, now and then; and its answer, "t.N". By that it is known how far
 * another host's clock is from the one here: what it says goes to the daemon with `ahead_ms`. */
void in_ask_time(struct in *in);
void in_time(struct in *in, const struct hub_message *message);

/* The connection is gone. */
void in_lost(struct in *in);

#endif
