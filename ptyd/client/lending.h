/* lending.h - a viewer's terminal, lent while somebody types (view_wire.h): what the viewer knows
 * of it. Pure but for sendmsg(2). */
#ifndef PTYD_CLIENT_LENDING_H
#define PTYD_CLIENT_LENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "ptyd/core/view_wire.h"

struct lending {
    uint64_t number; /* by which it lends; 0: it does not */
    bool agreed;     /* the daemon understands that */
    int fd;          /* the terminal */
    bool passed;     /* on this connection */
    char special;
    int64_t until;  /* monotonic ms: it is lent, and read by nobody else */
    uint64_t reads; /* that are known */
    uint32_t ended; /* READ that came on this connection */

    /* Of a connection that was lost. */
    bool awaits;        /* what was read there, and not typed, is not known yet */
    size_t behind;      /* so much of what was typed comes before that */
    struct bytes found; /* of it, until it is typed */
};

void lending_finish(struct lending *lending);

bool lending_lasts(const struct lending *lending, int64_t now);
/* Whether a loan is due, or due again. */
bool lending_is_due(const struct lending *lending, int64_t now);
/* Lends by a frame on a socket on which nothing waits to be sent; what does not fit is left in
 * `out`. False when nothing was sent. */
bool lending_send(struct lending *lending, int socket, int64_t now, struct bytes *out);

/* A connection stands, to a daemon that has agreed or has not; it is lost, with so much typed. */
void lending_joined(struct lending *lending, bool agreed);
void lending_lost(struct lending *lending, size_t typed);
/* So much of what was typed is done with. */
void lending_typed(struct lending *lending, size_t len);
/* The terminal is its own again. Returns whether the keys are for it now: else they are `found`. */
bool lending_over(struct lending *lending, const struct view_frame *frame,
                  struct view_keys *ret_keys);

/* What was found goes where it belongs among what was typed; where that is its end, to `last`. */
void lending_take_found(struct lending *lending, struct bytes *typed, struct bytes *last);

#endif
