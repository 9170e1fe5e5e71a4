/* covering.h - what was found in an output is covered where it stands.
 *
 * With as many bytes as were there, so that no offset moves for whoever reads on: `[redacted:TYPE]`
 * and blanks in the first line of it that has room for that, else each byte is an `x`. Line ends
 * stay. Which places are about to be covered is noted first, in `covering.json` beside `blocks/`:
 * of whoever dies half-way the next one finds the rest, which nobody would take for a secret. */
#ifndef PTYD_FORGET_COVERING_H
#define PTYD_FORGET_COVERING_H

#include <stdbool.h>
#include <stddef.h>

#include "envelope/redact/redact.h"

struct covering {
    const char *directory; /* `agent_pty` */
    const char *name;      /* of the output in its blocks/ */
    int fd;                /* of that, for writing */
    const char *text;      /* what stands in it: a map of the file */
    bool changed;          /* anything was */
    bool left;             /* something that is noted could not be covered */
};

/* Covers the places of matches in the bytes from `base` on. Returns 0 or -errno: what is left of
 * them is noted then. */
int covering_do(struct covering *covering, const struct redact_matches *matches, size_t base);

/* Does what a process that died has left. Returns whether anything changed, or -errno. */
int covering_go_on(const char *directory);

#endif
