/* scrub.h - the shell's nonce, overwritten wherever it is printed.
 *
 * What is typed must be echoed at once, also when it happens to begin like the nonce: so its first
 * SCRUB_SHOWN digits pass as they come; the others are held until it is clear whether the nonce
 * follows, and are then zeros. The result is the same however the bytes are cut.
 */
#ifndef VTERM_SNAPSHOT_SCRUB_H
#define VTERM_SNAPSHOT_SCRUB_H

#include <stdbool.h>
#include <stddef.h>

#include "vterm_snapshot/mark.h"

#define SCRUB_SHOWN 7 /* 100 of the nonce's 128 bits stay secret */

/* A zeroed struct scrubs nothing. */
struct scrub {
    bool active;
    char nonce[MARK_NONCE_LEN];
    char passed[SCRUB_SHOWN]; /* the last bytes of the run that passed */
    size_t passed_len;
};

/* MARK_NONCE_LEN digits, or NULL for none. A nonce of zeros has nothing to hide. */
void scrub_set_nonce(struct scrub *scrub, const char *nonce);

/* Something else comes between two runs. */
static inline void scrub_break(struct scrub *scrub)
{
    scrub->passed_len = 0;
}

/* Overwrites the nonce in the next bytes of a run; returns how many may pass now, less than `len`
 * only when the run goes on (`goes_on`) and its end may belong to a nonce: give those again. */
size_t scrub_run(struct scrub *scrub, char *bytes, size_t len, bool goes_on);

#endif
